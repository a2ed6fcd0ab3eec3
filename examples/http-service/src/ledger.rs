//! Where spending is counted and what must happen once is claimed.

use parley_grants::{
    Allowed, BlockId, Claim, Claimed, Claims as _, Close, Closed, Demand, End, Ledger as _, MemoryClaims,
    MemoryLedger, Refusal, Reservation, ReservationId, Reserve, Revoke, Step, Ticket, Trust,
};
use std::sync::{Mutex, MutexGuard};

/// The answer is not known. It is never an allow.
#[derive(Debug)]
pub struct StoreError(String);

impl StoreError {
    pub fn new(why: impl Into<String>) -> Self {
        Self(why.into())
    }
}

impl std::fmt::Display for StoreError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for StoreError {}

pub trait Store: Send + Sync + 'static {
    fn reserve(&self, demand: &Demand<'_>) -> impl Future<Output = Result<Reserve, StoreError>> + Send;
    fn close(
        &self,
        id: &ReservationId,
        how: Close,
    ) -> impl Future<Output = Result<Closed, StoreError>> + Send;
    fn total(&self, block: &BlockId) -> impl Future<Output = Result<u64, StoreError>> + Send;
    fn claim(&self, claim: &Claim, now: i64) -> impl Future<Output = Result<Claimed, StoreError>> + Send;
    fn end(&self, ticket: &Ticket, how: End) -> impl Future<Output = Result<bool, StoreError>> + Send;
}

pub async fn drive<T: Trust, R: Revoke>(
    step: Step<'_, T, R>,
    store: &impl Store,
) -> Result<Result<(Allowed, Reservation), Refusal>, StoreError> {
    let mut step = step;
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

/// In memory.
pub struct Memory(Mutex<(MemoryLedger, MemoryClaims)>);

impl Default for Memory {
    fn default() -> Self {
        Self(Mutex::new((MemoryLedger::default(), MemoryClaims::with_room(100_000))))
    }
}

impl Memory {
    fn lock(&self) -> Result<MutexGuard<'_, (MemoryLedger, MemoryClaims)>, StoreError> {
        self.0.lock().map_err(|_| StoreError::new("a thread panicked while it held the store"))
    }
}

impl Store for Memory {
    async fn reserve(&self, demand: &Demand<'_>) -> Result<Reserve, StoreError> {
        let Ok(said) = self.lock()?.0.reserve(demand);
        Ok(said)
    }
    async fn close(&self, id: &ReservationId, how: Close) -> Result<Closed, StoreError> {
        let Ok(said) = self.lock()?.0.close(id, how);
        Ok(said)
    }
    async fn total(&self, block: &BlockId) -> Result<u64, StoreError> {
        Ok(self.lock()?.0.total(block))
    }
    async fn claim(&self, claim: &Claim, now: i64) -> Result<Claimed, StoreError> {
        let Ok(said) = self.lock()?.1.claim(claim, now);
        Ok(said)
    }
    async fn end(&self, ticket: &Ticket, how: End) -> Result<bool, StoreError> {
        let Ok(said) = self.lock()?.1.end(ticket, how);
        Ok(said)
    }
}
