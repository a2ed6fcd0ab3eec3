//! A store in memory: bounded, and what is over can be forgotten (C3).

use super::store::{Issue, Issued, Store};
use super::terms::{LONGEST, Record, Scope, State, Used};
use super::value::RouteDigest;
use alloc::collections::BTreeMap;
use alloc::string::String;
use core::convert::Infallible;

/// How long a consumed route is kept beyond its end, in seconds: 7 days, so that a client that was away can still learn
/// its receipt.
pub const MARGIN: i64 = LONGEST;

/// A store in memory, for so many routes. When it is full it first forgets what is over, and then refuses: messages wait, and no
/// route is lost. Whoever can have messages delivered can fill it, until they expire: how many anybody may send is the server's to
/// bound.
///
/// It cannot fail, so `let Ok(delivered) = deliver(..)` needs no `else`.
///
/// Threads share it behind a lock that is held for one call of [`deliver`](super::deliver) or [`redeem`](super::redeem).
#[derive(Clone, Debug)]
pub struct MemoryStore {
    capacity: usize,
    routes: BTreeMap<RouteDigest, Kept>,
    /// The one route of each message and recipient that is not revoked.
    current: BTreeMap<(String, Scope), RouteDigest>,
}

#[derive(Clone, Debug)]
struct Kept {
    record: Record,
    retention_end: i64,
}

impl Kept {
    fn owner(&self) -> (String, Scope) {
        (self.record.message.clone(), self.record.terms.recipient.clone())
    }

    /// Can nobody ask for it any more?
    fn is_over(&self, now: i64) -> bool {
        let expires = self.record.terms.expires;
        match self.record.state {
            State::Open | State::Revoked => now >= expires,
            // Until its message is gone it could be delivered again, and must not get another route. An end that is beyond
            // i64 never comes.
            State::Consumed(_) => {
                expires.max(self.retention_end).checked_add(MARGIN).is_some_and(|end| now >= end)
            }
        }
    }
}

impl MemoryStore {
    /// An empty store for so many routes, of which each takes a few hundred bytes and the texts in it.
    #[must_use]
    pub const fn with_capacity(capacity: usize) -> Self {
        Self { capacity, routes: BTreeMap::new(), current: BTreeMap::new() }
    }

    /// How many routes it has, whatever their state.
    #[must_use]
    pub fn len(&self) -> usize {
        self.routes.len()
    }

    /// Does it have none?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.routes.is_empty()
    }

    /// Forgets what nobody can ask for any more at `now`, in unix seconds: routes that were not used once they have expired, and
    /// used ones [`MARGIN`] after they have expired and their message is gone.
    pub fn forget(&mut self, now: i64) {
        self.keep(|kept| !kept.is_over(now));
    }

    fn keep(&mut self, mut stays: impl FnMut(&Kept) -> bool) {
        let Self { routes, current, .. } = self;
        routes.retain(|_, kept| stays(kept));
        current.retain(|_, digest| routes.contains_key(digest));
    }

    fn has_room(&mut self, now: i64) -> bool {
        if self.routes.len() >= self.capacity {
            self.keep(|kept| !kept.is_over(now) && kept.record.state != State::Revoked);
        }
        self.routes.len() < self.capacity
    }
}

impl Store for MemoryStore {
    type Error = Infallible;

    fn find(&mut self, digest: &RouteDigest) -> Result<Option<Record>, Infallible> {
        Ok(self.routes.get(digest).map(|kept| kept.record.clone()))
    }

    fn issue(&mut self, issue: &Issue<'_>) -> Result<Issued, Infallible> {
        let kept = Kept {
            record: Record {
                digest: issue.digest,
                message: String::from(issue.message),
                terms: issue.terms.clone(),
                state: State::Open,
            },
            retention_end: issue.retention_end,
        };
        let owner = kept.owner();
        let earlier = self.current.get(&owner).and_then(|digest| self.routes.get(digest));
        if earlier.is_some_and(|earlier| matches!(earlier.record.state, State::Consumed(_))) {
            return Ok(Issued::Answered);
        }
        if self.routes.contains_key(&issue.digest) {
            return Ok(Issued::Refused);
        }
        let has_room = self.has_room(issue.now);
        match self.current.get(&owner) {
            None if !has_room => return Ok(Issued::Refused),
            None => {}
            // It makes room for the one that takes its place.
            Some(earlier) if !has_room => {
                self.routes.remove(earlier);
            }
            Some(earlier) => {
                if let Some(earlier) = self.routes.get_mut(earlier) {
                    earlier.record.state = State::Revoked;
                }
            }
        }
        self.current.insert(owner, issue.digest);
        self.routes.insert(issue.digest, kept);
        Ok(Issued::Open)
    }

    fn consume(&mut self, digest: &RouteDigest, used: &Used) -> Result<bool, Infallible> {
        let open = self.routes.get_mut(digest).filter(|kept| kept.record.state == State::Open);
        let Some(kept) = open else { return Ok(false) };
        kept.record.state = State::Consumed(used.clone());
        Ok(true)
    }
}
