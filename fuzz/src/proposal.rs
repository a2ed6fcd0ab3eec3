//! The input is a proposal's JSON text.

use crate::hand::{self, Json, object, text};
use crate::lax::Lax;
use crate::{by_hand, digest, model, seed};
use parley_grants::issue::prepare_consent;
use parley_grants::{
    Caveat, ErrorKind, Grant, Limits, Proposal, canonicalize, canonicalize_value, proposal_hash,
};
use serde::de::IgnoredAny;
use serde_json::Value;

const MAX_BYTES: usize = 1024 * 1024;
const MAX_DEPTH: usize = 32;
const MAX_TOKEN: usize = 64 * 1024;

pub fn run(data: &[u8]) {
    let hash = proposal_hash(data);
    let tame = tame(data);
    let value = readable(&tame).filter(|_| data.len() <= MAX_BYTES);
    assert_eq!(hash.as_ref().ok(), value.clone().map(|value| digest(&hashed_part(value))).as_ref());
    match (canonicalize(data), &hash) {
        (Ok(canonical), Ok(hash)) => same_hash(hash, &canonical),
        (Ok(canonical), Err(_)) => assert!(!canonical.starts_with('{')),
        // Inside `data`, and only there, any number will do.
        (Err(error), Ok(_)) => assert_eq!(error.kind(), ErrorKind::BadNumber),
        (Err(_), Err(error)) => {
            assert!(error.offset().is_none_or(|at| at <= data.len()));
            if let Some(lax) = Lax::read(&tame) {
                let explained = match error.kind() {
                    ErrorKind::DuplicateKey => lax.duplicate,
                    ErrorKind::BadNumber => lax.number,
                    ErrorKind::TooDeep => lax.depth > MAX_DEPTH,
                    ErrorKind::TooLong => data.len() > MAX_BYTES,
                    ErrorKind::Syntax => !tame.trim_ascii_start().starts_with(b"{"),
                    _ => false,
                };
                assert!(explained, "{error:?}, and serde_json says {lax:?}");
            }
        }
    }

    let parsed = Proposal::parse(data);
    assert_eq!(parsed, Proposal::parse(data));
    let is_right = value.is_some_and(|value| model::is_well_formed(&by_hand(&value)));
    assert_eq!(parsed.is_ok(), is_right, "{parsed:?}");
    match parsed {
        Ok(proposal) => {
            assert_eq!(hash.as_deref(), Ok(proposal.terms().hash()));
            well_formed(&proposal);
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            // Whatever has no hash is no proposal, for the same reason.
            assert!(hash.is_ok() || hash == Err(error), "{hash:?}, {error:?}");
        }
    }
}

/// The text with another number in place of each that `serde_json` finds too great for it: any that is no short
/// integer. Whether it is JSON at all, and what the canonical form cannot express in it, stays as it was.
fn tame(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.first() {
        let length = match first {
            b'"' => string(rest),
            b'-' | b'0'..=b'9' => rest
                .iter()
                .take_while(|byte| matches!(byte, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E'))
                .count(),
            _ => 1,
        };
        let (token, after) = rest.split_at(length);
        let is_integer = token.iter().skip(1).all(u8::is_ascii_digit);
        let is_wild = *first != b'"' && (length > 18 || !is_integer);
        let is_number = is_wild && serde_json::from_slice::<IgnoredAny>(token).is_ok();
        out.extend_from_slice(if is_number { b"0.5" } else { token });
        rest = after;
    }
    out
}

/// The length of the string that starts here, with its quotes.
fn string(text: &[u8]) -> usize {
    let mut at = 1;
    while let Some(byte) = text.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    text.len()
}

/// The value of a text that has a hash (A7.13): an object with no name twice anywhere and bounded depth, and with other
/// numbers in `data` alone.
fn readable(tame: &[u8]) -> Option<Value> {
    let lax = Lax::read(tame).filter(|lax| !lax.duplicate && lax.depth <= MAX_DEPTH)?;
    let value: Value = serde_json::from_slice(tame).ok().filter(Value::is_object)?;
    (!lax.number || by_hand(&value).without(&["data"]).is_a2()).then_some(value)
}

/// The hash is that of the canonical form without `hash` and `data`, however the text is spelled.
fn same_hash(hash: &str, canonical: &str) {
    assert_eq!(proposal_hash(canonical.as_bytes()).as_deref(), Ok(hash));
    let value: Value = serde_json::from_str(canonical).expect("JSON");
    let has_other = value.get("Data").is_some();
    let hashed = hashed_part(value);
    assert_eq!(digest(&hashed), hash);
    assert_eq!(proposal_hash(hashed.as_bytes()).as_deref(), Ok(hash));

    // The two members may be anything; a third may not.
    if hashed.len() > MAX_BYTES - 64 {
        return;
    }
    let with = |member: &str| {
        let comma = if hashed == "{}" { "" } else { "," };
        format!("{}{comma}{member}}}", &hashed[..hashed.len() - 1])
    };
    for more in [r#""data":[1e999,-0,{"a":1.50}],"hash":"?""#, r#""\u0064ata":-0.0"#] {
        assert_eq!(proposal_hash(with(more).as_bytes()).as_deref(), Ok(hash));
    }
    for more in [
        r#""data":{"a":1,"\u0061":2}"#,
        r#""data":01"#,
        r#""hash":1.5"#,
        r#""data":1,"data":1"#,
        r#""data":1.5,"x":1.5"#,
        r#""x":{"data":1.5}"#,
    ] {
        assert!(proposal_hash(with(more).as_bytes()).is_err(), "{more}");
    }
    if !has_other {
        assert_ne!(proposal_hash(with(r#""Data":1"#).as_bytes()).as_deref(), Ok(hash));
    }
}

/// The canonical form of what is hashed, by way of serde_json.
fn hashed_part(mut value: Value) -> String {
    let members = value.as_object_mut().expect("an object");
    members.remove("hash");
    members.remove("data");
    let canonical = canonicalize_value(&value).expect("only `data` may have other numbers");
    assert_eq!(by_hand(&value).canonical(), canonical);
    canonical
}

fn well_formed(proposal: &Proposal) {
    let terms = proposal.terms();
    assert_eq!(canonicalize(proposal.canonical().as_bytes()).as_deref(), Ok(proposal.canonical()));
    assert_eq!(digest(proposal.canonical()), terms.hash());
    assert_eq!(Proposal::parse(proposal.canonical().as_bytes()).as_ref(), Ok(proposal));
    assert!(!format!("{proposal}{proposal:?}").is_empty());

    // The terms are those of the bytes that were hashed.
    let value: Value = serde_json::from_str(proposal.canonical()).expect("JSON");
    assert_eq!(value["id"], terms.id());
    assert_eq!(value["capability"], terms.capability());
    assert!(!terms.capability().starts_with("auto:"));
    assert_eq!(value["summary"], terms.summary());
    assert_eq!(value["risk"], terms.risk().as_str());
    assert_eq!(value["expires"], terms.expires());
    match terms.cost() {
        None => assert!(value["cost"].is_null() && value.get("cost").is_some()),
        Some(cost) => {
            let expected = serde_json::json!({"amount": cost.minor(), "currency": cost.currency()});
            assert_eq!(value["cost"], expected);
        }
    }
    match terms.undo() {
        None => assert!(value["undo"].is_null() && value.get("undo").is_some()),
        Some(window) => assert_eq!(value["undo"], serde_json::json!({"window": window})),
    }
    let effects = value["effects"].as_array().expect("an array");
    assert_eq!(proposal.effects().len(), effects.len());
    for (effect, value) in proposal.effects().iter().zip(effects) {
        assert_eq!((&value["op"], &value["target"]), (&effect.op().into(), &effect.target().into()));
        assert_eq!(value.as_object().map(|members| members.len()), Some(effect.others().count() + 2));
        for (key, text) in effect.others() {
            assert_eq!(canonicalize_value(&value[key]).as_deref(), Ok(text));
        }
    }
    consented(proposal);
}

/// A consent is a root grant with exactly five caveats, made from the proposal's own bytes; none is made that would be too
/// long to present.
fn consented(proposal: &Proposal) {
    let (principal, agent, terms) = (seed(1), seed(2), proposal.terms());
    let draft = prepare_consent(principal.public_key(), agent.public_key(), proposal, "shop.example", 0, "n");
    let list = |item: &str| Json::List(vec![text(item)]);
    let caveats = vec![
        object([("svc", list("shop.example"))]),
        object([("verbs", list("COMMIT"))]),
        object([("can", list(terms.capability()))]),
        object([("only", text(terms.hash()))]),
        object([("exp", Json::Int(terms.expires()))]),
    ];
    let block = hand::Block { subject: 1, caveats, iat: 0, spent: 0 };
    let plan = hand::Grant { issuer: 0, nonce: "n".into(), blocks: vec![block], flaw: None };
    let by_hand = hand::token(&hand::make(&plan));
    if by_hand.len() > MAX_TOKEN {
        return assert_eq!(draft.err().map(|error| error.kind()), Some(ErrorKind::TooLong));
    }
    let draft = draft.expect("no longer than it may be");
    assert!(!draft.to_string().is_empty());
    let token = draft.sign(&principal).expect("the key of the draft");
    assert_eq!(token, by_hand);
    let grant = Grant::decode(&token, &Limits::default()).expect("a good grant");
    let caveats = [
        Caveat::Service(vec!["shop.example".into()]),
        Caveat::Verbs(vec!["COMMIT".into()]),
        Caveat::Capabilities(vec![terms.capability().into()]),
        Caveat::Only(terms.hash().into()),
        Caveat::Expires(terms.expires()),
    ];
    assert!(grant.blocks().map(|block| block.caveats()).eq([&caveats]));
}
