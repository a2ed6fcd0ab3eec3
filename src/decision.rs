//! The answer: what may leave the service, and apart from it what may not (B10).

use crate::caveat::Amount;
use crate::consent::ConsentRequest;
use crate::error::Error;
use crate::evaluate::{Failure, SpendLine};
use crate::grant::BlockId;
use crate::key::PublicKey;
use crate::proposal::Terms;
use crate::replay::Claim;
use crate::request::{Committed, Origin, Owner, RecordedKey};
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

/// The answer to a request. Only a [`Verifier`](crate::Verifier) makes one.
///
/// ```compile_fail,E0599
/// # fn f(allowed: parley_grants::Allowed) {
/// let again = allowed.clone(); // one request, one answer
/// # }
/// ```
/// ```compile_fail,E0451
/// let allowed = parley_grants::Allowed { ..todo!() }; // the fields are private
/// ```
/// ```compile_fail
/// #![deny(unused_must_use)]
/// # fn f(v: parley_grants::Verifier<Vec<parley_grants::PublicKey>>,
/// #      request: parley_grants::Request, presented: parley_grants::Presented) {
/// v.authorize(&request, &presented); // a decision that nobody looks at
/// # }
/// ```
#[derive(Debug, PartialEq, Eq)]
#[must_use]
pub enum Decision {
    /// The request may be carried out.
    Allowed(Allowed),
    /// It may not.
    Refused(Refusal),
}

/// A request that may be carried out, and on whose authority.
#[derive(Debug, PartialEq, Eq)]
#[must_use]
pub struct Allowed {
    pub(crate) what: What,
    pub(crate) holder: Option<PublicKey>,
    pub(crate) proof_time: Option<i64>,
    pub(crate) authority: Option<Authority>,
    pub(crate) spend: Vec<SpendLine>,
}

/// The kind of request that was allowed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum What {
    Intent,
    Commit {
        terms: Box<Terms>,
        /// Some block of the grant names one proposal, as a consent does.
        is_one_time: bool,
    },
    Other,
}

/// The grant that allowed a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Authority {
    pub(crate) index: usize,
    pub(crate) grant: BlockId,
    pub(crate) issuer: PublicKey,
}

impl Allowed {
    /// The agent's key. `None` only for EXPAND of a handle that is bound to no key.
    pub const fn holder(&self) -> Option<&PublicKey> {
        self.holder.as_ref()
    }

    /// The principal on whose behalf it happens. `None` only for EXPAND.
    pub fn issuer(&self) -> Option<&PublicKey> {
        self.authority.as_ref().map(|authority| &authority.issuer)
    }

    /// The id of the grant that allowed it. `None` only for EXPAND.
    pub fn grant_id(&self) -> Option<&BlockId> {
        self.authority.as_ref().map(|authority| &authority.grant)
    }

    /// The index of that grant among those presented. `None` only for EXPAND.
    pub fn grant_index(&self) -> Option<usize> {
        self.authority.as_ref().map(|authority| authority.index)
    }

    /// Under which blocks the cost of the COMMIT counts, and up to which totals. Empty for every other request.
    pub fn spend(&self) -> &[SpendLine] {
        &self.spend
    }

    /// The terms of the proposal that is committed; `None` for every other request.
    pub fn terms(&self) -> Option<&Terms> {
        match &self.what {
            What::Commit { terms, .. } => Some(terms),
            What::Intent | What::Other => None,
        }
    }

    /// Who may expand a handle that is made for this request: its proven key, and anyone only where none was proven (A8.13,
    /// A8.14).
    pub const fn owner(&self) -> Owner {
        match self.holder {
            Some(key) => Owner::Key(RecordedKey::Key(key)),
            None => Owner::Anyone,
        }
    }

    /// What the COMMIT costs, to be counted under each of those blocks. `None` for nothing, and for every other request.
    pub const fn cost(&self) -> Option<&Amount> {
        match &self.what {
            What::Commit { terms, .. } => terms.cost(),
            What::Intent | What::Other => None,
        }
    }

    /// What to store beside each proposal that this INTENT makes; `None` for any other request.
    pub fn origin(&self) -> Option<Origin> {
        match self.what {
            What::Intent => {
                Some(Origin::with_grant(RecordedKey::Key(self.holder?), RecordedKey::Key(*self.issuer()?)))
            }
            What::Commit { .. } | What::Other => None,
        }
    }

    /// What remembers the frame of this INTENT with auto, which arrived at the time `arrived` (A8.27): claimed before
    /// the auto-commit. `None` when there was no holder.
    pub fn auto_claim(&self, frame: &str, arrived: i64) -> Option<Claim> {
        Some(Claim::for_auto(self.holder()?, frame, arrived, self.proof_time.unwrap_or(arrived)))
    }

    /// What makes a consent count once (A9.7): the claim of the principal and the proposal, where the grant that allowed this
    /// COMMIT is for one proposal only, whatever blocks were appended to it. Claimed before it is executed, by a service that
    /// executes one proposal more than once; `None` for any other grant or request.
    pub fn consent_claim(&self) -> Option<Claim> {
        match &self.what {
            What::Commit { terms, is_one_time: true } => {
                Some(Claim::for_consent(self.issuer()?, terms.hash(), terms.expires()))
            }
            What::Commit { .. } | What::Intent | What::Other => None,
        }
    }

    /// What to store beside the receipt of this COMMIT; `None` for any other request.
    pub fn committed(&self) -> Option<Committed> {
        match &self.what {
            What::Commit { terms, .. } => {
                let (holder, principal) = (RecordedKey::Key(self.holder?), RecordedKey::Key(*self.issuer()?));
                Some(Committed::recorded(holder, principal, terms.capability(), terms.hash()))
            }
            What::Intent | What::Other => None,
        }
    }
}

/// A request that may not be carried out. What may leave the service is its [`answer`](Refusal::answer); its
/// [`log`](Refusal::log) may not, and its `Debug` shows nothing of it (B10).
#[derive(PartialEq, Eq)]
#[must_use]
pub struct Refusal {
    answer: Answer,
    log: Log,
}

impl Refusal {
    pub(crate) const fn new(answer: Answer, log: Log) -> Self {
        Self { answer, log }
    }

    /// What the caller on the other side may be told.
    pub const fn answer(&self) -> &Answer {
        &self.answer
    }

    /// Why, for the service's own log.
    pub const fn log(&self) -> &Log {
        &self.log
    }
}

impl fmt::Debug for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Refusal").field(&self.answer).finish()
    }
}

/// What a caller is told, and all of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// No valid grant of a trusted principal was presented by its proven holder.
    Unauthorized,
    /// No, and nobody's consent would change it.
    Forbidden,
    /// The human may consent: send them this.
    ConsentRequired(Box<ConsentRequest>),
    /// The hash that was sent is not the proposal's. It carries no hash.
    Conflict,
    /// The proposal's time is over.
    Expired,
    /// No auto-commit: show the proposals, as without auto.
    Review,
    /// The cost could not be counted: the ledger is full, or its reservation id is taken. Nothing was done.
    Unavailable,
}

impl Answer {
    /// A stable code: `unauthorized`, `forbidden`, `consent_required`, `conflict`, `expired`, `review` or `unavailable`.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Unauthorized => "unauthorized",
            Self::Forbidden => "forbidden",
            Self::ConsentRequired(_) => "consent_required",
            Self::Conflict => "conflict",
            Self::Expired => "expired",
            Self::Review => "review",
            Self::Unavailable => "unavailable",
        }
    }
}

/// Why a request was refused. For the service's own log only: sent to a caller, it would tell a stranger how far
/// each attempt got (B10). Its `Display` is one line a cause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Log {
    pub(crate) cause: Cause,
    pub(crate) grants: Vec<GrantLog>,
}

impl Log {
    /// The step that decided.
    pub const fn cause(&self) -> &Cause {
        &self.cause
    }

    /// Each grant that was looked at, in order.
    pub fn grants(&self) -> &[GrantLog] {
        &self.grants
    }
}

impl From<Cause> for Log {
    fn from(cause: Cause) -> Self {
        Self { cause, grants: Vec::new() }
    }
}

impl fmt::Display for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.cause)?;
        self.grants.iter().try_for_each(|grant| write!(f, "\n{grant}"))
    }
}

/// The step at which a request was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cause {
    /// The proof's text would also be that of another request (B8).
    ReservedCapability,
    /// More grants than the limit.
    TooManyGrants,
    /// No proof where one is needed.
    NoProof,
    /// The proof is not well-formed, too old, for something else or not signed by its key.
    BadProof(Error),
    /// The proven key is not the one that the proposal was made for.
    OtherHolder,
    /// The proven key is not the one that the handle was made for.
    OtherOwner,
    /// The proposal is not well-formed.
    BadProposal(Error),
    /// Auto-commit of a proposal for another capability than the one asked for.
    OtherCapability,
    /// The hash that was sent is not the proposal's.
    OtherHash,
    /// The proposal's time is over.
    ProposalExpired,
    /// Auto-commit of what cannot be undone.
    NoUndo,
    /// No grant was presented.
    NoGrants,
    /// No grant allows the request.
    NoGrantAllows,
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ReservedCapability => "the capability is reserved",
            Self::TooManyGrants => "more grants than the limit",
            Self::NoProof => "no proof",
            Self::BadProof(error) => return write!(f, "bad proof: {error}"),
            Self::OtherHolder => "the proposal was not made for the proven key",
            Self::OtherOwner => "the handle was not made for the proven key",
            Self::BadProposal(error) => return write!(f, "bad proposal: {error}"),
            Self::OtherCapability => "the proposal is for another capability",
            Self::OtherHash => "the hash is not the proposal's",
            Self::ProposalExpired => "the proposal has expired",
            Self::NoUndo => "the proposal cannot be undone",
            Self::NoGrants => "no grants",
            Self::NoGrantAllows => "no grant allows it",
        })
    }
}

/// What one grant said to a request that it did not allow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GrantLog {
    /// Its index among those presented.
    pub index: usize,
    /// Its id, when it could be verified.
    pub id: Option<BlockId>,
    /// Why it does not allow the request.
    pub denial: Denial,
}

/// Why a grant does not allow a request.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Denial {
    /// It is not a valid grant of a trusted principal for the proven key.
    Invalid(Error),
    /// Its principal is not the one that the proposal or receipt belongs to.
    OtherPrincipal,
    /// The service has revoked this block of it.
    Revoked(BlockId),
    /// These of its caveats are not satisfied.
    Caveats(Vec<Failure>),
    /// Its caveats allow it, and its ledger says that a total would go over its limit.
    Exceeded,
    /// Its caveats allow it, and its cost could not be counted.
    Unavailable,
}

impl fmt::Display for GrantLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "grant {}", self.index)?;
        if let Some(id) = &self.id {
            write!(f, " ({id})")?;
        }
        match &self.denial {
            Denial::Invalid(error) => write!(f, ": {error}"),
            Denial::OtherPrincipal => f.write_str(": of another principal"),
            Denial::Revoked(block) => write!(f, ": block {block} is revoked"),
            Denial::Exceeded => f.write_str(": over a limit in total (soft)"),
            Denial::Unavailable => f.write_str(": the cost could not be counted"),
            Denial::Caveats(failures) => failures.iter().try_for_each(|failure| write!(f, "\n  {failure}")),
        }
    }
}
