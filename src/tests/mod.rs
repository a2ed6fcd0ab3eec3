//! Tests across modules, and what they share: tokens and proofs built by hand, never by `issue`, so that builder and
//! verifier cannot agree on a mistake.

mod cost;
mod door;
mod edges;
#[cfg(feature = "issue")]
mod issuing;
mod money;
mod records;
mod texts;

use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use ed25519_dalek::{Signer as _, SigningKey};
use sha2::{Digest as _, Sha256};

pub(crate) const NOW: i64 = 1_790_000_000;
pub(crate) const SERVICE: &str = "shop.example";

/// Somebody with a key.
pub(crate) fn who(name: u8) -> SigningKey {
    SigningKey::from_bytes(&[name; 32])
}

pub(crate) fn key_text(key: &SigningKey) -> String {
    format!("ed25519:{}", BASE64.encode(key.verifying_key().to_bytes()))
}

pub(crate) fn public(key: &SigningKey) -> crate::PublicKey {
    key_text(key).parse().unwrap()
}

/// The JSON of a chain; each block hands on to the next key.
pub(crate) struct Chain {
    pub(crate) blocks: Vec<String>,
    last: String,
}

impl Chain {
    /// A root by `issuer` for `subject`, with the caveats' JSON.
    pub(crate) fn root(issuer: &SigningKey, subject: &SigningKey, caveats: &str) -> Self {
        let payload = format!(
            r#"{{"caveats":[{caveats}],"iat":{NOW},"iss":"{}","nonce":"n","sub":"{}"}}"#,
            key_text(issuer),
            key_text(subject)
        );
        Self::empty().signed(issuer, &payload)
    }

    pub(crate) fn empty() -> Self {
        Self { blocks: Vec::new(), last: String::new() }
    }

    pub(crate) fn then(self, holder: &SigningKey, subject: &SigningKey, caveats: &str) -> Self {
        let prev = BASE64.encode(Sha256::digest(&self.last));
        let payload =
            format!(r#"{{"caveats":[{caveats}],"iat":{NOW},"prev":"{prev}","sub":"{}"}}"#, key_text(subject));
        self.signed(holder, &payload)
    }

    pub(crate) fn signed(mut self, signer: &SigningKey, payload: &str) -> Self {
        self.last = BASE64.encode(signer.sign(payload.as_bytes()).to_bytes());
        self.blocks.push(format!(r#"{{"p":{payload},"s":"{}"}}"#, self.last));
        self
    }

    pub(crate) fn token(&self) -> String {
        format!("pg1.{}", BASE64.encode(format!("[{}]", self.blocks.join(","))))
    }
}

/// A chain of this many blocks from key 1, ending with the key that has the number of blocks plus one.
pub(crate) fn chain(blocks: u8, caveats: &str) -> Chain {
    let root = Chain::root(&who(1), &who(2), caveats);
    (2..=blocks).fold(root, |chain, block| chain.then(&who(block), &who(block + 1), ""))
}

/// A proof's text.
pub(crate) fn proof(key: &SigningKey, service: &str, verb: &str, target: &str, time: i64) -> String {
    let text = format!(r#"{{"aud":"{service}","target":"{target}","ts":{time},"verb":"{verb}"}}"#);
    let signature = BASE64.encode(key.sign(text.as_bytes()).to_bytes());
    format!(r#"{{"key":"{}","sig":"{signature}","ts":{time}}}"#, key_text(key))
}

/// A proposal's text, with this cost.
pub(crate) fn proposal(cost: &str) -> String {
    r#"{"id":"p","capability":"shop.order","summary":"Two cups","effects":[{"op":"create","target":"order"}],"cost":COST,"risk":"low","undo":{"window":600},"expires":1790000600}"#
        .replace("COST", cost)
        .to_string()
}

/// A ledger in which so much has been counted before, and nothing more is.
pub(crate) struct Counted<S>(pub(crate) S);

impl<S: Fn(&crate::BlockId) -> u64> crate::Ledger for Counted<S> {
    type Error = core::convert::Infallible;

    fn reserve(&mut self, demand: &crate::Demand<'_>) -> Result<crate::Reserve, Self::Error> {
        let total = |line: &crate::SpendLine| (self.0)(&line.block).checked_add(demand.amount);
        let fits = demand.lines.iter().all(|line| total(line).is_some_and(|total| total <= line.max));
        Ok(if fits { crate::Reserve::Reserved } else { crate::Reserve::Exceeded })
    }

    fn close(&mut self, _: &crate::ReservationId, _: crate::Close) -> Result<crate::Closed, Self::Error> {
        Ok(crate::Closed::NotHeld)
    }
}

/// A whole first COMMIT, when so much has been counted before.
pub(crate) fn commit<T: crate::Trust, R: crate::Revoke>(
    verifier: &crate::Verifier<T, R>,
    commit: &crate::Commit<'_>,
    presented: &crate::Presented<'_>,
    spent: &impl Fn(&crate::BlockId) -> u64,
) -> crate::Decision {
    let step = verifier.commit(commit, presented, crate::ReservationId::of("one"));
    match step.drive(&mut Counted(spent)) {
        Ok(Ok((allowed, _))) => crate::Decision::Allowed(allowed),
        Ok(Err(refusal)) => crate::Decision::Refused(refusal),
    }
}
