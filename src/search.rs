//! The search for a grant that allows a request: one after the other, cheap checks before every signature (A6, B5).

use crate::chain::{Linked, Trust, VerifiedGrant};
use crate::decision::{Answer, Authority, Cause, Denial, GrantLog, Log, Refusal};
use crate::error::Error;
use crate::evaluate::{self, Action, Outcome, Query, Spent};
use crate::grant::{BlockId, Grant};
use crate::key::PublicKey;
use crate::limits::Limits;
use crate::proof::{ProvenKey, Unproven};
use crate::request::{Presentable, Presented, RecordedKey};
use crate::revoke::{Link, Revoke};
use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

pub(crate) fn unauthorized(cause: Cause) -> Refusal {
    Refusal::new(Answer::Unauthorized, cause.into())
}

pub(crate) fn forbidden(cause: Cause) -> Refusal {
    Refusal::new(Answer::Forbidden, cause.into())
}

/// Who makes the request.
#[expect(
    clippy::large_enum_variant,
    reason = "one a request, on the stack: checking a proof allocates nothing"
)]
pub(crate) enum Asker {
    /// Their proof was read, and its signature not checked yet.
    Claimed(Unproven),
    /// By its signature, or by the service's own word: a point of the curve either way.
    Proven(ProvenKey),
}

impl Asker {
    pub(crate) const fn key(&self) -> &PublicKey {
        match self {
            Self::Claimed(claim) => claim.key(),
            Self::Proven(proven) => proven.key(),
        }
    }

    /// When the proof says that it was made.
    pub(crate) const fn proof_time(&self) -> Option<i64> {
        match self {
            Self::Proven(proven) => proven.proof_time(),
            Self::Claimed(_) => None,
        }
    }

    /// Checks the proof's signature, unless that was done before.
    pub(crate) fn prove(&mut self) -> Result<(), Refusal> {
        if let Self::Claimed(claim) = self {
            *self = Self::Proven(claim.verify().map_err(|error| unauthorized(Cause::BadProof(error)))?);
        }
        Ok(())
    }

    /// The proven key must be the recorded one; where none is, nobody's is (A8.4, A8.6).
    pub(crate) fn check_holder(&self, recorded: Option<&RecordedKey>) -> Result<(), Refusal> {
        let is_holder = recorded.is_some_and(|recorded| recorded.is(self.key()));
        if is_holder { Ok(()) } else { Err(forbidden(Cause::OtherHolder)) }
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

/// What a service's verifier consists of.
#[derive(Clone, Debug)]
pub(crate) struct Policy<T, R> {
    pub(crate) service: String,
    pub(crate) trust: T,
    pub(crate) revoke: R,
    pub(crate) limits: Limits,
}

/// A search, and how far it got. It can stop at a grant that allows the request and go on behind it.
pub(crate) struct Search<'r, T, R> {
    pub(crate) policy: &'r Policy<T, R>,
    pub(crate) asker: Asker,
    /// The only principal whose grants count, where one is recorded.
    pub(crate) principal: Option<RecordedKey>,
    pub(crate) presented: Presented<'r>,
    next: usize,
    tally: Tally,
}

/// A grant whose caveats allow the request.
pub(crate) struct Found<'r> {
    pub(crate) grant: Cow<'r, VerifiedGrant>,
    pub(crate) authority: Authority,
}

impl<'r, T: Trust, R: Revoke> Search<'r, T, R> {
    pub(crate) fn new(
        policy: &'r Policy<T, R>,
        asker: Asker,
        principal: Option<&RecordedKey>,
        presented: Presented<'r>,
    ) -> Self {
        Self { policy, asker, principal: principal.copied(), presented, next: 0, tally: Tally::default() }
    }

    /// The next grant that allows the request by itself (A6.7), or `None` when there is none left.
    ///
    /// # Errors
    /// A proof whose signature is bad. It is checked when the first grant is met that could allow.
    pub(crate) fn next(
        &mut self,
        action: &Action<'_>,
        spent: &impl Spent,
    ) -> Result<Option<Found<'r>>, Refusal> {
        while let Some(presentable) = self.presented.grants.get(self.next) {
            let index = self.next;
            self.next = index.saturating_add(1);
            let candidate = match self.compare(*presentable) {
                Ok(candidate) => candidate,
                Err(error) => {
                    self.deny(index, None, Denial::Invalid(error));
                    continue;
                }
            };
            self.asker.prove()?;
            match candidate.verify() {
                Ok(grant) => {
                    if let Some(found) = self.ask(index, grant, action, spent) {
                        return Ok(Some(found));
                    }
                }
                Err(error) => self.deny(index, None, Denial::Invalid(error)),
            }
        }
        Ok(None)
    }

    /// All that can be seen without arithmetic.
    fn compare(&self, presentable: Presentable<'r>) -> Result<Candidate<'r>, Error> {
        let (limits, trust, holder) = (&self.policy.limits, &self.policy.trust, self.asker.key());
        match presentable {
            Presentable::Token(text) => {
                Linked::new(Grant::decode(text, limits)?, trust, Some(holder)).map(Candidate::Fresh)
            }
            Presentable::Kept(kept) => {
                kept.check_again(trust, holder, limits).map(|()| Candidate::Kept(kept))
            }
        }
    }

    /// What a valid grant says.
    fn ask(
        &mut self,
        index: usize,
        grant: Cow<'r, VerifiedGrant>,
        action: &Action<'_>,
        spent: &impl Spent,
    ) -> Option<Found<'r>> {
        let authority = Authority { index, grant: *grant.id(), issuer: *grant.issuer() };
        let id = Some(authority.grant);
        if self.principal.is_some_and(|recorded| !recorded.is(&authority.issuer)) {
            self.tally.forbidden = true;
            self.deny(index, id, Denial::OtherPrincipal);
            return None;
        }
        let query = Query { service: &self.policy.service, action, now: self.presented.now };
        let evaluation = evaluate::evaluate(&grant, &query, spent);
        let outcome = evaluation.outcome();
        // Only a grant that would count is worth the question, and the answer can only be less.
        if outcome != Outcome::Forbidden
            && let Some(block) = self.revoked(&grant)
        {
            self.deny(index, id, Denial::Revoked(block));
            return None;
        }
        match outcome {
            Outcome::Allowed => return Some(Found { grant, authority }),
            Outcome::ConsentRequired => self.tally.consent = self.tally.consent.or(Some(authority.issuer)),
            Outcome::Forbidden => self.tally.forbidden = true,
        }
        self.deny(index, id, Denial::Caveats(evaluation.into_failures()));
        None
    }

    /// The first block that the service has revoked.
    fn revoked(&self, grant: &VerifiedGrant) -> Option<BlockId> {
        for (signer, block) in grant.grant().signed_blocks() {
            let link = Link { block: block.id(), signer, subject: block.subject(), grant: grant.id() };
            if self.policy.revoke.is_revoked(&link) {
                return Some(*block.id());
            }
        }
        None
    }

    fn deny(&mut self, index: usize, id: Option<BlockId>, denial: Denial) {
        self.tally.grants.push(GrantLog { index, id, denial });
    }

    /// The ledger says that a limit would be passed: a soft failure of that grant, like one that a caveat shows.
    pub(crate) fn exceeded(&mut self, found: &Authority) {
        self.tally.consent = self.tally.consent.or(Some(found.issuer));
        self.deny(found.index, Some(found.grant), Denial::Exceeded);
    }

    /// The ledger cannot take it.
    pub(crate) fn unavailable(&mut self, found: &Authority) {
        self.tally.unavailable = true;
        self.deny(found.index, Some(found.grant), Denial::Unavailable);
    }

    /// The reservation's name is that of another demand: perhaps of this attempt, under another grant.
    pub(crate) fn taken(&mut self, found: &Authority) {
        self.tally.taken = true;
        self.deny(found.index, Some(found.grant), Denial::Unavailable);
    }

    pub(crate) fn into_tally(self) -> Tally {
        self.tally
    }
}

/// What the grants said, when none allowed.
#[derive(Default)]
pub(crate) struct Tally {
    /// The principal of the first grant that asks for consent.
    pub(crate) consent: Option<PublicKey>,
    /// A grant would allow, and its cost could not be counted.
    pub(crate) unavailable: bool,
    /// The name under which it was to be counted was used before.
    pub(crate) taken: bool,
    pub(crate) forbidden: bool,
    grants: Vec<GrantLog>,
}

impl Tally {
    pub(crate) fn log(self) -> Log {
        let cause = if self.grants.is_empty() { Cause::NoGrants } else { Cause::NoGrantAllows };
        Log { cause, grants: self.grants }
    }
}
