//! Every request but a first COMMIT: one call each, from what was presented to the decision.

use crate::abi::{Coded, OutHandle, borrow, guard, pg_bytes, text};
use crate::code::pg_code;
use crate::decision::pg_decision;
use crate::presented::{Asking, pg_presented};
use crate::recorded::{committed, pg_committed, pg_owner, read_owner};
use crate::verifier::pg_verifier;
use parley_grants::{Presented, Request};

/// ASK: PG_ALLOWED, PG_UNAUTHORIZED or PG_FORBIDDEN, or an error, which is a refusal too. `decision` may be null; else it gets the
/// decision, ended by pg_decision_free, or null after an error.
///
/// Threads: any, with others that use the verifier and what is presented.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pg_ask(
    verifier: *const pg_verifier,
    presented: *const pg_presented,
    capability: pg_bytes,
    decision: *mut *mut pg_decision,
) -> pg_code {
    // SAFETY: pointers as the header says, for the time of the call.
    guard(|| unsafe {
        decide(verifier, presented, OutHandle::wanted(decision)?, || {
            Ok(Request::Ask { capability: text(capability)? })
        })
    })
}

/// INTENT: as pg_ask. Store the texts of pg_decision_holder and pg_decision_issuer beside each proposal that is made for it.
///
/// Threads: as pg_ask.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pg_intent(
    verifier: *const pg_verifier,
    presented: *const pg_presented,
    capability: pg_bytes,
    decision: *mut *mut pg_decision,
) -> pg_code {
    // SAFETY: pointers as the header says, for the time of the call.
    guard(|| unsafe {
        decide(verifier, presented, OutHandle::wanted(decision)?, || {
            Ok(Request::Intent { capability: text(capability)? })
        })
    })
}

/// INTENT with auto-commit, of the frame with this id: as pg_ask. It says whether the agent may ask; whether its first proposal is then
/// committed, pg_auto_commit says.
///
/// Threads: as pg_ask.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pg_auto_intent(
    verifier: *const pg_verifier,
    presented: *const pg_presented,
    capability: pg_bytes,
    frame: pg_bytes,
    decision: *mut *mut pg_decision,
) -> pg_code {
    // SAFETY: pointers as the header says, for the time of the call.
    guard(|| unsafe {
        decide(verifier, presented, OutHandle::wanted(decision)?, || {
            Ok(Request::AutoIntent { capability: text(capability)?, frame: text(frame)? })
        })
    })
}

/// UNDO of the receipt with this id, as sent, which is of that commit: as pg_ask. Whether it is still in time, and that it is undone
/// once, is the service's to know.
///
/// Threads: as pg_ask.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pg_undo(
    verifier: *const pg_verifier,
    presented: *const pg_presented,
    receipt: pg_bytes,
    of: *const pg_committed,
    decision: *mut *mut pg_decision,
) -> pg_code {
    guard(|| {
        // SAFETY: null, or a place for a handle.
        let out = unsafe { OutHandle::wanted(decision) }?;
        // SAFETY: null, or a commit as the header says.
        let of = unsafe { committed(of) };
        // SAFETY: pointers as the header says, for the time of the call.
        unsafe {
            decide(verifier, presented, out, || {
                Ok(Request::Undo { receipt: text(receipt)?, of: of.as_ref().map_err(|error| *error)? })
            })
        }
    })
}

/// EXPAND of a handle, as sent, by whoever may: as pg_ask. It looks at no grants.
///
/// Threads: as pg_ask.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pg_expand(
    verifier: *const pg_verifier,
    presented: *const pg_presented,
    handle: pg_bytes,
    owner: *const pg_owner,
    decision: *mut *mut pg_decision,
) -> pg_code {
    // SAFETY: pointers as the header says, for the time of the call.
    guard(|| unsafe {
        decide(verifier, presented, OutHandle::wanted(decision)?, || {
            Ok(Request::Expand { handle: text(handle)?, owner: read_owner(owner)? })
        })
    })
}

/// COMMIT of a proposal that is committed already: may the agent have the first answer again? `hash` is as sent. As pg_ask, or
/// PG_CONFLICT for the hash of another proposal. Nothing is reserved or executed for it.
///
/// Threads: as pg_ask.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pg_replay(
    verifier: *const pg_verifier,
    presented: *const pg_presented,
    hash: pg_bytes,
    of: *const pg_committed,
    decision: *mut *mut pg_decision,
) -> pg_code {
    guard(|| {
        // SAFETY: null, or a place for a handle.
        let out = unsafe { OutHandle::wanted(decision) }?;
        // SAFETY: null, or a commit as the header says.
        let of = unsafe { committed(of) };
        // SAFETY: pointers as the header says, for the time of the call.
        unsafe {
            decide(verifier, presented, out, || {
                Ok(Request::Replay { hash: text(hash)?, of: of.as_ref().map_err(|error| *error)? })
            })
        }
    })
}

/// `out` is made before anything else, so that a panic too leaves nothing stale there.
///
/// # Safety
/// The pointers are null or as the header says, during `'a`.
unsafe fn decide<'a>(
    verifier: *const pg_verifier,
    presented: *const pg_presented,
    out: OutHandle<'_, pg_decision>,
    request: impl FnOnce() -> Result<Request<'a>, pg_code>,
) -> Coded {
    // SAFETY: null, or a handle that lives.
    let verifier = unsafe { borrow(verifier) }?;
    // SAFETY: null, or as the header says.
    let asking = unsafe { Asking::read(presented) }?;
    let grants = asking.presentables();
    let presented = Presented { grants: &grants, proof: asking.possession(), now: asking.now };
    let made = pg_decision::new(verifier.service().authorize(&request()?, &presented));
    let code = made.code();
    out.put(made);
    Ok(code)
}
