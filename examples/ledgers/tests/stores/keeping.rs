//! What is forgotten and what never is; and servers that may lose what they answered.

use crate::servers::{DURABLE_REDIS, Kind, Server};
use crate::story::{Chains, NOW};
use parley_grants::{
    BlockId, Claim, Claimed, Close, Closed, Demand, End, ReservationId, Reserve, SpendLine, Ticket,
};
use parley_grants_ledgers::{KEEP_ENDED, MARGIN, Store, StoreError};

const END: i64 = NOW + 1_000;

fn block(number: u8) -> BlockId {
    BlockId::from_bytes([number; 32])
}

async fn reserve(store: &impl Store, name: &str, grant: u8, lines: &[(u8, Option<i64>)]) -> Reserve {
    let line = |(number, forget_after): &(u8, Option<i64>)| SpendLine {
        block: block(*number),
        max: 100,
        forget_after: *forget_after,
    };
    let lines: Vec<_> = lines.iter().map(line).collect();
    let id = ReservationId::of(name);
    let demand = Demand { id, proposal: "p", grant: block(grant), amount: 10, now: NOW, lines: &lines };
    store.reserve(&demand).await.unwrap()
}

async fn close(store: &impl Store, name: &str, how: Close) -> Closed {
    store.close(&ReservationId::of(name), how).await.unwrap()
}

async fn totals<const N: usize>(store: &impl Store, blocks: [u8; N]) -> [u64; N] {
    let mut totals = [0; N];
    for (total, number) in totals.iter_mut().zip(blocks) {
        *total = store.total(&block(number)).await.unwrap();
    }
    totals
}

/// Housekeeping, which is not a part of `Store`.
trait Keeper: Store {
    async fn keep(&self, now: i64) -> u64;
}

impl Keeper for parley_grants_ledgers::Postgres {
    async fn keep(&self, now: i64) -> u64 {
        self.forget(now).await.unwrap()
    }
}

impl Keeper for parley_grants_ledgers::Redis {
    async fn keep(&self, now: i64) -> u64 {
        self.forget(now).await.unwrap()
    }
}

async fn forgets_in_time(store: impl Keeper) {
    // A total, a day after its end; one without an end, and what is held under a grant, never.
    let both = [(1, Some(END)), (2, None)];
    assert_eq!(reserve(&store, "settled", 1, &both).await, Reserve::Reserved);
    assert_eq!(close(&store, "settled", Close::Settle).await, Closed::Done);
    assert_eq!(reserve(&store, "settled too", 3, &[(3, Some(END))]).await, Reserve::Reserved);
    assert_eq!(close(&store, "settled too", Close::Settle).await, Closed::Done);
    assert_eq!(reserve(&store, "held", 3, &[(4, Some(END + 1))]).await, Reserve::Reserved);
    store.keep(END + MARGIN - 1).await;
    assert_eq!(totals(&store, [1, 2, 3, 4]).await, [10; 4], "forgotten early");
    store.keep(END + MARGIN).await;
    assert_eq!(totals(&store, [1, 2, 3, 4]).await, [0, 10, 10, 10]);
    store.keep(END + 100 * MARGIN).await;
    assert_eq!(totals(&store, [1, 2, 3, 4]).await, [0, 10, 10, 10], "something is held under the grant");
    assert_eq!(close(&store, "held", Close::Settle).await, Closed::Done);
    store.keep(END + MARGIN).await;
    assert_eq!(totals(&store, [1, 2, 3, 4]).await, [0, 10, 0, 10]);
    store.keep(END + MARGIN + 1).await;
    assert_eq!(totals(&store, [1, 2, 3, 4]).await, [0, 10, 0, 0]);

    // An ended reservation, so long after housekeeping first saw it; a held one never.
    let time = END + 200 * MARGIN;
    store.keep(time + 2 * KEEP_ENDED).await;
    assert_eq!(reserve(&store, "old", 5, &[]).await, Reserve::Reserved);
    assert_eq!(reserve(&store, "old and held", 5, &[]).await, Reserve::Reserved);
    assert_eq!(close(&store, "old", Close::Release).await, Closed::Done);
    for later in [0, 1, KEEP_ENDED - 1] {
        store.keep(time + later).await;
        assert_eq!(reserve(&store, "old", 5, &[]).await, Reserve::Taken, "after {later} s");
    }
    assert!(store.keep(time + KEEP_ENDED).await >= 1);
    assert_eq!(reserve(&store, "old", 5, &[]).await, Reserve::Reserved);
    assert_eq!(reserve(&store, "old and held", 5, &[]).await, Reserve::Reserved);
    assert_eq!(close(&store, "old and held", Close::Settle).await, Closed::Done);

    // A claim, a day after its end, in progress or done. Nobody's clock is that slow, so nobody finds it gone.
    let claim = |name: &str| Claim::for_other("kind", name, END);
    let first = async |name: &str| match store.claim(&claim(name), END - 1).await {
        Ok(Claimed::First(ticket)) => ticket,
        other => panic!("not first: {other:?}"),
    };
    let (a, b) = (first("a").await, first("b").await);
    assert_eq!(store.end(&a, End::Finish).await, Ok(true));
    store.keep(END - 1 + MARGIN).await;
    assert_eq!(store.claim(&claim("a"), END - 1).await, Ok(Claimed::Done));
    assert_eq!(store.claim(&claim("b"), END - 1).await, Ok(Claimed::InProgress));
    assert!(store.keep(END + MARGIN).await >= 2);
    assert_eq!(store.end(&b, End::Finish).await, Ok(false));
    let again = first("a").await;
    assert!(again.turn() > b.turn());
    assert_eq!(store.end(&Ticket::from_parts(*a.key(), a.turn()), End::Abandon).await, Ok(false));
    assert_eq!(store.end(&again, End::Finish).await, Ok(true));

    // Growth is bounded: of much that is over nothing is left, whatever the size of a batch.
    for number in 0..1_100 {
        let name = format!("many {number}");
        assert_eq!(reserve(&store, &name, 6, &[(6, Some(END))]).await, Reserve::Reserved);
        assert_eq!(close(&store, &name, Close::Release).await, Closed::Done);
        let _ = store.claim(&claim(&name), END - 1).await.unwrap();
    }
    store.keep(END + MARGIN).await;
    let gone = store.keep(END + MARGIN + KEEP_ENDED).await;
    assert!(gone >= 1_100, "{gone} of 1100 ended reservations");
    assert_eq!(store.keep(END + MARGIN + KEEP_ENDED).await, 0, "nothing is left to forget");
}

#[tokio::test(flavor = "multi_thread")]
async fn postgres_forgets_in_time() {
    let server = Server::start(Kind::Postgres);
    forgets_in_time(server.postgres().await.unwrap()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn redis_forgets_in_time() {
    let server = Server::start(Kind::Redis);
    let store = server.redis().await.unwrap();
    // Where doubles end, it says so.
    for now in [i64::MIN, -1 << 53, 1 << 53, i64::MAX] {
        assert!(matches!(store.forget(now).await, Err(StoreError::NotAsked(_))), "{now}");
    }
    forgets_in_time(store).await;
}

fn is_refused<T: std::fmt::Debug>(connected: Result<T, StoreError>, why: &str) {
    let error = connected.unwrap_err();
    assert!(matches!(error, StoreError::NotAsked(_)) && error.to_string().contains(why), "{error}");
}

/// A killed process loses nothing that the system has: only a power cut shows what these settings lose. So they are asked for.
#[tokio::test(flavor = "multi_thread")]
async fn servers_that_may_lose_what_they_answered_are_refused() {
    let with = |changed: &[&'static str]| -> Vec<&'static str> { [DURABLE_REDIS, changed].concat() };
    for (settings, why) in [
        (with(&["--appendonly", "no"]), "appendonly is no, not yes"),
        (with(&["--appendfsync", "everysec"]), "appendfsync is everysec, not always"),
        (with(&["--no-appendfsync-on-rewrite", "yes"]), "no-appendfsync-on-rewrite is yes, not no"),
        (with(&["--maxmemory-policy", "allkeys-lru"]), "maxmemory-policy is allkeys-lru, not noeviction"),
        (with(&["--rename-command", "CONFIG", "HIDDEN"]), "CONFIG"),
    ] {
        is_refused(Server::start_with(Kind::Redis, &settings).redis().await, why);
    }
    for (settings, why) in [
        (["fsync=off", "synchronous_commit=on"], "fsync is off"),
        (["fsync=on", "synchronous_commit=off"], "synchronous_commit is off"),
    ] {
        is_refused(Server::start_with(Kind::Postgres, &settings).postgres().await, why);
    }
    let error = parley_grants_ledgers::Postgres::connect("postgres://me:secret@[").await.unwrap_err();
    assert!(!error.to_string().contains("secret"), "{error}");
    let error = parley_grants_ledgers::Redis::connect("redis://me:secret@[").await.unwrap_err();
    assert!(!error.to_string().contains("secret"), "{error}");
}

/// A connection is made with the settings that it needs, whatever the server's own are.
#[tokio::test(flavor = "multi_thread")]
async fn a_strict_server_changes_no_answer() {
    let server = Server::start_with(Kind::Postgres, &["default_transaction_isolation=serializable"]);
    let store = server.postgres().await.unwrap();
    crate::clients::many_at_once(store.clone(), "serializable by default").await;
    // Nobody is turned away because of others.
    crate::clients::stays_within_caps("serializable by default, too", store, std::future::pending()).await;
}

/// Memory is full: nothing is counted in part, what is held can end, and that makes room.
#[tokio::test(flavor = "multi_thread")]
async fn a_full_redis_counts_nothing_in_part() {
    let server = Server::start(Kind::Redis);
    let (store, chains) = (server.redis().await.unwrap(), Chains::new("full", 1));
    let holder = &chains.holders[2];
    let (_, held) = chains.commit(&store, holder, "held", 10).await.unwrap().unwrap();
    let client = redis::Client::open(server.url()).unwrap();
    let mut connection = client.get_multiplexed_async_connection().await.unwrap();
    let set = async |connection: &mut redis::aio::MultiplexedConnection, bytes: &str| {
        let mut set = redis::cmd("CONFIG");
        set.arg("SET").arg("maxmemory").arg(bytes).query_async::<()>(connection).await.unwrap();
    };
    set(&mut connection, "1").await;
    let error = chains.commit(&store, holder, "more", 10).await.map(|_| ()).unwrap_err();
    assert!(matches!(&error, StoreError::Failed(why) if why.contains("OOM")), "{error}");
    let claimed = store.claim(&Claim::for_commit("more", NOW + 600), NOW).await;
    assert!(matches!(claimed, Err(StoreError::Failed(_))), "{claimed:?}");
    for block in chains.caps.keys() {
        let total = store.total(block).await.unwrap();
        assert!(total == 10 || total == 0, "{total}");
    }
    assert_eq!(store.close(held.id(), Close::Release).await, Ok(Closed::Done));
    set(&mut connection, "0").await;
    for block in chains.caps.keys() {
        assert_eq!(store.total(block).await, Ok(0));
    }
    let _ = chains.commit(&store, holder, "more", 10).await.unwrap().unwrap();
}

/// Services that start at once on an empty server: all of them find the one schema.
#[tokio::test(flavor = "multi_thread")]
async fn a_schema_is_created_once() {
    let server = Server::start(Kind::Postgres);
    let url = server.url();
    let tasks: Vec<_> = (0..12)
        .map(|_| {
            let url = url.clone();
            tokio::spawn(async move { parley_grants_ledgers::Postgres::connect(&url).await.map(|_| ()) })
        })
        .collect();
    for task in tasks {
        assert_eq!(task.await.unwrap(), Ok(()));
    }
    let (client, connection) = tokio_postgres::connect(&url, tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    client.batch_execute("update parley_schema set version = 2").await.unwrap();
    let error = server.postgres().await.map(|_| ()).unwrap_err();
    assert!(error.to_string().contains("the schema has version 2, not 1"), "{error}");
}
