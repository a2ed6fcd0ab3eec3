//! A first COMMIT, step by step: the caller asks its ledger in between (A8.23, A8.43).

use crate::caveat::Caveat;
use crate::chain::Trust;
use crate::consent::ConsentRequest;
use crate::decision::{Allowed, Answer, Cause, Refusal, What};
use crate::evaluate::{Action, SpendLine};
use crate::proposal::Terms;
use crate::request::Commit;
use crate::revoke::Revoke;
use crate::search::{Found, Search};
use crate::spend::{Demand, Ledger, Reservation, ReservationId, Reserve};
use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

/// Where a COMMIT stands. Only a [`Verifier`](crate::Verifier) makes one, and only a ledger's word leads from
/// [`Reserve`](Step::Reserve) to [`Execute`](Step::Execute): a cost cannot be checked and then not counted.
///
/// ```compile_fail,E0451
/// let allowed = parley_grants::Allowed { ..todo!() }; // the fields are private
/// ```
/// ```compile_fail
/// #![deny(unused_must_use)]
/// # fn f(v: parley_grants::Verifier<Vec<parley_grants::PublicKey>>, commit: parley_grants::Commit,
/// #      presented: parley_grants::Presented, id: parley_grants::ReservationId) {
/// v.commit(&commit, &presented, id); // a step that nobody takes
/// # }
/// ```
#[derive(Debug)]
#[must_use]
#[expect(
    clippy::large_enum_variant,
    reason = "one a COMMIT, on the stack: waiting for a ledger allocates nothing"
)]
pub enum Step<'r, T, R = ()> {
    /// A grant allows it, if the ledger can count its cost.
    Reserve(Pending<'r, T, R>),
    /// The cost is counted: carry it out, then settle the reservation; or release it.
    Execute(Allowed, Reservation),
    /// It may not be carried out.
    Refused(Refusal),
}

/// A COMMIT that waits for its ledger's word. It can be sent to another thread, and kept across an `await`; it cannot be
/// copied, so a demand is answered once.
///
/// It is for the time of that question only: the clock, trust and revocation were asked when it was made. After a longer wait, drop
/// it and begin again.
#[must_use]
pub struct Pending<'r, T, R = ()> {
    search: Search<'r, T, R>,
    terms: Cow<'r, Terms>,
    is_auto: bool,
    id: ReservationId,
    found: Found<'r>,
    lines: Vec<SpendLine>,
}

impl<T, R> fmt::Debug for Pending<'_, T, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pending").field("id", &self.id).field("lines", &self.lines).finish_non_exhaustive()
    }
}

/// Looks for the next grant that allows the commit, from where the search stands.
pub(crate) fn go_on<'r, T: Trust, R: Revoke>(
    mut search: Search<'r, T, R>,
    terms: Cow<'r, Terms>,
    is_auto: bool,
    id: ReservationId,
) -> Step<'r, T, R> {
    // What was counted before is the ledger's to know; a cost that alone is over the limit needs no ledger.
    match search.next(&Action::Commit(&terms), &|_: &_| 0) {
        Ok(Some(found)) => {
            let lines = found.grant.spend_lines(&terms).collect();
            Step::Reserve(Pending { search, terms, is_auto, id, found, lines })
        }
        Ok(None) => Step::Refused(refuse(search, &terms, is_auto)),
        Err(refusal) => Step::Refused(refusal),
    }
}

/// Consent before unavailable before forbidden before unauthorized (A6.8); with auto, review (A8.20, A8.21).
fn refuse<T: Trust, R: Revoke>(search: Search<'_, T, R>, terms: &Terms, is_auto: bool) -> Refusal {
    let service = &search.policy.service;
    let tally = search.into_tally();
    let answer = match (is_auto, tally.consent, tally.unavailable, tally.forbidden) {
        (true, ..) => Answer::Review,
        // This very attempt may have been executed: no human is asked to pay for it again.
        (false, ..) if tally.taken => Answer::Unavailable,
        (false, Some(principal), ..) => {
            Answer::ConsentRequired(Box::new(ConsentRequest::new(service, terms, principal)))
        }
        (false, None, true, _) => Answer::Unavailable,
        (false, None, false, true) => Answer::Forbidden,
        (false, None, false, false) => Answer::Unauthorized,
    };
    Refusal::new(answer, tally.log())
}

impl<'r, T: Trust, R: Revoke> Pending<'r, T, R> {
    /// What the ledger is to be asked.
    pub fn demand(&self) -> Demand<'_> {
        Demand {
            id: self.id,
            proposal: self.terms.hash(),
            grant: self.found.authority.grant,
            amount: self.terms.cost().map_or(0, |cost| cost.minor()),
            now: self.search.presented.now,
            lines: &self.lines,
        }
    }

    /// Goes on with the ledger's word. When the limits of this grant are exceeded, or the ledger has no room for it, the next grant
    /// is tried; when none is left, the answer is consent, or unavailable.
    pub fn answer(self, said: Reserve) -> Step<'r, T, R> {
        let Self { mut search, terms, is_auto, id, found, lines } = self;
        match said {
            Reserve::Reserved => {
                let is_one_time = found
                    .grant
                    .grant()
                    .blocks()
                    .any(|block| block.caveats().iter().any(|caveat| matches!(caveat, Caveat::Only(_))));
                let allowed = Allowed {
                    what: What::Commit { terms: Box::new(terms.into_owned()), is_one_time },
                    holder: Some(*search.asker.key()),
                    proof_time: search.asker.proof_time(),
                    authority: Some(found.authority),
                    spend: lines,
                };
                return Step::Execute(allowed, Reservation::held(id));
            }
            Reserve::Exceeded => search.exceeded(&found.authority),
            Reserve::Full => search.unavailable(&found.authority),
            Reserve::Taken => search.taken(&found.authority),
        }
        go_on(search, terms, is_auto, id)
    }
}

impl<'r, T: Trust, R: Revoke> Step<'r, T, R> {
    /// Asks a synchronous ledger until the COMMIT is decided.
    ///
    /// # Errors
    /// The ledger's, which is no allow: the COMMIT may be tried again, under the same reservation id.
    pub fn drive<L: Ledger + ?Sized>(
        self,
        ledger: &mut L,
    ) -> Result<Result<(Allowed, Reservation), Refusal>, L::Error> {
        let mut step = self;
        loop {
            step = match step {
                Self::Reserve(pending) => {
                    let said = ledger.reserve(&pending.demand())?;
                    pending.answer(said)
                }
                Self::Execute(allowed, reservation) => return Ok(Ok((allowed, reservation))),
                Self::Refused(refusal) => return Ok(Err(refusal)),
            }
        }
    }
}

/// Which steps come before the grants.
pub(crate) fn check_proposal(commit: &Commit<'_>, terms: &Terms, now: i64) -> Result<(), Refusal> {
    let is_expired = now >= terms.expires();
    let refuse = |answer, cause: Cause| Err(Refusal::new(answer, cause.into()));
    match *commit {
        Commit::Sent { hash, .. } => {
            if hash != terms.hash() {
                return refuse(Answer::Conflict, Cause::OtherHash);
            }
            if is_expired {
                return refuse(Answer::Expired, Cause::ProposalExpired);
            }
        }
        Commit::Auto { capability, .. } => {
            if terms.capability() != capability {
                return refuse(Answer::Forbidden, Cause::OtherCapability);
            }
            if terms.undo().is_none_or(|window| window == 0) {
                return refuse(Answer::Review, Cause::NoUndo);
            }
            if is_expired {
                return refuse(Answer::Review, Cause::ProposalExpired);
            }
        }
    }
    Ok(())
}
