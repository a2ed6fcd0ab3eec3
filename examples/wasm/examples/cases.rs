//! The conformance cases: one function, cases in and answers out.

#![no_std]

extern crate alloc;

use alloc::string::String;
use core::fmt::Write as _;
use parley_grants_cases::{Mode, Run};
use parley_grants_wasm::{give, text};

/// Answers the cases of a text, one line each, as `check --answers` does. A last line that is no JSON says what is wrong.
///
/// # Safety
/// The host has grown the memory by these bytes, and has written them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn answers(start: *const u8, length: usize) -> u64 {
    let mut out = String::new();
    // SAFETY: what this function asks of its caller.
    let outcome = match unsafe { text(start, length) } {
        Ok(cases) => Run::new(Mode::Answers).file("cases", cases.as_bytes(), &mut out),
        Err(error) => Err(alloc::format!("{error}")),
    };
    if let Err(message) = outcome {
        // A string takes whatever is written to it.
        let _ = writeln!(out, "check: {message}");
    }
    give(out)
}
