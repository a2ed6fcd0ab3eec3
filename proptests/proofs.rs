//! Proofs of possession: their time, and that each has one reading (A5, B3, B8).

use crate::config;
use crate::generate::a2_int;
use crate::hand::{self, Json, Key, MAX_INT, text};
use crate::model::SERVICE;
use crate::put;
use crate::spell::{Dice, anyhow};
use parley_grants::{Decision, Possession, Presentable, Presented, ProvenKey, Request, Verb};
use proptest::prelude::*;
use proptest::sample::select;

const VERBS: [&str; 6] = ["HELLO", "ASK", "INTENT", "COMMIT", "UNDO", "EXPAND"];

fn accepts(proof: &Json, aud: &str, verb: &str, target: &str, now: i64) -> bool {
    let verb = Verb::read(verb).expect("a verb");
    ProvenKey::from_unbound_proof(proof.plain().as_bytes(), aud, verb, target, now).is_ok()
}

fn strings() -> impl Strategy<Value = String> {
    prop_oneof![
        select(vec!["", "a", "b", "\"", "\\", "a\",\"ts\":0", "\u{1f}", "é"]).prop_map(String::from),
        any::<String>()
    ]
}

/// Times in A2, and `now`s near to and far from them.
fn times() -> impl Strategy<Value = (i64, i64)> {
    let ts = a2_int().boxed();
    let near = (ts.clone(), -303..=303_i64).prop_map(|(ts, skew)| (ts, ts + skew));
    let edge = (ts.clone(), select(vec![-301_i64, -300, 300, 301])).prop_map(|(ts, skew)| (ts, ts + skew));
    let any_now = prop_oneof![select(vec![i64::MIN, i64::MAX, i64::MIN + 1, 0]), any::<i64>()];
    prop_oneof![3 => edge, 2 => near, 1 => (ts, any_now)]
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn the_window_is_300_seconds_either_way(
        (ts, now) in times(), key in 0..8_usize, aud in strings(), verb in select(&VERBS[..]), target in strings(), dice in any::<u64>(),
    ) {
        let proof = hand::proof(key, &aud, verb, &target, ts);
        let within = (i128::from(now) - i128::from(ts)).abs() <= 300;
        let spelled = anyhow(&proof, &mut Dice(dice));
        let proven = ProvenKey::from_unbound_proof(spelled.as_bytes(), &aud, Verb::read(verb).unwrap(), &target, now);
        prop_assert_eq!(proven.is_ok(), within, "{:?}", proven);
        if let Ok(proven) = proven {
            prop_assert_eq!(proven.key(), &put::key(key));
        }
    }

    /// A time that A2 cannot write is none, whoever signs it.
    #[test]
    fn times_are_those_of_a2(beyond in MAX_INT + 1..=MAX_INT + 300, sign in any::<bool>()) {
        let ts = if sign { -beyond } else { beyond };
        let inside = ts.signum() * MAX_INT;
        prop_assert!(!accepts(&hand::proof(3, SERVICE, "ASK", "a", ts), SERVICE, "ASK", "a", inside));
        prop_assert!(accepts(&hand::proof(3, SERVICE, "ASK", "a", inside), SERVICE, "ASK", "a", ts));
    }

    #[test]
    fn a_proof_is_for_one_purpose(
        ts in a2_int(), shift in -300..=300_i64, keys in (0..8_usize, 0..8_usize), auds in (strings(), strings()),
        verbs in (select(&VERBS[..]), select(&VERBS[..])), targets in (strings(), strings()),
    ) {
        let proof = hand::proof(keys.0, &auds.0, verbs.0, &targets.0, ts);
        let accepts = |aud: &str, verb, target: &str| accepts(&proof, aud, verb, target, ts);
        prop_assert!(accepts(&auds.0, verbs.0, &targets.0));
        prop_assert_eq!(accepts(&auds.1, verbs.0, &targets.0), auds.0 == auds.1, "aud");
        prop_assert_eq!(accepts(&auds.0, verbs.1, &targets.0), verbs.0 == verbs.1, "verb");
        prop_assert_eq!(accepts(&auds.0, verbs.0, &targets.1), targets.0 == targets.1, "target");
        // Its own members say something else than was signed.
        let with = |name: &str, value| super::proofs::accepts(&proof.with(name, value), &auds.0, verbs.0, &targets.0, ts);
        prop_assert_eq!(with("key", Json::Text(hand::public(keys.1))), keys.0 == keys.1, "key");
        let moved = ts.saturating_add(shift).clamp(-MAX_INT, MAX_INT);
        prop_assert_eq!(with("ts", Json::Int(moved)), moved == ts, "ts");
    }

    /// Exactly three members, once each (B3).
    #[test]
    fn a_proof_has_exactly_its_members(name in select(vec!["key", "ts", "sig"]), value in crate::generate::a2_value(), more in strings()) {
        let proof = hand::proof(3, SERVICE, "ASK", "a", 0);
        let accepts = |proof: &Json| accepts(proof, SERVICE, "ASK", "a", 0);
        prop_assert!(accepts(&proof));
        prop_assert!(!accepts(&proof.without(&[name])));
        prop_assert_eq!(accepts(&proof.with(name, value.clone())), proof.get(name) == Some(&value));
        prop_assert_eq!(accepts(&proof.with(&more, value)), false);
        let Json::Object(mut members) = proof.clone() else { unreachable!() };
        members.push((name.into(), proof.get(name).unwrap().clone()));
        prop_assert!(!accepts(&Json::Object(members)), "twice");
        prop_assert!(!accepts(&Json::List(vec![proof.clone()])) && !accepts(&text(&proof.plain())));
    }
}

/// An INTENT, with or without auto.
#[derive(Clone, Debug, PartialEq)]
struct Intent {
    capability: String,
    frame: Option<String>,
}

fn intents() -> impl Strategy<Value = Intent> {
    let name = || {
        select(vec!["a", "b", "a:b", "auto", "auto:a", "auto:a:b", "", ":", "b:c", "auto:"])
            .prop_map(String::from)
    };
    (name(), prop_oneof![Just(None), name().prop_map(Some)])
        .prop_map(|(capability, frame)| Intent { capability, frame })
}

fn allows(asked: &Intent, proof: &Json, token: &str) -> bool {
    let proof = proof.plain();
    let grants = [Presentable::Token(token)];
    let presented = Presented { grants: &grants, proof: Possession::Proof(proof.as_bytes()), now: 0 };
    let capability = &asked.capability;
    let request = match &asked.frame {
        None => Request::Intent { capability },
        Some(frame) => Request::AutoIntent { capability, frame },
    };
    matches!(put::verifier().authorize(&request, &presented), Decision::Allowed(_))
}

proptest! {
    #![proptest_config(config())]

    /// Whatever text a key signed, it is the proof of one INTENT at most, with or without auto (B8).
    #[test]
    fn a_signed_target_has_one_reading(all in prop::collection::vec(intents(), 2..40), made in intents()) {
        const AGENT: Key = 3;
        let root = hand::Block { subject: AGENT, caveats: vec![], iat: 0, spent: 0 };
        let grant = hand::Grant { issuer: 0, nonce: String::new(), blocks: vec![root], flaw: None };
        let token = hand::token(&hand::make(&grant));
        let target = match &made.frame {
            None => made.capability.clone(),
            Some(frame) => format!("auto:{}:{frame}", made.capability),
        };
        let proof = hand::proof(AGENT, SERVICE, "INTENT", &target, 0);
        let mut allowed: Vec<&Intent> = all.iter().chain([&made]).filter(|asked| allows(asked, &proof, &token)).collect();
        allowed.dedup();
        prop_assert!(allowed.iter().all(|asked| *asked == allowed[0]), "{allowed:?}");
        let reserved = made.capability.starts_with("auto:") || made.frame.is_some() && made.capability.contains(':');
        prop_assert_eq!(allows(&made, &proof, &token), !reserved);
    }
}
