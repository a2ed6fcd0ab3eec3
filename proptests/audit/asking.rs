//! What a human says yes to is what happens, and nothing else.

use super::{AGENT, OTHER, T, config, key, offer, proof};
use crate::generate::a2_value;
use crate::hand::{self, Json, object, public, text};
use crate::model::{SERVICE, TRUSTED};
use crate::put;
use crate::requests::proposal;
use crate::spell::{Dice, anyhow};
use parley_grants::{
    Answer, BlockId, Commit, Committed, ConsentRequest, Decision, Grant, Limits, Offered, Origin, Possession,
    Presentable, Presented, Proposal, PublicKey, RecordedKey, Request, Verifier,
};
use proptest::prelude::*;
use proptest::sample::{Index, select};

const MEMBERS: [&str; 7] = ["proposal", "hash", "service", "capability", "principal", "summary", "expires"];

/// The request as a service must send it (A9.1).
fn asking(proposal: &Json, service: &str, principal: usize) -> Json {
    let of = |name| proposal.get(name).unwrap().clone();
    object([
        ("proposal", of("id")),
        ("hash", Json::Text(hand::proposal_hash(proposal))),
        ("service", text(service)),
        ("capability", of("capability")),
        ("principal", Json::Text(public(principal))),
        ("summary", of("summary")),
        ("expires", of("expires")),
    ])
}

/// The five caveats of a consent, in their order (A9.4).
fn caveats(proposal: &Json, service: &str) -> Vec<Json> {
    let list = |item: Json| Json::List(vec![item]);
    vec![
        object([("svc", list(text(service)))]),
        object([("verbs", list(text("COMMIT")))]),
        object([("can", list(proposal.get("capability").unwrap().clone()))]),
        object([("only", Json::Text(hand::proposal_hash(proposal)))]),
        object([("exp", proposal.get("expires").unwrap().clone())]),
    ]
}

/// Another proposal, one step away.
fn other(proposal: &Json, which: usize, to: &Json) -> Json {
    let names = ["id", "summary", "capability", "cost", "risk", "undo", "expires", "effects", "more"];
    let name = names[which % names.len()];
    let value = match name {
        "capability" => text("shop.other"),
        "cost" => object([("amount", Json::Int(7)), ("currency", text("CHF"))]),
        "risk" if proposal.get("risk") == Some(&text("high")) => text("low"),
        "risk" => text("high"),
        "undo" => object([("window", Json::Int(77))]),
        "expires" => Json::Int(T + 601),
        "effects" => Json::List(vec![object([("op", text("delete")), ("target", text("all"))])]),
        "more" => to.clone(),
        _ => text("something else"),
    };
    proposal.with(name, value)
}

/// What the front door says to a commit of this proposal.
fn commit(
    verifier: &Verifier<Vec<PublicKey>>,
    token: &str,
    by: usize,
    proposal: &Json,
    now: i64,
) -> Decision {
    let (text, hash) = (proposal.plain(), hand::proposal_hash(proposal));
    let signed = hand::proof(by, verifier.service(), "COMMIT", &hash, now).plain();
    let grants = [Presentable::Token(token)];
    let presented = Presented { grants: &grants, proof: Possession::Proof(signed.as_bytes()), now };
    let origin = Origin::with_grant(RecordedKey::Key(key(by)), RecordedKey::Key(key(0)));
    let commit = Commit::Sent { proposal: Offered::Text(text.as_bytes()), hash: &hash, origin: &origin };
    put::driven(verifier.commit(&commit, &presented, super::name(1_u64)), &|_: &BlockId| 0)
}

proptest! {
    #![proptest_config(config())]

    /// Every member of the request counts (A9.5).
    #[test]
    fn a_consent_is_only_for_the_proposal_that_was_shown(
        proposal in proposal(),
        service in select(vec![SERVICE, "", "é"]),
        changed in select(MEMBERS.to_vec()),
        to in a2_value(),
        step in 0..9_usize,
        dice in any::<u64>(),
    ) {
        let shown = Proposal::parse(proposal.plain().as_bytes()).unwrap();
        let right = asking(&proposal, service, 0);
        let read = |request: &Json| ConsentRequest::parse(anyhow(request, &mut Dice(dice)).as_bytes());
        let request = read(&right).unwrap();
        prop_assert_eq!(request.to_json(), right.canonical());
        let matched = request.matched(&shown, service, &key(0));
        prop_assert!(matched.is_ok());
        #[cfg(feature = "issue")]
        if let Ok(matched) = &matched {
            use parley_grants::issue;
            let draft = issue::prepare_matched_consent(matched, &key(AGENT), T, "n").unwrap();
            let plan = super::plan(0, "n", vec![(AGENT, caveats(&proposal, service))]);
            let signature = hand::sign(0, std::str::from_utf8(draft.bytes_to_sign()).unwrap());
            prop_assert_eq!(draft.finish(&signature).unwrap(), super::token(&plan));
        }
        // The same request about something else: another service, another human, another proposal.
        prop_assert!(request.matched(&shown, "other.example", &key(0)).is_err());
        prop_assert!(request.matched(&shown, service, &key(1)).is_err());
        let another = other(&proposal, step, &to);
        if another.sorted() != proposal.sorted() {
            let another = Proposal::parse(another.plain().as_bytes()).unwrap();
            prop_assert!(request.matched(&another, service, &key(0)).is_err());
        }
        // Another request: one member of another value, of any value, or not there at all.
        let near = match right.get(changed).unwrap() {
            Json::Int(time) => Json::Int(if *time > 0 { time - 1 } else { time + 1 }),
            Json::Text(_) if changed == "principal" => Json::Text(public(1)),
            Json::Text(text) => Json::Text(format!("{text} ")),
            _ => unreachable!(),
        };
        for value in [near, to] {
            if right.get(changed) != Some(&value)
                && let Ok(request) = read(&right.with(changed, value))
            {
                prop_assert!(request.matched(&shown, service, &key(0)).is_err(), "{}", changed);
            }
        }
        prop_assert!(read(&right.without(&[changed])).is_err());
        prop_assert!(read(&right.with("more", Json::Null)).is_err());
    }

    /// It allows that COMMIT, by that agent, at that service, in time; and nothing else (A9.3).
    #[test]
    fn a_consent_grant_is_no_broader_than_its_proposal(
        proposal in proposal(), star in any::<bool>(), step in 0..9_usize, to in a2_value(), cut in 0..5_usize, early in 1..1000_i64,
    ) {
        // A capability that would be a pattern in `can`.
        let proposal = if star { proposal.with("capability", text("shop.*")) } else { proposal };
        let proposal = proposal.with("expires", Json::Int(T + 600));
        let plan = super::plan(0, "n", vec![(AGENT, caveats(&proposal, SERVICE))]);
        let token = super::token(&plan);
        #[cfg(feature = "issue")]
        {
            let kept = Proposal::parse(proposal.plain().as_bytes()).unwrap();
            let draft = parley_grants::issue::prepare_consent(&key(0), &key(AGENT), &kept, SERVICE, T, "n").unwrap();
            let signature = hand::sign(0, std::str::from_utf8(draft.bytes_to_sign()).unwrap());
            prop_assert_eq!(draft.finish(&signature).unwrap(), token.clone());
        }
        let trusted = TRUSTED.map(key).to_vec();
        let (verifier, elsewhere) = (put::verifier(), Verifier::new("other.example", trusted));
        let allowed = |at: &Verifier<_>, by, what: &Json, now| super::is_allowed(&commit(at, &token, by, what, now));
        prop_assert!(allowed(&verifier, AGENT, &proposal, T));
        prop_assert!(allowed(&verifier, AGENT, &proposal, T + 600 - early.min(600)));
        prop_assert!(!allowed(&verifier, AGENT, &proposal, T + 599 + early));
        prop_assert!(!allowed(&verifier, OTHER, &proposal, T));
        prop_assert!(!allowed(&elsewhere, AGENT, &proposal, T));
        let another = other(&proposal, step, &to);
        if another.sorted() != proposal.sorted() {
            let decision = commit(&verifier, &token, AGENT, &another, T);
            prop_assert_eq!(super::code(&decision), "forbidden");
        }

        // No other verb, and no replay of anything else or after the end.
        let Some(Json::Text(capability)) = proposal.get("capability") else { unreachable!() };
        let hash = hand::proposal_hash(&proposal);
        let agent = key(AGENT);
        let grants = [Presentable::Token(&token)];
        let presented = |now| Presented { grants: &grants, proof: Possession::AssumeProven(&agent), now };
        let committed = |hash: &str| Committed::recorded(RecordedKey::Key(agent), RecordedKey::Key(key(0)), capability, hash);
        let of = committed(&hash);
        for request in [
            Request::Ask { capability }, Request::Intent { capability }, Request::AutoIntent { capability, frame: "f" }, Request::Undo { receipt: "r", of: &of },
        ] {
            prop_assert!(!super::is_allowed(&verifier.authorize(&request, &presented(T))), "{:?}", request);
        }
        let replay = |of: &Committed, now| super::is_allowed(&verifier.authorize(&Request::Replay { hash: of.hash(), of }, &presented(now)));
        prop_assert!(replay(&of, T) && !replay(&of, T + 600));
        let longer = committed(&format!("{hash}A"));
        prop_assert!(!replay(&longer, T));

        // And it is told from what is not quite one.
        let kept = Proposal::parse(proposal.plain().as_bytes()).unwrap();
        let is_consent = |plan: &hand::Grant, at: &str| {
            Grant::decode(&super::token(plan), &Limits::default()).unwrap().is_consent_for(kept.terms(), at)
        };
        prop_assert!(is_consent(&plan, SERVICE) && !is_consent(&plan, "other.example"));
        let mut broader = plan.clone();
        broader.blocks[0].caveats.remove(cut);
        prop_assert!(!is_consent(&broader, SERVICE));
        let mut swapped = plan.clone();
        swapped.blocks[0].caveats.swap(cut, (cut + 1) % 5);
        prop_assert!(!is_consent(&swapped, SERVICE));
        let mut later = plan.clone();
        later.blocks[0].caveats[4] = object([("exp", Json::Int(T + 600 + early))]);
        prop_assert!(!is_consent(&later, SERVICE));
        let mut wider = plan;
        wider.blocks[0].caveats[1] = object([("verbs", Json::List(vec![text("COMMIT"), text("UNDO")]))]);
        prop_assert!(!is_consent(&wider, SERVICE));
    }

    /// Any other effect, or any change to one, is another proposal (A7.12).
    #[test]
    fn effects_are_covered_by_the_hash(
        effects in prop::collection::vec(prop::collection::vec((select(vec!["op", "target", "field", "from", "to", "detail", "data", "hash", "é"]), a2_value()), 0..4), 1..4),
        at in any::<Index>(), member in any::<Index>(), to in a2_value(), how in 0..6_usize, now in T..T + 3,
    ) {
        let effect = |members: Vec<(&str, Json)>| {
            let usual = object([("op", text("create")), ("target", text("order"))]);
            members.into_iter().fold(usual, |effect, (name, value)| match (name, value) {
                ("op" | "target", value @ Json::Text(_)) => effect.with(name, value),
                ("op" | "target", _) => effect,
                (_, value) => effect.with(name, value),
            })
        };
        let before: Vec<Json> = effects.into_iter().map(effect).collect();
        let mut after = before.clone();
        let one = at.index(after.len());
        let Json::Object(members) = &before[one] else { unreachable!() };
        let changed = &members[member.index(members.len())].0;
        match how {
            0 => after[one] = before[one].with(changed, if matches!(changed.as_str(), "op" | "target") { text("x") } else { to }),
            1 if !matches!(changed.as_str(), "op" | "target") => after[one] = before[one].without(&[changed]),
            2 => after[one] = before[one].with("zz", to),
            3 => after.insert(one, object([("op", text("delete")), ("target", text("all"))])),
            4 => after.reverse(),
            _ => drop(after.remove(one)),
        }
        let base = offer("p", Some(5), "low");
        let [shown, done] = [&before, &after].map(|effects| base.with("effects", Json::List(effects.clone())));
        let [read, other] = [&shown, &done].map(|value| Proposal::parse(value.plain().as_bytes()).unwrap());
        let is_same = shown.sorted() == done.sorted();
        prop_assert_eq!(read.terms().hash() == other.terms().hash(), is_same);
        prop_assert_eq!(read.effects() == other.effects(), is_same);
        if !is_same {
            // What was shown is not what would be done.
            let hash = hand::proposal_hash(&shown);
            let (token, signed) = (super::root(0, AGENT, vec![]), proof(AGENT, "COMMIT", &hash, now));
            let grants = [Presentable::Token(&token)];
            let presented = Presented { grants: &grants, proof: Possession::Proof(signed.as_bytes()), now };
            let origin = Origin::without_grant(RecordedKey::Key(key(AGENT)));
            let verifier = put::verifier();
            let commit = Commit::Sent { proposal: Offered::Kept(&other), hash: &hash, origin: &origin };
            let decision = put::driven(verifier.commit(&commit, &presented, super::name(1_u64)), &|_: &BlockId| 0);
            let Decision::Refused(refusal) = decision else { panic!("allowed") };
            prop_assert_eq!(refusal.answer(), &Answer::Conflict);
        }
    }
}
