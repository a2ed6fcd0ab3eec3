//! The one front door, with its fixed order of steps (A6, A8, B5, B8).

use crate::chain::{Linked, Trust, VerifiedGrant};
use crate::consent::ConsentRequest;
use crate::decision::{Allowed, Answer, Authority, Cause, Decision, Denial, GrantLog, Log, Refusal, What};
use crate::error::Error;
use crate::evaluate::{self, Action, Outcome, Query, Spent};
use crate::grant::{BlockId, Grant};
use crate::key::PublicKey;
use crate::limits::Limits;
use crate::proof::{Claim, ProvenKey, Purpose, Verb};
use crate::proposal::Terms;
use crate::request::{Commit, Owner, Possession, Presentable, Presented, RecordedKey, Request};
use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

/// A service's verifier: its own id, the principals it trusts, and the limits it sets. It holds no state of any
/// request: the same question gets the same answer, from any number of threads.
#[derive(Clone, Debug)]
pub struct Verifier<T> {
    service: String,
    trust: T,
    limits: Limits,
}

impl<T: Trust> Verifier<T> {
    /// A verifier for the service with this id, which is what `svc` caveats and proofs name.
    pub fn new(service: &str, trust: T) -> Self {
        Self { service: String::from(service), trust, limits: Limits::default() }
    }

    /// The same with other limits.
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// The service's id.
    pub fn service(&self) -> &str {
        &self.service
    }

    /// Verifies a token once, for a service that keeps the grant and presents it again as
    /// [`Presentable::Kept`]. This alone allows nothing.
    ///
    /// # Errors
    /// What was wrong with it.
    pub fn verify(&self, token: &str) -> Result<VerifiedGrant, Error> {
        Grant::decode(token, &self.limits)?.verify(&self.trust)
    }

    /// Decides on any request but a first COMMIT, which has a door of its own: [`Verifier::commit`].
    ///
    /// The order of steps, of which the first that fails decides: a reserved capability is forbidden (B8); too many
    /// grants are unauthorized; a missing or bad proof is unauthorized; a key that the commit or handle is not of is
    /// forbidden; another hash is a conflict; then the grants.
    pub fn authorize(&self, request: &Request<'_>, presented: &Presented<'_>) -> Decision {
        self.try_authorize(request, presented).map_or_else(Decision::Refused, Decision::Allowed)
    }

    /// Decides on a first COMMIT, or on an auto-commit, with `spent` as what has been counted so far.
    ///
    /// The order of steps: a reserved capability is forbidden; too many grants are unauthorized; a bad proof is
    /// unauthorized; a key that the proposal was not made for is forbidden; so is a proposal that is not well-formed; another hash
    /// is a conflict; then comes expiry, then the grants. An auto-commit that may not be done outright is
    /// [`Answer::Review`] once its proof and proposal are good.
    pub fn commit(&self, commit: &Commit<'_>, presented: &Presented<'_>, spent: &impl Spent) -> Decision {
        self.try_commit(commit, presented, spent).map_or_else(Decision::Refused, Decision::Allowed)
    }

    fn try_authorize(&self, request: &Request<'_>, presented: &Presented<'_>) -> Result<Allowed, Refusal> {
        if request.is_reserved() {
            return Err(forbidden(Cause::ReservedCapability));
        }
        if !matches!(request, Request::Expand { .. }) {
            self.check_count(presented)?;
        }
        let (asker, principal, action, what) = match *request {
            Request::Ask { capability } => {
                let asker = self.asker(presented, Verb::Ask, &[capability])?;
                (asker, None, Action::Ask(capability), What::Other)
            }
            Request::Intent { capability } => {
                let asker = self.asker(presented, Verb::Intent, &[capability])?;
                (asker, None, Action::Intent(capability), What::Intent)
            }
            Request::AutoIntent { capability, frame } => {
                let asker = self.asker(presented, Verb::Intent, &["auto:", capability, ":", frame])?;
                (asker, None, Action::Intent(capability), What::Intent)
            }
            Request::Undo { receipt, of } => {
                let asker = self.asker(presented, Verb::Undo, &[receipt])?;
                // Somebody committed it: when nobody knows who, nobody may undo it.
                let principal = Some(of.principal().unwrap_or(&RecordedKey::Unreadable));
                (asker, principal, Action::Undo(of.capability()), What::Other)
            }
            Request::Replay { hash, of } => {
                let asker = self.asker(presented, Verb::Commit, &[hash])?.prove()?;
                check_holder(&asker, Some(of.holder()))?;
                if hash != of.hash() {
                    return Err(Refusal::new(Answer::Conflict, Cause::OtherHash.into()));
                }
                let action = Action::Replay { capability: of.capability(), hash };
                (asker, of.principal(), action, What::Other)
            }
            Request::Expand { handle, owner } => {
                let holder = match owner {
                    Owner::Anyone => None,
                    Owner::Key(owner) => {
                        let asker = self.asker(presented, Verb::Expand, &[handle])?.prove()?;
                        if !owner.is(asker.key()) {
                            return Err(forbidden(Cause::OtherOwner));
                        }
                        Some(*asker.key())
                    }
                };
                return Ok(Allowed { what: What::Other, holder, authority: None, spend: Vec::new() });
            }
        };
        // No total is asked for: `spend` binds first COMMITs only.
        let none = &|_: &BlockId| u64::MAX;
        self.decide(asker, principal, &action, presented, none, what).map_err(Tally::without_consent)
    }

    fn try_commit(
        &self,
        commit: &Commit<'_>,
        presented: &Presented<'_>,
        spent: &impl Spent,
    ) -> Result<Allowed, Refusal> {
        if commit.is_reserved() {
            return Err(forbidden(Cause::ReservedCapability));
        }
        self.check_count(presented)?;
        let (asker, proposal, origin) = match *commit {
            Commit::Sent { proposal, hash, origin } => {
                (self.asker(presented, Verb::Commit, &[hash])?, proposal, origin)
            }
            Commit::Auto { proposal, capability, frame, origin } => {
                (self.asker(presented, Verb::Intent, &["auto:", capability, ":", frame])?, proposal, origin)
            }
        };
        let asker = asker.prove()?;
        check_holder(&asker, origin.holder())?;
        let terms = proposal.terms(&self.limits).map_err(|error| forbidden(Cause::BadProposal(error)))?;
        let is_expired = presented.now >= terms.expires();
        let review = |log| Refusal::new(Answer::Review, log);
        match *commit {
            Commit::Sent { hash, .. } => {
                if hash != terms.hash() {
                    return Err(Refusal::new(Answer::Conflict, Cause::OtherHash.into()));
                }
                if is_expired {
                    return Err(Refusal::new(Answer::Expired, Cause::ProposalExpired.into()));
                }
            }
            Commit::Auto { capability, .. } => {
                if terms.capability() != capability {
                    return Err(forbidden(Cause::OtherCapability));
                }
                if terms.undo().is_none_or(|window| window == 0) {
                    return Err(review(Cause::NoUndo.into()));
                }
                if is_expired {
                    return Err(review(Cause::ProposalExpired.into()));
                }
            }
        }
        let what = What::Commit(Terms::clone(&terms));
        let decided = self.decide(asker, origin.principal(), &Action::Commit(&terms), presented, spent, what);
        decided.map_err(|tally| match commit {
            Commit::Sent { .. } => {
                tally.with_consent(|principal| ConsentRequest::new(&self.service, &terms, principal))
            }
            Commit::Auto { .. } => review(tally.log()),
        })
    }

    fn check_count(&self, presented: &Presented<'_>) -> Result<(), Refusal> {
        if presented.grants.len() > self.limits.grants {
            Err(unauthorized(Cause::TooManyGrants))
        } else {
            Ok(())
        }
    }

    /// Who says that the request is theirs (A5).
    fn asker(&self, presented: &Presented<'_>, verb: Verb, target: &[&str]) -> Result<Asker, Refusal> {
        match presented.proof {
            Possession::Proof(text) => {
                let purpose = Purpose { service: &self.service, verb, target };
                let claim = Claim::read(text, &purpose, presented.now, &self.limits);
                claim.map(Asker::Claimed).map_err(|error| unauthorized(Cause::BadProof(error)))
            }
            // It may come from a grant that was not verified, so it may be no key yet (B2).
            Possession::AssumeProven(key) => match key.open() {
                Ok(_) => Ok(Asker::Proven(ProvenKey::assume_proven(*key))),
                Err(error) => Err(unauthorized(Cause::BadProof(error))),
            },
            Possession::None => Err(unauthorized(Cause::NoProof)),
        }
    }

    /// Asks the grants one after the other: the first that allows the request by itself decides (A6.7).
    ///
    /// All that can be compared as text is, before the first signature is checked: that of the asker's proof, if it was not yet.
    #[expect(clippy::result_large_err, reason = "made once a request; a box would be an allocation more")]
    fn decide(
        &self,
        mut asker: Asker,
        principal: Option<&RecordedKey>,
        action: &Action<'_>,
        presented: &Presented<'_>,
        spent: &impl Spent,
        what: What,
    ) -> Result<Allowed, Tally> {
        let mut tally = Tally::default();
        for (index, presentable) in presented.grants.iter().enumerate() {
            let candidate = match *presentable {
                Presentable::Token(text) => Grant::decode(text, &self.limits)
                    .and_then(|grant| Linked::new(grant, &self.trust, Some(asker.key())))
                    .map(Candidate::Fresh),
                Presentable::Kept(kept) => {
                    kept.check_again(&self.trust, asker.key(), &self.limits).map(|()| Candidate::Kept(kept))
                }
            };
            let candidate = match candidate {
                Ok(candidate) => candidate,
                Err(error) => {
                    tally.deny(index, None, Denial::Invalid(error));
                    continue;
                }
            };
            asker = match asker.prove() {
                Ok(proven) => proven,
                Err(refusal) => return Err(Tally { bad_proof: Some(refusal), ..tally }),
            };
            let grant = match candidate.verify() {
                Ok(grant) => grant,
                Err(error) => {
                    tally.deny(index, None, Denial::Invalid(error));
                    continue;
                }
            };
            let (id, issuer) = (*grant.id(), *grant.issuer());
            if principal.is_some_and(|recorded| !recorded.is(&issuer)) {
                tally.deny(index, Some(id), Denial::OtherPrincipal);
                tally.forbidden = true;
                continue;
            }
            let query = Query { service: &self.service, action, now: presented.now };
            let evaluation = evaluate::evaluate(&grant, &query, spent);
            match evaluation.outcome() {
                Outcome::Allowed => {
                    let spend = match &what {
                        What::Commit(terms) => grant.spend_lines(terms).collect(),
                        What::Intent | What::Other => Vec::new(),
                    };
                    let authority = Some(Authority { index, grant: id, issuer });
                    return Ok(Allowed { what, holder: Some(*asker.key()), authority, spend });
                }
                Outcome::ConsentRequired => tally.consent = tally.consent.or(Some(issuer)),
                Outcome::Forbidden => tally.forbidden = true,
            }
            tally.deny(index, Some(id), Denial::Caveats(evaluation.into_failures()));
        }
        Err(tally)
    }
}

fn unauthorized(cause: Cause) -> Refusal {
    Refusal::new(Answer::Unauthorized, cause.into())
}

fn forbidden(cause: Cause) -> Refusal {
    Refusal::new(Answer::Forbidden, cause.into())
}

/// The proven key must be the recorded one; where none is, nobody's is (A8.4, A8.6).
fn check_holder(asker: &Asker, recorded: Option<&RecordedKey>) -> Result<(), Refusal> {
    if recorded.is_some_and(|recorded| recorded.is(asker.key())) {
        Ok(())
    } else {
        Err(forbidden(Cause::OtherHolder))
    }
}

/// Who makes the request.
#[expect(
    clippy::large_enum_variant,
    reason = "one a request, on the stack: checking a proof allocates nothing"
)]
enum Asker {
    /// Their proof was read, and its signature not checked yet.
    Claimed(Claim),
    /// By its signature, or by the service's own word: a point of the curve either way.
    Proven(ProvenKey),
}

impl Asker {
    const fn key(&self) -> &PublicKey {
        match self {
            Self::Claimed(claim) => claim.key(),
            Self::Proven(proven) => proven.key(),
        }
    }

    /// Checks the proof's signature, unless that was done before.
    fn prove(self) -> Result<Self, Refusal> {
        match self {
            Self::Claimed(claim) => {
                claim.verify().map(Self::Proven).map_err(|error| unauthorized(Cause::BadProof(error)))
            }
            Self::Proven(_) => Ok(self),
        }
    }
}

/// A grant of which all holds that can be compared as text.
#[expect(clippy::large_enum_variant, reason = "lives for one step of the loop")]
enum Candidate<'r> {
    Fresh(Linked),
    Kept(&'r VerifiedGrant),
}

impl<'r> Candidate<'r> {
    /// Checks what is left, for a holder who was proven, so that their key is a point of the curve.
    fn verify(self) -> Result<Cow<'r, VerifiedGrant>, Error> {
        match self {
            Self::Kept(kept) => Ok(Cow::Borrowed(kept)),
            Self::Fresh(linked) => linked.verify().map(Cow::Owned),
        }
    }
}

/// What the grants said, when none allowed.
#[derive(Default)]
struct Tally {
    /// The proof was bad, which decides.
    bad_proof: Option<Refusal>,
    /// The principal of the first grant that asks for consent.
    consent: Option<PublicKey>,
    forbidden: bool,
    grants: Vec<GrantLog>,
}

impl Tally {
    fn deny(&mut self, index: usize, id: Option<BlockId>, denial: Denial) {
        self.grants.push(GrantLog { index, id, denial });
    }

    fn log(self) -> Log {
        let cause = if self.grants.is_empty() { Cause::NoGrants } else { Cause::NoGrantAllows };
        Log { cause, grants: self.grants }
    }

    /// Consent before forbidden before unauthorized (A6.8).
    fn with_consent(mut self, request: impl FnOnce(PublicKey) -> ConsentRequest) -> Refusal {
        if let Some(refusal) = self.bad_proof.take() {
            return refusal;
        }
        let answer = match (self.consent, self.forbidden) {
            (Some(principal), _) => Answer::ConsentRequired(Box::new(request(principal))),
            (None, true) => Answer::Forbidden,
            (None, false) => Answer::Unauthorized,
        };
        Refusal::new(answer, self.log())
    }

    /// For requests that no soft caveat binds: nothing can ask for consent, and if it did it would be no.
    fn without_consent(mut self) -> Refusal {
        if let Some(refusal) = self.bad_proof.take() {
            return refusal;
        }
        let answer =
            if self.forbidden || self.consent.is_some() { Answer::Forbidden } else { Answer::Unauthorized };
        Refusal::new(answer, self.log())
    }
}
