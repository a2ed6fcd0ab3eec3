//! What is asked of the front door, with the bindings that a caller must not forget (A8).

use crate::chain::VerifiedGrant;
use crate::error::Error;
use crate::key::PublicKey;
use crate::limits::Limits;
use crate::proposal::{Proposal, Terms, is_reserved};
use alloc::borrow::Cow;
use alloc::string::String;

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

impl core::fmt::Debug for Presentable<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Token(text) => write!(f, "Token({} bytes)", text.len()),
            Self::Kept(grant) => write!(f, "Kept({})", grant.id()),
        }
    }
}

/// How a request shows whose it is (A5).
#[derive(Clone, Copy, Debug)]
pub enum Possession<'r> {
    /// The JSON text of a proof.
    Proof(&'r [u8]),
    /// Not at all.
    None,
    /// By the caller's word: something else authenticated this very request as the key's, such as its TLS
    /// connection. A wrong word is a full break of every grant that the key holds.
    AssumeProven(&'r PublicKey),
}

/// A key that the service wrote down earlier and now reads back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordedKey {
    /// This one.
    Key(PublicKey),
    /// None was there to write down.
    Absent,
    /// Something was written down that is no key. It matches nobody.
    Unreadable,
}

impl RecordedKey {
    /// Reads a key back from storage; a text that is no key matches nobody.
    pub fn from_text(text: Option<&str>) -> Self {
        text.map_or(Self::Absent, |text| text.parse().map_or(Self::Unreadable, Self::Key))
    }

    /// Is it this very key?
    pub(crate) fn is(&self, key: &PublicKey) -> bool {
        match self {
            Self::Key(recorded) => recorded == key,
            Self::Absent | Self::Unreadable => false,
        }
    }

    /// Is it this key, or none in particular?
    pub(crate) fn permits(&self, key: &PublicKey) -> bool {
        match self {
            Self::Key(recorded) => recorded == key,
            Self::Absent => true,
            Self::Unreadable => false,
        }
    }
}

impl From<Option<PublicKey>> for RecordedKey {
    fn from(key: Option<PublicKey>) -> Self {
        key.map_or(Self::Absent, Self::Key)
    }
}

/// Whose INTENT made a proposal: what a service stores beside it. From [`Allowed::origin`](crate::Allowed::origin).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    holder: RecordedKey,
    principal: RecordedKey,
}

impl Origin {
    /// The origin of a proposal that nobody in particular asked for: it can never be committed (A8).
    pub const fn anonymous() -> Self {
        Self { holder: RecordedKey::Absent, principal: RecordedKey::Absent }
    }

    /// An origin as it was stored: the key whose verified proof was on the INTENT, and the principal of the grant that
    /// authorized it. Without a holder nobody may commit; without a principal, any that the service trusts.
    pub const fn recorded(holder: RecordedKey, principal: RecordedKey) -> Self {
        Self { holder, principal }
    }

    /// The only key that may commit.
    pub const fn holder(&self) -> &RecordedKey {
        &self.holder
    }

    /// The only principal under whose grant it may be committed.
    pub const fn principal(&self) -> &RecordedKey {
        &self.principal
    }
}

/// Who committed something, and what: what a service stores beside a receipt. From
/// [`Allowed::committed`](crate::Allowed::committed).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Committed {
    holder: RecordedKey,
    principal: RecordedKey,
    capability: String,
}

impl Committed {
    /// A commit as it was stored. Without a holder nobody may replay it, without a principal nobody may undo it.
    pub fn recorded(holder: RecordedKey, principal: RecordedKey, capability: &str) -> Self {
        Self { holder, principal, capability: String::from(capability) }
    }

    /// The key that committed.
    pub const fn holder(&self) -> &RecordedKey {
        &self.holder
    }

    /// The principal on whose behalf.
    pub const fn principal(&self) -> &RecordedKey {
        &self.principal
    }

    /// The capability of the proposal.
    pub fn capability(&self) -> &str {
        &self.capability
    }
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
            Self::Kept(proposal) => Ok(Cow::Borrowed(proposal.terms())),
            Self::Vouched(terms) => Ok(Cow::Borrowed(terms)),
        }
    }
}

/// Any request but a first COMMIT.
#[derive(Clone, Copy, Debug)]
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
        /// The capability asked for; one with a `:` in it is forbidden (B8).
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
        /// The key whose proof was on the request that the handle was made for. With none, anyone may expand it.
        owner: RecordedKey,
    },
    /// COMMIT of a proposal that is committed already: may the agent have the first answer again?
    Replay {
        /// The proposal.
        proposal: Offered<'r>,
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
        /// The principal whose grant authorized the INTENT.
        principal: RecordedKey,
    },
}

impl Commit<'_> {
    pub(crate) fn is_reserved(&self) -> bool {
        match self {
            // The proposal's capability is looked at after the proof: one that is reserved is not well-formed.
            Self::Sent { .. } => false,
            Self::Auto { capability, .. } => is_reserved_for_auto(capability),
        }
    }
}

/// `auto:{capability}:{frame id}` must have one reading.
fn is_reserved_for_auto(capability: &str) -> bool {
    is_reserved(capability) || capability.contains(':')
}
