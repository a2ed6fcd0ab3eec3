//! The front door, where vectors cannot reach: what it hands to the service, kept grants, limits, other evidence.

use super::{Chain, NOW, SERVICE, chain, proof, proposal, public, who};
use crate::{
    Allowed, Amount, Answer, Cause, Commit, Committed, Decision, Denial, Grant, Limits, Offered, Origin,
    Possession, Presentable, Presented, Proposal, PublicKey, Reason, RecordedKey, Refusal, Request,
    SpendLine, Terms, Verifier, VouchedTerms,
};
use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;

fn verifier() -> Verifier<Vec<PublicKey>> {
    Verifier::new(SERVICE, vec![public(&who(1))])
}

fn allowed(decision: Decision) -> Allowed {
    match decision {
        Decision::Allowed(allowed) => allowed,
        Decision::Refused(refusal) => panic!("{}", refusal.log()),
    }
}

fn refused(decision: Decision) -> Refusal {
    match decision {
        Decision::Allowed(_) => panic!("allowed"),
        Decision::Refused(refusal) => refusal,
    }
}

const NOTHING: fn(&crate::BlockId) -> u64 = |_| 0;

#[test]
fn from_intent_to_undo_each_answer_carries_what_the_next_needs() {
    let verifier = verifier();
    let caveats = r#"{"spend":{"currency":"EUR","max":5000}},{"spend":{"currency":"EUR","max":4000}}"#;
    let token = Chain::root(&who(1), &who(2), caveats).token();
    let grants = [Presentable::Token(&token)];
    let (text, key) = (proposal(r#"{"amount":1800,"currency":"EUR"}"#), public(&who(2)));
    let parsed = Proposal::parse(text.as_bytes()).unwrap();
    let hash = parsed.terms().hash();

    let sign = |verb, target| proof(&who(2), SERVICE, verb, target, NOW);
    let intent = sign("INTENT", "shop.order");
    let presented = Presented { grants: &grants, proof: Possession::Proof(intent.as_bytes()), now: NOW };
    let intent = allowed(verifier.authorize(&Request::Intent { capability: "shop.order" }, &presented));
    let origin = intent.origin().unwrap();
    assert_eq!(origin, Origin::with_grant(RecordedKey::Key(key), RecordedKey::Key(public(&who(1)))));
    assert_eq!((intent.committed(), intent.spend(), intent.cost()), (None, &[][..], None));
    assert_eq!(intent.terms(), None);

    let sent = sign("COMMIT", hash);
    let presented = Presented { proof: Possession::Proof(sent.as_bytes()), ..presented };
    for proposal in [Offered::Text(text.as_bytes()), Offered::Kept(&parsed), Offered::Vouched(parsed.terms())]
    {
        let commit = allowed(super::commit(
            &verifier,
            &Commit::Sent { proposal, hash, origin: &origin },
            &presented,
            &NOTHING,
        ));
        let grant = Grant::decode(&token, &Limits::default()).unwrap();
        assert_eq!(
            commit.spend(),
            [SpendLine { block: *grant.id(), max: 4000, forget_after: None }],
            "once a block, the lesser limit"
        );
        assert_eq!(commit.grant_id(), Some(grant.id()));
        assert_eq!((commit.holder(), commit.issuer()), (Some(&key), Some(&public(&who(1)))));
        assert_eq!((commit.origin(), commit.terms()), (None, Some(parsed.terms())));
        let of = commit.committed().unwrap();
        let principal = RecordedKey::Key(public(&who(1)));
        assert_eq!(of, Committed::recorded(RecordedKey::Key(key), principal, "shop.order", hash));
        assert_eq!((of.capability(), of.hash()), ("shop.order", hash));
        assert_eq!(commit.cost(), Amount::new(1800, "EUR").as_ref());

        let replay = allowed(verifier.authorize(&Request::Replay { hash, of: &of }, &presented));
        assert_eq!(
            (replay.spend(), replay.cost(), replay.committed()),
            (&[][..], None, None),
            "reserves nothing"
        );

        let undo = sign("UNDO", "receipt-1");
        let presented = Presented { proof: Possession::Proof(undo.as_bytes()), ..presented };
        let undo = allowed(verifier.authorize(&Request::Undo { receipt: "receipt-1", of: &of }, &presented));
        assert_eq!((undo.origin(), undo.committed()), (None, None));
    }
}

#[test]
fn an_ask_is_no_origin_and_an_auto_intent_is() {
    let token = chain(1, "").token();
    let grants = [Presentable::Token(&token)];
    let decide = |request, target| {
        let verb = if matches!(request, Request::Ask { .. }) { "ASK" } else { "INTENT" };
        let proof = proof(&who(2), SERVICE, verb, target, NOW);
        let presented = Presented { grants: &grants, proof: Possession::Proof(proof.as_bytes()), now: NOW };
        allowed(verifier().authorize(&request, &presented)).origin()
    };
    assert_eq!(decide(Request::Ask { capability: "c" }, "c"), None);
    assert!(decide(Request::AutoIntent { capability: "c", frame: "f:1" }, "auto:c:f:1").is_some());
}

#[test]
fn an_undo_of_a_commit_by_nobody_known_is_for_nobody() {
    let token = chain(1, "").token();
    let proof = proof(&who(2), SERVICE, "UNDO", "r", NOW);
    let presented = Presented {
        grants: &[Presentable::Token(&token)],
        proof: Possession::Proof(proof.as_bytes()),
        now: NOW,
    };
    let undo = |principal| {
        let holder = RecordedKey::Unreadable;
        let of = match principal {
            Some(principal) => Committed::recorded(holder, principal, "c", "h"),
            None => Committed::without_principal(holder, "c", "h"),
        };
        verifier().authorize(&Request::Undo { receipt: "r", of: &of }, &presented)
    };
    let _ = allowed(undo(Some(RecordedKey::Key(public(&who(1))))));
    for nobody in [None, Some(RecordedKey::Unreadable), Some(RecordedKey::Key(public(&who(2))))] {
        assert_eq!(refused(undo(nobody)).answer(), &Answer::Forbidden, "{nobody:?}");
    }
}

#[test]
fn a_kept_grant_meets_the_same_limits() {
    let token = chain(3, r#"{"exp":1790000001},{"nbf":0}"#).token();
    let verified = verifier().verify(&token).unwrap();
    let proof = proof(&who(4), SERVICE, "ASK", "c", NOW);
    let ask = |limits, grant| {
        let grants = [grant];
        let presented = Presented { grants: &grants, proof: Possession::Proof(proof.as_bytes()), now: NOW };
        matches!(
            verifier().with_limits(limits).authorize(&Request::Ask { capability: "c" }, &presented),
            Decision::Allowed(_)
        )
    };
    let whole = Limits::default();
    for (limits, fits) in [
        (whole, true),
        (whole.with_token_bytes(token.len()), true),
        (whole.with_token_bytes(token.len() - 1), false),
        (whole.with_blocks(3), true),
        (whole.with_blocks(2), false),
        (whole.with_blocks(0), false),
        (whole.with_caveats(2), true),
        (whole.with_caveats(1), false),
        (whole.with_grants(0), false),
    ] {
        assert_eq!(ask(limits, Presentable::Kept(&verified)), fits, "kept, {limits:?}");
        assert_eq!(ask(limits, Presentable::Token(&token)), fits, "token, {limits:?}");
    }
    for grant in [Presentable::Kept(&verified), Presentable::Token(&token)] {
        assert!(ask(whole.with_depth(5), grant) && !ask(whole.with_depth(4), grant));
    }
    let deep = |limits: Limits| ask(limits, Presentable::Token(&token));
    // 2 bytes of braces, 4 names, the values: exactly the text that is signed.
    let text = r#"{"aud":"shop.example","target":"c","ts":1790000000,"verb":"ASK"}"#.len();
    assert!(deep(whole.with_proof_bytes(text)) && !deep(whole.with_proof_bytes(text - 1)));
    assert!(deep(whole.with_json_bytes(proof.len())) && !deep(whole.with_json_bytes(proof.len() - 1)));
}

#[test]
fn limits_only_go_down() {
    let most = usize::MAX;
    let raised = Limits::default()
        .with_token_bytes(most)
        .with_blocks(most)
        .with_caveats(most)
        .with_grants(most)
        .with_depth(most)
        .with_json_bytes(most)
        .with_proof_bytes(most);
    assert_eq!(raised, Limits::default());
    assert_eq!(
        Limits::default(),
        Limits {
            token_bytes: 65_536,
            blocks: 16,
            caveats: 64,
            grants: 16,
            depth: 32,
            json_bytes: 1_048_576,
            proof_bytes: 65_536
        }
    );
}

#[test]
fn a_word_instead_of_a_proof_still_needs_the_holder() {
    let token = chain(1, "").token();
    let grants = [Presentable::Token(&token)];
    let ask = |proof| {
        let presented = Presented { grants: &grants, proof, now: NOW };
        verifier().authorize(&Request::Ask { capability: "c" }, &presented)
    };
    let (holder, other) = (public(&who(2)), public(&who(1)));
    let _ = allowed(ask(Possession::AssumeProven(&holder)));
    assert_eq!(refused(ask(Possession::AssumeProven(&other))).answer(), &Answer::Unauthorized);
    assert_eq!(refused(ask(Possession::None)).log().cause(), &Cause::NoProof);
}

#[test]
fn terms_for_which_a_service_vouches() {
    let vouched = |capability: &str| {
        Terms::vouch_for(VouchedTerms {
            id: String::from("p"),
            hash: String::from("h"),
            capability: String::from(capability),
            summary: String::new(),
            cost: None,
            risk: crate::Risk::Low,
            undo: None,
            expires: NOW,
        })
    };
    assert!(vouched("auto:x").is_err() && vouched("auto").is_ok());
    let terms = vouched("c").unwrap();
    let (token, key) = (chain(1, "").token(), public(&who(2)));
    let proof = proof(&who(2), SERVICE, "COMMIT", "h", NOW - 1);
    let presented = Presented {
        grants: &[Presentable::Token(&token)],
        proof: Possession::Proof(proof.as_bytes()),
        now: NOW - 1,
    };
    let origin = Origin::without_grant(RecordedKey::Key(key));
    let commit = Commit::Sent { proposal: Offered::Vouched(&terms), hash: "h", origin: &origin };
    let _ = allowed(super::commit(&verifier(), &commit, &presented, &NOTHING));
    let late = Presented { now: NOW, ..presented };
    assert_eq!(refused(super::commit(&verifier(), &commit, &late, &NOTHING)).answer(), &Answer::Expired);
}

#[test]
fn every_failing_caveat_is_in_the_log_with_its_place() {
    let root = r#"{"svc":["other"]},{"exp":2000000000},{"spend":{"currency":"EUR","max":1}},{"x":1}"#;
    let token = Chain::root(&who(1), &who(2), root)
        .then(&who(2), &who(3), r#"{"per":{"currency":"USD","max":9000}},{"risk":"toString"}"#)
        .token();
    let text = proposal(r#"{"amount":1800,"currency":"EUR"}"#);
    let hash = crate::proposal_hash(text.as_bytes()).unwrap();
    let proof = proof(&who(3), SERVICE, "COMMIT", &hash, NOW);
    let grants = [Presentable::Token("pg1.AA"), Presentable::Token(&token)];
    let presented = Presented { grants: &grants, proof: Possession::Proof(proof.as_bytes()), now: NOW };
    let origin = Origin::without_grant(RecordedKey::Key(public(&who(3))));
    let commit = Commit::Sent { proposal: Offered::Text(text.as_bytes()), hash: &hash, origin: &origin };
    let refusal = refused(super::commit(&verifier(), &commit, &presented, &NOTHING));
    assert_eq!(refusal.answer(), &Answer::Forbidden);
    assert_eq!(refusal.log().cause(), &Cause::NoGrantAllows);
    let [bad, grant] = refusal.log().grants() else { panic!("{}", refusal.log()) };
    assert!(matches!(bad.denial, Denial::Invalid(_)) && bad.id.is_none());
    let Denial::Caveats(failures) = &grant.denial else { panic!("{}", refusal.log()) };
    let places: Vec<_> =
        failures.iter().map(|failure| (failure.block, failure.caveat, failure.reason)).collect();
    assert_eq!(
        places,
        [
            (0, 0, Reason::Service),
            (0, 2, Reason::Spend),
            (0, 3, Reason::Unknown),
            (1, 0, Reason::PerCurrency),
            (1, 1, Reason::Malformed)
        ]
    );
}

#[test]
fn no_total_overflows() {
    let max = 9_007_199_254_740_991_u64;
    let token = chain(1, r#"{"spend":{"currency":"EUR","max":9007199254740991}}"#).token();
    let commit = |amount: u64, spent: u64| {
        let text = proposal(&alloc::format!(r#"{{"amount":{amount},"currency":"EUR"}}"#));
        let hash = crate::proposal_hash(text.as_bytes()).unwrap();
        let proof = proof(&who(2), SERVICE, "COMMIT", &hash, NOW);
        let presented = Presented {
            grants: &[Presentable::Token(&token)],
            proof: Possession::Proof(proof.as_bytes()),
            now: NOW,
        };
        let origin = Origin::without_grant(RecordedKey::Key(public(&who(2))));
        let commit = Commit::Sent { proposal: Offered::Text(text.as_bytes()), hash: &hash, origin: &origin };
        matches!(
            super::commit(&verifier(), &commit, &presented, &move |_: &crate::BlockId| spent),
            Decision::Allowed(_)
        )
    };
    assert!(commit(max, 0) && commit(0, max) && commit(1, max - 1));
    assert!(!commit(1, max) && !commit(max, 1) && !commit(max, max));
    assert!(!commit(0, u64::MAX) && !commit(1, u64::MAX) && !commit(max, u64::MAX));
}

#[test]
fn sets_of_principals_and_maps_of_totals() {
    use crate::{Spent as _, Trust};
    use alloc::collections::{BTreeMap, BTreeSet};
    let (one, two) = (public(&who(1)), public(&who(2)));
    let knows = |trust: &dyn Trust| (trust.trusts(&one), trust.trusts(&two));
    let slice: &[PublicKey] = &[one];
    assert_eq!((slice.trusts(&one), slice.trusts(&two)), (true, false));
    assert_eq!(knows(&vec![one]), (true, false));
    assert_eq!(knows(&[one]), (true, false));
    assert_eq!(knows(&BTreeSet::from([one])), (true, false));
    assert_eq!(knows(&|key: &PublicKey| *key == one), (true, false));
    #[cfg(feature = "std")]
    assert_eq!(knows(&std::collections::HashSet::from([one])), (true, false));
    let (a, b) = (crate::BlockId::from_bytes([1; 32]), crate::BlockId::from_bytes([2; 32]));
    let totals = BTreeMap::from([(a, 7)]);
    assert_eq!((totals.spent(&a), totals.spent(&b)), (7, 0));
    #[cfg(feature = "std")]
    {
        let totals = std::collections::HashMap::from([(a, 7)]);
        assert_eq!((totals.spent(&a), totals.spent(&b)), (7, 0));
    }
}

#[test]
fn a_consent_request_says_what_the_proposal_says() {
    let token = chain(1, r#"{"risk":"low"},{"per":{"currency":"EUR","max":1}}"#).token();
    let text = proposal(r#"{"amount":1800,"currency":"EUR"}"#);
    let hash = crate::proposal_hash(text.as_bytes()).unwrap();
    let proof = proof(&who(2), SERVICE, "COMMIT", &hash, NOW);
    let presented = Presented {
        grants: &[Presentable::Token(&token)],
        proof: Possession::Proof(proof.as_bytes()),
        now: NOW,
    };
    let origin = Origin::without_grant(RecordedKey::Key(public(&who(2))));
    let commit = Commit::Sent { proposal: Offered::Text(text.as_bytes()), hash: &hash, origin: &origin };
    let refusal = refused(super::commit(&verifier(), &commit, &presented, &NOTHING));
    let Answer::ConsentRequired(request) = refusal.answer() else { panic!("{refusal:?}") };
    assert_eq!(refusal.answer().code(), "consent_required");
    let principal = super::key_text(&who(1));
    assert_eq!(
        request.to_json(),
        alloc::format!(
            r#"{{"capability":"shop.order","expires":1790000600,"hash":"{hash}","principal":"{principal}","proposal":"p","service":"shop.example","summary":"Two cups"}}"#
        )
    );
    assert!(crate::read_canonical(request.to_json().as_bytes()).is_ok());
}

#[test]
fn policy_alone_is_for_the_holder_and_names_each_failure() {
    let token = chain(2, r#"{"can":["a.*"]},{"exp":1790000000},{"nbf":1790000000}"#).token();
    let grant = verifier().verify(&token).unwrap();
    let holder = crate::ProvenKey::assume_proven(public(&who(3)));
    let ask = |capability, now| {
        let evaluation =
            grant.evaluate_unbound(&holder, SERVICE, &crate::Action::Ask(capability), now, &NOTHING).unwrap();
        let reasons: Vec<_> =
            evaluation.failures().iter().map(|failure| (failure.caveat, failure.reason)).collect();
        (evaluation.outcome(), reasons)
    };
    use crate::Outcome::{Allowed, Forbidden};
    assert_eq!(ask("b", NOW), (Forbidden, vec![(0, Reason::Capability), (1, Reason::Expired)]));
    assert_eq!(ask("a.b", NOW - 1), (Forbidden, vec![(2, Reason::NotYet)]));
    let token = chain(1, "").token();
    let free = verifier().verify(&token).unwrap();
    let holder = crate::ProvenKey::assume_proven(public(&who(2)));
    let ask = |holder, capability| {
        free.evaluate_unbound(holder, SERVICE, &crate::Action::Ask(capability), NOW, &NOTHING)
    };
    let (fine, reserved) = (ask(&holder, "c").unwrap(), ask(&holder, "auto:c").unwrap());
    assert_eq!((fine.outcome(), fine.is_reserved()), (Allowed, false));
    assert_eq!((reserved.outcome(), reserved.is_reserved()), (Forbidden, true), "without any failing caveat");
    assert_eq!(ask(&crate::ProvenKey::assume_proven(public(&who(1))), "c"), None, "not the holder");
}

/// A proof is good for 300 seconds either way, the last one included.
#[test]
fn a_proof_at_the_bounds_of_its_window() {
    let token = chain(1, "").token();
    let proof = proof(&who(2), SERVICE, "ASK", "c", NOW);
    let grants = [Presentable::Token(&token)];
    let ask = |now| {
        let presented = Presented { grants: &grants, proof: Possession::Proof(proof.as_bytes()), now };
        matches!(verifier().authorize(&Request::Ask { capability: "c" }, &presented), Decision::Allowed(_))
    };
    assert!(ask(NOW - 300) && ask(NOW + 300));
    assert!(!ask(NOW - 301) && !ask(NOW + 301) && !ask(i64::MIN) && !ask(i64::MAX));
}

#[test]
fn a_kept_proposal_meets_the_same_limits() {
    let text = proposal("null");
    let parsed = Proposal::parse(text.as_bytes()).unwrap();
    let hash = parsed.terms().hash();
    let token = chain(1, "").token();
    let key = public(&who(2));
    let origin = Origin::without_grant(RecordedKey::Key(key));
    for offered in [Offered::Text(text.as_bytes()), Offered::Kept(&parsed)] {
        let commit = |limits: Limits| {
            let presented = Presented {
                grants: &[Presentable::Token(&token)],
                proof: Possession::AssumeProven(&key),
                now: NOW,
            };
            let commit = Commit::Sent { proposal: offered, hash, origin: &origin };
            matches!(
                super::commit(&verifier().with_limits(limits), &commit, &presented, &NOTHING),
                Decision::Allowed(_)
            )
        };
        let whole = Limits::default();
        assert!(commit(whole.with_json_bytes(text.len())) && !commit(whole.with_json_bytes(text.len() - 1)));
    }
    // A token needs five levels and this proposal three; with `data`, more.
    let deep = text.replace(r#""id""#, r#""data":[[[[[[1]]]]]],"id""#);
    let parsed = Proposal::parse(deep.as_bytes()).unwrap();
    assert_eq!(parsed.terms().hash(), hash);
    assert!(parsed.check_limits(&Limits::default().with_depth(7)).is_ok());
    assert!(parsed.check_limits(&Limits::default().with_depth(6)).is_err());
}

/// Whoever evaluates by themselves says what was counted before.
#[test]
fn policy_alone_takes_the_callers_word_for_totals() {
    let token = chain(1, r#"{"spend":{"currency":"EUR","max":5000}}"#).token();
    let grant = verifier().verify(&token).unwrap();
    let holder = crate::ProvenKey::assume_proven(public(&who(2)));
    let parsed = Proposal::parse(proposal(r#"{"amount":1800,"currency":"EUR"}"#).as_bytes()).unwrap();
    let commit = |counted: u64| {
        let action = crate::Action::Commit(parsed.terms());
        let spent = |block: &crate::BlockId| if block == grant.id() { counted } else { u64::MAX };
        grant.evaluate_unbound(&holder, SERVICE, &action, NOW, &spent).unwrap().outcome()
    };
    use crate::Outcome::{Allowed, ConsentRequired};
    assert_eq!((commit(3200), commit(3201)), (Allowed, ConsentRequired));
}

/// The reasons that a grant with this one caveat has against a COMMIT for 1800 EUR.
#[test]
fn limits_on_a_commit_at_their_bounds() {
    let parsed = Proposal::parse(proposal(r#"{"amount":1800,"currency":"EUR"}"#).as_bytes()).unwrap();
    let free = Proposal::parse(proposal("null").as_bytes()).unwrap();
    let holder = crate::ProvenKey::assume_proven(public(&who(2)));
    for (caveat, reasons) in [
        (r#"{"per":{"currency":"EUR","max":1800}}"#, &[][..]),
        (r#"{"per":{"currency":"EUR","max":1799}}"#, &[Reason::PerCommit]),
        (r#"{"per":{"currency":"eur","max":1800}}"#, &[Reason::PerCurrency]),
        (r#"{"spend":{"currency":"EUR","max":1800}}"#, &[]),
        (r#"{"spend":{"currency":"EUR","max":1799}}"#, &[Reason::Spend]),
        (r#"{"spend":{"currency":"eur","max":1800}}"#, &[Reason::SpendCurrency]),
        (r#"{"risk":"low"}"#, &[]),
    ] {
        let grant = verifier().verify(&chain(1, caveat).token()).unwrap();
        let evaluate = |action| grant.evaluate_unbound(&holder, SERVICE, &action, NOW, &NOTHING).unwrap();
        let evaluation = evaluate(crate::Action::Commit(parsed.terms()));
        let got: Vec<_> = evaluation.failures().iter().map(|failure| failure.reason).collect();
        assert_eq!(got, reasons, "{caveat}");
        for other in [crate::Action::Commit(free.terms()), crate::Action::Intent("shop.order")] {
            assert_eq!(evaluate(other).failures(), [], "{caveat}");
        }
    }
    let grant = verifier().verify(&chain(1, r#"{"verbs":["COMMIT"]}"#).token()).unwrap();
    let evaluate = |action| grant.evaluate_unbound(&holder, SERVICE, &action, NOW, &NOTHING).unwrap();
    assert_eq!(evaluate(crate::Action::Commit(parsed.terms())).failures(), []);
    assert_eq!(evaluate(crate::Action::Undo("shop.order")).failures()[0].reason, Reason::Verb);
}

/// Whose proposal it is, decides before anything is said about it; of which principal, with the grants.
#[test]
fn a_commit_and_a_handle_are_for_who_made_them() {
    let token = chain(1, "").token();
    let grants = [Presentable::Token(&token)];
    let text = proposal("null");
    let hash = crate::proposal_hash(text.as_bytes()).unwrap();
    let (one, two) = (RecordedKey::Key(public(&who(1))), RecordedKey::Key(public(&who(2))));
    let sent = proof(&who(2), SERVICE, "COMMIT", &hash, NOW);
    let commit = |origin: Origin| {
        let presented = Presented { grants: &grants, proof: Possession::Proof(sent.as_bytes()), now: NOW };
        let commit = Commit::Sent { proposal: Offered::Text(text.as_bytes()), hash: &hash, origin: &origin };
        match super::commit(&verifier(), &commit, &presented, &NOTHING) {
            Decision::Allowed(_) => None,
            Decision::Refused(refusal) => Some((refusal.answer().code(), *refusal.log().cause())),
        }
    };
    for good in [Origin::without_grant(two), Origin::with_grant(two, one)] {
        assert_eq!((good.holder(), commit(good)), (Some(&two), None), "{good:?}");
    }
    let of_one = Origin::with_grant(two, one);
    assert_eq!((of_one.principal(), Origin::without_grant(two).principal()), (Some(&one), None));
    let other = Some(("forbidden", Cause::OtherHolder));
    let nobody = RecordedKey::Unreadable;
    for bad in [Origin::without_grant(one), Origin::without_grant(nobody), Origin::anonymous()] {
        assert_eq!(commit(bad), other, "{bad:?}");
    }
    for bad in [Origin::with_grant(two, two), Origin::with_grant(two, nobody)] {
        assert_eq!(commit(bad), Some(("forbidden", Cause::NoGrantAllows)), "{bad:?}");
    }

    let proof = proof(&who(2), SERVICE, "EXPAND", "h", NOW);
    let expand = |owner| {
        let presented = Presented { grants: &[], proof: Possession::Proof(proof.as_bytes()), now: NOW };
        let request = Request::Expand { handle: "h", owner: crate::Owner::Key(owner) };
        match verifier().authorize(&request, &presented) {
            Decision::Allowed(allowed) => Ok(allowed.holder().copied()),
            Decision::Refused(refusal) => Err(*refusal.log().cause()),
        }
    };
    assert_eq!(expand(two), Ok(Some(public(&who(2)))));
    assert_eq!((expand(one), expand(nobody)), (Err(Cause::OtherOwner), Err(Cause::OtherOwner)));
}

/// In the round trip of the INTENT nobody looks at the proposal, so it must be for what was asked, and can be undone.
#[test]
fn an_auto_commit_is_of_what_was_asked_and_can_be_undone() {
    let (token, text) = (chain(1, "").token(), proposal("null"));
    let proof = proof(&who(2), SERVICE, "INTENT", "auto:shop.order:f", NOW);
    let presented = Presented {
        grants: &[Presentable::Token(&token)],
        proof: Possession::Proof(proof.as_bytes()),
        now: NOW,
    };
    let origin = Origin::without_grant(RecordedKey::Key(public(&who(2))));
    let cause = |from: &str, to: &str, now| {
        let text = text.replace(from, to);
        let commit = Commit::Auto {
            proposal: Offered::Text(text.as_bytes()),
            capability: "shop.order",
            frame: "f",
            origin: &origin,
        };
        match super::commit(&verifier(), &commit, &Presented { now, ..presented }, &NOTHING) {
            Decision::Allowed(_) => None,
            Decision::Refused(refusal) => Some((refusal.answer().code(), *refusal.log().cause())),
        }
    };
    assert_eq!(cause("", "", NOW), None);
    let reserved = Commit::Auto {
        proposal: Offered::Text(text.as_bytes()),
        capability: "shop:order",
        frame: "f",
        origin: &origin,
    };
    let refusal = refused(super::commit(&verifier(), &reserved, &presented, &NOTHING));
    assert_eq!(
        (refusal.answer(), refusal.log().cause()),
        (&Answer::Forbidden, &Cause::ReservedCapability),
        "before the proof, which is one for something else"
    );
    assert_eq!(cause(":600", ":1", NOW), None);
    for (from, to, expected) in [
        ("shop.order", "shop.orders", ("forbidden", Cause::OtherCapability)),
        (":600", ":0", ("review", Cause::NoUndo)),
        (r#"{"window":600}"#, "null", ("review", Cause::NoUndo)),
        ("1790000600", "1790000000", ("review", Cause::ProposalExpired)),
    ] {
        assert_eq!(cause(from, to, NOW), Some(expected), "{to}");
    }
}

/// What a replay skips was checked for the proposal that was committed, and for no other.
#[test]
fn a_replay_is_of_the_proposal_that_was_committed() {
    let key = RecordedKey::Key(public(&who(2)));
    let of = Committed::recorded(key, RecordedKey::Key(public(&who(1))), "shop.order", "one");
    let token = chain(1, r#"{"spend":{"currency":"EUR","max":0}}"#).token();
    let replay = |hash| {
        let proof = proof(&who(2), SERVICE, "COMMIT", hash, NOW);
        let presented = Presented {
            grants: &[Presentable::Token(&token)],
            proof: Possession::Proof(proof.as_bytes()),
            now: NOW,
        };
        verifier().authorize(&Request::Replay { hash, of: &of }, &presented)
    };
    let _ = allowed(replay("one"));
    assert_eq!(refused(replay("two")).answer(), &Answer::Conflict);
}

/// A key that is on no point of the curve, in the one place where no signature shows that it is.
#[test]
fn a_holder_that_is_no_point_is_refused_whoever_vouches_for_it() {
    // y = 7: as canonical as any, but there is no x for it.
    let mut bytes = [0; 32];
    let off_curve = (2..=255).find(|y| {
        bytes[0] = *y;
        PublicKey::from_bytes(bytes).is_err()
    });
    bytes[0] = off_curve.unwrap();
    let mut encoded = String::new();
    crate::base64url::encode_into(&bytes, &mut encoded);
    let payload = alloc::format!(
        r#"{{"caveats":[],"iat":0,"iss":"{}","nonce":"","sub":"ed25519:{encoded}"}}"#,
        super::key_text(&who(1))
    );
    let token = Chain::empty().signed(&who(1), &payload).token();
    let grant = Grant::decode(&token, &Limits::default()).unwrap();
    let holder = *grant.holder();
    assert_eq!(grant.verify(&[public(&who(1))]).unwrap_err().kind(), crate::ErrorKind::Key);
    let grants = [Presentable::Token(&token)];
    let presented = Presented { grants: &grants, proof: Possession::AssumeProven(&holder), now: NOW };
    let refusal = refused(verifier().authorize(&Request::Ask { capability: "c" }, &presented));
    assert_eq!(refusal.answer(), &Answer::Unauthorized);
    let expand = Request::Expand { handle: "h", owner: crate::Owner::Key(RecordedKey::Key(holder)) };
    assert_eq!(refused(verifier().authorize(&expand, &presented)).answer(), &Answer::Unauthorized);
}

#[test]
fn what_was_read_can_be_read() {
    assert_eq!(verifier().service(), SERVICE);
    let grant = Grant::decode(&chain(1, "").token(), &Limits::default()).unwrap();
    assert_eq!(
        (grant.nonce(), alloc::format!("{:?}", grant.id())),
        ("n", alloc::string::ToString::to_string(grant.id()))
    );
    assert_eq!(grant.id().as_bytes().len(), 32);
    let block = alloc::format!("{:?}", grant.blocks().next().unwrap());
    assert!(block.contains("issued_at: 1790000000") && block.contains("caveats: []"), "{block}");
    let spelled = r#" {"x":1.0e0,"hash":"","data":[0.5], "id":"","capability":"","summary":"","effects":[],"cost":null,"risk":"low","undo":null,"expires":0}"#;
    assert!(Proposal::parse(spelled.as_bytes()).is_err());
    let proposal = Proposal::parse(spelled.replace("1.0e0", "1").as_bytes()).unwrap();
    assert_eq!(
        proposal.canonical(),
        r#"{"capability":"","cost":null,"effects":[],"expires":0,"id":"","risk":"low","summary":"","undo":null,"x":1}"#
    );
}
