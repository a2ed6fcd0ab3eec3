//! Wording is API: the exact texts that people and logs see, and what must not be seen.

use super::{Chain, chain, who};
use crate::{
    Amount, Answer, Cause, Caveat, Decision, Error, ErrorKind, Grant, Limits, Outcome, Proposal, Reason,
    Severity, Verb,
};
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use alloc::{format, vec};

#[test]
fn everything_can_cross_threads_and_be_kept() {
    fn check<T: Send + Sync + 'static>() {}
    check::<crate::VerifiedGrant>();
    check::<crate::Grant>();
    check::<crate::Proposal>();
    check::<crate::Verifier<Vec<crate::PublicKey>>>();
    check::<crate::Decision>();
    check::<crate::Error>();
    check::<crate::Origin>();
    check::<crate::Pending<'static, Vec<crate::PublicKey>>>();
    check::<crate::MemoryLedger>();
    check::<crate::MemoryClaims>();
    check::<crate::Record>();
    #[cfg(feature = "std")]
    check::<crate::SharedLedger>();
    check::<crate::Committed>();
    #[cfg(feature = "issue")]
    check::<crate::issue::Seed>();
}

#[test]
fn a_grant_in_words() {
    let root = r#"{"svc":["shop.example","b"]},{"verbs":[]},{"can":["shop.*"]},{"exp":1790003600},{"nbf":0},{"only":"h"}"#;
    let more = &r#"{"per":{"currency":"EUR","max":3000}},{"spend":{"currency":"EUR","max":5000}},{"risk":"medium"},{"risk":null},{"x\nRTL":1}"#
        .replace("RTL", "\u{202e}");
    let grant = Chain::root(&who(1), &who(2), root).then(&who(2), &who(3), more);
    let grant = Grant::decode(&grant.token(), &Limits::default()).unwrap();
    let ids: Vec<_> = grant.blocks().map(|block| block.id().to_string()).collect();
    let (principal, agent, holder) =
        (super::key_text(&who(1)), super::key_text(&who(2)), super::key_text(&who(3)));
    let expected = format!(
        "grant {0}
principal {principal}
holder {holder}
block 0 {0}
  issued 2026-09-21 14:13:20 UTC to {agent}
  only at these services:
    \"shop.example\"
    \"b\"
  only these verbs: none at all
  only these capabilities:
    \"shop.*\"
  until 2026-09-21 15:13:20 UTC
  not before 1970-01-01 00:00:00 UTC
  COMMIT only of the proposal \"h\"
block 1 {1}
  issued 2026-09-21 14:13:20 UTC to {holder}
  a COMMIT at most 3000 minor units of \"EUR\"
  in total at most 5000 minor units of \"EUR\"
  risk at most medium
  never: malformed caveat \"{{\\\"risk\\\":null}}\"
  never: unknown caveat \"{{\\\"x\\\\n\\u{{202e}}\\\":1}}\"",
        ids[0], ids[1]
    );
    assert_eq!(grant.to_string(), expected);
    let verified = grant.clone().verify(&|_: &crate::PublicKey| true).unwrap();
    assert_eq!(verified.to_string(), expected);
    assert_eq!(
        format!("{grant:?} {verified:?}"),
        format!("Grant({0}, 2 blocks) VerifiedGrant({0}, 2 blocks)", ids[0])
    );
}

/// The one spelling under which services store an id, and find it again.
#[test]
fn ids_are_base64url() {
    let (bytes, text) = ([0xff; 32], "__________________________________________8");
    let (block, name) = (crate::BlockId::from_bytes(bytes), crate::ReservationId::from_bytes(bytes));
    assert_eq!((block.to_string(), format!("{block:?}")), (String::from(text), String::from(text)));
    assert_eq!(format!("{name:?}"), text);
    assert_eq!(text.parse(), Ok(block));
    assert_eq!((block.as_bytes(), name.as_bytes()), (&bytes, &bytes));
}

#[test]
fn times_in_utc() {
    let shown = |time: i64| Caveat::Expires(time).to_string();
    for (time, text) in [
        (0, "1970-01-01 00:00:00"),
        (-1, "1969-12-31 23:59:59"),
        (951_782_399, "2000-02-28 23:59:59"),
        (951_782_400, "2000-02-29 00:00:00"),
        (951_868_800, "2000-03-01 00:00:00"),
        (4_107_542_399, "2100-02-28 23:59:59"),
        (4_107_542_400, "2100-03-01 00:00:00"),
        (1_798_761_599, "2026-12-31 23:59:59"),
        (1_798_761_600, "2027-01-01 00:00:00"),
        (-62_135_596_800, "0001-01-01 00:00:00"),
        (253_402_300_799, "9999-12-31 23:59:59"),
        (253_402_300_800, "10000-01-01 00:00:00"),
        (9_007_199_254_740_991, "285428751-11-12 07:36:31"),
        (i64::MAX, "292277026596-12-04 15:30:07"),
        (i64::MIN, "-292277022657-01-27 08:29:52"),
    ] {
        assert_eq!(shown(time), format!("until {text} UTC"), "{time}");
    }
}

#[test]
fn a_proposal_in_words() {
    let text = r#"{"id":"p","capability":"shop.order","summary":"Two\ncups","effects":[{"op":"set","target":"order","from":null,"to":[1]}],
        "cost":{"amount":1800,"currency":"EUR"},"risk":"high","undo":{"window":600},"expires":1790000600}"#;
    let proposal = Proposal::parse(text.as_bytes()).unwrap();
    let expected = format!(
        "proposal \"p\"
  capability: \"shop.order\"
  summary: \"Two\\ncups\"
  effect: \"set\"
    target: \"order\"
    member: \"from\"
      is: \"null\"
    member: \"to\"
      is: \"[1]\"
  cost: 1800 minor units of \"EUR\"
  risk: high
  undo: for 600 seconds
  expires: 2026-09-21 14:23:20 UTC
  hash: \"{}\"",
        proposal.terms().hash()
    );
    assert_eq!(proposal.to_string(), expected);
    for (undo, shown) in [("null", "not possible"), (r#"{"window":0}"#, "not possible")] {
        let text =
            text.replace(r#"{"window":600}"#, undo).replace(r#"{"amount":1800,"currency":"EUR"}"#, "null");
        let shown = format!("\n  cost: none\n  risk: high\n  undo: {shown}\n");
        assert!(Proposal::parse(text.as_bytes()).unwrap().to_string().contains(&shown));
    }
}

#[test]
fn reasons_have_one_code_and_one_severity() {
    use Reason::*;
    let table = [
        (Service, "svc", Severity::Hard),
        (Verb, "verbs", Severity::Hard),
        (Capability, "can", Severity::Hard),
        (Expired, "exp", Severity::Hard),
        (NotYet, "nbf", Severity::Hard),
        (OtherProposal, "only", Severity::Hard),
        (PerCommit, "per", Severity::Soft),
        (PerCurrency, "per_currency", Severity::Soft),
        (Spend, "spend", Severity::Soft),
        (SpendCurrency, "spend_currency", Severity::Soft),
        (Risk, "risk", Severity::Soft),
        (Unknown, "unknown", Severity::Hard),
        (Malformed, "malformed", Severity::Hard),
    ];
    for (reason, code, severity) in table {
        assert_eq!((reason.code(), reason.severity()), (code, severity));
    }
    assert!(Severity::Soft < Severity::Hard);
    assert!(Outcome::Allowed < Outcome::ConsentRequired && Outcome::ConsentRequired < Outcome::Forbidden);
    let failure = crate::Failure { block: 1, caveat: 2, reason: Spend };
    assert_eq!(failure.to_string(), "block 1, caveat 2: spend (soft)");
    assert_eq!(crate::Failure { reason: Service, ..failure }.to_string(), "block 1, caveat 2: svc (hard)");
}

#[test]
fn verbs_and_answers_have_their_names() {
    for name in ["HELLO", "ASK", "INTENT", "COMMIT", "UNDO", "EXPAND"] {
        assert_eq!(crate::Verb::read(name).map(Verb::as_str), Some(name));
        assert_eq!(crate::Verb::read(&name.to_lowercase()), None);
    }
    for (answer, code) in [
        (Answer::Unauthorized, "unauthorized"),
        (Answer::Forbidden, "forbidden"),
        (Answer::Conflict, "conflict"),
        (Answer::Expired, "expired"),
        (Answer::Review, "review"),
    ] {
        assert_eq!(answer.code(), code);
    }
}

#[test]
fn errors_say_what_and_where_and_nothing_of_the_input() {
    let secret = "pg1.c2VjcmV0";
    let error = Grant::decode(secret, &Limits::default()).unwrap_err();
    assert_eq!(error.to_string(), "no JSON, at byte 0");
    assert_eq!(error.block(), None);
    let second = chain(2, "").token();
    let cut = Chain { blocks: vec![chain(2, "").blocks.remove(1)], last: String::new() }.token();
    assert_eq!(
        Grant::decode(&cut, &Limits::default()).unwrap_err().to_string(),
        "expected `,\"iss\":`, in block 0, at byte 36"
    );
    let untrusted = Grant::decode(&second, &Limits::default()).unwrap().verify(&[]).unwrap_err();
    assert_eq!(
        (untrusted.kind(), untrusted.block(), untrusted.offset()),
        (ErrorKind::Untrusted, Some(0), None)
    );
    assert_eq!(untrusted.to_string(), "the issuer is not trusted, in block 0");
    let field = Proposal::parse(b"{}").unwrap_err();
    assert_eq!(field.to_string(), "missing, repeated, unknown or of the wrong type or value: the field `id`");
    let error: &dyn core::error::Error = &field;
    assert!(error.source().is_none());
}

#[test]
fn causes_in_words() {
    let error = Error::new(ErrorKind::Stale);
    for (cause, text) in [
        (Cause::ReservedCapability, "the capability is reserved"),
        (Cause::TooManyGrants, "more grants than the limit"),
        (Cause::NoProof, "no proof"),
        (Cause::BadProof(error), "bad proof: the proof's time is more than 300 seconds from now"),
        (Cause::OtherHolder, "the proposal was not made for the proven key"),
        (Cause::OtherOwner, "the handle was not made for the proven key"),
        (Cause::BadProposal(error), "bad proposal: the proof's time is more than 300 seconds from now"),
        (Cause::OtherCapability, "the proposal is for another capability"),
        (Cause::OtherHash, "the hash is not the proposal's"),
        (Cause::ProposalExpired, "the proposal has expired"),
        (Cause::NoUndo, "the proposal cannot be undone"),
        (Cause::NoGrants, "no grants"),
        (Cause::NoGrantAllows, "no grant allows it"),
    ] {
        assert_eq!(cause.to_string(), text);
    }
}

/// B10: whoever formats a refusal by accident shows its class and nothing else.
#[test]
fn a_refusal_does_not_show_its_reason() {
    let token = chain(1, r#"{"exp":0}"#).token();
    let proof = super::proof(&who(2), super::SERVICE, "ASK", "c", super::NOW);
    let verifier = crate::Verifier::new(super::SERVICE, vec![super::public(&who(1))]);
    let presented = crate::Presented {
        grants: &[crate::Presentable::Token(&token)],
        proof: crate::Possession::Proof(proof.as_bytes()),
        now: super::NOW,
    };
    let decision = verifier.authorize(&crate::Request::Ask { capability: "c" }, &presented);
    assert_eq!(format!("{decision:?}"), "Refused(Refusal(Forbidden))");
    let Decision::Refused(refusal) = decision else { panic!() };
    let id = Grant::decode(&token, &Limits::default()).unwrap().id().to_string();
    assert_eq!(
        refusal.log().to_string(),
        format!("no grant allows it\ngrant 0 ({id})\n  block 0, caveat 0: exp (hard)")
    );
    assert_eq!(format!("{:?}", presented.grants), format!("[Token({} bytes)]", token.len()));
}

#[test]
fn amounts_are_bounded_and_compared_to_the_letter() {
    assert!(Amount::new(9_007_199_254_740_991, "EUR").is_some());
    assert_eq!(Amount::new(9_007_199_254_740_992, "EUR"), None);
    assert_ne!(Amount::new(1, "EUR"), Amount::new(1, "eur"));
}

/// No text can pass for two, for none, or for what stands around it, and none hides a character.
#[test]
fn foreign_texts_are_quoted_and_visible() {
    let shown = |texts: &[&str]| {
        Caveat::Capabilities(texts.iter().map(|text| text.to_string()).collect::<Vec<String>>()).to_string()
    };
    assert_eq!(shown(&["a, b"]), "only these capabilities:\n    \"a, b\"");
    assert_eq!(shown(&["a", "b"]), "only these capabilities:\n    \"a\"\n    \"b\"");
    assert_eq!(shown(&[]), "only these capabilities: none at all");
    assert_eq!(shown(&["\"\n\\'"]), "only these capabilities:\n    \"\\\"\\n\\\\'\"");
    assert_eq!(shown(&["Grüße 你好 שלום"]), "only these capabilities:\n    \"Grüße 你好 שלום\"");
    for hidden in "\u{0}\u{7f}\u{85}\u{a0}\u{ad}\u{34f}\u{61c}\u{115f}\u{1160}\u{17b4}\u{180e}\u{200b}\u{200d}\u{200e}\u{200f}\u{2028}\u{2029}\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}\u{2060}\u{2066}\u{2069}\u{2800}\u{3164}\u{fe0f}\u{feff}\u{ffa0}\u{13441}\u{13442}\u{1d159}\u{e0001}\u{e0100}".chars() {
        let shown = shown(&[&format!("a{hidden}b")]);
        assert!(shown.is_ascii(), "{:x}: {shown}", u32::from(hidden));
    }
}

#[test]
fn what_could_be_used_again_is_not_in_debug() {
    let proof = crate::Possession::Proof(b"{\"sig\":\"secret\"}");
    assert_eq!(format!("{proof:?} {:?}", crate::Possession::None), "Proof(16 bytes) None");
    let request = crate::Request::Expand { handle: "secret", owner: crate::Owner::Anyone };
    assert_eq!(format!("{request:?}"), "Expand(6 bytes, Anyone)");
    #[cfg(feature = "issue")]
    {
        let seed = crate::issue::Seed::from_text("AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE").unwrap();
        assert_eq!(format!("{seed:?}"), format!("Seed(secret of {})", seed.public_key()));
        let draft = crate::issue::prepare_root(seed.public_key(), seed.public_key(), &[], 0, "").unwrap();
        assert_eq!(format!("{draft:?}"), format!("GrantDraft(for {})", seed.public_key()));
        let draft = crate::issue::prepare_proof(seed.public_key(), "", Verb::Ask, "", 0).unwrap();
        assert_eq!(format!("{draft:?}"), format!("ProofDraft(for {})", seed.public_key()));
    }
}
