//! A decision, and what can be read from it.

use crate::abi::{Out, OutHandle, borrow, free, guard, guard_or, pg_bytes, pg_id, pg_text, text};
use crate::claims::pg_claim;
use crate::code::pg_code;
use parley_grants::{Allowed, Answer, Decision, Refusal};

/// A decision: for one request, and not to be kept.
pub struct pg_decision {
    decision: Decision,
}

impl pg_decision {
    pub(crate) const fn new(decision: Decision) -> Self {
        Self { decision }
    }

    pub(crate) const fn code(&self) -> pg_code {
        match &self.decision {
            Decision::Allowed(_) => pg_code::PG_ALLOWED,
            Decision::Refused(refusal) => match refusal.answer() {
                Answer::Unauthorized => pg_code::PG_UNAUTHORIZED,
                Answer::Forbidden => pg_code::PG_FORBIDDEN,
                Answer::ConsentRequired(_) => pg_code::PG_CONSENT_REQUIRED,
                Answer::Conflict => pg_code::PG_CONFLICT,
                Answer::Expired => pg_code::PG_EXPIRED,
                Answer::Review => pg_code::PG_REVIEW,
                Answer::Unavailable => pg_code::PG_UNAVAILABLE,
            },
        }
    }

    fn allowed(&self) -> Result<&Allowed, pg_code> {
        match &self.decision {
            Decision::Allowed(allowed) => Ok(allowed),
            Decision::Refused(_) => Err(pg_code::PG_ABSENT),
        }
    }

    fn refusal(&self) -> Result<&Refusal, pg_code> {
        match &self.decision {
            Decision::Refused(refusal) => Ok(refusal),
            Decision::Allowed(_) => Err(pg_code::PG_ABSENT),
        }
    }
}

/// What was decided: PG_ALLOWED to PG_UNAVAILABLE. PG_ERROR_NULL for null.
///
/// Threads: any, with others that read the decision.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pg_decision_code(decision: *const pg_decision) -> pg_code {
    // SAFETY: null, or a handle that lives.
    guard(|| Ok(unsafe { borrow(decision) }?.code()))
}

/// Ends a decision; null is nothing to end.
///
/// Threads: one, after all that read it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pg_decision_free(decision: *mut pg_decision) {
    // SAFETY: null, or a handle that the caller has not freed, and does not use again.
    guard_or((), || unsafe { free(decision) });
}

/// For PG_CONSENT_REQUIRED: the consent request as canonical JSON, to be sent. Else PG_ABSENT. Ended by pg_text_free.
///
/// Threads: as pg_decision_code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pg_decision_consent(
    decision: *const pg_decision,
    json: *mut *mut pg_text,
) -> pg_code {
    // SAFETY: pointers as the header says.
    unsafe {
        part(decision, json, |decision| match decision.refusal()?.answer() {
            Answer::ConsentRequired(request) => Ok(request.to_json()),
            Answer::Unauthorized
            | Answer::Forbidden
            | Answer::Conflict
            | Answer::Expired
            | Answer::Review
            | Answer::Unavailable => Err(pg_code::PG_ABSENT),
        })
    }
}

/// For a refusal: why, a line a cause. NOT TO BE SENT ON: it is for the service's own log, and would tell a stranger how far each
/// attempt got. For PG_ALLOWED, PG_ABSENT. Ended by pg_text_free.
///
/// Threads: as pg_decision_code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pg_decision_log(decision: *const pg_decision, log: *mut *mut pg_text) -> pg_code {
    // SAFETY: pointers as the header says.
    unsafe { part(decision, log, |decision| Ok(decision.refusal()?.log().to_string())) }
}

/// For PG_ALLOWED: the agent's key. PG_ABSENT for EXPAND of a handle that is bound to no key, and for a refusal. Ended by pg_text_free.
///
/// It is the owner of a handle that is made for this request, PG_OWNER_KEY. PG_OWNER_ANYONE is right only where this says PG_ABSENT for
/// a decision that is PG_ALLOWED, never after another error.
///
/// Threads: as pg_decision_code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pg_decision_holder(decision: *const pg_decision, key: *mut *mut pg_text) -> pg_code {
    // SAFETY: pointers as the header says.
    unsafe {
        part(decision, key, |decision| {
            decision.allowed()?.holder().map(ToString::to_string).ok_or(pg_code::PG_ABSENT)
        })
    }
}

/// For PG_ALLOWED: the key of the principal on whose behalf it happens. PG_ABSENT for EXPAND, and for a refusal. Ended by
/// pg_text_free.
///
/// Threads: as pg_decision_code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pg_decision_issuer(decision: *const pg_decision, key: *mut *mut pg_text) -> pg_code {
    // SAFETY: pointers as the header says.
    unsafe {
        part(decision, key, |decision| {
            decision.allowed()?.issuer().map(ToString::to_string).ok_or(pg_code::PG_ABSENT)
        })
    }
}

/// For a first COMMIT that is allowed: the capability of the proposal. Else PG_ABSENT. Ended by pg_text_free.
///
/// Threads: as pg_decision_code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pg_decision_capability(
    decision: *const pg_decision,
    capability: *mut *mut pg_text,
) -> pg_code {
    // SAFETY: pointers as the header says.
    unsafe {
        part(decision, capability, |decision| {
            let terms = decision.allowed()?.terms().ok_or(pg_code::PG_ABSENT)?;
            Ok(terms.capability().to_owned())
        })
    }
}

/// For a first COMMIT that is allowed: the hash of the proposal. Else PG_ABSENT. Ended by pg_text_free.
///
/// Threads: as pg_decision_code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pg_decision_hash(decision: *const pg_decision, hash: *mut *mut pg_text) -> pg_code {
    // SAFETY: pointers as the header says.
    unsafe {
        part(decision, hash, |decision| {
            Ok(decision.allowed()?.terms().ok_or(pg_code::PG_ABSENT)?.hash().to_owned())
        })
    }
}

/// For PG_ALLOWED: which grant allowed it, by its index among those presented, and by its id. PG_ABSENT for EXPAND, and for a
/// refusal.
///
/// Threads: as pg_decision_code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pg_decision_grant(
    decision: *const pg_decision,
    index: *mut usize,
    id: *mut pg_id,
) -> pg_code {
    guard(|| {
        // SAFETY: a place for a number.
        let index = unsafe { Out::new(index, usize::MAX) };
        // SAFETY: a place for an id.
        let id = unsafe { Out::new(id, pg_id::default()) };
        let (index, id) = (index?, id?);
        // SAFETY: null, or a handle that lives.
        let allowed = unsafe { borrow(decision) }?.allowed()?;
        let (Some(place), Some(grant)) = (allowed.grant_index(), allowed.grant_id()) else {
            return Err(pg_code::PG_ABSENT);
        };
        index.put(place);
        id.put(pg_id { bytes: *grant.as_bytes() });
        Ok(pg_code::PG_OK)
    })
}

/// Of the decision of pg_auto_intent on the frame with this id, which arrived at this time: what remembers the frame, to be claimed
/// before the auto-commit. PG_ABSENT for a refusal, and where no key was proven. Ended by pg_claim_free.
///
/// Threads: as pg_decision_code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pg_decision_auto_claim(
    decision: *const pg_decision,
    frame: pg_bytes,
    arrived: i64,
    claim: *mut *mut pg_claim,
) -> pg_code {
    guard(|| {
        // SAFETY: a place for a handle.
        let out = unsafe { OutHandle::needed(claim) }?;
        // SAFETY: null, or a handle that lives.
        let decision = unsafe { borrow(decision) }?;
        // SAFETY: bytes as the header says.
        let frame = unsafe { text(frame) }?;
        let claim = decision.allowed()?.auto_claim(frame, arrived).ok_or(pg_code::PG_ABSENT)?;
        out.put(pg_claim::new(claim));
        Ok(pg_code::PG_OK)
    })
}

/// For a first COMMIT that is allowed by a grant for one proposal only: what makes that consent count once, to be claimed before it
/// is executed by a service that executes one proposal more than once. Else PG_ABSENT. Ended by pg_claim_free.
///
/// Threads: as pg_decision_code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pg_decision_consent_claim(
    decision: *const pg_decision,
    claim: *mut *mut pg_claim,
) -> pg_code {
    guard(|| {
        // SAFETY: a place for a handle.
        let out = unsafe { OutHandle::needed(claim) }?;
        // SAFETY: null, or a handle that lives.
        let decision = unsafe { borrow(decision) }?;
        out.put(pg_claim::new(decision.allowed()?.consent_claim().ok_or(pg_code::PG_ABSENT)?));
        Ok(pg_code::PG_OK)
    })
}

/// # Safety
/// Pointers as the header says.
unsafe fn part(
    decision: *const pg_decision,
    place: *mut *mut pg_text,
    of: impl FnOnce(&pg_decision) -> Result<String, pg_code>,
) -> pg_code {
    guard(|| {
        // SAFETY: a place for a handle.
        let out = unsafe { OutHandle::needed(place) }?;
        // SAFETY: null, or a handle that lives.
        out.put(pg_text::new(of(unsafe { borrow(decision) }?)?));
        Ok(pg_code::PG_OK)
    })
}
