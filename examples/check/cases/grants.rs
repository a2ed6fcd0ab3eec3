//! `grant`: one grant, for a key that is taken as proven.

use super::fields::Fields;
use super::json::{Json, Kind, quote};
use super::{Answer, NoCase};
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use parley_grants::{
    Action, Amount, Evaluation, Grant, Limits, Outcome, ProvenKey, PublicKey, Risk, Terms, Verb,
    VerifiedGrant, VouchedTerms,
};

/// What the token itself says: verified for the proven key, or not.
pub fn verified(fields: &Fields<'_>) -> Result<Result<(VerifiedGrant, ProvenKey), String>, NoCase> {
    let (token, key) = (fields.text("token")?, fields.text("proofKey")?);
    let trusted = fields.trusted()?;
    let grant = Grant::decode(token, &Limits::default()).and_then(|grant| grant.verify(&trusted));
    Ok(match (grant, key.parse::<PublicKey>()) {
        (Ok(grant), Ok(key)) if *grant.holder() == key => Ok((grant, ProvenKey::assume_proven(key))),
        (Ok(_), _) => Err("the holder is not the key that was proven".to_string()),
        (Err(error), _) => Err(error.to_string()),
    })
}

/// The terms of `ctx.proposal`; `None` when they are not well-formed.
fn terms(proposal: &Fields<'_>, capability: &str) -> Result<Option<Terms>, NoCase> {
    let hash = proposal.text("hash")?;
    let Some(cost) = proposal.get("cost") else { return Ok(None) };
    let cost = match cost.kind {
        Kind::Null => None,
        _ => match amount(cost) {
            Some(cost) => Some(cost),
            None => return Ok(None),
        },
    };
    let Some(risk) = proposal.get("risk").and_then(Json::text).and_then(Risk::read) else { return Ok(None) };
    let terms = VouchedTerms {
        id: String::new(),
        hash: hash.to_string(),
        capability: capability.to_string(),
        summary: String::new(),
        cost,
        risk,
        undo: None,
        expires: 0,
    };
    Ok(Terms::vouch_for(terms).ok())
}

fn amount(cost: &Json<'_>) -> Option<Amount> {
    let Kind::Object(members) = &cost.kind else { return None };
    if members.len() != 2 {
        return None;
    }
    Amount::new(u64::try_from(cost.get("amount")?.int()?).ok()?, cost.get("currency")?.text()?)
}

/// What the caveats say; `None` when the request itself is forbidden.
pub fn evaluated(
    fields: &Fields<'_>,
    grant: &VerifiedGrant,
    key: &ProvenKey,
) -> Result<Option<(Evaluation, Option<Terms>)>, NoCase> {
    let ctx = fields.object("ctx")?;
    let (service, verb, capability) = (ctx.text("service")?, ctx.text("verb")?, ctx.text("capability")?);
    let (now, spent) = (ctx.int("now")?, ctx.spent()?);
    let terms = match ctx.maybe_object("proposal")? {
        None => None,
        Some(proposal) => match terms(&proposal, capability)? {
            Some(terms) => Some(terms),
            None => return Ok(None),
        },
    };
    let action = match (Verb::read(verb), &terms) {
        (Some(Verb::Hello), _) => Action::Hello(capability),
        (Some(Verb::Ask), _) => Action::Ask(capability),
        (Some(Verb::Intent), _) => Action::Intent(capability),
        (Some(Verb::Undo), _) => Action::Undo(capability),
        (Some(Verb::Expand), _) => Action::Expand(capability),
        (Some(Verb::Commit), Some(terms)) => Action::Commit(terms),
        (Some(Verb::Commit), None) | (None, _) => return Ok(None),
    };
    let evaluation = grant.evaluate_unbound(key, service, &action, now, &spent);
    let counted = if action.verb() == Verb::Commit { terms.clone() } else { None };
    Ok(evaluation.map(|evaluation| (evaluation, counted)))
}

pub fn answer(fields: &Fields<'_>) -> Result<Answer, NoCase> {
    // Read for its types even where the token decides.
    let ctx = fields.object("ctx")?;
    ["service", "verb", "capability"].into_iter().try_for_each(|name| ctx.text(name).map(drop))?;
    ctx.int("now")?;
    let _typed = ctx.spent()?;
    if let Some(proposal) = ctx.maybe_object("proposal")? {
        proposal.text("hash")?;
    }
    let Ok((grant, key)) = verified(fields)? else { return Ok(Answer::refused("unauthorized")) };
    let Some((evaluation, terms)) = evaluated(fields, &grant, &key)? else {
        return Ok(Answer::refused("forbidden"));
    };
    Ok(match evaluation.outcome() {
        Outcome::Forbidden => Answer::refused("forbidden"),
        Outcome::ConsentRequired => Answer::refused("consent_required"),
        Outcome::Allowed => {
            let lines = terms.iter().flat_map(|terms| grant.spend_lines(terms));
            let spend = lines.map(|line| quote(&line.block.to_string())).collect::<Vec<_>>().join(",");
            Answer::ok(true)
                .text_member("id", &grant.id().to_string())
                .text_member("iss", &grant.issuer().to_string())
                .text_member("holder", &grant.holder().to_string())
                .raw("spend", &alloc::format!("[{spend}]"))
        }
    })
}
