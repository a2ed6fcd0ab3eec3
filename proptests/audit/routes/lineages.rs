//! Lineages, and what is left of them.

use super::{ask, firsts, world};
use crate::audit::config;
use crate::generate::T;
use crate::route_cases::{case, event, keep, pair};
use crate::routes::event::{Event, Kind};
use crate::routes::said::{Delivered, Did};
use crate::routes::secret;
use crate::routes::world::World;
use parley_grants::routes::Handed;
use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::HashMap;

fn deliveries(world: &World) -> impl Iterator<Item = (&crate::routes::said::Asked, Delivered)> {
    world.log.iter().filter_map(|did| match did {
        Did::Delivered(asked, said) => Some((asked, *said)),
        _ => None,
    })
}

proptest! {
    #![proptest_config(config())]

    /// Whatever comes between them; and as many as that, when nothing does (C2).
    #[test]
    fn a_lineage_has_at_most_sixteen_replies(
        parties in pair(), talks in vec((vec(event(), 0..6), 1..20_u8), 1..6), by_steps: bool,
    ) {
        let mut disturbed = world(T, by_steps);
        ask(&mut disturbed, parties, 1 << 30);
        for (events, times) in talks {
            disturbed.happens(&Event::Talk { message: 0, times });
            disturbed.play(&events);
        }
        let mut replies = HashMap::<usize, i64>::new();
        for (_, _, terms) in firsts(&disturbed) {
            *replies.entry(terms.lineage).or_default() += 1;
        }
        for (lineage, replies) in replies {
            let left = 16 - disturbed.messages[lineage].hop;
            prop_assert!(replies <= left, "{replies} replies where {left} were left");
        }

        let mut alone = world(T, by_steps);
        ask(&mut alone, parties, 1 << 30);
        alone.happens(&Event::Talk { message: 0, times: 40 });
        prop_assert_eq!(firsts(&alone).len(), 16);
        prop_assert_eq!(super::last_delivery(&alone), Delivered::Turn(None, 0));
        // Another question has sixteen of its own.
        ask(&mut alone, parties, 1 << 30);
        alone.happens(&Event::Talk { message: 0, times: 40 });
        prop_assert_eq!(firsts(&alone).len(), 32);
    }

    /// And the answer goes to whoever asked, one hop further in the same lineage (C1, C2).
    #[test]
    fn a_route_makes_at_most_one_message(case in case(40)) {
        let world = World::played(&case);
        let mut made = HashMap::<u8, usize>::new();
        for (attempt, receipt, terms) in firsts(&world) {
            *made.entry(attempt.secret).or_default() += 1;
            let all: Vec<_> = world.handed.iter().filter(|handed| handed.secret == attempt.secret).collect();
            prop_assert!(made[&attempt.secret] <= all.len(), "two messages by route {}", attempt.secret);
            let answer = world.messages[receipt];
            let answers = |source: &crate::routes::said::Message| {
                (answer.room, answer.author, answer.to) == (source.room, attempt.by, source.author)
                    && (answer.hop, answer.lineage) == (source.hop + 1, source.lineage)
            };
            prop_assert!(all.iter().any(|handed| world.messages[handed.message].id == terms.message && answers(&world.messages[handed.message])), "{terms:?}");
        }
    }

    /// 16 less the hops behind it on what can be answered, nothing on what cannot, and clients warn from two on (C2).
    #[test]
    fn what_remains_is_counted(case in case(40)) {
        let world = World::played(&case);
        for (asked, said) in deliveries(&world) {
            match said {
                Delivered::Turn(Some(terms), remaining) => {
                    prop_assert_eq!(remaining, 16 - asked.what.hop);
                    prop_assert_eq!(terms.hop, asked.what.hop + 1);
                    let text = secret::text(asked.secret);
                    let handed = Handed::received(Some(&text), remaining).expect("what a server sends");
                    prop_assert_eq!(handed.is_running_out(), remaining <= 2);
                }
                Delivered::Turn(None, remaining) => prop_assert_eq!(remaining, 0),
                Delivered::None | Delivered::Answered | Delivered::Held | Delivered::Refused => {}
            }
        }
    }

    /// Not broadcasts, nor what is to nobody or to oneself, whatever the controls say; nor what a gate stops (C2, C4).
    #[test]
    fn only_direct_messages_to_others_are_work(case in case(40)) {
        for (asked, said) in deliveries(&World::played(&case)) {
            let gates = [asked.gates.admitted, asked.gates.moderated, asked.gates.alive, !asked.duplicate];
            let is_work = asked.what.kind == Kind::Direct
                && asked.what.author.agent != asked.recipient.agent
                && (0..=16).contains(&asked.what.hop)
                && !gates.contains(&false);
            prop_assert_eq!(said == Delivered::None, !is_work, "{:?}", asked);
        }
    }

    /// No later than a week from now, nor than the end of its message; and none that is over at once (C1, C4).
    #[test]
    fn a_route_ends_in_time(case in case(40), parties in pair(), keep in keep()) {
        let mut world = World::played(&case);
        ask(&mut world, parties, keep);
        world.happens(&Event::Drain { room: 0 });
        for (asked, said) in deliveries(&world) {
            let (now, ends) = (i128::from(asked.over.now), i128::from(asked.what.ends));
            match said {
                Delivered::Turn(Some(terms), _) => {
                    let expires = i128::from(terms.expires);
                    prop_assert!(now < expires && expires <= ends && expires <= now + 7 * 86_400);
                    prop_assert!(expires == ends || expires == now + 7 * 86_400);
                }
                Delivered::Turn(None, _) => prop_assert!(asked.what.hop == 16 || ends <= now),
                Delivered::Answered => {
                    let is_answered = firsts(&world).iter().any(|(attempt, ..)| {
                        world.handed.iter().any(|handed| handed.message == asked.message && handed.secret == attempt.secret)
                    });
                    prop_assert!(is_answered);
                }
                Delivered::None | Delivered::Held | Delivered::Refused => {}
            }
        }
    }
}
