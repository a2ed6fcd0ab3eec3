//! `flow`: requests, reservations and claims, one after the other against one ledger and one claim store.

use super::fields::Fields;
use super::{Answer, NoCase, authorize};
use alloc::string::String;
use alloc::vec::Vec;
use core::convert::Infallible;
use parley_grants::{
    BlockId, Claim, Claimed, Claims as _, Close, Closed, End, Ledger as _, LedgerBounds, MemoryClaims,
    MemoryLedger, PublicKey, ReservationId, Ticket, Verifier,
};

/// What a flow starts with, empty and never full.
struct World {
    verifier: Verifier<Vec<PublicKey>>,
    ledger: MemoryLedger,
    claims: MemoryClaims,
    /// The ticket of each step that claimed first.
    tickets: Vec<Option<Ticket>>,
}

pub fn answer(fields: &Fields<'_>) -> Result<Answer, NoCase> {
    Ok(Answer::new().raw("steps", &alloc::format!("[{}]", answers(fields)?.join(","))))
}

/// The answer to each step.
pub fn answers(fields: &Fields<'_>) -> Result<Vec<String>, NoCase> {
    let most = usize::MAX;
    let bounds = LedgerBounds { grants: most, blocks_per_grant: most, held_per_grant: most, ended: most };
    let mut world = World {
        verifier: authorize::verifier(fields)?,
        ledger: MemoryLedger::with_bounds(bounds),
        claims: MemoryClaims::with_room(most),
        tickets: Vec::new(),
    };
    let mut answers = Vec::new();
    for step in fields.objects("steps")? {
        let mut ticket = None;
        answers.push(String::from(world.step(&step, &mut ticket)?.text()));
        world.tickets.push(ticket);
    }
    Ok(answers)
}

impl World {
    fn step(&mut self, step: &Fields<'_>, ticket: &mut Option<Ticket>) -> Result<Answer, NoCase> {
        match step.text("do")? {
            "authorize" => {
                let id = ReservationId::of(step.text("id")?);
                Ok(authorize::told(&authorize::decide(&self.verifier, step, id, &mut self.ledger)?))
            }
            "settle" => self.close(step, Close::Settle),
            "release" => self.close(step, Close::Release),
            "spent" => {
                // A text that is no id names no block, and nothing is counted under it.
                let block: Option<BlockId> = step.text("block")?.parse().ok();
                let spent = block.map_or(0, |block| self.ledger.total(&block));
                Ok(Answer::new().raw("spent", &alloc::format!("{spent}")))
            }
            "claim" => {
                let now = step.int("now")?;
                let Ok(claimed) = self.claims.claim(&claim(&step.object("of")?, now)?, now);
                let said = match claimed {
                    Claimed::First(first) => {
                        *ticket = Some(first);
                        "first"
                    }
                    Claimed::InProgress => "in_progress",
                    Claimed::Done => "done",
                    Claimed::Full => "full",
                };
                Ok(Answer::new().text_member("claim", said))
            }
            "finish" => self.end(step, End::Finish),
            "abandon" => self.end(step, End::Abandon),
            other => Err(NoCase(alloc::format!("no step {other}"))),
        }
    }

    fn close(&mut self, step: &Fields<'_>, how: Close) -> Result<Answer, NoCase> {
        let Ok::<_, Infallible>(closed) = self.ledger.close(&ReservationId::of(step.text("id")?), how);
        Ok(Answer::ok(closed == Closed::Done))
    }

    fn end(&mut self, step: &Fields<'_>, how: End) -> Result<Answer, NoCase> {
        let index = usize::try_from(step.int("step")?).ok();
        let ticket = index.and_then(|index| self.tickets.get(index)).and_then(Option::as_ref);
        let ended = ticket.is_some_and(|ticket| self.claims.end(ticket, how) == Ok(true));
        Ok(Answer::ok(ended))
    }
}

fn claim(of: &Fields<'_>, now: i64) -> Result<Claim, NoCase> {
    if of.get("auto").is_some() {
        let (key, frame, time) = (of.text("auto")?, of.text("frame")?, of.int("ts")?);
        return Ok(match key.parse() {
            Ok(key) => Claim::for_auto(&key, frame, now, time),
            // A text that is no key is nobody's; it is remembered like one all the same.
            Err(_) => {
                let until = now.max(time).saturating_add(900);
                Claim::for_other("auto", &alloc::format!("{}:{key}{frame}", key.len()), until)
            }
        });
    }
    if of.get("consent").is_some() {
        let (key, hash, exp) = (of.text("consent")?, of.text("hash")?, of.int("exp")?);
        return Ok(match key.parse() {
            Ok(key) => Claim::for_consent(&key, hash, exp),
            Err(_) => Claim::for_other("consent", &alloc::format!("{}:{key}{hash}", key.len()), exp),
        });
    }
    Ok(Claim::for_commit(of.text("commit")?, of.int("until")?))
}
