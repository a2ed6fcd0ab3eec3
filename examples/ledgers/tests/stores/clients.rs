//! 64 clients at once over chains that share blocks; and the server killed in the middle of it.

use crate::servers::{Kind, Server};
use crate::story::{Chains, Tally, Until, check_exact, check_full, fill, traffic, watch};
use parley_grants_ledgers::{Memory, Postgres, Redis, Store};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

const CLIENTS: u64 = 64;

fn flag() -> &'static AtomicBool {
    Box::leak(Box::default())
}

/// Clients run into the caps from all sides; then the last cent is spent.
pub async fn stays_within_caps<S: Store>(
    name: &str,
    store: S,
    housekeeping: impl Future<Output = ()> + Send + 'static,
) {
    let (store, chains, is_over) = (Arc::new(store), Arc::new(Chains::new(name, 1)), flag());
    let reader = tokio::spawn(watch(Arc::clone(&store), Arc::clone(&chains), is_over));
    let housekeeping = tokio::spawn(housekeeping);
    let mut told = traffic(&store, &chains, name, CLIENTS, Until::Attempts(40)).await;
    fill(&*store, &chains, &format!("{name}, the rest"), &mut told).await;
    is_over.store(true, Ordering::Relaxed);
    let reads = reader.await.unwrap();
    assert!(!housekeeping.is_finished(), "housekeeping failed");
    housekeeping.abort();
    let exact = check_full(&*store, &chains, &told).await;
    print(&format!("{name}, {CLIENTS} clients, {reads} reads within the caps"), &told, &exact);
    assert!(told.exceeded > 500 && told.released > 100 && reads > 20, "the caps were not met");
    assert_eq!(told.retried, 0);
}

fn print(what: &str, told: &Tally, exact: &str) {
    let Tally { reserved, exceeded, retried, unknown, released, .. } = told;
    println!(
        "{what}: {reserved} reserved ({released} of them released), {exceeded} exceeded, {retried} retried ({unknown} of them unknown); {exact}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn memory_stays_within_caps() {
    stays_within_caps("memory", Memory::default(), std::future::pending()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn postgres_stays_within_caps() {
    let server = Server::start(Kind::Postgres);
    let keeper = server.postgres().await.unwrap();
    let housekeeping = async move {
        loop {
            keeper.forget(crate::story::NOW).await.unwrap();
        }
    };
    stays_within_caps("postgres", server.postgres().await.unwrap(), housekeeping).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn redis_stays_within_caps() {
    let server = Server::start(Kind::Redis);
    let keeper = server.redis().await.unwrap();
    let housekeeping = async move {
        loop {
            keeper.forget(crate::story::NOW).await.unwrap();
        }
    };
    stays_within_caps("redis", server.redis().await.unwrap(), housekeeping).await;
}

/// The same names from several clients at once, under grants that share a block and that do not: each is counted once.
pub async fn many_at_once<S: Store>(store: S, name: &str) {
    let (store, chains) = (Arc::new(store), Arc::new(Chains::new(name, 1)));
    let mut by_one_name = [0; 3];
    for round in 0..40 {
        let mut askers = [1, 2, 4, 2, 4, 1];
        askers.rotate_left(round % 6);
        let tasks: Vec<_> = askers
            .map(|holder| {
                let (store, chains, name) =
                    (Arc::clone(&store), Arc::clone(&chains), format!("{name} {round}"));
                tokio::spawn(async move {
                    let decided = chains.commit(&*store, &chains.holders[holder], &name, 10).await.unwrap();
                    decided.map(|_| holder).map_err(|refusal| refusal.answer().code())
                })
            })
            .into_iter()
            .collect();
        let mut winners = Vec::new();
        for task in tasks {
            match task.await.unwrap() {
                Ok(holder) => winners.push(holder),
                Err(code) => assert_eq!(code, "unavailable"),
            }
        }
        // Both who asked for just this demand, and nobody else.
        assert!(winners.len() == 2 && winners[0] == winners[1], "{winners:?}");
        by_one_name[[1, 2, 4].iter().position(|holder| *holder == winners[0]).unwrap()] += 10;
    }
    let [b, c, e] = by_one_name;
    assert_eq!(store.total(&chains.roots[0]).await, Ok(b + c));
    assert_eq!(store.total(&chains.roots[2]).await, Ok(e));
    println!("{name}: one name, six askers, 40 times: counted once each ({b}, {c}, {e})");
}

#[tokio::test(flavor = "multi_thread")]
async fn postgres_counts_a_name_once() {
    let server = Server::start(Kind::Postgres);
    many_at_once(server.postgres().await.unwrap(), "postgres").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn redis_counts_a_name_once() {
    let server = Server::start(Kind::Redis);
    many_at_once(server.redis().await.unwrap(), "redis").await;
}

/// Clients go on while the server is killed and started again, and ask again under the same ids.
async fn loses_nothing<S: Store>(name: &str, store: S, server: &mut Server, scale: u64) {
    const KILLS: u32 = 5;
    let (store, chains) = (Arc::new(store), Arc::new(Chains::new(name, scale)));
    let (is_stopped, is_over) = (flag(), flag());
    let reader = tokio::spawn(watch(Arc::clone(&store), Arc::clone(&chains), is_over));
    let clients = {
        let (store, chains, name) = (Arc::clone(&store), Arc::clone(&chains), name.to_owned());
        tokio::spawn(
            async move { traffic(&store, &chains, &name, CLIENTS, Until::Stopped(is_stopped)).await },
        )
    };
    for _ in 0..KILLS {
        tokio::time::sleep(Duration::from_millis(400)).await;
        server.kill();
        server.up();
    }
    tokio::time::sleep(Duration::from_millis(400)).await;
    is_stopped.store(true, Ordering::Relaxed);
    let mut told = clients.await.unwrap();
    let before = told.reserved;
    let exact = check_exact(&*store, &chains, &told).await;
    print(&format!("{name}, {KILLS} kills"), &told, &exact);
    fill(&*store, &chains, &format!("{name}, the rest"), &mut told).await;
    is_over.store(true, Ordering::Relaxed);
    let reads = reader.await.unwrap();
    let exact = check_full(&*store, &chains, &told).await;
    print(&format!("{name}, {KILLS} kills, and the rest; {reads} reads within the caps"), &told, &exact);
    assert!(before > 200 && told.unknown > 0, "nothing was under way when the server was killed");
}

#[tokio::test(flavor = "multi_thread")]
async fn postgres_loses_nothing_when_killed() {
    let mut server = Server::start(Kind::Postgres);
    let store: Postgres = server.postgres().await.unwrap();
    loses_nothing("postgres", store, &mut server, 1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn redis_loses_nothing_when_killed() {
    let mut server = Server::start(Kind::Redis);
    let store: Redis = server.redis().await.unwrap();
    loses_nothing("redis", store, &mut server, 5).await;
}
