//! In memory, behind a mutex: for tests, and for a service whose totals may begin again with its process.

use crate::{Store, StoreError};
use parley_grants::{
    BlockId, Claim, Claimed, Claims as _, Close, Closed, Demand, End, Ledger as _, MemoryClaims,
    MemoryLedger, ReservationId, Reserve, Ticket,
};
use std::sync::Mutex;

/// `MemoryLedger` and `MemoryClaims`, shared.
#[derive(Debug)]
pub struct Memory(Mutex<(MemoryLedger, MemoryClaims)>);

impl Memory {
    /// Shares a ledger and a claim store.
    pub const fn new(ledger: MemoryLedger, claims: MemoryClaims) -> Self {
        Self(Mutex::new((ledger, claims)))
    }

    /// No step waits for anything while it has the lock. After a panic in the middle of one, nobody knows what is counted.
    fn step<T>(&self, step: impl FnOnce(&mut MemoryLedger, &mut MemoryClaims) -> T) -> Result<T, StoreError> {
        let mut both =
            self.0.lock().map_err(|_| StoreError::Unknown("a thread panicked in a step".into()))?;
        let (ledger, claims) = &mut *both;
        Ok(step(ledger, claims))
    }
}

/// The default ledger, and room for 65,536 claims.
impl Default for Memory {
    fn default() -> Self {
        Self::new(MemoryLedger::default(), MemoryClaims::with_room(65_536))
    }
}

impl Store for Memory {
    async fn reserve(&self, demand: &Demand<'_>) -> Result<Reserve, StoreError> {
        let Ok(said) = self.step(|ledger, _| ledger.reserve(demand))?;
        Ok(said)
    }

    async fn close(&self, id: &ReservationId, how: Close) -> Result<Closed, StoreError> {
        let Ok(said) = self.step(|ledger, _| ledger.close(id, how))?;
        Ok(said)
    }

    async fn total(&self, block: &BlockId) -> Result<u64, StoreError> {
        self.step(|ledger, _| ledger.total(block))
    }

    async fn claim(&self, claim: &Claim, now: i64) -> Result<Claimed, StoreError> {
        let Ok(said) = self.step(|_, claims| claims.claim(claim, now))?;
        Ok(said)
    }

    async fn end(&self, ticket: &Ticket, how: End) -> Result<bool, StoreError> {
        let Ok(said) = self.step(|_, claims| claims.end(ticket, how))?;
        Ok(said)
    }
}
