//! Claims of what must happen once, and a claim store in memory.

use crate::abi::{Coded, Out, OutHandle, borrow, free, guard, guard_or, pg_bytes, pg_id, text};
use crate::code::pg_code;
use crate::verifier::parse_key;
use parley_grants::{Claim, Claimed, Claims as _, End, MemoryClaims, Ticket};
use std::sync::{Mutex, PoisonError};

/// Something that must happen once, and until when that is to be remembered: a time in unix seconds, not a span. One that is not after
/// the time of the claim remembers nothing, so that every claim is the first.
pub struct pg_claim {
    claim: Claim,
}

/// Who claimed first: what ends a claim. It can be stored, so that the claim is ended after a crash too.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct pg_ticket {
    pub key: pg_id,
    pub turn: u64,
}

/// A claim store in memory: lost with the process.
pub struct pg_claims {
    claims: Mutex<MemoryClaims>,
}

impl pg_claim {
    pub(crate) const fn new(claim: Claim) -> Self {
        Self { claim }
    }
}

#[cfg(test)]
impl pg_claims {
    pub(crate) fn poison(&self) {
        let poisoned = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let _held = self.claims.lock();
            panic!("while it is held");
        }));
        assert!(poisoned.is_err());
    }
}

/// The execution of a proposal, by its hash, until a time of the service's choice: at least the proposal's `expires` and more than
/// clocks differ and requests take, say a day. Ended by pg_claim_free.
///
/// Threads: any, at any time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pg_claim_for_commit(
    hash: pg_bytes,
    until: i64,
    claim: *mut *mut pg_claim,
) -> pg_code {
    // SAFETY: pointers as the header says.
    unsafe { make(claim, || Ok(Claim::for_commit(text(hash)?, until))) }
}

/// The frame of an INTENT with auto-commit, from the key that made it; times in unix seconds. It is remembered until 900 s after the
/// later of them. PG_ERROR_INPUT when the holder is no key. Ended by pg_claim_free.
///
/// Threads: any, at any time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pg_claim_for_auto(
    holder: pg_bytes,
    frame: pg_bytes,
    arrived: i64,
    proof_time: i64,
    claim: *mut *mut pg_claim,
) -> pg_code {
    // SAFETY: pointers as the header says.
    unsafe {
        make(claim, || Ok(Claim::for_auto(&parse_key(text(holder)?)?, text(frame)?, arrived, proof_time)))
    }
}

/// The use of a one-time consent, by its principal and the hash of its proposal, until the consent's `exp`. PG_ERROR_INPUT when the
/// principal is no key. Ended by pg_claim_free.
///
/// Threads: any, at any time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pg_claim_for_consent(
    principal: pg_bytes,
    hash: pg_bytes,
    exp: i64,
    claim: *mut *mut pg_claim,
) -> pg_code {
    // SAFETY: pointers as the header says.
    unsafe { make(claim, || Ok(Claim::for_consent(&parse_key(text(principal)?)?, text(hash)?, exp))) }
}

/// Anything else of the service's own that must happen once, by a name for its kind and one for the thing. Ended by pg_claim_free.
///
/// Threads: any, at any time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pg_claim_for_other(
    kind: pg_bytes,
    name: pg_bytes,
    until: i64,
    claim: *mut *mut pg_claim,
) -> pg_code {
    // SAFETY: pointers as the header says.
    unsafe { make(claim, || Ok(Claim::for_other(text(kind)?, text(name)?, until))) }
}

/// For a claim store of the service's own: the name under which it is remembered, and the last second in which it must be. PG_ABSENT
/// when that is before all times; the name stands there all the same.
///
/// Threads: any, with others that read the claim.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pg_claim_parts(claim: *const pg_claim, key: *mut pg_id, last: *mut i64) -> pg_code {
    guard(|| {
        // SAFETY: a place for an id.
        let key = unsafe { Out::new(key, pg_id::default()) };
        // SAFETY: a place for a number.
        let last = unsafe { Out::new(last, i64::MAX) };
        let (key, last) = (key?, last?);
        // SAFETY: null, or a handle that lives.
        let claim = &unsafe { borrow(claim) }?.claim;
        key.put(pg_id { bytes: *claim.key() });
        last.put(claim.last().ok_or(pg_code::PG_ABSENT)?);
        Ok(pg_code::PG_OK)
    })
}

/// Ends the handle, not the claim; null is nothing to end.
///
/// Threads: one, after all that read it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pg_claim_free(claim: *mut pg_claim) {
    // SAFETY: null, or a handle that the caller has not freed, and does not use again.
    guard_or((), || unsafe { free(claim) });
}

/// Makes an empty claim store that remembers at most so many claims at a time, ended by pg_claims_free.
///
/// Threads: any, at any time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pg_claims_new(room: usize, claims: *mut *mut pg_claims) -> pg_code {
    guard(|| {
        // SAFETY: a place for a handle.
        let out = unsafe { OutHandle::needed(claims) }?;
        out.put(pg_claims { claims: Mutex::new(MemoryClaims::with_room(room)) });
        Ok(pg_code::PG_OK)
    })
}

/// Ends a claim store, and forgets its claims; null is nothing to end.
///
/// Threads: one, after all calls that use it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pg_claims_free(claims: *mut pg_claims) {
    // SAFETY: null, or a handle that the caller has not freed, and does not use again.
    guard_or((), || unsafe { free(claims) });
}

/// Claims it, at `now` in unix seconds: PG_FIRST, PG_IN_PROGRESS, PG_DONE or PG_NO_ROOM. Only PG_FIRST gives a ticket.
///
/// Threads: any, with others that use the store. Each call is one step under its lock.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pg_claims_claim(
    claims: *const pg_claims,
    claim: *const pg_claim,
    now: i64,
    ticket: *mut pg_ticket,
) -> pg_code {
    guard(|| {
        // SAFETY: a place for a ticket.
        let out = unsafe { Out::new(ticket, pg_ticket::default()) }?;
        // SAFETY: null, or a handle that lives.
        let claims = unsafe { borrow(claims) }?;
        // SAFETY: null, or a handle that lives.
        let claim = unsafe { borrow(claim) }?;
        let Ok(claimed) = claims.claims.lock().map_err(poisoned)?.claim(&claim.claim, now);
        Ok(match claimed {
            Claimed::First(ticket) => {
                out.put(pg_ticket { key: pg_id { bytes: *ticket.key() }, turn: ticket.turn() });
                pg_code::PG_FIRST
            }
            Claimed::InProgress => pg_code::PG_IN_PROGRESS,
            Claimed::Done => pg_code::PG_DONE,
            Claimed::Full => pg_code::PG_NO_ROOM,
        })
    })
}

/// It happened: PG_CLOSED, or PG_NOT_HELD when the ticket holds nothing that is in progress.
///
/// Threads: as pg_claims_claim.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pg_claims_finish(claims: *const pg_claims, ticket: *const pg_ticket) -> pg_code {
    // SAFETY: pointers as the header says.
    guard(|| unsafe { end(claims, ticket, End::Finish) })
}

/// It did not happen, and it is as if it never had been claimed: PG_CLOSED, or PG_NOT_HELD. Never for the frame of an INTENT with
/// auto-commit that committed something.
///
/// Threads: as pg_claims_claim.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pg_claims_abandon(claims: *const pg_claims, ticket: *const pg_ticket) -> pg_code {
    // SAFETY: pointers as the header says.
    guard(|| unsafe { end(claims, ticket, End::Abandon) })
}

/// # Safety
/// Null, or a place for a handle.
unsafe fn make(place: *mut *mut pg_claim, claim: impl FnOnce() -> Result<Claim, pg_code>) -> pg_code {
    guard(|| {
        // SAFETY: the caller's.
        let out = unsafe { OutHandle::needed(place) }?;
        out.put(pg_claim::new(claim()?));
        Ok(pg_code::PG_OK)
    })
}

/// # Safety
/// Null, or as the header says.
unsafe fn end(claims: *const pg_claims, ticket: *const pg_ticket, how: End) -> Coded {
    // SAFETY: the caller's.
    let claims = unsafe { borrow(claims) }?;
    // SAFETY: the caller's.
    let ticket = unsafe { borrow(ticket) }?;
    let ticket = Ticket::from_parts(ticket.key.bytes, ticket.turn);
    let Ok(was_held) = claims.claims.lock().map_err(poisoned)?.end(&ticket, how);
    Ok(if was_held { pg_code::PG_CLOSED } else { pg_code::PG_NOT_HELD })
}

fn poisoned<T>(_: PoisonError<T>) -> pg_code {
    pg_code::PG_ERROR_POISONED
}
