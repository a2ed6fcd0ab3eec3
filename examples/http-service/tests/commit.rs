//! COMMIT's order, with stores that lose answers at every step, and what is told of it.

mod common;

use common::agent::{Agent, euro, frame, grant, hash, human, last, policy};
use common::http::post;
use common::{app, now, serve_here};
use parley_grants::{
    BlockId, Caveat, Claim, Claimed, Close, Closed, ConsentRequest, Demand, End, Grant, Limits,
    ReservationId, Reserve, Risk, Ticket, Verb,
};
use parley_grants_http::app::{Clock, Options, Shared};
use parley_grants_http::records::{self, Done, Kind, Life, Records};
use parley_grants_ledgers::{self as ledger, Store, StoreError};
use serde_json::{Value, json};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Loses one call, or some in a row: before it has an effect, or its answer afterwards.
struct Lossy<S> {
    inner: S,
    line: Arc<Line>,
}

/// What both stores share: how many calls there were, and which one is lost.
struct Line {
    calls: AtomicUsize,
    lost: AtomicUsize,
    in_a_row: AtomicUsize,
    is_done: bool,
    /// Does each call take a while?
    is_slow: AtomicBool,
    /// Where there is one, nothing is lost: it is restarted then.
    second: Mutex<Option<Restart>>,
}

type Restart = Box<dyn FnOnce() -> Pin<Box<dyn Future<Output = ()> + Send>> + Send>;

impl Line {
    async fn call<T>(&self, call: impl Future<Output = Result<T, StoreError>>) -> Result<T, StoreError> {
        if self.is_slow.load(Ordering::SeqCst) {
            tokio::time::sleep(Duration::from_millis(3)).await;
        }
        let call_number = self.calls.fetch_add(1, Ordering::SeqCst);
        let after = call_number.checked_sub(self.lost.load(Ordering::SeqCst));
        let is_lost = after.is_some_and(|after| after < self.in_a_row.load(Ordering::SeqCst));
        let second = if is_lost { self.second.lock().expect("a lock").take() } else { None };
        if let Some(restart) = second {
            if self.is_done {
                let answer = call.await;
                restart().await;
                return answer;
            }
            restart().await;
            return call.await;
        }
        if is_lost && !self.is_done {
            return Err(StoreError::Failed("lost on the way".into()));
        }
        let answer = call.await;
        if is_lost { Err(StoreError::Failed("its answer was lost".into())) } else { answer }
    }
}

impl<S: Store> Store for Lossy<S> {
    async fn reserve(&self, demand: &Demand<'_>) -> Result<Reserve, StoreError> {
        self.line.call(self.inner.reserve(demand)).await
    }
    async fn close(&self, id: &ReservationId, how: Close) -> Result<Closed, StoreError> {
        self.line.call(self.inner.close(id, how)).await
    }
    async fn total(&self, block: &BlockId) -> Result<u64, StoreError> {
        self.inner.total(block).await
    }
    async fn claim(&self, claim: &Claim, now: i64) -> Result<Claimed, StoreError> {
        self.line.call(self.inner.claim(claim, now)).await
    }
    async fn end(&self, ticket: &Ticket, how: End) -> Result<bool, StoreError> {
        self.line.call(self.inner.end(ticket, how)).await
    }
}

impl<S: Records> Records for Lossy<S> {
    async fn get(&self, kind: Kind, key: &str) -> Result<Option<String>, StoreError> {
        self.line.call(self.inner.get(kind, key)).await
    }
    async fn put(&self, kind: Kind, key: &str, text: &str, life: Life) -> Done {
        self.line.call(self.inner.put(kind, key, text, life)).await
    }
    async fn swap(
        &self,
        kind: Kind,
        key: &str,
        from: Option<&str>,
        to: Option<&str>,
        life: Life,
    ) -> Result<bool, StoreError> {
        self.line.call(self.inner.swap(kind, key, from, to, life)).await
    }
    async fn open(&self) -> Result<Vec<(String, String)>, StoreError> {
        self.line.call(self.inner.open()).await
    }
    async fn list(&self, kind: Kind) -> Result<Vec<(String, String)>, StoreError> {
        self.line.call(self.inner.list(kind)).await
    }
    async fn forget(&self, now: i64) -> Done {
        self.inner.forget(now).await
    }
}

type LossyApp = Shared<Lossy<ledger::Memory>, Lossy<records::Memory>>;

const NEVER: usize = usize::MAX;

fn lossy(is_done: bool, options: Options) -> (LossyApp, Arc<Line>) {
    let line = Arc::new(Line {
        calls: AtomicUsize::new(0),
        lost: AtomicUsize::new(NEVER),
        in_a_row: AtomicUsize::new(1),
        is_slow: AtomicBool::new(false),
        is_done,
        second: Mutex::default(),
    });
    let ledger = Lossy { inner: ledger::Memory::default(), line: line.clone() };
    let records = Lossy { inner: records::Memory::with_room(1_000), line: line.clone() };
    (app((ledger, records), options), line)
}

fn read(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

fn block(token: &str) -> BlockId {
    *Grant::decode(token, &Limits::default()).expect("a grant").id()
}

#[test]
fn every_lost_call_is_made_good() {
    let mut tried = 0;
    for (is_done, is_closed, restarts) in [
        (false, false, false),
        (true, false, false),
        (false, true, false),
        (true, true, false),
        (false, false, true),
        (true, false, true),
    ] {
        for lost in 0.. {
            // A warehouse that is closed, as this file exists.
            let closed = is_closed.then(|| std::env::current_exe().expect("a file"));
            let (app, line) = lossy(is_done, Options { closed, ..Options::default() });
            let (runtime, address) = serve_here(&app);
            let agent = Agent::new(2, &policy(5_000));
            let total =
                || runtime.block_on(app.ledger.inner.total(&block(&agent.grants[0]))).expect("a total");
            let proposal = agent.intent(&address, now())[0].clone();
            line.calls.store(0, Ordering::SeqCst);
            line.lost.store(lost, Ordering::SeqCst);
            let status = agent.commit(&address, &proposal, now()).status;
            let calls = line.calls.load(Ordering::SeqCst);
            line.lost.store(NEVER, Ordering::SeqCst);
            assert!([200, 503].contains(&status), "{status}");
            if restarts {
                runtime.block_on(app.restart(now())).expect("stores that answer");
            } else {
                runtime.block_on(app.end_unfinished(now())).expect("stores that answer");
            }
            // Whatever was lost: it is executed and counted, or neither.
            let kept = runtime.block_on(app.records.inner.list(Kind::Order)).expect("orders");
            assert!(kept.iter().all(|(_, text)| text.contains("\"done\"")), "after call {lost}: {kept:?}");
            assert_eq!(total(), if kept.is_empty() { 0 } else { 1_800 }, "after call {lost}");
            assert!(status != 200 || kept.len() == 1);
            let answer = agent.commit(&address, &proposal, now());
            assert_eq!(answer, agent.commit(&address, &proposal, now()));
            let still_held = |(_, text): &(String, String)| {
                let attempt: BlockId =
                    read(text)["attempt"].as_str().expect("a name").parse().expect("32 bytes");
                let attempt = ReservationId::from_bytes(*attempt.as_bytes());
                runtime.block_on(app.ledger.inner.close(&attempt, Close::Release)) != Ok(Closed::NotHeld)
            };
            let orders = runtime.block_on(app.records.inner.list(Kind::Order)).expect("orders");
            assert!(!orders.iter().any(still_held), "not settled, after call {lost}");
            let expected = if is_closed { (503, 0) } else { (200, 1_800) };
            assert_eq!((answer.status, total()), expected, "after call {lost}");
            if calls <= lost {
                println!("{calls} calls of a COMMIT; closed: {is_closed}, lost after the effect: {is_done}");
                assert!(calls >= 4);
                break;
            }
            tried += 1;
        }
    }
    println!("{tried} lost calls, every one made good");
}

/// Whatever is lost, and however many calls in a row: who is told that nothing was committed can rely on it.
#[test]
fn an_auto_frame_never_denies_what_it_executed() {
    let (mut tried, mut receipts, mut unknown) = (0, 0, 0);
    for (is_done, in_a_row) in [false, true].into_iter().flat_map(|done| [1, 2, 3, 9].map(|row| (done, row)))
    {
        for lost in 0.. {
            let (app, line) = lossy(is_done, Options::default());
            let (runtime, address) = serve_here(&app);
            let agent = Agent::new(2, &policy(5_000));
            let total =
                || runtime.block_on(app.ledger.inner.total(&block(&agent.grants[0]))).expect("a total");
            let orders = || runtime.block_on(app.records.inner.list(Kind::Order)).expect("orders");
            let auto = || {
                let proof = agent.auto_proof("shop.order", "f-1", now());
                let more = json!({"order": "cups", "auto": true});
                let answer = post(
                    &address,
                    "/order/intent",
                    &frame(Verb::Intent, &agent.grants, Some(proof), more).to_string(),
                );
                (answer.status, last(&answer))
            };
            line.in_a_row.store(in_a_row, Ordering::SeqCst);
            line.lost.store(lost, Ordering::SeqCst);
            let (status, first) = auto();
            let calls = line.calls.load(Ordering::SeqCst);
            line.lost.store(NEVER, Ordering::SeqCst);
            runtime.block_on(app.end_unfinished(now())).expect("stores that answer");
            let (at, kept) = (format!("{in_a_row} from call {lost}, done: {is_done}: {first}"), orders());
            assert!(kept.iter().all(|(_, text)| text.contains("\"done\"")), "{kept:?}, {at}");
            assert_eq!(total(), if kept.is_empty() { 0 } else { 1_800 }, "{at}");
            let (again_status, again) = auto();
            let told = first["kind"].as_str().expect("a kind");
            match (status, told, kept.len()) {
                (200, "receipt", 1) => {
                    assert_eq!(first["receipt"].as_str(), Some(kept[0].0.as_str()), "{at}");
                    assert!(again_status == 503 || again == first, "{again}, {at}");
                    receipts += 1;
                }
                (200, "proposals", 0) => assert!(again_status == 503 || again == first, "{again}, {at}"),
                // Not known: a repeat does not commit what may be committed.
                (503, "error", 1) => {
                    assert_eq!((again_status, orders()), (503, kept), "{at}");
                    unknown += 1;
                }
                (503, "error", 0) => {}
                other => panic!("{other:?}, {at}"),
            }
            assert!(orders().len() <= 1 && total() <= 1_800, "{at}");
            if calls <= lost {
                assert_eq!(told, "receipt");
                break;
            }
            tried += 1;
        }
    }
    println!("{tried} losses under auto: {receipts} receipts, {unknown} executed and said to be unknown");
    assert!(tried >= 80 && receipts > 20 && unknown > 0);
}

#[test]
fn of_many_at_once_one_is_executed_and_counted() {
    let (app, line) = lossy(false, Options::default());
    line.is_slow.store(true, Ordering::SeqCst);
    let (runtime, address) = serve_here(&app);
    let mut busy = 0;
    for round in 0..20 {
        // There is room for one: who did not claim the execution is not told of a limit.
        let agent = Agent::new(100 + round, &policy(1_800));
        let proposal = agent.intent(&address, now())[0].clone();
        let answers = at_once(16, || agent.commit(&address, &proposal, now()));
        let (receipts, others): (Vec<_>, Vec<_>) =
            answers.into_iter().partition(|answer| answer.status == 200);
        assert!(others.iter().all(|answer| answer.status == 503), "{others:?}");
        assert!(!receipts.is_empty() && receipts.iter().all(|receipt| *receipt == receipts[0]));
        let total = runtime.block_on(app.ledger.total(&block(&agent.grants[0])));
        assert_eq!(total.expect("a total"), 1_800, "counted once");
        busy += others.len();
    }
    println!("{busy} of 320 found another at it");
    assert!(busy > 100);
}

/// A second process of one name, started before the first has ended, takes a slow one for dead: it gives up what is open, before or
/// after each call of the first, and is itself cut off after each of its own. What is executed is counted, and nothing else.
#[test]
fn a_slow_process_executes_nothing_that_was_given_up() {
    let (mut executed, mut given_up) = (0, 0);
    for (is_done, call, cut) in (0..98).map(|number| (number % 2 == 0, number / 2 % 7, number / 14)) {
        let (app, line) = lossy(is_done, Options::default());
        let (runtime, address) = serve_here(&app);
        let agent = Agent::new(2, &policy(5_000));
        let proposal = agent.intent(&address, now())[0].clone();
        let (second, its_line) = (app.clone(), line.clone());
        let restart = async move {
            its_line.lost.store(its_line.calls.load(Ordering::SeqCst) + cut, Ordering::SeqCst);
            let _ended = second.restart(now()).await;
            its_line.lost.store(NEVER, Ordering::SeqCst);
        };
        *line.second.lock().expect("a lock") = Some(Box::new(move || Box::pin(restart)));
        line.calls.store(0, Ordering::SeqCst);
        line.lost.store(call, Ordering::SeqCst);
        let status = agent.commit(&address, &proposal, now()).status;
        assert!(line.second.lock().expect("a lock").is_none(), "call {call} was reached");
        runtime.block_on(app.end_unfinished(now())).expect("stores that answer");
        runtime.block_on(app.restart(now())).expect("stores that answer");
        let at = format!("at call {call}, done: {is_done}, cut off after {cut}");
        let orders = runtime.block_on(app.records.list(Kind::Order)).expect("orders").len();
        match (status, orders) {
            (200, 1) => executed += 1,
            (503, 0) => given_up += 1,
            other => panic!("{other:?}, {at}"),
        }
        let total = || runtime.block_on(app.ledger.total(&block(&agent.grants[0]))).expect("a total");
        assert_eq!(total(), if status == 200 { 1_800 } else { 0 }, "{at}");
        assert_eq!((agent.commit(&address, &proposal, now()).status, total()), (200, 1_800), "{at}");
    }
    println!("{executed} executed, {given_up} given up");
    assert!(executed >= 50 && given_up >= 10);
}

#[test]
fn no_cap_is_passed_by_many_at_once() {
    let stores = (ledger::Memory::default(), records::Memory::with_room(1_000));
    let app = app(stores, Options::default());
    let (runtime, address) = serve_here(&app);
    let agent = Agent::new(2, &policy(9_000));
    let mut statuses = at_once(12, || {
        let proposal = agent.intent(&address, now())[0].clone();
        agent.commit(&address, &proposal, now()).status
    });
    statuses.sort_unstable();
    assert_eq!(statuses, [[200; 5].as_slice(), &[402; 7]].concat());
    let total = runtime.block_on(app.ledger.total(&block(&agent.grants[0])));
    assert_eq!(total.expect("a total"), 9_000);
}

fn at_once<T: Send>(count: usize, run: impl Fn() -> T + Sync) -> Vec<T> {
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..count).map(|_| scope.spawn(&run)).collect();
        threads.into_iter().map(|thread| thread.join().expect("a thread")).collect()
    })
}

#[test]
fn a_consent_is_for_one_order_and_survives_what_failed() {
    let closed = std::env::temp_dir().join(format!("closed-{}", std::process::id()));
    let options = Options { closed: Some(closed.clone()), ..Options::default() };
    let app = app((ledger::Memory::default(), records::Memory::with_room(1_000)), options);
    let (runtime, address) = serve_here(&app);
    let mut agent = Agent::new(2, &[policy(10_000), vec![Caveat::Risk(Risk::Low)]].concat());
    let machine = |agent: &Agent| {
        let frame = agent.frame(Verb::Intent, "shop.order", json!({"order": "machine"}), now()).to_string();
        last(&post(&address, "/order/intent", &frame))["proposals"][0].clone()
    };
    let (one, other) = (machine(&agent), machine(&agent));
    let asked = agent.commit(&address, &one, now());
    assert_eq!(asked.status, 402);
    let request = last(&asked);
    assert_eq!(request["kind"], "consent_required");
    let consent = &request["consent"];
    let exactly = ConsentRequest::parse(consent.to_string().as_bytes()).expect("a request").to_json();
    assert!(asked.body.contains(&format!("\"consent\":{exactly}")), "{}", asked.body);
    assert_eq!(consent["hash"], hash(&one));
    assert_eq!(consent["principal"], human().public_key().to_string());
    let caveats = [
        Caveat::Service(vec!["shop.example".into()]),
        Caveat::Verbs(vec!["COMMIT".into()]),
        Caveat::Capabilities(vec!["shop.order".into()]),
        Caveat::Only(hash(&one)),
        Caveat::Expires(one["expires"].as_i64().expect("a time")),
    ];
    agent.grants.push(grant(&human(), agent.seed.public_key(), &caveats, "one machine"));
    // Claimed for another order, it is not used, and nothing stays of the attempt.
    let used =
        Claim::for_consent(human().public_key(), &hash(&one), one["expires"].as_i64().expect("a time"));
    let name = parley_grants_http::app::text_of(*used.key());
    let life = Life { now: now(), until: i64::MAX };
    let other_order = Some("r-another");
    let swap =
        |from, to| runtime.block_on(app.records.swap(Kind::Consent, &name, from, to, life)).expect("one");
    assert!(swap(None, other_order));
    assert_eq!(agent.commit(&address, &one, now()).status, 503);
    assert_eq!(runtime.block_on(app.records.list(Kind::Order)).expect("orders"), []);
    assert!(swap(other_order, None));
    std::fs::write(&closed, "").expect("a file");
    assert_eq!(agent.commit(&address, &one, now()).status, 503);
    std::fs::remove_file(&closed).expect("no file");
    let receipt = agent.commit(&address, &one, now());
    assert_eq!(receipt.status, 200);
    assert_eq!(agent.commit(&address, &one, now()), receipt);
    assert_eq!(agent.commit(&address, &other, now()).status, 402);
    let total = runtime.block_on(app.ledger.total(&block(&agent.grants[0])));
    assert_eq!(total.expect("a total"), 0, "a consent is charged to no block");
}

#[test]
fn an_undo_happens_once_in_its_window_and_gives_nothing_back() {
    let app = app((ledger::Memory::default(), records::Memory::with_room(1_000)), Options::default());
    let (runtime, address) = serve_here(&app);
    let agent = Agent::new(2, &policy(10_000));
    let proposals = agent.intent(&address, now());
    let receipt = last(&agent.commit(&address, &proposals[0], now()))["receipt"].clone();
    let receipt = receipt.as_str().expect("a receipt");
    let first = agent.undo(&address, "/order/undo", receipt, now());
    assert_eq!((first.status, last(&first)["kind"].as_str()), (200, Some("undone")));
    assert_eq!(agent.undo(&address, "/order/undo", receipt, now()), first);
    let returns = runtime.block_on(app.records.list(Kind::Return)).expect("returns");
    assert_eq!(returns.len(), 1);
    let total = runtime.block_on(app.ledger.total(&block(&agent.grants[0])));
    assert_eq!(total.expect("a total"), 1_800);
}

#[test]
fn times_are_kept() {
    let stores = || (ledger::Memory::default(), records::Memory::with_room(1_000));
    // One store, and two clocks beside it.
    let shared = stores();
    let start = 1_790_000_000;
    let early = app(shared, Options { clock: Clock::Fixed(start), ..Options::default() });
    let (runtime, address) = serve_here(&early);
    let agent = Agent::new(2, &policy(10_000));
    let proposals = agent.intent(&address, start);
    let receipt = last(&agent.commit(&address, &proposals[0], start))["receipt"].clone();
    let ask = agent.frame(Verb::Ask, "shop.menu", json!({}), start).to_string();
    let handle = last(&post(&address, "/menu/ask", &ask))["more"].as_str().expect("a handle").to_owned();
    let late = |seconds: i64| {
        let records = runtime.block_on(async {
            let kept = records::Memory::with_room(1_000);
            for kind in [Kind::Offer, Kind::Order, Kind::Handle] {
                for (key, text) in early.records.list(kind).await.expect("records") {
                    kept.put(kind, &key, &text, Life { now: start, until: i64::MAX }).await.expect("room");
                }
            }
            kept
        });
        let clock = Clock::Fixed(start + seconds);
        app((ledger::Memory::default(), records), Options { clock, ..Options::default() })
    };
    let receipt = receipt.as_str().expect("a receipt");
    for (seconds, first, again, undo) in
        [(599, 200, 200, 200), (600, 200, 200, 410), (899, 200, 200, 410), (900, 410, 200, 410)]
    {
        let (_runtime, address) = serve_here(&late(seconds));
        let time = start + seconds;
        let answer = agent.commit(&address, &proposals[1], time);
        assert_eq!(answer.status, first, "after {seconds}");
        if first == 410 {
            assert_eq!(last(&answer), json!({"parley": 1, "re": "f-1", "kind": "error", "error": "expired"}));
        }
        assert_eq!(agent.commit(&address, &proposals[0], time).status, again, "after {seconds}");
        assert_eq!(agent.undo(&address, "/order/undo", receipt, time).status, undo, "after {seconds}");
        let expand = agent.frame(Verb::Expand, &handle, json!({"handle": handle}), time).to_string();
        let expanded = post(&address, "/expand", &expand).status;
        assert_eq!(expanded, if seconds < 900 { 200 } else { 403 }, "after {seconds}");
    }
}

#[test]
fn an_auto_frame_commits_once_and_its_repeat_gets_the_first_answer() {
    let app = app((ledger::Memory::default(), records::Memory::with_room(1_000)), Options::default());
    let (runtime, address) = serve_here(&app);
    let agent = Agent::new(2, &policy(4_000));
    let auto = |id: &str, order: &str, capability: &str| {
        let proof = agent.auto_proof(capability, id, now());
        let mut frame =
            frame(Verb::Intent, &agent.grants, Some(proof), json!({"order": order, "auto": true}));
        frame["id"] = json!(id);
        post(
            &address,
            if capability == "shop.order" { "/order/intent" } else { "/gift/intent" },
            &frame.to_string(),
        )
    };
    let total = || runtime.block_on(app.ledger.total(&block(&agent.grants[0]))).expect("a total");
    let first = auto("a-1", "cups", "shop.order");
    assert_eq!((first.status, last(&first)["kind"].as_str(), total()), (200, Some("receipt"), 1_800));
    assert_eq!((auto("a-1", "cups", "shop.order"), total()), (first.clone(), 1_800));
    // Under another capability or for another order it is no repeat, and nothing is done for it.
    assert_eq!((auto("a-1", "cups", "shop.gift").status, total()), (403, 1_800));
    assert_eq!((auto("a-1", "beans", "shop.order").status, total()), (403, 1_800));
    // Beyond the limit of one COMMIT, and beyond that in total: shown as without auto.
    let shown = auto("a-2", "machine", "shop.order");
    assert_eq!((shown.status, last(&shown)["kind"].as_str(), total()), (200, Some("proposals"), 1_800));
    assert_eq!(auto("a-2", "machine", "shop.order"), shown);
    assert_eq!(
        (last(&auto("a-3", "cups", "shop.order"))["kind"].as_str(), total()),
        (Some("receipt"), 3_600)
    );
    assert_eq!(
        (last(&auto("a-4", "cups", "shop.order"))["kind"].as_str(), total()),
        (Some("proposals"), 3_600)
    );
    // The proof of an INTENT without auto is none for it.
    let plain = agent.frame(Verb::Intent, "shop.order", json!({"order": "cups", "auto": true}), now());
    assert_eq!(post(&address, "/order/intent", &plain.to_string()).status, 401);
    // What is no order leaves its frame free.
    assert_eq!(auto("a-5", "nothing", "shop.order").status, 400);
    assert_eq!(last(&auto("a-5", "filter", "shop.order"))["kind"], "proposals");
}

#[test]
fn a_narrower_grant_has_a_limit_of_its_own() {
    let app = app((ledger::Memory::default(), records::Memory::with_room(1_000)), Options::default());
    let (runtime, address) = serve_here(&app);
    let agent = Agent::new(2, &policy(10_000));
    let narrower = [Caveat::Capabilities(vec!["shop.order".into()]), Caveat::Spend(euro(2_000))];
    let helper = agent.delegate(3, &narrower);
    let (one, other) = (helper.intent(&address, now())[0].clone(), helper.intent(&address, now())[0].clone());
    assert_eq!(helper.commit(&address, &one, now()).status, 200);
    assert_eq!(helper.commit(&address, &other, now()).status, 402);
    let gift = helper.frame(Verb::Intent, "shop.gift", json!({"order": "cups"}), now()).to_string();
    assert_eq!(post(&address, "/gift/intent", &gift).status, 403);
    assert_eq!(runtime.block_on(app.ledger.total(&block(&agent.grants[0]))).expect("a total"), 1_800);
}
