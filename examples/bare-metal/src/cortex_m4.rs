//! The Cortex-M4: where its memory is, by the symbols of the linker script.

// What interrupts do is nothing, so a critical section is one that turns them off.
use cortex_m as _;
// The table of interrupts, and what runs before `main`.
use cortex_m_rt as _;

unsafe extern "C" {
    static mut __sheap: u8;
    static mut _stack_start: u8;
    // Numbers, as addresses: see `memory/`.
    static _stack_bytes: u8;
    static _heap_bytes: u8;
}

/// The lowest byte of the stack, which grows down to it, and the end of the memory.
pub fn stack() -> (*mut u8, *mut u8) {
    let end = &raw mut _stack_start;
    (end.wrapping_sub((&raw const _stack_bytes).addr()), end)
}

/// Start and length of the heap, which follows the statics.
pub fn heap() -> (*mut u8, usize) {
    (&raw mut __sheap, (&raw const _heap_bytes).addr())
}
