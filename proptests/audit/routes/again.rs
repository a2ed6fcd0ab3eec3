//! What was answered once is answered once.

use super::{ask, firsts, hand_over, is_first, is_refused, world};
use crate::audit::config;
use crate::generate::T;
use crate::route_cases::{DAY, WEEK, case, event, pair, pass, set};
use crate::routes::event::{BODIES, Case, Event, KEYS};
use crate::routes::said::{Answer, Delivered, Did, Try};
use crate::routes::secret;
use crate::routes::world::World;
use parley_grants::routes::{State, Store as _};
use proptest::collection::vec;
use proptest::prelude::*;

/// A case, and then what should make no difference.
fn disturbed() -> impl Strategy<Value = (Case, Vec<Event>)> {
    (case(30), vec(prop_oneof![2 => event(), 2 => set(), 1 => pass(), 1 => Just(Event::Forget)], 0..12))
}

/// The first redemptions that are still to be known, as their retries are now, with authority again.
pub(super) fn retries(world: &mut World) -> Vec<(Try, usize)> {
    let is_known = |expires: i64| i128::from(world.now) < i128::from(expires) + i128::from(WEEK);
    let mut known = firsts(world);
    known.retain(|(.., terms)| is_known(terms.expires));
    let retry = |attempt: Try| Try { over: world.over(attempt.room), authority: true, ..attempt };
    known.into_iter().map(|(attempt, receipt, _)| (retry(attempt), receipt)).collect()
}

proptest! {
    #![proptest_config(config())]

    /// Also when the route is over, the platform paused, the room's policy another; and nothing is made (C3).
    #[test]
    fn a_replay_is_answered_with_the_first_receipt((case, after) in disturbed()) {
        let mut world = World::played(&case);
        world.play(&after);
        let messages = world.messages.clone();
        for (retry, receipt) in retries(&mut world) {
            prop_assert_eq!(world.redeem(retry), Answer::Replay(receipt));
        }
        prop_assert_eq!(world.messages, messages);
    }

    /// With another key, another body, without authority, or elsewhere (C3).
    #[test]
    fn only_the_same_once_more_is_a_replay((case, after) in disturbed()) {
        let mut world = World::played(&case);
        world.play(&after);
        let messages = world.messages.clone();
        for (retry, _) in retries(&mut world) {
            let keys = (0..KEYS.len() as u8).filter(|key| *key != retry.key);
            let bodies = (0..BODIES.len() as u8).filter(|body| *body != retry.body);
            let others = keys.map(|key| Try { key, ..retry }).chain(bodies.map(|body| Try { body, ..retry }));
            let elsewhere = [Try { authority: false, ..retry }, Try { room: 1 - retry.room, ..retry }];
            for other in others.chain(elsewhere) {
                prop_assert!(is_refused(world.redeem(other)), "{other:?}");
            }
        }
        prop_assert_eq!(world.messages, messages);
    }

    /// Two or three decide, then consume in any order, and something may come between (C3).
    #[test]
    fn of_racing_redeemers_one_wins(
        parties in pair(),
        racers in vec((0..2_u8, 0..2_u8), 2..=3),
        order in vec(0..3_usize, 3),
        between in vec(prop::option::weighted(0.2, prop_oneof![event(), Just(Event::Drain { room: 0 })]), 3),
    ) {
        let mut world = world(T, true);
        let question = ask(&mut world, parties, 30 * DAY);
        let route = hand_over(&mut world, question).expect("a route");
        let handed = world.handed[route];
        for (key, body) in &racers {
            world.begin(Try { key: *key, body: *body, ..world.by(handed, None, None) });
        }
        let is_alone = between.iter().all(Option::is_none);
        let mut left = racers.clone();
        let mut won: Option<((u8, u8), usize)> = None;
        for (at, between) in order.into_iter().zip(between).take(racers.len()) {
            let at = at % left.len();
            let racer = left.remove(at);
            let receipt = world.messages.len();
            match (world.end(at), won) {
                (Answer::First(_), None) => won = Some((racer, receipt)),
                (Answer::Replay(of), Some((winner, receipt))) => prop_assert_eq!((of, racer), (receipt, winner)),
                (Answer::Refused(_), Some((winner, _))) => prop_assert_ne!(racer, winner),
                // Revoked by what came between.
                (Answer::Refused(_), None) => prop_assert!(!is_alone),
                (answer, won) => prop_assert!(false, "{answer:?} after {won:?}"),
            }
            // Others would wait in the same queue.
            if let Some(event) = between.filter(|event| !matches!(event, Event::Begin(_) | Event::End(_))) {
                world.happens(&event);
            }
        }
        prop_assert!(won.is_some() || !is_alone);
        if let Some(((key, body), receipt)) = won {
            let Ok(record) = world.store.inner.find(&secret::digest(handed.secret));
            let Some(State::Consumed(used)) = record.map(|record| record.state) else {
                return Err(TestCaseError::fail("not written down"));
            };
            prop_assert_eq!((used.key.as_str(), used.receipt), (KEYS[usize::from(key)], format!("m-{receipt}")));
            prop_assert_eq!(*used.body.as_bytes(), secret::sha256(BODIES[usize::from(body)]));
        }
    }

    /// The latest, and none once it was answered, also when the store was to forget (C3).
    #[test]
    fn a_message_has_at_most_one_live_route_for_a_recipient(case in case(40)) {
        let mut world = World::of(&case);
        for events in case.events.chunks(10) {
            world.play(events);
            for (at, handed) in world.handed.iter().enumerate() {
                let Ok(record) = world.store.inner.find(&secret::digest(handed.secret));
                let later = world.handed[at + 1..].iter().any(|later| {
                    (later.message, later.recipient) == (handed.message, handed.recipient) && later.secret != handed.secret
                });
                let is_open = record.is_some_and(|record| record.state == State::Open);
                let again = world.handed.iter().filter(|other| other.secret == handed.secret).count() > 1;
                prop_assert!(!(is_open && later) || again, "{handed:?} is open, and there is a later one");
            }
        }
        let mut answered = Vec::new();
        let mut began = Vec::new();
        let mut given = std::collections::HashMap::new();
        for did in &world.log {
            match did {
                Did::Delivered(asked, Delivered::Turn(Some(_), _)) => {
                    let owner = (asked.message, asked.recipient);
                    prop_assert!(!answered.contains(&owner), "a route to what was answered: {asked:?}");
                    given.insert(asked.secret, owner);
                }
                Did::Began(attempt, _) => began.push(*attempt),
                Did::Tried(attempt, _, Answer::First(_), ..) => answered.push(given[&attempt.secret]),
                Did::Ended(which, _, Answer::First(_)) => answered.push(given[&began[*which].secret]),
                _ => {}
            }
        }
    }

    /// Redelivered any number of times, with answers that are lost on their way, a question has one answer (C3).
    #[test]
    fn a_question_is_answered_once(
        parties in pair(), steps in vec((0..5_u8, 0..8_usize), 1..24), later in 0..40 * DAY, by_steps: bool,
    ) {
        let mut world = world(T, by_steps);
        let question = ask(&mut world, parties, 30 * DAY);
        let mut answers = 0;
        for (step, which) in steps {
            match step {
                0 | 1 => drop(hand_over(&mut world, question)),
                2 | 3 if !world.handed.is_empty() => {
                    let handed = world.handed[which % world.handed.len()];
                    let attempt = world.by(handed, None, None);
                    answers += usize::from(is_first(world.redeem(attempt)));
                }
                _ => {
                    world.now += later / 8;
                    world.happens(&Event::Forget);
                }
            }
            prop_assert!(answers <= 1);
        }
    }
}
