//! How deep the stack got: what is below it is painted, and looked at afterwards.

use crate::machine;
use core::arch::asm;
use core::hint::black_box;

/// No address, no small number, no text.
const PAINT: u32 = 0xa5c3_5a3c;
/// What painting itself may write below the stack pointer, in bytes.
const OWN: usize = 64;

/// The deepest word that was written during `work`, in bytes from the top of the stack: the frames around count too, as they
/// are there all the time. `None` when the stack may not have been enough. What a frame has and never touches is not seen.
pub fn depth(work: &mut dyn FnMut()) -> Option<usize> {
    let here: *mut u32;
    // SAFETY: reads a register.
    unsafe { asm!("mov {}, sp", out(reg) here, options(nomem, nostack)) };
    let (lowest, top) = machine::stack();
    let lowest = lowest.cast::<u32>();
    let words = (here.addr() - lowest.addr()) / size_of::<u32>();
    for at in 0..words - OWN / size_of::<u32>() {
        // SAFETY: between the stack's lowest byte and all that is in use of it.
        unsafe { lowest.add(at).write_volatile(PAINT) };
    }
    // Nobody knows what is called, so none of it becomes a part of this function's own frame.
    black_box(work)();
    // SAFETY: as above.
    let clean = (0..words).take_while(|at| unsafe { lowest.add(*at).read_volatile() } == PAINT).count();
    (clean > 0).then(|| top.addr() - lowest.addr() - clean * size_of::<u32>())
}
