//! The recipient's side: what it was handed, and the one answer that it can give (C2).

use super::terms::LAST_HOP;
use super::value::{Route, RouteText};
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// From how many remaining replies on a client says so to its human.
const WARN_AT: u8 = 2;

/// What goes to a recipient together with a message: a route to answer it by, or none, and how many replies are left of
/// the lineage. Without a route there is no way to answer: no address can be told from a message.
#[derive(Debug)]
#[must_use]
pub struct Handed {
    route: Option<Route>,
    remaining: u8,
}

impl Handed {
    pub(super) const fn with_route(route: Route, remaining: u8) -> Self {
        Self { route: Some(route), remaining }
    }

    pub(super) const fn without_route() -> Self {
        Self { route: None, remaining: 0 }
    }

    /// As a client received it; `None` for what no server of this contract sends: a text that is no route, a route with
    /// nothing or more than 16 remaining, or none with something.
    #[must_use]
    pub fn received(route: Option<&str>, remaining: i64) -> Option<Self> {
        let route = match route {
            Some(text) => Some(Route::read(text)?),
            None => None,
        };
        let allowed = if route.is_some() { 1..=LAST_HOP } else { 0..=0 };
        let remaining = u8::try_from(remaining).ok().filter(|_| allowed.contains(&remaining))?;
        Some(Self { route, remaining })
    }

    /// How many replies are left of the lineage, this one included.
    #[must_use]
    pub const fn remaining(&self) -> u8 {
        self.remaining
    }

    /// Is it time to tell the human that the lineage is about to end? From two remaining replies on.
    #[must_use]
    pub const fn is_running_out(&self) -> bool {
        self.remaining <= WARN_AT
    }

    /// The route's text, for the server to send along.
    #[must_use]
    pub fn route_text(&self) -> Option<RouteText> {
        self.route.as_ref().map(Route::text)
    }

    /// The one answer, with an idempotency key that tells this answer from any other by the same route; `None` when there is no route. Nothing
    /// else takes its place: who has something to say still begins a lineage of their own, if they may.
    #[must_use]
    pub fn reply(self, key: &str, body: &[u8]) -> Option<Reply> {
        self.route.map(|route| Reply { route, key: String::from(key), body: Vec::from(body) })
    }
}

/// An answer that can be sent any number of times until its receipt is known, always the same: with another key or body it
/// would be refused.
pub struct Reply {
    route: Route,
    key: String,
    body: Vec<u8>,
}

/// Without key and body, which are private.
impl fmt::Debug for Reply {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reply").field("route", &self.route).finish_non_exhaustive()
    }
}

impl Reply {
    /// An answer that was begun before this client was restarted; `None` for a text that is no route. All three must be what
    /// they were.
    #[must_use]
    pub fn again(route: &str, key: &str, body: &[u8]) -> Option<Self> {
        Some(Self { route: Route::read(route)?, key: String::from(key), body: Vec::from(body) })
    }

    /// The route's text.
    #[must_use]
    pub fn route_text(&self) -> RouteText {
        self.route.text()
    }

    /// The idempotency key.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The body.
    #[must_use]
    pub fn body(&self) -> &[u8] {
        &self.body
    }
}
