//! A service of the smallest kind, for the size of its code.

#![no_std]

extern crate alloc;

#[path = "../../bare-metal/src/decide.rs"]
mod decide;

use parley_grants_wasm::text;

/// Authorizes one request, see `decide.rs`: 0 is allowed, 1 refused, 2 no request.
///
/// # Safety
/// The host has grown the memory by these bytes, and has written them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn authorize(start: *const u8, length: usize) -> u32 {
    // SAFETY: what this function asks of its caller.
    match unsafe { text(start, length) }.ok().and_then(decide::decide) {
        Some(true) => 0,
        Some(false) => 1,
        None => 2,
    }
}
