//! The one front door, with its fixed order of steps (A6, A8, B5, B8).

use crate::chain::{self, Trust, VerifiedGrant};
use crate::consent::ConsentRequest;
use crate::decision::{Allowed, Answer, Authority, Cause, Decision, Denial, GrantLog, Log, Refusal, What};
use crate::error::Error;
use crate::evaluate::{self, Action, Outcome, Query, Spent};
use crate::grant::Grant;
use crate::key::PublicKey;
use crate::limits::Limits;
use crate::proof::{self, ProvenKey, Purpose, Verb};
use crate::request::{Commit, Possession, Presentable, Presented, RecordedKey, Request};
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
    /// grants are unauthorized; a missing or bad proof is unauthorized; a key that the proposal or handle was not made for is
    /// forbidden; a proposal that is not well-formed is forbidden; another hash is a conflict; then the grants.
    pub fn authorize(&self, request: &Request<'_>, presented: &Presented<'_>) -> Decision {
        self.try_authorize(request, presented).map_or_else(Decision::Refused, Decision::Allowed)
    }

    /// Decides on a first COMMIT, or on an auto-commit, with `spent` as what has been counted so far.
    ///
    /// The steps are those of [`Verifier::authorize`]; after the conflict comes expiry. An auto-commit that may
    /// not be done outright is [`Answer::Review`] once its proof and proposal are good.
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
        let none = &|_: &_| u64::MAX; // no total is asked for: `spend` binds first COMMITs only
        match *request {
            Request::Ask { capability } => {
                let proven = self.prove(presented, Verb::Ask, &[capability])?;
                let ask =
                    Ask { proven: &proven, principal: &RecordedKey::Absent, action: Action::Ask(capability) };
                ask.decide(self, presented, none, What::Other).map_err(Tally::without_consent)
            }
            Request::Intent { capability } => {
                let proven = self.prove(presented, Verb::Intent, &[capability])?;
                let ask = Ask {
                    proven: &proven,
                    principal: &RecordedKey::Absent,
                    action: Action::Intent(capability),
                };
                ask.decide(self, presented, none, What::Intent).map_err(Tally::without_consent)
            }
            Request::AutoIntent { capability, frame } => {
                let proven = self.prove(presented, Verb::Intent, &["auto:", capability, ":", frame])?;
                let ask = Ask {
                    proven: &proven,
                    principal: &RecordedKey::Absent,
                    action: Action::Intent(capability),
                };
                ask.decide(self, presented, none, What::Intent).map_err(Tally::without_consent)
            }
            Request::Undo { receipt, of } => {
                let proven = self.prove(presented, Verb::Undo, &[receipt])?;
                // Somebody committed it: when nobody knows who, nobody may undo it.
                let principal = match of.principal() {
                    RecordedKey::Absent => &RecordedKey::Unreadable,
                    known @ (RecordedKey::Key(_) | RecordedKey::Unreadable) => known,
                };
                let ask = Ask { proven: &proven, principal, action: Action::Undo(of.capability()) };
                ask.decide(self, presented, none, What::Other).map_err(Tally::without_consent)
            }
            Request::Expand { handle, owner } => {
                let holder = match owner {
                    RecordedKey::Absent => None,
                    RecordedKey::Key(_) | RecordedKey::Unreadable => {
                        let proven = self.prove(presented, Verb::Expand, &[handle])?;
                        if !owner.is(proven.key()) {
                            return Err(forbidden(Cause::OtherOwner));
                        }
                        Some(*proven.key())
                    }
                };
                Ok(Allowed { what: What::Other, holder, authority: None, spend: Vec::new() })
            }
            Request::Replay { proposal, hash, of } => {
                let proven = self.prove(presented, Verb::Commit, &[hash])?;
                if !of.holder().is(proven.key()) {
                    return Err(forbidden(Cause::OtherHolder));
                }
                let terms =
                    proposal.terms(&self.limits).map_err(|error| forbidden(Cause::BadProposal(error)))?;
                if hash != terms.hash() {
                    return Err(Refusal::new(Answer::Conflict, Cause::OtherHash.into()));
                }
                let ask = Ask { proven: &proven, principal: of.principal(), action: Action::Replay(&terms) };
                ask.decide(self, presented, none, What::Other).map_err(Tally::without_consent)
            }
        }
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
        match *commit {
            Commit::Sent { proposal, hash, origin } => {
                let proven = self.prove(presented, Verb::Commit, &[hash])?;
                if !origin.holder().is(proven.key()) {
                    return Err(forbidden(Cause::OtherHolder));
                }
                let terms =
                    proposal.terms(&self.limits).map_err(|error| forbidden(Cause::BadProposal(error)))?;
                if hash != terms.hash() {
                    return Err(Refusal::new(Answer::Conflict, Cause::OtherHash.into()));
                }
                if presented.now >= terms.expires() {
                    return Err(Refusal::new(Answer::Expired, Cause::ProposalExpired.into()));
                }
                let ask =
                    Ask { proven: &proven, principal: origin.principal(), action: Action::Commit(&terms) };
                let what = What::Commit(String::from(terms.capability()));
                ask.decide(self, presented, spent, what).map_err(|tally| {
                    tally.with_consent(|principal| ConsentRequest::new(&self.service, &terms, principal))
                })
            }
            Commit::Auto { proposal, capability, frame, ref principal } => {
                let proven = self.prove(presented, Verb::Intent, &["auto:", capability, ":", frame])?;
                let terms =
                    proposal.terms(&self.limits).map_err(|error| forbidden(Cause::BadProposal(error)))?;
                if terms.capability() != capability {
                    return Err(forbidden(Cause::OtherCapability));
                }
                let review = |log| Refusal::new(Answer::Review, log);
                if terms.undo().is_none_or(|window| window == 0) {
                    return Err(review(Cause::NoUndo.into()));
                }
                if presented.now >= terms.expires() {
                    return Err(review(Cause::ProposalExpired.into()));
                }
                let ask = Ask { proven: &proven, principal, action: Action::Commit(&terms) };
                let what = What::Commit(String::from(capability));
                ask.decide(self, presented, spent, what).map_err(|tally| review(tally.log()))
            }
        }
    }

    fn check_count(&self, presented: &Presented<'_>) -> Result<(), Refusal> {
        if presented.grants.len() > self.limits.grants {
            Err(unauthorized(Cause::TooManyGrants))
        } else {
            Ok(())
        }
    }

    /// The key that made the request (A5).
    fn prove(&self, presented: &Presented<'_>, verb: Verb, target: &[&str]) -> Result<ProvenKey, Refusal> {
        match presented.proof {
            Possession::Proof(text) => {
                let purpose = Purpose { service: &self.service, verb, target };
                proof::check(text, &purpose, presented.now, &self.limits)
                    .map_err(|error| unauthorized(Cause::BadProof(error)))
            }
            Possession::AssumeProven(key) => Ok(ProvenKey::assume_proven(*key)),
            Possession::None => Err(unauthorized(Cause::NoProof)),
        }
    }
}

fn unauthorized(cause: Cause) -> Refusal {
    Refusal::new(Answer::Unauthorized, cause.into())
}

fn forbidden(cause: Cause) -> Refusal {
    Refusal::new(Answer::Forbidden, cause.into())
}

/// The question that is put to each grant.
struct Ask<'r> {
    proven: &'r ProvenKey,
    /// The only principal whose grants count, where one is recorded.
    principal: &'r RecordedKey,
    action: Action<'r>,
}

impl Ask<'_> {
    /// Asks the grants one after the other: the first that allows the request by itself decides (A6).
    fn decide<T: Trust>(
        &self,
        verifier: &Verifier<T>,
        presented: &Presented<'_>,
        spent: &impl Spent,
        what: What,
    ) -> Result<Allowed, Tally> {
        let mut tally = Tally::default();
        for (index, presentable) in presented.grants.iter().enumerate() {
            let checked = match *presentable {
                Presentable::Token(text) => Grant::decode(text, &verifier.limits)
                    .and_then(|grant| chain::verify(grant, &verifier.trust, Some(self.proven.key())))
                    .map(Cow::Owned),
                Presentable::Kept(kept) => kept
                    .check_again(&verifier.trust, self.proven.key(), &verifier.limits)
                    .map(|()| Cow::Borrowed(kept)),
            };
            let grant = match checked {
                Ok(grant) => grant,
                Err(error) => {
                    tally.grants.push(GrantLog { index, id: None, denial: Denial::Invalid(error) });
                    continue;
                }
            };
            let id = Some(*grant.id());
            if !self.principal.permits(grant.issuer()) {
                tally.grants.push(GrantLog { index, id, denial: Denial::OtherPrincipal });
                tally.forbidden = true;
                continue;
            }
            let query = Query { service: &verifier.service, action: &self.action, now: presented.now };
            let evaluation = evaluate::evaluate(&grant, &query, spent);
            match evaluation.outcome() {
                Outcome::Allowed => {
                    let authority = Authority { index, grant: *grant.id(), issuer: *grant.issuer() };
                    let spend = match self.action {
                        Action::Commit(terms) => grant.spend_lines(terms).collect(),
                        Action::Hello(_)
                        | Action::Ask(_)
                        | Action::Intent(_)
                        | Action::Replay(_)
                        | Action::Undo(_)
                        | Action::Expand(_) => Vec::new(),
                    };
                    let holder = Some(*self.proven.key());
                    return Ok(Allowed { what, holder, authority: Some(authority), spend });
                }
                Outcome::ConsentRequired => tally.consent = tally.consent.or(Some(*grant.issuer())),
                Outcome::Forbidden => tally.forbidden = true,
            }
            let denial = Denial::Caveats(evaluation.into_failures());
            tally.grants.push(GrantLog { index, id, denial });
        }
        Err(tally)
    }
}

/// What the grants said, when none allowed.
#[derive(Default)]
struct Tally {
    /// The principal of the first grant that asks for consent.
    consent: Option<PublicKey>,
    forbidden: bool,
    grants: Vec<GrantLog>,
}

impl Tally {
    fn log(self) -> Log {
        let cause = if self.grants.is_empty() { Cause::NoGrants } else { Cause::NoGrantAllows };
        Log { cause, grants: self.grants }
    }

    /// Consent before forbidden before unauthorized (A6).
    fn with_consent(self, request: impl FnOnce(PublicKey) -> ConsentRequest) -> Refusal {
        let answer = match (self.consent, self.forbidden) {
            (Some(principal), _) => Answer::ConsentRequired(Box::new(request(principal))),
            (None, true) => Answer::Forbidden,
            (None, false) => Answer::Unauthorized,
        };
        Refusal::new(answer, self.log())
    }

    /// For requests that no soft caveat binds: nothing can ask for consent, and if it did it would be no.
    fn without_consent(self) -> Refusal {
        let answer =
            if self.forbidden || self.consent.is_some() { Answer::Forbidden } else { Answer::Unauthorized };
        Refusal::new(answer, self.log())
    }
}
