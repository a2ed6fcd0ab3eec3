//! What is refused, and how little is to be seen of it.

use super::{ask, firsts, hand_over, is_first, is_refused, world};
use crate::audit::config;
use crate::generate::T;
use crate::route_cases::{DAY, a_use, case, pair};
use crate::routes::event::{Event, Text, Who};
use crate::routes::said::{Answer, Calls, Did, Try};
use crate::routes::world::World;
use proptest::collection::vec;
use proptest::prelude::*;

proptest! {
    #![proptest_config(config())]

    /// As a value, as a text, and in the store's work: one look and nothing written (C3).
    #[test]
    fn every_refusal_is_the_same(case in case(30), more in vec(a_use(), 0..20)) {
        let mut world = World::played(&case);
        more.into_iter().for_each(|how| world.happens(&Event::Redeem(how)));
        let one_look = Calls { find: 1, issue: 0, consume: 0 };
        for did in &world.log {
            if let Did::Tried(attempt, _, Answer::Refused(_), seen, calls) = did {
                let text = "Redemption(Err(Refusal)) Redemption(\n    Err(\n        Refusal,\n    ),\n) Refusal the route cannot be used false";
                prop_assert_eq!(seen, text, "{:?}", attempt);
                prop_assert_eq!(*calls, one_look, "{:?}", attempt);
            }
        }
    }

    /// Whoever tried whatever, its recipient can still use it, and the store is as it was (C3).
    #[test]
    fn a_refusal_changes_nothing(
        case in case(15), parties in pair(), tries in vec(a_use(), 1..20), who in 0..Who::ALL, by_steps: bool,
    ) {
        let mut played = World::played(&case);
        let before = (format!("{:?}", played.store.inner), played.messages.clone());
        let attempts: Vec<Try> = tries.iter().filter_map(|how| played.attempt(*how)).collect();
        for attempt in attempts {
            if is_refused(played.redeem(attempt)) {
                prop_assert_eq!(&format!("{:?}", played.store.inner), &before.0);
                prop_assert_eq!(&played.messages, &before.1);
            } else {
                break;
            }
        }

        let mut world = world(T, by_steps);
        let question = ask(&mut world, parties, DAY);
        let route = hand_over(&mut world, question).expect("a route");
        let right = world.by(world.handed[route], None, None);
        let over = right.over;
        let who = Who::numbered(who);
        let mut wrong = vec![
            Try { text: Text::Respelled(who.agent), ..right },
            Try { text: Text::Unknown(who.agent), ..right },
            Try { room: 1, ..right },
            Try { authority: false, ..right },
        ];
        wrong.extend([
            Try { over: crate::routes::said::Over { paused: true, ..over }, ..right },
            Try { over: crate::routes::said::Over { generation: 8, ..over }, ..right },
            Try { over: crate::routes::said::Over { now: T + DAY, ..over }, ..right },
        ]);
        if who != right.by {
            wrong.push(Try { by: who, ..right });
        }
        for attempt in wrong {
            prop_assert!(is_refused(world.redeem(attempt)), "{attempt:?}");
        }
        prop_assert!(is_first(world.redeem(right)));
    }

    /// A route of a session is of no use to its agent, nor the reverse, nor to another session of any agent (C1).
    #[test]
    fn an_exact_scope_never_widens(case in case(30), pair in pair(), by_steps: bool) {
        let mut world = world(T, by_steps);
        let question = ask(&mut world, pair, DAY);
        let route = hand_over(&mut world, question).expect("a route");
        let handed = world.handed[route];
        for round in 0..2 {
            for who in (0..Who::ALL).map(Who::numbered).filter(|who| *who != handed.recipient) {
                let attempt = world.by(handed, Some(who), None);
                prop_assert!(is_refused(world.redeem(attempt)), "{who:?} in place of {:?}, round {round}", handed.recipient);
            }
            let attempt = world.by(handed, None, None);
            prop_assert!(!is_refused(world.redeem(attempt)));
        }
        // The answer goes to just that scope which asked.
        prop_assert_eq!(world.messages[question + 1].to, pair.0);

        let world = World::played(&case);
        for (attempt, ..) in firsts(&world) {
            let is_its = world.handed.iter().any(|handed| handed.secret == attempt.secret && handed.recipient == attempt.by);
            prop_assert!(is_its, "{attempt:?}");
        }
    }

    /// Right room, recipient, authority, generation and time, and no control in the way (C3).
    #[test]
    fn a_first_redemption_needs_all_of_it(case in case(40), more in vec(a_use(), 0..10)) {
        let mut world = World::played(&case);
        more.into_iter().for_each(|how| world.happens(&Event::Redeem(how)));
        for (attempt, _, terms) in firsts(&world) {
            let over = attempt.over;
            prop_assert_eq!((attempt.by, attempt.room), (terms.recipient, terms.room));
            prop_assert!(attempt.authority);
            prop_assert_eq!(over.generation, terms.generation);
            prop_assert!(over.now < terms.expires);
            prop_assert!(!over.paused);
            prop_assert!(over.reactive || !terms.crosses);
        }
    }
}
