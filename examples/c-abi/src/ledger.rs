//! The demand that a ledger is asked, and a ledger in memory.

use crate::abi::{Coded, Out, OutHandle, borrow, free, guard, guard_or, list, pg_bytes, pg_id, text};
use crate::code::pg_code;
use parley_grants::{
    BlockId, Closed, Demand, Ledger as _, LedgerBounds, MemoryLedger, Reservation, ReservationId, Reserve,
    SpendLine,
};
use std::convert::Infallible;
use std::sync::{Mutex, MutexGuard};

/// One block under which a cost counts.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pg_spend_line {
    /// The block under whose id it counts.
    pub block: pg_id,
    /// What the total must not pass, in minor units.
    pub max: u64,
    /// Whether the total may be forgotten: 0 never, 1 from `forget_after` on.
    pub forgets: u32,
    /// In unix seconds.
    pub forget_after: i64,
}

/// What a ledger is asked: count `amount` under every line, or under none, in one atomic step, and hold it under `id`. There may be no
/// line; the reservation is kept all the same.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pg_demand {
    /// The reservation's name.
    pub id: pg_id,
    /// The hash of the proposal: a name that was used for another one by mistake is found out by it.
    pub proposal: pg_bytes,
    /// The grant's id. Whoever holds a grant can append blocks, so a ledger bounds each grant by itself.
    pub grant: pg_id,
    /// Minor units, in the currency of every line.
    pub amount: u64,
    /// The service's time, in unix seconds.
    pub now: i64,
    pub lines: *const pg_spend_line,
    pub line_count: usize,
}

/// How much a ledger in memory may hold. What does not fit is refused.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pg_ledger_bounds {
    /// Grants under which something is counted or held (65,536).
    pub grants: usize,
    /// Blocks that are counted under one grant (256).
    pub blocks_per_grant: usize,
    /// Reservations that are held under one grant at a time (1,024).
    pub held_per_grant: usize,
    /// Ended reservations that are remembered (65,536).
    pub ended: usize,
}

/// A ledger in memory: lost with the process, and every total with it. A service that must keep its limits across a restart asks a
/// ledger of its own with what pg_pending_demand gives.
pub struct pg_ledger {
    ledger: Mutex<MemoryLedger>,
}

#[cfg(test)]
impl pg_ledger {
    pub(crate) fn poison(&self) {
        let poisoned = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let _held = self.ledger.lock();
            panic!("while it is held");
        }));
        assert!(poisoned.is_err());
    }
}

impl pg_spend_line {
    pub(crate) fn of(line: &SpendLine) -> Self {
        Self {
            block: pg_id { bytes: *line.block.as_bytes() },
            max: line.max,
            forgets: line.forget_after.is_some().into(),
            forget_after: line.forget_after.unwrap_or(0),
        }
    }

    fn read(&self) -> Result<SpendLine, pg_code> {
        let forget_after = match self.forgets {
            0 => None,
            1 => Some(self.forget_after),
            _ => return Err(pg_code::PG_ERROR_ENUM),
        };
        Ok(SpendLine { block: BlockId::from_bytes(self.block.bytes), max: self.max, forget_after })
    }
}

/// Under which nothing can be counted.
static NO_ROOM: [pg_spend_line; 1] =
    [pg_spend_line { block: pg_id { bytes: [0; 32] }, max: 0, forgets: 0, forget_after: 0 }];

impl pg_demand {
    /// What stands where no demand could be given: every ledger refuses it, so that an error that is ignored allows nothing.
    pub(crate) const EMPTY: Self = Self {
        id: pg_id { bytes: [0; 32] },
        proposal: pg_bytes::EMPTY,
        grant: pg_id { bytes: [0; 32] },
        amount: u64::MAX,
        now: 0,
        lines: NO_ROOM.as_ptr(),
        line_count: 1,
    };
}

/// Makes an empty ledger, ended by pg_ledger_free. Without bounds (null), it has the defaults.
///
/// Threads: any, at any time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pg_ledger_new(
    bounds: *const pg_ledger_bounds,
    ledger: *mut *mut pg_ledger,
) -> pg_code {
    guard(|| {
        // SAFETY: a place for a handle.
        let out = unsafe { OutHandle::needed(ledger) }?;
        let bounds = if bounds.is_null() {
            LedgerBounds::default()
        } else {
            // SAFETY: bounds as the header says.
            let &pg_ledger_bounds { grants, blocks_per_grant, held_per_grant, ended } =
                unsafe { borrow(bounds) }?;
            LedgerBounds { grants, blocks_per_grant, held_per_grant, ended }
        };
        out.put(pg_ledger { ledger: Mutex::new(MemoryLedger::with_bounds(bounds)) });
        Ok(pg_code::PG_OK)
    })
}

/// Ends a ledger, and forgets what it counted; null is nothing to end.
///
/// Threads: one, after all calls that use it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pg_ledger_free(ledger: *mut pg_ledger) {
    // SAFETY: null, or a handle that the caller has not freed, and does not use again.
    guard_or((), || unsafe { free(ledger) });
}

/// Counts and holds a demand, or changes nothing: PG_RESERVED, PG_EXCEEDED, PG_FULL or PG_TAKEN, which pg_pending_answer takes. An
/// error is none of them.
///
/// Threads: any, with others that use the ledger. Each call is one step under its lock.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pg_ledger_reserve(ledger: *const pg_ledger, demand: *const pg_demand) -> pg_code {
    guard(|| {
        // SAFETY: null, or a demand as the header says.
        let demand = unsafe { borrow(demand) }?;
        // SAFETY: the same.
        let lines = unsafe { list(demand.lines, demand.line_count) }?;
        let lines = lines.iter().map(pg_spend_line::read).collect::<Result<Vec<_>, _>>()?;
        // SAFETY: the same.
        let proposal = unsafe { text(demand.proposal) }?;
        // SAFETY: null, or a handle that lives.
        let Ok(said) = unsafe { locked(ledger) }?.reserve(&Demand {
            id: ReservationId::from_bytes(demand.id.bytes),
            proposal,
            grant: BlockId::from_bytes(demand.grant.bytes),
            amount: demand.amount,
            now: demand.now,
            lines: &lines,
        });
        Ok(match said {
            Reserve::Reserved => pg_code::PG_RESERVED,
            Reserve::Exceeded => pg_code::PG_EXCEEDED,
            Reserve::Full => pg_code::PG_FULL,
            Reserve::Taken => pg_code::PG_TAKEN,
        })
    })
}

/// It was executed: what was counted stays counted. PG_CLOSED, or PG_NOT_HELD.
///
/// Threads: as pg_ledger_reserve.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pg_ledger_settle(ledger: *const pg_ledger, id: *const pg_id) -> pg_code {
    // SAFETY: pointers as the header says.
    guard(|| unsafe { close(ledger, id, |held, ledger| held.settle(ledger).map_err(|(_, error)| error)) })
}

/// It was not executed: what was counted is given back. PG_CLOSED, or PG_NOT_HELD.
///
/// Threads: as pg_ledger_reserve.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pg_ledger_release(ledger: *const pg_ledger, id: *const pg_id) -> pg_code {
    // SAFETY: pointers as the header says.
    guard(|| unsafe { close(ledger, id, |held, ledger| held.release(ledger).map_err(|(_, error)| error)) })
}

/// What is counted under a block now, held and settled together: to show it to people. Nothing can be decided by it, as it may have
/// changed a moment later.
///
/// Threads: as pg_ledger_reserve.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pg_ledger_total(
    ledger: *const pg_ledger,
    block: *const pg_id,
    total: *mut u64,
) -> pg_code {
    guard(|| {
        // SAFETY: a place for a number.
        let out = unsafe { Out::new(total, u64::MAX) }?;
        // SAFETY: null, or an id.
        let block = unsafe { borrow(block) }?;
        // SAFETY: null, or a handle that lives.
        out.put(unsafe { locked(ledger) }?.total(&BlockId::from_bytes(block.bytes)));
        Ok(pg_code::PG_OK)
    })
}

/// # Safety
/// Null, or a handle that lives during `'a`.
unsafe fn locked<'a>(ledger: *const pg_ledger) -> Result<MutexGuard<'a, MemoryLedger>, pg_code> {
    // SAFETY: the caller's.
    unsafe { borrow(ledger) }?.ledger.lock().map_err(|_| pg_code::PG_ERROR_POISONED)
}

/// # Safety
/// Null, or as the header says.
unsafe fn close(
    ledger: *const pg_ledger,
    id: *const pg_id,
    end: impl FnOnce(Reservation, &mut MemoryLedger) -> Result<Closed, Infallible>,
) -> Coded {
    // SAFETY: the caller's.
    let id = unsafe { borrow(id) }?;
    let held = Reservation::resume(ReservationId::from_bytes(id.bytes));
    // SAFETY: the caller's.
    let Ok(closed) = end(held, &mut *unsafe { locked(ledger) }?);
    Ok(match closed {
        Closed::Done => pg_code::PG_CLOSED,
        Closed::NotHeld => pg_code::PG_NOT_HELD,
    })
}
