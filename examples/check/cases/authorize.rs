//! `authorize`: one request at the front door.

use super::fields::Fields;
use super::{Answer, NoCase};
use alloc::string::ToString as _;
use alloc::vec::Vec;
use parley_grants::{
    Answer as Told, BlockId, Commit, Committed, Decision, Offered, Origin, Possession, Presentable,
    Presented, PublicKey, RecordedKey, Request, Verifier,
};

/// The request of a case, with its own copy of what the crate borrows.
pub enum Asked<'c> {
    Ask(&'c str),
    Intent(&'c str),
    AutoIntent(&'c str, &'c str),
    Auto { capability: &'c str, frame: &'c str, proposal: Vec<u8>, principal: RecordedKey },
    Commit { proposal: Vec<u8>, hash: &'c str, origin: Origin },
    Replay { proposal: Vec<u8>, hash: &'c str, of: Committed },
    Undo { receipt: &'c str, of: Committed },
    Expand { handle: &'c str, owner: RecordedKey },
}

impl<'c> Asked<'c> {
    pub fn read(request: &Fields<'c>) -> Result<Self, NoCase> {
        let verb = request.text("verb")?;
        Ok(match verb {
            "ASK" => Self::Ask(request.text("capability")?),
            "INTENT" if request.get("auto").is_none() => Self::Intent(request.text("capability")?),
            "INTENT" => {
                let (capability, frame) = (request.text("capability")?, request.text("auto")?);
                match request.maybe_json("proposal")? {
                    None => Self::AutoIntent(capability, frame),
                    Some(proposal) => {
                        Self::Auto { capability, frame, proposal, principal: request.recorded("principal")? }
                    }
                }
            }
            "COMMIT" => {
                let (proposal, hash) = (request.json("proposal")?, request.text("hash")?);
                let origin = request.object("origin")?;
                let (holder, principal) = (origin.recorded("holder")?, origin.recorded("principal")?);
                if request.maybe_bool("replay")? {
                    Self::Replay { proposal, hash, of: Committed::recorded(holder, principal, "") }
                } else {
                    Self::Commit { proposal, hash, origin: Origin::recorded(holder, principal) }
                }
            }
            "UNDO" => {
                let (receipt, capability) = (request.text("receipt")?, request.text("capability")?);
                let principal = RecordedKey::from_text(Some(request.text("principal")?));
                Self::Undo { receipt, of: Committed::recorded(RecordedKey::Absent, principal, capability) }
            }
            "EXPAND" => Self::Expand { handle: request.text("handle")?, owner: request.recorded("owner")? },
            verb => return Err(NoCase(alloc::format!("no request with the verb {verb}"))),
        })
    }

    /// The crate's decision.
    pub fn decide(
        &self,
        verifier: &Verifier<Vec<PublicKey>>,
        presented: &Presented<'_>,
        spent: &impl Fn(&BlockId) -> u64,
    ) -> Decision {
        let request = match self {
            Self::Ask(capability) => Request::Ask { capability },
            Self::Intent(capability) => Request::Intent { capability },
            Self::AutoIntent(capability, frame) => Request::AutoIntent { capability, frame },
            Self::Replay { proposal, hash, of } => {
                Request::Replay { proposal: Offered::Text(proposal), hash, of }
            }
            Self::Undo { receipt, of } => Request::Undo { receipt, of },
            Self::Expand { handle, owner } => Request::Expand { handle, owner: *owner },
            Self::Commit { proposal, hash, origin } => {
                let commit = Commit::Sent { proposal: Offered::Text(proposal), hash, origin };
                return verifier.commit(&commit, presented, spent);
            }
            Self::Auto { capability, frame, proposal, principal } => {
                let proposal = Offered::Text(proposal);
                let commit = Commit::Auto { proposal, capability, frame, principal: *principal };
                return verifier.commit(&commit, presented, spent);
            }
        };
        verifier.authorize(&request, presented)
    }
}

/// What decides about a case.
pub fn decide(fields: &Fields<'_>) -> Result<Decision, NoCase> {
    let verifier = Verifier::new(fields.text("service")?, fields.trusted()?);
    let grants = fields.texts("grants")?.into_iter().map(Presentable::Token).collect::<Vec<_>>();
    let proof = fields.maybe_json("proof")?;
    let proof = proof.as_deref().map_or(Possession::None, Possession::Proof);
    let presented = Presented { grants: &grants, proof, now: fields.int("now")? };
    let spent = fields.spent()?;
    Ok(Asked::read(&fields.object("request")?)?.decide(&verifier, &presented, &spent))
}

pub fn answer(fields: &Fields<'_>) -> Result<Answer, NoCase> {
    Ok(told(&decide(fields)?))
}

fn told(decision: &Decision) -> Answer {
    let key = |key: Option<&PublicKey>| key.map(|key| serde_json::Value::from(key.to_string()).to_string());
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
                Told::Unauthorized | Told::Forbidden | Told::Conflict | Told::Expired | Told::Review => {
                    answer
                }
            }
        }
    }
}
