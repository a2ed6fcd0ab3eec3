//! The input is lines: the service's time, the time to sign at, service, verb and target. What follows is a proof's
//! JSON text in any spelling.

use crate::{hand, seed};
use base64ct::{Base64UrlUnpadded, Encoding as _};
use parley_grants::issue::{ProofDraft, prepare_auto_proof, prepare_proof};
use parley_grants::{Error, ErrorKind, ProvenKey, Verb, canonicalize};
use serde_json::Value;

const WINDOW: u64 = 300;
const MAX_INT: u64 = (1 << 53) - 1;
const MAX_TEXT: usize = 64 * 1024;

const VERBS: [Verb; 6] = [Verb::Hello, Verb::Ask, Verb::Intent, Verb::Commit, Verb::Undo, Verb::Expand];

/// What a proof is for.
#[derive(Clone, Copy)]
struct Purpose<'d> {
    service: &'d str,
    verb: Verb,
    target: &'d str,
}

impl Purpose<'_> {
    fn check(&self, proof: &[u8], now: i64) -> Result<ProvenKey, Error> {
        ProvenKey::from_unbound_proof(proof, self.service, self.verb, self.target, now)
    }
}

pub fn run(data: &[u8]) {
    let mut lines = data.splitn(6, |byte| *byte == b'\n');
    let mut line = || String::from_utf8_lossy(lines.next().unwrap_or_default()).into_owned();
    let (now, time, service, verb, target) = (line(), line(), line(), line(), line());
    let now = now.parse().unwrap_or_default();
    let time = time.parse().unwrap_or_default();
    let verb = Verb::read(&verb).unwrap_or(Verb::Ask);
    assert_eq!(Verb::read(verb.as_str()), Some(verb));
    let purpose = Purpose { service: &service, verb, target: &target };

    if let Some(proof) = lines.next() {
        let answer = purpose.check(proof, now);
        assert_eq!(answer, purpose.check(proof, now));
        match answer {
            Ok(proven) => accepted(&purpose, proof, now, &proven),
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
    let draft = prepare_proof(seed(2).public_key(), &service, verb, &target, time);
    signed(&purpose, now, time, draft);
    // It costs as much again.
    if verb == Verb::Intent {
        auto(&purpose, now, time);
    }
}

/// What must hold for every proof that was accepted.
fn accepted(purpose: &Purpose<'_>, proof: &[u8], now: i64, proven: &ProvenKey) {
    let canonical = canonicalize(proof).expect("a proof is JSON that the canonical form can express");
    let fields: Value = serde_json::from_str(&canonical).expect("JSON");
    assert_eq!(fields.as_object().map(|members| members.len()), Some(3));
    assert_eq!(fields["key"], proven.key().to_string());
    let time = fields["ts"].as_i64().expect("an integer");
    assert!(now.abs_diff(time) <= WINDOW);

    // In any spelling, and at exactly the times within the window.
    let spaced = format!(" {} ", serde_json::to_string_pretty(&fields).expect("JSON"));
    assert_eq!(purpose.check(canonical.as_bytes(), now).as_ref(), Ok(proven));
    assert_eq!(purpose.check(spaced.as_bytes(), now).as_ref(), Ok(proven));
    for (other, good) in
        [(time - 301, false), (time - 300, true), (time, true), (time + 300, true), (time + 301, false)]
    {
        let answer = purpose.check(proof, other);
        assert_eq!(answer.is_ok(), good);
        assert!(good || answer.is_err_and(|error| error.kind() == ErrorKind::Stale));
    }
    assert!(purpose.check(proof, i64::MIN).is_err() && purpose.check(proof, i64::MAX).is_err());

    // For nothing else.
    let service = format!("{}x", purpose.service);
    let target = format!("{}x", purpose.target);
    assert!(Purpose { service: &service, ..*purpose }.check(proof, now).is_err());
    assert!(Purpose { target: &target, ..*purpose }.check(proof, now).is_err());
    // One other verb a run, as each costs a signature check.
    let next = purpose.service.len().wrapping_add(purpose.target.len()) % (VERBS.len() - 1);
    let verb = VERBS.into_iter().filter(|verb| *verb != purpose.verb).nth(next).expect("one of five");
    assert!(Purpose { verb, ..*purpose }.check(proof, now).is_err());

    // No field may be changed, missing, repeated or added.
    let sig = fields["sig"].as_str().expect("a text");
    let mut bytes = Base64UrlUnpadded::decode_vec(sig).expect("base64url");
    let place = usize::try_from(now.unsigned_abs() % 512).expect("small");
    bytes[place / 8] ^= 1 << (place % 8);
    let key = &fields["key"];
    let flipped = Base64UrlUnpadded::encode_string(&bytes);
    for other in [
        format!(r#"{{"key":{key},"sig":"{flipped}","ts":{time}}}"#),
        format!(r#"{{"key":{key},"sig":"{sig}","ts":{}}}"#, if time < now { time + 1 } else { time - 1 }),
        format!(r#"{{"key":{key},"sig":"{sig}"}}"#),
        format!(r#"{{"key":{key},"sig":"{sig}","sig":"{sig}","ts":{time}}}"#),
        format!(r#"{{"key":{key},"sig":"{sig}","ts":{time},"v":1}}"#),
        format!(r#"{{"key":{key},"sig":"{sig}=","ts":{time}}}"#),
        format!(r#"{{"key":{key},"sig":"{sig}","ts":"{time}"}}"#),
        format!(r#"[{key},"{sig}",{time}]"#),
    ] {
        assert!(purpose.check(other.as_bytes(), now).is_err(), "{other}");
    }
}

/// The proof of an INTENT with auto is that of an INTENT with the target of A5.5, and there is none for a capability with
/// which that target had two readings (B8).
fn auto(purpose: &Purpose<'_>, now: i64, time: i64) {
    let parts = purpose.target.strip_prefix("auto:").and_then(|rest| rest.split_once(':'));
    let (capability, frame) = parts.unwrap_or((purpose.target, purpose.service));
    let draft = prepare_auto_proof(seed(2).public_key(), purpose.service, capability, frame, time);
    if capability.contains(':') {
        return assert_eq!(draft.err().map(|error| error.kind()), Some(ErrorKind::Field("capability")));
    }
    let target = format!("auto:{capability}:{frame}");
    signed(&Purpose { verb: Verb::Intent, target: &target, ..*purpose }, now, time, draft);
}

/// A proof is made if and only if its text can be written and is not too long, and is accepted if and only if its time is
/// within the window.
fn signed(purpose: &Purpose<'_>, now: i64, time: i64, draft: Result<ProofDraft, Error>) {
    let key = seed(2);
    let text = hand::proof_text(purpose.service, purpose.verb.as_str(), purpose.target, time);
    let draft = match draft {
        Ok(draft) => draft,
        Err(error) => {
            let explained = match error.kind() {
                ErrorKind::BadNumber => time.unsigned_abs() > MAX_INT,
                ErrorKind::TooLong => text.len() > MAX_TEXT,
                _ => false,
            };
            return assert!(explained, "{error:?}");
        }
    };
    assert!(time.unsigned_abs() <= MAX_INT && text.len() <= MAX_TEXT);
    assert_eq!(draft.signer(), key.public_key());
    // What is signed is the canonical form of just this object.
    let object = serde_json::json!({
        "aud": purpose.service, "verb": purpose.verb.as_str(), "target": purpose.target, "ts": time
    });
    assert_eq!(canonicalize(object.to_string().as_bytes()).as_ref(), Ok(&text));
    assert_eq!(text.as_bytes(), draft.bytes_to_sign());
    assert!(!draft.to_string().is_empty());
    let proof = draft.sign(&key).expect("the key of the draft");
    let answer = purpose.check(proof.as_bytes(), now);
    assert_eq!(answer.is_ok(), now.abs_diff(time) <= WINDOW);
    match answer {
        Ok(proven) => {
            assert_eq!(proven.key(), key.public_key());
            accepted(purpose, proof.as_bytes(), now, &proven);
        }
        Err(error) => assert_eq!(error.kind(), ErrorKind::Stale),
    }
}
