//! The big-endian ARM: 32 MiB for the heap. The emulator sets up the stack.

use core::cell::UnsafeCell;

struct Memory(UnsafeCell<[u8; Memory::SIZE]>);

impl Memory {
    const SIZE: usize = 32 * 1024 * 1024;
}

// SAFETY: there is one thread, and only the heap has the address.
unsafe impl Sync for Memory {}

static MEMORY: Memory = Memory(UnsafeCell::new([0; Memory::SIZE]));

/// Start and length of the heap.
pub fn heap() -> (*mut u8, usize) {
    (MEMORY.0.get().cast(), Memory::SIZE)
}

struct OneThread;

critical_section::set_impl!(OneThread);

// SAFETY: there is one thread and no interrupt, so everything is a critical section.
unsafe impl critical_section::Impl for OneThread {
    unsafe fn acquire() {}
    unsafe fn release((): ()) {}
}
