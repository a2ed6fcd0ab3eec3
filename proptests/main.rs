//! Laws of the format and of this verifier, each over generated inputs.
//!
//! 256 cases a law; `PROPTEST_CASES` asks for more. Tokens, proofs and hashes are made by hand ([`hand`]), never by
//! the crate, so that a fault that reader and writer share is seen.

mod audit;
mod canonical;
mod caveats;
mod crash;
mod forge;
mod generate;
mod hand;
mod junk;
mod model;
mod model_agrees;
mod order;
mod proofs;
mod proposals;
mod put;
mod requests;
mod respelled;
mod softening;
mod spell;

#[cfg(feature = "issue")]
mod issuing;
#[cfg(feature = "routes")]
mod route_cases;
#[cfg(feature = "routes")]
mod routes;

use proptest::strategy::{Strategy, ValueTree as _};
use proptest::test_runner::{Config, TestRunner};

/// Nothing is written to disk; a failure prints its smallest input.
fn config() -> Config {
    Config { failure_persistence: None, ..Config::default() }
}

/// The same `count` inputs in every run, for tests that count how often a law is put to the test at all.
fn samples<S: Strategy>(strategy: S, count: usize) -> impl Iterator<Item = S::Value> {
    let mut runner = TestRunner::deterministic();
    (0..count).map(move |_| strategy.new_tree(&mut runner).expect("a value").current())
}
