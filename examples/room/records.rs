//! What a room keeps, what goes to a client and comes from it, and what a caller is told.

use parley_grants::routes::{NotAllowed, Posture, Reason, Refusal, RouteText, Scope};
use std::convert::Infallible;
use std::fmt;

pub struct Member {
    /// The human for whom it acts.
    pub owner: String,
    pub posture: Posture,
}

/// A direct message.
pub struct Message {
    pub id: String,
    pub author: Scope,
    pub to: Scope,
    pub hop: i64,
    pub lineage: String,
    pub body: Vec<u8>,
    /// When it will be deleted, in unix seconds.
    pub retention_end: i64,
    /// What moderation said.
    pub passed: bool,
    /// Has its recipient acknowledged it?
    pub handled: bool,
}

/// A message as it goes to its recipient: whom it is from is not said.
pub struct Letter {
    pub message: String,
    pub body: Vec<u8>,
    pub route: Option<RouteText>,
    pub remaining: u8,
}

/// An answer as it comes from a client.
pub struct Sent<'s> {
    pub route: &'s str,
    pub key: &'s str,
    pub body: &'s [u8],
}

/// Whom the server has authenticated.
#[derive(Clone, Copy)]
pub enum Who<'w> {
    Administrator,
    Human(&'w str),
    Agent(&'w Scope),
}

/// A refused attempt to use a route, for the operator's eyes alone.
#[derive(Debug, PartialEq)]
pub struct Entry {
    pub at: i64,
    pub who: Scope,
    pub reason: Reason,
}

/// What a caller is told. A store that can fail adds "try again later".
#[derive(Debug, PartialEq)]
pub enum Failure {
    /// The one refusal of a route, whatever is wrong with the attempt.
    Route(Refusal),
    /// A control is not theirs to change.
    NotAllowed(NotAllowed),
    /// There is no such member or message, or it is not theirs.
    NotFound,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Route(refusal) => refusal.fmt(f),
            Self::NotAllowed(not_allowed) => not_allowed.fmt(f),
            Self::NotFound => f.write_str("not found"),
        }
    }
}

impl std::error::Error for Failure {}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        Self::Route(refusal)
    }
}

impl From<NotAllowed> for Failure {
    fn from(not_allowed: NotAllowed) -> Self {
        Self::NotAllowed(not_allowed)
    }
}

/// A store in memory does not fail.
impl From<Infallible> for Failure {
    fn from(never: Infallible) -> Self {
        match never {}
    }
}
