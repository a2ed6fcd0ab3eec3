//! One run of one benchmark, for a tool that counts instructions: `benches/instructions.sh`.

#[allow(dead_code, reason = "shared with the other benchmarks")]
#[path = "chain.rs"]
mod chain;
#[allow(dead_code, reason = "shared with the other benchmarks")]
#[path = "texts.rs"]
mod texts;

use chain::Chain;
use parley_grants::{Grant, Limits, canonicalize, canonicalize_value};
use std::hint::black_box;

/// What the tool counts: this call and what is below it.
#[inline(never)]
fn counted(run: &dyn Fn() -> bool) -> bool {
    black_box(run())
}

fn count(run: impl Fn() -> bool) {
    // The first time, the signature crate looks up what the processor can do.
    assert!(run() && counted(&run));
}

fn main() {
    let id = std::env::args().nth(1).unwrap_or_default();
    let chain = Chain::of(4, 0);
    let (block, proposal) = (texts::block(), texts::proposal_10k());
    match id.as_str() {
        "floor/4" => count(|| chain.floor()),
        "cold/4" => count(|| chain.cold()),
        "cached_floor" => count(|| chain.cached_floor()),
        "cached/4" => count(|| chain.cached()),
        "evaluate/4" => count(|| chain.evaluate()),
        "decode/4" => count(|| Grant::decode(&chain.token, &Limits::default()).is_ok()),
        "canonical/block" => count(|| canonicalize_value(&block).is_ok()),
        "serde_json/block" => count(|| serde_json::to_vec(&block).is_ok()),
        "canonical/proposal_10k" => count(|| canonicalize_value(&proposal).is_ok()),
        "serde_json/proposal_10k" => count(|| serde_json::to_vec(&proposal).is_ok()),
        "canonical_text/proposal_10k_reversed" => {
            let text = texts::reversed(&proposal);
            count(|| canonicalize(text.as_bytes()).is_ok());
        }
        // Cargo runs every benchmark: nothing to do without the tool.
        _ => assert!(id.is_empty() || id.starts_with("--"), "no such benchmark"),
    }
}
