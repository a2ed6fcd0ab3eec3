//! Steps are counted here, not timed: hooks that are asked, calls to a ledger, and what comes out.

use super::{AGENT, T, code, config, key, limit, name, offer, proof, verified};
use crate::hand::{self, Json, object, text};
use crate::model::SERVICE;
use parley_grants::{
    Action, BlockId, Caveat, Close, Closed, Commit, Decision, Demand, Grant, Ledger, Limits, Link, Offered,
    Origin, Owner, Possession, Presentable, Presented, Proposal, ProvenKey, PublicKey, RecordedKey, Request,
    ReservationId, Reserve, Verifier, canonicalize, proposal_hash,
};
use proptest::collection::vec;
use proptest::prelude::*;
use std::cell::Cell;
use std::sync::OnceLock;

const MIB: usize = 1 << 20;

/// A name of up to 1 MiB, and a little more.
fn long(bytes: usize) -> &'static str {
    static LONG: OnceLock<String> = OnceLock::new();
    &LONG.get_or_init(|| "x".repeat(2 * MIB))[..bytes]
}

/// Mostly small; around the bounds of tokens, proofs and JSON now and then.
fn length() -> impl Strategy<Value = usize> {
    let near = |bytes: usize| bytes - 200..=bytes + 200;
    prop_oneof![80 => 0..3000_usize, 12 => near(64 * 1024), 5 => near(MIB)]
}

/// Never has room, and counts how often it was asked.
#[derive(Default)]
struct Asked {
    times: usize,
    lines: usize,
}

impl Ledger for Asked {
    type Error = std::convert::Infallible;

    fn reserve(&mut self, demand: &Demand<'_>) -> Result<Reserve, Self::Error> {
        self.times += 1;
        self.lines += demand.lines.len();
        Ok(Reserve::Exceeded)
    }

    fn close(&mut self, _: &ReservationId, _: Close) -> Result<Closed, Self::Error> {
        Ok(Closed::NotHeld)
    }
}

/// A chain of so many blocks for the agent. Made once.
fn chain(issuer: usize, blocks: usize) -> &'static str {
    static MADE: OnceLock<Vec<Vec<String>>> = OnceLock::new();
    let chain = |issuer, blocks: usize| {
        let block =
            |at| (if at + 1 == blocks { AGENT } else { 5 }, vec![limit("spend", 100), limit("spend", 90)]);
        super::token(&super::plan(issuer, "", (0..blocks).map(block).collect()))
    };
    &MADE.get_or_init(|| (0..3).map(|issuer| (1..19).map(|blocks| chain(issuer, blocks)).collect()).collect())
        [issuer][blocks - 1]
}

proptest! {
    #![proptest_config(config())]

    /// Each grant costs its principal one question, each of its blocks one, and one demand; nothing over a bound does
    /// anything at all (B5, B7.2).
    #[test]
    fn work_is_linear_and_bounded(
        shown in vec((0..3_usize, 1..19_usize), 0..20),
        kind in 0..3_usize,
        size in length(),
        cost in 0..95_i64,
        limits in (0..20_usize, 0..20_usize),
        forged in prop::bool::weighted(0.1),
    ) {
        let (trusted, revoked) = (Cell::new(0), Cell::new(0));
        let trust = |issuer: &PublicKey| {
            trusted.set(trusted.get() + 1);
            [key(0), key(1)].contains(issuer)
        };
        let revoke = |_: &Link<'_>| {
            revoked.set(revoked.get() + 1);
            false
        };
        // A limit cannot be raised.
        let (most_blocks, most_grants) = (limits.0.min(16), limits.1.min(16));
        let limits = Limits::default().with_blocks(limits.0).with_grants(limits.1);
        let verifier = Verifier::new(SERVICE, trust).with_revocation(revoke).with_limits(limits);
        let tokens: Vec<_> = shown.iter().map(|(issuer, blocks)| chain(*issuer, *blocks)).collect();
        let grants: Vec<_> = tokens.iter().map(|token| Presentable::Token(token)).collect();
        let proposal = offer("p", Some(cost), "low");
        let (json, hash) = (proposal.plain(), hand::proposal_hash(&proposal));
        let signer = if forged { OTHER_SIGNER } else { AGENT };
        let by = |verb, target: &str| {
            let signature = hand::sign(signer, &hand::proof_text(SERVICE, verb, target, T));
            object([("key", Json::Text(hand::public(AGENT))), ("ts", Json::Int(T)), ("sig", Json::Text(hand::b64(&signature)))]).plain()
        };
        let counting: Vec<_> = shown.iter().filter(|(issuer, blocks)| *issuer < 2 && *blocks <= most_blocks).collect();
        let (asked, size_of_log) = match kind {
            0 => {
                let signed = by("COMMIT", &hash);
                let presented = Presented { grants: &grants, proof: Possession::Proof(signed.as_bytes()), now: T };
                let origin = Origin::without_grant(RecordedKey::Key(key(AGENT)));
                let commit = Commit::Sent { proposal: Offered::Text(json.as_bytes()), hash: &hash, origin: &origin };
                let mut ledger = Asked::default();
                let Ok(decided) = verifier.commit(&commit, &presented, name(1_u64)).drive(&mut ledger);
                let Err(refusal) = decided else { panic!("no room, and allowed") };
                let is_over = grants.len() > most_grants || forged;
                let expected = if is_over || cost > 90 { 0 } else { counting.len() };
                prop_assert_eq!(ledger.times, expected);
                prop_assert!(ledger.lines <= counting.iter().map(|(_, blocks)| blocks).sum());
                (if is_over { 0 } else { grants.len() }, refusal.log().to_string().len())
            }
            1 => {
                // A name of any length in the place of everything that is sent.
                let name = long(size);
                let signed = if size < 3000 { by("ASK", name) } else { proof(AGENT, "ASK", "", T) };
                let presented = Presented { grants: &grants, proof: Possession::Proof(signed.as_bytes()), now: T };
                let decision = verifier.authorize(&Request::Ask { capability: name }, &presented);
                let is_over = grants.len() > most_grants;
                if size > 64 * 1024 - 60 {
                    prop_assert_eq!((code(&decision), trusted.get()), ("unauthorized", 0), "over the bound, or no grants");
                }
                let owner = Owner::Key(RecordedKey::Key(key(AGENT)));
                let expand = verifier.authorize(&Request::Expand { handle: name, owner }, &presented);
                prop_assert_eq!(code(&expand), "unauthorized");
                prop_assert!(format!("{decision:?}{expand:?}").len() < 1000, "an answer is short whatever was sent");
                let most = if is_over { 0 } else { grants.len() };
                let Decision::Refused(refusal) = decision else { prop_assert!(trusted.get() <= most); return Ok(()) };
                (trusted.get().min(most), refusal.log().to_string().len())
            }
            _ => {
                let name = long(size);
                // Over 64 KiB no token, over 1 MiB no JSON: nobody is asked anything.
                let big = Presentable::Token(name);
                let many = vec![big; shown.len()];
                let signed = by("ASK", "shop.order");
                let presented = Presented { grants: &many, proof: Possession::Proof(signed.as_bytes()), now: T };
                let decision = verifier.authorize(&Request::Ask { capability: "shop.order" }, &presented);
                prop_assert_eq!(code(&decision), "unauthorized");
                let is_over = size + 2 > MIB;
                let quoted = format!("\"{name}\"");
                prop_assert_eq!(canonicalize(quoted.as_bytes()).map(|text| text.len()).ok(), (!is_over).then_some(size + 2));
                let plan = offer(name, None, "low").plain();
                prop_assert_eq!(proposal_hash(plan.as_bytes()).is_ok(), plan.len() <= MIB);
                let parsed = Proposal::parse(plan.as_bytes());
                prop_assert_eq!(parsed.is_ok(), plan.len() <= MIB);
                prop_assert!(parsed.is_err() || parsed.is_ok_and(|parsed| parsed.canonical().len() <= plan.len()));
                let caveat = Caveat::parse(object([("risk", text(name))]).plain().as_bytes());
                prop_assert!(caveat.is_ok_and(|read| read.name().is_none()) || size + 11 > MIB);
                let presented = Presented { proof: Possession::Proof(name.as_bytes()), ..presented };
                let refused = verifier.authorize(&Request::Ask { capability: "shop.order" }, &presented);
                prop_assert_eq!(code(&refused), "unauthorized");
                let Decision::Refused(refusal) = decision else { unreachable!() };
                (0, refusal.log().to_string().len())
            }
        };
        // Only a token within the bounds is worth a question, and only a trusted one what follows.
        let within = shown.iter().filter(|(_, blocks)| *blocks <= most_blocks).count();
        prop_assert!(trusted.get() <= asked.min(within), "trust was asked {} times", trusted.get());
        let blocks: usize = counting.iter().map(|(_, blocks)| blocks).sum();
        let most = if asked == 0 { 0 } else { blocks };
        prop_assert!(revoked.get() <= most);
        prop_assert!(size_of_log <= 200 + 200 * 16 + 60 * 2 * blocks, "a log of {size_of_log} bytes");

        // However many `spend` a block has, its total is asked for once.
        let grant = verified(chain(0, 1 + shown.len() % 16));
        let spent = Cell::new(0);
        let terms = Proposal::parse(json.as_bytes()).unwrap();
        let ask = |_: &BlockId| {
            spent.set(spent.get() + 1);
            0
        };
        let holder = ProvenKey::assume_proven(key(AGENT));
        prop_assert!(grant.evaluate_unbound(&holder, SERVICE, &Action::Commit(terms.terms()), T, &ask).is_some());
        prop_assert_eq!(spent.get(), grant.grant().blocks().len());
        prop_assert!(Grant::decode(chain(0, 17), &Limits::default()).is_err());
    }
}

/// Holds no grant here.
const OTHER_SIGNER: usize = 7;
