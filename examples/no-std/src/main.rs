//! The verifier in a program without the standard library.
//!
//! The program has a panic handler of its own. When anything that it uses links the standard library, there are two,
//! and it does not build. What it checks is in `checks.rs`; this file is the host: memory, output, exit code.

#![no_std]
#![no_main]

extern crate alloc;

mod checks;

use core::alloc::{GlobalAlloc, Layout};
use core::cell::UnsafeCell;
use core::panic::PanicInfo;
use core::sync::atomic::{AtomicUsize, Ordering};

unsafe extern "C" {
    fn write(file: i32, bytes: *const u8, length: usize) -> isize;
    fn abort() -> !;
}

/// Memory that is handed out once and never taken back.
struct Arena {
    bytes: UnsafeCell<[u8; Arena::SIZE]>,
    used: AtomicUsize,
}

impl Arena {
    const SIZE: usize = 1024 * 1024;
}

// SAFETY: no two allocations share a byte, as `used` only grows, in one atomic step for each.
unsafe impl Sync for Arena {}

// SAFETY: every block is inside `bytes`, aligned as asked, and handed out once.
unsafe impl GlobalAlloc for Arena {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let base = self.bytes.get().cast::<u8>();
        let place = |used: usize| {
            let start =
                (base.addr().checked_add(used)?).checked_next_multiple_of(layout.align())? - base.addr();
            let end = start.checked_add(layout.size())?;
            (end <= Self::SIZE).then_some((start, end))
        };
        let taken = self.used.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |used| Some(place(used)?.1));
        match taken.ok().and_then(place) {
            // SAFETY: `place` gives a start within `bytes`.
            Some((start, _)) => unsafe { base.add(start) },
            None => core::ptr::null_mut(),
        }
    }

    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
}

#[global_allocator]
static ARENA: Arena = Arena { bytes: UnsafeCell::new([0; Arena::SIZE]), used: AtomicUsize::new(0) };

fn print(line: &str) {
    // SAFETY: pointer and length are those of `line`.
    unsafe { write(1, line.as_ptr(), line.len()) };
}

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    print("no-std: panicked\n");
    // SAFETY: has no conditions.
    unsafe { abort() }
}

/// The compiled `core` and `alloc` name this, as they are built to unwind; here nothing does.
#[unsafe(no_mangle)]
extern "C" fn rust_eh_personality() {}

#[unsafe(no_mangle)]
extern "C" fn main(_: i32, _: *const *const u8) -> i32 {
    match checks::all() {
        Ok(()) => {
            print("no-std: OK\n");
            0
        }
        Err(check) => {
            print("no-std: FAILED: ");
            print(check);
            print("\n");
            1
        }
    }
}
