#![doc = include_str!("../README.md")]
#![no_std]
#![forbid(unsafe_code)]
#![deny(missing_docs, unused_must_use, unreachable_pub)]
#![cfg_attr(
    not(test),
    deny(
        clippy::arithmetic_side_effects,
        clippy::as_conversions,
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        clippy::expect_used,
        clippy::float_arithmetic,
        clippy::get_unwrap,
        clippy::indexing_slicing,
        clippy::integer_division,
        clippy::mem_forget,
        clippy::panic,
        clippy::print_stderr,
        clippy::print_stdout,
        clippy::string_slice,
        clippy::todo,
        clippy::unimplemented,
        clippy::unreachable,
        clippy::unwrap_used,
        clippy::wildcard_enum_match_arm,
        clippy::incompatible_msrv
    )
)]

extern crate alloc;
#[cfg(any(test, feature = "std"))]
extern crate std;

mod base64url;
mod caveat;
mod chain;
mod commit;
mod consent;
mod decision;
mod error;
mod evaluate;
mod grant;
mod inspect;
#[cfg(feature = "issue")]
pub mod issue;
mod json;
mod key;
mod ledger;
mod limits;
mod proof;
mod proposal;
mod record;
mod replay;
mod request;
mod revoke;
#[cfg(feature = "routes")]
pub mod routes;
mod search;
mod spend;
mod verifier;

pub use caveat::{Amount, Caveat, Risk};
pub use chain::{Trust, VerifiedGrant};
pub use commit::{Pending, Step};
pub use consent::{ConsentRequest, MatchedConsent};
pub use decision::{Allowed, Answer, Cause, Decision, Denial, GrantLog, Log, Refusal};
pub use error::{Error, ErrorKind};
pub use evaluate::{Action, Evaluation, Failure, Outcome, Reason, Severity, SpendLine, Spent};
pub use grant::{Block, BlockId, Grant};
#[cfg(feature = "serde_json")]
pub use json::canonicalize_value;
pub use json::{canonicalize, read_canonical};
pub use key::PublicKey;
pub use ledger::{LedgerBounds, MemoryLedger};
#[cfg(feature = "std")]
pub use ledger::{LedgerPoisoned, SharedLedger};
pub use limits::Limits;
pub use proof::{ProvenKey, Verb};
pub use proposal::{Effect, Proposal, Terms, VouchedTerms, proposal_hash};
pub use record::Record;
pub use replay::{Claim, Claimed, Claims, End, MemoryClaims, Ticket};
pub use request::{
    Commit, Committed, Offered, Origin, Owner, Possession, Presentable, Presented, RecordedKey, Request,
};
pub use revoke::{Link, Revoke};
pub use spend::{Close, Closed, Demand, Ledger, Reservation, ReservationId, Reserve};
pub use verifier::Verifier;

#[cfg(test)]
mod tests;

/// The cookbook's code is a test.
#[cfg(all(doctest, feature = "issue"))]
#[doc = include_str!("../examples/caveats.md")]
mod cookbook {}
