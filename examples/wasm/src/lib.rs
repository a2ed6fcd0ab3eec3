//! What a module needs where there is no system: memory, an end, and a way for texts to come in and go out.

#![no_std]

extern crate alloc;

use alloc::string::String;
use core::panic::PanicInfo;
use core::str::Utf8Error;
use dlmalloc::GlobalDlmalloc;

/// Takes its pages from the module's memory, and needs nobody else for it.
#[global_allocator]
static HEAP: GlobalDlmalloc = GlobalDlmalloc;

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}

/// The text that the host put into the module's memory.
///
/// # Safety
/// The host has grown the memory by these bytes, has written them, and lets them be while the text is in use.
pub unsafe fn text<'a>(start: *const u8, length: usize) -> Result<&'a str, Utf8Error> {
    // SAFETY: what this function asks of its caller. Memory that the host has grown is none of the allocator's.
    core::str::from_utf8(unsafe { core::slice::from_raw_parts(start, length) })
}

/// Gives a text to the host: its start in the upper half, its length in the lower. It stays where it is for good.
pub fn give(text: String) -> u64 {
    let text = text.leak();
    let half = |number: usize| u64::try_from(number).unwrap_or_default();
    half(text.as_ptr().expose_provenance()) << 32 | half(text.len())
}
