//! Structured inputs: grants, requests and whole cases, as `proptests/` makes and judges them.

use crate::choose::{Choices, T};
use crate::hand::{Block, Flaw, Grant, Json, Key, object, proposal_hash, text};
use crate::model::{Case, Recorded, Request, Shown};
use arbitrary::{Arbitrary, Result, Unstructured};

/// The key that asks.
pub const AGENT: Key = 3;
/// Stands for the hash of the proposal at hand.
pub const THE_HASH: &str = "#hash";
/// Caveats of which the kind is the place in this list; then comes any value, and any value under any name.
pub const CAVEATS: [&str; 9] = ["svc", "verbs", "can", "exp", "nbf", "only", "per", "spend", "risk"];

/// Those of a proposal.
const MEMBERS: [&str; 10] =
    ["id", "capability", "summary", "effects", "cost", "risk", "undo", "expires", "hash", "data"];

/// A case to be decided.
#[derive(Debug)]
pub struct Structured(pub Case);

impl<'b> Arbitrary<'b> for Structured {
    fn arbitrary(input: &mut Unstructured<'b>) -> Result<Self> {
        let mut choices = Choices(input);
        let (request, shown, now) = asked(&mut choices);
        let kept = choices.flag();
        // Seldom more than may be presented.
        let grants = match choices.roll(32) {
            31 => (0..15 + choices.roll(4)).map(|_| grant(&mut choices, 1)).collect(),
            many => (0..(many + 1) % 4).map(|_| grant(&mut choices, 4)).collect(),
        };
        let mut case = Case { grants, request, shown, now, kept };
        settle(&mut case);
        Ok(Self(case))
    }
}

/// Puts the hash in where it is meant, and makes the roots differ.
fn settle(case: &mut Case) {
    let hash = match &case.request {
        Request::Commit { proposal, .. } | Request::Auto { proposal, .. } => proposal_hash(proposal),
        _ => "none".into(),
    };
    for (index, grant) in case.grants.iter_mut().enumerate() {
        grant.nonce = format!("{index}:{}", grant.nonce);
        grant.blocks.iter_mut().for_each(|block| hashed(&mut block.caveats, &hash));
    }
}

/// Puts the hash in where it is meant.
pub fn hashed(caveats: &mut [Json], hash: &str) {
    for caveat in caveats {
        if caveat.get("only") == Some(&text(THE_HASH)) {
            *caveat = caveat.with("only", text(hash));
        }
    }
}

/// Trusted mostly, of up to so many blocks, and for the agent mostly.
pub fn grant(choices: &mut Choices<'_, '_>, most: usize) -> Grant {
    let issuer = choices.pick(&[0, 0, 0, 0, 1, 1, 2, AGENT]);
    let nonce = choices.text();
    let flaw = flaw(choices);
    let count = 1 + choices.roll(most);
    let mut blocks: Vec<Block> = (0..count).map(|_| block(choices)).collect();
    if let Some(block) = blocks.last_mut()
        && block.subject < 6
    {
        block.subject = AGENT;
    }
    Grant { issuer, nonce, blocks, flaw }
}

fn flaw(choices: &mut Choices<'_, '_>) -> Option<(Flaw, usize)> {
    let flaw = match choices.byte() {
        0..=239 => return None,
        240..=243 => Flaw::Signer(choices.roll(8)),
        244..=246 => Flaw::Bit(usize::from(choices.byte()) * 2 + choices.roll(2)),
        247..=249 => Flaw::Prev,
        250..=251 => Flaw::Extra,
        252..=253 => Flaw::Missing,
        254.. => Flaw::WeakKey,
    };
    Some((flaw, choices.roll(4)))
}

fn block(choices: &mut Choices<'_, '_>) -> Block {
    Block {
        subject: choices.roll(8),
        iat: choices.int(),
        spent: match choices.roll(8) {
            0..=2 => 0,
            3 => 1,
            4 => 50,
            5 => 51,
            6 => u64::MAX,
            _ => choices.wide(),
        },
        caveats: choices.list(4, caveat),
    }
}

fn texts(choices: &mut Choices<'_, '_>) -> Json {
    Json::List(choices.list(4, |choices| Json::Text(choices.text())))
}

fn limit(choices: &mut Choices<'_, '_>) -> Json {
    object([("max", Json::Int(choices.int())), ("currency", Json::Text(choices.text()))])
}

pub fn caveat(choices: &mut Choices<'_, '_>) -> Json {
    let kind = choices.roll(CAVEATS.len() + 4);
    let value = match kind {
        0..=2 => texts(choices),
        3 | 4 => Json::Int(choices.int()),
        5 => Json::Text(choices.text()),
        8 => match choices.roll(4) {
            3 => Json::Text(choices.text()),
            level => text(["low", "medium", "high"][level]),
        },
        6 | 7 => limit(choices),
        9 => return choices.json(3),
        10 => return Json::Object(vec![(choices.text(), choices.json(3))]),
        // A name that there is, and mostly no value of its own.
        11 => return object([(choices.pick(&CAVEATS), choices.json(2))]),
        // A good one with a member more.
        _ => {
            let good = [object([("risk", text("high"))]), object([("exp", Json::Int(T + 600))])];
            return good[choices.roll(2)].with(&choices.text(), choices.json(2));
        }
    };
    object([(CAVEATS[kind], value)])
}

pub fn recorded(choices: &mut Choices<'_, '_>, usual: Recorded) -> Recorded {
    match choices.roll(12) {
        0..=8 => usual,
        9 => Recorded::Absent,
        10 => Recorded::Unreadable,
        _ => Recorded::Key(choices.roll(8)),
    }
}

/// Well-formed mostly.
pub fn proposal(choices: &mut Choices<'_, '_>) -> Json {
    let cost = match choices.roll(4) {
        3 => Json::Null,
        _ => object([("amount", Json::Int(choices.int())), ("currency", Json::Text(choices.text()))]),
    };
    let cost = if cost.get("currency") == Some(&text("shop.order")) {
        cost.with("currency", text("EUR"))
    } else {
        cost
    };
    let undo = match choices.roll(4) {
        3 => Json::Null,
        _ => object([("window", Json::Int(choices.pick(&[600, 1, 0])))]),
    };
    let proposal = object([
        ("id", Json::Text(choices.text())),
        ("capability", Json::Text(choices.text())),
        ("summary", text("Two cups")),
        ("effects", Json::List(vec![object([("op", text("create")), ("target", text("order"))])])),
        ("cost", cost),
        ("risk", text(choices.pick(&["low", "medium", "high"]))),
        ("undo", undo),
        ("expires", Json::Int(choices.pick(&[T + 600, T + 2, T + 1, T, T - 1]))),
    ]);
    match choices.roll(12) {
        4 => proposal.with("data", choices.json(2)),
        5 => proposal.with("hash", choices.json(1)),
        6 => proposal.without(&[choices.pick(&MEMBERS)]),
        7 => proposal.with(choices.pick(&MEMBERS), choices.json(2)),
        8 => proposal.with(&choices.text(), choices.json(2)),
        9 => {
            let (name, of) = choices.pick(&[
                ("cost", "amount"),
                ("cost", "currency"),
                ("undo", "window"),
                ("cost", "note"),
            ]);
            let inner = proposal.get(name).cloned().unwrap_or(Json::Null);
            proposal.with(
                name,
                if choices.flag() { inner.without(&[of]) } else { inner.with(of, choices.json(1)) },
            )
        }
        10 => {
            let effect = object([("op", text("create")), ("target", text("order"))]);
            let name = choices.pick(&["op", "target", "from"]);
            let effect =
                if choices.flag() { effect.without(&[name]) } else { effect.with(name, choices.json(1)) };
            proposal.with("effects", Json::List(vec![effect]))
        }
        _ => proposal,
    }
}

/// A request, how its key is shown, and when.
pub fn asked(choices: &mut Choices<'_, '_>) -> (Request, Shown, i64) {
    (request(choices), shown(choices), T + choices.pick(&[0, 1, -1]))
}

fn request(choices: &mut Choices<'_, '_>) -> Request {
    let kind = choices.roll(8);
    match kind {
        0..=2 => {
            let (holder, principal) =
                (recorded(choices, Recorded::Key(AGENT)), recorded(choices, Recorded::Absent));
            let other = choices.seldom(8);
            let proposal = proposal(choices);
            let hash = if other { choices.text() } else { proposal_hash(&proposal) };
            // What was committed once was well-formed.
            let replay = kind == 2 && crate::model::is_well_formed(&proposal);
            Request::Commit { proposal, hash, holder, principal, replay }
        }
        3 => {
            let (holder, principal) =
                (recorded(choices, Recorded::Key(AGENT)), recorded(choices, Recorded::Key(0)));
            let other = choices.seldom(8);
            let frame = choices.text();
            let proposal = proposal(choices);
            let capability = match proposal.get("capability") {
                Some(Json::Text(own)) if !other => own.clone(),
                _ => choices.text(),
            };
            Request::Auto { proposal, capability, frame, holder, principal }
        }
        4 => Request::Ask { capability: choices.text() },
        5 if choices.flag() => Request::AutoIntent { capability: choices.text(), frame: choices.text() },
        5 => Request::Intent { capability: choices.text() },
        6 => Request::Undo { principal: recorded(choices, Recorded::Key(0)), capability: choices.text() },
        _ => Request::Expand { owner: recorded(choices, Recorded::Key(AGENT)) },
    }
}

/// The caller's word mostly: that costs no signature check.
fn shown(choices: &mut Choices<'_, '_>) -> Shown {
    match choices.roll(16) {
        0..=7 => Shown::Word(AGENT),
        8 => Shown::Forged(AGENT),
        9 => Shown::Word(choices.roll(8)),
        10 => Shown::Nothing,
        11 => Shown::Proof(choices.roll(8), 0),
        _ => Shown::Proof(AGENT, choices.pick(&[0, 300, -300, 301, -301])),
    }
}
