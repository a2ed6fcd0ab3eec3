//! A ledger in memory: bounded, with one owner; with `std` also one that threads share.

use crate::evaluate::SpendLine;
use crate::grant::BlockId;
use crate::spend::{Close, Closed, Demand, Ledger, ReservationId, Reserve};
use alloc::collections::{BTreeMap, BTreeSet, VecDeque};
use alloc::string::String;
use alloc::vec::Vec;
use core::convert::Infallible;

/// How much a [`MemoryLedger`] may hold. What does not fit is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LedgerBounds {
    /// Grants under which something is counted or held. Each is a principal's signature, so strangers cannot fill them.
    pub grants: usize,
    /// Blocks that are counted under one grant. Whoever holds it can append blocks, and fills at most this.
    pub blocks_per_grant: usize,
    /// Reservations that are held under one grant at a time. While one is, nothing under the grant is forgotten.
    pub held_per_grant: usize,
    /// Ended reservations that are remembered, so that a late retry under their id is refused and not counted anew. The
    /// oldest is forgotten first; then only the claim of the execution stands against a late retry.
    pub ended: usize,
}

impl Default for LedgerBounds {
    fn default() -> Self {
        Self { grants: 65_536, blocks_per_grant: 256, held_per_grant: 1_024, ended: 65_536 }
    }
}

/// Seconds for which a total outlives its last `exp`: a day, more than the clocks of those who ask one ledger differ by.
const MARGIN: i64 = 86_400;

/// A ledger in memory, with one owner. It is lost with the process, and every total with it: a service that must keep its
/// limits across a restart keeps its ledger elsewhere.
///
/// ```
/// use parley_grants::{BlockId, Closed, Demand, Ledger as _, MemoryLedger, Reservation, ReservationId, Reserve, SpendLine};
/// let mut ledger = MemoryLedger::default();
/// let block = BlockId::from_bytes([1; 32]);
/// let lines = [SpendLine { block, max: 5000, forget_after: None }];
/// let ask = |ledger: &mut MemoryLedger, id, amount| {
///     ledger.reserve(&Demand { id: ReservationId::of(id), proposal: "hash", grant: block, amount, now: 1_790_000_000, lines: &lines })
/// };
/// assert_eq!(ask(&mut ledger, "first", 3000), Ok(Reserve::Reserved));
/// assert_eq!(ask(&mut ledger, "second", 3000), Ok(Reserve::Exceeded));
/// // The first was not executed after all.
/// assert_eq!(Reservation::resume(ReservationId::of("first")).release(&mut ledger), Ok(Closed::Done));
/// assert_eq!(ask(&mut ledger, "second", 3000), Ok(Reserve::Reserved));
/// assert_eq!(ledger.total(&block), 3000);
/// ```
#[derive(Debug, Default)]
pub struct MemoryLedger {
    bounds: LedgerBounds,
    accounts: BTreeMap<BlockId, Account>,
    /// Under which grant each reservation is held.
    held: BTreeMap<ReservationId, BlockId>,
    ended: BTreeSet<ReservationId>,
    /// The same, in the order in which they ended.
    ended_first: VecDeque<ReservationId>,
}

/// What is counted and held under one grant.
#[derive(Debug, Default)]
struct Account {
    totals: BTreeMap<BlockId, Total>,
    held: BTreeMap<ReservationId, Held>,
}

#[derive(Debug)]
struct Total {
    amount: u64,
    forget_after: Option<i64>,
}

#[derive(Debug, PartialEq, Eq)]
struct Held {
    proposal: String,
    amount: u64,
    lines: Vec<SpendLine>,
}

impl MemoryLedger {
    /// An empty ledger with these bounds.
    pub fn with_bounds(bounds: LedgerBounds) -> Self {
        Self { bounds, ..Self::default() }
    }

    /// What is counted under a block now, held and settled together: to show it to people. Nothing can be decided by
    /// it, as it may have changed a moment later.
    pub fn total(&self, block: &BlockId) -> u64 {
        let totals = self.accounts.values().filter_map(|account| account.totals.get(block));
        totals.fold(0, |sum, total| sum.saturating_add(total.amount))
    }

    fn reserve_now(&mut self, demand: &Demand<'_>) -> Reserve {
        if self.ended.contains(&demand.id) {
            return Reserve::Taken;
        }
        let (proposal, lines) = (String::from(demand.proposal), demand.lines.to_vec());
        let held = Held { proposal, amount: demand.amount, lines };
        if let Some(grant) = self.held.get(&demand.id) {
            let before = self.accounts.get(grant).and_then(|account| account.held.get(&demand.id));
            let is_same = *grant == demand.grant && before == Some(&held);
            return if is_same { Reserve::Reserved } else { Reserve::Taken };
        }
        if !self.accounts.contains_key(&demand.grant) && self.accounts.len() >= self.bounds.grants {
            self.forget(demand.now);
            if self.accounts.len() >= self.bounds.grants {
                return Reserve::Full;
            }
        }
        let account = self.accounts.entry(demand.grant).or_default();
        let answer = account.reserve(demand, held, &self.bounds);
        if answer == Reserve::Reserved {
            self.held.insert(demand.id, demand.grant);
        } else if account.is_empty() {
            self.accounts.remove(&demand.grant);
        }
        answer
    }

    /// Forgets the totals whose time is over on every clock, and the grants under which nothing is left.
    fn forget(&mut self, now: i64) {
        self.accounts.retain(|_, account| {
            account.forget(now);
            !account.is_empty()
        });
    }

    fn close_now(&mut self, id: &ReservationId, how: Close) -> Closed {
        let Some(grant) = self.held.remove(id) else { return Closed::NotHeld };
        if let Some(account) = self.accounts.get_mut(&grant) {
            account.close(id, how);
            if account.is_empty() {
                self.accounts.remove(&grant);
            }
        }
        if self.bounds.ended > 0 {
            while self.ended.len() >= self.bounds.ended {
                let Some(oldest) = self.ended_first.pop_front() else { break };
                self.ended.remove(&oldest);
            }
            self.ended.insert(*id);
            self.ended_first.push_back(*id);
        }
        Closed::Done
    }
}

impl Account {
    /// All or nothing: every limit is checked before the first total changes.
    fn reserve(&mut self, demand: &Demand<'_>, held: Held, bounds: &LedgerBounds) -> Reserve {
        let total = |account: &Self, line: &SpendLine| {
            account.totals.get(&line.block).map_or(0, |total| total.amount)
        };
        let fits = |line: &SpendLine| {
            total(self, line).checked_add(demand.amount).is_some_and(|total| total <= line.max)
        };
        if !demand.lines.iter().all(fits) {
            return Reserve::Exceeded;
        }
        let is_full = |account: &Self| {
            let new = demand.lines.iter().filter(|line| !account.totals.contains_key(&line.block)).count();
            account.held.len() >= bounds.held_per_grant
                || account.totals.len().saturating_add(new) > bounds.blocks_per_grant
        };
        if is_full(self) {
            self.forget(demand.now);
            if is_full(self) {
                return Reserve::Full;
            }
        }
        for line in once_a_block(&held.lines) {
            let total =
                self.totals.entry(line.block).or_insert(Total { amount: 0, forget_after: line.forget_after });
            // Cannot saturate: checked above.
            total.amount = total.amount.saturating_add(demand.amount);
        }
        self.held.insert(demand.id, held);
        Reserve::Reserved
    }

    fn close(&mut self, id: &ReservationId, how: Close) {
        let Some(held) = self.held.remove(id) else { return };
        match how {
            Close::Settle => {}
            Close::Release => {
                for line in once_a_block(&held.lines) {
                    if let Some(total) = self.totals.get_mut(&line.block) {
                        total.amount = total.amount.saturating_sub(held.amount);
                    }
                }
            }
        }
        // A total of 0 is what there is without one.
        self.totals.retain(|_, total| total.amount > 0);
    }

    fn forget(&mut self, now: i64) {
        // What is still held may be given back to its total.
        if self.held.is_empty() {
            let is_over = |time: i64| time.saturating_add(MARGIN) <= now;
            self.totals.retain(|_, total| !total.forget_after.is_some_and(is_over));
        }
    }

    fn is_empty(&self) -> bool {
        self.totals.is_empty() && self.held.is_empty()
    }
}

/// The lines, but for those whose block has come before: a cost counts once for a block (B6.2).
fn once_a_block(lines: &[SpendLine]) -> impl Iterator<Item = &SpendLine> {
    lines.iter().enumerate().filter_map(|(index, line)| {
        let is_again = lines.iter().take(index).any(|before| before.block == line.block);
        (!is_again).then_some(line)
    })
}

impl Ledger for MemoryLedger {
    type Error = Infallible;

    fn reserve(&mut self, demand: &Demand<'_>) -> Result<Reserve, Infallible> {
        Ok(self.reserve_now(demand))
    }

    fn close(&mut self, id: &ReservationId, how: Close) -> Result<Closed, Infallible> {
        Ok(self.close_now(id, how))
    }
}

/// A [`MemoryLedger`] that threads share: `&SharedLedger` is a [`Ledger`]. Each step holds its lock for a few map
/// look-ups, or for one pass over all grants when it is full, and never while anything else is called.
#[cfg(feature = "std")]
#[derive(Debug, Default)]
pub struct SharedLedger {
    ledger: std::sync::Mutex<MemoryLedger>,
}

/// A thread panicked in the middle of a step, so what is counted is no longer known.
#[cfg(feature = "std")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LedgerPoisoned;

#[cfg(feature = "std")]
impl core::fmt::Display for LedgerPoisoned {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.write_str("a thread panicked while it held the ledger")
    }
}

#[cfg(feature = "std")]
impl core::error::Error for LedgerPoisoned {}

#[cfg(feature = "std")]
impl SharedLedger {
    /// Shares a ledger.
    pub const fn new(ledger: MemoryLedger) -> Self {
        Self { ledger: std::sync::Mutex::new(ledger) }
    }

    /// As [`MemoryLedger::total`].
    ///
    /// # Errors
    /// When it is not known.
    pub fn total(&self, block: &BlockId) -> Result<u64, LedgerPoisoned> {
        self.ledger.lock().map_err(|_| LedgerPoisoned).map(|ledger| ledger.total(block))
    }
}

#[cfg(feature = "std")]
impl Ledger for &SharedLedger {
    type Error = LedgerPoisoned;

    fn reserve(&mut self, demand: &Demand<'_>) -> Result<Reserve, LedgerPoisoned> {
        self.ledger.lock().map_err(|_| LedgerPoisoned).map(|mut ledger| ledger.reserve_now(demand))
    }

    fn close(&mut self, id: &ReservationId, how: Close) -> Result<Closed, LedgerPoisoned> {
        self.ledger.lock().map_err(|_| LedgerPoisoned).map(|mut ledger| ledger.close_now(id, how))
    }
}

#[cfg(test)]
#[path = "ledger_tests.rs"]
mod tests;
