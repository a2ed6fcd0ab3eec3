//! The one front door, with its fixed order of steps (A6, A8, B5, B8).

use crate::chain::{Trust, VerifiedGrant};
use crate::commit::{self, Step};
use crate::decision::{Allowed, Answer, Cause, Decision, Refusal, What};
use crate::error::Error;
use crate::evaluate::Action;
use crate::grant::{BlockId, Grant};
use crate::limits::Limits;
use crate::proof::{ProvenKey, Purpose, Unproven, Verb};
use crate::proposal::Terms;
use crate::request::{Commit, Owner, Possession, Presented, RecordedKey, Request};
use crate::revoke::Revoke;
use crate::search::{Asker, Policy, Search, Tally, forbidden, unauthorized};
use crate::spend::ReservationId;
use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

/// A service's verifier: its own id, the principals it trusts, what it has revoked, and the limits it sets. It holds no
/// state of any request: the same question gets the same answer, from any number of threads.
#[derive(Clone, Debug)]
pub struct Verifier<T, R = ()> {
    policy: Policy<T, R>,
}

impl<T: Trust> Verifier<T> {
    /// A verifier for the service with this id, which is what `svc` caveats and proofs name.
    pub fn new(service: &str, trust: T) -> Self {
        Self {
            policy: Policy { service: String::from(service), trust, revoke: (), limits: Limits::default() },
        }
    }
}

impl<T: Trust, R: Revoke> Verifier<T, R> {
    /// The same with other limits.
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { policy: Policy { limits, ..self.policy } }
    }

    /// The same with something revoked, in place of what was before.
    pub fn with_revocation<N: Revoke>(self, revoke: N) -> Verifier<T, N> {
        let Policy { service, trust, limits, .. } = self.policy;
        Verifier { policy: Policy { service, trust, revoke, limits } }
    }

    /// The service's id.
    pub fn service(&self) -> &str {
        &self.policy.service
    }

    /// Verifies a token once, for a service that keeps the grant and presents it again as
    /// [`Presentable::Kept`](crate::Presentable::Kept). This alone allows nothing.
    ///
    /// The key to keep it by is the whole text: nothing less of a token says that the rest was verified too. Trust and revocation
    /// are asked again whenever it is presented, so what is kept need not be forgotten in time, only bounded.
    ///
    /// # Errors
    /// What was wrong with it.
    ///
    /// ```
    /// # use parley_grants::{Error, PublicKey, VerifiedGrant, Verifier};
    /// use std::collections::HashMap;
    ///
    /// fn known<'k>(
    ///     kept: &'k mut HashMap<String, VerifiedGrant>,
    ///     verifier: &Verifier<Vec<PublicKey>>,
    ///     token: &str,
    /// ) -> Result<&'k VerifiedGrant, Error> {
    ///     if !kept.contains_key(token) {
    ///         let grant = verifier.verify(token)?;
    ///         if kept.len() >= 10_000 {
    ///             kept.clear();
    ///         }
    ///         kept.insert(token.to_owned(), grant);
    ///     }
    ///     Ok(&kept[token])
    /// }
    /// # let verifier = Verifier::new("shop.example", vec![]);
    /// # assert!(known(&mut HashMap::new(), &verifier, "pg1.").is_err());
    /// ```
    pub fn verify(&self, token: &str) -> Result<VerifiedGrant, Error> {
        Grant::decode(token, &self.policy.limits)?.verify(&self.policy.trust)
    }

    /// Decides on any request but a first COMMIT, which has a door of its own: [`Verifier::commit`].
    ///
    /// The order of steps, of which the first that fails decides: a reserved capability is forbidden (B8); too many
    /// grants are unauthorized; a missing or bad proof is unauthorized; a key that the commit or handle is not of is
    /// forbidden; another hash is a conflict; then the grants.
    pub fn authorize(&self, request: &Request<'_>, presented: &Presented<'_>) -> Decision {
        self.try_authorize(request, presented).map_or_else(Decision::Refused, Decision::Allowed)
    }

    /// Begins a first COMMIT, or an auto-commit, whose cost is to be reserved as `id`.
    ///
    /// The order of steps: a reserved capability is forbidden; too many grants are unauthorized; a bad proof is
    /// unauthorized; a key that the proposal was not made for is forbidden; so is a proposal that is not well-formed; another hash
    /// is a conflict; then comes expiry, then the grants. An auto-commit that may not be done outright is [`Answer::Review`]
    /// once its proof and proposal are good.
    ///
    /// A COMMIT that is allowed is never allowed by this call alone: see [`Step`].
    pub fn commit<'r>(
        &'r self,
        commit: &Commit<'r>,
        presented: &Presented<'r>,
        id: ReservationId,
    ) -> Step<'r, T, R> {
        match self.begin(commit, presented) {
            Ok((search, terms)) => commit::go_on(search, terms, matches!(commit, Commit::Auto { .. }), id),
            Err(refusal) => Step::Refused(refusal),
        }
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
                let mut asker = self.asker(presented, Verb::Commit, &[hash])?;
                asker.prove()?;
                asker.check_holder(Some(of.holder()))?;
                if hash != of.hash() {
                    return Err(Refusal::new(Answer::Conflict, Cause::OtherHash.into()));
                }
                (asker, of.principal(), Action::Replay { capability: of.capability(), hash }, What::Other)
            }
            Request::Expand { handle, owner } => {
                let holder = match owner {
                    Owner::Anyone => None,
                    Owner::Key(owner) => {
                        let mut asker = self.asker(presented, Verb::Expand, &[handle])?;
                        asker.prove()?;
                        if !owner.is(asker.key()) {
                            return Err(forbidden(Cause::OtherOwner));
                        }
                        Some(*asker.key())
                    }
                };
                return Ok(Allowed {
                    what: What::Other,
                    holder,
                    proof_time: None,
                    authority: None,
                    spend: Vec::new(),
                });
            }
        };
        let mut search = Search::new(&self.policy, asker, principal, *presented);
        // No total is asked for: `spend` binds first COMMITs only.
        let Some(found) = search.next(&action, &|_: &BlockId| u64::MAX)? else {
            return Err(refuse(search.into_tally()));
        };
        let (holder, proof_time) = (Some(*search.asker.key()), search.asker.proof_time());
        Ok(Allowed { what, holder, proof_time, authority: Some(found.authority), spend: Vec::new() })
    }

    /// All steps of a COMMIT before the grants.
    fn begin<'r>(
        &'r self,
        commit: &Commit<'r>,
        presented: &Presented<'r>,
    ) -> Result<(Search<'r, T, R>, Cow<'r, Terms>), Refusal> {
        if commit.is_reserved() {
            return Err(forbidden(Cause::ReservedCapability));
        }
        self.check_count(presented)?;
        let (mut asker, proposal, origin) = match *commit {
            Commit::Sent { proposal, hash, origin } => {
                (self.asker(presented, Verb::Commit, &[hash])?, proposal, origin)
            }
            Commit::Auto { proposal, capability, frame, origin } => {
                (self.asker(presented, Verb::Intent, &["auto:", capability, ":", frame])?, proposal, origin)
            }
        };
        asker.prove()?;
        asker.check_holder(origin.holder())?;
        let terms =
            proposal.terms(&self.policy.limits).map_err(|error| forbidden(Cause::BadProposal(error)))?;
        commit::check_proposal(commit, &terms, presented.now)?;
        Ok((Search::new(&self.policy, asker, origin.principal(), *presented), terms))
    }

    fn check_count(&self, presented: &Presented<'_>) -> Result<(), Refusal> {
        if presented.grants.len() > self.policy.limits.grants {
            Err(unauthorized(Cause::TooManyGrants))
        } else {
            Ok(())
        }
    }

    /// Who says that the request is theirs (A5).
    fn asker(&self, presented: &Presented<'_>, verb: Verb, target: &[&str]) -> Result<Asker, Refusal> {
        match presented.proof {
            Possession::Proof(text) => {
                let purpose = Purpose { service: &self.policy.service, verb, target };
                let unproven = Unproven::read(text, &purpose, presented.now, &self.policy.limits);
                unproven.map(Asker::Claimed).map_err(|error| unauthorized(Cause::BadProof(error)))
            }
            // It may come from a grant that was not verified, so it may be no key yet (B2).
            Possession::AssumeProven(key) => match key.open() {
                Ok(_) => Ok(Asker::Proven(ProvenKey::assume_proven(*key))),
                Err(error) => Err(unauthorized(Cause::BadProof(error))),
            },
            Possession::None => Err(unauthorized(Cause::NoProof)),
        }
    }
}

/// For requests that no soft caveat binds: nothing can ask for consent, and if it did it would be no (A6.8).
fn refuse(tally: Tally) -> Refusal {
    let answer =
        if tally.forbidden || tally.consent.is_some() { Answer::Forbidden } else { Answer::Unauthorized };
    Refusal::new(answer, tally.log())
}
