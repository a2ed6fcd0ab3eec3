//! What a service should log about a decision, as plain data. A record allows nothing.

use crate::caveat::Amount;
use crate::chain::Trust;
use crate::decision::{Allowed, Decision, Denial, GrantLog, Log, Refusal};
use crate::evaluate::{Severity, SpendLine};
use crate::grant::{Block, BlockId, Grant};
use crate::json::{MAX_INT, Members, push_int, push_list, push_string};
use crate::key::PublicKey;
use crate::limits::Limits;
use crate::proof::{Verb, claimed_key};
use crate::request::{Commit, Possession, Presentable, Presented, Request};
use crate::revoke::Revoke;
use crate::spend::{Reservation, ReservationId};
use crate::verifier::Verifier;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

/// A decision as it is logged: who asked for what, what was answered, by which grant or why not, and what was reserved.
///
/// It holds no secret: no token, no proof, no handle. [`to_json`](Record::to_json) is one canonical line with stable names.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Record {
    /// The service's id.
    pub service: String,
    /// The service's time, in unix seconds.
    pub now: i64,
    /// What was asked.
    pub verb: Verb,
    /// Under which capability, where the request names one.
    pub capability: Option<String>,
    /// Which proposal (by the hash that was sent), receipt or frame.
    pub target: Option<String>,
    /// `allowed`, or the code of the answer.
    pub class: &'static str,
    /// The key that the proof claims, verified or not.
    pub claimed: Option<PublicKey>,
    /// The proven key, when it was allowed.
    pub holder: Option<PublicKey>,
    /// The principal, when a grant allowed it.
    pub principal: Option<PublicKey>,
    /// The blocks of the grant that allowed it, root first.
    pub blocks: Vec<BlockId>,
    /// Why it was refused.
    pub log: Option<Log>,
    /// What a COMMIT costs.
    pub cost: Option<Amount>,
    /// Under which blocks that counts.
    pub spend: Vec<SpendLine>,
    /// The name of its reservation.
    pub reservation: Option<ReservationId>,
}

impl<T: Trust, R: Revoke> Verifier<T, R> {
    /// The record of a decision by [`Verifier::authorize`] on this very request.
    pub fn record(&self, request: &Request<'_>, presented: &Presented<'_>, decision: &Decision) -> Record {
        let (verb, capability, target) = match *request {
            Request::Ask { capability } => (Verb::Ask, Some(capability), None),
            Request::Intent { capability } => (Verb::Intent, Some(capability), None),
            Request::AutoIntent { capability, frame } => (Verb::Intent, Some(capability), Some(frame)),
            Request::Undo { receipt, of } => (Verb::Undo, Some(of.capability()), Some(receipt)),
            // Where anyone may expand a handle, knowing it is enough: it stays out of logs.
            Request::Expand { .. } => (Verb::Expand, None, None),
            Request::Replay { hash, of } => (Verb::Commit, Some(of.capability()), Some(hash)),
        };
        let record = self.blank(presented, verb, capability, target);
        match decision {
            Decision::Allowed(allowed) => record.allowed(allowed, None, presented),
            Decision::Refused(refusal) => record.refused(refusal),
        }
    }

    /// The record of a COMMIT that [`Verifier::commit`] began, and that ended so.
    pub fn record_commit(
        &self,
        commit: &Commit<'_>,
        presented: &Presented<'_>,
        ended: Result<(&Allowed, &Reservation), &Refusal>,
    ) -> Record {
        let (verb, capability, target) = match *commit {
            Commit::Sent { hash, .. } => (Verb::Commit, None, hash),
            Commit::Auto { capability, frame, .. } => (Verb::Intent, Some(capability), frame),
        };
        let record = self.blank(presented, verb, capability, Some(target));
        match ended {
            Ok((allowed, reservation)) => record.allowed(allowed, Some(reservation), presented),
            Err(refusal) => record.refused(refusal),
        }
    }

    fn blank(
        &self,
        presented: &Presented<'_>,
        verb: Verb,
        capability: Option<&str>,
        target: Option<&str>,
    ) -> Record {
        let claimed = match presented.proof {
            Possession::Proof(text) => claimed_key(text, &Limits::CEILING),
            Possession::AssumeProven(key) => Some(*key),
            Possession::None => None,
        };
        Record {
            service: String::from(self.service()),
            now: presented.now,
            verb,
            capability: capability.map(String::from),
            target: target.map(String::from),
            class: "allowed",
            claimed,
            holder: None,
            principal: None,
            blocks: Vec::new(),
            log: None,
            cost: None,
            spend: Vec::new(),
            reservation: None,
        }
    }
}

impl Record {
    fn allowed(
        self,
        allowed: &Allowed,
        reservation: Option<&Reservation>,
        presented: &Presented<'_>,
    ) -> Self {
        let ids = |grant: &Grant| grant.blocks().map(Block::id).copied().collect();
        let blocks = match allowed.grant_index().and_then(|index| presented.grants.get(index)) {
            Some(Presentable::Kept(kept)) => ids(kept.grant()),
            Some(Presentable::Token(text)) => {
                Grant::decode(text, &Limits::CEILING).map(|grant| ids(&grant)).unwrap_or_default()
            }
            None => Vec::new(),
        };
        Self {
            holder: allowed.holder().copied(),
            principal: allowed.issuer().copied(),
            blocks,
            cost: allowed.cost().cloned(),
            spend: allowed.spend().to_vec(),
            reservation: reservation.map(Reservation::id).copied(),
            ..self
        }
    }

    fn refused(self, refusal: &Refusal) -> Self {
        Self { class: refusal.answer().code(), log: Some(refusal.log().clone()), ..self }
    }

    /// The record as one line of canonical JSON. A member that says nothing is left out.
    pub fn to_json(&self) -> String {
        let mut out = String::new();
        let id = |id: &BlockId, out: &mut String| push_string(out, &id.to_string());
        let mut members = Members::of(&mut out);
        if !self.blocks.is_empty() {
            members = members.with("blocks", |out| push_list(out, &self.blocks, |out, block| id(block, out)));
        }
        members = members.maybe("capability", self.capability.as_deref());
        if let Some(log) = &self.log {
            members = members.string("cause", &log.cause().to_string());
        }
        members = members.maybe("claimed", self.claimed.map(|key| key.to_string()).as_deref());
        members = members.string("class", self.class);
        if let Some(cost) = &self.cost {
            members = members.with("cost", |out| {
                Members::of(out)
                    .int("amount", cost.minor().cast_signed())
                    .string("currency", cost.currency())
                    .end();
            });
        }
        if let Some(log) = &self.log
            && !log.grants().is_empty()
        {
            members = members.with("grants", |out| push_list(out, log.grants(), write_grant));
        }
        members = members
            .maybe("holder", self.holder.map(|key| key.to_string()).as_deref())
            .with("now", |out| push_time(out, self.now));
        members = members.maybe("principal", self.principal.map(|key| key.to_string()).as_deref());
        if let Some(reservation) = &self.reservation {
            members =
                members.with("reservation", |out| id(&BlockId::from_bytes(*reservation.as_bytes()), out));
        }
        members = members.string("service", &self.service);
        if !self.spend.is_empty() {
            members = members.with("spend", |out| {
                push_list(out, &self.spend, |out, line| {
                    let line_out = Members::of(out).with("block", |out| id(&line.block, out));
                    line_out.int("max", line.max.cast_signed()).end();
                });
            });
        }
        members.maybe("target", self.target.as_deref()).string("verb", self.verb.as_str()).end();
        out
    }
}

/// A grant that did not allow it: `{"failures":[..],"id":..,"index":..,"why":..}`.
fn write_grant(out: &mut String, grant: &GrantLog) {
    let mut members = Members::of(out);
    let why = match &grant.denial {
        Denial::Invalid(error) => error.to_string(),
        Denial::OtherPrincipal => String::from("other principal"),
        Denial::Revoked(block) => alloc::format!("revoked block {block}"),
        Denial::Caveats(failures) => {
            members = members.with("failures", |out| {
                push_list(out, failures, |out, failure| {
                    let severity = match failure.reason.severity() {
                        Severity::Soft => "soft",
                        Severity::Hard => "hard",
                    };
                    let place = |index: usize| i64::try_from(index).unwrap_or(i64::MAX);
                    let members = Members::of(out)
                        .int("block", place(failure.block))
                        .int("caveat", place(failure.caveat));
                    members.string("reason", failure.reason.code()).string("severity", severity).end();
                });
            });
            String::from("caveats")
        }
        Denial::Exceeded => String::from("exceeded"),
        Denial::Unavailable => String::from("unavailable"),
    };
    members = members.maybe("id", grant.id.map(|id| id.to_string()).as_deref());
    members.int("index", i64::try_from(grant.index).unwrap_or(i64::MAX)).string("why", &why).end();
}

/// A time that A2 cannot write as a number stands as text.
fn push_time(out: &mut String, time: i64) {
    if time.unsigned_abs() <= MAX_INT.unsigned_abs() {
        push_int(out, time)
    } else {
        push_string(out, &time.to_string())
    }
}
