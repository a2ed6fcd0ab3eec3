//! See `src/routes.rs`.
#![cfg_attr(fuzzing, no_main)]

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| parley_grants_fuzz::routes::run(data));

#[cfg(not(fuzzing))]
fn main() {
    parley_grants_fuzz::files(parley_grants_fuzz::routes::run);
}
