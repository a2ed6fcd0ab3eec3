//! Structured inputs: attempts at a few COMMITs, and the order in which their steps are taken.

use crate::chain::{self, AGENT};
use crate::choose::{Choices, T};
use crate::hand::{Block, Grant, Json, object, proposal_hash, text};
use crate::model::{Recorded, Request, Shown};
use arbitrary::{Arbitrary, Result, Unstructured};
use parley_grants::LedgerBounds;

/// One COMMIT, or INTENT with auto.
#[derive(Clone, Debug)]
pub struct Attempt {
    /// As the model takes it.
    pub request: Request,
    /// Which grants are presented.
    pub grants: Vec<usize>,
    pub shown: Shown,
    /// The name of its reservation; seldom one that another attempt has, too.
    pub id: u64,
    /// Is it claimed before it is executed? Who does not, executes nothing here.
    pub claims: bool,
    /// When it begins.
    pub now: i64,
}

#[derive(Debug)]
pub struct Flow {
    pub grants: Vec<Grant>,
    pub attempts: Vec<Attempt>,
    /// Which attempt goes on, and how.
    pub steps: Vec<(usize, Course)>,
    /// How many claims are remembered at a time.
    pub room: usize,
    /// Those of the ledger: seldom one that is soon full, and forgets.
    pub bounds: LedgerBounds,
}

/// How an attempt goes on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Course {
    On,
    /// What is to be executed fails.
    Fails,
    /// The process is gone; when it goes on, it does so from what was stored.
    Crashes,
}

impl<'b> Arbitrary<'b> for Flow {
    fn arbitrary(input: &mut Unstructured<'b>) -> Result<Self> {
        let choices = &mut Choices(input);
        let proposals: Vec<Json> = (0..1 + choices.roll(3)).map(|_| proposal(choices)).collect();
        let mut grants: Vec<Grant> = Vec::new();
        for index in 0..1 + choices.roll(3) {
            let mut grant = grant(choices);
            grant.nonce.push_str(&index.to_string());
            grant
                .blocks
                .iter_mut()
                .for_each(|block| chain::hashed(&mut block.caveats, &proposal_hash(&proposals[0])));
            // Another branch of the first one's chain.
            if index > 0 && choices.flag() {
                let first = &grants[0];
                let mut blocks = first.blocks[..1 + choices.roll(first.blocks.len())].to_vec();
                blocks.append(&mut grant.blocks);
                grant = Grant { blocks, ..first.clone() };
            }
            grants.push(grant);
        }
        let room = choices.pick(&[100, 1, 2]);
        let bounds = match choices.roll(4) {
            2 => LedgerBounds { grants: 1, blocks_per_grant: 2, held_per_grant: 2, ended: 1 },
            3 => LedgerBounds { grants: 2, blocks_per_grant: 2, held_per_grant: 1, ended: 2 },
            _ => LedgerBounds::default(),
        };
        let many = 1 + choices.roll(6);
        let mut attempts: Vec<Attempt> =
            (0..many).map(|at| attempt(choices, &proposals, grants.len(), at as u64)).collect();
        let mut clock = T;
        let mut steps = Vec::new();
        for _ in 0..choices.byte() % 64 {
            let (at, course) = (choices.roll(many), choices.roll(16));
            if !steps.iter().any(|(before, _)| *before == at) {
                clock += choices.pick(&[0, 0, 1, 300, 599, 899, 86_400, 90_000]);
                attempts[at].now = clock;
            }
            steps.push((at, [Course::On, Course::Fails, Course::Crashes][course.saturating_sub(13)]));
        }
        Ok(Self { grants, attempts, steps, room, bounds })
    }
}

/// Good for a long time mostly, and at a price of which a few fit under a cap.
fn proposal(choices: &mut Choices<'_, '_>) -> Json {
    let amount = |amount| object([("amount", Json::Int(amount)), ("currency", text("EUR"))]);
    let cost = match choices.roll(8) {
        7 => return chain::proposal(choices),
        6 => Json::Null,
        price => amount([50, 100, 1, 0, 150, 99][price]),
    };
    object([
        ("id", text(choices.pick(&["a", "b", "c", "d"]))),
        ("capability", text("shop.order")),
        ("summary", text("Two cups")),
        ("effects", Json::List(vec![object([("op", text("create")), ("target", text("order"))])])),
        ("cost", cost),
        ("risk", text(choices.pick(&["low", "medium", "high"]))),
        ("undo", object([("window", Json::Int(600))])),
        ("expires", Json::Int(choices.pick(&[T + 10_000_000, T + 10_000_000, T + 10_000_000, T + 600]))),
    ])
}

/// For the agent mostly, of a trusted principal mostly, with caps that a few proposals reach.
fn grant(choices: &mut Choices<'_, '_>) -> Grant {
    let issuer = choices.pick(&[0, 0, 0, 0, 0, 1, 1, 2]);
    let count = 1 + choices.roll(3);
    let mut blocks: Vec<Block> = (0..count)
        .map(|_| Block { subject: choices.roll(8), caveats: choices.list(3, caveat), iat: T, spent: 0 })
        .collect();
    if let Some(block) = blocks.last_mut()
        && block.subject < 7
    {
        block.subject = AGENT;
    }
    Grant { issuer, nonce: String::new(), blocks, flaw: None }
}

fn caveat(choices: &mut Choices<'_, '_>) -> Json {
    let limit = |max| object([("max", Json::Int(max)), ("currency", text("EUR"))]);
    match choices.roll(8) {
        7 => chain::caveat(choices),
        6 => object([("only", text(chain::THE_HASH))]),
        5 => object([("exp", Json::Int(T + choices.pick(&[1, 600, 1000, 86_400, 10_000_000])))]),
        4 => object([("per", limit(choices.pick(&[150, 100, 99, 50])))]),
        _ => object([("spend", limit(choices.pick(&[200, 100, 150, 99, 50, 300, 1000, 0])))]),
    }
}

fn attempt(choices: &mut Choices<'_, '_>, proposals: &[Json], grants: usize, at: u64) -> Attempt {
    let proposal = proposals[choices.roll(proposals.len())].clone();
    let presented = match choices.roll(3) {
        2 => choices.list(4, |choices| choices.roll(grants)),
        1 => (0..grants).rev().collect(),
        _ => (0..grants).collect(),
    };
    let shown = match choices.roll(16) {
        0..=10 => Shown::Word(AGENT),
        11 => Shown::Forged(AGENT),
        12 => Shown::Word(choices.roll(8)),
        13 => Shown::Nothing,
        _ => Shown::Proof(AGENT, choices.pick(&[0, 300, -300, 301])),
    };
    let holder = chain::recorded(choices, Recorded::Key(AGENT));
    let request = if choices.roll(4) == 3 {
        let principal = chain::recorded(choices, Recorded::Key(0));
        let capability = match proposal.get("capability") {
            Some(Json::Text(own)) => own.clone(),
            _ => choices.text(),
        };
        let frame = choices.pick(&["f", "g", "", "f:1"]).into();
        Request::Auto { proposal, capability, frame, holder, principal }
    } else {
        let principal = chain::recorded(choices, Recorded::Absent);
        let hash = if choices.seldom(16) { choices.text() } else { proposal_hash(&proposal) };
        Request::Commit { proposal, hash, holder, principal, replay: false }
    };
    let id = match choices.roll(4) {
        id @ 2..4 => id as u64,
        _ => 100 + at,
    };
    Attempt { request, grants: presented, shown, id, claims: choices.roll(4) < 3, now: T }
}
