//! Proposals: what is hashed, what is not, and that the terms are those of the hashed bytes (A7, B4).

use crate::config;
use crate::generate::a2_value;
use crate::hand::{self, Json, text};
use crate::model::is_well_formed;
use crate::requests::{odd_proposal, proposal};
use crate::spell::{Dice, anyhow};
use parley_grants::{Proposal, proposal_hash};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// Any JSON, with numbers that A2 cannot express.
fn data() -> impl Strategy<Value = Json> {
    let numbers = select(vec!["1e999", "-0", "0.31", "1E-7", "123456789012345678901234567890", "-0.0e+0"]);
    (a2_value(), numbers, any::<bool>()).prop_map(|(value, number, first)| {
        let number = Json::Number(number.into());
        Json::List(if first { vec![number, value] } else { vec![value, hand::object([("data", number)])] })
    })
}

/// Where a member can be changed: every value inside the proposal.
fn change(value: &Json, at: &mut usize, to: &Json) -> Json {
    if *at == 0 {
        *at = usize::MAX;
        return to.clone();
    }
    *at -= usize::from(*at != usize::MAX);
    match value {
        Json::List(items) => Json::List(items.iter().map(|item| change(item, at, to)).collect()),
        Json::Object(members) => {
            Json::Object(members.iter().map(|(key, value)| (key.clone(), change(value, at, to))).collect())
        }
        other => other.clone(),
    }
}

fn size(value: &Json) -> usize {
    1 + match value {
        Json::List(items) => items.iter().map(size).sum(),
        Json::Object(members) => members.iter().map(|(_, value)| size(value)).sum(),
        _ => 0,
    }
}

fn hash(value: &Json) -> Option<String> {
    proposal_hash(value.plain().as_bytes()).ok()
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn spelling_hash_and_data_change_nothing(proposal in proposal(), data in data(), claim in a2_value(), dice in any::<u64>()) {
        let expected = hand::proposal_hash(&proposal);
        let with_data = proposal.with("data", data);
        for (value, well_formed) in [(&proposal, true), (&with_data, true), (&with_data.with("hash", claim), false)] {
            let text = anyhow(value, &mut Dice(dice));
            prop_assert_eq!(proposal_hash(text.as_bytes()).ok(), Some(expected.clone()), "{}", text);
            if well_formed {
                let parsed = Proposal::parse(text.as_bytes()).unwrap();
                prop_assert_eq!(parsed.terms().hash(), expected.as_str());
                prop_assert_eq!(parsed.canonical(), proposal.without(&["hash", "data"]).canonical());
                let plain = Proposal::parse(proposal.plain().as_bytes()).unwrap();
                prop_assert_eq!((parsed.terms(), parsed.effects()), (plain.terms(), plain.effects()));
            }
        }
    }

    /// Members of those names further in are members like any other.
    #[test]
    fn every_other_change_changes_the_hash(proposal in proposal(), inner in a2_value(), to in a2_value(), at in any::<Index>(), name in select(vec!["note", "hash", "data"])) {
        let proposal = proposal.without(&["hash"]).with("more", hand::object([(name, inner)]));
        let before = hash(&proposal);
        prop_assert_eq!(before.as_ref(), Some(&hand::proposal_hash(&proposal)));
        let other = change(&proposal, &mut (1 + at.index(size(&proposal) - 1)), &to);
        prop_assert_eq!(hash(&other) == before, other.sorted() == proposal.sorted(), "{}", other.plain());

        let Json::Object(members) = &proposal else { unreachable!() };
        let gone = &members[at.index(members.len())].0;
        prop_assert_ne!(hash(&proposal.without(&[gone])), before.clone(), "without {}", gone);
        prop_assert_ne!(hash(&proposal.with("another", to)), before);
    }

    /// And what A2 cannot express has no hash, but in `data`.
    #[test]
    fn only_data_may_be_anything(proposal in proposal(), data in data(), name in select(vec!["dat", "data ", "Data", "hash", "more", "cost"])) {
        prop_assert_eq!(hash(&proposal.with(name, data.clone())), None);
        prop_assert!(hash(&proposal.with("data", data.clone())).is_some());
        // Not even there a key twice, nor `data` twice.
        let twice = Json::Object(vec![("a".into(), Json::Null), ("a".into(), Json::Null)]);
        prop_assert_eq!(hash(&proposal.with("data", twice)), None);
        let Json::Object(mut members) = proposal.with("data", data) else { unreachable!() };
        members.push(("data".into(), Json::Null));
        prop_assert_eq!(hash(&Json::Object(members)), None);
    }

    #[test]
    fn terms_are_those_of_the_text(proposal in proposal(), dice in any::<u64>()) {
        let parsed = Proposal::parse(anyhow(&proposal, &mut Dice(dice)).as_bytes()).unwrap();
        let terms = parsed.terms();
        let cost = terms.cost().map_or(Json::Null, |cost| {
            hand::object([("amount", Json::Int(cost.minor() as i64)), ("currency", text(cost.currency()))])
        });
        let undo = terms.undo().map_or(Json::Null, |window| hand::object([("window", Json::Int(window as i64))]));
        for (name, value) in [
            ("id", text(terms.id())),
            ("capability", text(terms.capability())),
            ("summary", text(terms.summary())),
            ("cost", cost),
            ("risk", text(terms.risk().as_str())),
            ("undo", undo),
            ("expires", Json::Int(terms.expires())),
        ] {
            prop_assert_eq!(proposal.get(name), Some(&value), "{}", name);
        }
        let Some(Json::List(effects)) = proposal.get("effects") else { unreachable!() };
        prop_assert_eq!(effects.len(), parsed.effects().len());
        for (effect, read) in effects.iter().zip(parsed.effects()) {
            prop_assert_eq!(effect.get("op"), Some(&text(read.op())));
            prop_assert_eq!(effect.get("target"), Some(&text(read.target())));
            let Json::Object(others) = effect.without(&["op", "target"]).sorted() else { unreachable!() };
            let others: Vec<_> = others.into_iter().map(|(key, value)| (key, value.canonical())).collect();
            let read: Vec<_> = read.others().map(|(key, value)| (key.to_owned(), value.to_owned())).collect();
            prop_assert_eq!(others, read);
        }
    }

    #[test]
    fn well_formed_is_what_the_rules_say(proposals in vec(odd_proposal(80), 6), dice in any::<u64>()) {
        for proposal in proposals {
            let parsed = Proposal::parse(anyhow(&proposal, &mut Dice(dice)).as_bytes());
            prop_assert_eq!(parsed.is_ok(), is_well_formed(&proposal), "{} {:?}", proposal.plain(), parsed.err());
        }
    }
}
