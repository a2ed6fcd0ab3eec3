//! The verifier of Parley grants for C, and for whatever can call C. What a caller must know stands in `README.md`, and function by
//! function in `include/parley_grants.h`, which is made of the comments here.
//!
//! All that trusts the caller's pointers is in `abi.rs`; the rest calls it. Every entry runs inside [`abi::guard`], which no
//! panic leaves.

// The names are those of the header.
#![allow(non_camel_case_types)]
#![deny(unsafe_op_in_unsafe_fn, clippy::undocumented_unsafe_blocks)]
#![allow(
    clippy::missing_safety_doc,
    reason = "one contract for all entries: pointers are null or as the header's preamble says"
)]
#![cfg_attr(
    not(test),
    deny(
        clippy::as_conversions,
        clippy::expect_used,
        clippy::indexing_slicing,
        clippy::panic,
        clippy::todo,
        clippy::unwrap_used
    )
)]

#[cfg(panic = "abort")]
compile_error!(
    "a panic has to unwind to the boundary, where it becomes PG_ERROR_PANIC: build with panic = \"unwind\""
);

mod abi;
#[cfg(feature = "cases")]
mod cases;
mod claims;
mod code;
mod commit;
mod decision;
mod helpers;
#[cfg(feature = "issue")]
mod issue;
mod ledger;
mod presented;
mod recorded;
mod request;
mod verifier;

#[cfg(test)]
mod tests;
