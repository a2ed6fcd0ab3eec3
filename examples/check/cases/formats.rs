//! `canonical`, `hash`, `proof`.

use super::fields::Fields;
use super::{Answer, NoCase};
use parley_grants::{ProvenKey, Verb, canonicalize, proposal_hash};

pub fn canonical(fields: &Fields<'_>) -> Result<Answer, NoCase> {
    Ok(match canonicalize(&fields.json("json")?) {
        Ok(text) => Answer::ok(true).text_member("canonical", &text),
        Err(_) => Answer::ok(false),
    })
}

pub fn hash(fields: &Fields<'_>) -> Result<Answer, NoCase> {
    Ok(match proposal_hash(&fields.json("proposal")?) {
        Ok(hash) => Answer::ok(true).text_member("hash", &hash),
        Err(_) => Answer::ok(false),
    })
}

pub fn proof(fields: &Fields<'_>) -> Result<Answer, NoCase> {
    let (proof, aud, verb) = (fields.json("proof")?, fields.text("aud")?, fields.text("verb")?);
    let (target, now) = (fields.text("target")?, fields.int("now")?);
    let proven = Verb::read(verb).map(|verb| ProvenKey::from_unbound_proof(&proof, aud, verb, target, now));
    Ok(match proven {
        Some(Ok(_)) => Answer::ok(true),
        Some(Err(_)) | None => Answer::refused("unauthorized"),
    })
}
