//! Canonical JSON, against a writer of our own and against a second crate (A2, B1, B5, B9).

use crate::generate::a2_value;
use crate::hand::{Json, MAX_INT};
use crate::spell::{Dice, Odd, anyhow, lexemes, oddly};
use crate::{config, samples};
use parley_grants::{ErrorKind, canonicalize, read_canonical};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::Value;

fn is_canonical(text: &str) -> bool {
    read_canonical(text.as_bytes()) == Ok(text)
}

/// The value's places for a scalar: scalars, and empty arrays and objects.
fn places(value: &Json) -> usize {
    match value {
        Json::List(items) if !items.is_empty() => items.iter().map(places).sum(),
        Json::Object(members) if !members.is_empty() => members.iter().map(|(_, value)| places(value)).sum(),
        _ => 1,
    }
}

/// The value with a number that A2 cannot express in one of its places.
fn planted(value: &Json, number: &str, at: &mut usize) -> Json {
    match value {
        Json::List(items) if !items.is_empty() => {
            Json::List(items.iter().map(|item| planted(item, number, at)).collect())
        }
        Json::Object(members) if !members.is_empty() => Json::Object(
            members.iter().map(|(key, value)| (key.clone(), planted(value, number, at))).collect(),
        ),
        scalar => {
            *at = at.wrapping_sub(1);
            if *at == usize::MAX { Json::Number(number.into()) } else { scalar.clone() }
        }
    }
}

/// The value in the second crate's types.
fn theirs(value: &Json) -> Value {
    match value {
        Json::Null => Value::Null,
        Json::Bool(value) => (*value).into(),
        Json::Int(value) => (*value).into(),
        Json::Number(text) => panic!("no A2 number: {text}"),
        Json::Text(text) => text.as_str().into(),
        Json::List(items) => items.iter().map(theirs).collect(),
        Json::Object(members) => Value::Object(members.iter().map(|(k, v)| (k.clone(), theirs(v))).collect()),
    }
}

/// Members of all objects, and numbers that are integers of A2 or not.
fn census(value: &Value) -> (usize, bool) {
    let of_all = |values: &mut dyn Iterator<Item = &Value>| {
        values.map(census).fold((0, true), |all, one| (all.0 + one.0, all.1 && one.1))
    };
    match value {
        Value::Null | Value::Bool(_) | Value::String(_) => (0, true),
        Value::Number(number) => {
            let text = number.to_string();
            let int =
                text.parse::<i64>().is_ok_and(|n| (-MAX_INT..=MAX_INT).contains(&n) && n.to_string() == text);
            (0, int)
        }
        Value::Array(items) => of_all(&mut items.iter()),
        Value::Object(members) => {
            let (inner, ints) = of_all(&mut members.values());
            (inner + members.len(), ints)
        }
    }
}

fn edited(text: &str, edits: &[(Index, u8, u8)]) -> Vec<u8> {
    const LIKELY: &[u8] = b"{}[]:,\"\\/ \n\t0123456789-+.eEulrnftbx\0\x1f\x7f";
    let mut bytes = text.as_bytes().to_vec();
    for (at, with, how) in edits {
        let at = at.index(bytes.len().max(1));
        let likely = LIKELY[*with as usize % LIKELY.len()];
        match how {
            0 if at < bytes.len() => bytes[at] = *with,
            1 if at < bytes.len() => bytes[at] = likely,
            2 if at < bytes.len() => drop(bytes.remove(at)),
            3 => bytes.truncate(at),
            _ => bytes.insert(at.min(bytes.len()), likely),
        }
    }
    bytes
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn every_spelling_has_the_one_canonical_form(value in a2_value(), dice in any::<u64>()) {
        let text = anyhow(&value, &mut Dice(dice));
        let canonical = value.canonical();
        let ours = canonicalize(text.as_bytes());
        prop_assert_eq!(ours.as_ref(), Ok(&canonical), "{}", text);
        prop_assert_eq!(canonicalize(canonical.as_bytes()), ours, "idempotent");
        prop_assert!(is_canonical(&canonical));
        prop_assert_eq!(is_canonical(&text), text == canonical, "{}", text);
        prop_assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), theirs(&value));
    }

    /// What differs in one thing only: it is mended, or it cannot be.
    #[test]
    fn nothing_but_the_canonical_form_is_read_as_such(
        value in a2_value(),
        dice in any::<u64>(),
        odd in prop_oneof![
            select(vec![' ', '\t', '\n', '\r']).prop_map(Odd::Space),
            any::<bool>().prop_map(|upper| Odd::Escape { upper }),
            Just(Odd::Slash),
            Just(Odd::Swap),
            Just(Odd::Twice(None)),
            Just(Odd::Mark),
            Just(Odd::MinusZero),
            select(vec!["n.0", "ne0", "0n", "+n"]).prop_map(Odd::Number),
        ],
    ) {
        let value = Json::List(vec![value, crate::hand::object([("a/", Json::Int(0)), ("\u{1f}", Json::Null)])]);
        if let Some(text) = oddly(&value, &odd, &mut Dice(dice)) {
            prop_assert!(!is_canonical(&text), "{text}");
            let mended = matches!(odd, Odd::Space(_) | Odd::Escape { .. } | Odd::Slash | Odd::Swap);
            let expected = mended.then(|| value.canonical());
            prop_assert_eq!(canonicalize(text.as_bytes()).ok(), expected, "{}", text);
        }
    }

    #[test]
    fn other_numbers_are_refused_and_not_mended(
        value in a2_value(),
        number in select(vec![
            "1.0", "1e3", "-0", "0.5", "1E+2", "-1.0e-1", "9007199254740992", "-9007199254740992", "1e999",
            "18446744073709551616", "9223372036854775808", "-9223372036854775808", "-0.0", "0e0",
        ]),
        at in any::<Index>(),
        dice in any::<u64>(),
    ) {
        let value = planted(&value, number, &mut at.index(places(&value)));
        let text = anyhow(&value, &mut Dice(dice));
        let refused = canonicalize(text.as_bytes()).map_err(|error| error.kind());
        prop_assert_eq!(refused, Err(ErrorKind::BadNumber), "{}", text);
        prop_assert!(read_canonical(value.canonical().as_bytes()).is_err());
    }

    /// The second crate reads the same texts, floats, doubles and deep ones aside, and the same in them.
    #[test]
    fn a_second_crate_agrees(value in a2_value(), dice in any::<u64>(), edits in vec((any::<Index>(), any::<u8>(), 0..5_u8), 0..4)) {
        let text = if dice % 2 == 0 { value.canonical() } else { anyhow(&value, &mut Dice(dice)) };
        let text = edited(&text, &edits);
        let (ours, theirs) = (canonicalize(&text), serde_json::from_slice::<Value>(&text));
        let shown = String::from_utf8_lossy(&text);
        prop_assert_eq!(read_canonical(&text).is_ok(), ours.as_ref().is_ok_and(|canonical| canonical.as_bytes() == text));
        match (&ours, &theirs) {
            (Err(_), Err(_)) => {}
            (Err(_), Ok(theirs)) => {
                let (members, ints) = census(theirs);
                // Outside strings, there is a colon for each member that the text has.
                let colons = lexemes(&shown.replace([' ', '\t', '\n', '\r'], "")).iter().filter(|l| *l == ":").count();
                prop_assert!(!ints || colons > members, "refused: {shown}");
            }
            (Ok(ours), theirs) => {
                let theirs = theirs.as_ref();
                prop_assert!(theirs.is_ok(), "accepted: {shown}");
                prop_assert_eq!(&serde_json::from_str::<Value>(ours).unwrap(), theirs.unwrap());
                prop_assert!(is_canonical(ours));
                let (members, ints) = census(theirs.unwrap());
                prop_assert!(ints && lexemes(ours).iter().filter(|l| *l == ":").count() == members);
            }
        }
    }

    #[test]
    fn depth_has_one_bound(kinds in vec(any::<bool>(), 28..37), inner in select(vec!["", "0", "[]", "{}", "\"[[[[\""])) {
        let mut text = String::from(inner);
        let mut depth = usize::from(inner == "[]" || inner == "{}");
        for is_object in &kinds {
            text = match (is_object, text.as_str()) {
                (true, "") => "{}".into(),
                (true, inner) => format!("{{\"a\":{inner}}}"),
                (false, inner) => format!("[{inner}]"),
            };
            depth += 1;
        }
        prop_assert_eq!(canonicalize(text.as_bytes()).is_ok(), depth <= 32);
        prop_assert_eq!(is_canonical(&text), depth <= 32);
        if depth > 32 {
            prop_assert_eq!(canonicalize(text.as_bytes()).map_err(|error| error.kind()), Err(ErrorKind::TooDeep));
        }
    }
}

#[cfg(feature = "serde_json")]
use crate::generate::a2_int;

#[cfg(feature = "serde_json")]
proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_value_has_the_form_of_its_text(value in a2_value()) {
        let value = theirs(&value);
        let text = value.to_string();
        prop_assert_eq!(parley_grants::canonicalize_value(&value).ok(), canonicalize(text.as_bytes()).ok());
        prop_assert!(parley_grants::canonicalize_value(&value).is_ok());
    }

    /// Numbers that are no integers, large ones and deep values too: an answer for one is the answer for the other.
    #[test]
    fn also_when_there_is_none(value in a2_value(), float in any::<f64>(), int in prop_oneof![4 => a2_int(), 1 => any::<i64>()], large in any::<u64>(), deep in prop_oneof![1 => 0..40_usize, 3 => 28..33_usize], which in 0..8_u8) {
        let planted = match which {
            0 => Value::from(float),
            1 => Value::from(float.trunc()),
            2 => Value::from(large),
            3 => Value::from(-0.0),
            _ => Value::from(int),
        };
        let mut value = serde_json::json!([theirs(&value), planted]);
        for _ in 0..deep {
            value = serde_json::json!([value]);
        }
        let text = value.to_string();
        prop_assert_eq!(parley_grants::canonicalize_value(&value).ok(), canonicalize(text.as_bytes()).ok(), "{}", text);
    }
}

#[test]
fn edits_often_leave_json() {
    let texts = (a2_value(), vec((any::<Index>(), any::<u8>(), 0..5_u8), 1..4));
    let accepted = |(value, edits): &(Json, Vec<_>)| canonicalize(&edited(&value.canonical(), edits)).is_ok();
    let count = samples(texts, 1000).filter(accepted).count();
    assert!((60..900).contains(&count), "{count}");
}
