//! What is asked of the front door, with the bindings that a caller must not forget (A8).

use crate::chain::VerifiedGrant;
use crate::error::Error;
use crate::key::PublicKey;
use crate::limits::Limits;
use crate::proposal::{Proposal, Terms, is_reserved, is_reserved_for_auto};
use alloc::borrow::Cow;
use alloc::string::String;
use core::fmt;

/// What came with a request, and when.
#[derive(Clone, Copy, Debug)]
pub struct Presented<'r> {
    /// The grants, in the agent's order; each must allow the request by itself.
    pub grants: &'r [Presentable<'r>],
    /// How the agent showed that it has its key.
    pub proof: Possession<'r>,
    /// The service's time, in unix seconds.
    pub now: i64,
}

/// A grant as it is presented.
#[derive(Clone, Copy)]
pub enum Presentable<'r> {
    /// The token's text.
    Token(&'r str),
    /// A grant that the service verified before and kept: its signatures are not checked again; its holder, the
    /// trust in its principal and the limits are.
    Kept(&'r VerifiedGrant),
}

impl fmt::Debug for Presentable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Token(text) => write!(f, "Token({} bytes)", text.len()),
            Self::Kept(grant) => write!(f, "Kept({})", grant.id()),
        }
    }
}

/// How a request shows whose it is (A5).
#[derive(Clone, Copy)]
pub enum Possession<'r> {
    /// The JSON text of a proof.
    Proof(&'r [u8]),
    /// Not at all.
    None,
    /// By the caller's word: something else authenticated this very request as the key's, such as its TLS
    /// connection. A wrong word is a full break of every grant that the key holds.
    AssumeProven(&'r PublicKey),
}

/// A proof can be used again while it is in time, so a log must not get it by accident.
impl fmt::Debug for Possession<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Proof(text) => write!(f, "Proof({} bytes)", text.len()),
            Self::None => f.write_str("None"),
            Self::AssumeProven(key) => write!(f, "AssumeProven({key})"),
        }
    }
}

/// A key that the service wrote down earlier and now reads back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordedKey {
    /// This one.
    Key(PublicKey),
    /// Something was written down that is no key. It matches nobody.
    Unreadable,
}

impl RecordedKey {
    /// Reads a key back from storage; a text that is no key matches nobody.
    pub fn read(text: &str) -> Self {
        text.parse().map_or(Self::Unreadable, Self::Key)
    }

    pub(crate) fn is(&self, key: &PublicKey) -> bool {
        match self {
            Self::Key(recorded) => recorded == key,
            Self::Unreadable => false,
        }
    }
}

/// Whose INTENT made a proposal: what a service stores beside it. From [`Allowed::origin`](crate::Allowed::origin).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    holder: Option<RecordedKey>,
    principal: Option<RecordedKey>,
}

impl Origin {
    /// Of a proposal that nobody in particular asked for: it can never be committed (A8.6).
    pub const fn anonymous() -> Self {
        Self { holder: None, principal: None }
    }

    /// Of a proposal that was asked for with the verified proof of `holder`, where the service wanted no grant: `holder`
    /// may commit it, under a grant of any principal that the service trusts.
    pub const fn without_grant(holder: RecordedKey) -> Self {
        Self { holder: Some(holder), principal: None }
    }

    /// Of a proposal that was asked for with the verified proof of `holder` and a grant of `principal`: only they may commit
    /// it (A8.4, A8.5).
    pub const fn with_grant(holder: RecordedKey, principal: RecordedKey) -> Self {
        Self { holder: Some(holder), principal: Some(principal) }
    }

    /// The only key that may commit; with none, nobody may.
    pub const fn holder(&self) -> Option<&RecordedKey> {
        self.holder.as_ref()
    }

    /// The only principal under whose grant it may be committed, if an INTENT's grant named one.
    pub const fn principal(&self) -> Option<&RecordedKey> {
        self.principal.as_ref()
    }
}

/// Who committed what: what a service stores beside a receipt. From [`Allowed::committed`](crate::Allowed::committed).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Committed {
    holder: RecordedKey,
    principal: Option<RecordedKey>,
    capability: String,
    hash: String,
}

impl Committed {
    /// A commit as it was stored: the key that committed, the principal on whose behalf, and the proposal's capability
    /// and hash.
    pub fn recorded(holder: RecordedKey, principal: RecordedKey, capability: &str, hash: &str) -> Self {
        Self { principal: Some(principal), ..Self::without_principal(holder, capability, hash) }
    }

    /// A commit whose principal was not written down: nobody may undo it, and a replay is for `holder` under a grant
    /// of any principal that the service trusts.
    pub fn without_principal(holder: RecordedKey, capability: &str, hash: &str) -> Self {
        Self { holder, principal: None, capability: String::from(capability), hash: String::from(hash) }
    }

    /// The key that committed.
    pub const fn holder(&self) -> &RecordedKey {
        &self.holder
    }

    /// The principal on whose behalf, if it was written down.
    pub const fn principal(&self) -> Option<&RecordedKey> {
        self.principal.as_ref()
    }

    /// The capability of the proposal.
    pub fn capability(&self) -> &str {
        &self.capability
    }

    /// The hash of the proposal.
    pub fn hash(&self) -> &str {
        &self.hash
    }
}

/// Who may expand a handle (A8.13, A8.14).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// Anyone who knows it: it was made for a request without a verified proof.
    Anyone,
    /// Only this key: its verified proof was on the request that the handle was made for.
    Key(RecordedKey),
}

/// A proposal as the service has it.
#[derive(Clone, Copy, Debug)]
pub enum Offered<'r> {
    /// The JSON text that it sent. It is read after proof and holder were checked.
    Text(&'r [u8]),
    /// Parsed before.
    Kept(&'r Proposal),
    /// Terms from elsewhere, for which the service vouches.
    Vouched(&'r Terms),
}

impl<'r> Offered<'r> {
    pub(crate) fn terms(&self, limits: &Limits) -> Result<Cow<'r, Terms>, Error> {
        match self {
            Self::Text(text) => Ok(Cow::Owned(Proposal::parse_within(text, limits)?.into_terms())),
            Self::Kept(proposal) => proposal.check_limits(limits).map(|()| Cow::Borrowed(proposal.terms())),
            Self::Vouched(terms) => Ok(Cow::Borrowed(terms)),
        }
    }
}

/// Any request but a first COMMIT.
#[derive(Clone, Copy)]
pub enum Request<'r> {
    /// ASK.
    Ask {
        /// The capability asked about.
        capability: &'r str,
    },
    /// INTENT.
    Intent {
        /// The capability asked for.
        capability: &'r str,
    },
    /// INTENT with auto-commit: may the agent ask at all? Whether the first proposal is then committed is
    /// [`Commit::Auto`].
    AutoIntent {
        /// The capability asked for; one with a `:` in it is forbidden (B8.2).
        capability: &'r str,
        /// The id of the request's frame.
        frame: &'r str,
    },
    /// UNDO.
    Undo {
        /// The receipt's id, as sent.
        receipt: &'r str,
        /// The commit that the receipt is of.
        of: &'r Committed,
    },
    /// EXPAND.
    Expand {
        /// The handle, as sent.
        handle: &'r str,
        /// Who may.
        owner: Owner,
    },
    /// COMMIT of a proposal that is committed already: may the agent have the first answer again? (A8.7 to A8.10)
    Replay {
        /// The hash, as sent.
        hash: &'r str,
        /// The first commit.
        of: &'r Committed,
    },
}

impl Request<'_> {
    /// Would its proof also be that of another request? (B8)
    pub(crate) fn is_reserved(&self) -> bool {
        match self {
            Self::Ask { capability } | Self::Intent { capability } => is_reserved(capability),
            Self::AutoIntent { capability, .. } => is_reserved_for_auto(capability),
            Self::Undo { of, .. } => is_reserved(of.capability()),
            Self::Expand { .. } | Self::Replay { .. } => false,
        }
    }
}

/// Without the handle: where anyone may expand it, knowing it is enough.
impl fmt::Debug for Request<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ask { capability } => write!(f, "Ask({capability:?})"),
            Self::Intent { capability } => write!(f, "Intent({capability:?})"),
            Self::AutoIntent { capability, frame } => write!(f, "AutoIntent({capability:?}, {frame:?})"),
            Self::Undo { receipt, of } => write!(f, "Undo({receipt:?}, {:?})", of.capability()),
            Self::Expand { handle, owner } => write!(f, "Expand({} bytes, {owner:?})", handle.len()),
            Self::Replay { hash, .. } => write!(f, "Replay({hash:?})"),
        }
    }
}

/// A first COMMIT.
#[derive(Clone, Copy, Debug)]
pub enum Commit<'r> {
    /// As the agent sent it.
    Sent {
        /// The proposal.
        proposal: Offered<'r>,
        /// The hash, as sent.
        hash: &'r str,
        /// Whose INTENT made the proposal.
        origin: &'r Origin,
    },
    /// In the same round trip as the INTENT with auto that made the proposal.
    Auto {
        /// The first proposal that the INTENT made.
        proposal: Offered<'r>,
        /// The INTENT's capability.
        capability: &'r str,
        /// The id of its frame.
        frame: &'r str,
        /// That INTENT, as it was allowed a moment ago.
        origin: &'r Origin,
    },
}

impl Commit<'_> {
    pub(crate) fn is_reserved(&self) -> bool {
        match self {
            // The proposal's capability is looked at after the proof: one that is reserved is not well-formed (A7.14).
            Self::Sent { .. } => false,
            Self::Auto { capability, .. } => is_reserved_for_auto(capability),
        }
    }
}
