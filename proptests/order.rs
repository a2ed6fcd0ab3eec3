//! The order of caveats, blocks' contents and grants never changes a class, and authority never adds up (A6).

use crate::generate::{AGENT, grant};
use crate::hand::Grant;
use crate::model::{Case, Class, Shown};
use crate::requests::{case, request};
use crate::{config, put, samples};
use parley_grants::Decision;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use std::collections::BTreeSet;

fn commits() -> impl Strategy<Value = Case> {
    case(vec(grant(1..=3, [6, 9, 1, 0], 2), 1..=4), request([9, 1, 1, 1], 0), Just(Shown::Word(AGENT)))
}

/// Another order of the same things; `Index` numbers say which.
fn shuffle<T>(items: &mut [T], by: &[Index]) {
    for at in 1..items.len() {
        items.swap(at, by[at % by.len()].index(at + 1));
    }
}

fn alone(case: &Case, grant: &Grant) -> Case {
    Case { grants: vec![grant.clone()], ..case.clone() }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn class_is_independent_of_order(
        case in commits(),
        caveats in vec(any::<Index>(), 1..5),
        grants in vec(any::<Index>(), 1..5),
    ) {
        let expected = put::class(&case);
        let mut other = case;
        for block in other.grants.iter_mut().flat_map(|grant| &mut grant.blocks) {
            shuffle(&mut block.caveats, &caveats);
        }
        prop_assert_eq!(put::class(&other), expected, "caveats in another order");
        shuffle(&mut other.grants, &grants);
        prop_assert_eq!(put::class(&other), expected, "grants in another order");
    }

    #[test]
    fn authority_never_adds_up(case in commits(), order in vec(any::<Index>(), 1..5)) {
        let mut case = case;
        shuffle(&mut case.grants, &order);
        let alone: Vec<_> = case.grants.iter().map(|grant| put::decision(&alone(&case, grant))).collect();
        let classes: Vec<_> = alone.iter().map(put::class_of).collect();
        let together = put::decision(&case);
        let best = *classes.iter().min().unwrap();
        prop_assert_eq!(put::class_of(&together), best, "{:?}", classes);
        let first = classes.iter().position(|class| *class == best).unwrap();
        match &together {
            Decision::Allowed(allowed) => {
                prop_assert_eq!(allowed.grant_index(), Some(first));
                prop_assert_eq!(allowed.issuer(), Some(&put::key(case.grants[first].issuer)));
                let Decision::Allowed(single) = &alone[first] else { unreachable!() };
                prop_assert_eq!(allowed.grant_id(), single.grant_id());
                prop_assert_eq!(allowed.spend(), single.spend());
            }
            Decision::Refused(_) if best == Class::ConsentRequired => {
                prop_assert_eq!(put::asked_principal(&together), Some(put::key(case.grants[first].issuer)));
            }
            Decision::Refused(_) => {}
        }
    }
}

#[test]
fn grants_often_differ_in_what_they_say() {
    let (mut mixed, mut consents, mut principals) = (0, 0, 0);
    for case in samples(commits(), 500) {
        let classes: Vec<_> = case.grants.iter().map(|grant| put::class(&alone(&case, grant))).collect();
        mixed += usize::from(classes.iter().collect::<BTreeSet<_>>().len() > 1);
        let best = put::class(&case);
        let consenting = |(_, class): &(&Grant, &Class)| **class == Class::ConsentRequired;
        let issuers: BTreeSet<_> =
            case.grants.iter().zip(&classes).filter(consenting).map(|(grant, _)| grant.issuer).collect();
        consents += usize::from(best == Class::ConsentRequired);
        principals += usize::from(best == Class::ConsentRequired && issuers.len() > 1);
    }
    assert!(mixed >= 150 && consents >= 50 && principals >= 10, "{mixed} {consents} {principals}");
}
