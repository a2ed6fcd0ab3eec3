//! An attempt at a COMMIT, as it is put to the crate, and what the naive model says of it.

use crate::allowed::{hand_cost, lines};
use crate::books::Cost;
use crate::flow::{Attempt, Flow};
use crate::hand::{self, Grant, Json};
use crate::model::{self, Case, Class, Request};
use crate::put::{self, Made, Shows};
use parley_grants::{
    Answer, Commit, Committed, Offered, Origin, Presentable, Presented, Refusal, ReservationId, Reserve,
};

/// An attempt, as it is put to the crate.
pub struct Asked<'w> {
    pub attempt: &'w Attempt,
    /// The grants that it presents.
    pub grants: Vec<&'w Grant>,
    presentable: Vec<Presentable<'w>>,
    shows: Shows,
    proposal: String,
    origin: Origin,
}

impl<'w> Asked<'w> {
    pub fn of(attempt: &'w Attempt, flow: &'w Flow, made: &'w Made) -> Self {
        let (Request::Commit { proposal, holder, principal, .. }
        | Request::Auto { proposal, holder, principal, .. }) = &attempt.request
        else {
            panic!("only these are attempted")
        };
        let (verb, target) = put::purpose(&attempt.request);
        Self {
            attempt,
            grants: attempt.grants.iter().map(|index| &flow.grants[*index]).collect(),
            presentable: attempt.grants.iter().map(|index| made.present(*index)).collect(),
            shows: Shows::of(attempt.shown, verb, &target, attempt.now),
            proposal: proposal.plain(),
            origin: put::origin(*holder, *principal),
        }
    }

    pub fn presented(&self) -> Presented<'_> {
        Presented { grants: &self.presentable, proof: self.shows.possession(), now: self.attempt.now }
    }

    pub fn commit(&self) -> Commit<'_> {
        let (proposal, origin) = (Offered::Text(self.proposal.as_bytes()), &self.origin);
        match &self.attempt.request {
            Request::Auto { capability, frame, .. } => Commit::Auto { proposal, capability, frame, origin },
            Request::Commit { hash, .. } => Commit::Sent { proposal, hash, origin },
            _ => panic!("only these are attempted"),
        }
    }

    pub fn id(&self) -> ReservationId {
        ReservationId::of(&self.attempt.id.to_string())
    }

    pub fn offer(&self) -> &Json {
        match &self.attempt.request {
            Request::Commit { proposal, .. } | Request::Auto { proposal, .. } => proposal,
            _ => panic!("only these are attempted"),
        }
    }

    /// The request with these of its grants, when nothing had been counted.
    pub fn case(&self, request: &Request, grants: &[&Grant]) -> Case {
        let grants = grants.iter().map(|grant| {
            let mut grant = Grant::clone(grant);
            grant.blocks.iter_mut().for_each(|block| block.spent = 0);
            grant
        });
        let (shown, now) = (self.attempt.shown, self.attempt.now);
        Case { grants: grants.collect(), request: request.clone(), shown, now, kept: true }
    }

    /// The model's class of that.
    pub fn class(&self, request: &Request, grants: &[&Grant]) -> Class {
        model::decide(&self.case(request, grants))
    }
}

/// A claim that was first.
#[derive(Clone)]
pub struct Held {
    pub name: String,
    pub key: [u8; 32],
    pub turn: u64,
    /// When it was claimed, and the last second in which it is remembered.
    pub claimed: i64,
    pub last: i64,
}

/// What is kept of a COMMIT that was carried out.
pub struct Receipt {
    pub of: Committed,
    pub proposal: Json,
    pub holder: hand::Key,
    pub principal: hand::Key,
}

/// What must come next.
#[derive(Debug)]
pub enum Expected {
    /// The ledger is asked about the grant with this index.
    Asks(usize),
    Allowed(usize),
    /// The human of the grant with this index is asked.
    Consent(usize),
    Unavailable,
    Refused(Class),
}

impl Asked<'_> {
    /// What must come next when the ledger has said so much: each grant by itself, in their order (A6, A8).
    pub fn expected(&self, said: &[Reserve]) -> Expected {
        let request = &self.attempt.request;
        let is_auto = matches!(request, Request::Auto { .. });
        let mut worst = self.class(request, &[]);
        let (mut said, mut consent, mut full, mut taken) = (said.iter(), None, false, false);
        for (index, grant) in self.grants.iter().enumerate() {
            match self.class(request, &[grant]) {
                Class::Allowed => match said.next() {
                    None => return Expected::Asks(index),
                    Some(Reserve::Reserved) => return Expected::Allowed(index),
                    Some(Reserve::Exceeded) => consent = consent.or(Some(index)),
                    Some(Reserve::Full) => full = true,
                    Some(Reserve::Taken) => taken = true,
                },
                Class::ConsentRequired => consent = consent.or(Some(index)),
                class => worst = worst.min(class),
            }
        }
        match (consent, worst) {
            _ if is_auto => Expected::Refused(self.class(request, &[])),
            _ if taken => Expected::Unavailable,
            (Some(index), _) => Expected::Consent(index),
            (None, _) if full => Expected::Unavailable,
            (None, worst) => Expected::Refused(worst),
        }
    }

    /// What the ledger is asked about this grant.
    pub fn cost(&self, made: &[Vec<hand::Made>], index: usize) -> Cost {
        let (offer, blocks) = (self.offer(), self.blocks(made, index));
        Cost {
            proposal: hand::proposal_hash(offer),
            grant: blocks[0].id(),
            amount: hand_cost(offer).map_or(0, |(amount, _)| amount),
            lines: lines(self.grants[index], blocks, offer),
        }
    }

    /// The blocks of one of its grants.
    pub fn blocks<'m>(&self, made: &'m [Vec<hand::Made>], index: usize) -> &'m [hand::Made] {
        &made[self.attempt.grants[index]]
    }
}

pub fn refused(refusal: &Refusal, expected: &Expected, asked: &Asked<'_>) {
    let class = match (refusal.answer(), expected) {
        (Answer::Unavailable, Expected::Unavailable) => return,
        (Answer::ConsentRequired(request), Expected::Consent(index)) => {
            return assert_eq!(
                *request.principal(),
                put::key(asked.grants[*index].issuer),
                "{:#?}",
                asked.attempt
            );
        }
        (Answer::Review, _) => Class::Review,
        (Answer::Forbidden, _) => Class::Forbidden,
        (Answer::Unauthorized, _) => Class::Unauthorized,
        (Answer::Conflict, _) => Class::Conflict,
        (Answer::Expired, _) => Class::Expired,
        (Answer::Unavailable | Answer::ConsentRequired(_), _) => panic!("{expected:?}: {:#?}", asked.attempt),
    };
    assert!(
        matches!(expected, Expected::Refused(other) if *other == class),
        "{class:?} {expected:?}: {:#?}",
        asked.attempt
    );
}
