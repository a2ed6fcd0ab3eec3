//! What C cannot show: that panics stop at the boundary, that handles may cross threads, that the codes stay as they are.

use crate::abi::{Out, borrow, borrow_mut, bytes, guard, guard_or, list, pg_bytes, pg_id, start, text};
use crate::claims::{
    pg_claim, pg_claim_for_commit, pg_claim_free, pg_claims, pg_claims_claim, pg_claims_free, pg_claims_new,
    pg_ticket,
};
use crate::code::{pg_code, pg_code_name};
use pg_code::*;
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
