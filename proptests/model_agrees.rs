//! The crate's class is the naive model's, for every request (A4, A6, A7, A8, B4, B8).

use crate::caveats::caveat;
use crate::generate::{AGENT, T, block, flaw, grant};
use crate::hand::Grant;
use crate::model::{Case, Class, Request, Shown, decide};
use crate::requests::{case, expand, request, shown};
use crate::{config, put, samples};
use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::BTreeMap;

fn cases() -> impl Strategy<Value = Case> {
    let requests = prop_oneof![20 => request([14, 4, 3, 6], 5), 1 => expand()];
    let grants = prop_oneof![
        12 => vec(grant(1..=4, [12, 6, 1, 1], 8), 1..=3),
        12 => vec(grant(1..=2, [20, 8, 1, 0], 5), 1..=3),
        10 => vec(grant(1..=3, [4, 9, 0, 0], 3), 1..=2),
        2 => vec(grant(1..=1, [9, 3, 3, 2], 0), 0..=3),
        1 => vec(grant(1..=1, [1, 0, 0, 0], 0), 15..=18),
    ];
    case(grants, requests, shown())
}

fn single_caveats() -> impl Strategy<Value = Case> {
    let block = (block(Just(AGENT), vec(caveat([1, 4, 4, 3]), 1)), any::<bool>());
    let grants = block.prop_map(|(block, other)| {
        let issuer = usize::from(other);
        vec![Grant { issuer, nonce: String::new(), blocks: vec![block], flaw: None }]
    });
    case(grants, request([8, 1, 4, 4], 0), Just(Shown::Word(AGENT)))
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn classes_are_those_of_the_model(cases in vec(cases(), 3)) {
        for case in &cases {
            prop_assert_eq!(put::class(case), decide(case), "{:#?}", case);
        }
    }

    /// One caveat, of a request against which nothing else speaks.
    #[test]
    fn each_caveat_has_the_meaning_of_the_model(cases in vec(single_caveats(), 6)) {
        for case in &cases {
            prop_assert_eq!(put::class(case), decide(case), "{:#?}", case);
        }
    }

    /// Whatever is wrong with a chain, in whichever block, makes it nothing at all.
    #[test]
    fn a_flawed_chain_is_nothing(grant in grant(1..=4, [1, 0, 0, 0], 0), flaws in vec((flaw(), 0..4_usize), 6)) {
        let mut case = Case {
            grants: vec![grant],
            request: Request::Ask { capability: "shop.order".into() },
            shown: Shown::Word(AGENT),
            now: T,
            kept: false,
        };
        let plain = &mut case.grants[0];
        plain.blocks.iter_mut().for_each(|block| block.caveats.clear());
        (plain.issuer, plain.blocks.last_mut().unwrap().subject) = (0, AGENT);
        prop_assert_eq!(put::class(&case), Class::Allowed);
        for flaw in flaws {
            case.grants[0].flaw = Some(flaw);
            prop_assert_eq!(put::class(&case), Class::Unauthorized, "{:?}", flaw);
        }
    }

    /// Each kind of caveat alone, where nothing else can hide what it says.
    #[test]
    fn so_are_those_of_single_blocks(
        case in case(vec(grant(1..=1, [1, 3, 3, 3], 0), 1..=1), request([6, 1, 2, 2], 0), shown()),
    ) {
        prop_assert_eq!(put::class(&case), decide(&case));
    }
}

#[test]
fn every_class_is_common_enough() {
    let mut seen = BTreeMap::new();
    for case in samples(cases(), 1000) {
        *seen.entry(decide(&case)).or_insert(0) += 1;
    }
    for (class, least) in [
        (Class::Allowed, 150),
        (Class::Review, 60),
        (Class::ConsentRequired, 40),
        (Class::Forbidden, 150),
        (Class::Unauthorized, 50),
        (Class::Conflict, 10),
        (Class::Expired, 10),
    ] {
        assert!(seen.get(&class).is_some_and(|count| *count >= least), "{class:?}: {seen:?}");
    }
}
