//! The input is a proposal's JSON text.

use crate::{by_hand, digest, seed};
use parley_grants::issue::prepare_consent;
use parley_grants::{
    Caveat, ErrorKind, Grant, Limits, Proposal, canonicalize, canonicalize_value, proposal_hash,
};
use serde_json::Value;

const MAX_BYTES: usize = 1024 * 1024;

pub fn run(data: &[u8]) {
    let hash = proposal_hash(data);
    match canonicalize(data) {
        Ok(canonical) => {
            assert_eq!(hash.is_ok(), canonical.starts_with('{'));
            if let Ok(hash) = &hash {
                same_hash(hash, &canonical);
            }
        }
        // Inside `data`, and only there, any number will do.
        Err(error) => {
            if let Ok(hash) = &hash {
                assert_eq!(error.kind(), ErrorKind::BadNumber);
                if let Ok(value) = serde_json::from_slice(data) {
                    assert_eq!(&digest(&hashed_part(value)), hash);
                }
            }
        }
    }

    let parsed = Proposal::parse(data);
    assert_eq!(parsed, Proposal::parse(data));
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

/// A consent is a root grant with exactly five caveats, made from the proposal's own bytes.
fn consented(proposal: &Proposal) {
    let (principal, agent, terms) = (seed(1), seed(2), proposal.terms());
    let draft = prepare_consent(principal.public_key(), agent.public_key(), proposal, "shop.example", 0, "n");
    let draft = match draft {
        Ok(draft) => draft,
        Err(error) => return assert_eq!(error.kind(), ErrorKind::TooLong),
    };
    assert!(!draft.to_string().is_empty());
    let token = draft.sign(&principal).expect("the key of the draft");
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
