//! What a reservation and its settling take, as a multiple of one bare counter's change by the same client in the same run.
//!
//! `cargo run --release --example ratios`

#[expect(dead_code, reason = "the tests need more of it")]
#[path = "../tests/stores/servers.rs"]
mod servers;

use deadpool_postgres::{Manager, Pool};
use parley_grants::{BlockId, Close, Demand, ReservationId, Reserve, SpendLine};
use parley_grants_ledgers::{Bounds, Postgres, Redis, Store};
use servers::{Kind, Server};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio_postgres::NoTls;

/// The two are measured in turns, as a disk is not as fast now as it was a moment ago.
const TURNS: u64 = 12;
const TURN: Duration = Duration::from_millis(500);
const CONNECTIONS: usize = 16;

/// How often it was done in all turns, and how long each took.
#[derive(Default)]
struct Measured {
    seconds: f64,
    times: Vec<f64>,
}

impl Measured {
    /// `clients` do it again and again, each with its own number.
    async fn turn<F: Future<Output = ()> + Send>(
        &mut self,
        clients: u64,
        what: impl Fn(u64, u64) -> F + Clone + Send + Sync + 'static,
    ) {
        let started = Instant::now();
        let tasks: Vec<_> = (0..clients)
            .map(|client| {
                let what = what.clone();
                tokio::spawn(async move {
                    let mut times = Vec::new();
                    while started.elapsed() < TURN {
                        let began = Instant::now();
                        what(client, times.len() as u64).await;
                        times.push(began.elapsed().as_secs_f64());
                    }
                    times
                })
            })
            .collect();
        for task in tasks {
            self.times.extend(task.await.unwrap());
        }
        self.seconds += started.elapsed().as_secs_f64();
    }

    /// How many a second, the median and the 99th percentile.
    fn numbers(mut self) -> [f64; 3] {
        self.times.sort_by(f64::total_cmp);
        let count = self.times.len();
        [count as f64 / self.seconds, self.times[count / 2], self.times[count * 99 / 100]]
    }
}

async fn reserve_and_settle(store: &impl Store, run: u64, client: u64, grant: u64, number: u64) {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&run.to_be_bytes());
    bytes[8..16].copy_from_slice(&grant.to_be_bytes());
    let block = BlockId::from_bytes(bytes);
    bytes[16..24].copy_from_slice(&client.to_be_bytes());
    bytes[24..].copy_from_slice(&number.to_be_bytes());
    let id = ReservationId::from_bytes(bytes);
    let lines = [SpendLine { block, max: u64::MAX, forget_after: None }];
    let demand = Demand { id, proposal: "hash", grant: block, amount: 1, now: 0, lines: &lines };
    assert_eq!(store.reserve(&demand).await, Ok(Reserve::Reserved));
    let _ = store.close(&id, Close::Settle).await.unwrap();
}

/// The bare change of a counter by its number, and the store: with one counter or grant for all clients, and one for each.
async fn compare<S: Store, F: Future<Output = ()> + Send>(
    name: &str,
    bare: impl Fn(u64) -> F + Clone + Send + Sync + 'static,
    store: S,
) {
    let store = Arc::new(store);
    let mut run = 0;
    for (clients, is_shared) in [(1, true), (64, true), (64, false)] {
        let number = move |client| if is_shared { 0 } else { client };
        let (mut counted, mut reserved) = (Measured::default(), Measured::default());
        for _ in 0..TURNS {
            run += 1;
            let counter = bare.clone();
            counted.turn(clients, move |client, _| counter(number(client))).await;
            let store = Arc::clone(&store);
            let reserve = move |client, count| {
                let store = Arc::clone(&store);
                async move { reserve_and_settle(&*store, run, client, number(client), count).await }
            };
            reserved.turn(clients, reserve).await;
        }
        let (counted, reserved) = (counted.numbers(), reserved.numbers());
        let [throughput, median, p99] = [0, 1, 2].map(|index| reserved[index] / counted[index]);
        let grants = if is_shared { "one" } else { "one each" };
        println!("| {name} | {clients} | {grants} | {throughput:.2} | {median:.1} | {p99:.1} |");
    }
}

#[tokio::main]
async fn main() {
    println!("| store | clients | grants | throughput | median | p99 |\n|---|---|---|---|---|---|");
    let limit = Duration::from_secs(5);
    let server = Server::start(Kind::Postgres);
    let manager = Manager::new(server.url().parse().unwrap(), NoTls);
    let pool = Pool::builder(manager).max_size(CONNECTIONS).build().unwrap();
    let rows = "create table bare (id bigint primary key, n bigint); insert into bare select generate_series(0, 63), 0";
    pool.get().await.unwrap().batch_execute(rows).await.unwrap();
    let bare = move |number: u64| {
        let pool = pool.clone();
        async move {
            let client = pool.get().await.unwrap();
            let statement = client.prepare_cached("update bare set n = n + 1 where id = $1").await.unwrap();
            client.execute(&statement, &[&number.cast_signed()]).await.unwrap();
        }
    };
    let store = Postgres::connect_with(&server.url(), CONNECTIONS, limit, Bounds::default()).await.unwrap();
    compare("PostgreSQL, `UPDATE`", bare, store).await;
    drop(server);

    let server = Server::start(Kind::Redis);
    let client = redis::Client::open(server.url()).unwrap();
    let connection = client.get_multiplexed_async_connection().await.unwrap();
    let bare = move |number: u64| {
        let mut connection = connection.clone();
        async move {
            let mut count = redis::cmd("INCRBY");
            count.arg(number).arg(1).query_async::<()>(&mut connection).await.unwrap();
        }
    };
    let store = Redis::connect(&server.url()).await.unwrap();
    compare("Redis, `INCRBY`", bare, store).await;
}
