//! What C cannot show: that panics stop at the boundary, that handles may cross threads, that the codes stay as they are.

use crate::abi::{Out, borrow, borrow_mut, bytes, guard, guard_or, list, pg_bytes, pg_id, start, text};
use crate::claims::{
    pg_claim, pg_claim_for_commit, pg_claim_free, pg_claims, pg_claims_claim, pg_claims_free, pg_claims_new,
    pg_ticket,
};
use crate::code::{pg_code, pg_code_name};
use crate::commit::{pg_auto_commit, pg_commit};
use crate::decision::pg_decision;
use crate::ledger::{
    pg_demand, pg_ledger_free, pg_ledger_new, pg_ledger_release, pg_ledger_reserve, pg_ledger_settle,
    pg_ledger_total,
};
use crate::presented::{pg_possession, pg_presentable, pg_presented};
use crate::recorded::{pg_commit_kind, pg_committed, pg_origin, pg_origin_kind, pg_owner, pg_owner_kind};
use crate::request::{pg_ask, pg_auto_intent, pg_expand, pg_intent, pg_replay, pg_undo};
use crate::verifier::{pg_settings, pg_verifier, pg_verifier_free, pg_verifier_new};
use pg_code::*;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::ptr::{null, null_mut};

#[test]
fn no_panic_leaves_an_entry() {
    assert_eq!(guard(|| panic!("a text")), PG_ERROR_PANIC);
    assert_eq!(guard(|| std::panic::panic_any(7)), PG_ERROR_PANIC);
    assert_eq!(guard_or(3, || panic!()), 3);
    struct Again;
    impl Drop for Again {
        fn drop(&mut self) {
            panic!("again");
        }
    }
    assert_eq!(guard(|| std::panic::panic_any(Again)), PG_ERROR_PANIC);
    assert_eq!(guard(|| Err(PG_ABSENT)), PG_ABSENT);
}

#[test]
fn handles_cross_threads_as_the_header_says() {
    fn shared<T: Send + Sync>() {}
    shared::<crate::verifier::pg_verifier>();
    shared::<crate::verifier::pg_grant>();
    shared::<crate::decision::pg_decision>();
    shared::<crate::commit::pg_pending>();
    shared::<crate::ledger::pg_ledger>();
    shared::<pg_claims>();
    shared::<pg_claim>();
    shared::<crate::abi::pg_text>();
    #[cfg(feature = "issue")]
    shared::<crate::issue::pg_seed>();
}

#[test]
fn pointers_are_looked_at_before_they_are_followed() {
    let words = [1_u64, 2, 3];
    let crooked = words.as_ptr().cast::<u8>().wrapping_add(1).cast::<u64>();
    // SAFETY: null, crooked, or a word.
    unsafe {
        assert_eq!(borrow(null::<u64>()), Err(PG_ERROR_NULL));
        assert_eq!(borrow(crooked), Err(PG_ERROR_NULL));
        assert_eq!(borrow(words.as_ptr()), Ok(&1));
        assert_eq!(borrow_mut(null_mut::<u64>()), Err(PG_ERROR_NULL));
        assert_eq!(borrow_mut(crooked.cast_mut()), Err(PG_ERROR_NULL));
        assert!(Out::new(null_mut::<u64>(), 0).is_err());
        assert!(Out::new(crooked.cast_mut(), 0).is_err());
    }
    // SAFETY: no more than there is, or not followed.
    unsafe {
        assert_eq!(list(words.as_ptr(), 3), Ok(&words[..]));
        assert_eq!(list(null::<u64>(), 0), Ok(&[][..]));
        assert_eq!(list(crooked, 0), Ok(&[][..]));
        assert_eq!(list(null::<u64>(), 1), Err(PG_ERROR_NULL));
        assert_eq!(list(crooked, 1), Err(PG_ERROR_NULL));
        for count in [usize::MAX, usize::MAX / 8, usize::MAX / 8 + 2, usize::MAX / 16 + 1] {
            assert_eq!(list(words.as_ptr(), count), Err(PG_ERROR_LENGTH));
        }
        let longest = isize::MAX.unsigned_abs();
        assert_eq!(bytes(pg_bytes { length: longest + 1, ..pg_bytes::of(b"a") }), Err(PG_ERROR_LENGTH));
        assert_eq!(bytes(pg_bytes { length: 1, ..pg_bytes::EMPTY }), Err(PG_ERROR_NULL));
        assert_eq!(bytes(pg_bytes::EMPTY), Ok(&b""[..]));
        assert_eq!(text(pg_bytes::of(b"\xff")), Err(PG_ERROR_UTF8));
        assert_eq!(text(pg_bytes::of("\u{e9}".as_bytes())), Ok("\u{e9}"));
    }
}

#[test]
fn what_is_empty_starts_at_null() {
    assert!(
        start::<u64>(&[]).is_null() && pg_bytes::of(b"").data.is_null() && pg_bytes::EMPTY.data.is_null()
    );
    let list = [1_u64];
    assert_eq!(start(&list), list.as_ptr());
}

#[test]
fn a_place_for_a_result_is_emptied_first() {
    let mut place = 7_u64;
    // SAFETY: a place for a number.
    let out = unsafe { Out::new(&raw mut place, 3) };
    drop(out);
    assert_eq!(place, 3);
}

#[test]
fn a_poisoned_store_answers_nothing() {
    let (mut claims, mut claim) = (null_mut(), null_mut());
    let mut ticket = pg_ticket { key: pg_id { bytes: [1; 32] }, turn: 9 };
    // SAFETY: places for handles, and handles that live until they are freed.
    unsafe {
        assert_eq!(pg_claims_new(1, &raw mut claims), PG_OK);
        assert_eq!(pg_claim_for_commit(pg_bytes::of(b"h"), 1, &raw mut claim), PG_OK);
        (*claims).poison();
        assert_eq!(pg_claims_claim(claims, claim, 0, &raw mut ticket), PG_ERROR_POISONED);
        assert_eq!(ticket.turn, 0);
        pg_claims_free(claims);
        pg_claim_free(claim);
    }
}

/// A text that panics where it is read.
pub(crate) const PANICS: &[u8] = b"a text that panics";

const NOTHING: pg_presented = pg_presented {
    grants: null(),
    grant_count: 0,
    possession: pg_possession::PG_POSSESSION_NONE.number(),
    possessed: pg_bytes::EMPTY,
    now: 0,
};

fn verifier() -> *mut pg_verifier {
    let settings = pg_settings {
        service: pg_bytes::of(b"shop.example"),
        principals: null(),
        principal_count: 0,
        revoked: null(),
        revoked_count: 0,
        limits: null(),
    };
    let mut verifier = null_mut();
    // SAFETY: settings, and a place for a handle.
    assert_eq!(unsafe { pg_verifier_new(&raw const settings, &raw mut verifier) }, PG_OK);
    verifier
}

#[test]
fn a_panic_leaves_nothing_stale() {
    let verifier = verifier();
    let (good, bad, id) = (pg_bytes::of(b"a"), pg_bytes::of(PANICS), pg_id { bytes: [1; 32] });
    let presented = NOTHING;
    let presented = &raw const presented;
    let kind = pg_commit_kind::PG_COMMITTED_WITH_PRINCIPAL.number();
    let of = pg_committed { kind, holder: good, principal: good, capability: good, hash: good };
    let kind = pg_origin_kind::PG_ORIGIN_WITH_GRANT.number();
    let origin = pg_origin { kind, holder: good, principal: good };
    let owner = pg_owner { kind: pg_owner_kind::PG_OWNER_KEY.number(), key: bad };
    let stale = std::ptr::dangling_mut();
    let check = |call: &dyn Fn(*mut *mut pg_decision) -> pg_code| {
        let mut place = stale;
        assert_eq!(call(&raw mut place), PG_ERROR_PANIC);
        assert!(place.is_null());
    };
    // SAFETY: what is pointed to lives here, and the verifier until it is freed.
    unsafe {
        check(&|place| pg_ask(verifier, presented, bad, place));
        check(&|place| pg_intent(verifier, presented, bad, place));
        check(&|place| pg_auto_intent(verifier, presented, good, bad, place));
        check(&|place| pg_expand(verifier, presented, good, &raw const owner, place));
        let records = [
            (bad, of),
            (good, pg_committed { holder: bad, ..of }),
            (good, pg_committed { principal: bad, ..of }),
            (good, pg_committed { capability: bad, ..of }),
            (good, pg_committed { hash: bad, ..of }),
        ];
        for (sent, of) in &records {
            check(&|place| pg_undo(verifier, presented, *sent, of, place));
            check(&|place| pg_replay(verifier, presented, *sent, of, place));
        }
        let origins = [
            (bad, origin),
            (good, pg_origin { holder: bad, ..origin }),
            (good, pg_origin { principal: bad, ..origin }),
        ];
        for (sent, origin) in &origins {
            check(&|place| {
                let mut pending = std::ptr::dangling_mut();
                let code = pg_commit(
                    verifier,
                    presented,
                    good,
                    *sent,
                    origin,
                    &raw const id,
                    &raw mut pending,
                    place,
                );
                assert!(pending.is_null());
                code
            });
            check(&|place| {
                let mut pending = std::ptr::dangling_mut();
                let at = &raw mut pending;
                let code =
                    pg_auto_commit(verifier, presented, good, good, *sent, origin, &raw const id, at, place);
                assert!(pending.is_null());
                code
            });
        }
        pg_verifier_free(verifier);
    }
}

/// Counts what a thread holds, and the most that it held.
struct Counting;

thread_local! {
    static HELD: Cell<(isize, isize)> = const { Cell::new((0, 0)) };
}

fn count(bytes: isize) {
    let (held, most) = HELD.get();
    let held = held + bytes;
    HELD.set((held, most.max(held)));
}

// SAFETY: the system's, which nothing is kept from.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size().cast_signed());
        // SAFETY: the caller's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, place: *mut u8, layout: Layout) {
        count(-layout.size().cast_signed());
        // SAFETY: the caller's.
        unsafe { System.dealloc(place, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

#[test]
fn what_is_beyond_the_limits_is_not_copied() {
    let verifier = verifier();
    let (id, most) = (pg_id { bytes: [1; 32] }, 64 * 1024);
    let long = vec![b'a'; 32 << 20];
    let wide = "\u{20ac}".repeat(8 << 20);
    let short = pg_bytes::of(b"a");
    let grant = |token: &[u8]| pg_presentable { kept: null(), token: pg_bytes::of(token) };
    let many = vec![grant(&long[..most]); 5000];
    let (one, characters) = ([grant(&long)], [grant(wide.as_bytes())]);
    let origin =
        pg_origin { kind: pg_origin_kind::PG_ORIGIN_ANONYMOUS.number(), holder: short, principal: short };
    let proof = pg_possession::PG_POSSESSION_PROOF.number();
    let of = |grants: &[pg_presentable]| pg_presented {
        grants: start(grants),
        grant_count: grants.len(),
        possession: proof,
        possessed: short,
        ..NOTHING
    };
    let cases = [
        (of(&many), short, short),
        (of(&one), short, short),
        (of(&characters), short, short),
        (pg_presented { possessed: pg_bytes::of(&long), ..of(&[]) }, short, short),
        (of(&[]), pg_bytes::of(&long), short),
        (of(&[]), short, pg_bytes::of(&long)),
    ];
    for (presented, proposal, sent) in &cases {
        let (presented, origin, id) = (&raw const *presented, &raw const origin, &raw const id);
        let (mut pending, mut decision) = (null_mut(), null_mut());
        let before = HELD.get().0;
        HELD.set((before, before));
        // SAFETY: what is pointed to lives here, and the verifier until it is freed.
        let codes = unsafe {
            let place = &raw mut pending;
            let first =
                pg_commit(verifier, presented, *proposal, *sent, origin, id, place, &raw mut decision);
            crate::decision::pg_decision_free(decision);
            (
                first,
                pg_auto_commit(verifier, presented, *proposal, *sent, *sent, origin, id, place, null_mut()),
            )
        };
        assert_eq!(codes, (PG_UNAUTHORIZED, PG_UNAUTHORIZED));
        assert!(HELD.get().1 - before < 3 << 20, "{}", HELD.get().1 - before);
    }
    // SAFETY: a handle that lives.
    unsafe { pg_verifier_free(verifier) };
}

#[test]
fn what_is_cut_is_still_too_long() {
    use crate::presented::{cut, cut_text};
    for (length, left) in [(0, 0), (3, 3), (4, 4), (5, 4)] {
        assert_eq!(cut(&[1; 5][..length], 3).len(), left);
        assert_eq!(cut_text(&"aaaaa"[..length], 3).len(), left);
    }
    assert_eq!(cut_text("\u{20ac}\u{20ac}\u{20ac}", 3), "\u{20ac}\u{20ac}");
    assert_eq!(cut_text("\u{20ac}", 3), "\u{20ac}");
}

#[test]
fn a_poisoned_ledger_answers_nothing() {
    let (mut ledger, mut total, id) = (null_mut(), 7, pg_id { bytes: [1; 32] });
    let demand = pg_demand { id, amount: 0, ..pg_demand::EMPTY };
    // SAFETY: places for results, and a handle that lives until it is freed.
    unsafe {
        assert_eq!(pg_ledger_new(null(), &raw mut ledger), PG_OK);
        assert_eq!(pg_ledger_reserve(ledger, &raw const demand), PG_RESERVED);
        (*ledger).poison();
        let other = pg_demand { id: pg_id { bytes: [2; 32] }, ..demand };
        assert_eq!(pg_ledger_reserve(ledger, &raw const demand), PG_ERROR_POISONED);
        assert_eq!(pg_ledger_reserve(ledger, &raw const other), PG_ERROR_POISONED);
        assert_eq!(pg_ledger_settle(ledger, &raw const id), PG_ERROR_POISONED);
        assert_eq!(pg_ledger_release(ledger, &raw const id), PG_ERROR_POISONED);
        assert_eq!(pg_ledger_total(ledger, &raw const id, &raw mut total), PG_ERROR_POISONED);
        assert_eq!(total, u64::MAX);
        pg_ledger_free(ledger);
    }
}

#[test]
fn codes_are_what_they_were() {
    let codes = [
        (0, "ok"),
        (1, "error_null"),
        (2, "error_length"),
        (3, "error_utf8"),
        (4, "error_enum"),
        (5, "error_state"),
        (6, "error_panic"),
        (7, "error_poisoned"),
        (8, "error_input"),
        (9, "absent"),
        (100, "allowed"),
        (101, "unauthorized"),
        (102, "forbidden"),
        (103, "consent_required"),
        (104, "conflict"),
        (105, "expired"),
        (106, "review"),
        (107, "unavailable"),
        (110, "pending"),
        (120, "reserved"),
        (121, "exceeded"),
        (122, "full"),
        (123, "taken"),
        (130, "closed"),
        (131, "not_held"),
        (140, "first"),
        (141, "in_progress"),
        (142, "done"),
        (143, "no_room"),
    ];
    for code in 0..1000 {
        let name = codes.iter().find(|(number, _)| *number == code).map_or("", |(_, name)| name);
        // SAFETY: a static text.
        assert_eq!(unsafe { text(pg_code_name(code)) }, Ok(name), "{code}");
    }
    assert_eq!(pg_code_name(u32::MAX).length, 0);
}

#[test]
fn the_version_is_that_of_the_package() {
    let parts = env!("CARGO_PKG_VERSION").split('.').map(|part| part.parse::<u32>().unwrap());
    assert_eq!(parts.fold(0, |version, part| version << 8 | part), crate::helpers::pg_version());
}
