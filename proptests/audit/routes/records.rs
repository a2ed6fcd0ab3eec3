//! What is decided by any record at all, also by one that no server of this contract would write.

use crate::audit::config;
use crate::generate::T;
use parley_grants::routes::{
    Attempt, BodyDigest, Controls, First, PlatformPause, PresentedRoute, Record, Redeemed, Refusal,
    RoomPolicy, Route, Scope, State, Step, Terms, Used,
};
use proptest::collection::vec;
use proptest::prelude::*;

fn scope() -> impl Strategy<Value = Scope> {
    ("[ab]{0,2}", prop::option::of("[ab]{0,2}")).prop_map(|(agent, session)| Scope { agent, session })
}

fn hop() -> impl Strategy<Value = i64> {
    prop_oneof![4 => 1..=16_i64, 2 => -2..=20_i64, 1 => any::<i64>(), 1 => Just(256), 1 => Just((1 << 32) + 1)]
}

/// A record of the route of these bytes, for this recipient, in generation 7, until the next second.
fn record(bytes: u8, recipient: &Scope, hop: i64, is_used: bool) -> Record {
    let used = Used { key: "k".into(), body: BodyDigest::of(b"Yes"), receipt: "m-1".into() };
    Record {
        digest: Route::from_random(&[bytes; 32]).digest(),
        message: "m".into(),
        terms: Terms {
            room: "r".into(),
            recipient: recipient.clone(),
            target: Scope::agent("t"),
            generation: 7,
            hop,
            lineage: "l".into(),
            cross_principal: true,
            expires: T + 1,
        },
        state: if is_used { State::Consumed(used) } else { State::Open },
    }
}

/// What comes of an attempt, if the store can consume the route. That it was another one may come out then.
fn decided(
    attempt: &Attempt<'_>,
    record: &Record,
    controls: Controls,
    now: i64,
    after: Option<&Record>,
) -> Result<Redeemed, Refusal> {
    match (attempt.decide(Some(record), &controls, now), after) {
        (Step::Done(redemption), _) => redemption.into_answer(),
        (Step::Consume(consume), None) => consume.won().into_answer(),
        (Step::Consume(consume), after) => consume.lost(after).into_answer(),
    }
}

const fn controls(paused: bool, reactive: bool) -> Controls {
    Controls { platform: PlatformPause::recorded(paused), room: RoomPolicy::recorded(reactive, 7) }
}

proptest! {
    #![proptest_config(config())]

    /// Whatever their names are, a scope is one agent and one session, or none (C1).
    #[test]
    fn scopes_are_compared_whole(recipient in scope(), other in scope(), is_used: bool) {
        let presented = PresentedRoute::new(Route::from_random(&[1; 32]));
        let attempt = Attempt { route: &presented, room: "r", scope: &other, authority: true, key: "k", body: b"Yes" };
        let answer = decided(&attempt, &record(1, &recipient, 1, is_used), controls(false, true), T, None);
        prop_assert_eq!(answer.is_ok(), recipient == other, "{:?} {:?}", recipient, other);
    }

    /// A hop that no route has, or another digest than was looked for: before the race and after it (C1).
    #[test]
    fn a_damaged_record_is_refused(scope in scope(), hop in hop(), is_used: bool) {
        let presented = PresentedRoute::new(Route::from_random(&[1; 32]));
        let attempt = Attempt { route: &presented, room: "r", scope: &scope, authority: true, key: "k", body: b"Yes" };
        let answer = |record: &Record, after: Option<Record>| decided(&attempt, record, controls(false, true), T, after.as_ref());
        let is_good = (1..=16).contains(&hop);
        let good = record(1, &scope, 1, false);
        prop_assert_eq!(answer(&record(1, &scope, hop, is_used), None).is_ok(), is_good);
        prop_assert_eq!(answer(&good, Some(record(1, &scope, hop, true))).is_ok(), is_good);
        // Who lost to nobody has lost.
        prop_assert!(answer(&good, Some(record(1, &scope, hop, false))).is_err());
        prop_assert!(answer(&record(2, &scope, 1, is_used), None).is_err());
        prop_assert!(answer(&good, Some(record(2, &scope, 1, true))).is_err());
    }

    /// Also in a room whose policy has changed within a generation; a retry needs less (C3).
    #[test]
    fn each_condition_counts_by_itself(
        hop in prop_oneof![9 => Just(1), 1 => hop()], is_used: bool, crosses: bool, later in -1..=1_i64,
        generation in prop_oneof![1 => 6..=8_u64, 8 => Just(7)], same in vec(prop::bool::weighted(0.9), 4), authority in prop::bool::weighted(0.9),
        paused in prop::bool::weighted(0.1), reactive in prop::bool::weighted(0.8),
    ) {
        let [same_scope, same_room, same_key, same_body] = same[..] else { panic!("four") };
        let presented = PresentedRoute::new(Route::from_random(&[1; 32]));
        let scope = Scope::agent("a");
        let mut record = record(1, &scope, hop, is_used);
        record.terms.generation = generation;
        record.terms.cross_principal = crosses;
        let other = Scope::session("a", "");
        let attempt = Attempt {
            route: &presented,
            room: if same_room { "r" } else { "R" },
            scope: if same_scope { &scope } else { &other },
            authority,
            key: if same_key { "k" } else { "K" },
            body: if same_body { b"Yes" } else { b"yes" },
        };
        let answer = decided(&attempt, &record, controls(paused, reactive), T + later, None);
        let is_theirs = same_scope && same_room && authority && (1..=16).contains(&hop);
        let expected = if is_used {
            (is_theirs && same_key && same_body).then(|| Redeemed::Replay("m-1".into()))
        } else {
            let controls = !paused && (reactive || !crosses) && generation == 7;
            (is_theirs && controls && later < 1).then(|| Redeemed::First(First { answers: "m".into(), terms: record.terms.clone() }))
        };
        prop_assert_eq!(answer.ok(), expected);
    }
}
