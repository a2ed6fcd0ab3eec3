//! What a route is frozen to, and what became of it (C1, C3).

use alloc::string::String;
use core::fmt;
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

use super::value::RouteDigest;

/// The last hop of a lineage (C2).
pub const LAST_HOP: i64 = 16;

/// Most seconds between a route's issuance and its expiry: 7 days (C1).
pub const LONGEST: i64 = 7 * 24 * 60 * 60;

/// Who takes part in a room: a durable agent, or one exact session of it. They are never the same, whichever way
/// round: a route of a session is not usable by its agent or by another session (C1).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Scope {
    /// The agent's id.
    pub agent: String,
    /// The session's id, for one exact session.
    pub session: Option<String>,
}

impl Scope {
    /// A durable agent.
    #[must_use]
    pub fn agent(agent: &str) -> Self {
        Self { agent: String::from(agent), session: None }
    }

    /// One session of an agent.
    #[must_use]
    pub fn session(agent: &str, session: &str) -> Self {
        Self { session: Some(String::from(session)), ..Self::agent(agent) }
    }
}

/// What a route is frozen to when it is issued (C1). None of it changes afterwards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    /// The room's id.
    pub room: String,
    /// Who received it, and alone may use it.
    pub recipient: Scope,
    /// Whom the answer goes to.
    pub target: Scope,
    /// The room's policy generation.
    pub generation: u64,
    /// The hop of the message that its redemption makes: 1 to 16. A record with another hop is refused.
    pub hop: i64,
    /// The lineage's id.
    pub lineage: String,
    /// Do recipient and target act for different principals?
    pub cross_principal: bool,
    /// Usable before this time, in unix seconds.
    pub expires: i64,
}

/// A route as a store has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The digest of its value.
    pub digest: RouteDigest,
    /// The id of the message that it was handed over with.
    pub message: String,
    /// What it is frozen to.
    pub terms: Terms,
    /// What became of it.
    pub state: State,
}

/// What became of a route.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// Nothing yet.
    Open,
    /// Another took its place, or an operator revoked it.
    Revoked,
    /// It was used.
    Consumed(Used),
}

/// How a route was used: by this a retry is known, and answered with the receipt (C3).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Used {
    /// The idempotency key.
    pub key: String,
    /// The digest of the body.
    pub body: BodyDigest,
    /// What the first answer was.
    pub receipt: String,
}

/// SHA-256 of a body.
#[derive(Clone, Copy, Eq)]
pub struct BodyDigest([u8; 32]);

impl BodyDigest {
    /// The digest of these bytes.
    #[must_use]
    pub fn of(body: &[u8]) -> Self {
        Self(Sha256::digest(body).into())
    }

    /// A digest as it was stored.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Its 32 bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl PartialEq for BodyDigest {
    fn eq(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

impl fmt::Debug for BodyDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(crate::base64url::encode_32(&self.0).as_str())
    }
}
