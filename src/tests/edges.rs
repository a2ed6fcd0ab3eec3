//! What only an unusual caller, input or service meets: failing writers, bounds below every token, words in logs.

use super::{Chain, NOW, SERVICE, chain, key_text, proof, proposal, public, who};
use crate::json;
use crate::proof::{Purpose, Unproven};
use crate::search::{Asker, Policy, Search};
use crate::{
    Answer, BlockId, Cause, Commit, Committed, ConsentRequest, Decision, Demand, Denial, ErrorKind, Grant,
    GrantLog, Ledger as _, LedgerBounds, Limits, Link, Log, MemoryLedger, Offered, Origin, Owner, Possession,
    Presentable, Presented, Proposal, ProvenKey, PublicKey, RecordedKey, Refusal, Request, Reservation,
    ReservationId, Reserve, SpendLine, Step, Terms, Verb, Verifier, VouchedTerms,
};
use alloc::borrow::Cow;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use alloc::{format, vec};
use core::fmt::{self, Write as _};

const EVERY_CAVEAT: &str = r#"{"svc":["shop.example"]},{"verbs":[]},{"can":["shop.*"]},{"exp":1790003600},{"nbf":0},{"only":"h"},{"per":{"currency":"EUR","max":1}},{"spend":{"currency":"EUR","max":1}},{"risk":"low"},{"risk":1},{"x":1}"#;
const EFFECTS: &str = r#"[{"op":"create","target":"order"}]"#;
const MAX_INT: i64 = 9_007_199_254_740_991;

fn verifier() -> Verifier<Vec<PublicKey>> {
    Verifier::new(SERVICE, vec![public(&who(1))])
}

fn refused(decision: Decision) -> Refusal {
    match decision {
        Decision::Allowed(_) => panic!("allowed"),
        Decision::Refused(refusal) => refusal,
    }
}

fn parsed(text: &str) -> Proposal {
    Proposal::parse(text.as_bytes()).unwrap()
}

/// A text that fails once, at one of its writes.
struct Failing {
    text: String,
    writes: usize,
    at: usize,
}

impl fmt::Write for Failing {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.writes += 1;
        if self.writes == self.at {
            return Err(fmt::Error);
        }
        self.text.push_str(text);
        Ok(())
    }
}

/// Whichever write fails, that is the end and the answer.
fn fails_at_every_write(thing: &dyn fmt::Display) {
    let whole = thing.to_string();
    for at in 1.. {
        let mut out = Failing { text: String::new(), writes: 0, at };
        let result = write!(out, "{thing}");
        if out.writes < at {
            assert_eq!((result, out.text, at > 1), (Ok(()), whole, true));
            break;
        }
        assert_eq!((result, out.writes), (Err(fmt::Error), at), "{whole}");
    }
}

/// Who shows a text that was cut off, and is not told so, shows less than what is signed.
#[test]
fn a_writer_that_fails_is_no_success() {
    let grant = Grant::decode(
        &Chain::root(&who(1), &who(2), EVERY_CAVEAT).then(&who(2), &who(3), "").token(),
        &Limits::default(),
    )
    .unwrap();
    let verified = grant.clone().verify(&|_: &PublicKey| true).unwrap();
    let id = *grant.id();
    let text = proposal(r#"{"amount":1,"currency":"EUR"}"#)
        .replace(EFFECTS, r#"[{"op":"set","target":"order","to":[1]}]"#);
    let costs = parsed(&text);
    let free = parsed(&proposal("null").replace(r#"{"window":600}"#, "null"));
    let request = ConsentRequest::new(SERVICE, costs.terms(), public(&who(1)));
    let matched = request.matched(&costs, SERVICE, &public(&who(1))).unwrap();
    let error = crate::Error::at(ErrorKind::Expected("x"), 7).in_block(3);
    let denials = [
        Denial::Invalid(error),
        Denial::OtherPrincipal,
        Denial::Revoked(id),
        Denial::Caveats(vec![crate::Failure { block: 0, caveat: 1, reason: crate::Reason::Spend }]),
        Denial::Exceeded,
        Denial::Unavailable,
    ];
    let grants = denials.map(|denial| GrantLog { index: 1, id: Some(id), denial }).to_vec();
    let log = Log { cause: Cause::BadProof(error), grants };
    for thing in [&grant as &dyn fmt::Display, &verified, &costs, &free, &matched, &error, &log, &id] {
        fails_at_every_write(thing);
    }
    fails_at_every_write(grant.issuer());
    #[cfg(feature = "std")]
    fails_at_every_write(&crate::LedgerPoisoned);
    #[cfg(feature = "issue")]
    {
        use crate::issue::{prepare_delegation, prepare_proof};
        let kept = verifier().verify(&chain(2, "").token()).unwrap();
        let caveats = [crate::Caveat::Expires(1), crate::Caveat::Risk(crate::Risk::Low)];
        fails_at_every_write(&prepare_delegation(&kept, &public(&who(9)), &caveats, NOW).unwrap());
        fails_at_every_write(&prepare_proof(&public(&who(2)), SERVICE, Verb::Ask, "c", NOW).unwrap());
    }
}

/// B5.5, B5.9: wherever a text goes one level deeper, the bound is looked at.
#[test]
fn nothing_nests_deeper_than_the_limit() {
    for (caveat, needed) in [
        (r#"{"exp":1}"#, 5),
        (r#"{"svc":[]}"#, 6),
        (r#"{"per":{"currency":"EUR","max":1}}"#, 6),
        (r#"{"spend":{"currency":"EUR","max":1}}"#, 6),
        (r#"{"x":[[[]]]}"#, 8),
    ] {
        let token = Chain::root(&who(1), &who(2), caveat).token();
        for depth in 0..10 {
            let read = Grant::decode(&token, &Limits::default().with_depth(depth)).map_err(|e| e.kind());
            let expected = if depth < needed { Some(ErrorKind::TooDeep) } else { None };
            assert_eq!(read.err(), expected, "{caveat} {depth}");
        }
    }
    let proof = proof(&who(2), SERVICE, "EXPAND", "h", NOW);
    let presented = Presented { grants: &[], proof: Possession::Proof(proof.as_bytes()), now: NOW };
    let owner = Owner::Key(RecordedKey::Key(public(&who(2))));
    let expand = |depth| {
        let verifier = verifier().with_limits(Limits::default().with_depth(depth));
        verifier.authorize(&Request::Expand { handle: "h", owner }, &presented)
    };
    assert!(matches!(expand(1), Decision::Allowed(_)));
    let refusal = refused(expand(0));
    assert_eq!(refusal.answer(), &Answer::Unauthorized);
    assert!(matches!(refusal.log().cause(), Cause::BadProof(error) if error.kind() == ErrorKind::TooDeep));
}

/// B2.4, for a key that is compared as text before anybody needs its point.
#[test]
fn a_key_that_is_no_point_proves_nothing() {
    let mut bytes = [0; 32];
    bytes[0] = (2..=255)
        .find(|y| {
            bytes[0] = *y;
            PublicKey::from_bytes(bytes).is_err()
        })
        .unwrap();
    let mut text = String::from("ed25519:");
    crate::base64url::encode_into(&bytes, &mut text);
    let good = proof(&who(2), SERVICE, "ASK", "c", NOW);
    let read = |proof: &str| {
        ProvenKey::from_unbound_proof(proof.as_bytes(), SERVICE, Verb::Ask, "c", NOW).map_err(|e| e.kind())
    };
    assert_eq!(read(&good).map(|key| *key.key()), Ok(public(&who(2))));
    assert_eq!(read(&good.replace(&key_text(&who(2)), &text)), Err(ErrorKind::Key));
    #[cfg(feature = "issue")]
    {
        let payload =
            format!(r#"{{"caveats":[],"iat":0,"iss":"{}","nonce":"","sub":"{text}"}}"#, key_text(&who(1)));
        let grant = Grant::decode(&Chain::empty().signed(&who(1), &payload).token(), &Limits::default());
        let holder = *grant.unwrap().holder();
        assert_eq!(holder.as_bytes(), &bytes);
        let draft = crate::issue::prepare_proof(&holder, SERVICE, Verb::Ask, "c", NOW).unwrap();
        let signature = ed25519_dalek::Signer::sign(&who(2), draft.bytes_to_sign()).to_bytes();
        assert_eq!(draft.finish(&signature).unwrap_err().kind(), ErrorKind::Key);
    }
}

/// A2.12, A2.1: a text that ends within an escape.
#[test]
fn half_an_escape_is_none() {
    let whole = "\"\\ud83d\\ude00\"";
    assert_eq!(crate::canonicalize(whole.as_bytes()).as_deref(), Ok("\"\u{1f600}\""));
    for cut in 1..whole.len() {
        let error = crate::canonicalize(&whole.as_bytes()[..cut]).unwrap_err();
        // The opening quotation mark alone, or the text without its closing one.
        let ends = cut == 1 || cut == whole.len() - 1;
        let expected = if ends { ErrorKind::UnexpectedEnd } else { ErrorKind::BadString };
        assert_eq!((error.kind(), error.offset()), (expected, Some(if ends { cut } else { 1 })), "{cut}");
    }
}

/// A2.2: an object without members; and whoever writes one with `data` in it writes its numbers as they stand.
#[test]
fn what_nobody_signs_is_written_as_it_stands() {
    let mut out = String::new();
    json::Members::of(&mut out).end();
    assert_eq!(out, "{}");
    let mut reader = json::any(br#"{"data": [1.50, -0, 1e999], "a": 1}"#, &Limits::default()).unwrap();
    let document = json::read_proposal(&mut reader).unwrap();
    out.clear();
    json::write_except(&document, document.root(), &[], &mut out);
    assert_eq!(out, r#"{"a":1,"data":[1.50,-0,1e999]}"#);
}

#[test]
fn a_consent_request_that_is_no_text_or_too_long() {
    let text = ConsentRequest::new(SERVICE, parsed(&proposal("null")).terms(), public(&who(1))).to_json();
    let kind = |text: &[u8]| ConsentRequest::parse(text).map_err(|error| error.kind()).err();
    assert_eq!(kind(text.as_bytes()), None);
    assert_eq!(kind(b"\"\xff\""), Some(ErrorKind::NotUtf8));
    let long = |length: usize| format!("{text}{}", " ".repeat(length - text.len()));
    assert_eq!(kind(long(1024 * 1024).as_bytes()), None);
    assert_eq!(kind(long(1024 * 1024 + 1).as_bytes()), Some(ErrorKind::TooLong));
    let more = text.replace("\"service\"", "\"a\":1,\"service\"");
    assert_eq!(ConsentRequest::parse(more.as_bytes()).unwrap_err().to_string(), "a field that is not known");
}

/// A2.7: whoever vouches for terms vouches for what a proposal could have said.
#[test]
fn vouched_numbers_are_those_that_can_be_written() {
    let vouch = |undo, expires| {
        let [id, hash, capability, summary] = ["p", "h", "c", "s"].map(String::from);
        let terms =
            VouchedTerms { id, hash, capability, summary, cost: None, risk: crate::Risk::Low, undo, expires };
        Terms::vouch_for(terms).map(|terms| (terms.undo(), terms.expires())).map_err(|error| error.kind())
    };
    let (least, most) = (-MAX_INT, MAX_INT.unsigned_abs());
    assert_eq!(vouch(Some(most), MAX_INT), Ok((Some(most), MAX_INT)));
    assert_eq!(vouch(None, least), Ok((None, least)));
    for undo in [most + 1, u64::MAX] {
        assert_eq!(vouch(Some(undo), 0), Err(ErrorKind::Field("undo")));
    }
    for expires in [MAX_INT + 1, least - 1, i64::MIN, i64::MAX] {
        assert_eq!(vouch(None, expires), Err(ErrorKind::Field("expires")));
    }
}

#[test]
fn proposals_are_equal_when_they_say_the_same() {
    let text = proposal("null");
    let spelled = text.replace("{\"id\":\"p\",", "{ \"hash\":\"x\", \"data\":1.5, \"id\":\"\\u0070\",");
    assert_ne!(text, spelled);
    assert_eq!(parsed(&text), parsed(&spelled));
    assert_ne!(parsed(&text), parsed(&text.replace("\"summary\":\"", "\"summary\":\" ")));
    assert_ne!(
        parsed(&text),
        parsed(&text.replace(EFFECTS, "[]")),
        "the terms are the same but for the hash, the effects are not"
    );
}

/// A commit by key 2 that is allowed as soon as it is reserved.
fn pending<T>(
    verifier: &Verifier<Vec<PublicKey>>,
    then: impl FnOnce(crate::Pending<'_, Vec<PublicKey>>) -> T,
) -> T {
    let text = proposal(r#"{"amount":1800,"currency":"EUR"}"#);
    let hash = crate::proposal_hash(text.as_bytes()).unwrap();
    let proof = proof(&who(2), SERVICE, "COMMIT", &hash, NOW);
    let origin = Origin::without_grant(RecordedKey::Key(public(&who(2))));
    let token = Chain::root(&who(1), &who(2), r#"{"spend":{"currency":"EUR","max":2000}}"#).token();
    let commit = Commit::Sent { proposal: Offered::Text(text.as_bytes()), hash: &hash, origin: &origin };
    let presented = Presented {
        grants: &[Presentable::Token(&token)],
        proof: Possession::Proof(proof.as_bytes()),
        now: NOW,
    };
    let Step::Reserve(pending) = verifier.commit(&commit, &presented, ReservationId::of("x")) else {
        panic!("nothing to wait for")
    };
    then(pending)
}

#[test]
fn an_allowed_commit_has_its_terms_and_its_owner() {
    let commit = pending(&verifier(), |pending| match pending.answer(Reserve::Reserved) {
        Step::Execute(commit, _) => Some(commit),
        Step::Reserve(_) | Step::Refused(_) => None,
    });
    let commit = commit.unwrap();
    assert_eq!(commit.terms().map(Terms::summary), Some("Two cups"));
    assert_eq!(commit.owner(), Owner::Key(RecordedKey::Key(public(&who(2)))));
}

/// A8.13: where nobody was proven anyone may expand, and there is no key to claim a frame for.
#[test]
fn what_was_allowed_to_anyone_is_anyones() {
    let presented = Presented { grants: &[], proof: Possession::None, now: NOW };
    let request = Request::Expand { handle: "h", owner: Owner::Anyone };
    let Decision::Allowed(allowed) = verifier().authorize(&request, &presented) else { panic!("refused") };
    assert_eq!((allowed.owner(), allowed.terms()), (Owner::Anyone, None));
    assert_eq!((allowed.auto_claim("f", NOW), allowed.consent_claim()), (None, None));
}

/// The step before the search proves the asker; were it left out, the search still asks for no ledger.
#[test]
fn a_search_proves_who_asks() {
    let policy = Policy {
        service: String::from(SERVICE),
        trust: [public(&who(1))],
        revoke: (),
        limits: Limits::default(),
    };
    let token = chain(1, "").token();
    let grants = [Presentable::Token(&token)];
    let terms = parsed(&proposal("null"));
    let go_on = |target| {
        let proof = proof(&who(2), SERVICE, "COMMIT", "h", NOW);
        let purpose = Purpose { service: SERVICE, verb: Verb::Commit, target: &[target] };
        let unproven = Unproven::read(proof.as_bytes(), &purpose, NOW, &Limits::default()).unwrap();
        let asker = Asker::Claimed(unproven);
        assert_eq!((asker.key(), asker.proof_time()), (&public(&who(2)), None), "claimed, and no more");
        let presented = Presented { grants: &grants, proof: Possession::None, now: NOW };
        let search = Search::new(&policy, asker, None, presented);
        crate::commit::go_on(search, Cow::Borrowed(terms.terms()), false, ReservationId::of("x"))
    };
    let Step::Reserve(pending) = go_on("h") else { panic!("refused") };
    let Step::Execute(allowed, _) = pending.answer(Reserve::Reserved) else { panic!("not allowed") };
    assert_eq!(allowed.proof_time, Some(NOW), "proven by now");
    let Step::Refused(refusal) = go_on("another hash") else { panic!("not refused") };
    assert_eq!(refusal.answer(), &Answer::Unauthorized);
    assert!(matches!(refusal.log().cause(), Cause::BadProof(_)));
}

/// B5.9: an account that is full makes room out of what is over, and of nothing else.
#[test]
fn one_grants_account_makes_room_for_itself() {
    let block = |name| BlockId::from_bytes([name; 32]);
    let bounds = LedgerBounds { blocks_per_grant: 1, ..LedgerBounds::default() };
    let mut ledger = MemoryLedger::with_bounds(bounds);
    let reserve = |ledger: &mut MemoryLedger, id, name, now| {
        let id = ReservationId::of(id);
        let lines = [SpendLine { block: block(name), max: 100, forget_after: Some(NOW) }];
        let demand = Demand { id, proposal: "p", grant: block(1), amount: 60, now, lines: &lines };
        let Ok(said) = ledger.reserve(&demand);
        said
    };
    let over = NOW + 86_400;
    assert_eq!(reserve(&mut ledger, "a", 1, NOW), Reserve::Reserved);
    assert_eq!(reserve(&mut ledger, "b", 2, over), Reserve::Full, "the first is still held");
    assert_eq!(Reservation::resume(ReservationId::of("a")).settle(&mut ledger), Ok(crate::Closed::Done));
    assert_eq!(reserve(&mut ledger, "b", 2, over - 1), Reserve::Full, "the first may still be spent");
    assert_eq!(reserve(&mut ledger, "b", 2, over), Reserve::Reserved);
    assert_eq!((ledger.total(&block(1)), ledger.total(&block(2))), (0, 60));
}

/// B10.2: the words for the service's own log.
#[test]
fn denials_in_words() {
    let id = BlockId::from_bytes([0; 32]);
    let shown = |denial| GrantLog { index: 3, id: Some(id), denial }.to_string();
    assert_eq!(shown(Denial::Revoked(id)), format!("grant 3 ({id}): block {id} is revoked"));
    assert_eq!(shown(Denial::Unavailable), format!("grant 3 ({id}): the cost could not be counted"));
    assert_eq!(ErrorKind::BadCaveat.text(), "a caveat is not well-formed");
    assert_eq!(ErrorKind::Seed.text(), "a seed is not 32 bytes in base64url");
    assert_eq!(ErrorKind::WrongSigner.text(), "another key than the one that has to sign");
    #[cfg(feature = "std")]
    assert_eq!(crate::LedgerPoisoned.to_string(), "a thread panicked while it held the ledger");
}

#[test]
fn debug_shows_what_is_asked_and_no_evidence() {
    let key = public(&who(2));
    let token = chain(1, "").token();
    let kept = verifier().verify(&token).unwrap();
    assert_eq!(format!("{:?}", Presentable::Kept(&kept)), format!("Kept({})", kept.id()));
    assert_eq!(format!("{:?}", Possession::AssumeProven(&key)), format!("AssumeProven({key})"));
    let of = Committed::without_principal(RecordedKey::Key(key), "shop.order", "hash");
    for (request, shown) in [
        (Request::Ask { capability: "c\n" }, "Ask(\"c\\n\")"),
        (Request::Intent { capability: "c" }, "Intent(\"c\")"),
        (Request::AutoIntent { capability: "c", frame: "f" }, "AutoIntent(\"c\", \"f\")"),
        (Request::Undo { receipt: "r", of: &of }, "Undo(\"r\", \"shop.order\")"),
        (Request::Replay { hash: "hash", of: &of }, "Replay(\"hash\")"),
    ] {
        assert_eq!(format!("{request:?}"), shown);
    }
    let shown = pending(&verifier(), |pending| format!("{pending:?}"));
    let id = format!("id: {:?}", ReservationId::of("x"));
    assert!(shown.starts_with("Pending {") && shown.contains(&id) && shown.contains("max: 2000"), "{shown}");
    assert!(!shown.contains("sig") && !shown.contains("Two cups") && !shown.contains("pg1."), "{shown}");
}

#[test]
fn a_record_names_what_was_asked() {
    let key = public(&who(2));
    let of = Committed::recorded(RecordedKey::Key(key), RecordedKey::Key(public(&who(9))), "c", "h");
    let presented = Presented { grants: &[], proof: Possession::AssumeProven(&key), now: NOW };
    let record = |request: Request<'_>| {
        let decision = verifier().authorize(&request, &presented);
        verifier().record(&request, &presented, &decision)
    };
    for (request, verb, target) in [
        (Request::Intent { capability: "c" }, Verb::Intent, None),
        (Request::Undo { receipt: "r", of: &of }, Verb::Undo, Some("r")),
        (Request::Replay { hash: "h", of: &of }, Verb::Commit, Some("h")),
    ] {
        let record = record(request);
        assert_eq!((record.verb, record.target.as_deref()), (verb, target));
        assert_eq!((record.capability.as_deref(), record.class), (Some("c"), "unauthorized"));
        assert_eq!((record.claimed, record.holder), (Some(key), None), "claimed by the service's word");
    }
    let text = proposal("null");
    let origin = Origin::anonymous();
    let offered = Offered::Text(text.as_bytes());
    let commit = Commit::Auto { proposal: offered, capability: "c", frame: "f", origin: &origin };
    let Step::Refused(refusal) = verifier().commit(&commit, &presented, ReservationId::of("x")) else {
        panic!("not refused")
    };
    let record = verifier().record_commit(&commit, &presented, Err(&refusal));
    assert_eq!((record.verb, record.class), (Verb::Intent, "forbidden"));
    assert_eq!((record.capability.as_deref(), record.target.as_deref()), (Some("c"), Some("f")));
}

#[test]
fn a_record_says_why_each_grant_did_not_count() {
    let text = proposal(r#"{"amount":1800,"currency":"EUR"}"#);
    let hash = crate::proposal_hash(text.as_bytes()).unwrap();
    let proof = proof(&who(2), SERVICE, "COMMIT", &hash, NOW);
    let key = |name| RecordedKey::Key(public(&who(name)));
    let origin = Origin::with_grant(key(2), key(1));
    let caveats = ["", r#"{"nbf":0}"#, r#"{"nbf":1}"#, r#"{"per":{"currency":"EUR","max":1}}"#];
    let tokens = caveats.map(|caveats| Chain::root(&who(1), &who(2), caveats).token());
    let strange = Chain::root(&who(9), &who(2), "").token();
    let ids = tokens.each_ref().map(|token| *Grant::decode(token, &Limits::default()).unwrap().id());
    let verifier = Verifier::new(SERVICE, vec![public(&who(1)), public(&who(9))])
        .with_revocation(|link: &Link<'_>| *link.block == ids[0]);
    let grants =
        [&strange, &tokens[0], &tokens[1], &tokens[2], &tokens[3]].map(|token| Presentable::Token(token));
    let presented = Presented { grants: &grants, proof: Possession::Proof(proof.as_bytes()), now: NOW };
    let commit = Commit::Sent { proposal: Offered::Text(text.as_bytes()), hash: &hash, origin: &origin };
    let mut step = verifier.commit(&commit, &presented, ReservationId::of("x"));
    for said in [Reserve::Full, Reserve::Exceeded] {
        let Step::Reserve(pending) = step else { panic!("no ledger is asked") };
        step = pending.answer(said);
    }
    let Step::Refused(refusal) = step else { panic!("not refused") };
    let record = verifier.record_commit(&commit, &presented, Err(&refusal)).to_json();
    let strange = *Grant::decode(&strange, &Limits::default()).unwrap().id();
    let expected = format!(
        r#""grants":[{{"id":"{strange}","index":0,"why":"other principal"}},{{"id":"{0}","index":1,"why":"revoked block {0}"}},{{"id":"{1}","index":2,"why":"unavailable"}},{{"id":"{2}","index":3,"why":"exceeded"}},{{"failures":[{{"block":0,"caveat":0,"reason":"per","severity":"soft"}}],"id":"{3}","index":4,"why":"caveats"}}]"#,
        ids[0], ids[1], ids[2], ids[3]
    );
    assert!(record.contains(&expected), "{record}");
    assert_eq!(crate::read_canonical(record.as_bytes()), Ok(&*record));
}
