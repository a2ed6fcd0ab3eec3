//! Whoever appends whatever to a grant, it is never worth more than before (A3, A6).

use crate::caveats::any_caveats;
use crate::generate::{AGENT, block, flaw, grant, sometimes};
use crate::hand::{Block, Flaw, Grant, Key};
use crate::model::{Case, Class, Recorded, Request, Shown};
use crate::requests::{case, request};
use crate::{config, put, samples};
use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::BTreeMap;

/// The old grant's case, for a holder who meets everything but what the grant says.
fn olds() -> impl Strategy<Value = Case> {
    let shown = prop_oneof![Just(Shown::Word(AGENT)), Just(Shown::Proof(AGENT, 0))];
    let grants = prop_oneof![
        3 => vec(grant(1..=3, [16, 3, 1, 0], 2), 1),
        2 => vec(grant(1..=3, [3, 6, 1, 0], 0), 1),
    ];
    case(grants, request([8, 3, 2, 5], 0), shown)
}

fn appended() -> impl Strategy<Value = (Block, Option<Flaw>)> {
    // By the holder, who may hand it on with no restriction at all, by anyone else, or as something broken.
    let caveats = prop_oneof![any_caveats(), Just(vec![])];
    (block(0..8_usize, caveats), sometimes(25, flaw()))
}

fn with_block(grant: &Grant, block: Block, flaw: Option<Flaw>) -> Grant {
    let mut grant = grant.clone();
    grant.blocks.push(block);
    let last = grant.blocks.len() - 1;
    grant.flaw = grant.flaw.or(flaw.map(|flaw| (flaw, last)));
    grant
}

/// The same request by another key, of which nothing but the key speaks against it.
fn asked_by(case: &Case, key: Key, grant: &Grant) -> Case {
    let mut case = Case { grants: vec![grant.clone()], ..case.clone() };
    case.shown = match case.shown {
        Shown::Proof(_, skew) => Shown::Proof(key, skew),
        Shown::Word(_) | Shown::Forged(_) | Shown::Nothing => Shown::Word(key),
    };
    if let Request::Commit { holder, .. } | Request::Auto { holder, .. } = &mut case.request {
        *holder = Recorded::Key(key);
    }
    case
}

fn holder(grant: &Grant) -> Key {
    grant.blocks.last().map_or(grant.issuer, |block| block.subject)
}

fn old_and_new(case: &Case, new: &Grant) -> (Class, Class) {
    let old = &case.grants[0];
    (put::class(&asked_by(case, holder(old), old)), put::class(&asked_by(case, holder(new), new)))
}

/// Is this what the request says to one who has no grant at all?
fn is_nothing(case: &Case, key: Key, class: Class) -> bool {
    let nothing = Case { grants: vec![], ..asked_by(case, key, &case.grants[0]) };
    class == put::class(&nothing) && class != Class::Allowed
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_refusal_never_softens_by_adding(case in olds(), more in vec(appended(), 4), third in 0..8_usize) {
        for (block, flaw) in more {
            let new = with_block(&case.grants[0], block, flaw);
            let (before, after) = old_and_new(&case, &new);
            prop_assert!(after >= before, "{before:?} became {after:?} by {new:?}");

            if third != holder(&new) {
                let class = put::class(&asked_by(&case, third, &new));
                prop_assert!(is_nothing(&case, third, class), "{class:?} for a third key by {new:?}");
            }
        }
    }

    /// Nor by adding caveats to a block that its own signer signs anew.
    #[test]
    fn nor_by_more_caveats(case in olds(), more in any_caveats(), at in any::<prop::sample::Index>()) {
        let old = &case.grants[0];
        let mut new = old.clone();
        let at = at.index(new.blocks.len());
        new.blocks[at].caveats.extend(more);
        let before = put::class(&asked_by(&case, holder(old), old));
        let after = put::class(&asked_by(&case, holder(old), &new));
        prop_assert!(after >= before, "{before:?} became {after:?}");
    }
}

#[test]
fn there_is_often_something_to_soften() {
    let mut seen = BTreeMap::new();
    for (case, (block, flaw)) in samples((olds(), appended()), 1000) {
        let new = with_block(&case.grants[0], block, flaw);
        *seen.entry(old_and_new(&case, &new)).or_insert(0) += 1;
    }
    let count =
        |is: fn(&(Class, Class)) -> bool| -> i32 { seen.iter().filter(|(k, _)| is(k)).map(|(_, n)| n).sum() };
    assert!(count(|(old, _)| *old == Class::Allowed) >= 250, "{seen:?}");
    assert!(count(|(old, _)| *old == Class::ConsentRequired) >= 60, "{seen:?}");
    assert!(count(|(old, _)| *old == Class::Forbidden) >= 100, "{seen:?}");
    assert!(count(|(old, new)| old < new) >= 150, "{seen:?}");
    assert!(count(|(old, new)| *old == Class::Allowed && *new == Class::Allowed) >= 60, "{seen:?}");
    assert!(count(|(old, new)| *old == Class::ConsentRequired && old == new) >= 15, "{seen:?}");
    assert!(count(|(_, new)| *new == Class::Unauthorized) >= 100, "{seen:?}");
}
