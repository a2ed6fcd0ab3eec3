//! Proofs of possession, for the agent's side (A5).

use super::Seed;
use crate::error::{Error, ErrorKind};
use crate::inspect::{Utc, Visible};
use crate::json::{MAX_INT, Members, Scratch};
use crate::key::{PublicKey, Signature};
use crate::limits::Limits;
use crate::proof::{Purpose, Verb};
use crate::proposal::is_reserved_for_auto;
use alloc::format;
use alloc::string::String;
use core::fmt;

/// A proof of possession that is ready to be signed. Its `Display` says what the signature will mean.
#[must_use]
pub struct ProofDraft {
    signer: PublicKey,
    time: i64,
    meaning: String,
    text: Scratch,
}

/// Prepares a proof of possession (A5): the holder of `key` asks `service` for `verb` with `target`, at `time` in unix
/// seconds.
///
/// The target is the capability for ASK and INTENT, the proposal's hash for COMMIT, the receipt's id for UNDO and the
/// handle for EXPAND. For an INTENT with auto-commit it is made by [`prepare_auto_proof`].
///
/// # Errors
/// A time beyond `2^53-1`, or a text to sign of more than 64 KiB.
pub fn prepare_proof(
    key: &PublicKey,
    service: &str,
    verb: Verb,
    target: &str,
    time: i64,
) -> Result<ProofDraft, Error> {
    prepare(key, &Purpose { service, verb, target: &[target] }, time)
}

/// Prepares the proof of possession for an INTENT with auto-commit (A5.5), for the frame with this id.
///
/// # Errors
/// As for [`prepare_proof`]; also a capability that starts with `auto:` or has a `:` in it, as such a proof would be one for
/// another request too (B8).
pub fn prepare_auto_proof(
    key: &PublicKey,
    service: &str,
    capability: &str,
    frame: &str,
    time: i64,
) -> Result<ProofDraft, Error> {
    if is_reserved_for_auto(capability) {
        return Err(Error::new(ErrorKind::Field("capability")));
    }
    prepare(key, &Purpose { service, verb: Verb::Intent, target: &["auto:", capability, ":", frame] }, time)
}

fn prepare(key: &PublicKey, purpose: &Purpose<'_>, time: i64) -> Result<ProofDraft, Error> {
    if time.unsigned_abs() > MAX_INT.unsigned_abs() {
        return Err(Error::new(ErrorKind::BadNumber));
    }
    let mut text = Scratch::new(Limits::CEILING.proof_bytes);
    purpose.write(time, &mut text);
    text.finish().ok_or(Error::new(ErrorKind::TooLong))?;
    let (target, service) = (purpose.target.concat(), Visible(purpose.service));
    let (verb, target) = (purpose.verb.as_str(), Visible(&target));
    let meaning =
        format!("{key} asks for {verb} at {}\n  at the service {service}\n  of {target}", Utc(time));
    Ok(ProofDraft { signer: *key, time, meaning, text })
}

impl ProofDraft {
    /// The key that has to sign.
    pub const fn signer(&self) -> &PublicKey {
        &self.signer
    }

    /// The exact bytes that it has to sign, with plain Ed25519.
    pub fn bytes_to_sign(&self) -> &[u8] {
        self.text.finish().unwrap_or_default()
    }

    /// Signs here, and gives the proof's JSON text.
    ///
    /// # Errors
    /// [`ErrorKind::WrongSigner`] for another key than the draft's signer.
    pub fn sign(self, seed: &Seed) -> Result<String, Error> {
        let signature = seed.sign(&self.signer, self.bytes_to_sign())?;
        self.finish(&signature)
    }

    /// Takes a signature that was made elsewhere, and gives the proof's JSON text.
    ///
    /// # Errors
    /// A signature that does not verify strictly (B2) for [`signer`](Self::signer) over
    /// [`bytes_to_sign`](Self::bytes_to_sign).
    pub fn finish(self, signature: &[u8; 64]) -> Result<String, Error> {
        let signature = Signature::from_bytes(*signature)?;
        self.signer.open()?.verify(self.bytes_to_sign(), &signature)?;
        let mut out = String::new();
        Members::of(&mut out)
            .with("key", |out| self.signer.write(out))
            .string("sig", &signature.text())
            .int("ts", self.time)
            .end();
        Ok(out)
    }
}

impl fmt::Display for ProofDraft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.meaning)
    }
}

impl fmt::Debug for ProofDraft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ProofDraft(for {})", self.signer)
    }
}
