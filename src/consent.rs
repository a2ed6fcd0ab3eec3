//! Asking the human (A9).

use crate::caveat::Caveat;
use crate::error::{Error, ErrorKind};
use crate::grant::Grant;
use crate::json;
use crate::key::PublicKey;
use crate::limits::Limits;
use crate::proof::Verb;
use crate::proposal::{Object, Proposal, Terms};
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

    /// Reads a request, as an agent receives it: JSON in any spelling, with exactly its seven members.
    ///
    /// # Errors
    /// What was wrong, with the member where it is one.
    pub fn parse(text: &[u8]) -> Result<Self, Error> {
        let limits = Limits::default();
        let mut reader = json::any(text, &limits)?;
        let document = json::read_value(&mut reader)?;
        reader.end()?;
        let members = Object::root(&document);
        members.exactly(&["capability", "expires", "hash", "principal", "proposal", "service", "summary"])?;
        Ok(Self {
            proposal: members.string("proposal")?,
            hash: members.string("hash")?,
            service: members.string("service")?,
            capability: members.string("capability")?,
            principal: members
                .string("principal")?
                .parse()
                .map_err(|_| Error::new(ErrorKind::Field("principal")))?,
            summary: members.string("summary")?,
            expires: members.int("expires")?,
        })
    }

    /// Compares every member with the proposal that the agent really received from `service`, and `principal` with its
    /// own human (A9.5). Only what comes out may be shown to them, and signed.
    ///
    /// # Errors
    /// [`ErrorKind::Field`] with the first member that differs: nothing must be shown or signed.
    pub fn matched<'p>(
        &self,
        proposal: &'p Proposal,
        service: &'p str,
        principal: &PublicKey,
    ) -> Result<MatchedConsent<'p>, Error> {
        let terms = proposal.terms();
        let differs = [
            ("proposal", self.proposal != terms.id()),
            ("hash", self.hash != terms.hash()),
            ("service", self.service != service),
            ("capability", self.capability != terms.capability()),
            ("principal", self.principal != *principal),
            ("summary", self.summary != terms.summary()),
            ("expires", self.expires != terms.expires()),
        ];
        match differs.into_iter().find(|(_, differs)| *differs) {
            Some((member, _)) => Err(Error::new(ErrorKind::Field(member))),
            None => Ok(MatchedConsent { proposal, service, principal: *principal }),
        }
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

/// A consent request that is, member by member, about a proposal that the agent received. Only
/// [`ConsentRequest::matched`] makes one. Its `Display`, and with the agent's key that of the draft that is made of it, is what the human must be shown: service, effects, cost, risk, undo and expiry
/// (A9.6), every text of the service's in quotation marks and with nothing invisible in it.
///
/// ```compile_fail,E0451
/// # fn f(proposal: &parley_grants::Proposal, principal: parley_grants::PublicKey) {
/// let matched = parley_grants::MatchedConsent { proposal, service: "shop.example", principal };
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct MatchedConsent<'p> {
    proposal: &'p Proposal,
    service: &'p str,
    principal: PublicKey,
}

impl MatchedConsent<'_> {
    /// The proposal.
    pub const fn proposal(&self) -> &Proposal {
        self.proposal
    }

    /// The service that asks.
    pub const fn service(&self) -> &str {
        self.service
    }

    /// The human who is asked.
    pub const fn principal(&self) -> &PublicKey {
        &self.principal
    }
}

impl Grant {
    /// Is this a consent for just these terms at just this service: one block, with exactly the five caveats of A9.4 in
    /// their order? Whether it is genuine, only its verification says. `false` does not say that it is no consent: its holder can
    /// append blocks. What makes one count once is [`Allowed::consent_claim`](crate::Allowed::consent_claim).
    pub fn is_consent_for(&self, terms: &Terms, service: &str) -> bool {
        let mut blocks = self.blocks();
        let (Some(root), None) = (blocks.next(), blocks.next()) else { return false };
        let is_only = |list: &[String], text: &str| matches!(list, [only] if only == text);
        match root.caveats() {
            [
                Caveat::Service(services),
                Caveat::Verbs(verbs),
                Caveat::Capabilities(capabilities),
                Caveat::Only(hash),
                Caveat::Expires(time),
            ] => {
                is_only(services, service)
                    && is_only(verbs, Verb::Commit.as_str())
                    && is_only(capabilities, terms.capability())
                    && hash == terms.hash()
                    && *time == terms.expires()
            }
            _ => false,
        }
    }
}
