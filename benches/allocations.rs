//! How often a decision asks for memory: not at all, with the grant kept.

#[allow(dead_code, reason = "shared with the benchmarks")]
#[path = "chain.rs"]
mod chain;
#[allow(dead_code, reason = "shared with the benchmarks")]
#[path = "texts.rs"]
mod texts;

use chain::{Chain, SIZES};

/// Requests for memory of this thread while `run` runs, which must come out `true`.
fn allocations(run: impl Fn() -> bool) -> u64 {
    // Once before: what a first time sets up is not a decision's.
    assert!(run());
    let mut came_out = false;
    let counted = allocation_counter::measure(|| came_out = run());
    assert!(came_out);
    counted.count_total
}

#[test]
fn an_allowed_ask_with_a_kept_grant_allocates_nothing() {
    for blocks in SIZES {
        let chain = Chain::of(blocks, 0);
        assert_eq!(allocations(|| chain.cached()), 0, "{blocks} blocks");
    }
}

#[test]
fn satisfied_caveats_allocate_nothing() {
    for blocks in SIZES {
        let chain = Chain::of(blocks, 0);
        assert_eq!(allocations(|| chain.evaluate()), 0, "{blocks} blocks");
    }
}

/// That what is counted would be seen; and a decoded grant is a few lists and texts a block, whatever is in it.
#[test]
fn a_token_allocates_a_few_times_a_block() {
    for blocks in SIZES {
        let chain = Chain::of(blocks, 0);
        let cold = allocations(|| chain.cold());
        let least = u64::try_from(blocks).expect("few");
        assert!((least..=10 * least + 10).contains(&cold), "{cold} for {blocks} blocks");
    }
}
