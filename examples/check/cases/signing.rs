//! `key`, `issue`, `delegate`, `consent`, `sign_proof`.

use super::fields::Fields;
use super::json::Json;
use super::{Answer, NoCase};
use alloc::string::{String, ToString as _};
use parley_grants::issue::{self, Seed};
use parley_grants::{Caveat, Grant, Limits, Proposal, PublicKey, Verb};

fn token(token: Option<String>) -> Answer {
    match token {
        Some(token) => Answer::ok(true).text_member("token", &token),
        None => Answer::ok(false),
    }
}

fn seed(fields: &Fields<'_>) -> Result<Option<Seed>, NoCase> {
    Ok(Seed::from_text(fields.text("seed")?).ok())
}

pub fn key(fields: &Fields<'_>) -> Result<Answer, NoCase> {
    Ok(match seed(fields)? {
        Some(seed) => Answer::ok(true).text_member("public", &seed.public_key().to_string()),
        None => Answer::ok(false),
    })
}

/// What `issue` and `delegate` share; `None` where a value is nothing that could be signed.
struct Block {
    seed: Option<Seed>,
    subject: Option<PublicKey>,
    caveats: Option<alloc::vec::Vec<Caveat>>,
    issued_at: Option<i64>,
}

impl Block {
    fn read(fields: &Fields<'_>) -> Result<Self, NoCase> {
        Ok(Self {
            seed: seed(fields)?,
            subject: fields.text("sub")?.parse().ok(),
            caveats: fields.caveats()?,
            issued_at: fields.number("iat")?,
        })
    }
}

pub fn issue(fields: &Fields<'_>) -> Result<Answer, NoCase> {
    let (block, nonce) = (Block::read(fields)?, fields.text("nonce")?);
    let make = || {
        let (seed, subject) = (block.seed?, block.subject?);
        let draft =
            issue::prepare_root(seed.public_key(), &subject, &block.caveats?, block.issued_at?, nonce);
        draft.ok()?.sign(&seed).ok()
    };
    Ok(token(make()))
}

pub fn delegate(fields: &Fields<'_>) -> Result<Answer, NoCase> {
    let (block, text) = (Block::read(fields)?, fields.text("token")?);
    let make = || {
        let grant = Grant::decode(text, &Limits::default()).ok()?.verify(&|_: &PublicKey| true).ok()?;
        let draft = issue::prepare_delegation(&grant, &block.subject?, &block.caveats?, block.issued_at?);
        draft.ok()?.sign(&block.seed?).ok()
    };
    Ok(token(make()))
}

pub fn consent(fields: &Fields<'_>) -> Result<Answer, NoCase> {
    let (seed, agent, proposal) = (seed(fields)?, fields.text("agent")?, fields.json("proposal")?);
    let (service, issued_at, nonce) = (fields.text("service")?, fields.number("iat")?, fields.text("nonce")?);
    let make = || {
        let (seed, agent) = (seed?, agent.parse::<PublicKey>().ok()?);
        let proposal = Proposal::parse(&proposal).ok()?;
        let draft = issue::prepare_consent(seed.public_key(), &agent, &proposal, service, issued_at?, nonce);
        draft.ok()?.sign(&seed).ok()
    };
    Ok(token(make()))
}

pub fn sign_proof(fields: &Fields<'_>) -> Result<Answer, NoCase> {
    let (seed, aud, verb) = (seed(fields)?, fields.text("aud")?, fields.text("verb")?);
    let (target, time) = (fields.text("target")?, fields.number("ts")?);
    let make = || {
        let (seed, verb) = (seed?, Verb::read(verb)?);
        issue::prepare_proof(seed.public_key(), aud, verb, target, time?).ok()?.sign(&seed).ok()
    };
    let Some(text) = make() else { return Ok(Answer::ok(false)) };
    let proof = Json::read(&text).map_err(|error| NoCase(String::from(error)))?;
    let proof = ["key", "ts", "sig"]
        .into_iter()
        .filter_map(|name| Some((name, proof.get(name)?)))
        .fold(Answer::new(), |answer, (name, value)| answer.raw(name, value.raw));
    Ok(Answer::ok(true).raw("proof", proof.text()))
}
