//! A decision in words: block by block and caveat by caveat.

use super::authorize::{self, Asked};
use super::fields::Fields;
#[cfg(feature = "routes")]
use super::routes;
use super::{NoCase, flow, grants};
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use alloc::{format, vec};
use parley_grants::{
    Action, BlockId, Decision, Evaluation, Grant, Limits, Proposal, ProvenKey, Severity, Terms, Verb,
    VerifiedGrant, canonicalize, proposal_hash,
};

pub fn lines(fields: &Fields<'_>) -> Result<Vec<String>, NoCase> {
    Ok(match fields.text("op")? {
        "canonical" => {
            vec![in_words(canonicalize(&fields.json("json")?).map(|_| "JSON that has a canonical form"))]
        }
        "hash" => {
            vec![in_words(proposal_hash(&fields.json("proposal")?).map(|_| "an object that can be hashed"))]
        }
        "proof" => vec![proof(fields)?],
        "grant" => grant(fields)?,
        "authorize" => authorize(fields)?,
        "flow" => {
            let asked = fields.objects("steps")?.into_iter().map(|step| step.text("do"));
            let told = asked.zip(flow::answers(fields)?).enumerate();
            told.map(|(index, (asked, answer))| Ok(format!("step {index}, {}: {answer}", asked?)))
                .collect::<Result<_, _>>()?
        }
        #[cfg(feature = "routes")]
        "redeem" => vec![routes::explain(fields)?],
        #[cfg(feature = "routes")]
        "deliver" | "posture" => vec!["decided by the fields alone: see the answer".into()],
        _ => vec!["made, or refused as nothing that a verifier would accept".into()],
    })
}

fn proof(fields: &Fields<'_>) -> Result<String, NoCase> {
    let Some(verb) = Verb::read(fields.text("verb")?) else { return Ok("no such verb".into()) };
    let (proof, aud, target) = (fields.json("proof")?, fields.text("aud")?, fields.text("target")?);
    let proven = ProvenKey::from_unbound_proof(&proof, aud, verb, target, fields.int("now")?);
    Ok(proven.map_or_else(|error| error.to_string(), |proven| format!("proven: {}", proven.key())))
}

fn in_words(result: Result<&str, parley_grants::Error>) -> String {
    result.map_or_else(|error| error.to_string(), ToString::to_string)
}

fn grant(fields: &Fields<'_>) -> Result<Vec<String>, NoCase> {
    Ok(match grants::verified(fields)? {
        Err(why) => vec![format!("unauthorized: {why}")],
        Ok((grant, key)) => match grants::evaluated(fields, &grant, &key)? {
            None => vec!["forbidden: the request itself is not well-formed".into()],
            Some((evaluation, _)) => {
                let mut lines = caveats(&grant, &evaluation);
                if evaluation.is_reserved() {
                    lines.push("forbidden: the capability is reserved".into());
                }
                lines
            }
        },
    })
}

fn caveats(grant: &VerifiedGrant, evaluation: &Evaluation) -> Vec<String> {
    let mut lines = Vec::new();
    for (index, block) in grant.grant().blocks().enumerate() {
        lines.push(format!("block {index} {} for {}", block.id(), block.subject()));
        for (at, caveat) in block.caveats().iter().enumerate() {
            let failure =
                evaluation.failures().iter().find(|failure| (failure.block, failure.caveat) == (index, at));
            let verdict = match failure.map(|failure| (failure.reason.severity(), failure.reason.code())) {
                None => "passed".to_string(),
                Some((Severity::Hard, code)) => format!("FAILED, hard ({code})"),
                Some((Severity::Soft, code)) => format!("FAILED, soft ({code})"),
            };
            let caveat = caveat.to_string().replace('\n', "\n  ");
            lines.extend(format!("  caveat {at}, {verdict}: {caveat}").lines().map(ToString::to_string));
        }
    }
    lines
}

fn authorize(fields: &Fields<'_>) -> Result<Vec<String>, NoCase> {
    let mut lines = Vec::new();
    match authorize::decide_alone(fields)? {
        Decision::Allowed(allowed) => match allowed.grant_index() {
            Some(index) => lines.push(format!("allowed by grant {index}")),
            None => lines.push("allowed without a grant".into()),
        },
        Decision::Refused(refusal) => {
            lines.extend(refusal.log().to_string().lines().map(ToString::to_string))
        }
    }
    let asked = Asked::read(&fields.object("request")?, fields.maybe_json("proof")?.as_deref())?;
    let (service, now, spent) = (fields.text("service")?, fields.int("now")?, fields.spent()?);
    let terms = terms(&asked);
    let action = match (&asked, &terms) {
        (Asked::Ask(capability), _) => Action::Ask(capability),
        (Asked::Intent(capability) | Asked::AutoIntent(capability, _), _) => Action::Intent(capability),
        (Asked::Undo { of, .. }, _) => Action::Undo(of.capability()),
        (Asked::Commit { .. } | Asked::Auto { .. }, Some(terms)) => Action::Commit(terms),
        (Asked::Replay { of, .. }, _) => Action::Replay { capability: of.capability(), hash: of.hash() },
        (Asked::Expand { .. }, _) | (_, None) => return Ok(lines),
    };
    for (index, token) in fields.texts("grants")?.into_iter().enumerate() {
        lines.extend(one(index, token, &fields.trusted()?, service, &action, now, &spent));
    }
    Ok(lines)
}

fn terms(asked: &Asked<'_>) -> Option<Terms> {
    match asked {
        Asked::Commit { proposal, .. } | Asked::Auto { proposal, .. } => {
            Proposal::parse(proposal).ok().map(|proposal| proposal.terms().clone())
        }
        Asked::Ask(_)
        | Asked::Intent(_)
        | Asked::AutoIntent(..)
        | Asked::Replay { .. }
        | Asked::Undo { .. }
        | Asked::Expand { .. } => None,
    }
}

fn one(
    index: usize,
    token: &str,
    trusted: &[parley_grants::PublicKey],
    service: &str,
    action: &Action<'_>,
    now: i64,
    spent: &impl Fn(&BlockId) -> u64,
) -> Vec<String> {
    let grant = match Grant::decode(token, &Limits::default()).and_then(|grant| grant.verify(trusted)) {
        Ok(grant) => grant,
        Err(error) => return vec![format!("grant {index}: {error}")],
    };
    // What its caveats say to its holder, whoever that is.
    let holder = ProvenKey::assume_proven(*grant.holder());
    let mut lines = vec![format!("grant {index}: of {} for {}", grant.issuer(), grant.holder())];
    if let Some(evaluation) = grant.evaluate_unbound(&holder, service, action, now, spent) {
        lines.extend(caveats(&grant, &evaluation).into_iter().map(|line| format!("  {line}")));
    }
    lines
}
