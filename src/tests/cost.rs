//! What each answer costs: curve points decompressed and signatures checked (B5).

use super::{NOW, SERVICE, chain, proof, public, who};
use crate::key::count;
use crate::{Answer, Decision, Grant, Limits, Possession, Presentable, Presented, Request, Verifier};
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

const ASK: Request<'static> = Request::Ask { capability: "shop.read" };

/// Code of the answer, points decompressed, signatures checked.
fn ask(trusted: u8, grants: &[Presentable<'_>], proof: &str, now: i64) -> (&'static str, usize, usize) {
    let verifier = Verifier::new(SERVICE, vec![public(&who(trusted))]);
    let presented = Presented { grants, proof: Possession::Proof(proof.as_bytes()), now };
    let (decision, points, signatures) = count::of(|| verifier.authorize(&ASK, &presented));
    let code = match &decision {
        Decision::Allowed(_) => "allowed",
        Decision::Refused(refusal) => refusal.answer().code(),
    };
    (code, points, signatures)
}

#[test]
fn a_request_costs_one_check_a_block_and_one_for_its_proof() {
    for blocks in 1..=16 {
        let (token, proof) =
            (chain(blocks, "").token(), proof(&who(blocks + 1), SERVICE, "ASK", "shop.read", NOW));
        let checks = usize::from(blocks) + 1;
        assert_eq!(ask(1, &[Presentable::Token(&token)], &proof, NOW), ("allowed", checks, checks));
    }
}

#[test]
fn a_kept_grant_costs_the_proof_alone() {
    let verified = Grant::decode(&chain(16, "").token(), &Limits::default())
        .unwrap()
        .verify(&[public(&who(1))])
        .unwrap();
    let kept = [Presentable::Kept(&verified)];
    let proof = |key| proof(&who(key), SERVICE, "ASK", "shop.read", NOW);
    assert_eq!(ask(1, &kept, &proof(17), NOW), ("allowed", 1, 1));
    assert_eq!(ask(1, &kept, &proof(16), NOW), ("unauthorized", 0, 0), "not the holder");
    assert_eq!(ask(9, &kept, &proof(17), NOW), ("unauthorized", 0, 0), "no longer trusted");
}

#[test]
fn a_strangers_token_and_a_wrong_holder_cost_no_check_at_all() {
    let token = chain(16, "").token();
    let holder = proof(&who(17), SERVICE, "ASK", "shop.read", NOW);
    let sixteen = [Presentable::Token(&token); 16];
    assert_eq!(
        ask(9, &sixteen, &holder, NOW),
        ("unauthorized", 0, 0),
        "a stranger's token: not even the proof"
    );
    let other = proof(&who(16), SERVICE, "ASK", "shop.read", NOW);
    assert_eq!(ask(1, &sixteen, &other, NOW), ("unauthorized", 0, 0), "a wrong holder: not even the proof");
}

#[test]
fn a_wrong_proof_costs_exactly_one_check() {
    let token = chain(16, "").token();
    let grants = [Presentable::Token(&token)];
    let wrong = [
        ("audience", proof(&who(17), "other.example", "ASK", "shop.read", NOW)),
        ("verb", proof(&who(17), SERVICE, "INTENT", "shop.read", NOW)),
        ("target", proof(&who(17), SERVICE, "ASK", "shop.reads", NOW)),
    ];
    for (what, proof) in wrong {
        assert_eq!(ask(1, &grants, &proof, NOW), ("unauthorized", 1, 1), "{what}");
    }
}

#[test]
fn what_can_be_seen_without_arithmetic_costs_none() {
    let token = chain(16, "").token();
    let good = proof(&who(17), SERVICE, "ASK", "shop.read", NOW);
    let seventeen = [Presentable::Token(&token); 17];
    assert_eq!(ask(1, &seventeen, &good, NOW), ("unauthorized", 0, 0), "17 grants: before the proof");
    assert_eq!(ask(1, &seventeen[..1], &good, NOW + 301), ("unauthorized", 0, 0), "too old");
    assert_eq!(ask(1, &seventeen[..1], "{}", NOW), ("unauthorized", 0, 0), "no proof");
    assert_eq!(ask(1, &[], &good, NOW), ("unauthorized", 0, 0), "no grants");
    let junk =
        [Presentable::Token("pg1."), Presentable::Token("x"), Presentable::Token(&token[..token.len() - 4])];
    assert_eq!(ask(1, &junk, &good, NOW), ("unauthorized", 0, 0), "no grant that could be one");
    let limits = Limits::default();
    let decode = |token: &str| {
        count::of(|| Grant::decode(token, &limits).map(|grant| grant.verify(&[public(&who(1))])))
    };
    let (grant, points, signatures) = decode(&token);
    assert!(grant.unwrap().is_ok());
    // One point more than signatures, as nothing vouches for the holder's key; and one for `public` itself.
    assert_eq!((points, signatures), (18, 16));
    // A chain that is cut has a `prev` that is not there: told without arithmetic, but for `public`.
    let whole = chain(16, "");
    for cut in 0..15 {
        let mut blocks = whole.blocks.clone();
        blocks.remove(cut);
        let token = super::Chain { blocks, last: String::new() }.token();
        let (grant, points, signatures) = decode(&token);
        assert!(grant.is_err() || grant.unwrap().is_err(), "without block {cut}");
        assert_eq!((points.saturating_sub(1), signatures), (0, 0), "without block {cut}");
    }
}

#[test]
fn a_reserved_capability_costs_nothing() {
    let token = chain(1, "").token();
    let proof = proof(&who(2), SERVICE, "ASK", "auto:x", NOW);
    let verifier = Verifier::new(SERVICE, vec![public(&who(1))]);
    let presented = Presented {
        grants: &[Presentable::Token(&token)],
        proof: Possession::Proof(proof.as_bytes()),
        now: NOW,
    };
    let request = Request::Ask { capability: "auto:x" };
    let (decision, points, signatures) = count::of(|| verifier.authorize(&request, &presented));
    assert_eq!((points, signatures), (0, 0));
    let Decision::Refused(refusal) = decision else { panic!("allowed") };
    assert_eq!(refusal.answer(), &Answer::Forbidden);
}

/// Trust is asked with the key as text, so a predicate sees keys that may not be on the curve; they get no further.
#[test]
fn trust_is_asked_once_a_grant() {
    let asked = core::cell::Cell::new(0);
    let verifier = Verifier::new(SERVICE, |_: &crate::PublicKey| {
        asked.set(asked.get() + 1);
        true
    });
    let tokens: Vec<String> = (0..3).map(|_| chain(2, "{\"exp\":0}").token()).collect();
    let grants: Vec<_> = tokens.iter().map(|token| Presentable::Token(token)).collect();
    let proof = proof(&who(3), SERVICE, "ASK", "shop.read", NOW);
    let presented = Presented { grants: &grants, proof: Possession::Proof(proof.as_bytes()), now: NOW };
    let Decision::Refused(refusal) = verifier.authorize(&ASK, &presented) else { panic!("allowed") };
    assert_eq!((refusal.answer(), asked.get()), (&Answer::Forbidden, 3));
}

/// COMMIT tells more to the agent that the proposal was made for, so there the proof comes first: one check, and none
/// of a stranger's chain.
#[test]
fn a_commit_with_a_strangers_token_costs_the_proof_alone() {
    let text = super::proposal("null");
    let hash = crate::proposal_hash(text.as_bytes()).unwrap();
    let token = chain(16, "").token();
    let proof = proof(&who(17), SERVICE, "COMMIT", &hash, NOW);
    let origin = crate::Origin::without_grant(crate::RecordedKey::Key(public(&who(17))));
    let commit = |trusted| {
        let verifier = Verifier::new(SERVICE, vec![public(&who(trusted))]);
        let grants = [Presentable::Token(&token); 16];
        let presented = Presented { grants: &grants, proof: Possession::Proof(proof.as_bytes()), now: NOW };
        let proposal = crate::Offered::Text(text.as_bytes());
        let commit = crate::Commit::Sent { proposal, hash: &hash, origin: &origin };
        let (decision, points, signatures) =
            count::of(|| super::commit(&verifier, &commit, &presented, &|_: &crate::BlockId| 0));
        (matches!(decision, Decision::Allowed(_)), points, signatures)
    };
    assert_eq!(commit(9), (false, 1, 1));
    assert_eq!(commit(1), (true, 17, 17));
}
