//! A process that commits as the crate's docs say, over stores that outlive it, and that can crash between any two steps.

use super::{AGENT, HUMAN, SERVICE, grant, key, proposal};
use crate::generate::T;
use crate::hand;
use parley_grants::{
    Claim, Claimed, Claims as _, Commit, End, MemoryClaims, MemoryLedger, Offered, Origin, Possession,
    Presentable, Presented, RecordedKey, Reservation, ReservationId, Step, Ticket, Verifier,
};
use std::collections::BTreeMap;

/// What a crash leaves: the stores, what was executed, and the ticket parts of what was begun, which are written with the claim.
pub struct Storage {
    pub ledger: MemoryLedger,
    pub claims: MemoryClaims,
    /// How often each proposal was executed, known from the very system that executes.
    pub executed: BTreeMap<usize, u32>,
    /// What has not ended, by proposal.
    pub open: BTreeMap<usize, ([u8; 32], u64)>,
}

/// The process has ended.
#[derive(Debug)]
pub struct Crash;

/// A process: it crashes once it has taken so many steps.
pub struct Process<'s> {
    pub storage: &'s mut Storage,
    pub steps: Option<u32>,
}

#[derive(Debug, PartialEq)]
pub enum Told {
    Executed,
    Failed,
    Refused(&'static str),
    InProgress,
    Done,
}

/// The name of a reservation follows from the ticket, so a restart finds it.
pub fn reservation_id((name, turn): ([u8; 32], u64)) -> ReservationId {
    ReservationId::of(&format!("{} {turn}", hand::b64(&name)))
}

impl Process<'_> {
    /// Between two steps.
    fn step(&mut self) -> Result<(), Crash> {
        match &mut self.steps {
            Some(0) => Err(Crash),
            Some(left) => {
                *left -= 1;
                Ok(())
            }
            None => Ok(()),
        }
    }

    pub fn commit(&mut self, index: usize, fails: bool) -> Result<Told, Crash> {
        let (text, hash) = (proposal(index).plain(), hand::proposal_hash(&proposal(index)));
        self.step()?;
        let ticket = match self.storage.claims.claim(&Claim::for_commit(&hash, T + 600), T) {
            Ok(Claimed::First(ticket)) => ticket,
            Ok(Claimed::InProgress) => return Ok(Told::InProgress),
            Ok(Claimed::Done) => return Ok(Told::Done),
            Ok(Claimed::Full) => panic!("there is room"),
        };
        let parts = (*ticket.key(), ticket.turn());
        self.storage.open.insert(index, parts);
        self.step()?;
        let token = hand::token(&grant());
        let proof = hand::proof(AGENT, SERVICE, "COMMIT", &hash, T).plain();
        let presented = Presented {
            grants: &[Presentable::Token(&token)],
            proof: Possession::Proof(proof.as_bytes()),
            now: T,
        };
        let origin = Origin::with_grant(RecordedKey::Key(key(AGENT)), RecordedKey::Key(key(HUMAN)));
        let commit = Commit::Sent { proposal: Offered::Text(text.as_bytes()), hash: &hash, origin: &origin };
        let service = Verifier::new(SERVICE, vec![key(HUMAN)]);
        let id = reservation_id(parts);
        let step = service.commit(&commit, &presented, id);
        assert!(matches!(step, Step::Reserve(_)));
        let Ok(answer) = step.drive(&mut self.storage.ledger);
        self.step()?;
        let (_, reservation) = match answer {
            Ok(allowed) => allowed,
            Err(refusal) => {
                self.end(index, Reservation::resume(id))?;
                return Ok(Told::Refused(refusal.answer().code()));
            }
        };
        if !fails {
            *self.storage.executed.entry(index).or_default() += 1;
            self.step()?;
        }
        self.end(index, reservation)?;
        Ok(if fails { Told::Failed } else { Told::Executed })
    }

    /// Settles and finishes what was executed; releases and abandons what was not.
    fn end(&mut self, index: usize, reservation: Reservation) -> Result<(), Crash> {
        let is_executed = self.storage.executed.contains_key(&index);
        let ledger = &mut self.storage.ledger;
        let closed = if is_executed { reservation.settle(ledger) } else { reservation.release(ledger) };
        assert!(closed.is_ok());
        self.step()?;
        let Some((name, turn)) = self.storage.open.get(&index).copied() else { return Ok(()) };
        let how = if is_executed { End::Finish } else { End::Abandon };
        let Ok(_) = self.storage.claims.end(&Ticket::from_parts(name, turn), how);
        self.step()?;
        self.storage.open.remove(&index);
        Ok(())
    }

    /// Ends all that was begun, from what is stored alone.
    pub fn restart(&mut self) -> Result<(), Crash> {
        for (index, parts) in self.storage.open.clone() {
            self.step()?;
            self.end(index, Reservation::resume(reservation_id(parts)))?;
        }
        Ok(())
    }
}
