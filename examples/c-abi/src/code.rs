//! The codes: one enum for whatever a call can say, so that no two of its meanings are one number.

use crate::abi::{guard_or, pg_bytes};

/// What a call says. The numbers are stable, and none has two meanings: an error is no answer, an answer is no word of a ledger.
///
/// Only PG_ALLOWED means that a request may be carried out. It is not 0, and PG_OK is never said by a call that decides.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum pg_code {
    /// The call did what it is for. It says nothing about any request.
    PG_OK = 0,

    /// A pointer that must not be null is, or one is not aligned for its type.
    PG_ERROR_NULL = 1,
    /// A length or count that no memory can have.
    PG_ERROR_LENGTH = 2,
    /// A text that is not UTF-8, where only one that is can be meant.
    PG_ERROR_UTF8 = 3,
    /// A number that is none of the constants for its field.
    PG_ERROR_ENUM = 4,
    /// The handle is past this call: its COMMIT is decided.
    PG_ERROR_STATE = 5,
    /// A defect in the library. Nothing was decided; what the handle of a pending COMMIT was at is over.
    PG_ERROR_PANIC = 6,
    /// An earlier defect left a ledger or claim store in an unknown state. It answers nothing more.
    PG_ERROR_POISONED = 7,
    /// A text is not what it has to be: a key, a token, JSON, a proposal, a seed. Or a name or id is 32 zeros.
    PG_ERROR_INPUT = 8,
    /// The decision or claim has no such part.
    PG_ABSENT = 9,

    /// The request may be carried out.
    PG_ALLOWED = 100,
    /// No valid grant of a trusted principal was presented by its proven holder.
    PG_UNAUTHORIZED = 101,
    /// No, and nobody's consent would change it.
    PG_FORBIDDEN = 102,
    /// The human may consent: send what pg_decision_consent gives.
    PG_CONSENT_REQUIRED = 103,
    /// The hash that was sent is not the proposal's.
    PG_CONFLICT = 104,
    /// The proposal's time is over.
    PG_EXPIRED = 105,
    /// No auto-commit: show the proposals, as without auto.
    PG_REVIEW = 106,
    /// The cost could not be counted. Nothing was done.
    PG_UNAVAILABLE = 107,
    /// A COMMIT that waits for its ledger's word. It is not allowed.
    PG_PENDING = 110,

    /// A ledger: the amount is counted under every line, and held.
    PG_RESERVED = 120,
    /// A ledger: some line would go over its maximum. Nothing was counted.
    PG_EXCEEDED = 121,
    /// A ledger: there is no room. Nothing was counted.
    PG_FULL = 122,
    /// A ledger: the name is that of another demand, or of a reservation that has ended. Nothing was counted.
    PG_TAKEN = 123,

    /// A reservation or claim was held, and has now ended. This is said once.
    PG_CLOSED = 130,
    /// It is not held: it ended before, or never was. Nothing changed.
    PG_NOT_HELD = 131,

    /// A claim store: nobody has claimed it. Go on, and end it by the ticket.
    PG_FIRST = 140,
    /// A claim store: somebody has claimed it, and has not ended it.
    PG_IN_PROGRESS = 141,
    /// A claim store: it has happened. Answer with the first answer.
    PG_DONE = 142,
    /// A claim store: there is no room to remember it. It must not happen.
    PG_NO_ROOM = 143,
}

use pg_code::*;

const ALL: [(pg_code, &str); 29] = [
    (PG_OK, "ok"),
    (PG_ERROR_NULL, "error_null"),
    (PG_ERROR_LENGTH, "error_length"),
    (PG_ERROR_UTF8, "error_utf8"),
    (PG_ERROR_ENUM, "error_enum"),
    (PG_ERROR_STATE, "error_state"),
    (PG_ERROR_PANIC, "error_panic"),
    (PG_ERROR_POISONED, "error_poisoned"),
    (PG_ERROR_INPUT, "error_input"),
    (PG_ABSENT, "absent"),
    (PG_ALLOWED, "allowed"),
    (PG_UNAUTHORIZED, "unauthorized"),
    (PG_FORBIDDEN, "forbidden"),
    (PG_CONSENT_REQUIRED, "consent_required"),
    (PG_CONFLICT, "conflict"),
    (PG_EXPIRED, "expired"),
    (PG_REVIEW, "review"),
    (PG_UNAVAILABLE, "unavailable"),
    (PG_PENDING, "pending"),
    (PG_RESERVED, "reserved"),
    (PG_EXCEEDED, "exceeded"),
    (PG_FULL, "full"),
    (PG_TAKEN, "taken"),
    (PG_CLOSED, "closed"),
    (PG_NOT_HELD, "not_held"),
    (PG_FIRST, "first"),
    (PG_IN_PROGRESS, "in_progress"),
    (PG_DONE, "done"),
    (PG_NO_ROOM, "no_room"),
];

/// The name of a code, as in `allowed`: static, and empty for a number that is none.
///
/// Threads: any, at any time.
#[unsafe(no_mangle)]
pub extern "C" fn pg_code_name(code: u32) -> pg_bytes {
    guard_or(pg_bytes::EMPTY, || {
        let named = ALL.iter().find(|(known, _)| known.number() == code);
        named.map_or(pg_bytes::EMPTY, |(_, name)| pg_bytes::of(name.as_bytes()))
    })
}

/// Enums go out, and come in as numbers: a number that is no variant must not become one.
macro_rules! numbered {
    ($($name:ident),+) => {
        $(impl $name {
            #[expect(clippy::as_conversions, reason = "the only way from an enum to its number")]
            pub(crate) const fn number(self) -> u32 {
                self as u32
            }
        })+
    };
}
pub(crate) use numbered;

numbered!(pg_code);
