//! How much of the stack a piece of work needs: what is below it is painted, and looked at afterwards.

use crate::machine;
use core::arch::asm;

/// No address, no small number, no text.
const PAINT: u32 = 0xa5c3_5a3c;
/// What the two loops here and the call of `work` may write below this function's frame, in bytes.
const OWN: usize = 64;

/// How many bytes of stack `work` had at most, in words.
#[inline(never)]
pub fn depth<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let here: *mut u32;
    // SAFETY: reads a register.
    unsafe { asm!("mov {}, sp", out(reg) here, options(nomem, nostack)) };
    let lowest = machine::stack().0.cast::<u32>();
    let words = (here.addr() - lowest.addr()) / size_of::<u32>();
    for at in 0..words - OWN / size_of::<u32>() {
        // SAFETY: between the stack's lowest byte and all that is in use of it.
        unsafe { lowest.add(at).write_volatile(PAINT) };
    }
    let value = work();
    // SAFETY: as above.
    let clean = (0..words).take_while(|at| unsafe { lowest.add(*at).read_volatile() } == PAINT).count();
    (value, (words - clean) * size_of::<u32>())
}
