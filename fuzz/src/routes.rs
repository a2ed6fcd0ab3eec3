//! The input is choices (`happen.rs`): messages, deliveries, attempts, controls and time around one store of reply routes.

use crate::happen;
use crate::played::naive::Judge;
use crate::played::said::{Answer, Calls, Did};
use crate::played::secret;
use crate::played::world::World;
use arbitrary::Unstructured;

pub fn run(data: &[u8]) {
    let (case, looks) = happen::case(&mut Unstructured::new(data));
    let mut world = World::of(&case);
    let mut judge = Judge::with_room(case.room);
    let mut refusal = None;
    for event in &case.events {
        let seen = world.log.len();
        world.happens(event);
        for did in &world.log[seen..] {
            judge.see(did);
            is_one_refusal(did, &mut refusal);
        }
        assert!(world.store.inner.len() <= case.room, "over its bound by {event:?}");
    }
    if looks {
        nothing_is_shown(&mut world);
    }
}

/// Whatever is wrong, the caller sees the same, and the store does the same.
fn is_one_refusal(did: &Did, refusal: &mut Option<String>) {
    if let Did::Tried(attempt, _, Answer::Refused(_), seen, calls) = did {
        assert_eq!(refusal.get_or_insert_with(|| seen.clone()), seen, "{attempt:?}");
        assert_eq!(*calls, Calls { find: 1, issue: 0, consume: 0 }, "{attempt:?}");
    }
}

/// No text that the crate has made has a route in it but the one that is the route.
fn nothing_is_shown(world: &mut World) {
    let mut shown = core::mem::take(&mut world.shown);
    shown.push(format!("{:?}", world.store.inner));
    shown.sort();
    shown.dedup();
    let shown = secret::dense(&shown.concat());
    // The latest are as good as all, and this takes long.
    for handed in world.handed.iter().rev().take(3) {
        assert!(!secret::is_in(handed.secret, &shown), "route {} is in {shown}", handed.secret);
    }
}
