//! Asking the human (A9).

use crate::json;
use crate::key::PublicKey;
use crate::proposal::Terms;
use alloc::string::String;

/// What a service sends when only soft caveats stand in the way of a COMMIT (A9).
///
/// The agent's side compares every member with the proposal that it received from that service, and shows its human
/// that proposal's effects, cost, risk and undo; the summary alone is no ground for a signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConsentRequest {
    proposal: String,
    hash: String,
    service: String,
    capability: String,
    principal: PublicKey,
    summary: String,
    expires: i64,
}

impl ConsentRequest {
    pub(crate) fn new(service: &str, terms: &Terms, principal: PublicKey) -> Self {
        Self {
            proposal: String::from(terms.id()),
            hash: String::from(terms.hash()),
            service: String::from(service),
            capability: String::from(terms.capability()),
            principal,
            summary: String::from(terms.summary()),
            expires: terms.expires(),
        }
    }

    /// The proposal's id.
    pub fn proposal(&self) -> &str {
        &self.proposal
    }

    /// The proposal's hash: the one that the agent sent.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// The service that asks.
    pub fn service(&self) -> &str {
        &self.service
    }

    /// The capability that the COMMIT needs.
    pub fn capability(&self) -> &str {
        &self.capability
    }

    /// The human who is asked.
    pub const fn principal(&self) -> &PublicKey {
        &self.principal
    }

    /// The proposal's summary.
    pub fn summary(&self) -> &str {
        &self.summary
    }

    /// From when on the proposal can no longer be committed, in unix seconds.
    pub const fn expires(&self) -> i64 {
        self.expires
    }

    /// The request as canonical JSON.
    pub fn to_json(&self) -> String {
        let mut out = String::new();
        json::Members::of(&mut out)
            .string("capability", &self.capability)
            .int("expires", self.expires)
            .string("hash", &self.hash)
            .with("principal", |out| self.principal.write(out))
            .string("proposal", &self.proposal)
            .string("service", &self.service)
            .string("summary", &self.summary)
            .end();
        out
    }
}
