//! The records, and what survives a process that is killed at any step of a COMMIT, on real servers.

mod common;
#[allow(dead_code, clippy::unwrap_used, reason = "the tests of the ledgers use all of it")]
#[path = "../../ledgers/tests/stores/servers.rs"]
mod servers;

use common::agent::{Agent, grant, hash, human, last, policy};
use common::http::{Response, connect, head};
use common::{Server, now};
use parley_grants::{BlockId, Caveat, Grant, Limits, Risk, Verb};
use parley_grants_http::records::{self, FOREVER, Kind, Life, Records};
use parley_grants_ledgers::{self as ledger, Store};
use serde_json::{Value, json};
use std::io::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

async fn records_are_kept(records: Arc<impl Records>, forgets_when_told: bool) {
    let life = Life { now: 1_790_000_000, until: FOREVER };
    let swap = async |key: &str, from: Option<&str>, to: Option<&str>| {
        records.swap(Kind::Order, key, from, to, life).await.expect("an answer")
    };
    let get = async |kind, key: &str| records.get(kind, key).await.expect("an answer");
    assert_eq!(get(Kind::Order, "a").await, None);
    assert!(!swap("a", Some("1"), Some("2")).await && !swap("a", Some("1"), None).await);
    assert!(swap("a", None, None).await);
    assert_eq!(get(Kind::Order, "a").await, None);
    assert!(swap("a", None, Some("1")).await);
    assert!(!swap("a", None, Some("2")).await && !swap("a", None, None).await);
    assert!(!swap("a", Some("2"), Some("3")).await && !swap("a", Some("2"), None).await);
    assert_eq!(get(Kind::Order, "a").await.as_deref(), Some("1"));
    assert!(swap("a", Some("1"), Some("2 \"\u{e9}\u{1f980}\u{1}")).await);
    assert_eq!(get(Kind::Order, "a").await.as_deref(), Some("2 \"\u{e9}\u{1f980}\u{1}"));
    // Kinds do not meet, and what is empty is there.
    assert_eq!(get(Kind::Offer, "a").await, None);
    assert!(swap("", None, Some("")).await && !swap("", None, Some("x")).await);
    assert!(swap("", Some(""), None).await && swap("", None, Some("x")).await);
    records.put(Kind::Offer, "a", "an offer", life).await.expect("room");
    records.put(Kind::Offer, "a", "another", life).await.expect("room");
    assert_eq!(get(Kind::Offer, "a").await.as_deref(), Some("another"));
    let mut orders = records.list(Kind::Order).await.expect("a list");
    orders.sort();
    let expected = [("".into(), "x".into()), ("a".to_owned(), "2 \"\u{e9}\u{1f980}\u{1}".to_owned())];
    assert_eq!(orders, expected);
    // What ends is kept for a day more; what does not, for ever.
    let mortal = Life { now: 1_790_000_000, until: 1_790_000_100 };
    records.put(Kind::Handle, "h", "text", mortal).await.expect("room");
    records.forget(1_790_000_100 + records::MARGIN - 1).await.expect("done");
    assert_eq!(get(Kind::Handle, "h").await.as_deref(), Some("text"));
    if forgets_when_told {
        records.forget(1_790_000_100 + records::MARGIN).await.expect("done");
        assert_eq!(get(Kind::Handle, "h").await, None);
    }
    records.forget(i64::MAX).await.expect("done");
    assert_eq!(get(Kind::Order, "a").await.as_deref(), Some("2 \"\u{e9}\u{1f980}\u{1}"));

    // Of many at once one is first, and of many steps from one place one is taken.
    for round in 0..10 {
        let key = format!("race {round}");
        for from in [None, Some("0")] {
            let tasks: Vec<_> = (0..16)
                .map(|number| {
                    let (records, key) = (records.clone(), key.clone());
                    tokio::spawn(async move {
                        let to = if from.is_none() { "0".into() } else { format!("to {number}") };
                        records.swap(Kind::Order, &key, from, Some(&to), life).await.expect("an answer")
                    })
                })
                .collect();
            let mut first = 0;
            for task in tasks {
                first += usize::from(task.await.expect("a task"));
            }
            assert_eq!(first, 1, "{key} from {from:?}");
        }
    }
    what_is_open_is_found(&*records).await;
    for number in 0..2_500 {
        records.put(Kind::Consent, &number.to_string(), "x", life).await.expect("room");
    }
    assert_eq!(records.list(Kind::Consent).await.expect("a list").len(), 2_500);
}

/// Each order while it is at a step, and none that is done or gone; also where there are more than one page of them.
async fn what_is_open_is_found(records: &impl Records) {
    let life = Life { now: 1_790_000_000, until: FOREVER };
    let order = |key: &str, state: &str| format!("{{\"attempt\":\"{key}\",\"state\":\"{state}\"}}");
    let open = async || -> Vec<String> {
        let orders = records.open().await.expect("a list");
        let mut keys: Vec<_> = orders.into_iter().filter(|(key, _)| key.starts_with("r-")).collect();
        keys.sort();
        keys.into_iter().map(|(key, text)| format!("{key} {text}")).collect()
    };
    let step = async |key: &str, from: Option<&str>, to: Option<&str>| {
        let (from, to) = (from.map(|state| order(key, state)), to.map(|state| order(key, state)));
        assert!(
            records.swap(Kind::Order, key, from.as_deref(), to.as_deref(), life).await.expect("an answer")
        );
    };
    assert!(open().await.is_empty());
    for (from, to) in [(None, "open"), (Some("open"), "executed"), (Some("executed"), "done")] {
        step("r-a", from, Some(to)).await;
        let expected = if to == "done" { vec![] } else { vec![format!("r-a {}", order("r-a", to))] };
        assert_eq!(open().await, expected);
    }
    for (from, to) in [(None, Some("open")), (Some("open"), Some("failed")), (Some("failed"), None)] {
        step("r-b", from, to).await;
        let expected: Vec<_> = to.iter().map(|to| format!("r-b {}", order("r-b", to))).collect();
        assert_eq!(open().await, expected);
    }
    // A step that is not taken changes nothing, and the text of an instance does not make an order done.
    step("r-c", None, Some("open")).await;
    let (wrong, done) = (order("r-c", "executed"), order("r-c", "done"));
    assert!(!records.swap(Kind::Order, "r-c", Some(&wrong), Some(&done), life).await.expect("an answer"));
    let named = json!({"instance": "\"state\":\"done\"", "state": "open"}).to_string();
    assert!(records.swap(Kind::Order, "r-d", None, Some(&named), life).await.expect("an answer"));
    assert_eq!(open().await, [format!("r-c {}", order("r-c", "open")), format!("r-d {named}")]);
    for number in 0..1_020 {
        step(&format!("r-{number}"), None, Some("open")).await;
        if number % 100 == 0 {
            step(&format!("r-{number}"), Some("open"), Some("done")).await;
        }
    }
    assert_eq!(open().await.len(), 1_011);
}

#[tokio::test(flavor = "multi_thread")]
async fn records_in_memory() {
    records_are_kept(Arc::new(records::Memory::with_room(10_000)), true).await;
    // Full is an error, and what has ended makes room.
    let small = records::Memory::with_room(1);
    let mortal = Life { now: 0, until: 100 };
    small.put(Kind::Offer, "a", "1", mortal).await.expect("room");
    small.put(Kind::Offer, "a", "2", mortal).await.expect("its own place");
    assert!(small.put(Kind::Offer, "b", "1", mortal).await.is_err());
    assert!(small.swap(Kind::Offer, "b", None, Some("1"), mortal).await.is_err());
    let later = Life { now: 100 + records::MARGIN, until: FOREVER };
    assert!(small.swap(Kind::Offer, "b", None, Some("1"), later).await.expect("room"));
    assert_eq!(small.get(Kind::Offer, "a").await.expect("an answer"), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn records_in_postgres_and_redis() {
    // Whatever isolation the server has by default.
    let settings = [servers::DURABLE_POSTGRES, &["default_transaction_isolation=serializable"]].concat();
    let server = servers::Server::start_with(servers::Kind::Postgres, &settings);
    let records = records::Postgres::connect(&server.url()).await.expect("a server");
    let records = Arc::new(records);
    records_are_kept(records.clone(), true).await;
    an_answered_error_keeps_the_connection(&records, &server.url()).await;
    let server = servers::Server::start(servers::Kind::Redis);
    let records = records::Redis::connect(&server.url()).await.expect("a server");
    // It forgets by itself, two days after the end.
    records_are_kept(Arc::new(records), false).await;
    let client = redis::Client::open(server.url()).expect("a URL");
    let mut connection = client.get_multiplexed_async_connection().await.expect("a server");
    let mut seconds = async |key: &str| -> i64 {
        redis::cmd("TTL")
            .arg(format!("parley-record:{key}"))
            .query_async(&mut connection)
            .await
            .expect("a number")
    };
    assert!((172_800..=172_900).contains(&seconds("handle:h").await));
    assert_eq!(seconds("order:a").await, -1);
}

/// Those who wait for a connection wait together, and not one after the other.
#[tokio::test(flavor = "multi_thread")]
async fn a_redis_that_hangs_holds_up_nobody_for_longer_than_the_limit() {
    let server = servers::Server::start(servers::Kind::Redis);
    let limit = Duration::from_millis(500);
    let records = Arc::new(records::Redis::connect_with(&server.url(), limit).await.expect("a server"));
    server.signal("-STOP");
    assert!(records.get(Kind::Order, "a").await.is_err());
    let tasks: Vec<_> = (0..9)
        .map(|_| {
            let records = records.clone();
            tokio::spawn(async move {
                let start = Instant::now();
                (records.get(Kind::Order, "a").await.is_err(), start.elapsed())
            })
        })
        .collect();
    for task in tasks {
        let (is_err, time) = task.await.expect("a task");
        assert!(is_err && time < limit * 3, "{is_err}, {time:?}");
    }
    server.signal("-CONT");
    let start = Instant::now();
    while records.get(Kind::Order, "a").await.is_err() {
        assert!(start.elapsed() < Duration::from_secs(10));
    }
}

async fn an_answered_error_keeps_the_connection(records: &records::Postgres, url: &str) {
    let (client, connection) = tokio_postgres::connect(url, tokio_postgres::NoTls).await.expect("a server");
    tokio::spawn(connection);
    let select = "select pid from pg_stat_activity where query like '%parley_record%' and pid <> pg_backend_pid() order by pid";
    let connections = async || -> Vec<i32> {
        client.query(select, &[]).await.expect("an answer").iter().map(|row| row.get(0)).collect()
    };
    let before = connections().await;
    for _ in 0..40 {
        assert!(records.get(Kind::Order, "a\0").await.is_err());
        assert!(records.get(Kind::Order, "a").await.is_ok());
    }
    assert!(!before.is_empty());
    assert_eq!(connections().await, before);
}

/// What was ever done does not hold up a start.
#[tokio::test(flavor = "multi_thread")]
async fn a_start_on_postgres_costs_what_is_open() {
    let server = servers::Server::start(servers::Kind::Postgres);
    let records = records::Postgres::connect(&server.url()).await.expect("a server");
    let (client, connection) =
        tokio_postgres::connect(&server.url(), tokio_postgres::NoTls).await.expect("one");
    tokio::spawn(connection);
    let fill = "insert into parley_record select 'order', 'r-' || n, '{\"state\":\"' ||
            case when n % 50000 = 0 then 'open' else 'done' end || '\"}', 9223372036854775807
        from generate_series(1, 100000) n; analyze parley_record";
    client.batch_execute(fill).await.expect("filled");
    assert_eq!(records.open().await.expect("a list").len(), 2);
    // Rows that its statements looked at, as the server counts them: those of the index.
    let seen = "select seq_tup_read, (select sum(idx_tup_read)::bigint from pg_stat_user_indexes
        where indexrelname = 'parley_record_open') from pg_stat_user_tables where relname = 'parley_record'";
    drop(records);
    let start = Instant::now();
    let (all, by_index) = loop {
        let row = client.query_one(seen, &[]).await.expect("an answer");
        let (all, by_index): (i64, i64) = (row.get(0), row.get(1));
        // What a connection did is told a moment later.
        if by_index >= 2 || start.elapsed() > Duration::from_secs(10) {
            break (all, by_index);
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    };
    assert!(by_index == 2 && all < 1_000, "{all} rows without the index, {by_index} with it");
}

/// In the order in which a COMMIT reaches them; the last three when it is not executed.
const STEPS: [&str; 6] = ["claimed", "reserved", "consent", "executed", "settled", "finished"];
const FAILED: [&str; 3] = ["failed", "released", "abandoned"];

fn block(token: &str) -> BlockId {
    *Grant::decode(token, &Limits::default()).expect("a grant").id()
}

/// Sends a COMMIT to a server that dies of it.
fn commit_and_die(server: &mut Server, agent: &Agent, proposal: &Value) {
    let hash = hash(proposal);
    let more = json!({"proposal": proposal["id"], "hash": hash});
    let body = agent.frame(Verb::Commit, &hash, more, now()).to_string();
    let mut stream = connect(&server.address);
    stream.write_all(format!("{}{body}", head("/order/commit", body.len())).as_bytes()).expect("sent");
    let status = server.child.wait().expect("its end");
    assert!(!status.success());
}

fn killed_at_every_step(url: &str, total: impl Fn(&BlockId) -> u64) {
    let closed = std::env::temp_dir().join(format!("closed-{}-{}", std::process::id(), url.len()));
    let mut kills = 0;
    for (number, step) in (0_u8..).zip(STEPS.into_iter().chain(FAILED)) {
        let is_failed = FAILED.contains(&step);
        if is_failed {
            std::fs::write(&closed, "").expect("a file");
        }
        let mut agent = Agent::new(100 + number, &[policy(5_000), vec![Caveat::Risk(Risk::Low)]].concat());
        let root = block(&agent.grants[0]);
        let flags = ["--store", url, "--closed", closed.to_str().expect("a path"), "--instance", "a"];
        let mut server = Server::start_with(&flags, &[("CRASH_AT", step)]);
        let proposal = if step == "consent" {
            // One that the policy asks the human about.
            let order = json!({"order": "machine"});
            let frame = agent.frame(Verb::Intent, "shop.order", order, now()).to_string();
            let made = common::http::post(&server.address, "/order/intent", &frame);
            last(&made)["proposals"][0].clone()
        } else {
            agent.intent(&server.address, now())[0].clone()
        };
        if step == "consent" {
            let caveats = [
                Caveat::Service(vec!["shop.example".into()]),
                Caveat::Verbs(vec!["COMMIT".into()]),
                Caveat::Capabilities(vec!["shop.order".into()]),
                Caveat::Only(hash(&proposal)),
                Caveat::Expires(proposal["expires"].as_i64().expect("a time")),
            ];
            agent.grants.push(grant(&human(), agent.seed.public_key(), &caveats, "one"));
        }
        commit_and_die(&mut server, &agent, &proposal);
        let at_death = total(&root);
        kills += 1;
        // Another instance beside it does not touch what is not its own.
        let other = Server::start(&["--store", url, "--instance", "b"]);
        assert_eq!(total(&root), at_death, "after {step}");
        let meanwhile = agent.commit(&other.address, &proposal, now()).status;
        let is_executed = ["executed", "settled", "finished"].contains(&step);
        let is_free = step == "abandoned";
        assert_eq!(meanwhile, if is_executed || is_free { 200 } else { 503 }, "after {step}");
        let _removed = std::fs::remove_file(&closed);
        let restarted = Server::start_with(&flags, &[]);
        let counted = if step == "consent" { 0 } else { 1_800 };
        assert_eq!(total(&root), if is_executed || is_free { counted } else { 0 }, "after {step}");
        let answers: Vec<Response> = [&restarted, &other, &restarted]
            .map(|server| agent.commit(&server.address, &proposal, now()))
            .into();
        assert_eq!(answers[0].status, 200, "after {step}: {:?}", answers[0]);
        assert!(answers.iter().all(|answer| *answer == answers[0]), "one receipt");
        assert_eq!(total(&root), counted, "counted once, after {step}");
        println!("killed at {step}: counted {at_death}, then {counted}; one receipt");
    }
    assert_eq!(kills, 9);
}

#[test]
fn a_process_that_is_killed_at_any_step_on_postgres() {
    let server = servers::Server::start(servers::Kind::Postgres);
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let ledger = runtime.block_on(ledger::Postgres::connect(&server.url())).expect("a server");
    killed_at_every_step(&server.url(), |block| runtime.block_on(ledger.total(block)).expect("a total"));
}

#[test]
fn a_process_that_is_killed_at_any_step_on_redis() {
    let server = servers::Server::start(servers::Kind::Redis);
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let ledger = runtime.block_on(ledger::Redis::connect(&server.url())).expect("a server");
    killed_at_every_step(&server.url(), |block| runtime.block_on(ledger.total(block)).expect("a total"));
}

/// A frame with auto that a crash cut off stays in progress: its order is executed and counted once or not at all, and a repeat
/// never commits again.
#[test]
fn an_auto_frame_that_was_cut_off_commits_once_or_not_at_all() {
    let store = servers::Server::start(servers::Kind::Redis);
    let url = store.url();
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let ledger = runtime.block_on(ledger::Redis::connect(&url)).expect("a server");
    for (number, (step, counted)) in
        (0_u8..).zip([("claimed", 0), ("reserved", 0), ("executed", 1_800), ("finished", 1_800)])
    {
        let agent = Agent::new(200 + number, &policy(5_000));
        let total = || runtime.block_on(ledger.total(&block(&agent.grants[0]))).expect("a total");
        let frame = || {
            let proof = agent.auto_proof("shop.order", "f-1", now());
            let more = json!({"order": "cups", "auto": true});
            common::agent::frame(Verb::Intent, &agent.grants, Some(proof), more).to_string()
        };
        let flags = ["--store", url.as_str()];
        let mut server = Server::start_with(&flags, &[("CRASH_AT", step)]);
        let body = frame();
        let mut stream = connect(&server.address);
        stream.write_all(format!("{}{body}", head("/order/intent", body.len())).as_bytes()).expect("sent");
        assert!(!server.child.wait().expect("its end").success());
        let restarted = Server::start(&flags);
        assert_eq!(total(), counted, "after {step}");
        for _ in 0..2 {
            let repeat = common::http::post(&restarted.address, "/order/intent", &frame());
            assert_eq!((repeat.status, total()), (503, counted), "after {step}");
        }
    }
}

#[test]
fn two_processes_never_pass_a_cap_together() {
    for kind in [servers::Kind::Postgres, servers::Kind::Redis] {
        let store = servers::Server::start(kind);
        let url = store.url();
        let both = ["a", "b"].map(|name| Server::start(&["--store", url.as_str(), "--instance", name]));
        let agent = Agent::new(2, &policy(9_000));
        let mut statuses: Vec<u16> = std::thread::scope(|scope| {
            let start = |number: usize| {
                let (agent, both) = (&agent, &both);
                scope.spawn(move || {
                    let proposal = agent.intent(&both[number % 2].address, now())[0].clone();
                    // Each to both, whichever is first.
                    let answers =
                        [0, 1].map(|more| agent.commit(&both[(number + more) % 2].address, &proposal, now()));
                    let receipt = answers.iter().find(|answer| answer.status == 200);
                    assert!(answers.iter().all(|answer| Some(answer) == receipt || answer.status != 200));
                    answers[1].status
                })
            };
            let threads: Vec<_> = (0..24).map(start).collect();
            threads.into_iter().map(|thread| thread.join().expect("a thread")).collect()
        });
        statuses.sort_unstable();
        assert_eq!(statuses, [[200; 5].as_slice(), &[402; 19]].concat(), "{kind:?}");
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        let root = block(&agent.grants[0]);
        let total = runtime.block_on(async {
            match kind {
                servers::Kind::Postgres => ledger::Postgres::connect(&url).await?.total(&root).await,
                servers::Kind::Redis => ledger::Redis::connect(&url).await?.total(&root).await,
            }
        });
        assert_eq!(total.expect("a total"), 9_000);
        println!("{kind:?}: 24 orders at two processes, 5 within the cap, total 9000 of 9000");
    }
}

#[test]
fn a_store_that_was_down_is_asked_again() {
    for kind in [servers::Kind::Postgres, servers::Kind::Redis] {
        let mut store = servers::Server::start(kind);
        let url = store.url();
        let server = Server::start(&["--store", url.as_str()]);
        let agent = Agent::new(2, &policy(1_800));
        let proposal = agent.intent(&server.address, now())[0].clone();
        store.kill();
        for _ in 0..3 {
            let answer = agent.commit(&server.address, &proposal, now());
            assert_eq!((answer.status, last(&answer)["error"].as_str()), (503, Some("unavailable")));
        }
        store.up();
        let start = Instant::now();
        let answer = loop {
            let answer = agent.commit(&server.address, &proposal, now());
            if answer.status != 503 {
                break answer;
            }
            assert!(start.elapsed() < Duration::from_secs(30), "still {answer:?}");
            std::thread::sleep(Duration::from_millis(100));
        };
        assert_eq!(answer.status, 200, "{answer:?}");
        assert_eq!(agent.commit(&server.address, &proposal, now()), answer);
        println!("{kind:?}: again after {:?}", start.elapsed());
    }
}

#[test]
fn all_that_is_kept_survives_a_kill() {
    for kind in [servers::Kind::Postgres, servers::Kind::Redis] {
        let store = servers::Server::start(kind);
        let url = store.url();
        let flags = ["--store", url.as_str()];
        let agent = Agent::new(2, &policy(5_000));
        let ask =
            |address: &str, path: &str, frame: Value| common::http::post(address, path, &frame.to_string());
        let auto = json!({"order": "cups", "auto": true});
        let auto = || {
            let proof = agent.auto_proof("shop.order", "f-1", now());
            common::agent::frame(Verb::Intent, &agent.grants, Some(proof), auto.clone())
        };
        let expand = |address: &str, handle: &str| {
            let frame = agent.frame(Verb::Expand, handle, json!({"handle": handle}), now());
            ask(address, "/expand", frame)
        };
        let (offers, receipt, handle, committed, rest) = {
            let server = Server::start(&flags);
            let address = &server.address;
            let menu = ask(address, "/menu/ask", agent.frame(Verb::Ask, "shop.menu", json!({}), now()));
            let handle = last(&menu)["more"].as_str().expect("a handle").to_owned();
            let offers = agent.intent(address, now());
            let receipt = agent.commit(address, &offers[1], now());
            let id = last(&receipt)["receipt"].as_str().expect("a receipt").to_owned();
            assert_eq!(agent.undo(address, "/order/undo", &id, now()).status, 200);
            let committed = ask(address, "/order/intent", auto());
            assert_eq!(last(&committed)["kind"], "receipt");
            let rest = expand(address, &handle);
            assert_eq!(rest.status, 200);
            (offers, receipt, handle, committed, rest)
        };
        let server = Server::start(&flags);
        let address = &server.address;
        assert_eq!(agent.commit(address, &offers[1], now()), receipt);
        let id = last(&receipt)["receipt"].as_str().expect("a receipt").to_owned();
        assert_eq!(last(&agent.undo(address, "/order/undo", &id, now()))["kind"], "undone");
        assert_eq!(ask(address, "/order/intent", auto()), committed);
        assert_eq!(expand(address, &handle), rest);
        // 2500 and 1800 are counted, so 1800 more are too much.
        assert_eq!(agent.commit(address, &offers[0], now()).status, 402);
    }
}
