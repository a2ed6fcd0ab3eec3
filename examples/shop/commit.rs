//! COMMIT: claim, reserve, execute, settle, finish; on failure release, abandon. And the restart after a crash.

use crate::shop::{Call, Reply, Shop};
use crate::store::{Open, Receipt};
use parley_grants::{
    Allowed, Claim, Claimed, Claims, Commit, Decision, End, Ledger, Offered, Origin, Presented, Request,
    Reservation, ReservationId, Step, Terms, Ticket,
};

impl<L: Ledger, C: Claims> Shop<L, C> {
    /// COMMIT of the proposal with this id. A repeat of one that was executed gets the first answer (A8.7).
    pub fn commit(&mut self, id: &str, hash: &str, call: &Call, now: i64) -> Reply {
        let grants = call.grants();
        let presented = call.presented(&grants, now);
        if let Some(receipt) = self.store.receipts.get(id).cloned() {
            let replay = Request::Replay { hash, of: &receipt.committed };
            return match self.verifier.authorize(&replay, &presented) {
                Decision::Allowed(_) => Reply::Receipt(receipt.id),
                Decision::Refused(refusal) => self.refuse(&refusal),
            };
        }
        if let Some(offer) = self.store.offers.get(id).cloned() {
            let (proposal, origin) = (Offered::Kept(&offer.proposal), &offer.origin);
            return self.begin(&Commit::Sent { proposal, hash, origin }, offer.proposal.terms(), &presented);
        }
        // A proposal that there is not is one of nobody's: so nobody learns which ones there are.
        let (proposal, origin) = (Offered::Text(b""), &Origin::anonymous());
        let commit = Commit::Sent { proposal, hash, origin };
        match self.verifier.commit(&commit, &presented, ReservationId::of("")) {
            Step::Refused(refusal) => self.refuse(&refusal),
            Step::Reserve(_) | Step::Execute(..) => Reply::Refused("forbidden"),
        }
    }

    /// A first COMMIT, from either door.
    pub fn begin(&mut self, commit: &Commit<'_>, terms: &Terms, presented: &Presented<'_>) -> Reply {
        // The name of this attempt at it: new for each, as a name that was released is used up.
        let attempt = ReservationId::of(&format!("attempt {}", self.store.next()));
        // All that needs no store comes first: who is refused here has claimed nothing.
        let step = match self.verifier.commit(commit, presented, attempt) {
            Step::Refused(refusal) => return self.refuse(&refusal),
            step => step,
        };
        // 1. Claim: of any number of requests for this proposal one goes on.
        let ticket = match self.claims.claim(&Claim::for_commit(terms.hash(), terms.expires()), presented.now)
        {
            Ok(Claimed::First(ticket)) => ticket,
            // Done: the receipt was written a moment ago, and the next try finds it.
            Ok(Claimed::InProgress | Claimed::Done | Claimed::Full) | Err(_) => return Reply::Busy,
        };
        // In one transaction with the claim: a restart must find both.
        self.store.open.insert(
            terms.id().into(),
            Open { reservation: attempt, tickets: vec![(*ticket.key(), ticket.turn())] },
        );
        // 2. Reserve: the check of every limit and the count are one step (A8.23).
        let (allowed, reservation) = match step.drive(&mut self.ledger) {
            Ok(Ok(allowed)) => allowed,
            Ok(Err(refusal)) => {
                let ended = self.end(terms.id(), Reservation::resume(attempt));
                return ended.map_or(Reply::Busy, |()| self.refuse(&refusal));
            }
            // It may be held or not: the restart releases it.
            Err(_) => return Reply::Busy,
        };
        // 3. Execute, unless it is a consent that was used before.
        if self.may_use(&allowed, terms, presented) && self.warehouse.send(terms.summary()) {
            let Some(committed) = allowed.committed() else { return Reply::Busy };
            let undo = i64::try_from(terms.undo().unwrap_or(0)).unwrap_or(0);
            let undo_until = presented.now.saturating_add(undo);
            let id = format!("r-{}", self.store.receipts.len() + 1);
            // In one transaction with the execution, or by its idempotency key: it is what tells that it happened.
            self.store.receipts.insert(terms.id().into(), Receipt { id, committed, undo_until });
        }
        // 4. and 5. Settle and finish, or release and abandon.
        let is_ended = self.end(terms.id(), reservation).is_some();
        match self.store.receipts.get(terms.id()) {
            // It has happened, and the answer says so; what has not ended, the restart ends.
            Some(receipt) => Reply::Receipt(receipt.id.clone()),
            None if is_ended => Reply::Refused("unavailable"),
            None => Reply::Busy,
        }
    }

    /// Where it is a one-time consent that allows: is this its first use? (A9.2)
    fn may_use(&mut self, allowed: &Allowed, terms: &Terms, presented: &Presented<'_>) -> bool {
        let Some(claim) = allowed.consent_claim() else { return true };
        match self.claims.claim(&claim, presented.now) {
            Ok(Claimed::First(ticket)) => {
                // It ends as the COMMIT does: a consent is not used up by what failed.
                self.store
                    .open
                    .entry(terms.id().into())
                    .and_modify(|open| open.tickets.push((*ticket.key(), ticket.turn())));
                true
            }
            Ok(Claimed::InProgress | Claimed::Done | Claimed::Full) | Err(_) => false,
        }
    }

    /// Ends an attempt by whether its receipt was written. First the cost, then the claims: while they are in progress, nobody
    /// begins another. `None` when a store could not be asked; then the restart tries again, which changes nothing twice.
    fn end(&mut self, id: &str, reservation: Reservation) -> Option<()> {
        let is_executed = self.store.receipts.contains_key(id);
        // That it is no longer held is as good: an earlier try ended it.
        let _closed = if is_executed {
            reservation.settle(&mut self.ledger).ok()?
        } else {
            reservation.release(&mut self.ledger).ok()?
        };
        let how = if is_executed { End::Finish } else { End::Abandon };
        for (name, turn) in self.store.open.get(id).map(|open| &open.tickets)? {
            self.claims.end(&Ticket::from_parts(*name, *turn), how).ok()?;
        }
        self.store.open.remove(id).map(|_| ())
    }

    /// What a crash, or a store that did not answer, left behind. To be run at the start, before the first request.
    pub fn restart(&mut self) {
        let open: Vec<_> = self.store.open.iter().map(|(id, open)| (id.clone(), open.reservation)).collect();
        for (id, reservation) in open {
            if self.end(&id, Reservation::resume(reservation)).is_none() {
                self.log.push(format!("{id} has not ended: a store did not answer"));
            }
        }
    }
}
