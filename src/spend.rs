//! Spend: one atomic step checks every limit and counts the cost, before anything is executed (A8.23 to A8.26, A8.43).
//!
//! The core never calls a store. [`Verifier::commit`](crate::Verifier::commit) stops at a [`Pending`](crate::Pending) with
//! a [`Demand`]; the caller asks its ledger, however that works, and goes on with what the ledger said.

use crate::evaluate::SpendLine;
use crate::grant::BlockId;
use core::fmt;
use sha2::{Digest as _, Sha256};

/// The name of a reservation. The service gives it, so that it is found again after a crash.
///
/// No two attempts at an execution may share one: a random name for each will do, stored beside the claim. Asking again because
/// the ledger's answer was lost is the same attempt and keeps the name, so that its cost is counted once. An attempt that was released
/// is over, and its name used up: the next one has another. A release that overtakes its own reservation does not prevent it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ReservationId([u8; 32]);

impl ReservationId {
    /// A name from 32 bytes: random ones, or those stored earlier.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// A name from a text that is unique to the attempt, by its hash: the service's own number for it, say. Never a text that the
    /// agent chooses, nor the proposal's hash, which all attempts share.
    pub fn of(text: &str) -> Self {
        Self(Sha256::digest(text).into())
    }

    /// Its 32 bytes.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for ReservationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&BlockId::from_bytes(self.0), f)
    }
}

/// What a ledger is asked: count `amount` under every line, or under none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Demand<'d> {
    /// The reservation's name.
    pub id: ReservationId,
    /// The hash of the proposal, so that a name that was used for another one by mistake is found out.
    pub proposal: &'d str,
    /// The grant's id. Whoever holds a grant can append blocks of their own, so a ledger that is bounded bounds each
    /// grant by itself.
    pub grant: BlockId,
    /// Minor units. The currency is that of every line.
    pub amount: u64,
    /// The service's time, in unix seconds.
    pub now: i64,
    /// The blocks, in the order of the chain, each once. There may be none: the reservation is kept all the same, so that
    /// every COMMIT is settled or released in one way.
    pub lines: &'d [SpendLine],
}

/// What a ledger says to a [`Demand`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reserve {
    /// The amount is counted under every line, and held under the demand's id. Also said when just this demand is held
    /// under this id already: the answer to an earlier try was lost.
    Reserved,
    /// Some line would go over its `max`. Nothing was counted.
    Exceeded,
    /// There is no room for another grant, block or reservation. Nothing was counted.
    Full,
    /// The id is that of another demand, or of a reservation that has ended: this attempt may have been executed. Nothing
    /// was counted, and unless it is held just so under another grant, nobody is asked to pay for it again.
    Taken,
}

/// How a reservation ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Close {
    /// It was executed: what was counted stays counted.
    Settle,
    /// It was not executed: what was counted is given back.
    Release,
}

/// What a ledger says to the end of a reservation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Closed {
    /// It was held, and has now ended this way. This is said once.
    Done,
    /// It is not held: it ended before, one way or the other, or never was. Nothing changed.
    NotHeld,
}

/// Where a service counts what was spent.
///
/// Each of the two calls is one atomic step: of any number of demands at once, those that are reserved stay within every
/// limit together. There is no call that only asks, so nothing can be checked first and counted later. A ledger may forget a total
/// once its [`forget_after`](SpendLine::forget_after) has passed on every clock that asks it, and nothing else of what counts.
///
/// In Redis, `reserve` is one script; in SQL it is one transaction. A store that is asked asynchronously does not
/// implement this trait: it is asked between [`Pending::demand`](crate::Pending::demand) and
/// [`Pending::answer`](crate::Pending::answer).
///
#[doc = include_str!("../examples/shop/async.md")]
pub trait Ledger {
    /// Why the ledger could not be asked. An error is never an allow.
    type Error;

    /// Counts the amount under every line and holds it under the id, or changes nothing.
    ///
    /// # Errors
    /// When the answer is not known. The caller tries again, under the same id.
    fn reserve(&mut self, demand: &Demand<'_>) -> Result<Reserve, Self::Error>;

    /// Ends a reservation, once.
    ///
    /// # Errors
    /// When it is not known whether it ended. The caller tries again.
    fn close(&mut self, id: &ReservationId, how: Close) -> Result<Closed, Self::Error>;
}

/// Cost that is counted and held for one execution. It ends by [`settle`](Reservation::settle) or
/// [`release`](Reservation::release); one that is forgotten stays counted, as giving back on drop would be wrong whenever the action
/// ran and only its bookkeeping was lost.
///
/// ```compile_fail,E0382
/// # fn f(reservation: parley_grants::Reservation, ledger: &mut parley_grants::MemoryLedger) {
/// let _ = reservation.settle(ledger);
/// let _ = reservation.release(ledger); // it has ended
/// # }
/// ```
#[derive(Debug, PartialEq, Eq)]
#[must_use = "a reservation that is neither settled nor released stays counted"]
pub struct Reservation {
    id: ReservationId,
}

impl Reservation {
    pub(crate) const fn held(id: ReservationId) -> Self {
        Self { id }
    }

    /// Takes up, after a crash, a reservation whose name was stored. Whether it is still held, its ledger says when it
    /// ends.
    pub const fn resume(id: ReservationId) -> Self {
        Self { id }
    }

    /// Its name.
    pub const fn id(&self) -> &ReservationId {
        &self.id
    }

    /// It was executed: what was counted stays counted.
    ///
    /// # Errors
    /// When the ledger could not be asked; the reservation comes back, to try again.
    pub fn settle<L: Ledger + ?Sized>(self, ledger: &mut L) -> Result<Closed, (Self, L::Error)> {
        self.close(ledger, Close::Settle)
    }

    /// It was not executed: what was counted is given back.
    ///
    /// # Errors
    /// When the ledger could not be asked; the reservation comes back, to try again.
    pub fn release<L: Ledger + ?Sized>(self, ledger: &mut L) -> Result<Closed, (Self, L::Error)> {
        self.close(ledger, Close::Release)
    }

    fn close<L: Ledger + ?Sized>(self, ledger: &mut L, how: Close) -> Result<Closed, (Self, L::Error)> {
        ledger.close(&self.id, how).map_err(|error| (self, error))
    }
}
