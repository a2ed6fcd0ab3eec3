//! What keeps the word true: reservations, the ledger in memory, claims, and what was revoked (A8.23 to A8.27).

use super::{Chain, NOW, SERVICE, chain, key_text, proof, proposal, public, who};
use crate::{
    Allowed, Answer, BlockId, Claim, Claimed, Claims as _, Close, Closed, Commit, ConsentRequest, Decision,
    Demand, Denial, End, ErrorKind, Grant, Ledger, LedgerBounds, Limits, Link, MemoryClaims, MemoryLedger,
    Offered, Origin, Possession, Presentable, Presented, Proposal, PublicKey, RecordedKey, Refusal, Request,
    Reservation, ReservationId, Reserve, SpendLine, Step, Ticket, Verifier,
};
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use alloc::{format, vec};

fn block(name: u8) -> BlockId {
    BlockId::from_bytes([name; 32])
}

fn line(name: u8, max: u64) -> SpendLine {
    SpendLine { block: block(name), max, forget_after: None }
}

/// Reserves under the grant that the first line's block is the root of.
fn reserve(ledger: &mut MemoryLedger, id: &str, amount: u64, lines: &[SpendLine]) -> Reserve {
    let grant = lines.first().map_or(block(0), |line| line.block);
    let Ok(said) =
        ledger.reserve(&Demand { id: ReservationId::of(id), proposal: "p", grant, amount, now: NOW, lines });
    said
}

fn close(ledger: &mut MemoryLedger, id: &str, how: Close) -> Closed {
    let Ok(said) = ledger.close(&ReservationId::of(id), how);
    said
}

#[test]
fn all_lines_or_none() {
    let mut ledger = MemoryLedger::default();
    let both = [line(1, 100), line(2, 50)];
    assert_eq!(reserve(&mut ledger, "a", 50, &both), Reserve::Reserved);
    assert_eq!(reserve(&mut ledger, "b", 1, &both), Reserve::Exceeded);
    assert_eq!((ledger.total(&block(1)), ledger.total(&block(2))), (50, 50));
    assert_eq!(reserve(&mut ledger, "c", 50, &both[..1]), Reserve::Reserved);
    assert_eq!(reserve(&mut ledger, "d", 1, &both[..1]), Reserve::Exceeded);
    assert_eq!(reserve(&mut ledger, "e", 0, &both), Reserve::Reserved, "nothing more goes over nothing");
    assert_eq!((ledger.total(&block(1)), ledger.total(&block(2))), (100, 50));
}

#[test]
fn a_block_that_stands_twice_counts_once() {
    let mut ledger = MemoryLedger::default();
    let twice = [line(1, 100), line(1, 60)];
    assert_eq!(reserve(&mut ledger, "a", 60, &twice), Reserve::Reserved);
    assert_eq!(ledger.total(&block(1)), 60);
    assert_eq!(reserve(&mut ledger, "b", 1, &twice), Reserve::Exceeded, "both bind");
    assert_eq!(close(&mut ledger, "a", Close::Release), Closed::Done);
    assert_eq!(ledger.total(&block(1)), 0);
}

#[test]
fn a_reservation_ends_once() {
    for first in [Close::Settle, Close::Release] {
        for second in [Close::Settle, Close::Release] {
            let mut ledger = MemoryLedger::default();
            assert_eq!(close(&mut ledger, "a", first), Closed::NotHeld);
            assert_eq!(reserve(&mut ledger, "a", 60, &[line(1, 100)]), Reserve::Reserved);
            assert_eq!(close(&mut ledger, "a", first), Closed::Done);
            let left = if first == Close::Settle { 60 } else { 0 };
            assert_eq!(ledger.total(&block(1)), left);
            assert_eq!(close(&mut ledger, "a", second), Closed::NotHeld);
            assert_eq!(ledger.total(&block(1)), left);
            assert_eq!(reserve(&mut ledger, "a", 1, &[line(1, 100)]), Reserve::Taken, "its id is used up");
        }
    }
}

#[test]
fn a_lost_answer_is_asked_for_again() {
    let mut ledger = MemoryLedger::default();
    let lines = [line(1, 100), line(2, 100)];
    for _ in 0..3 {
        assert_eq!(reserve(&mut ledger, "a", 60, &lines), Reserve::Reserved);
        assert_eq!(ledger.total(&block(1)), 60);
    }
    assert_eq!(reserve(&mut ledger, "a", 59, &lines), Reserve::Taken);
    assert_eq!(reserve(&mut ledger, "a", 60, &lines[..1]), Reserve::Taken);
    let other = Demand {
        id: ReservationId::of("a"),
        proposal: "p",
        grant: block(9),
        amount: 60,
        now: NOW,
        lines: &lines,
    };
    assert_eq!(ledger.reserve(&other), Ok(Reserve::Taken));
    assert_eq!(ledger.total(&block(1)), 60);
}

#[test]
fn no_total_goes_around() {
    let mut ledger = MemoryLedger::default();
    assert_eq!(reserve(&mut ledger, "a", u64::MAX, &[line(1, u64::MAX)]), Reserve::Reserved);
    assert_eq!(reserve(&mut ledger, "b", 1, &[line(1, u64::MAX)]), Reserve::Exceeded);
    assert_eq!(ledger.total(&block(1)), u64::MAX);
}

#[test]
fn one_grant_cannot_fill_the_ledger_for_others() {
    let bounds = LedgerBounds { grants: 2, blocks_per_grant: 3, held_per_grant: 4, ended: 10 };
    let mut ledger = MemoryLedger::with_bounds(bounds);
    // Whoever holds grant 1 appends block after block of their own.
    let ask = |ledger: &mut MemoryLedger, id: &str, root: u8, own: u8| {
        reserve(ledger, id, 1, &[line(root, 100), line(own, 100)])
    };
    assert_eq!(ask(&mut ledger, "a", 1, 11), Reserve::Reserved);
    assert_eq!(ask(&mut ledger, "b", 1, 12), Reserve::Reserved);
    assert_eq!(ask(&mut ledger, "c", 1, 13), Reserve::Full);
    assert_eq!(ask(&mut ledger, "d", 1, 12), Reserve::Reserved, "what has room has it still");
    assert_eq!(ask(&mut ledger, "e", 1, 12), Reserve::Reserved);
    assert_eq!(ask(&mut ledger, "f", 1, 12), Reserve::Full, "four are held");
    assert_eq!(ask(&mut ledger, "g", 2, 21), Reserve::Reserved, "another grant has its own room");
    assert_eq!(ask(&mut ledger, "h", 3, 31), Reserve::Full, "a third grant has none");
    assert_eq!(ask(&mut ledger, "i", 2, 21), Reserve::Reserved, "who is in has room still");
    assert_eq!(close(&mut ledger, "i", Close::Release), Closed::Done);
    assert_eq!(close(&mut ledger, "g", Close::Release), Closed::Done);
    assert_eq!(ask(&mut ledger, "h", 3, 31), Reserve::Reserved, "nothing is left under the second");
    assert_eq!(ledger.total(&block(1)), 4);
}

#[test]
fn ended_reservations_are_remembered_the_oldest_least() {
    for (room, remembered) in [(0, 0), (1, 1), (2, 2), (9, 3)] {
        let mut ledger = MemoryLedger::with_bounds(LedgerBounds { ended: room, ..LedgerBounds::default() });
        let names = ["a", "b", "c"];
        for name in names {
            assert_eq!(reserve(&mut ledger, name, 1, &[line(1, 100)]), Reserve::Reserved);
            assert_eq!(close(&mut ledger, name, Close::Settle), Closed::Done);
        }
        let taken = |name: &&str| reserve(&mut ledger, name, 1, &[line(1, 100)]) == Reserve::Taken;
        let taken: Vec<_> = names.iter().map(taken).collect();
        assert_eq!(taken, [remembered > 2, remembered > 1, remembered > 0], "room for {room}");
    }
}

#[test]
fn totals_are_forgotten_a_day_after_their_end_and_only_then() {
    let bounds = LedgerBounds { grants: 1, ..LedgerBounds::default() };
    let mut ledger = MemoryLedger::with_bounds(bounds);
    let at = |ledger: &mut MemoryLedger, id: &str, name: u8, now: i64, forget_after| {
        let lines = [SpendLine { block: block(name), max: 10, forget_after }];
        let demand = Demand {
            id: ReservationId::of(id),
            proposal: "p",
            grant: block(name),
            amount: 10,
            now,
            lines: &lines,
        };
        let Ok(said) = ledger.reserve(&demand);
        said
    };
    assert_eq!(at(&mut ledger, "a", 1, NOW, Some(NOW + 10)), Reserve::Reserved);
    let over = NOW + 10 + 86_400;
    assert_eq!(
        at(&mut ledger, "b", 2, over, Some(over + 10)),
        Reserve::Full,
        "what is held may be given back"
    );
    assert_eq!(close(&mut ledger, "a", Close::Settle), Closed::Done);
    assert_eq!(at(&mut ledger, "b", 2, over - 1, Some(over + 10)), Reserve::Full);
    assert_eq!(at(&mut ledger, "b", 2, over, None), Reserve::Reserved);
    assert_eq!(close(&mut ledger, "b", Close::Settle), Closed::Done);
    assert_eq!(at(&mut ledger, "c", 3, i64::MAX, None), Reserve::Full, "what has no end is never forgotten");
    assert_eq!((ledger.total(&block(1)), ledger.total(&block(2))), (0, 10));
}

#[test]
fn a_total_ends_with_its_block_and_those_before_it() {
    let token =
        Chain::root(&who(1), &who(2), r#"{"spend":{"currency":"EUR","max":9}},{"exp":500},{"exp":600}"#)
            .then(&who(2), &who(3), r#"{"spend":{"currency":"EUR","max":8}}"#)
            .then(&who(3), &who(4), r#"{"exp":100},{"spend":{"currency":"EUR","max":7}}"#)
            .then(&who(4), &who(5), r#"{"exp":700},{"spend":{"currency":"EUR","max":6}}"#)
            .then(&who(5), &who(6), r#"{"exp":1}"#)
            .token();
    let grant = Grant::decode(&token, &Limits::default()).unwrap().verify(&[public(&who(1))]).unwrap();
    let lines = |cost: &str| {
        let parsed = Proposal::parse(proposal(cost).as_bytes()).unwrap();
        grant.spend_lines(parsed.terms()).map(|line| (line.max, line.forget_after)).collect::<Vec<_>>()
    };
    let expected = [(9, Some(500)), (8, Some(500)), (7, Some(100)), (6, Some(100))];
    assert_eq!(lines(r#"{"amount":1,"currency":"EUR"}"#), expected);
    assert_eq!(lines("null"), []);
    let token = Chain::root(&who(1), &who(2), r#"{"spend":{"currency":"EUR","max":9}}"#)
        .then(&who(2), &who(3), r#"{"exp":1}"#)
        .token();
    let grant = Grant::decode(&token, &Limits::default()).unwrap().verify(&[public(&who(1))]).unwrap();
    let parsed = Proposal::parse(proposal(r#"{"amount":1,"currency":"EUR"}"#).as_bytes()).unwrap();
    let ends: Vec<_> = grant.spend_lines(parsed.terms()).map(|line| line.forget_after).collect();
    assert_eq!(ends, [None], "an appended `exp` does not reset the root's total");
}

/// A shop where key 2 may commit one proposal of 1800 EUR.
struct Shop {
    text: String,
    hash: String,
    proof: String,
    origin: Origin,
}

impl Shop {
    fn new() -> Self {
        let text = proposal(r#"{"amount":1800,"currency":"EUR"}"#);
        let hash = crate::proposal_hash(text.as_bytes()).unwrap();
        let proof = proof(&who(2), SERVICE, "COMMIT", &hash, NOW);
        Self { text, hash, proof, origin: Origin::without_grant(RecordedKey::Key(public(&who(2)))) }
    }

    fn commit(&self) -> Commit<'_> {
        Commit::Sent { proposal: Offered::Text(self.text.as_bytes()), hash: &self.hash, origin: &self.origin }
    }

    fn presented<'r>(&'r self, grants: &'r [Presentable<'r>]) -> Presented<'r> {
        Presented { grants, proof: Possession::Proof(self.proof.as_bytes()), now: NOW }
    }
}

fn verifier() -> Verifier<Vec<PublicKey>> {
    Verifier::new(SERVICE, vec![public(&who(1)), public(&who(9))])
}

fn allowed<T, R>(step: Step<'_, T, R>) -> (Allowed, Reservation) {
    match step {
        Step::Execute(allowed, reservation) => (allowed, reservation),
        Step::Reserve(_) => panic!("not reserved yet"),
        Step::Refused(refusal) => panic!("{}", refusal.log()),
    }
}

fn refused<T, R>(step: Step<'_, T, R>) -> Refusal {
    if let Step::Refused(refusal) = step { refusal } else { panic!("not refused") }
}

#[test]
fn every_commit_waits_for_its_ledger() {
    let (shop, verifier, id) = (Shop::new(), verifier(), ReservationId::of("x"));
    for caveats in ["", r#"{"spend":{"currency":"EUR","max":5000}}"#] {
        let token = Chain::root(&who(1), &who(2), caveats).token();
        let grants = [Presentable::Token(&token)];
        let Step::Reserve(pending) = verifier.commit(&shop.commit(), &shop.presented(&grants), id) else {
            panic!("nothing to wait for")
        };
        let grant = *Grant::decode(&token, &Limits::default()).unwrap().id();
        let lines: &[SpendLine] = if caveats.is_empty() {
            &[]
        } else {
            &[SpendLine { block: grant, max: 5000, forget_after: None }]
        };
        assert_eq!(
            pending.demand(),
            Demand { id, proposal: &shop.hash, grant, amount: 1800, now: NOW, lines }
        );
        let (allowed, reservation) = allowed(pending.answer(Reserve::Reserved));
        assert_eq!((allowed.spend(), reservation.id()), (lines, &id));
        let mut ledger = MemoryLedger::default();
        assert_eq!(reservation.release(&mut ledger), Ok(Closed::NotHeld));
    }
}

#[test]
fn the_next_grant_is_tried_and_then_the_human() {
    let (shop, verifier, id) = (Shop::new(), verifier(), ReservationId::of("x"));
    let spend = r#"{"spend":{"currency":"EUR","max":5000}}"#;
    let tokens = [(1, spend), (9, spend), (1, r#"{"exp":0}"#)]
        .map(|(principal, caveats)| Chain::root(&who(principal), &who(2), caveats).token());
    let grants = tokens.each_ref().map(|token| Presentable::Token(token));
    let pending =
        |step| if let Step::Reserve(pending) = step { pending } else { panic!("no ledger is asked") };
    let first = || pending(verifier.commit(&shop.commit(), &shop.presented(&grants), id));

    let second = pending(first().answer(Reserve::Exceeded));
    assert_ne!(second.demand().grant, first().demand().grant);
    let (allowed, _) = allowed(second.answer(Reserve::Reserved));
    assert_eq!((allowed.grant_index(), allowed.issuer()), (Some(1), Some(&public(&who(9)))));

    for (one, two, code) in [
        (Reserve::Exceeded, Reserve::Exceeded, "consent_required"),
        (Reserve::Exceeded, Reserve::Full, "consent_required"),
        (Reserve::Full, Reserve::Exceeded, "consent_required"),
        (Reserve::Full, Reserve::Full, "unavailable"),
    ] {
        let refusal = refused(pending(first().answer(one)).answer(two));
        assert_eq!(refusal.answer().code(), code, "{one:?} {two:?}");
        let denials: Vec<_> = refusal.log().grants().iter().map(|grant| &grant.denial).collect();
        let expected = |said| if said == Reserve::Exceeded { Denial::Exceeded } else { Denial::Unavailable };
        assert_eq!((denials[0], denials[1]), (&expected(one), &expected(two)));
        assert!(matches!(denials[2], Denial::Caveats(_)));
        if let Answer::ConsentRequired(request) = refusal.answer() {
            let who = if one == Reserve::Exceeded { who(1) } else { who(9) };
            assert_eq!(request.principal(), &public(&who), "the first that could be asked");
        }
    }
}

/// An attempt whose name is taken may have been executed: nobody else is asked to pay for it.
#[test]
fn a_name_that_is_taken_asks_nobody() {
    let (shop, verifier, id) = (Shop::new(), verifier(), ReservationId::of("x"));
    let soft = r#"{"risk":"low"},{"per":{"currency":"EUR","max":1}}"#;
    let tokens = ["", soft].map(|caveats| Chain::root(&who(1), &who(2), caveats).token());
    let grants = tokens.each_ref().map(|token| Presentable::Token(token));
    let Step::Reserve(pending) = verifier.commit(&shop.commit(), &shop.presented(&grants), id) else {
        panic!()
    };
    let refusal = refused(pending.answer(Reserve::Taken));
    assert_eq!((refusal.answer(), refusal.log().grants().len()), (&Answer::Unavailable, 2));
}

#[test]
fn a_name_is_for_one_proposal() {
    let mut ledger = MemoryLedger::default();
    let lines = [line(1, 100)];
    let mut ask = |proposal| {
        let demand = Demand {
            id: ReservationId::of("a"),
            proposal,
            grant: block(1),
            amount: 60,
            now: NOW,
            lines: &lines,
        };
        ledger.reserve(&demand)
    };
    assert_eq!(ask("one"), Ok(Reserve::Reserved));
    assert_eq!(ask("two"), Ok(Reserve::Taken));
    assert_eq!(ask("one"), Ok(Reserve::Reserved));
}

/// Whoever holds a consent can append blocks to it: it is a consent all the same.
#[test]
fn a_consent_is_claimed_whatever_is_appended_to_it() {
    let (shop, verifier, id) = (Shop::new(), verifier(), ReservationId::of("x"));
    let claim_of = |caveats: &str, appended: usize| {
        let root = Chain::root(&who(1), &who(2), caveats);
        let token = (0..appended).fold(root, |chain, _| chain.then(&who(2), &who(2), "")).token();
        let grants = [Presentable::Token(&token)];
        let step = verifier.commit(&shop.commit(), &shop.presented(&grants), id);
        let Ok(Ok((allowed, _))) = step.drive(&mut MemoryLedger::default()) else { panic!("refused") };
        allowed.consent_claim()
    };
    let consent = format!(r#"{{"only":"{}"}}"#, shop.hash);
    let claim = Claim::for_consent(&public(&who(1)), &shop.hash, 1_790_000_600);
    for appended in 0..3 {
        assert_eq!(claim_of(&consent, appended), Some(claim));
        assert_eq!(claim_of("", appended), None);
    }
}

#[test]
fn a_ledger_that_fails_is_no_allow() {
    struct Broken;
    impl Ledger for Broken {
        type Error = &'static str;
        fn reserve(&mut self, _: &Demand<'_>) -> Result<Reserve, Self::Error> {
            Err("down")
        }
        fn close(&mut self, _: &ReservationId, _: Close) -> Result<Closed, Self::Error> {
            Err("down")
        }
    }
    let (shop, verifier, id) = (Shop::new(), verifier(), ReservationId::of("x"));
    let token = chain(1, "").token();
    let grants = [Presentable::Token(&token)];
    let step = verifier.commit(&shop.commit(), &shop.presented(&grants), id);
    assert_eq!(step.drive(&mut Broken).err(), Some("down"));
    let (back, error) = Reservation::resume(id).settle(&mut Broken).unwrap_err();
    assert_eq!((back.id(), error), (&id, "down"));
    let (back, _) = back.release(&mut Broken).unwrap_err();
    let ledger: &mut dyn Ledger<Error = &'static str> = &mut Broken;
    assert!(back.settle(ledger).is_err());
}

#[test]
fn what_is_revoked_is_unauthorized_and_the_next_is_tried() {
    let token = chain(3, "").token();
    let other = Chain::root(&who(1), &who(4), "").token();
    let grants = [Presentable::Token(&token), Presentable::Token(&other)];
    let proof = proof(&who(4), SERVICE, "ASK", "c", NOW);
    let presented = Presented { grants: &grants, proof: Possession::Proof(proof.as_bytes()), now: NOW };
    let grant = Grant::decode(&token, &Limits::default()).unwrap();
    let ids: Vec<_> = grant.blocks().map(|block| *block.id()).collect();
    let ask = |revoked: &dyn Fn(&Link<'_>) -> bool, presented: &Presented<'_>| {
        let verifier = verifier().with_revocation(|link: &Link<'_>| revoked(link));
        verifier.authorize(&Request::Ask { capability: "c" }, presented)
    };
    let index = |decision| match decision {
        Decision::Allowed(allowed) => allowed.grant_index(),
        Decision::Refused(_) => None,
    };
    assert_eq!(index(ask(&|_| false, &presented)), Some(0));
    for id in &ids {
        assert_eq!(index(ask(&|link| link.block == id, &presented)), Some(1));
    }
    assert_eq!(index(ask(&|link| link.grant == &ids[0], &presented)), Some(1));
    for signer in [2, 3] {
        assert_eq!(index(ask(&|link| link.signer == &public(&who(signer)), &presented)), Some(1));
    }
    for subject in [2, 3] {
        assert_eq!(index(ask(&|link| link.subject == &public(&who(subject)), &presented)), Some(1));
    }
    let held = ask(&|link| link.subject == &public(&who(4)), &presented);
    assert_eq!(index(held), None, "a compromised holder");
    let all = ask(&|link| link.signer == &public(&who(1)), &presented);
    let Decision::Refused(refusal) = all else { panic!("allowed") };
    assert_eq!(refusal.answer(), &Answer::Unauthorized);
    assert_eq!(refusal.log().grants()[0].denial, Denial::Revoked(ids[0]));
    let kept = verifier().verify(&token).unwrap();
    let grants = [Presentable::Kept(&kept)];
    assert_eq!(index(ask(&|link| link.block == &ids[1], &Presented { grants: &grants, ..presented })), None);
}

#[test]
fn what_is_revoked_asks_nobody_and_what_is_forbidden_stays_so() {
    let shop = Shop::new();
    let asked = core::cell::Cell::new(0);
    let verifier = verifier().with_revocation(|_: &Link<'_>| {
        asked.set(asked.get() + 1);
        true
    });
    let code = |caveats: &str| {
        let token = Chain::root(&who(1), &who(2), caveats).token();
        let grants = [Presentable::Token(&token)];
        refused(verifier.commit(&shop.commit(), &shop.presented(&grants), ReservationId::of("x")))
            .answer()
            .code()
    };
    assert_eq!(code(""), "unauthorized");
    assert_eq!(code(r#"{"spend":{"currency":"EUR","max":1}}"#), "unauthorized");
    assert_eq!(asked.get(), 2);
    assert_eq!(code(r#"{"exp":0}"#), "forbidden", "it is not asked about what does not count");
    assert_eq!(asked.get(), 2);
}

#[test]
fn a_claim_is_first_once() {
    let mut claims = MemoryClaims::with_room(10);
    let claim = Claim::for_commit("h", NOW + 10);
    let first = |claims: &mut MemoryClaims, now| match claims.claim(&claim, now) {
        Ok(Claimed::First(ticket)) => ticket,
        other => panic!("{other:?}"),
    };
    let ticket = first(&mut claims, NOW);
    assert_eq!(claims.claim(&claim, NOW + 9), Ok(Claimed::InProgress));
    assert_eq!(claims.end(&ticket, End::Abandon), Ok(true));
    assert_eq!(claims.end(&ticket, End::Abandon), Ok(false));
    let again = first(&mut claims, NOW);
    assert_ne!(again, ticket);
    assert_eq!(claims.end(&ticket, End::Finish), Ok(false), "it lost its place");
    let stored = Ticket::from_parts(*again.key(), again.turn());
    assert_eq!(claims.end(&stored, End::Finish), Ok(true), "after a crash");
    assert_eq!(claims.claim(&claim, NOW + 9), Ok(Claimed::Done));
    assert_eq!(claims.end(&again, End::Abandon), Ok(false), "what is done stays done");
    assert_eq!(claims.claim(&claim, NOW + 9), Ok(Claimed::Done));
    let late = first(&mut claims, NOW + 10);
    assert_eq!(claims.end(&again, End::Finish), Ok(false));
    assert_eq!(claims.end(&late, End::Finish), Ok(true));
}

#[test]
fn what_is_alive_is_never_forgotten() {
    let mut claims = MemoryClaims::with_room(2);
    let claim = |name: &str, until| Claim::for_other("test", name, until);
    let is_first = |claims: &mut MemoryClaims, name: &str, until, now| {
        matches!(claims.claim(&claim(name, until), now), Ok(Claimed::First(_)))
    };
    assert!(is_first(&mut claims, "a", 10, 0) && is_first(&mut claims, "b", 20, 0));
    assert_eq!(claims.claim(&claim("c", 30), 9), Ok(Claimed::Full));
    assert!(is_first(&mut claims, "c", 30, 10), "a's time is over");
    assert_eq!(claims.claim(&claim("b", 20), 10), Ok(Claimed::InProgress));
    assert_eq!(claims.claim(&claim("d", 30), 19), Ok(Claimed::Full));
    assert_eq!(MemoryClaims::with_room(0).claim(&claim("a", 10), 0), Ok(Claimed::Full));
}

/// Clocks differ: what is over on one is not on another, and is kept as long as there is room.
#[test]
fn what_is_over_is_forgotten_for_want_of_room_only() {
    let (early, late) = (Claim::for_commit("early", 10), Claim::for_commit("late", 100));
    for (room, is_kept) in [(2, true), (1, false)] {
        let mut claims = MemoryClaims::with_room(room);
        let Ok(Claimed::First(ticket)) = claims.claim(&early, 0) else { panic!() };
        assert!(matches!(claims.claim(&late, 10), Ok(Claimed::First(_))));
        assert_eq!(claims.end(&ticket, End::Finish), Ok(is_kept));
        let expected = if is_kept { Claimed::Done } else { Claimed::Full };
        assert_eq!(claims.claim(&early, 9), Ok(expected));
    }
}

#[test]
fn kinds_of_claims_never_meet() {
    let (one, two) = (public(&who(1)), public(&who(2)));
    let key = one.to_string();
    let claims = [
        Claim::for_auto(&one, "x", 0, 0),
        Claim::for_auto(&two, "x", 0, 0),
        Claim::for_auto(&one, "y", 0, 0),
        Claim::for_auto(&one, "", 0, 0),
        Claim::for_consent(&one, "x", 0),
        Claim::for_consent(&two, "x", 0),
        Claim::for_consent(&one, "y", 0),
        Claim::for_commit("x", 0),
        Claim::for_commit(&key, 0),
        Claim::for_commit(&format!("{key}x"), 0),
        Claim::for_commit("\",\"key\":\"", 0),
        Claim::for_other("auto", "x", 0),
        Claim::for_other("commit", "x", 0),
        Claim::for_other("x", "commit", 0),
        Claim::for_other("xcommit", "", 0),
    ];
    for (index, claim) in claims.iter().enumerate() {
        assert!(claims[..index].iter().all(|other| other.key() != claim.key()), "{index}");
    }
}

/// A proof is good until 300 s after its time, and may be of a time 300 s ahead: 900 s after the later of the two is after both.
#[test]
fn a_frame_is_remembered_for_longer_than_its_proof_is_good() {
    let key = public(&who(1));
    for (arrived, time, last) in [
        (1000, 1000, 1899),
        (1000, 1300, 2199),
        (1000, 700, 1899),
        (i64::MAX, 0, i64::MAX),
        (i64::MAX - 900, 0, i64::MAX - 1),
        (i64::MIN, i64::MIN, i64::MIN + 899),
    ] {
        assert_eq!(Claim::for_auto(&key, "f", arrived, time).last(), Some(last));
    }
    assert_eq!(Claim::for_consent(&key, "h", 10).last(), Some(9));
    assert_eq!(Claim::for_commit("h", i64::MIN).last(), None, "never alive");
    let token = chain(1, "").token();
    let grants = [Presentable::Token(&token)];
    let ahead = proof(&who(2), SERVICE, "INTENT", "auto:c:f", NOW + 250);
    let presented = Presented { grants: &grants, proof: Possession::Proof(ahead.as_bytes()), now: NOW };
    let request = Request::AutoIntent { capability: "c", frame: "f" };
    let Decision::Allowed(allowed) = verifier().authorize(&request, &presented) else { panic!("refused") };
    let holder = public(&who(2));
    assert_eq!(allowed.auto_claim("f", NOW), Some(Claim::for_auto(&holder, "f", NOW, NOW + 250)));
    let presented = Presented { proof: Possession::AssumeProven(&holder), ..presented };
    let Decision::Allowed(allowed) = verifier().authorize(&request, &presented) else { panic!("refused") };
    assert_eq!(allowed.auto_claim("f", NOW).and_then(|claim| claim.last()), Some(NOW + 899));
}

#[test]
fn a_consent_request_is_matched_member_by_member() {
    let text = proposal(r#"{"amount":1800,"currency":"EUR"}"#);
    let parsed = Proposal::parse(text.as_bytes()).unwrap();
    let principal = public(&who(1));
    let good = ConsentRequest::new(SERVICE, parsed.terms(), principal).to_json();
    let request = ConsentRequest::parse(good.as_bytes()).unwrap();
    assert_eq!(request.to_json(), good);
    assert_eq!((request.proposal(), request.hash()), ("p", parsed.terms().hash()));
    assert_eq!((request.service(), request.capability()), ("shop.example", "shop.order"));
    assert_eq!((request.summary(), request.expires()), ("Two cups", 1_790_000_600));
    assert_eq!(request.principal(), &principal);
    let matched = request.matched(&parsed, SERVICE, &principal).unwrap();
    let shown = format!("for {}\nasked by the service \"shop.example\"\n{parsed}", key_text(&who(1)));
    assert_eq!(matched.to_string(), shown);
    let hash = parsed.terms().hash();
    for (member, from, to) in [
        ("proposal", "\"proposal\":\"p\"", "\"proposal\":\"q\""),
        ("hash", hash, "AAAA"),
        ("service", "\"service\":\"shop.example\"", "\"service\":\"bank.example\""),
        ("capability", "shop.order", "shop.orders"),
        ("principal", &key_text(&who(1)), &key_text(&who(2))),
        ("summary", "Two cups", "Free cups"),
        ("expires", "1790000600", "1790000601"),
    ] {
        let changed = good.replacen(from, to, 1);
        assert_ne!(changed, good);
        let request = ConsentRequest::parse(changed.as_bytes()).unwrap();
        let error = request.matched(&parsed, SERVICE, &principal).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Field(member));
    }
    assert!(request.matched(&parsed, "bank.example", &principal).is_err());
    assert!(request.matched(&parsed, SERVICE, &public(&who(2))).is_err());
    let other = Proposal::parse(proposal("null").as_bytes()).unwrap();
    assert_eq!(request.matched(&other, SERVICE, &principal).unwrap_err().kind(), ErrorKind::Field("hash"));
    for (bad, kind) in [
        (good.replace("\"summary\":", "\"Summary\":"), ErrorKind::Field("summary")),
        (good.replace('{', "{\"x\":1,"), ErrorKind::UnknownField),
        (good.replace("1790000600", "\"1790000600\""), ErrorKind::Field("expires")),
        (good.replace("ed25519:", "Ed25519:"), ErrorKind::Field("principal")),
        (good.replace("\"summary\":\"Two cups\"", "\"summary\":null"), ErrorKind::Field("summary")),
        (good.replace('{', "{\"hash\":\"\","), ErrorKind::DuplicateKey),
        (String::from("[]"), ErrorKind::Syntax),
        (format!("{good} x"), ErrorKind::TrailingBytes),
    ] {
        assert_eq!(ConsentRequest::parse(bad.as_bytes()).unwrap_err().kind(), kind, "{bad}");
    }
}

#[test]
fn a_consent_is_known_by_its_five_caveats() {
    let parsed = Proposal::parse(proposal("null").as_bytes()).unwrap();
    let terms = parsed.terms();
    let hash = terms.hash();
    let caveats = [
        String::from(r#"{"svc":["shop.example"]}"#),
        String::from(r#"{"verbs":["COMMIT"]}"#),
        String::from(r#"{"can":["shop.order"]}"#),
        format!(r#"{{"only":"{hash}"}}"#),
        String::from(r#"{"exp":1790000600}"#),
    ];
    let is = |caveats: &[String]| {
        let token = Chain::root(&who(1), &who(2), &caveats.join(",")).token();
        Grant::decode(&token, &Limits::default()).unwrap().is_consent_for(terms, SERVICE)
    };
    assert!(is(&caveats));
    for index in 0..caveats.len() {
        let mut less = caveats.to_vec();
        let gone = less.remove(index);
        assert!(!is(&less));
        let mut more = caveats.to_vec();
        more.push(gone);
        assert!(!is(&more));
        let mut order = caveats.to_vec();
        order.swap(index, (index + 1) % caveats.len());
        assert!(!is(&order));
    }
    for (index, other) in [
        (0, r#"{"svc":["shop.example","b"]}"#),
        (0, r#"{"svc":["b"]}"#),
        (1, r#"{"verbs":["UNDO"]}"#),
        (1, r#"{"verbs":["COMMIT","UNDO"]}"#),
        (2, r#"{"can":["shop.*"]}"#),
        (3, r#"{"only":"x"}"#),
        (4, r#"{"exp":1790000601}"#),
        (4, r#"{"nbf":1790000600}"#),
    ] {
        let mut changed = caveats.to_vec();
        changed[index] = String::from(other);
        assert!(!is(&changed), "{other}");
    }
    let longer = Chain::root(&who(1), &who(2), &caveats.join(",")).then(&who(2), &who(3), "").token();
    assert!(!Grant::decode(&longer, &Limits::default()).unwrap().is_consent_for(terms, SERVICE));
    assert!(!is(&caveats) || !Grant::decode(&longer, &Limits::default()).unwrap().is_consent_for(terms, "b"));
}

#[cfg(feature = "std")]
#[test]
fn threads_never_pass_a_cap_together() {
    use crate::SharedLedger;
    let ledger = SharedLedger::default();
    let lines = [line(1, 1000), line(2, 700)];
    let reserved = std::sync::atomic::AtomicU64::new(0);
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let (ledger, reserved) = (&ledger, &reserved);
            scope.spawn(move || {
                for round in 0..200_u64 {
                    let id = ReservationId::of(&format!("{thread}.{round}"));
                    let which = if round % 2 == 0 { &lines[..1] } else { &lines[..] };
                    let demand = Demand {
                        id,
                        proposal: "p",
                        grant: block(1),
                        amount: round % 7,
                        now: NOW,
                        lines: which,
                    };
                    let mut mine = ledger;
                    if mine.reserve(&demand) != Ok(Reserve::Reserved) {
                        continue;
                    }
                    assert!(
                        ledger.total(&block(1)).unwrap() <= 1000 && ledger.total(&block(2)).unwrap() <= 700
                    );
                    let how = if round % 3 == 0 { Close::Settle } else { Close::Release };
                    assert_eq!(mine.close(&id, how), Ok(Closed::Done));
                    if how == Close::Settle {
                        reserved.fetch_add(round % 7, std::sync::atomic::Ordering::Relaxed);
                    }
                }
            });
        }
    });
    assert_eq!(ledger.total(&block(1)), Ok(reserved.into_inner()));
}
