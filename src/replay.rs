//! Once only: one small primitive for what must not happen twice (A8.27, A8.37 to A8.42).
//!
//! The order of a COMMIT is: *claim* it, *reserve* its cost, *execute* it, *settle* the reservation, *finish* the claim. When it
//! was not executed: *release*, then *abandon*. Whatever a crash leaves behind is on the safe side: a claim in progress that
//! nobody else may execute, and a cost that stays counted. Who comes back ends both by what was stored with the claim, best in the
//! same transaction: the parts of its ticket, and the reservation's name.
//!
//! A slow process is not a dead one: before a claim is abandoned for another, the action itself must be out of reach of who
//! claimed it, or must refuse an older [`Ticket::turn`] than it has seen. The same when a claim's time is over ([`Claim::last`]) before
//! who claimed it has executed: from then on another may claim it.

use crate::json::Members;
use crate::key::PublicKey;
use alloc::collections::BTreeMap;
use alloc::string::{String, ToString as _};
use core::convert::Infallible;
use sha2::{Digest as _, Sha256};

/// Seconds for which the frame of an INTENT with auto is remembered, after the later of its arrival and its proof's
/// time (A8.27). A proof is good for 300 seconds either way, so no proof that still counts finds its frame forgotten.
const FRAME: i64 = 900;

/// Something that must happen once, and until when that is to be remembered.
///
/// Made only by the constructors here: each kind hashes its own name with its parts, so that no two of them meet, whatever
/// their texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim {
    key: [u8; 32],
    last: Option<i64>,
}

impl Claim {
    /// The hash of a canonical object: no two lists of members have the same text.
    fn new(members: &[(&str, &str)], last: Option<i64>) -> Self {
        let mut name = String::new();
        members.iter().fold(Members::of(&mut name), |object, (name, text)| object.string(name, text)).end();
        Self { key: Sha256::digest(name).into(), last }
    }

    /// The frame of an INTENT with auto, from the key that made it. `arrived` and `proof_time` are in unix seconds; it
    /// is remembered until 900 s after the later of them. A repeat gets the first answer, never a second commit.
    pub fn for_auto(holder: &PublicKey, frame: &str, arrived: i64, proof_time: i64) -> Self {
        // The last second before the end: at the end of all times it is the last of them, so nothing is forgotten early.
        let last = arrived.max(proof_time).saturating_add(FRAME - 1);
        Self::new(&[("claim", "auto"), ("frame", frame), ("key", &holder.to_string())], Some(last))
    }

    /// The use of a one-time consent, for a service that executes one proposal more than once, or under several names: where
    /// [`Claim::for_commit`] is made, it covers this too. By its principal and the hash of its proposal, until the consent's `exp`.
    pub fn for_consent(principal: &PublicKey, hash: &str, exp: i64) -> Self {
        Self::new(
            &[("claim", "consent"), ("hash", hash), ("key", &principal.to_string())],
            exp.checked_sub(1),
        )
    }

    /// The execution of a proposal, by its hash, until a time of the service's choice: at least the proposal's `expires` and
    /// more than clocks differ and requests take, say a day. Afterwards only the receipt shows that it was executed.
    pub fn for_commit(hash: &str, until: i64) -> Self {
        Self::new(&[("claim", "commit"), ("hash", hash)], until.checked_sub(1))
    }

    /// Anything else of the service's own that must happen once, by a name for its kind and one for the thing.
    pub fn for_other(kind: &str, name: &str, until: i64) -> Self {
        Self::new(&[("claim", "other"), ("kind", kind), ("name", name)], until.checked_sub(1))
    }

    /// The name under which it is remembered.
    pub const fn key(&self) -> &[u8; 32] {
        &self.key
    }

    /// The last second in which it must be remembered, in unix seconds: the one before its end. `None` when that is
    /// before all times.
    pub const fn last(&self) -> Option<i64> {
        self.last
    }
}

/// What a claim store says.
#[derive(Debug, PartialEq, Eq)]
#[must_use]
pub enum Claimed {
    /// Nobody has claimed it: go on, and end it by the ticket.
    First(Ticket),
    /// Somebody has, and has not ended it.
    InProgress,
    /// It has happened: answer with the first answer.
    Done,
    /// There is no room to remember it. It must not happen.
    Full,
}

/// Who claimed first: what ends a claim. Its parts can be stored, so that it is ended after a crash too.
#[derive(Debug, PartialEq, Eq)]
#[must_use = "a claim that is neither finished nor abandoned stays in progress until its time is over"]
pub struct Ticket {
    key: [u8; 32],
    turn: u64,
}

impl Ticket {
    /// A ticket of a claim's name and the number that the store gave to this claiming of it: for stores, and for who
    /// reads a stored one back.
    pub const fn from_parts(key: [u8; 32], turn: u64) -> Self {
        Self { key, turn }
    }

    /// The claim's name.
    pub const fn key(&self) -> &[u8; 32] {
        &self.key
    }

    /// The number that the store gave: no two first answers for one name have the same.
    pub const fn turn(&self) -> u64 {
        self.turn
    }
}

/// How a claim ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// It happened: from now on it is done.
    Finish,
    /// It did not: it is as if it never had been claimed, so that a failed execution does not block a proposal for good.
    /// Never for the frame of an INTENT with auto that committed something: its repeat would commit again.
    Abandon,
}

/// Where a service remembers what happened.
///
/// Each call is one atomic step: of any number of claims of one name at once, one is first. What is alive (now < its end) is never
/// forgotten; when there is no room, the answer is [`Claimed::Full`]. In SQL a claim is one `insert .. on conflict`, in Redis one
/// script (an expiry of the server's would be on another clock): `examples/ledgers` has both. A store that is asked asynchronously need not implement this.
pub trait Claims {
    /// Why the store could not be asked. An error is never a first.
    type Error;

    /// Claims it, at `now` in unix seconds.
    ///
    /// # Errors
    /// When the answer is not known: it must not happen.
    fn claim(&mut self, claim: &Claim, now: i64) -> Result<Claimed, Self::Error>;

    /// Ends a claim that was first, if it still holds its place and is in progress, and says whether it did.
    ///
    /// # Errors
    /// When it is not known whether it ended. The caller tries again.
    fn end(&mut self, ticket: &Ticket, how: End) -> Result<bool, Self::Error>;
}

/// A claim store in memory: bounded, with one owner, lost with the process. Tickets of an earlier one mean nothing to a new one.
///
/// Whoever may ask for auto-commit fills it with frames, each for 900 s: a store of its own for them keeps room for commits.
///
/// ```
/// use parley_grants::{Claim, Claimed, Claims as _, End, MemoryClaims};
/// let mut claims = MemoryClaims::with_room(1000);
/// let claim = Claim::for_commit("the hash", 1_790_000_600);
/// let Ok(Claimed::First(ticket)) = claims.claim(&claim, 1_790_000_000) else { panic!() };
/// assert_eq!(claims.claim(&claim, 1_790_000_001), Ok(Claimed::InProgress));
/// assert_eq!(claims.end(&ticket, End::Finish), Ok(true));
/// assert_eq!(claims.claim(&claim, 1_790_000_002), Ok(Claimed::Done));
/// ```
#[derive(Debug)]
pub struct MemoryClaims {
    room: usize,
    turns: u64,
    entries: BTreeMap<[u8; 32], Entry>,
}

#[derive(Debug)]
struct Entry {
    last: Option<i64>,
    turn: u64,
    is_done: bool,
}

impl Entry {
    fn is_alive(&self, now: i64) -> bool {
        self.last.is_some_and(|last| now <= last)
    }
}

impl MemoryClaims {
    /// An empty store that remembers at most so many claims at a time.
    pub const fn with_room(room: usize) -> Self {
        Self { room, turns: 0, entries: BTreeMap::new() }
    }
}

impl Claims for MemoryClaims {
    type Error = Infallible;

    fn claim(&mut self, claim: &Claim, now: i64) -> Result<Claimed, Infallible> {
        match self.entries.get(&claim.key) {
            Some(entry) if entry.is_alive(now) => {
                return Ok(if entry.is_done { Claimed::Done } else { Claimed::InProgress });
            }
            Some(_) => {}
            None if self.entries.len() < self.room => {}
            None => {
                self.entries.retain(|_, entry| entry.is_alive(now));
                if self.entries.len() >= self.room {
                    return Ok(Claimed::Full);
                }
            }
        }
        // Runs out after 584 years of a claim a nanosecond; then it is full.
        let Some(turn) = self.turns.checked_add(1) else { return Ok(Claimed::Full) };
        self.turns = turn;
        self.entries.insert(claim.key, Entry { last: claim.last, turn, is_done: false });
        Ok(Claimed::First(Ticket { key: claim.key, turn }))
    }

    fn end(&mut self, ticket: &Ticket, how: End) -> Result<bool, Infallible> {
        let Some(entry) = self.entries.get_mut(&ticket.key) else { return Ok(false) };
        if entry.turn != ticket.turn || entry.is_done {
            return Ok(false);
        }
        match how {
            End::Finish => entry.is_done = true,
            End::Abandon => {
                self.entries.remove(&ticket.key);
            }
        }
        Ok(true)
    }
}

#[cfg(test)]
#[path = "replay_tests.rs"]
mod tests;
