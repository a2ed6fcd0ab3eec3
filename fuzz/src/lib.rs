//! What each fuzz target does with its input. The targets themselves are in `fuzz_targets/`; `tests/replay.rs` runs
//! the same functions on stable Rust.
//!
//! A function here asserts laws; that nothing panics is only the least of them. Where it can, it compares with another
//! reader of the same bytes: `serde_json`, `base64ct`, `sha2`.

mod allowed;
mod attempt;
pub mod authorize_flow;
mod books;
pub mod chain;
pub mod choose;
pub mod consent;
mod consented;
mod flow;
mod forged;
pub mod grant_structured;
mod happen;
pub mod json;
mod lax;
pub mod proof;
pub mod proposal;
pub mod respell;
pub mod routes;
mod shown;
pub mod token;
mod used;

// Tokens by hand, the naive models, and how a case is put to the crate: those of the property tests.
#[allow(dead_code)]
#[path = "../../proptests/forge.rs"]
mod forge;
#[allow(dead_code)]
#[path = "../../proptests/hand.rs"]
pub mod hand;
#[allow(dead_code)]
#[path = "../../proptests/model.rs"]
pub mod model;
#[allow(dead_code)]
#[path = "../../proptests/routes/mod.rs"]
mod played;
#[allow(dead_code)]
#[path = "../../proptests/put.rs"]
mod put;
#[allow(dead_code)]
#[path = "../../proptests/spell.rs"]
mod spell;

use base64ct::{Base64UrlUnpadded, Encoding as _};
use parley_grants::issue::Seed;
use sha2::{Digest as _, Sha256};

/// A target: its name and what it does with an input.
pub type Target = (&'static str, fn(&[u8]));

/// All of them.
pub const TARGETS: [Target; 9] = [
    ("json", json::run),
    ("token", token::run),
    ("proof", proof::run),
    ("proposal", proposal::run),
    ("consent", consent::run),
    ("respell", respell::run),
    ("grant_structured", grant_structured::run),
    ("authorize_flow", authorize_flow::run),
    ("routes", routes::run),
];

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

/// A value that serde_json read, for the writer of the property tests.
fn by_hand(value: &serde_json::Value) -> hand::Json {
    use hand::Json;
    match value {
        serde_json::Value::Null => Json::Null,
        serde_json::Value::Bool(value) => Json::Bool(*value),
        serde_json::Value::Number(number) => {
            number.as_i64().map_or_else(|| Json::Number(number.to_string()), Json::Int)
        }
        serde_json::Value::String(text) => Json::Text(text.clone()),
        serde_json::Value::Array(items) => Json::List(items.iter().map(by_hand).collect()),
        serde_json::Value::Object(members) => {
            Json::Object(members.iter().map(|(name, value)| (name.clone(), by_hand(value))).collect())
        }
    }
}

fn seed(byte: u8) -> Seed {
    Seed::from_bytes(&[byte; 32]).expect("any 32 bytes are a seed")
}
