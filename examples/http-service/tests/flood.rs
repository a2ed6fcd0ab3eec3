//! A running server under what strangers send: too much, too slowly, cut off, or nothing that it knows.

mod common;

use common::agent::last;
use common::http::{answer, connect, get, head, post, raw};
use common::{Server, app, serve_router};
use parley_grants::{BlockId, Claim, Claimed, Close, Closed, Demand, End, ReservationId, Reserve, Ticket};
use parley_grants_http::app::{Limits, Options};
use parley_grants_http::records::{self, Done, Kind, Life, Records};
use parley_grants_http::routes;
use parley_grants_ledgers::{self as ledger, Store, StoreError};
use serde_json::{Value, json};
use std::io::{Read as _, Write as _};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

const HELLO: &str = r#"{"parley":1,"id":"f-1","verb":"HELLO"}"#;

fn serves(server: &Server) {
    let answer = post(&server.address, "/hello", HELLO);
    assert_eq!(answer.status, 200, "{answer:?}");
}

/// Waits until so many bodies are read.
fn reading(server: &Server, count: usize) {
    let line = format!("parley_in_flight{{stage=\"reading\"}} {count}\n");
    let start = Instant::now();
    while !get(&server.address, "/metrics").body.contains(&line) {
        assert!(start.elapsed() < Duration::from_secs(5), "not {count} bodies");
    }
}

fn error(code: &str) -> Value {
    json!({"parley": 1, "re": null, "kind": "error", "error": code})
}

#[test]
fn what_is_too_large_is_refused_before_it_is_read() {
    let server = Server::start(&[]);
    let limit = 1 << 20;
    // By its length, without a byte of it.
    let mut stream = connect(&server.address);
    stream.write_all(head("/hello", limit + 1).as_bytes()).expect("sent");
    let start = Instant::now();
    let declared = answer(&mut stream);
    assert_eq!((declared.status, last(&declared)), (413, error("too_large")));
    assert!(start.elapsed() < Duration::from_secs(5));
    // In chunks, that say no length, and never end.
    let mut stream = connect(&server.address);
    stream
        .write_all(b"POST /hello HTTP/1.1\r\nhost: shop\r\ntransfer-encoding: chunked\r\n\r\n")
        .expect("sent");
    let chunk = format!("10000\r\n{}\r\n", " ".repeat(0x1_0000));
    let mut sent = 0;
    while sent < 1024 && stream.write_all(chunk.as_bytes()).is_ok() {
        sent += 1;
    }
    let mut text = [0; 12];
    if stream.read_exact(&mut text).is_ok() {
        assert_eq!(&text, b"HTTP/1.1 413");
    }
    assert!(sent < 1024, "all {sent} chunks of 64 KiB were taken");
    // One byte less than too much is a frame like any other.
    let padded = format!("{HELLO}{}", " ".repeat(limit - HELLO.len()));
    assert_eq!(post(&server.address, "/hello", &padded).status, 200);
    assert_eq!(post(&server.address, "/hello", &format!("{padded} ")).status, 413);
    serves(&server);
    let memory = std::fs::read_to_string(format!("/proc/{}/status", server.child.id())).expect("its memory");
    let peak = memory.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
    let peak: u64 = peak.trim().trim_end_matches(" kB").parse().expect("a number");
    println!("peak memory {peak} kB");
    assert!(peak < 100_000, "{peak} kB");
}

#[test]
fn slow_bodies_time_out_and_take_nobodys_place() {
    let server = Server::start(&["--body-seconds", "2", "--working", "2", "--reading", "40"]);
    let slow: Vec<_> = (0..30)
        .map(|_| {
            let mut stream = connect(&server.address);
            stream.write_all(head("/hello", HELLO.len()).as_bytes()).expect("sent");
            stream
        })
        .collect();
    // A byte now and then does not keep a body alive.
    let trickles = thread::spawn({
        let mut stream = slow[0].try_clone().expect("the same");
        move || {
            for byte in HELLO.bytes() {
                if stream.write_all(&[byte]).is_err() {
                    break;
                }
                thread::sleep(Duration::from_millis(300));
            }
        }
    });
    reading(&server, 30);
    let start = Instant::now();
    (0..20).for_each(|_| serves(&server));
    println!("20 requests beside 30 slow bodies in {:?}", start.elapsed());
    for mut stream in slow {
        let slow = answer(&mut stream);
        assert_eq!((slow.status, last(&slow)), (408, error("timeout")));
    }
    assert!(start.elapsed() < Duration::from_secs(10));
    trickles.join().expect("a thread");
    serves(&server);
}

#[test]
fn beyond_the_bound_of_bodies_it_is_unavailable_and_it_recovers() {
    let server = Server::start(&["--body-seconds", "2", "--reading", "3"]);
    let slow: Vec<_> = (0..3)
        .map(|_| {
            let mut stream = connect(&server.address);
            stream.write_all(head("/hello", HELLO.len()).as_bytes()).expect("sent");
            stream
        })
        .collect();
    reading(&server, 3);
    let refused = post(&server.address, "/hello", HELLO);
    assert_eq!((refused.status, last(&refused)), (503, error("unavailable")));
    for mut stream in slow {
        assert_eq!(answer(&mut stream).status, 408);
    }
    serves(&server);
    reading(&server, 0);
}

#[test]
fn slow_heads_and_idle_connections_are_closed() {
    let server = Server::start(&["--head-seconds", "1", "--connections", "20"]);
    let mut idle: Vec<_> = (0..20).map(|_| connect(&server.address)).collect();
    for (index, stream) in idle.iter_mut().enumerate().filter(|(index, _)| index % 2 == 0) {
        stream.write_all(format!("POST /hello HTTP/1.1\r\nx-{index}: ").as_bytes()).expect("sent");
    }
    // Every place is taken, and one is free again once the heads have timed out.
    let start = Instant::now();
    serves(&server);
    assert!(
        (Duration::from_millis(200)..Duration::from_secs(8)).contains(&start.elapsed()),
        "{:?}",
        start.elapsed()
    );
    for mut stream in idle {
        let mut rest = Vec::new();
        stream.read_to_end(&mut rest).expect("closed by the server");
    }
    // A connection that is kept, and idle after its first request.
    let mut kept = connect(&server.address);
    kept.write_all(
        format!("POST /hello HTTP/1.1\r\nhost: shop\r\ncontent-length: {}\r\n\r\n{HELLO}", HELLO.len())
            .as_bytes(),
    )
    .expect("sent");
    let mut text = Vec::new();
    kept.read_to_end(&mut text).expect("closed by the server");
    assert!(text.starts_with(b"HTTP/1.1 200"));
}

#[test]
fn who_never_reads_an_answer_loses_its_place() {
    let flags = ["--connection-seconds", "1", "--head-seconds", "1", "--connections", "3"];
    let server = Server::start(&flags);
    let one = format!("POST /hello HTTP/1.1\r\nhost: shop\r\ncontent-length: {}\r\n\r\n{HELLO}", HELLO.len());
    let deaf: Vec<_> = (0..3)
        .map(|_| {
            let mut stream = connect(&server.address);
            stream.set_write_timeout(Some(Duration::from_millis(200))).expect("a time limit");
            // Until the answers fill every buffer on the way, and requests are no longer taken.
            let (mut sent, requests) = (0, one.repeat(1_000));
            while stream.write_all(requests.as_bytes()).is_ok() {
                sent += 1;
                assert!(sent < 10_000);
            }
            stream
        })
        .collect();
    let start = Instant::now();
    serves(&server);
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
    drop(deaf);
}

#[test]
fn what_is_cut_off_or_no_http_leaves_it_serving() {
    let server = Server::start(&["--body-seconds", "1"]);
    let whole = format!("{}{HELLO}", head("/hello", HELLO.len()));
    for length in 0..whole.len() {
        let mut stream = connect(&server.address);
        stream.write_all(&whole.as_bytes()[..length]).expect("sent");
    }
    let garbage: [&[u8]; 9] = [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET\r\n\r\n",
        b"POST /hello HTTP/1.1\r\ncontent-length: -1\r\n\r\n",
        b"POST /hello HTTP/1.1\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nhello!",
        b"POST /hello HTTP/1.1\r\ncontent-length: 99999999999999999999999\r\n\r\n",
        b"POST /hello HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
        b"POST /hello HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\nffffffffffffffff\r\n",
        &[0xff; 200_000],
    ];
    for request in garbage {
        let answer = raw(&server.address, request);
        assert!([0, 400, 408, 413, 431, 505].contains(&answer.status), "{answer:?}");
    }
    let broken = [&HELLO.as_bytes()[..20], b"\xff\xfe", b"\0"];
    for body in broken {
        let answer = raw(&server.address, &[head("/hello", body.len()).as_bytes(), body].concat());
        assert_eq!((answer.status, last(&answer)), (400, error("malformed")));
    }
    serves(&server);
    println!("{} cut off requests", whole.len());
}

/// Stores that answer after a while, and count what was begun.
struct Slow<S>(S, AtomicU64);

const WHILE: Duration = Duration::from_secs(1);

impl<S: Store> Store for Slow<S> {
    async fn reserve(&self, demand: &Demand<'_>) -> Result<Reserve, StoreError> {
        self.0.reserve(demand).await
    }
    async fn close(&self, id: &ReservationId, how: Close) -> Result<Closed, StoreError> {
        self.0.close(id, how).await
    }
    async fn total(&self, block: &BlockId) -> Result<u64, StoreError> {
        self.0.total(block).await
    }
    async fn claim(&self, claim: &Claim, now: i64) -> Result<Claimed, StoreError> {
        self.0.claim(claim, now).await
    }
    async fn end(&self, ticket: &Ticket, how: End) -> Result<bool, StoreError> {
        self.0.end(ticket, how).await
    }
}

impl<S: Records> Records for Slow<S> {
    async fn get(&self, kind: Kind, key: &str) -> Result<Option<String>, StoreError> {
        self.0.get(kind, key).await
    }
    async fn put(&self, kind: Kind, key: &str, text: &str, life: Life) -> Done {
        tokio::time::sleep(WHILE).await;
        self.1.fetch_add(1, Ordering::SeqCst);
        self.0.put(kind, key, text, life).await
    }
    async fn swap(
        &self,
        kind: Kind,
        key: &str,
        from: Option<&str>,
        to: Option<&str>,
        life: Life,
    ) -> Result<bool, StoreError> {
        self.0.swap(kind, key, from, to, life).await
    }
    async fn open(&self) -> Result<Vec<(String, String)>, StoreError> {
        self.0.open().await
    }
    async fn list(&self, kind: Kind) -> Result<Vec<(String, String)>, StoreError> {
        self.0.list(kind).await
    }
    async fn forget(&self, now: i64) -> Done {
        self.0.forget(now).await
    }
}

#[test]
fn beyond_the_bound_of_work_it_is_unavailable_and_who_hangs_up_stops_nothing() {
    let limits = Limits { working: 4, ..Limits::default() };
    let stores = (
        Slow(ledger::Memory::default(), AtomicU64::new(0)),
        Slow(records::Memory::with_room(100), AtomicU64::new(0)),
    );
    let app = app(stores, Options { limits, ..Options::default() });
    let (_runtime, address) = serve_router(routes::router(app.clone()), Options::default());
    let ask = r#"{"parley":1,"id":"f-1","verb":"ASK"}"#;
    let statuses: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = (0..40).map(|_| scope.spawn(|| post(&address, "/menu/ask", ask))).collect();
        threads.into_iter().map(|thread| thread.join().expect("a thread")).collect()
    });
    let served = statuses.iter().filter(|answer| answer.status == 200).count();
    let refused: Vec<_> = statuses.iter().filter(|answer| answer.status != 200).collect();
    println!("{served} served and {} refused of 40 at once", refused.len());
    assert!(served >= 4 && refused.len() >= 20);
    for answer in refused {
        // Its id could be read, so it stands in the answer.
        let expected = json!({"parley": 1, "re": "f-1", "kind": "error", "error": "unavailable"});
        assert_eq!((answer.status, last(answer)), (503, expected));
    }
    // Four hang up as soon as they have sent: what they asked for is done all the same, and then their places are free.
    let before = app.records.1.load(Ordering::SeqCst);
    let aborted: Vec<_> = (0..4)
        .map(|_| {
            let mut stream = connect(&address);
            stream.write_all(format!("{}{ask}", head("/menu/ask", ask.len())).as_bytes()).expect("sent");
            stream
        })
        .collect();
    let start = Instant::now();
    while app.in_flight().1 < 4 {
        assert!(start.elapsed() < WHILE, "four are worked on");
    }
    drop(aborted);
    thread::sleep(WHILE / 4);
    assert_eq!(post(&address, "/menu/ask", ask).status, 503);
    thread::sleep(WHILE * 2);
    assert_eq!(app.records.1.load(Ordering::SeqCst), before + 4);
    assert_eq!(post(&address, "/menu/ask", ask).status, 200);
}
