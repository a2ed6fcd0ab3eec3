//! Calls of the C interface, chosen by the input: `../tests/boundary.c`.

#![no_main]

// The library, whose functions the calls are linked to.
extern crate parley_grants_c;

unsafe extern "C" {
    fn boundary_input(data: *const u8, length: usize);
}

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    // SAFETY: just the bytes that there are, which are read and not kept.
    unsafe { boundary_input(data.as_ptr(), data.len()) };
});
