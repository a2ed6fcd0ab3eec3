//! The ledger and the claim store of a service, asked asynchronously: in PostgreSQL, in Redis, and in memory.
//!
//! Each call is one atomic step of the store, and says what `MemoryLedger` and `MemoryClaims` would say. README.md tells what
//! each store needs to keep its word.

mod memory;
mod postgres;
mod redis;

pub use memory::Memory;
pub use postgres::Postgres;
pub use redis::Redis;

use parley_grants::{
    Allowed, BlockId, Claim, Claimed, Close, Closed, Demand, End, Refusal, Reservation, ReservationId,
    Reserve, Revoke, Step, Ticket, Trust,
};
use std::fmt;
use std::future::Future;
use std::time::Duration;

/// Seconds for which a total outlives its last `exp`, and a claim its end: a day, more than the clocks of those who ask one
/// store differ by.
pub const MARGIN: i64 = 86_400;

/// Seconds for which an ended reservation is remembered, from the first housekeeping that saw it: so long a retry under its id
/// is refused. Longer than any COMMIT is tried again.
pub const KEEP_ENDED: i64 = 30 * 86_400;

/// No call takes longer, whatever it is given.
const LONGEST: Duration = Duration::from_secs(3_600);

/// How much may be counted under one grant; what does not fit is `Reserve::Full`. How many grants there are, the disk bounds:
/// each is a principal's signature.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Blocks that are counted under one grant. Whoever holds it can append blocks, and fills at most this.
    pub blocks_per_grant: u32,
    /// Reservations that are held under one grant at a time. While one is, nothing under the grant is forgotten.
    pub held_per_grant: u32,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { blocks_per_grant: 256, held_per_grant: 1_024 }
    }
}

/// Where a service counts what was spent, and remembers what happened. See `parley_grants::Ledger` and `Claims`.
pub trait Store: Send + Sync + 'static {
    /// Counts the amount under every line and holds it under the id, or changes nothing.
    ///
    /// # Errors
    /// When the answer is not known, which is no allow. To ask again under the same id is always right.
    fn reserve(&self, demand: &Demand<'_>) -> impl Future<Output = Result<Reserve, StoreError>> + Send;

    /// Ends a reservation, once.
    ///
    /// # Errors
    /// When it is not known whether it ended. The caller tries again; `NotHeld` is then as good as `Done`.
    fn close(
        &self,
        id: &ReservationId,
        how: Close,
    ) -> impl Future<Output = Result<Closed, StoreError>> + Send;

    /// What is counted under a block now, to show it to people: nothing can be decided by it.
    ///
    /// # Errors
    /// When it is not known.
    fn total(&self, block: &BlockId) -> impl Future<Output = Result<u64, StoreError>> + Send;

    /// Claims it, at `now` in unix seconds.
    ///
    /// # Errors
    /// When the answer is not known: it must not happen. A claim whose answer was lost stays in progress until its end, as
    /// nobody has its ticket.
    fn claim(&self, claim: &Claim, now: i64) -> impl Future<Output = Result<Claimed, StoreError>> + Send;

    /// Ends a claim that was first, if it still holds its place and is in progress, and says whether it did.
    ///
    /// # Errors
    /// When it is not known whether it ended. The caller tries again.
    fn end(&self, ticket: &Ticket, how: End) -> impl Future<Output = Result<bool, StoreError>> + Send;
}

/// Why a store gave no answer. None of these is an allow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreError {
    /// It was not asked: nothing has happened.
    NotAsked(String),
    /// It said that it could not: nothing has happened.
    Failed(String),
    /// It was asked, and its answer did not come: the step may have happened or not.
    Unknown(String),
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAsked(why) => write!(f, "the store could not be asked, so nothing has happened: {why}"),
            Self::Failed(why) => write!(f, "the store failed, and nothing has happened: {why}"),
            Self::Unknown(why) => {
                write!(f, "the answer of the store is unknown, it may have happened: {why}")
            }
        }
    }
}

impl std::error::Error for StoreError {}

/// Asks the store until the COMMIT is decided: what `Step::drive` does with a ledger that answers at once.
///
/// # Errors
/// The store's, which is no allow: the COMMIT may be tried again, under the same reservation id.
pub async fn drive<T: Trust, R: Revoke>(
    mut step: Step<'_, T, R>,
    store: &impl Store,
) -> Result<Result<(Allowed, Reservation), Refusal>, StoreError> {
    loop {
        step = match step {
            Step::Reserve(pending) => {
                let said = store.reserve(&pending.demand()).await?;
                pending.answer(said)
            }
            Step::Execute(allowed, reservation) => return Ok(Ok((allowed, reservation))),
            Step::Refused(refusal) => return Ok(Err(refusal)),
        }
    }
}

/// Up to which `forget_after` totals may be forgotten at `now`: those that a margin later are over. At the end of all times that
/// is all of them.
fn forget_to(now: i64) -> Option<i64> {
    if now == i64::MAX { Some(now) } else { now.checked_sub(MARGIN) }
}
