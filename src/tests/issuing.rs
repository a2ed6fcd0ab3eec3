//! Signing: the exact bytes, what they are said to mean, and signatures that were made elsewhere.

use super::{NOW, SERVICE, chain, key_text, proposal, public, who};
use crate::issue::{self, GrantDraft, Seed};
use crate::{
    Amount, Caveat, Error, ErrorKind, Grant, Limits, Proposal, PublicKey, Risk, Verb, VerifiedGrant,
};
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use alloc::{format, vec};
use ed25519_dalek::Signer as _;

fn seed(name: u8) -> Seed {
    Seed::from_bytes(&[name; 32]).unwrap()
}

fn verified(token: &str) -> VerifiedGrant {
    Grant::decode(token, &Limits::default()).unwrap().verify(&|_: &PublicKey| true).unwrap()
}

fn root(caveats: &[Caveat]) -> Result<GrantDraft, Error> {
    issue::prepare_root(&public(&who(1)), &public(&who(2)), caveats, NOW, "n")
}

fn kind<T>(result: Result<T, Error>) -> (ErrorKind, Option<usize>) {
    let error = result.err().unwrap();
    (error.kind(), error.block())
}

#[test]
fn every_caveat_is_signed_as_its_canonical_form() {
    let amount = || Amount::new(7, "E\"R").unwrap();
    let caveats = [
        Caveat::Service(vec!["a".into(), "b\n".into()]),
        Caveat::Verbs(vec![]),
        Caveat::Capabilities(vec!["*".into()]),
        Caveat::Expires(9_007_199_254_740_991),
        Caveat::NotBefore(-1),
        Caveat::Only("h".into()),
        Caveat::PerCommit(amount()),
        Caveat::Spend(amount()),
        Caveat::Risk(Risk::High),
    ];
    let draft = root(&caveats).unwrap();
    let expected = format!(
        r#"{{"caveats":[{{"svc":["a","b\n"]}},{{"verbs":[]}},{{"can":["*"]}},{{"exp":9007199254740991}},{{"nbf":-1}},{{"only":"h"}},{{"per":{{"currency":"E\"R","max":7}}}},{{"spend":{{"currency":"E\"R","max":7}}}},{{"risk":"high"}}],"iat":1790000000,"iss":"{}","nonce":"n","sub":"{}"}}"#,
        key_text(&who(1)),
        key_text(&who(2))
    );
    assert_eq!(draft.bytes_to_sign(), expected.as_bytes());
    assert_eq!(draft.signer(), &public(&who(1)));
    let token = draft.sign(&seed(1)).unwrap();
    let grant = verified(&token);
    assert_eq!(grant.grant().blocks().next().unwrap().caveats(), caveats);
}

#[test]
fn by_hand_and_by_issue_the_same_token() {
    let root = root(&[]).unwrap().sign(&seed(1)).unwrap();
    assert_eq!(root, chain(1, "").token());
    let draft = issue::prepare_delegation(&verified(&root), &public(&who(3)), &[], NOW).unwrap();
    assert_eq!(draft.sign(&seed(2)).unwrap(), chain(2, "").token());
}

#[test]
fn a_signature_from_elsewhere_is_checked() {
    let good = who(1).sign(root(&[]).unwrap().bytes_to_sign()).to_bytes();
    assert_eq!(root(&[]).unwrap().finish(&good).unwrap(), chain(1, "").token());
    for bit in 0..512 {
        let mut bad = good;
        bad[bit / 8] ^= 1 << (bit % 8);
        assert!(root(&[]).unwrap().finish(&bad).is_err(), "bit {bit}");
    }
    let other = who(2).sign(root(&[]).unwrap().bytes_to_sign()).to_bytes();
    assert_eq!(kind(root(&[]).unwrap().finish(&other)), (ErrorKind::BadSignature, Some(0)));
    assert_eq!(kind(root(&[]).unwrap().sign(&seed(2))), (ErrorKind::WrongSigner, None));

    let draft = || issue::prepare_proof(&public(&who(1)), SERVICE, Verb::Ask, "c", NOW).unwrap();
    assert_eq!(
        draft().bytes_to_sign(),
        br#"{"aud":"shop.example","target":"c","ts":1790000000,"verb":"ASK"}"#
    );
    let good = who(1).sign(draft().bytes_to_sign()).to_bytes();
    assert_eq!(draft().finish(&good).unwrap(), super::proof(&who(1), SERVICE, "ASK", "c", NOW));
    assert_eq!(draft().sign(&seed(1)).unwrap(), super::proof(&who(1), SERVICE, "ASK", "c", NOW));
    assert_eq!(kind(draft().finish(&[0; 64])), (ErrorKind::Signature, None));
    assert_eq!(kind(draft().finish(&other)), (ErrorKind::BadSignature, None));
    assert_eq!(kind(draft().sign(&seed(2))), (ErrorKind::WrongSigner, None));
    assert_eq!(draft().signer(), &public(&who(1)));
}

#[test]
fn only_the_holder_delegates() {
    let grant = verified(&chain(2, "").token());
    let draft = || issue::prepare_delegation(&grant, &public(&who(4)), &[], NOW).unwrap();
    for other in [1, 2, 4] {
        assert_eq!(kind(draft().sign(&seed(other))), (ErrorKind::WrongSigner, None));
    }
    assert_eq!(verified(&draft().sign(&seed(3)).unwrap()).holder(), &public(&who(4)));
}

#[test]
fn nothing_is_prepared_that_no_verifier_accepts() {
    let far = 9_007_199_254_740_992;
    assert_eq!(kind(root(&[Caveat::Expires(far)])), (ErrorKind::BadCaveat, Some(0)));
    assert_eq!(kind(root(&[Caveat::NotBefore(-far)])), (ErrorKind::BadCaveat, Some(0)));
    for bad in [r#"{"x":1}"#, r#"{"exp":"1"}"#, "null"] {
        let bad = Caveat::parse(bad.as_bytes()).unwrap();
        assert_eq!(kind(root(&[Caveat::Risk(Risk::Low), bad.clone()])), (ErrorKind::BadCaveat, Some(0)));
        let grant = verified(&chain(2, "").token());
        let draft = issue::prepare_delegation(&grant, &public(&who(4)), &[bad], NOW);
        assert_eq!(kind(draft), (ErrorKind::BadCaveat, Some(2)));
    }
    let denies = verified(&chain(2, r#"{"x":1}"#).token());
    let draft = issue::prepare_delegation(&denies, &public(&who(4)), &[], NOW);
    assert_eq!(kind(draft), (ErrorKind::BadCaveat, Some(0)));
    let (issuer, subject) = (public(&who(1)), public(&who(2)));
    for (time, good) in [(far, false), (far - 1, true), (1 - far, true), (-far, false), (i64::MIN, false)] {
        assert_eq!(issue::prepare_root(&issuer, &subject, &[], time, "").is_ok(), good);
        assert_eq!(issue::prepare_proof(&issuer, "", Verb::Ask, "", time).is_ok(), good);
    }
    assert!(root(&vec![Caveat::Expires(0); 64]).is_ok());
    assert_eq!(kind(root(&vec![Caveat::Expires(0); 65])), (ErrorKind::TooManyCaveats, Some(0)));
    let sixteen = verified(&chain(16, "").token());
    let draft = issue::prepare_delegation(&sixteen, &public(&who(4)), &[], NOW);
    assert_eq!(kind(draft), (ErrorKind::TooManyBlocks, Some(16)));
}

/// Nobody is asked to sign what would be too long in the end: the length is known before the signature is.
#[test]
fn lengths_at_their_bounds() {
    let with = |length: usize| root(&[Caveat::Only("a".repeat(length))]);
    let longest = (48_500..49_149).rev().find(|length| with(*length).is_ok()).unwrap();
    let token = with(longest).unwrap().sign(&seed(1)).unwrap();
    assert_eq!(token.len(), 65_536);
    assert_eq!(kind(with(longest + 1)), (ErrorKind::TooLong, None));
    let short = with(longest - 200).unwrap().sign(&seed(1)).unwrap();
    let draft = issue::prepare_delegation(&verified(&short), &public(&who(3)), &[], NOW);
    assert_eq!(kind(draft), (ErrorKind::TooLong, None));
    let target =
        |length: usize| issue::prepare_proof(&public(&who(1)), "s", Verb::Ask, &"a".repeat(length), 0);
    let around = r#"{"aud":"s","target":"","ts":0,"verb":"ASK"}"#.len();
    assert!(target(65_536 - around).is_ok());
    assert_eq!(kind(target(65_537 - around)), (ErrorKind::TooLong, None));
}

#[test]
fn a_proof_for_auto_is_for_nothing_else() {
    let key = public(&who(1));
    let auto = |capability| issue::prepare_auto_proof(&key, "s", capability, "f:1", 0);
    let draft = auto("shop.order").unwrap();
    assert_eq!(
        draft.bytes_to_sign(),
        br#"{"aud":"s","target":"auto:shop.order:f:1","ts":0,"verb":"INTENT"}"#
    );
    for reserved in ["auto:x", "a:b", ":", "auto:"] {
        assert_eq!(kind(auto(reserved)), (ErrorKind::Field("capability"), None), "{reserved}");
    }
}

#[test]
fn seeds_have_one_spelling() {
    let text = "AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE";
    assert_eq!(Seed::from_text(text).unwrap().public_key(), seed(1).public_key());
    let long = format!("{text}AQ");
    for bad in
        ["", "AQ", &text[1..], &long, &format!("{text}="), &text.replace('E', "F"), &format!(" {text}")]
    {
        assert_eq!(kind(Seed::from_text(bad)), (ErrorKind::Seed, None), "{bad:?}");
    }
}

#[test]
fn a_draft_says_all_that_its_signature_will_mean() {
    let (principal, agent) = (key_text(&who(1)), key_text(&who(2)));
    let shown = root(&[]).unwrap().to_string();
    assert_eq!(
        shown,
        format!(
            "{principal} lets {agent} act, by a grant dated 2026-09-21 14:13:20 UTC, without any restriction, wherever its grants count"
        )
    );
    let shown = root(&[Caveat::Risk(Risk::Low), Caveat::Expires(NOW)]).unwrap().to_string();
    let expected = format!(
        "{principal} lets {agent} act, by a grant dated 2026-09-21 14:13:20 UTC\n  risk at most low\n  until 2026-09-21 14:13:20 UTC"
    );
    assert_eq!(shown, expected);

    let grant = verified(&chain(1, r#"{"exp":0}"#).token());
    let draft = issue::prepare_delegation(&grant, &public(&who(3)), &[Caveat::Risk(Risk::Low)], NOW).unwrap();
    let to = key_text(&who(3));
    assert_eq!(
        draft.to_string(),
        format!(
            "{agent} hands this on to {to}, dated 2026-09-21 14:13:20 UTC:\n{grant}\nand further\n  risk at most low"
        )
    );

    let text = proposal(r#"{"amount":1800,"currency":"EUR"}"#);
    let parsed = Proposal::parse(text.as_bytes()).unwrap();
    let draft =
        issue::prepare_consent(&public(&who(1)), &public(&who(2)), &parsed, SERVICE, NOW, "n").unwrap();
    let hash = parsed.terms().hash();
    let shown = format!(
        "{principal} lets {agent} do exactly this:\n{parsed}\nby a grant
  only at these services:
    \"shop.example\"
  only these verbs:
    \"COMMIT\"
  only these capabilities:
    \"shop.order\"
  COMMIT only of the proposal \"{hash}\"
  until 2026-09-21 14:23:20 UTC"
    );
    assert_eq!(draft.to_string(), shown);
    let caveats: Vec<String> = verified(&draft.sign(&seed(1)).unwrap())
        .grant()
        .blocks()
        .flat_map(|block| block.caveats().iter().map(ToString::to_string).collect::<Vec<_>>())
        .collect();
    assert_eq!(caveats.len(), 5);

    let draft = issue::prepare_proof(&public(&who(1)), "s", Verb::Undo, "r", NOW).unwrap();
    assert_eq!(
        draft.to_string(),
        format!("{principal} asks for UNDO at 2026-09-21 14:13:20 UTC\n  at the service \"s\"\n  of \"r\"")
    );
}
