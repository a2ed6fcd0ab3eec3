//! The input is a consent request's JSON text; or, when its first byte is below 9, with which no JSON text starts,
//! choices (`consented.rs`): a proposal, what the service asks, what the human signs, and what it is good for.

use crate::consented;
use crate::lax::Lax;
use base64ct::{Base64UrlUnpadded, Encoding as _};
use ed25519_dalek::VerifyingKey;
use parley_grants::{ConsentRequest, ErrorKind, canonicalize, read_canonical};
use serde_json::Value;

const MAX_BYTES: usize = 1024 * 1024;

/// In the order of A9.1.
pub const MEMBERS: [&str; 7] =
    ["proposal", "hash", "service", "capability", "principal", "summary", "expires"];

pub fn run(data: &[u8]) {
    match data {
        [0..=8, choices @ ..] => consented::run(choices),
        text => parsed(text),
    }
}

/// A request is read if and only if `serde_json` finds the seven members in it, and nothing that the canonical form
/// cannot express.
pub fn parsed(text: &[u8]) {
    let value = serde_json::from_slice::<Value>(text).ok().filter(|_| {
        let lax = Lax::read(text);
        lax.is_some_and(|lax| !lax.duplicate && !lax.number && lax.depth <= 32 && text.len() <= MAX_BYTES)
    });
    let members = value.as_ref().and_then(Value::as_object);
    let right =
        |name: &str| members.and_then(|members| members.get(name)).is_some_and(|of| is_right(name, of));
    let is_more = members.is_some_and(|members| members.len() > MEMBERS.len());

    let answer = ConsentRequest::parse(text);
    assert_eq!(answer, ConsentRequest::parse(text));
    assert_eq!(answer.is_ok(), MEMBERS.into_iter().all(right) && !is_more, "{answer:?}");
    match answer {
        Ok(request) => says(&request, value.as_ref().expect("JSON"), text),
        Err(error) => {
            assert!(error.offset().is_none_or(|at| at <= text.len()));
            assert!(!error.to_string().is_empty());
            let explained = match error.kind() {
                ErrorKind::Field(name) => members.is_some() && MEMBERS.contains(&name) && !right(name),
                ErrorKind::UnknownField => is_more,
                _ => members.is_none(),
            };
            assert!(explained, "{error:?}");
        }
    }
}

fn is_right(name: &str, value: &Value) -> bool {
    match name {
        "expires" => value.is_i64() || value.is_u64(),
        "principal" => value.as_str().is_some_and(|text| key(text).is_some()),
        _ => value.is_string(),
    }
}

/// The point of large order that this is the one spelling of (A1.2, B2).
pub fn key(text: &str) -> Option<VerifyingKey> {
    let encoded = text.strip_prefix("ed25519:")?;
    let bytes: [u8; 32] = Base64UrlUnpadded::decode_vec(encoded).ok()?.try_into().ok()?;
    let key = VerifyingKey::from_bytes(&bytes).ok()?;
    let is_one_spelling = Base64UrlUnpadded::encode_string(&bytes) == encoded
        && key.to_edwards().compress().to_bytes() == bytes;
    (is_one_spelling && !key.is_weak()).then_some(key)
}

/// What `serde_json` reads, and in one spelling again.
fn says(request: &ConsentRequest, value: &Value, text: &[u8]) {
    for (name, said) in MEMBERS.into_iter().zip([
        request.proposal(),
        request.hash(),
        request.service(),
        request.capability(),
        &request.principal().to_string(),
        request.summary(),
    ]) {
        assert_eq!(value[name], said);
    }
    assert_eq!(value["expires"], request.expires());
    let json = request.to_json();
    assert_eq!(read_canonical(json.as_bytes()), Ok(&*json));
    assert_eq!(canonicalize(text).as_ref(), Ok(&json));
    assert_eq!(ConsentRequest::parse(json.as_bytes()).as_ref(), Ok(request));
}
