//! A store in memory: bounded, and what is over can be forgotten (C3).

use super::store::{Issue, Issued, Store};
use super::terms::{LONGEST, Record, Scope, State, Used};
use super::value::RouteDigest;
use alloc::collections::{BTreeMap, BTreeSet};
use alloc::string::String;
use alloc::vec::Vec;
use core::convert::Infallible;

/// How long a consumed route is kept beyond its end, in seconds: 7 days, so that a client that was away can still learn
/// its receipt.
pub const MARGIN: i64 = LONGEST;

/// A store in memory, for so many routes. When it is full it first forgets what is over, and then refuses: messages wait,
/// and no route is lost.
///
/// Whoever can have messages delivered can fill it: with open routes until they expire, with used ones until their messages
/// are gone and [`MARGIN`] more, and for good where messages never are. How many anybody may send is the server's to bound.
///
/// It cannot fail, so `let Ok(delivered) = deliver(..)` needs no `else`. Threads share it behind a lock that is held while
/// controls and time are read and [`deliver`](super::deliver) or [`redeem`](super::redeem) is called.
#[derive(Debug)]
pub struct MemoryStore {
    capacity: usize,
    routes: BTreeMap<RouteDigest, Kept>,
    /// The latest route of each message and recipient, also when it was withdrawn.
    current: BTreeMap<Owner, RouteDigest>,
    /// When each route may be forgotten, but for those that never may.
    ends: BTreeSet<(i64, RouteDigest)>,
    /// Those that make room when there is none.
    revoked: BTreeSet<RouteDigest>,
}

/// Room, message and recipient: what there is one live route for.
type Owner = (String, String, Scope);

#[derive(Debug)]
struct Kept {
    record: Record,
    retention_end: i64,
}

impl Kept {
    fn owner(&self) -> Owner {
        let Record { message, terms, .. } = &self.record;
        (terms.room.clone(), message.clone(), terms.recipient.clone())
    }

    /// From when on nobody can ask for it any more; `None` for never.
    fn end(&self) -> Option<i64> {
        let expires = self.record.terms.expires;
        match self.record.state {
            State::Open | State::Revoked => Some(expires),
            // Until its message is gone it could be delivered again, and must not get another route. An end that is beyond
            // i64 never comes.
            State::Consumed(_) => expires.max(self.retention_end).checked_add(MARGIN),
        }
    }
}

impl MemoryStore {
    /// An empty store for so many routes, of which each takes some hundred bytes and the texts in it.
    #[must_use]
    pub const fn with_capacity(capacity: usize) -> Self {
        Self {
            capacity,
            routes: BTreeMap::new(),
            current: BTreeMap::new(),
            ends: BTreeSet::new(),
            revoked: BTreeSet::new(),
        }
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
        while let Some((end, digest)) = self.ends.first().copied()
            && end <= now
        {
            self.remove(&digest);
        }
    }

    /// Revokes every open route of a message that is withdrawn before its retention ends.
    pub fn withdraw(&mut self, room: &str, message: &str) {
        let is_of_it = |owner: &&Owner| owner.0 == room && owner.1 == message;
        let first = (String::from(room), String::from(message), Scope::agent(""));
        let range = self.current.range(first..);
        let digests: Vec<_> =
            range.take_while(|(owner, _)| is_of_it(owner)).map(|(_, digest)| *digest).collect();
        for digest in digests {
            self.change(&digest, |kept| {
                if kept.record.state == State::Open {
                    kept.record.state = State::Revoked;
                }
            });
        }
    }

    /// Changes a record, and keeps what is known of its end and state in step.
    fn change(&mut self, digest: &RouteDigest, change: impl FnOnce(&mut Kept)) {
        let Some(kept) = self.routes.get_mut(digest) else { return };
        let before = kept.end();
        change(kept);
        let (after, is_revoked) = (kept.end(), kept.record.state == State::Revoked);
        before.map(|end| self.ends.remove(&(end, *digest)));
        after.map(|end| self.ends.insert((end, *digest)));
        if is_revoked {
            self.revoked.insert(*digest);
        }
    }

    fn remove(&mut self, digest: &RouteDigest) {
        let Some(kept) = self.routes.remove(digest) else { return };
        kept.end().map(|end| self.ends.remove(&(end, *digest)));
        self.revoked.remove(digest);
        let owner = kept.owner();
        if self.current.get(&owner) == Some(digest) {
            self.current.remove(&owner);
        }
    }

    fn has_room(&mut self, now: i64) -> bool {
        if self.routes.len() >= self.capacity {
            self.forget(now);
            for digest in core::mem::take(&mut self.revoked) {
                self.remove(&digest);
            }
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
        let earlier = self.current.get(&owner).copied();
        let state = earlier.and_then(|digest| self.routes.get(&digest)).map(|kept| &kept.record.state);
        if let (Some(digest), Some(State::Consumed(_))) = (earlier, state) {
            // A message that is kept for longer than was said can be delivered for longer.
            self.change(&digest, |kept| kept.retention_end = kept.retention_end.max(issue.retention_end));
            return Ok(Issued::Answered);
        }
        if self.routes.contains_key(&issue.digest) {
            return Ok(Issued::Refused);
        }
        let has_room = self.has_room(issue.now);
        match self.current.get(&owner).copied() {
            None if !has_room => return Ok(Issued::Refused),
            None => {}
            // It makes room for the one that takes its place.
            Some(earlier) if !has_room => self.remove(&earlier),
            Some(earlier) => self.change(&earlier, |kept| kept.record.state = State::Revoked),
        }
        self.current.insert(owner, issue.digest);
        kept.end().map(|end| self.ends.insert((end, issue.digest)));
        self.routes.insert(issue.digest, kept);
        Ok(Issued::Open)
    }

    fn consume(&mut self, digest: &RouteDigest, used: &Used) -> Result<bool, Infallible> {
        let is_open = self.routes.get(digest).is_some_and(|kept| kept.record.state == State::Open);
        if is_open {
            self.change(digest, |kept| kept.record.state = State::Consumed(used.clone()));
        }
        Ok(is_open)
    }
}
