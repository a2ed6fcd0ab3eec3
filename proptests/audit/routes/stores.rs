//! A store that is full or forgets: nothing that could still be asked for is gone.

use super::again::retries;
use super::{firsts, is_first};
use crate::audit::config;
use crate::route_cases::{DAY, WEEK, case, event};
use crate::routes::event::{Case, Event, Kind, OPEN, Who};
use crate::routes::said::{Answer, Delivered, Did, Try};
use crate::routes::secret;
use crate::routes::world::World;
use parley_grants::routes::Store as _;
use proptest::collection::vec;
use proptest::prelude::*;

proptest! {
    #![proptest_config(config())]

    /// It holds no more than it has room for, and what is handed over is kept: who has a route can use it, or has another one (C3).
    #[test]
    fn a_full_store_loses_no_route(
        room in 0..6_usize, parties in vec((0..Who::ALL, 0..Who::ALL), 1..16), again in vec(0..16_usize, 0..8), by_steps: bool,
    ) {
        let mut world = World::of(&Case { room, now: crate::generate::T, generation: 0, by_steps, events: vec![] });
        for (author, to) in parties {
            let (author, to) = (Who::numbered(author), Who::numbered(to));
            world.happens(&Event::Send { room: 0, kind: Kind::Direct, author, to, hop: 0, keep: 30 * DAY });
        }
        let all: Vec<usize> = (0..world.messages.len()).collect();
        let again = again.into_iter().map(|at| all[at % all.len()]);
        let mut given = std::collections::HashMap::new();
        for message in all.iter().copied().chain(again) {
            let to = world.messages[message].to;
            if let Some(route) = world.deliver(message, to, OPEN, false, None) {
                given.insert(message, route);
            }
            prop_assert!(world.store.inner.len() <= room);
            // What was held is refused for want of room alone.
            if let Some(Did::Delivered(_, Delivered::Refused)) = world.log.last() {
                prop_assert_eq!(given.len(), room);
            }
        }
        for route in given.into_values() {
            let attempt = world.by(world.handed[route], None, None);
            prop_assert!(is_first(world.redeem(attempt)), "it is gone");
            let retry = world.by(world.handed[route], None, None);
            prop_assert!(matches!(world.redeem(retry), Answer::Replay(_)));
        }
    }

    /// What was used, until a week after the end of its route and of its message; what was not, until its end (C3).
    #[test]
    fn nothing_that_matters_is_forgotten(case in case(30), after in vec(event(), 0..10)) {
        let mut world = World::played(&case);
        world.happens(&Event::Forget);
        world.play(&after);
        world.happens(&Event::Forget);
        let now = i128::from(world.now);
        for (attempt, receipt, terms) in firsts(&world) {
            let handed = world.handed.iter().find(|handed| handed.secret == attempt.secret).expect("it was handed over");
            let ends = terms.expires.max(world.messages[handed.message].ends);
            let is_repeated = world.handed.iter().filter(|other| other.secret == attempt.secret).count() > 1;
            if now < i128::from(ends) + i128::from(WEEK) && !is_repeated {
                let retry = Try { over: world.over(attempt.room), authority: true, ..attempt };
                prop_assert_eq!(world.redeem(retry), Answer::Replay(receipt));
            }
        }
        // A route that was revoked makes room.
        let is_withdrawn = |message| world.log.iter().any(|did| matches!(did, Did::Withdrew(other) if *other == message));
        for at in 0..world.handed.len() {
            let handed = world.handed[at];
            if is_withdrawn(handed.message) {
                continue;
            }
            let is_latest = !world.handed[at + 1..].iter().any(|later| {
                (later.message, later.recipient) == (handed.message, handed.recipient) || later.secret == handed.secret
            });
            let Ok(record) = world.store.inner.find(&secret::digest(handed.secret));
            prop_assert!(record.is_some() || !is_latest || now >= i128::from(handed.expires));
        }
    }

    /// Whatever was handed over with it; what was answered before is still known (C4).
    #[test]
    fn what_is_withdrawn_makes_no_message(case in case(40)) {
        let mut world = World::played(&case);
        for message in 0..world.messages.len() {
            world.happens(&Event::Withdraw { message: u8::try_from(message).expect("few") });
        }
        let known = retries(&mut world);
        for handed in world.handed.clone() {
            let attempt = world.by(handed, None, None);
            prop_assert!(!is_first(world.redeem(attempt)), "{attempt:?}");
        }
        for (retry, receipt) in known {
            prop_assert_eq!(world.redeem(retry), Answer::Replay(receipt));
        }
    }
}
