//! The Cortex-M4: where its memory is, by the symbols of the linker script.

// What interrupts do is nothing, so a critical section is one that turns them off.
use cortex_m as _;
// The table of interrupts, and what runs before `main`.
use cortex_m_rt as _;

unsafe extern "C" {
    static mut __sheap: u8;
    static mut _stack_start: u8;
}

/// What the stack has of the memory, in bytes. Statics have what they need, and the heap has the rest.
pub const STACK: usize = 16 * 1024;

/// The lowest byte of the stack, which grows down to it, and the end of the memory.
pub fn stack() -> (*mut u8, *mut u8) {
    let end = &raw mut _stack_start;
    (end.wrapping_sub(STACK), end)
}

/// Start and length of the heap.
pub fn heap() -> (*mut u8, usize) {
    let start = &raw mut __sheap;
    (start, stack().0.addr().saturating_sub(start.addr()))
}
