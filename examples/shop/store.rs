//! What the shop keeps: a table each for proposals, receipts, handles, attempts that have not ended, and first answers.

use parley_grants::{
    Close, Closed, Committed, Demand, Ledger, MemoryLedger, Origin, Owner, Proposal, ReservationId, Reserve,
};
use std::collections::BTreeMap;

/// A proposal, with whose INTENT made it. Without its origin it could be committed by nobody.
#[derive(Clone)]
pub struct Offer {
    /// As it was sent: these bytes were hashed.
    pub text: String,
    pub proposal: Proposal,
    pub origin: Origin,
}

/// A receipt, with who committed. Without that it could be undone by nobody, and its answer not be given again.
#[derive(Clone)]
pub struct Receipt {
    pub id: String,
    pub committed: Committed,
    /// Until when it can be undone, in unix seconds.
    pub undo_until: i64,
}

/// A COMMIT that was begun and has not ended: all that a restart must know of it.
pub struct Open {
    pub reservation: ReservationId,
    /// The parts of the tickets of its claims.
    pub tickets: Vec<([u8; 32], u64)>,
}

#[derive(Default)]
pub struct Store {
    sequence: u64,
    /// By the proposal's id.
    pub offers: BTreeMap<String, Offer>,
    /// By the proposal's id.
    pub receipts: BTreeMap<String, Receipt>,
    /// By the handle: its text, and who may have it.
    pub details: BTreeMap<String, (String, Owner)>,
    /// By the proposal's id.
    pub open: BTreeMap<String, Open>,
    /// What an INTENT with auto was answered, by the name of its claim.
    pub answers: BTreeMap<[u8; 32], crate::shop::Reply>,
}

impl Store {
    /// A number that was never given before.
    pub fn next(&mut self) -> u64 {
        self.sequence += 1;
        self.sequence
    }

    pub fn receipt(&self, id: &str) -> Option<&Receipt> {
        self.receipts.values().find(|receipt| receipt.id == id)
    }
}

/// Where orders are carried out. It can fail.
#[derive(Default)]
pub struct Warehouse {
    pub is_closed: bool,
    pub sent: Vec<String>,
}

impl Warehouse {
    pub fn send(&mut self, summary: &str) -> bool {
        if !self.is_closed {
            self.sent.push(summary.into());
        }
        !self.is_closed
    }
}

/// A ledger elsewhere: what it does is done, and its answer may be lost on the way.
#[derive(Default)]
pub struct Remote {
    pub ledger: MemoryLedger,
    /// Loses one answer, after so many more.
    pub loses_after: Option<u32>,
}

#[derive(Debug)]
pub struct Lost;

impl Remote {
    fn tell<A>(&mut self, answer: Result<A, std::convert::Infallible>) -> Result<A, Lost> {
        let is_lost = self.loses_after == Some(0);
        self.loses_after = self.loses_after.and_then(|after| after.checked_sub(1));
        let Ok(answer) = answer;
        if is_lost { Err(Lost) } else { Ok(answer) }
    }
}

impl Ledger for Remote {
    type Error = Lost;

    fn reserve(&mut self, demand: &Demand<'_>) -> Result<Reserve, Lost> {
        let said = self.ledger.reserve(demand);
        self.tell(said)
    }

    fn close(&mut self, id: &ReservationId, how: Close) -> Result<Closed, Lost> {
        let said = self.ledger.close(id, how);
        self.tell(said)
    }
}
