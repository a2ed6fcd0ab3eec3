//! A lost question and a lost answer, asked again under the same name: counted once.

use crate::servers::{Kind, Server};
use crate::story::{Chains, NOW};
use parley_grants::{Claim, Claimed, Close, Closed, End, Ticket};
use parley_grants_ledgers::{Postgres, Redis, Store, StoreError};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Loses {
    Question,
    Answer,
}

/// What is lost next, after how many of its kind that are not; and how many were lost.
#[derive(Default)]
struct Plan {
    next: Option<(Loses, u32)>,
    lost: u32,
    /// Connections over which something comes now are dead, and stay open.
    swallows: bool,
}

impl Plan {
    fn is_lost(&mut self, what: Loses) -> bool {
        match self.next {
            Some((next, 0)) if next == what => {
                (self.next, self.lost) = (None, self.lost + 1);
                true
            }
            Some((next, after)) if next == what => {
                self.next = Some((next, after - 1));
                false
            }
            _ => false,
        }
    }
}

/// Forwards to a server, but for what it is told to lose; then it closes that connection.
struct Proxy {
    port: u16,
    plan: Arc<Mutex<Plan>>,
}

impl Proxy {
    async fn before(server: &Server) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (port, to) = (listener.local_addr().unwrap().port(), server.port());
        let plan = Arc::new(Mutex::new(Plan::default()));
        let proxy = Self { port, plan: Arc::clone(&plan) };
        tokio::spawn(async move {
            while let Ok((mut client, _)) = listener.accept().await {
                let plan = Arc::clone(&plan);
                tokio::spawn(async move {
                    let mut server = TcpStream::connect(("127.0.0.1", to)).await.unwrap();
                    let (mut question, mut answer) = ([0; 65_536], [0; 65_536]);
                    loop {
                        let (forwards, what, bytes) = tokio::select! {
                            count = client.read(&mut question) => (true, Loses::Question, count),
                            count = server.read(&mut answer) => (false, Loses::Answer, count),
                        };
                        let Ok(count @ 1..) = bytes else { return };
                        if plan.lock().unwrap().swallows {
                            return std::future::pending().await;
                        }
                        if plan.lock().unwrap().is_lost(what) {
                            return;
                        }
                        let sent = if forwards {
                            server.write_all(&question[..count]).await
                        } else {
                            client.write_all(&answer[..count]).await
                        };
                        if sent.is_err() {
                            return;
                        }
                    }
                });
            }
        });
        proxy
    }

    fn lose(&self, what: Loses, after: u32) {
        self.plan.lock().unwrap().next = Some((what, after));
    }
}

fn is_unknown<T: std::fmt::Debug>(answer: Result<T, StoreError>) {
    assert!(matches!(answer, Err(StoreError::Unknown(_))), "{answer:?}");
}

fn ticket_of(said: Claimed) -> Ticket {
    let Claimed::First(ticket) = said else { panic!("not first: {said:?}") };
    ticket
}

/// `direct` looks at what happened, past the proxy.
async fn counts_once(name: &str, store: impl Store, direct: impl Store, proxy: Proxy) {
    let chains = Chains::new(name, 1);
    // The first has two grants; what a lost answer was about, the retry must find under the same one.
    let (a, e) = (&chains.holders[0], &chains.holders[4]);
    let root = chains.roots[chains.roots.len() - 1];
    let mut calls = 0;
    // On a new connection PostgreSQL is told of each statement first, in a question of its own.
    let (_, ended) = chains.commit(&store, e, "ended", 1).await.unwrap().unwrap();
    assert_eq!(store.close(ended.id(), Close::Release).await, Ok(Closed::Done));
    let prepare = async || {
        let refusal = chains.commit(&store, e, "ended", 1).await.unwrap().unwrap_err();
        assert_eq!(refusal.answer().code(), "unavailable");
        assert_eq!(store.close(ended.id(), Close::Settle).await, Ok(Closed::NotHeld));
        let claim = Claim::for_commit("ended", NOW + 600);
        let _ = store.claim(&claim, NOW).await.unwrap();
        assert_eq!(store.end(&Ticket::from_parts(*claim.key(), 0), End::Finish).await, Ok(false));
    };

    for round in 0..20_u64 {
        for what in [Loses::Answer, Loses::Question] {
            let name = format!("{round} {what:?}");
            let happened = u64::from(what == Loses::Answer);
            // Reserve.
            let before = direct.total(&root).await.unwrap();
            prepare().await;
            proxy.lose(what, 0);
            is_unknown(chains.commit(&store, e, &name, 10).await.map(|_| ()));
            assert_eq!(direct.total(&root).await.unwrap(), before + 10 * happened);
            let (_, reservation) = chains.commit(&store, e, &name, 10).await.unwrap().unwrap();
            let (_, again) = chains.commit(&store, e, &name, 10).await.unwrap().unwrap();
            assert_eq!((direct.total(&root).await.unwrap(), &again), (before + 10, &reservation));
            // Close: the second time it has ended already, where the question was not lost.
            let how = if round % 2 == 0 { Close::Settle } else { Close::Release };
            prepare().await;
            proxy.lose(what, 0);
            is_unknown(store.close(reservation.id(), how).await);
            let closed = store.close(reservation.id(), how).await.unwrap();
            assert_eq!(closed, if happened == 1 { Closed::NotHeld } else { Closed::Done });
            let other = if how == Close::Settle { Close::Release } else { Close::Settle };
            assert_eq!(store.close(reservation.id(), other).await, Ok(Closed::NotHeld), "it ended twice");
            let kept = if how == Close::Settle { 10 } else { 0 };
            assert_eq!(direct.total(&root).await.unwrap(), before + kept);
            let late = chains.commit(&store, e, &name, 10).await.unwrap().unwrap_err();
            assert_eq!(late.answer().code(), "unavailable", "a late retry");
            assert_eq!(direct.total(&root).await.unwrap(), before + kept);
            // Claim: nobody has the ticket of a lost answer.
            let claim = Claim::for_commit(&name, NOW + 600);
            prepare().await;
            proxy.lose(what, 0);
            is_unknown(store.claim(&claim, NOW).await);
            let said = store.claim(&claim, NOW).await.unwrap();
            if happened == 1 {
                assert_eq!(said, Claimed::InProgress);
            } else {
                let ticket = ticket_of(said);
                prepare().await;
                proxy.lose(what, 0);
                is_unknown(store.end(&ticket, End::Finish).await);
                assert_eq!(store.end(&ticket, End::Finish).await, Ok(true));
                assert_eq!(store.end(&ticket, End::Finish).await, Ok(false));
                prepare().await;
                proxy.lose(Loses::Answer, 0);
                is_unknown(store.end(&ticket, End::Abandon).await);
                assert_eq!(store.claim(&claim, NOW).await, Ok(Claimed::Done));
                calls += 2;
            }
            calls += 3;
        }
    }

    // The first grant has no room left, the second counts, and that answer is lost: not a cent is counted elsewhere.
    let used = chains.commit(&store, a, "all", 20_000).await.unwrap().unwrap().1;
    assert_eq!(store.close(used.id(), Close::Settle).await, Ok(Closed::Done));
    let second = chains.roots[1];
    for round in 0..20 {
        let (name, before) = (format!("second {round}"), direct.total(&second).await.unwrap());
        prepare().await;
        proxy.lose(Loses::Answer, 1);
        is_unknown(chains.commit(&store, a, &name, 100).await.map(|_| ()));
        assert_eq!(direct.total(&second).await.unwrap(), before + 100);
        let (allowed, _) = chains.commit(&store, a, &name, 100).await.unwrap().unwrap();
        assert_eq!(allowed.grant_index(), Some(1));
        assert_eq!(direct.total(&second).await.unwrap(), before + 100);
        calls += 1;
    }
    let lost = proxy.plan.lock().unwrap().lost;
    println!("{name}: {lost} questions and answers lost, asked again, counted once");
    assert_eq!(lost, calls);
}

#[tokio::test(flavor = "multi_thread")]
async fn postgres_counts_once() {
    let server = Server::start(Kind::Postgres);
    let proxy = Proxy::before(&server).await;
    let limit = Duration::from_secs(5);
    // One connection, on which the statements are prepared.
    let url = server.url_by(proxy.port);
    let store = Postgres::connect_with(&url, 1, limit, Default::default()).await.unwrap();
    counts_once("postgres", store, server.postgres().await.unwrap(), proxy).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn redis_counts_once() {
    let server = Server::start(Kind::Redis);
    let proxy = Proxy::before(&server).await;
    let store = Redis::connect(&server.url_by(proxy.port)).await.unwrap();
    counts_once("redis", store, server.redis().await.unwrap(), proxy).await;
}

/// Who gives up sooner than the store leaves it no dead connection.
#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_is_dropped_leaves_no_dead_connection() {
    async fn is_replaced(store: impl Store, proxy: Proxy) {
        let block = parley_grants::BlockId::from_bytes([1; 32]);
        assert_eq!(store.total(&block).await, Ok(0));
        for _ in 0..3 {
            proxy.plan.lock().unwrap().swallows = true;
            let soon = tokio::time::timeout(Duration::from_millis(200), store.total(&block)).await;
            assert!(soon.is_err(), "{soon:?}");
            proxy.plan.lock().unwrap().swallows = false;
            assert_eq!(store.total(&block).await, Ok(0));
        }
    }
    let limit = Duration::from_secs(5);
    let server = Server::start(Kind::Postgres);
    let proxy = Proxy::before(&server).await;
    let url = server.url_by(proxy.port);
    is_replaced(Postgres::connect_with(&url, 1, limit, Default::default()).await.unwrap(), proxy).await;
    let server = Server::start(Kind::Redis);
    let proxy = Proxy::before(&server).await;
    let url = server.url_by(proxy.port);
    is_replaced(Redis::connect_with(&url, limit, Default::default()).await.unwrap(), proxy).await;
}

/// A server that does not answer costs a caller no more than the limit, and the next call is as good as new.
#[tokio::test(flavor = "multi_thread")]
async fn every_call_has_a_time_limit() {
    let limit = Duration::from_millis(300);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let started = std::time::Instant::now();
    let url = format!("postgres://postgres@127.0.0.1:{port}/postgres");
    let error = Postgres::connect_with(&url, 1, limit, Default::default()).await.unwrap_err();
    assert!(matches!(error, StoreError::NotAsked(_)), "{error}");
    let error = Redis::connect_with(&format!("redis://127.0.0.1:{port}/"), limit, Default::default())
        .await
        .unwrap_err();
    assert!(matches!(error, StoreError::NotAsked(_)), "{error}");
    assert!(started.elapsed() < 4 * limit, "{:?}", started.elapsed());

    let server = Server::start(Kind::Postgres);
    is_limited(Postgres::connect_with(&server.url(), 1, limit, Default::default()).await.unwrap(), &server)
        .await;
    let server = Server::start(Kind::Redis);
    is_limited(Redis::connect_with(&server.url(), limit, Default::default()).await.unwrap(), &server).await;
}

async fn is_limited(store: impl Store, server: &Server) {
    let store = Arc::new(store);
    let chains = Chains::new("limit", 1);
    let _ = chains.commit(&*store, &chains.holders[4], "seven", 7).await.unwrap().unwrap();
    for _ in 0..2 {
        assert_eq!(store.total(&chains.roots[2]).await, Ok(7));
        server.signal("-STOP");
        let started = std::time::Instant::now();
        is_unknown(store.total(&chains.roots[2]).await);
        // However many wait for a connection.
        let waiting: Vec<_> = (0..20)
            .map(|_| {
                let (store, root) = (Arc::clone(&store), chains.roots[2]);
                tokio::spawn(async move { store.total(&root).await })
            })
            .collect();
        for call in waiting {
            assert!(call.await.unwrap().is_err());
        }
        assert!(started.elapsed() < Duration::from_secs(1), "{:?}", started.elapsed());
        server.signal("-CONT");
    }
}
