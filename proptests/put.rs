//! Puts a generated case to the crate.

use crate::hand::{self, Json, Key, public, public_bytes};
use crate::model::{Case, Class, Recorded, Request, SERVICE, Shown, TRUSTED};
use core::convert::Infallible;
use parley_grants::{
    Answer, BlockId, Close, Closed, Commit, Committed, Decision, Demand, Ledger, Offered, Origin, Owner,
    Possession, Presentable, Presented, Proposal, PublicKey, RecordedKey, ReservationId, Reserve, Revoke,
    SpendLine, Step, Trust, VerifiedGrant, Verifier,
};
use std::collections::HashMap;

pub fn key(key: Key) -> PublicKey {
    PublicKey::from_bytes(public_bytes(key)).expect("a key")
}

pub fn verifier() -> Verifier<Vec<PublicKey>> {
    Verifier::new(SERVICE, TRUSTED.map(key).to_vec())
}

pub fn recorded(as_written: Recorded) -> Option<RecordedKey> {
    match as_written {
        Recorded::Key(key) => Some(RecordedKey::read(&public(key))),
        Recorded::Absent => None,
        Recorded::Unreadable => Some(RecordedKey::read("ed25519:?")),
    }
}

pub fn origin(holder: Recorded, principal: Recorded) -> Origin {
    match (recorded(holder), recorded(principal)) {
        (None, _) => Origin::anonymous(),
        (Some(holder), None) => Origin::without_grant(holder),
        (Some(holder), Some(principal)) => Origin::with_grant(holder, principal),
    }
}

fn committed(holder: Recorded, principal: Recorded, capability: &str, hash: &str) -> Committed {
    let holder = recorded(holder).unwrap_or(RecordedKey::Unreadable);
    match recorded(principal) {
        None => Committed::without_principal(holder, capability, hash),
        Some(principal) => Committed::recorded(holder, principal, capability, hash),
    }
}

/// Verb and target of the proof that the request needs (A5).
pub fn purpose(request: &Request) -> (&'static str, String) {
    match request {
        Request::Ask { capability } => ("ASK", capability.clone()),
        Request::Intent { capability } => ("INTENT", capability.clone()),
        Request::AutoIntent { capability, frame } | Request::Auto { capability, frame, .. } => {
            ("INTENT", format!("auto:{capability}:{frame}"))
        }
        Request::Undo { .. } => ("UNDO", "r-1".into()),
        Request::Expand { .. } => ("EXPAND", "h-1".into()),
        Request::Commit { hash, .. } => ("COMMIT", hash.clone()),
    }
}

/// Grants as they are presented.
pub struct Made {
    pub tokens: Vec<String>,
    kept: Vec<Option<VerifiedGrant>>,
    spent: HashMap<[u8; 32], u64>,
}

impl Made {
    /// Of these plans and what was made of them.
    pub fn of(grants: &[hand::Grant], blocks: &[Vec<hand::Made>]) -> Self {
        let tokens = blocks.iter().map(|made| hand::token(made)).collect();
        let spent = blocks
            .iter()
            .zip(grants)
            .flat_map(|(made, grant)| made.iter().zip(&grant.blocks))
            .map(|(made, block)| (made.id(), block.spent))
            .collect();
        Self { tokens, kept: Vec::new(), spent }
    }

    /// Those that verify are presented as kept ones from now on.
    pub fn keep(&mut self) {
        let verifier = verifier();
        self.kept = self.tokens.iter().map(|token| verifier.verify(token).ok()).collect();
    }

    pub fn present(&self, index: usize) -> Presentable<'_> {
        match self.kept.get(index) {
            Some(Some(kept)) => Presentable::Kept(kept),
            _ => Presentable::Token(&self.tokens[index]),
        }
    }

    /// What has been counted under a block's id.
    pub fn spent(&self, id: &BlockId) -> u64 {
        self.spent.get(id.as_bytes()).copied().unwrap_or(u64::MAX)
    }
}

/// What shows a key.
pub enum Shows {
    Proof(String),
    Word(PublicKey),
    Nothing,
}

impl Shows {
    pub fn of(shown: Shown, verb: &str, target: &str, now: i64) -> Self {
        match shown {
            Shown::Proof(by, skew) => Self::Proof(hand::proof(by, SERVICE, verb, target, now + skew).plain()),
            Shown::Forged(of) => {
                let other = hand::proof((of + 1) % 8, SERVICE, verb, target, now);
                Self::Proof(other.with("key", Json::Text(public(of))).plain())
            }
            Shown::Word(of) => Self::Word(key(of)),
            Shown::Nothing => Self::Nothing,
        }
    }

    pub fn possession(&self) -> Possession<'_> {
        match self {
            Self::Proof(json) => Possession::Proof(json.as_bytes()),
            Self::Word(key) => Possession::AssumeProven(key),
            Self::Nothing => Possession::None,
        }
    }
}

/// What the front door says.
pub fn decision(case: &Case) -> Decision {
    let blocks: Vec<_> = case.grants.iter().map(hand::make).collect();
    let mut made = Made::of(&case.grants, &blocks);
    if case.kept {
        made.keep();
    }
    decision_by(&verifier(), case, &made)
}

/// The same with these grants in place of those of the case, by this verifier.
pub fn decision_by<T: Trust, R: Revoke>(verifier: &Verifier<T, R>, case: &Case, made: &Made) -> Decision {
    let spent = |id: &BlockId| made.spent(id);
    let grants: Vec<_> = (0..made.tokens.len()).map(|index| made.present(index)).collect();
    let (verb, target) = purpose(&case.request);
    let shows = Shows::of(case.shown, verb, &target, case.now);
    let presented = Presented { grants: &grants, proof: shows.possession(), now: case.now };
    let id = ReservationId::of("one");

    let proposal_text;
    let kept_proposal;
    let mut offer = Offered::Text(b"");
    if let Request::Commit { proposal, .. } | Request::Auto { proposal, .. } = &case.request {
        proposal_text = proposal.plain();
        offer = Offered::Text(proposal_text.as_bytes());
        if case.kept {
            kept_proposal = Proposal::parse(proposal_text.as_bytes());
            offer = kept_proposal.as_ref().map_or(offer, Offered::Kept);
        }
    }
    let authorize = |request| verifier.authorize(&request, &presented);
    match &case.request {
        Request::Ask { capability } => authorize(parley_grants::Request::Ask { capability }),
        Request::Intent { capability } => authorize(parley_grants::Request::Intent { capability }),
        Request::AutoIntent { capability, frame } => {
            authorize(parley_grants::Request::AutoIntent { capability, frame })
        }
        Request::Undo { capability, principal } => {
            let of = committed(Recorded::Unreadable, *principal, capability, "");
            authorize(parley_grants::Request::Undo { receipt: "r-1", of: &of })
        }
        Request::Expand { owner } => {
            let owner = recorded(*owner).map_or(Owner::Anyone, Owner::Key);
            authorize(parley_grants::Request::Expand { handle: "h-1", owner })
        }
        Request::Commit { proposal, hash, holder, principal, replay: true } => {
            let Some(Json::Text(capability)) = proposal.get("capability") else {
                panic!("a replay of nothing")
            };
            let of = committed(*holder, *principal, capability, &hand::proposal_hash(proposal));
            authorize(parley_grants::Request::Replay { hash, of: &of })
        }
        Request::Commit { hash, holder, principal, replay: false, .. } => {
            let origin = origin(*holder, *principal);
            driven(
                verifier.commit(&Commit::Sent { proposal: offer, hash, origin: &origin }, &presented, id),
                &spent,
            )
        }
        Request::Auto { capability, frame, holder, principal, .. } => {
            let origin = origin(*holder, *principal);
            let auto = Commit::Auto { proposal: offer, capability, frame, origin: &origin };
            driven(verifier.commit(&auto, &presented, id), &spent)
        }
    }
}

/// Totals that were counted before.
struct Counted<'s, S> {
    spent: &'s S,
}

impl<S: Fn(&BlockId) -> u64> Ledger for Counted<'_, S> {
    type Error = Infallible;

    fn reserve(&mut self, demand: &Demand<'_>) -> Result<Reserve, Infallible> {
        let total = |line: &SpendLine| (self.spent)(&line.block).checked_add(demand.amount);
        let fits = demand.lines.iter().all(|line| total(line).is_some_and(|total| total <= line.max));
        Ok(if fits { Reserve::Reserved } else { Reserve::Exceeded })
    }

    fn close(&mut self, _: &ReservationId, _: Close) -> Result<Closed, Infallible> {
        Ok(Closed::NotHeld)
    }
}

/// The decision about a first COMMIT, when so much was counted before.
pub fn driven<T: Trust, R: Revoke>(step: Step<'_, T, R>, spent: &impl Fn(&BlockId) -> u64) -> Decision {
    let Ok(decided) = step.drive(&mut Counted { spent });
    match decided {
        Ok((allowed, _)) => Decision::Allowed(allowed),
        Err(refusal) => Decision::Refused(refusal),
    }
}

pub fn class_of(decision: &Decision) -> Class {
    match decision {
        Decision::Allowed(_) => Class::Allowed,
        Decision::Refused(refusal) => match refusal.answer() {
            Answer::Unavailable => unreachable!("the ledger here is never full"),
            Answer::Review => Class::Review,
            Answer::ConsentRequired(_) => Class::ConsentRequired,
            Answer::Forbidden => Class::Forbidden,
            Answer::Unauthorized => Class::Unauthorized,
            Answer::Conflict => Class::Conflict,
            Answer::Expired => Class::Expired,
        },
    }
}

pub fn class(case: &Case) -> Class {
    class_of(&decision(case))
}

/// The principal who would be asked to consent.
pub fn asked_principal(decision: &Decision) -> Option<PublicKey> {
    let Decision::Refused(refusal) = decision else { return None };
    let Answer::ConsentRequired(request) = refusal.answer() else { return None };
    Some(*request.principal())
}
