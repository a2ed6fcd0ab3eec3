//! The heap, which knows how much of it was ever in use at once.

use crate::machine;
use core::alloc::{GlobalAlloc, Layout};
use core::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use embedded_alloc::LlffHeap;

struct Counted {
    heap: LlffHeap,
    now: AtomicUsize,
    peak: AtomicUsize,
}

#[global_allocator]
static HEAP: Counted =
    Counted { heap: LlffHeap::empty(), now: AtomicUsize::new(0), peak: AtomicUsize::new(0) };

// SAFETY: every call goes on to `LlffHeap` as it came.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = self.now.load(Relaxed) + layout.size();
        self.now.store(now, Relaxed);
        self.peak.fetch_max(now, Relaxed);
        // SAFETY: what this function asks of its caller.
        unsafe { self.heap.alloc(layout) }
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        self.now.fetch_sub(layout.size(), Relaxed);
        // SAFETY: what this function asks of its caller.
        unsafe { self.heap.dealloc(start, layout) }
    }
}

/// Gives the heap its memory. Once, before anything is allocated.
pub(crate) fn start() {
    let (start, length) = machine::heap();
    // SAFETY: the memory is used by nothing else, and `program!` calls this once, before its function.
    unsafe { HEAP.heap.init(start.expose_provenance(), length) }
}

/// How many bytes `work` had of the heap at most, beside those that were in use before. While a block grows into a
/// new one, both count.
pub fn peak<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = HEAP.now.load(Relaxed);
    HEAP.peak.store(before, Relaxed);
    let value = work();
    (value, HEAP.peak.load(Relaxed) - before)
}
