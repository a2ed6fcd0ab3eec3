//! What each fuzz target does with its input. The targets themselves are in `fuzz_targets/`; `tests/replay.rs` runs
//! the same functions on stable Rust.
//!
//! A function here asserts laws; that nothing panics is only the least of them. Where it can, it compares with another
//! reader of the same bytes: `serde_json`, `base64ct`, `sha2`.

pub mod json;
mod lax;
pub mod proof;
pub mod proposal;
pub mod token;

use base64ct::{Base64UrlUnpadded, Encoding as _};
use parley_grants::issue::Seed;
use sha2::{Digest as _, Sha256};

/// A target: its name and what it does with an input.
pub type Target = (&'static str, fn(&[u8]));

/// All of them.
pub const TARGETS: [Target; 4] =
    [("json", json::run), ("token", token::run), ("proof", proof::run), ("proposal", proposal::run)];

/// Runs a target on the files that the command line names: for a look at one input without a fuzzer.
pub fn files(run: fn(&[u8])) {
    for path in std::env::args_os().skip(1) {
        println!("{}", path.display());
        run(&std::fs::read(path).expect("a file that can be read"));
    }
}

/// `b64url(sha256(text))`, by other crates than the one under test.
fn digest(text: &str) -> String {
    Base64UrlUnpadded::encode_string(&Sha256::digest(text))
}

fn seed(byte: u8) -> Seed {
    Seed::from_bytes(&[byte; 32]).expect("any 32 bytes are a seed")
}
