//! Pauses, policies and postures.

use super::{ask, hand_over, is_first, is_refused, last_delivery, world};
use crate::audit::config;
use crate::generate::T;
use crate::route_cases::{DAY, WEEK, a_use, by, case, event, pair, set};
use crate::routes::event::{By, Case, Control, Event, OPEN, Who};
use crate::routes::said::{Answer, Delivered, Did};
use crate::routes::world::World;
use proptest::collection::vec;
use proptest::prelude::*;

const fn pause(on: bool) -> Event {
    Event::Set(Control::Pause { on }, By::Platform)
}

const fn policy(reactive: bool) -> Event {
    Event::Set(Control::Room { room: 0, reactive }, By::RoomOwner)
}

const fn posture(agent: u8, manual: bool, by: By) -> Event {
    Event::Set(Control::Posture { agent, room: 0, manual }, by)
}

/// Two agents of two principals.
fn across() -> impl Strategy<Value = (Who, Who)> {
    pair().prop_map(|(one, other)| (one, Who { agent: (one.agent + 2) % 4, ..other }))
}

proptest! {
    #![proptest_config(config())]

    /// Neither lost nor acknowledged, however often it is asked about; then it has a route of the present generation (C4).
    #[test]
    fn held_work_is_delivered_on_resume(
        parties in across(), was_handed: bool, holds in vec((0..3_u8, 1..4_usize), 1..4), later in 0..6 * DAY, by_steps: bool,
    ) {
        let mut world = world(T, by_steps);
        let question = ask(&mut world, parties, 30 * DAY);
        let earlier = was_handed.then(|| hand_over(&mut world, question).expect("a route"));
        for (hold, times) in holds {
            world.happens(&match hold {
                0 => pause(true),
                1 => policy(false),
                _ => posture(parties.1.agent, true, By::Agent),
            });
            let before = format!("{:?}", world.store.inner);
            for _ in 0..times {
                hand_over(&mut world, question);
                prop_assert_eq!(last_delivery(&world), Delivered::Held);
                world.happens(&Event::Drain { room: 0 });
                prop_assert_eq!(last_delivery(&world), Delivered::Held);
            }
            prop_assert_eq!(format!("{:?}", world.store.inner), before);
        }
        world.now += later;
        world.play(&[pause(false), policy(true), posture(parties.1.agent, false, By::AgentOwner)]);
        // The policy was changed, so what was handed over before is dead.
        if let Some(earlier) = earlier {
            let attempt = world.by(world.handed[earlier], None, None);
            prop_assert!(is_refused(world.redeem(attempt)));
        }
        let generation = world.over(0).generation;
        let route = hand_over(&mut world, question);
        let is_fresh = matches!(last_delivery(&world), Delivered::Turn(Some(terms), 16) if terms.generation == generation);
        prop_assert!(is_fresh, "{:?}", last_delivery(&world));
        let attempt = world.by(world.handed[route.expect("a route")], None, None);
        prop_assert!(is_first(world.redeem(attempt)));
    }

    /// Everything after it is as if it had never been (C4).
    #[test]
    fn a_pause_consumes_and_revokes_nothing(
        case in case(25), tries in vec(a_use(), 0..8), after in vec(event(), 0..15),
    ) {
        let mut paused = World::played(&Case { events: [&[pause(false)], &case.events[..]].concat(), ..case.clone() });
        let mut never = World::played(&Case { events: [&[pause(false)], &case.events[..]].concat(), ..case });
        paused.happens(&pause(false));
        never.happens(&pause(false));
        paused.happens(&pause(true));
        let before = format!("{:?}", paused.store.inner);
        for how in tries {
            if let Some(attempt) = paused.attempt(how) {
                prop_assert!(!is_first(paused.redeem(attempt)), "in a pause");
            }
        }
        for message in 0..paused.messages.len() {
            let what = paused.messages[message];
            if what.author.principal() != what.to.principal() {
                let route = paused.deliver(message, what.to, OPEN, true, None);
                prop_assert!(route.is_none() && matches!(last_delivery(&paused), Delivered::Held | Delivered::None));
            }
        }
        prop_assert_eq!(format!("{:?}", paused.store.inner), before);
        paused.happens(&pause(false));
        let (from, unpaused) = (paused.log.len(), never.log.len());
        paused.play(&after);
        never.play(&after);
        prop_assert_eq!(format!("{:?}", &paused.log[from..]), format!("{:?}", &never.log[unpaused..]));
        prop_assert_eq!(format!("{:?}", paused.store.inner), format!("{:?}", never.store.inner));
    }

    /// It gets no more work, and answers what it has; and the routes of others are not touched (C4).
    #[test]
    fn a_manual_agent_can_still_redeem(parties in pair(), by_owner: bool, third in 0..Who::ALL, by_steps: bool) {
        let mut world = world(T, by_steps);
        let question = ask(&mut world, parties, DAY);
        let third = Who::numbered(third);
        let other = (third.agent != parties.0.agent).then(|| ask(&mut world, (parties.0, third), DAY));
        let route = hand_over(&mut world, question).expect("a route");
        let others = other.map(|other| world.deliver(other, third, OPEN, true, None).expect("a route"));
        world.happens(&posture(parties.1.agent, true, if by_owner { By::AgentOwner } else { By::Agent }));
        ask(&mut world, parties, DAY);
        world.happens(&Event::Drain { room: 0 });
        prop_assert!(world.log.iter().any(|did| matches!(did, Did::Delivered(_, Delivered::Held))));
        prop_assert!(!world.handed[route + 1 + usize::from(others.is_some())..].iter().any(|handed| handed.recipient == parties.1));
        for route in [Some(route), others].into_iter().flatten() {
            let attempt = world.by(world.handed[route], None, None);
            prop_assert!(is_first(world.redeem(attempt)));
        }
    }

    /// A platform's pause, a room's policy and an agent's posture; only its owner makes an agent reactive (C4).
    #[test]
    fn controls_belong_to_their_roles(sets in vec(set(), 1..30), by in by()) {
        let mut world = world(T, false);
        world.play(&sets);
        world.happens(&posture(0, false, by));
        for did in &world.log {
            let Did::Set(control, by, before, after) = did else { continue };
            let may = match control {
                Control::Pause { .. } => *by == By::Platform,
                Control::Room { .. } => *by == By::RoomOwner,
                Control::Posture { manual, .. } => *by == By::AgentOwner || (*manual && *by == By::Agent),
            };
            prop_assert_eq!(after.is_some(), may, "{:?} by {:?}", control, by);
            let moves = may && matches!(control, Control::Room { .. });
            prop_assert_eq!(after.map_or(before.1, |after| after.1), before.1 + u64::from(moves));
        }
    }

    /// Even if it says what it said before, and although nothing else has changed (C4).
    #[test]
    fn a_change_of_policy_kills_older_routes(parties in pair(), first: bool, times in 1..4_usize, by_steps: bool) {
        let mut world = world(T, by_steps);
        let question = ask(&mut world, parties, WEEK);
        let route = hand_over(&mut world, question).expect("a route");
        let attempt = world.by(world.handed[route], None, None);
        world.happens(&policy(first));
        (0..times).for_each(|_| world.happens(&policy(true)));
        let again = crate::routes::said::Try { over: world.over(0), ..attempt };
        prop_assert_eq!(world.redeem(again), Answer::Refused("old_generation"));
        let route = hand_over(&mut world, question).expect("a route");
        let attempt = world.by(world.handed[route], None, None);
        prop_assert!(is_first(world.redeem(attempt)));
    }
}
