//! The other side: a human, who signs grants and consents, and agents, which hold keys and grants and make proofs.

use crate::shop::Call;
use parley_grants::issue::{self, Seed};
use parley_grants::{Caveat, ConsentRequest, Error, MatchedConsent, Proposal, PublicKey, Verb, Verifier};

/// Whoever asks. In a product the seed comes from a cryptographic source of randomness and is kept by the platform.
pub struct Agent {
    seed: Seed,
    service: &'static str,
    pub grants: Vec<String>,
}

impl Agent {
    pub fn new(seed: [u8; 32], service: &'static str) -> Result<Self, Error> {
        Ok(Self { seed: Seed::from_bytes(&seed)?, service, grants: Vec::new() })
    }

    pub fn key(&self) -> &PublicKey {
        self.seed.public_key()
    }

    /// All grants, with a proof that this request is ours. The target is the capability for INTENT, the hash for COMMIT, the
    /// receipt for UNDO, the handle for EXPAND (A5.4 to A5.8).
    pub fn call(&self, verb: Verb, target: &str, now: i64) -> Result<Call, Error> {
        let proof = issue::prepare_proof(self.key(), self.service, verb, target, now)?.sign(&self.seed)?;
        Ok(Call { grants: self.grants.clone(), proof: Some(proof) })
    }

    /// The same for an INTENT with auto (A5.5).
    pub fn auto_call(&self, capability: &str, frame: &str, now: i64) -> Result<Call, Error> {
        let draft = issue::prepare_auto_proof(self.key(), self.service, capability, frame, now)?;
        Ok(Call { grants: self.grants.clone(), proof: Some(draft.sign(&self.seed)?) })
    }

    /// Hands its first grant on to another key, narrowed.
    pub fn delegate(
        &self,
        principal: &PublicKey,
        to: &PublicKey,
        caveats: &[Caveat],
        now: i64,
    ) -> Result<String, Error> {
        let token = self.grants.first().map_or("", String::as_str);
        let grant = Verifier::new(self.service, vec![*principal]).verify(token)?;
        issue::prepare_delegation(&grant, to, caveats, now)?.sign(&self.seed)
    }

    /// Compares a consent request with the proposal that this service really sent; only what comes out may be shown to the
    /// human (A9.5).
    pub fn matched<'p>(
        &self,
        request: &str,
        received: &'p Proposal,
        principal: &PublicKey,
    ) -> Result<MatchedConsent<'p>, Error> {
        ConsentRequest::parse(request.as_bytes())?.matched(received, self.service, principal)
    }
}

/// The principal.
pub struct Human {
    seed: Seed,
}

impl Human {
    pub fn new(seed: [u8; 32]) -> Result<Self, Error> {
        Ok(Self { seed: Seed::from_bytes(&seed)? })
    }

    pub fn key(&self) -> &PublicKey {
        self.seed.public_key()
    }

    /// A policy: what the agent may do without asking.
    pub fn grant(
        &self,
        agent: &PublicKey,
        caveats: &[Caveat],
        now: i64,
        nonce: &str,
    ) -> Result<String, Error> {
        issue::prepare_root(self.key(), agent, caveats, now, nonce)?.sign(&self.seed)
    }

    /// Is shown what it is about, says yes, and signs just that (A9.6).
    pub fn consent(
        &self,
        matched: &MatchedConsent<'_>,
        agent: &PublicKey,
        now: i64,
        nonce: &str,
        show: impl FnOnce(&str) -> bool,
    ) -> Result<Option<String>, Error> {
        if !show(&matched.to_string()) {
            return Ok(None);
        }
        issue::prepare_matched_consent(matched, agent, now, nonce)?.sign(&self.seed).map(Some)
    }
}
