//! Reply routes: what must hold however messages, answers, controls and time come one after the other.

mod again;
mod controls;
mod lineages;
mod models;
mod records;
mod refusals;
mod secrets;
mod stores;

use crate::routes::event::{Case, Event, Kind, OPEN, Who};
use crate::routes::said::{Answer, Delivered, Did, Frozen, Receipt, Try};
use crate::routes::world::World;

/// Every first redemption, with its attempt as it was when it was decided.
fn firsts(world: &World) -> Vec<(Try, Receipt, Frozen)> {
    let mut began = Vec::new();
    let mut firsts = Vec::new();
    for did in &world.log {
        match did {
            Did::Began(attempt, _) => began.push(*attempt),
            Did::Tried(attempt, receipt, Answer::First(terms), ..) => {
                firsts.push((*attempt, *receipt, *terms))
            }
            Did::Ended(which, receipt, Answer::First(terms)) => {
                firsts.push((began[*which], *receipt, *terms))
            }
            _ => {}
        }
    }
    firsts
}

/// An empty world in which nothing stands in the way.
fn world(now: i64, by_steps: bool) -> World {
    World::of(&Case { room: 1000, now, generation: 7, by_steps, events: vec![] })
}

/// Somebody asks, in the first room; the message's place.
fn ask(world: &mut World, (author, to): (Who, Who), keep: i64) -> usize {
    world.happens(&Event::Send { room: 0, kind: Kind::Direct, author, to, hop: 0, keep });
    world.messages.len() - 1
}

/// The question is handed over, and may be once more; the place of its route.
fn hand_over(world: &mut World, message: usize) -> Option<usize> {
    let to = world.messages[message].to;
    world.deliver(message, to, OPEN, false, None)
}

fn last_delivery(world: &World) -> Delivered {
    match world.log.last() {
        Some(Did::Delivered(_, said)) => *said,
        other => panic!("a delivery, not {other:?}"),
    }
}

fn is_refused(answer: Answer) -> bool {
    matches!(answer, Answer::Refused(_))
}

fn is_first(answer: Answer) -> bool {
    matches!(answer, Answer::First(_))
}
