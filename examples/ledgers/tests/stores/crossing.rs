//! Steps that cross each other between two statements of one of them, and scripts that are refused half-way.

use crate::servers::{Kind, Server};
use parley_grants::{BlockId, Close, Closed, Demand, ReservationId, Reserve, SpendLine};
use parley_grants_ledgers::{Postgres, Store};
use std::time::Duration;
use tokio_postgres::{Client, NoTls};

const GRANT: BlockId = BlockId::from_bytes([0xaa; 32]);
const BLOCK: BlockId = BlockId::from_bytes([0xbb; 32]);

async fn reserve(store: &impl Store, name: &str) -> Result<Reserve, parley_grants_ledgers::StoreError> {
    let lines = [SpendLine { block: BLOCK, max: 1_000_000, forget_after: Some(5) }];
    let id = ReservationId::of(name);
    store.reserve(&Demand { id, proposal: "p", grant: GRANT, amount: 10, now: 0, lines: &lines }).await
}

async fn close(store: &impl Store, name: &str) -> Closed {
    store.close(&ReservationId::of(name), Close::Release).await.unwrap()
}

async fn connect(server: &Server) -> Client {
    let (client, connection) = tokio_postgres::connect(&server.url(), NoTls).await.unwrap();
    tokio::spawn(connection);
    client
}

/// A task that waits for a lock, or need not.
async fn until_waits<T>(task: &tokio::task::JoinHandle<T>, client: &Client) {
    let waits = "select exists (select from pg_stat_activity where wait_event_type = 'Lock')";
    for _ in 0..1_000 {
        if task.is_finished() || client.query_one(waits, &[]).await.unwrap().get(0) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("it neither waits nor ends");
}

/// What the tables say is held, and what of it is counted, by the accounts and totals and by the reservations.
async fn books(client: &Client) -> [i64; 4] {
    let sums = "select (select coalesce(sum(held), 0) from parley_account)::bigint,
        (select count(*) from parley_reservation where state = 'held'),
        (select coalesce(sum(amount), 0) from parley_total)::bigint,
        (select coalesce(sum(amount), 0) from parley_reservation where state = 'held')::bigint";
    let row = client.query_one(sums, &[]).await.unwrap();
    [0, 1, 2, 3].map(|at| row.get(at))
}

/// The close has looked for its reservation when that is made: whatever it says is so.
#[tokio::test(flavor = "multi_thread")]
async fn postgres_closes_what_it_says_it_closed() {
    let server = Server::start(Kind::Postgres);
    let store = server.postgres().await.unwrap();
    let (other, eye) = (connect(&server).await, connect(&server).await);
    other.batch_execute("begin; lock table parley_account in exclusive mode").await.unwrap();
    let closing = tokio::spawn({
        let store = store.clone();
        async move { close(&store, "crossed").await }
    });
    until_waits(&closing, &eye).await;
    let id = ReservationId::of("crossed");
    let made = "select parley_reserve($1, $2, 'p', 10, null, array[$3::bytea], array[1000::numeric], array[5::bigint], 256, 1024)";
    let row = other
        .query_one(made, &[&&id.as_bytes()[..], &&GRANT.as_bytes()[..], &&BLOCK.as_bytes()[..]])
        .await
        .unwrap();
    assert_eq!(row.get::<_, &str>(0), "reserved");
    other.batch_execute("commit").await.unwrap();
    let said = closing.await.unwrap();
    let expected = if said == Closed::Done { [0; 4] } else { [1, 1, 10, 10] };
    assert_eq!(books(&eye).await, expected, "it said {said:?}");
    let again = if said == Closed::Done { Closed::NotHeld } else { Closed::Done };
    assert_eq!(close(&store, "crossed").await, again);
    assert_eq!(books(&eye).await, [0; 4]);
}

/// Reserves and their own releases at once, many of them.
#[tokio::test(flavor = "multi_thread")]
async fn postgres_books_agree_after_crossings() {
    let server = Server::start(Kind::Postgres);
    let store = server.postgres().await.unwrap();
    let tasks: Vec<_> = (0..8)
        .map(|task| {
            let store = store.clone();
            tokio::spawn(async move {
                let mut released = 0;
                for round in 0..100 {
                    let name = format!("{task} {round}");
                    let (reserved, closed) = tokio::join!(reserve(&store, &name), close(&store, &name));
                    assert_eq!(reserved, Ok(Reserve::Reserved));
                    released += u32::from(closed == Closed::Done);
                }
                released
            })
        })
        .collect();
    let mut released = 0;
    for task in tasks {
        released += task.await.unwrap();
    }
    let held = 800 - i64::from(released);
    println!("800 reserves beside their own releases, of which {released} were in time");
    assert_eq!(books(&connect(&server).await).await, [held, held, 10 * held, 10 * held]);
}

/// Housekeeping finds an ended total, and while it waits something is held under it.
#[tokio::test(flavor = "multi_thread")]
async fn postgres_forgets_nothing_that_is_held_meanwhile() {
    let server = Server::start(Kind::Postgres);
    let store = server.postgres().await.unwrap();
    assert_eq!(reserve(&store, "settled").await, Ok(Reserve::Reserved));
    assert_eq!(store.close(&ReservationId::of("settled"), Close::Settle).await, Ok(Closed::Done));
    let (other, eye) = (connect(&server).await, connect(&server).await);
    let id = ReservationId::of("meanwhile");
    let made = "select parley_reserve($1, $2, 'p', 100, null, array[$3::bytea], array[1000::numeric], array[5::bigint], 256, 1024)";
    other.batch_execute("begin").await.unwrap();
    other
        .query_one(made, &[&&id.as_bytes()[..], &&GRANT.as_bytes()[..], &&BLOCK.as_bytes()[..]])
        .await
        .unwrap();
    let forgetting = tokio::spawn({
        let store: Postgres = store.clone();
        async move { store.forget(10 * 86_400).await.unwrap() }
    });
    until_waits(&forgetting, &eye).await;
    assert!(!forgetting.is_finished(), "it did not wait for the account");
    other.batch_execute("commit").await.unwrap();
    forgetting.await.unwrap();
    assert_eq!(store.total(&BLOCK).await, Ok(110));
}

/// A command that the server refuses in the middle of a script, by the rights of its user: what is left counts too much at most.
#[tokio::test(flavor = "multi_thread")]
async fn redis_allows_nothing_by_half_a_script() {
    let server = Server::start(Kind::Redis);
    let client = redis::Client::open(server.url()).unwrap();
    let mut root = client.get_multiplexed_async_connection().await.unwrap();
    for refused in ["hincrby", "hset", "sadd", "set", "rpush", "hdel"] {
        let mut acl = redis::cmd("ACL");
        acl.arg("SETUSER").arg("shop").arg(&["on", ">word", "~*", "&*", "+@all"]);
        acl.query_async::<()>(&mut root).await.unwrap();
        let url = server.url().replace("redis://", "redis://shop:word@");
        let store = parley_grants_ledgers::Redis::connect(&url).await.unwrap();
        let before = store.total(&BLOCK).await.unwrap();
        let right = async |root: &mut redis::aio::MultiplexedConnection, sign: &str| {
            let mut acl = redis::cmd("ACL");
            acl.arg("SETUSER").arg("shop").arg(format!("{sign}{refused}"));
            acl.query_async::<()>(root).await.unwrap();
        };
        right(&mut root, "-").await;
        let first = reserve(&store, refused).await;
        right(&mut root, "+").await;
        // Asked again, as the answer was none.
        assert_eq!(reserve(&store, refused).await, Ok(Reserve::Reserved), "{refused}: {first:?}");
        let counted = store.total(&BLOCK).await.unwrap();
        assert!(counted >= before + 10, "{refused}: {before}, then {counted}");
        right(&mut root, "-").await;
        let _ = store.close(&ReservationId::of(refused), Close::Release).await;
        right(&mut root, "+").await;
        let _ = close(&store, refused).await;
        assert!(store.total(&BLOCK).await.unwrap() >= before, "{refused}: given back twice");
    }
}

/// All that changes below a grant waits for the grant's row.
#[tokio::test(flavor = "multi_thread")]
async fn postgres_closes_under_the_lock_of_the_account() {
    let server = Server::start(Kind::Postgres);
    let store = server.postgres().await.unwrap();
    assert_eq!(reserve(&store, "held").await, Ok(Reserve::Reserved));
    let (other, eye) = (connect(&server).await, connect(&server).await);
    let lock = "begin; select from parley_account for update";
    other.batch_execute(lock).await.unwrap();
    let closing = tokio::spawn({
        let store = store.clone();
        async move { close(&store, "held").await }
    });
    until_waits(&closing, &eye).await;
    // Nothing of it is there yet, not even the lock of the reservation's row.
    let free = "select count(*) from (select from parley_reservation for update skip locked) as free";
    assert_eq!(eye.query_one(free, &[]).await.unwrap().get::<_, i64>(0), 1);
    other.batch_execute("commit").await.unwrap();
    assert_eq!(closing.await.unwrap(), Closed::Done);
    assert_eq!(books(&eye).await, [0; 4]);
}
