//! A first COMMIT: never allowed by one call. It stops at a demand for the caller's ledger, and goes on with the ledger's word.

use crate::abi::{
    Coded, Out, OutHandle, borrow, borrow_mut, bytes, free, guard, guard_or, pg_bytes, pg_id, start, text,
};
use crate::code::pg_code;
use crate::decision::pg_decision;
use crate::ledger::{pg_demand, pg_spend_line};
use crate::presented::{Asking, MOST_JSON_BYTES, cut, cut_text, pg_presented};
use crate::recorded::{pg_origin, read_origin};
use crate::verifier::{Revoked, Service, pg_verifier};
use parley_grants::{
    Commit, Decision, Offered, Origin, Presentable, Presented, PublicKey, ReservationId, Reserve, Step,
};
use self_cell::self_cell;
use std::collections::BTreeSet;
use std::sync::Arc;

/// A COMMIT that waits for its ledger's word: for the time of that question only, as clock, trust and revocation were asked when it
/// was made.
pub struct pg_pending {
    stage: AtStage,
    /// What C reads of the demand, for as long as the stage stays.
    proposal: String,
    lines: Vec<pg_spend_line>,
}

/// A copy of all that a COMMIT refers to.
struct Inputs {
    verifier: Arc<Service>,
    asking: Asking<'static>,
    proposal: Vec<u8>,
    origin: Origin,
    sent: Sent,
    id: ReservationId,
}

enum Sent {
    Commit { hash: String },
    Auto { capability: String, frame: String },
}

type Grants<'a> = Vec<Presentable<'a>>;
type Stage<'a> = Option<Step<'a, BTreeSet<PublicKey>, Revoked>>;

self_cell!(
    struct WithGrants {
        owner: Inputs,
        #[covariant]
        dependent: Grants,
    }
);

self_cell!(
    struct AtStage {
        owner: WithGrants,
        #[not_covariant]
        dependent: Stage,
    }
);

/// Begins a first COMMIT of a stored proposal, by its JSON text; `hash` is as the agent sent it, `reservation` a name for this attempt
/// at it that no other has: 32 random bytes, stored beside the claim. PG_ERROR_INPUT for 32 zeros, as a name that failed leaves them.
///
/// PG_PENDING: `pending` gets what waits for the ledger's word, ended by pg_pending_free. Else a refusal, never PG_ALLOWED; then
/// `decision`, where it is not null, gets the decision, ended by pg_decision_free. All that is given is copied.
///
/// Threads: any, with others that use the verifier and what is presented.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pg_commit(
    verifier: *const pg_verifier,
    presented: *const pg_presented,
    proposal: pg_bytes,
    hash: pg_bytes,
    origin: *const pg_origin,
    reservation: *const pg_id,
    pending: *mut *mut pg_pending,
    decision: *mut *mut pg_decision,
) -> pg_code {
    // SAFETY: pointers as the header says, for the time of the call.
    guard(|| unsafe {
        begin(verifier, presented, proposal, origin, reservation, (pending, decision), || {
            Ok(Sent::Commit { hash: sent_text(hash)? })
        })
    })
}

/// Begins the COMMIT of the first proposal of an INTENT with auto-commit, which was allowed a moment ago, in the same round trip: with
/// what that INTENT presented, its capability and the id of its frame. As pg_commit; what may not be done outright is PG_REVIEW.
///
/// Threads: as pg_commit.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pg_auto_commit(
    verifier: *const pg_verifier,
    presented: *const pg_presented,
    proposal: pg_bytes,
    capability: pg_bytes,
    frame: pg_bytes,
    origin: *const pg_origin,
    reservation: *const pg_id,
    pending: *mut *mut pg_pending,
    decision: *mut *mut pg_decision,
) -> pg_code {
    // SAFETY: pointers as the header says, for the time of the call.
    guard(|| unsafe {
        begin(verifier, presented, proposal, origin, reservation, (pending, decision), || {
            Ok(Sent::Auto { capability: sent_text(capability)?, frame: sent_text(frame)? })
        })
    })
}

/// What the ledger is to be asked. What it points to lives until the next pg_pending_answer or pg_pending_free. PG_ERROR_STATE once
/// the COMMIT is decided.
///
/// Threads: any, but none that answers or frees it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pg_pending_demand(pending: *const pg_pending, demand: *mut pg_demand) -> pg_code {
    guard(|| {
        // SAFETY: a place for a demand.
        let out = unsafe { Out::new(demand, pg_demand::EMPTY) }?;
        // SAFETY: null, or a handle that lives.
        let pending = unsafe { borrow(pending) }?;
        out.put(pending.demand().ok_or(pg_code::PG_ERROR_STATE)?);
        Ok(pg_code::PG_OK)
    })
}

/// Goes on with the ledger's word: PG_RESERVED, PG_EXCEEDED, PG_FULL or PG_TAKEN. Only what a ledger said in one atomic step may be
/// handed on; when it could not be asked, nothing is.
///
/// PG_PENDING: another grant is tried, and there is another demand. PG_ALLOWED: carry it out, then settle the reservation; or
/// release it. Else a refusal. `decision`, where it is not null, gets what was decided, ended by pg_decision_free. PG_ERROR_ENUM for
/// anything but these four words, and then nothing changed. PG_ERROR_STATE once the COMMIT is decided: a demand is answered once.
///
/// Threads: one, and no other uses `pending` meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pg_pending_answer(
    pending: *mut pg_pending,
    said: u32,
    decision: *mut *mut pg_decision,
) -> pg_code {
    guard(|| {
        // SAFETY: null, or a place for a handle.
        let out = unsafe { OutHandle::wanted(decision) }?;
        // SAFETY: null, or a handle that nobody else uses.
        let pending = unsafe { borrow_mut(pending) }?;
        let said = match said {
            said if said == pg_code::PG_RESERVED.number() => Reserve::Reserved,
            said if said == pg_code::PG_EXCEEDED.number() => Reserve::Exceeded,
            said if said == pg_code::PG_FULL.number() => Reserve::Full,
            said if said == pg_code::PG_TAKEN.number() => Reserve::Taken,
            _ => return Err(pg_code::PG_ERROR_ENUM),
        };
        if !pending.is_waiting() {
            return Err(pg_code::PG_ERROR_STATE);
        }
        // Taken out first: if going on panics, it is over.
        pending.stage.with_dependent_mut(|_, stage| {
            if let Some(Step::Reserve(waiting)) = stage.take() {
                *stage = Some(waiting.answer(said));
            }
        });
        pending.settle_on(out)
    })
}

/// Ends a pending COMMIT, decided or not; null is nothing to end. One that was not decided is not executed; whether its ledger holds
/// something for it, only the ledger knows.
///
/// Threads: one, after all calls that use it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pg_pending_free(pending: *mut pg_pending) {
    // SAFETY: null, or a handle that the caller has not freed, and does not use again.
    guard_or((), || unsafe { free(pending) });
}

/// A copy of a text that was sent. One that is cut is still longer than any in a proposal or under a proof.
///
/// # Safety
/// Bytes as the header says.
unsafe fn sent_text(sent: pg_bytes) -> Result<String, pg_code> {
    // SAFETY: the caller's.
    Ok(cut_text(unsafe { text(sent) }?, MOST_JSON_BYTES).to_owned())
}

type Outs = (*mut *mut pg_pending, *mut *mut pg_decision);

/// # Safety
/// The pointers are null or as the header says.
unsafe fn begin(
    verifier: *const pg_verifier,
    presented: *const pg_presented,
    proposal: pg_bytes,
    origin: *const pg_origin,
    reservation: *const pg_id,
    (pending, decision): Outs,
    sent: impl FnOnce() -> Result<Sent, pg_code>,
) -> Coded {
    // SAFETY: a place for a handle.
    let pending = unsafe { OutHandle::needed(pending) };
    // SAFETY: null, or a place for a handle.
    let decision = unsafe { OutHandle::wanted(decision) }?;
    let pending = pending?;
    // SAFETY: null, or a handle that lives.
    let verifier = Arc::clone(unsafe { borrow(verifier) }?.service());
    // SAFETY: as the header says.
    let asking = unsafe { Asking::read(presented) }?.into_owned();
    // SAFETY: as the header says.
    let proposal = cut(unsafe { bytes(proposal) }?, MOST_JSON_BYTES).to_owned();
    // SAFETY: as the header says.
    let origin = unsafe { read_origin(origin) }?;
    // SAFETY: null, or an id.
    let id = unsafe { borrow(reservation) }?;
    if *id == pg_id::default() {
        return Err(pg_code::PG_ERROR_INPUT);
    }
    let id = ReservationId::from_bytes(id.bytes);
    let mut made = pg_pending::new(Inputs { verifier, asking, proposal, origin, sent: sent()?, id });
    let code = made.settle_on(decision)?;
    if code == pg_code::PG_PENDING {
        pending.put(made);
    }
    Ok(code)
}

impl pg_pending {
    fn new(inputs: Inputs) -> Self {
        let stage = AtStage::new(WithGrants::new(inputs, |inputs| inputs.asking.presentables()), |all| {
            let (inputs, grants) = (all.borrow_owner(), all.borrow_dependent());
            let (origin, proposal) = (&inputs.origin, Offered::Text(&inputs.proposal));
            let commit = match &inputs.sent {
                Sent::Commit { hash } => Commit::Sent { proposal, hash, origin },
                Sent::Auto { capability, frame } => Commit::Auto { proposal, capability, frame, origin },
            };
            let asking = &inputs.asking;
            let presented = Presented { grants, proof: asking.possession(), now: asking.now };
            Some(inputs.verifier.commit(&commit, &presented, inputs.id))
        });
        Self { stage, proposal: String::new(), lines: Vec::new() }
    }

    fn is_waiting(&self) -> bool {
        self.stage.with_dependent(|_, stage| matches!(stage, Some(Step::Reserve(_))))
    }

    /// Gives out what was decided, if it was; else gets the next demand ready.
    fn settle_on(&mut self, out: OutHandle<'_, pg_decision>) -> Coded {
        let Self { stage, proposal, lines } = self;
        stage.with_dependent_mut(|_, stage| match stage.take() {
            Some(Step::Reserve(waiting)) => {
                let demand = waiting.demand();
                demand.proposal.clone_into(proposal);
                *lines = demand.lines.iter().map(pg_spend_line::of).collect();
                *stage = Some(Step::Reserve(waiting));
                Ok(pg_code::PG_PENDING)
            }
            // The reservation is known to the caller by its name.
            Some(Step::Execute(allowed, _named)) => Ok(decided(Decision::Allowed(allowed), out)),
            Some(Step::Refused(refusal)) => Ok(decided(Decision::Refused(refusal), out)),
            None => Err(pg_code::PG_ERROR_STATE),
        })
    }

    fn demand(&self) -> Option<pg_demand> {
        self.stage.with_dependent(|_, stage| match stage {
            Some(Step::Reserve(waiting)) => {
                let demand = waiting.demand();
                Some(pg_demand {
                    id: pg_id { bytes: *demand.id.as_bytes() },
                    proposal: pg_bytes::of(self.proposal.as_bytes()),
                    grant: pg_id { bytes: *demand.grant.as_bytes() },
                    amount: demand.amount,
                    now: demand.now,
                    lines: start(&self.lines),
                    line_count: self.lines.len(),
                })
            }
            Some(Step::Execute(..) | Step::Refused(_)) | None => None,
        })
    }
}

fn decided(decision: Decision, out: OutHandle<'_, pg_decision>) -> pg_code {
    let decision = pg_decision::new(decision);
    let code = decision.code();
    out.put(decision);
    code
}
