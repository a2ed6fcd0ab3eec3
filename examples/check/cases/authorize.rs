//! `authorize`: one request at the front door.

use super::fields::Fields;
use super::json::{Json, quote};
use super::{Answer, NoCase};
use alloc::string::ToString as _;
use alloc::vec::Vec;
use core::convert::Infallible;
use parley_grants::{
    Answer as Told, BlockId, Close, Closed, Commit, Committed, Decision, Demand, Ledger, Offered, Origin,
    Owner, Possession, Presentable, Presented, Proposal, PublicKey, RecordedKey, Request, ReservationId,
    Reserve, SpendLine, Step, Verifier,
};

/// The request of a case, with its own copy of what the crate borrows.
pub enum Asked<'c> {
    Ask(&'c str),
    Intent(&'c str),
    AutoIntent(&'c str, &'c str),
    Auto { capability: &'c str, frame: &'c str, proposal: Vec<u8>, origin: Origin },
    Commit { proposal: Vec<u8>, hash: &'c str, origin: Origin },
    Replay { hash: &'c str, of: Committed },
    Undo { receipt: &'c str, of: Committed },
    Expand { handle: &'c str, owner: Owner },
}

fn origin(holder: Option<RecordedKey>, principal: Option<RecordedKey>) -> Origin {
    match (holder, principal) {
        (None, _) => Origin::anonymous(),
        (Some(holder), None) => Origin::without_grant(holder),
        (Some(holder), Some(principal)) => Origin::with_grant(holder, principal),
    }
}

/// The key that a proof says it is of. The auto question is the same request as the INTENT that it is about.
fn claimed(proof: Option<&[u8]>) -> RecordedKey {
    let text = proof.and_then(|proof| core::str::from_utf8(proof).ok()).unwrap_or_default();
    let key = Json::read(text).ok().and_then(|proof| Some(RecordedKey::read(proof.get("key")?.text()?)));
    key.unwrap_or(RecordedKey::Unreadable)
}

impl<'c> Asked<'c> {
    pub fn read(request: &Fields<'c>, proof: Option<&[u8]>) -> Result<Self, NoCase> {
        let verb = request.text("verb")?;
        Ok(match verb {
            "ASK" => Self::Ask(request.text("capability")?),
            "INTENT" if request.get("auto").is_none() => Self::Intent(request.text("capability")?),
            "INTENT" => {
                let (capability, frame) = (request.text("capability")?, request.text("auto")?);
                match request.maybe_json("proposal")? {
                    None => Self::AutoIntent(capability, frame),
                    Some(proposal) => {
                        let origin = origin(Some(claimed(proof)), request.recorded("principal")?);
                        Self::Auto { capability, frame, proposal, origin }
                    }
                }
            }
            "COMMIT" => {
                let (proposal, hash) = (request.json("proposal")?, request.text("hash")?);
                let recorded = request.object("origin")?;
                let (holder, principal) = (recorded.recorded("holder")?, recorded.recorded("principal")?);
                let is_replay = request.maybe_bool("replay")?;
                match Proposal::parse(&proposal) {
                    Ok(first) if is_replay => {
                        // Null is no key, and so is what is none.
                        let holder = holder.unwrap_or(RecordedKey::Unreadable);
                        let (capability, first) = (first.terms().capability(), first.terms().hash());
                        let of = match principal {
                            Some(principal) => Committed::recorded(holder, principal, capability, first),
                            None => Committed::without_principal(holder, capability, first),
                        };
                        Self::Replay { hash, of }
                    }
                    // A proposal that is not well-formed was never committed: the first steps are those of a first COMMIT.
                    _ => Self::Commit { proposal, hash, origin: origin(holder, principal) },
                }
            }
            "UNDO" => {
                let (receipt, capability) = (request.text("receipt")?, request.text("capability")?);
                let principal = RecordedKey::read(request.text("principal")?);
                Self::Undo {
                    receipt,
                    of: Committed::recorded(RecordedKey::Unreadable, principal, capability, ""),
                }
            }
            "EXPAND" => {
                let owner = request.recorded("owner")?.map_or(Owner::Anyone, Owner::Key);
                Self::Expand { handle: request.text("handle")?, owner }
            }
            verb => return Err(NoCase(alloc::format!("no request with the verb {verb}"))),
        })
    }

    /// The crate's decision, with a ledger that a first COMMIT is reserved in.
    pub fn decide<L: Ledger<Error = Infallible>>(
        &self,
        verifier: &Verifier<Vec<PublicKey>>,
        presented: &Presented<'_>,
        id: ReservationId,
        ledger: &mut L,
    ) -> Decision {
        let request = match self {
            Self::Ask(capability) => Request::Ask { capability },
            Self::Intent(capability) => Request::Intent { capability },
            Self::AutoIntent(capability, frame) => Request::AutoIntent { capability, frame },
            Self::Replay { hash, of } => Request::Replay { hash, of },
            Self::Undo { receipt, of } => Request::Undo { receipt, of },
            Self::Expand { handle, owner } => Request::Expand { handle, owner: *owner },
            Self::Commit { proposal, hash, origin } => {
                let commit = Commit::Sent { proposal: Offered::Text(proposal), hash, origin };
                return driven(verifier.commit(&commit, presented, id), ledger);
            }
            Self::Auto { capability, frame, proposal, origin } => {
                let commit = Commit::Auto { proposal: Offered::Text(proposal), capability, frame, origin };
                return driven(verifier.commit(&commit, presented, id), ledger);
            }
        };
        verifier.authorize(&request, presented)
    }
}

/// The reservation stays in the ledger under its id, which is all that a later step needs.
fn driven<L: Ledger<Error = Infallible>>(step: Step<'_, Vec<PublicKey>>, ledger: &mut L) -> Decision {
    let Ok(decided) = step.drive(ledger);
    match decided {
        Ok((allowed, _reservation)) => Decision::Allowed(allowed),
        Err(refusal) => Decision::Refused(refusal),
    }
}

/// Totals that a case gives, and nothing more is counted.
struct Given<S> {
    spent: S,
}

impl<S: Fn(&BlockId) -> u64> Ledger for Given<S> {
    type Error = Infallible;

    fn reserve(&mut self, demand: &Demand<'_>) -> Result<Reserve, Infallible> {
        let fits = |line: &SpendLine| {
            (self.spent)(&line.block).checked_add(demand.amount).is_some_and(|total| total <= line.max)
        };
        Ok(if demand.lines.iter().all(fits) { Reserve::Reserved } else { Reserve::Exceeded })
    }

    fn close(&mut self, _: &ReservationId, _: Close) -> Result<Closed, Infallible> {
        Ok(Closed::NotHeld)
    }
}

/// What decides about a case, or about a step of a flow.
pub fn decide<L: Ledger<Error = Infallible>>(
    verifier: &Verifier<Vec<PublicKey>>,
    fields: &Fields<'_>,
    id: ReservationId,
    ledger: &mut L,
) -> Result<Decision, NoCase> {
    let grants = fields.texts("grants")?.into_iter().map(Presentable::Token).collect::<Vec<_>>();
    let proof = fields.maybe_json("proof")?;
    let asked = Asked::read(&fields.object("request")?, proof.as_deref())?;
    let proof = proof.as_deref().map_or(Possession::None, Possession::Proof);
    let presented = Presented { grants: &grants, proof, now: fields.int("now")? };
    Ok(asked.decide(verifier, &presented, id, ledger))
}

/// The decision about a case of its own.
pub fn decide_alone(fields: &Fields<'_>) -> Result<Decision, NoCase> {
    let verifier = verifier(fields)?;
    decide(&verifier, fields, ReservationId::of(""), &mut Given { spent: fields.spent()? })
}

pub fn verifier(fields: &Fields<'_>) -> Result<Verifier<Vec<PublicKey>>, NoCase> {
    Ok(Verifier::new(fields.text("service")?, fields.trusted()?))
}

pub fn answer(fields: &Fields<'_>) -> Result<Answer, NoCase> {
    Ok(told(&decide_alone(fields)?))
}

pub fn told(decision: &Decision) -> Answer {
    let key = |key: Option<&PublicKey>| key.map(|key| quote(&key.to_string()));
    match decision {
        Decision::Allowed(allowed) => {
            let mut answer = Answer::new().text_member("decision", "allowed");
            if let Some(issuer) = key(allowed.issuer()) {
                answer = answer.raw("iss", &issuer);
            }
            answer = answer.raw("holder", key(allowed.holder()).as_deref().unwrap_or("null"));
            match allowed.grant_index() {
                Some(index) => answer.raw("grant", &index.to_string()),
                None => answer,
            }
        }
        Decision::Refused(refusal) => {
            let answer = Answer::new().text_member("decision", refusal.answer().code());
            match refusal.answer() {
                Told::ConsentRequired(consent) => {
                    let consent = Answer::new()
                        .text_member("proposal", consent.proposal())
                        .text_member("hash", consent.hash())
                        .text_member("service", consent.service())
                        .text_member("capability", consent.capability())
                        .text_member("principal", &consent.principal().to_string())
                        .text_member("summary", consent.summary())
                        .raw("expires", &consent.expires().to_string());
                    answer.raw("consent", consent.text())
                }
                Told::Unauthorized
                | Told::Forbidden
                | Told::Conflict
                | Told::Expired
                | Told::Review
                | Told::Unavailable => answer,
            }
        }
    }
}
