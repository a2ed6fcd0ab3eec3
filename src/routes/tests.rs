//! What the vectors cannot show: values, texts, stores, races.

use super::*;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::convert::Infallible;

const NOW: i64 = 1_790_000_000;
const WEEK: i64 = 604_800;

fn controls(paused: bool, reactive: bool, generation: u64) -> Controls {
    Controls { platform: PlatformPause::recorded(paused), room: RoomPolicy::recorded(reactive, generation) }
}

fn terms() -> Terms {
    Terms {
        room: "r".into(),
        recipient: Scope::session("bob", "s"),
        target: Scope::agent("ada"),
        generation: 7,
        hop: 3,
        lineage: "l".into(),
        cross_principal: true,
        expires: NOW + 100,
    }
}

fn route(value: u8) -> Route {
    Route::from_random(&[value; 32])
}

fn issue<'i>(message: &'i str, value: u8, terms: &'i Terms) -> Issue<'i> {
    Issue { message, retention_end: NOW + 1_000, digest: route(value).digest(), terms, now: NOW }
}

fn used(receipt: &str) -> Used {
    Used { key: "k".into(), body: BodyDigest::of(b"Yes"), receipt: receipt.into() }
}

fn state(store: &mut MemoryStore, value: u8) -> Option<State> {
    store.find(&route(value).digest()).unwrap().map(|record| record.state)
}

#[test]
fn a_route_has_one_text() {
    let route = Route::from_random(&core::array::from_fn(|index| u8::try_from(index).unwrap()));
    let text = route.text();
    // Digest and text by another program.
    assert_eq!(text.expose(), "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8");
    assert_eq!(route.digest().to_string(), "Yw3NKWbEM2aRElRIu7JbT_QSpJxzLbLIq8G4WBvXEN0");
    assert_eq!(Route::read(text.expose()).unwrap().digest(), route.digest());
    let text = text.expose();
    for other in [
        "",
        &text[1..],
        &format!("{text}="),
        &format!("{text}A"),
        &format!("{text}\n"),
        &format!(" {text}"),
        &text.replace("8", "9"),
        "++++++++++++++++++++++++++++++++++++++++++A",
        &"A".repeat(10_000),
    ] {
        assert!(Route::read(other).is_none(), "{other:?}");
        // What is no route is looked for by the digest of nothing.
        let digest = PresentedRoute::read(other).digest();
        assert_eq!(digest.to_string(), "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU");
    }
}

#[test]
fn digests_are_equal_when_all_of_them_is() {
    let digest = RouteDigest::from_bytes([5; 32]);
    let body = BodyDigest::of(b"Yes");
    assert_eq!(format!("{body:?}"), "haOas0XWcv-MqbnGh2863Kz0XufB4tvSQI_TOL1V4H4");
    for place in 0..32 {
        let mut bytes = [5; 32];
        bytes[place] = 6;
        assert_ne!(digest, RouteDigest::from_bytes(bytes));
        let mut bytes = *body.as_bytes();
        bytes[place] ^= 1;
        assert_ne!(body, BodyDigest::from_bytes(bytes));
    }
    assert_eq!(digest, RouteDigest::from_bytes(*digest.as_bytes()));
    assert_eq!(body, BodyDigest::from_bytes(*body.as_bytes()));
}

#[test]
fn no_debug_shows_a_route() {
    let secret = String::from(route(9).text().expose());
    let presented = PresentedRoute::new(route(9));
    let attempt = Attempt {
        route: &presented,
        room: "r",
        scope: &Scope::session("bob", "s"),
        authority: true,
        key: "private",
        body: b"private",
    };
    let record =
        Record { digest: route(9).digest(), message: String::new(), terms: terms(), state: State::Open };
    let handed = || Handed::received(Some(&secret), 3).unwrap();
    let shown = [
        format!("{:?}", route(9)),
        format!("{:?}", route(9).text()),
        format!("{presented:?}"),
        format!("{attempt:?}"),
        format!("{:?}", attempt.decide(Some(&record), &controls(false, true, 7), NOW)),
        format!("{:?}", handed()),
        format!("{:?}", Delivered::Turn(handed())),
        format!("{:?}", handed().reply("private", b"private")),
        format!("{record:?}"),
    ];
    let redacted = [
        "Route(secret)",
        "RouteText(secret)",
        "PresentedRoute(secret)",
        r#"Attempt { room: "r", scope: Scope { agent: "bob", session: Some("s") }, authority: true, .. }"#,
    ];
    assert_eq!(shown[..4], redacted);
    assert_eq!(shown[7], "Some(Reply { route: Route(secret), .. })");
    assert_eq!(format!("{:?}", route(9).digest()), route(9).digest().to_string());
    for text in shown {
        assert!(!text.contains(&secret) && !text.contains("9, 9, 9"), "{text}");
        assert!(!text.contains("private") && !text.contains("112, 114, 105"), "{text}");
    }
}

#[test]
fn controls_are_their_owners() {
    let roles = [Role::PlatformAdministrator, Role::RoomOwner, Role::AgentOwner, Role::Agent, Role::Other];
    let allowed =
        |may: &dyn Fn(Role) -> bool| roles.iter().filter(|role| may(**role)).copied().collect::<Vec<_>>();
    for from in [Posture::Manual, Posture::Reactive] {
        let set = |to| allowed(&move |by| from.set(to, by) == Ok(to));
        assert_eq!(set(Posture::Manual), [Role::AgentOwner, Role::Agent]);
        assert_eq!(set(Posture::Reactive), [Role::AgentOwner]);
    }
    for paused in [false, true] {
        let before = PlatformPause::recorded(!paused);
        assert_eq!(before.is_on(), !paused);
        assert_eq!(allowed(&|by| before.set(paused, by).is_ok()), [Role::PlatformAdministrator]);
        assert_eq!(before.set(paused, Role::PlatformAdministrator), Ok(PlatformPause::recorded(paused)));
        assert_eq!(allowed(&|by| RoomPolicy::recorded(true, 7).set(paused, by).is_ok()), [Role::RoomOwner]);
        let after = RoomPolicy::recorded(true, 7).set(paused, Role::RoomOwner).unwrap();
        assert_eq!((after.is_reactive(), after.generation()), (paused, 8));
        assert_eq!(RoomPolicy::recorded(true, u64::MAX).set(paused, Role::RoomOwner), Err(NotAllowed));
    }
    assert_eq!(NotAllowed.to_string(), "not theirs to change");
}

#[test]
fn a_client_takes_what_a_server_may_send() {
    let text = route(1).text();
    let received = |route: bool, remaining| Handed::received(route.then_some(text.expose()), remaining);
    for remaining in [i64::MIN, -1, 0, 17, 256, 257, i64::MAX] {
        assert!(received(true, remaining).is_none(), "{remaining}");
    }
    for remaining in [-1, 1, 16, 256] {
        assert!(received(false, remaining).is_none(), "{remaining}");
    }
    assert!(Handed::received(Some("no route"), 3).is_none());
    for (remaining, warns) in [(16, false), (3, false), (2, true), (1, true)] {
        let handed = received(true, remaining).unwrap();
        assert_eq!((i64::from(handed.remaining()), handed.is_running_out()), (remaining, warns));
        assert_eq!(handed.route_text().unwrap().expose(), text.expose());
        let reply = handed.reply("k", b"Yes").unwrap();
        let again = Reply::again(text.expose(), "k", b"Yes").unwrap();
        for reply in [reply, again] {
            assert_eq!(reply.route_text().expose(), text.expose());
            assert_eq!((reply.key(), reply.body()), ("k", &b"Yes"[..]));
        }
    }
    assert!(Reply::again("no route", "k", b"Yes").is_none());
    let last = received(false, 0).unwrap();
    assert_eq!((last.remaining(), last.is_running_out()), (0, true));
    assert!(last.route_text().is_none());
    assert!(last.reply("k", b"Yes").is_none());
}

#[test]
fn a_message_has_one_open_route_and_none_once_it_is_answered() {
    let mut store = MemoryStore::with_capacity(10);
    let (terms, other) = (terms(), Terms { recipient: Scope::agent("bob"), ..terms() });
    assert!(store.is_empty());
    assert_eq!(store.issue(&issue("m", 1, &terms)), Ok(Issued::Open));
    // Another recipient and another message have their own.
    assert_eq!(store.issue(&issue("m", 2, &other)), Ok(Issued::Open));
    assert_eq!(store.issue(&issue("n", 3, &terms)), Ok(Issued::Open));
    assert_eq!(store.issue(&issue("m", 4, &terms)), Ok(Issued::Open));
    let states = [1, 2, 3, 4].map(|value| state(&mut store, value).unwrap());
    assert_eq!(states, [State::Revoked, State::Open, State::Open, State::Open]);
    assert_eq!(store.consume(&route(1).digest(), &used("x")), Ok(false));
    assert_eq!(store.consume(&route(9).digest(), &used("x")), Ok(false));
    assert_eq!(store.consume(&route(4).digest(), &used("x")), Ok(true));
    assert_eq!(store.consume(&route(4).digest(), &used("y")), Ok(false));
    assert_eq!(state(&mut store, 4), Some(State::Consumed(used("x"))));
    assert_eq!(store.issue(&issue("m", 5, &terms)), Ok(Issued::Answered));
    assert_eq!(state(&mut store, 5), None);
    // A value that is not new replaces nothing.
    assert_eq!(store.issue(&issue("o", 3, &other)), Ok(Issued::Refused));
    assert_eq!(store.issue(&issue("n", 3, &terms)), Ok(Issued::Refused));
    assert_eq!(state(&mut store, 3), Some(State::Open));
    assert_eq!(store.len(), 4);
}

#[test]
fn rooms_may_use_the_same_ids() {
    let mut store = MemoryStore::with_capacity(10);
    let (here, there) = (terms(), Terms { room: "q".into(), ..terms() });
    assert_eq!(store.issue(&issue("m", 1, &here)), Ok(Issued::Open));
    assert_eq!(store.issue(&issue("m", 2, &there)), Ok(Issued::Open));
    assert_eq!(store.consume(&route(1).digest(), &used("x")), Ok(true));
    assert_eq!(store.issue(&issue("m", 3, &there)), Ok(Issued::Open));
    assert_eq!(store.issue(&issue("m", 4, &here)), Ok(Issued::Answered));
}

#[test]
fn what_is_withdrawn_cannot_be_answered() {
    let mut store = MemoryStore::with_capacity(10);
    let here = terms();
    let (session, there) =
        (Terms { recipient: Scope::agent(""), ..terms() }, Terms { room: "q".into(), ..terms() });
    let issues = [issue("m", 1, &here), issue("m", 2, &session), issue("m", 3, &there), issue("n", 4, &here)];
    for issue in issues.iter().chain([&issue("l", 5, &here)]) {
        assert_eq!(store.issue(issue), Ok(Issued::Open));
    }
    store.withdraw("r", "m");
    let open = [1, 2, 3, 4, 5].map(|value| state(&mut store, value) == Some(State::Open));
    assert_eq!(open, [false, false, true, true, true]);
    // What was answered stays so.
    assert_eq!(store.consume(&route(4).digest(), &used("x")), Ok(true));
    store.withdraw("r", "n");
    assert_eq!(state(&mut store, 4), Some(State::Consumed(used("x"))));
}

#[test]
fn a_message_that_is_kept_for_longer_stays_answered() {
    let mut store = MemoryStore::with_capacity(10);
    let terms = terms();
    assert_eq!(store.issue(&issue("m", 1, &terms)), Ok(Issued::Open));
    assert_eq!(store.consume(&route(1).digest(), &used("x")), Ok(true));
    let longer = |value, end| Issue { retention_end: end, ..issue("m", value, &terms) };
    assert_eq!(store.issue(&longer(2, NOW + 9_000_000)), Ok(Issued::Answered));
    assert_eq!(store.issue(&longer(3, NOW)), Ok(Issued::Answered));
    store.forget(NOW + 9_000_000 + WEEK - 1);
    assert_eq!(store.issue(&longer(4, NOW)), Ok(Issued::Answered));
    store.forget(NOW + 9_000_000 + WEEK);
    assert_eq!(store.issue(&longer(5, NOW)), Ok(Issued::Open));
}

#[test]
fn nothing_is_left_of_what_is_forgotten() {
    let mut store = MemoryStore::with_capacity(3);
    let terms = terms();
    for value in 0..40 {
        let message = format!("m-{}", value % 5);
        let now = NOW + i64::from(value) * 9;
        let terms = Terms { expires: now + 20, ..terms.clone() };
        let _ = store.issue(&Issue { now, retention_end: now, ..issue(&message, value, &terms) });
        if value % 3 == 0 {
            let _ = store.consume(&route(value).digest(), &used("x"));
        }
    }
    store.forget(i64::MAX);
    assert_eq!(format!("{store:?}"), format!("{:?}", MemoryStore::with_capacity(3)));
}

#[test]
fn a_full_store_forgets_what_is_over_and_else_refuses() {
    let mut store = MemoryStore::with_capacity(2);
    let (terms, long) = (terms(), Terms { expires: NOW + 900, ..terms() });
    assert_eq!(store.issue(&issue("a", 1, &terms)), Ok(Issued::Open));
    assert_eq!(store.issue(&issue("b", 2, &long)), Ok(Issued::Open));
    assert_eq!(store.issue(&issue("c", 3, &terms)), Ok(Issued::Refused));
    assert_eq!([1, 2, 3].map(|value| state(&mut store, value)), [Some(State::Open), Some(State::Open), None]);
    // What takes another's place needs no room.
    assert_eq!(store.issue(&issue("a", 4, &terms)), Ok(Issued::Open));
    assert_eq!([1, 2, 4].map(|value| state(&mut store, value)), [None, Some(State::Open), Some(State::Open)]);
    // At its expiry the first makes room, and is revoked by nothing.
    let later = |now| Issue { now, ..issue("c", 3, &long) };
    assert_eq!(store.issue(&later(NOW + 99)), Ok(Issued::Refused));
    assert_eq!(store.issue(&later(NOW + 100)), Ok(Issued::Open));
    assert_eq!([4, 2, 3].map(|value| state(&mut store, value)), [None, Some(State::Open), Some(State::Open)]);
    assert!(MemoryStore::with_capacity(0).issue(&issue("a", 1, &terms)) == Ok(Issued::Refused));
    // What was used stays.
    let mut store = MemoryStore::with_capacity(2);
    for (message, value) in [("a", 1), ("b", 2)] {
        assert_eq!(store.issue(&issue(message, value, &terms)), Ok(Issued::Open));
    }
    assert!(!store.is_empty());
    assert_eq!(store.consume(&route(1).digest(), &used("x")), Ok(true));
    assert_eq!(store.issue(&issue("c", 3, &terms)), Ok(Issued::Refused));
    assert_eq!(state(&mut store, 1), Some(State::Consumed(used("x"))));
    assert_eq!(state(&mut store, 2), Some(State::Open));
    // What is withdrawn makes room for any other.
    store.withdraw("r", "b");
    assert_eq!(store.issue(&issue("c", 3, &terms)), Ok(Issued::Open));
    // So does a revoked one.
    let mut store = MemoryStore::with_capacity(2);
    for value in [1, 2, 3, 4] {
        assert_eq!(store.issue(&issue("a", value, &terms)), Ok(Issued::Open));
        assert_eq!(state(&mut store, value), Some(State::Open));
    }
    assert_eq!(store.len(), 2);
}

#[test]
fn what_can_still_be_asked_for_is_not_forgotten() {
    let mut store = MemoryStore::with_capacity(10);
    let terms = terms();
    let issues = [
        issue("open", 1, &terms),
        issue("used", 2, &terms),
        Issue { retention_end: NOW, ..issue("gone", 3, &terms) },
    ];
    for issue in issues {
        assert_eq!(store.issue(&issue), Ok(Issued::Open));
    }
    let forever = Issue { retention_end: i64::MAX - 1, ..issue("forever", 4, &terms) };
    assert_eq!(store.issue(&forever), Ok(Issued::Open));
    for value in [2, 3, 4] {
        assert_eq!(store.consume(&route(value).digest(), &used("x")), Ok(true));
    }
    let mut known = |now| {
        store.forget(now);
        [1, 2, 3, 4].map(|value| state(&mut store, value).is_some())
    };
    assert_eq!(known(NOW + 99), [true, true, true, true]);
    assert_eq!(known(NOW + 100), [false, true, true, true]);
    // Past its expiry by the margin, and then past the end of its message by the margin.
    assert_eq!(known(NOW + 100 + WEEK - 1), [false, true, true, true]);
    assert_eq!(known(NOW + 100 + WEEK), [false, true, false, true]);
    assert_eq!(known(NOW + 1_000 + WEEK - 1), [false, true, false, true]);
    assert_eq!(known(NOW + 1_000 + WEEK), [false, false, false, true]);
    assert_eq!(known(i64::MAX), [false, false, false, true]);
    assert_eq!(store.issue(&issue("forever", 5, &terms)), Ok(Issued::Answered));
    assert_eq!(store.issue(&issue("used", 6, &terms)), Ok(Issued::Open));
}

/// A store in which somebody else comes between looking and consuming.
struct Race {
    store: MemoryStore,
    faster: State,
    calls: Vec<&'static str>,
}

impl Store for Race {
    type Error = Infallible;

    fn find(&mut self, digest: &RouteDigest) -> Result<Option<Record>, Infallible> {
        self.calls.push("find");
        let mut record = self.store.find(digest)?;
        if let Some(record) = record.as_mut().filter(|_| self.calls.contains(&"consume")) {
            record.state = self.faster.clone();
        }
        Ok(record)
    }

    fn issue(&mut self, issue: &Issue<'_>) -> Result<Issued, Infallible> {
        self.store.issue(issue)
    }

    fn consume(&mut self, _: &RouteDigest, _: &Used) -> Result<bool, Infallible> {
        self.calls.push("consume");
        Ok(false)
    }
}

#[test]
fn who_loses_a_race_is_answered_by_what_won() {
    let cases = [
        (State::Consumed(used("first")), Ok(Redeemed::Replay(String::from("first"))), None),
        (State::Consumed(Used { key: "j".into(), ..used("first") }), Err(Refusal), Some(Reason::OtherKey)),
        (
            State::Consumed(Used { body: BodyDigest::of(b"No"), ..used("first") }),
            Err(Refusal),
            Some(Reason::OtherBody),
        ),
        (State::Revoked, Err(Refusal), Some(Reason::Revoked)),
        (State::Open, Err(Refusal), Some(Reason::BadRecord)),
    ];
    for (faster, answer, reason) in cases {
        let mut store = MemoryStore::with_capacity(1);
        assert_eq!(store.issue(&issue("m", 1, &terms())), Ok(Issued::Open));
        let mut race = Race { store, faster, calls: Vec::new() };
        let attempt = Attempt {
            route: &PresentedRoute::new(route(1)),
            room: "r",
            scope: &Scope::session("bob", "s"),
            authority: true,
            key: "k",
            body: b"Yes",
        };
        let redemption = redeem(&mut race, &attempt, &controls(false, true, 7), "second", NOW).unwrap();
        assert_eq!(redemption.audit().map(|audit| audit.reason), reason);
        assert_eq!(redemption.into_answer(), answer);
        assert_eq!(race.calls, ["find", "consume", "find"]);
    }
}

/// A store that fails at one of its calls, and loses every race.
struct Failing {
    store: MemoryStore,
    left: usize,
}

impl Failing {
    fn call(&mut self) -> Result<&mut MemoryStore, &'static str> {
        self.left = self.left.checked_sub(1).ok_or("the store failed")?;
        Ok(&mut self.store)
    }
}

impl Store for Failing {
    type Error = &'static str;

    fn find(&mut self, digest: &RouteDigest) -> Result<Option<Record>, &'static str> {
        self.call()?.find(digest).map_err(|never| match never {})
    }

    fn issue(&mut self, issue: &Issue<'_>) -> Result<Issued, &'static str> {
        self.call()?.issue(issue).map_err(|never| match never {})
    }

    fn consume(&mut self, _: &RouteDigest, _: &Used) -> Result<bool, &'static str> {
        self.call().map(|_| false)
    }
}

#[test]
fn what_a_store_fails_with_is_passed_on() {
    let (ada, bob) = (Scope::agent("ada"), Scope::session("bob", "s"));
    let question = Delivery {
        message: "m",
        room: "r",
        kind: Kind::Direct,
        hop: 2,
        lineage: "l",
        author: &ada,
        recipient: &bob,
        cross_principal: true,
        admitted: true,
        moderated: true,
        alive: true,
        duplicate: false,
        retention_end: NOW + 100,
    };
    let open = controls(false, true, 7);
    let failing = |left| Failing { store: MemoryStore::with_capacity(1), left };
    let deliver = |store: &mut Failing| deliver(store, &question, &open, Posture::Reactive, &[1; 32], NOW);
    assert_eq!(deliver(&mut failing(0)).unwrap_err(), "the store failed");
    for (left, answer) in [(0, None), (1, None), (2, None), (3, Some(Err(Refusal)))] {
        let mut store = failing(1);
        assert!(matches!(deliver(&mut store), Ok(Delivered::Turn(handed)) if handed.remaining() == 14));
        store.left = left;
        let presented = PresentedRoute::new(route(1));
        let attempt =
            Attempt { route: &presented, room: "r", scope: &bob, authority: true, key: "k", body: b"Yes" };
        let redemption = redeem(&mut store, &attempt, &open, "receipt", NOW);
        assert_eq!(redemption.ok().map(Redemption::into_answer), answer, "{left}");
    }
}

#[test]
fn a_record_that_is_gone_or_of_another_route_is_refused() {
    let presented = PresentedRoute::new(route(1));
    let scope = Scope::session("bob", "s");
    let attempt =
        Attempt { route: &presented, room: "r", scope: &scope, authority: true, key: "k", body: b"Yes" };
    let record = |value| Record {
        digest: route(value).digest(),
        message: String::new(),
        terms: terms(),
        state: State::Open,
    };
    let reason = |step| match step {
        Step::Done(redemption) => redemption.audit().map(|audit: Audit| audit.reason),
        Step::Consume(_) => None,
    };
    let open = controls(false, true, 7);
    assert_eq!(reason(attempt.decide(Some(&record(1)), &open, NOW)), None);
    let Step::Consume(consume) = attempt.decide(Some(&record(1)), &open, NOW) else { panic!("it is good") };
    assert_eq!((consume.terms(), consume.digest()), (&terms(), &route(1).digest()));
    assert_eq!(reason(attempt.decide(Some(&record(2)), &open, NOW)), Some(Reason::Unknown));
    assert_eq!(reason(attempt.decide(None, &open, NOW)), Some(Reason::Unknown));
    let lost = |now_there: Option<&Record>| match attempt.decide(Some(&record(1)), &open, NOW) {
        Step::Consume(consume) => consume.lost(now_there).audit().map(|audit| audit.reason),
        Step::Done(_) => None,
    };
    assert_eq!(lost(None), Some(Reason::Unknown));
    let consumed = |value| Record { state: State::Consumed(used("x")), ..record(value) };
    assert_eq!(lost(Some(&consumed(2))), Some(Reason::Unknown));
    assert_eq!(lost(Some(&consumed(1))), None);
    let moved = Record { terms: Terms { room: "q".into(), ..terms() }, ..consumed(1) };
    assert_eq!(lost(Some(&moved)), Some(Reason::OtherRoom));
    // A text that is no route finds nothing, also in a store that answers with something.
    let nothing = PresentedRoute::read("x");
    let attempt = Attempt { route: &nothing, ..attempt };
    assert_eq!(reason(attempt.decide(None, &open, NOW)), Some(Reason::NoRoute));
    let record = Record { digest: nothing.digest(), ..record(1) };
    assert_eq!(reason(attempt.decide(Some(&record), &open, NOW)), Some(Reason::NoRoute));
}

#[test]
fn what_remains_is_of_a_route() {
    let remaining = |hop| Terms { hop, ..terms() }.remaining();
    for (hop, left) in [(i64::MIN, 0), (-1, 0), (0, 0), (1, 16), (2, 15), (16, 1), (17, 0), (i64::MAX, 0)] {
        assert_eq!(remaining(hop), left, "{hop}");
    }
}

#[test]
fn reasons_have_one_code_each() {
    let reasons = [
        Reason::NoRoute,
        Reason::Unknown,
        Reason::BadRecord,
        Reason::OtherRoom,
        Reason::OtherScope,
        Reason::NoAuthority,
        Reason::Revoked,
        Reason::OtherKey,
        Reason::OtherBody,
        Reason::OldGeneration,
        Reason::Expired,
        Reason::Paused,
        Reason::RoomNotReactive,
    ];
    let codes = "no_route unknown bad_record other_room other_scope no_authority revoked other_key other_body \
                 old_generation expired paused room_not_reactive";
    assert!(reasons.iter().map(|reason| reason.code()).eq(codes.split_whitespace()));
}

#[test]
fn a_refusal_is_one_value() {
    let presented = PresentedRoute::read("x");
    let scope = Scope::agent("bob");
    let attempt =
        Attempt { route: &presented, room: "r", scope: &scope, authority: true, key: "k", body: b"" };
    let Step::Done(redemption) = attempt.decide(None, &controls(false, true, 7), NOW) else {
        panic!("refused")
    };
    assert_eq!(format!("{redemption:?}"), "Redemption(Err(Refusal))");
    assert_eq!(format!("{:?} {}", Refusal, Refusal), "Refusal the route cannot be used");
    assert_eq!(core::mem::size_of::<Refusal>(), 0);
}
