//! Generated proposals, requests and whole cases.

use crate::caveats::THE_HASH;
use crate::generate::{AGENT, T, a2_int, a2_value, pick, some_text, sometimes};
use crate::hand::{Grant, Json, MAX_INT, object, proposal_hash, text};
use crate::model::{Case, Recorded, Request, Shown};
use proptest::collection::vec;
use proptest::prelude::*;

/// A well-formed proposal.
pub fn proposal() -> BoxedStrategy<Json> {
    let capability = prop_oneof![8 => Just("shop.order"), 1 => Just("shop.order.x"), 1 => Just("shop:order"), 1 => Just("")];
    let cost = prop_oneof![
        1 => Just(Json::Null),
        4 => (prop::sample::select(vec![0, 1, 99, 100, 101, MAX_INT]), prop_oneof![5 => Just("EUR"), 1 => Just("USD")])
            .prop_map(|(amount, currency)| object([("amount", Json::Int(amount)), ("currency", text(currency))])),
    ];
    let undo = prop_oneof![
        1 => Just(Json::Null),
        4 => prop::sample::select(vec![0, 1, 600, MAX_INT]).prop_map(|window| object([("window", Json::Int(window))])),
    ];
    let effect =
        (some_text(), some_text(), sometimes(50, (pick(&["field", "from", "detail", "zz"]), a2_value())))
            .prop_map(|(op, target, other)| {
                let effect = object([("op", op), ("target", target)]);
                other.map_or(effect.clone(), |(name, value)| effect.with(&name, value))
            });
    let risk = pick(&["low", "medium", "high"]).prop_map(Json::Text);
    let expires = prop_oneof![8 => Just(T + 600), 2 => T - 1..=T + 3, 1 => a2_int()].prop_map(Json::Int);
    let more = vec((pick(&["hash", "note", "Data", "zzz", "é"]), some_text()), 0..2);
    (some_text(), capability, some_text(), vec(effect, 0..3), cost, risk, undo, expires, more)
        .prop_map(|(id, capability, summary, effects, cost, risk, undo, expires, more)| {
            let proposal = object([
                ("id", id),
                ("capability", text(capability)),
                ("summary", summary),
                ("effects", Json::List(effects)),
                ("cost", cost),
                ("risk", risk),
                ("undo", undo),
                ("expires", expires),
            ]);
            more.into_iter().fold(proposal, |proposal, (name, value)| proposal.with(&name, value))
        })
        .boxed()
}

/// A proposal, now and then with a member that is missing or has another value.
pub fn odd_proposal(odd: u32) -> BoxedStrategy<Json> {
    let names = &["id", "capability", "summary", "effects", "cost", "risk", "undo", "expires", "hash"];
    let window = |n| object([("window", Json::Int(n))]);
    let value = prop_oneof![
        a2_value(),
        prop::sample::select(vec![
            text("auto:shop"),
            window(-1),
            window(1).with("x", Json::Null),
            object([("amount", Json::Int(-1)), ("currency", text("EUR"))]),
            object([("amount", Json::Int(1)), ("currency", text("EUR")), ("x", Json::Null)]),
            Json::List(vec![object([("op", text("a"))])]),
            Json::Number("1.0".into()),
            Json::Int(MAX_INT + 1),
        ])
    ];
    (proposal(), sometimes(odd, (pick(names), sometimes(80, value))))
        .prop_map(|(proposal, odd)| match odd {
            None => proposal,
            Some((name, None)) => proposal.without(&[&name]),
            Some((name, Some(value))) => proposal.with(&name, value),
        })
        .boxed()
}

fn recorded(usual: Recorded) -> BoxedStrategy<Recorded> {
    let other =
        prop_oneof![Just(Recorded::Absent), Just(Recorded::Unreadable), (0..8_usize).prop_map(Recorded::Key)];
    prop_oneof![9 => Just(usual), 2 => other].boxed()
}

/// Weights of: COMMIT, auto question, replay, the rest.
pub fn request(weights: [u32; 4], odd: u32) -> BoxedStrategy<Request> {
    let capability = || {
        let usual = prop_oneof![Just("shop.order"), Just("shop.order.x")];
        prop_oneof![12 => usual, 1 => Just("auto:x"), 1 => Just("shop:order"), 1 => Just("")]
            .prop_map(String::from)
    };
    let frame = || pick(&["f", "", "f:1"]);
    let hash = prop_oneof![9 => Just(None), 1 => pick(&["", "x"]).prop_map(Some)];
    let commit = move |replay| {
        let holder = recorded(Recorded::Key(AGENT));
        // What was committed once was well-formed.
        (odd_proposal(if replay { 0 } else { odd }), hash.clone(), holder, recorded(Recorded::Absent))
            .prop_map(move |(proposal, hash, holder, principal)| {
                let hash = hash.unwrap_or_else(|| proposal_hash(&proposal));
                Request::Commit { proposal, hash, holder, principal, replay }
            })
    };
    let auto = (
        odd_proposal(odd),
        prop_oneof![9 => Just(None), 1 => capability().prop_map(Some)],
        frame(),
        recorded(Recorded::Key(AGENT)),
        recorded(Recorded::Key(0)),
    )
        .prop_map(|(proposal, other, frame, holder, principal)| {
            let own = match proposal.get("capability") {
                Some(Json::Text(own)) => own.clone(),
                _ => "shop.order".into(),
            };
            Request::Auto { proposal, capability: other.unwrap_or(own), frame, holder, principal }
        });
    let others = prop_oneof![
        capability().prop_map(|capability| Request::Ask { capability }),
        capability().prop_map(|capability| Request::Intent { capability }),
        (capability(), frame()).prop_map(|(capability, frame)| Request::AutoIntent { capability, frame }),
        (capability(), recorded(Recorded::Key(0)))
            .prop_map(|(capability, principal)| Request::Undo { capability, principal }),
    ];
    prop_oneof![weights[0] => commit(false), weights[1] => auto, weights[2] => commit(true), weights[3] => others]
    .boxed()
}

pub fn expand() -> impl Strategy<Value = Request> {
    recorded(Recorded::Key(AGENT)).prop_map(|owner| Request::Expand { owner })
}

pub fn shown() -> impl Strategy<Value = Shown> {
    let skew = prop_oneof![8 => -300..=300_i64, 1 => Just(301), 1 => Just(-301)];
    prop_oneof![
        12 => skew.prop_map(|skew| Shown::Proof(AGENT, skew)),
        12 => Just(Shown::Word(AGENT)),
        1 => (0..8_usize).prop_map(Shown::Word),
        1 => prop_oneof![Just(AGENT), 0..8_usize].prop_map(Shown::Forged),
        1 => Just(Shown::Nothing),
    ]
}

pub fn case(
    grants: impl Strategy<Value = Vec<Grant>> + 'static,
    request: impl Strategy<Value = Request> + 'static,
    shown: impl Strategy<Value = Shown> + 'static,
) -> BoxedStrategy<Case> {
    (grants, request, shown, T - 1..=T + 1, any::<bool>())
        .prop_map(|(grants, request, shown, now, kept)| {
            let mut case = Case { grants, request, shown, now, kept };
            settle(&mut case);
            case
        })
        .boxed()
}

/// Puts the hash in where it is meant, and makes the roots differ.
fn settle(case: &mut Case) {
    let hash = match &case.request {
        Request::Commit { proposal, .. } | Request::Auto { proposal, .. } => proposal_hash(proposal),
        _ => "none".into(),
    };
    for (index, grant) in case.grants.iter_mut().enumerate() {
        grant.nonce.push_str(&index.to_string());
        for caveat in grant.blocks.iter_mut().flat_map(|block| &mut block.caveats) {
            if caveat.get("only") == Some(&text(THE_HASH)) {
                *caveat = caveat.with("only", text(&hash));
            }
        }
    }
}
