//! What a decision costs beside its signature checks, and canonical JSON beside other crates. `benches/run.sh` runs it
//! and prints what compares with what.

#[path = "chain.rs"]
mod chain;
#[path = "texts.rs"]
mod texts;

use chain::{Chain, SIZES};
use criterion::{Criterion, criterion_group, criterion_main};
use parley_grants::{Grant, Limits, canonicalize, canonicalize_value};
use serde_json::Value;
use std::hint::black_box;

/// Measures what must come out `true`.
fn measure(criterion: &mut Criterion, id: &str, run: impl Fn() -> bool) {
    assert!(run(), "{id}");
    criterion.bench_function(id, |bencher| bencher.iter(|| black_box(run())));
}

/// What is compared runs one after the other, so that a machine's moods touch both.
fn decisions(criterion: &mut Criterion) {
    fn bench(
        criterion: &mut Criterion,
        name: &str,
        run: fn(&Chain) -> bool,
        (blocks, chain): &(usize, Chain),
    ) {
        measure(criterion, &format!("{name}/{blocks}"), || run(chain));
    }
    let chains = SIZES.map(|blocks| (blocks, Chain::of(blocks, 0)));
    for chain in &chains {
        bench(criterion, "floor", Chain::floor, chain);
        bench(criterion, "cold", Chain::cold, chain);
    }
    for chain in &chains {
        bench(criterion, "cached", Chain::cached, chain);
        bench(criterion, "cached_by_token", Chain::by_token, chain);
        if chain.0 == 4 {
            measure(criterion, "cached_floor", || chain.1.cached_floor());
        }
    }
    for chain in &chains {
        bench(criterion, "evaluate", Chain::evaluate, chain);
        bench(criterion, "decode", |chain| Grant::decode(&chain.token, &Limits::default()).is_ok(), chain);
    }
}

fn refusals(criterion: &mut Criterion) {
    let mut bench = |name: &str, run: &dyn Fn() -> bool| measure(criterion, &format!("refuse/{name}"), run);
    let (longest, elsewhere) = (Chain::of(16, 0), Chain::of(1, 100));
    bench("stranger", &|| longest.refused(&elsewhere));
    let garbage = format!("pg1.{}", "A".repeat(64 * 1024 - 4));
    bench("garbage_64k", &|| Grant::decode(&garbage, &Limits::default()).is_err());
}

/// The same through this crate and through two others: a value to be written, then a text to be read and written.
fn json(criterion: &mut Criterion) {
    // glibc gives a long text back to the system and asks for it anew until it has once seen a longer one: that costs as
    // much as the writing, and whom it hits is chance.
    drop(black_box(vec![0_u8; 30 << 20]));
    let inputs = [
        ("block", texts::block()),
        ("proposal_10k", texts::proposal_10k()),
        ("nested_1m", texts::nested_1m()),
        ("escapes_64k", texts::escapes_64k()),
    ];
    for (name, value) in &inputs {
        let mut bench =
            |door: &str, run: &dyn Fn() -> bool| measure(criterion, &format!("{door}/{name}"), run);
        bench("canonical", &|| canonicalize_value(value).is_ok());
        bench("serde_json", &|| serde_json::to_vec(value).is_ok());
        bench("serde_json_canonicalizer", &|| serde_json_canonicalizer::to_vec(value).is_ok());
    }
    for (name, value) in &inputs {
        for (order, text) in [("", value.to_string()), ("_reversed", texts::reversed(value))] {
            let mut bench = |door: &str, run: &dyn Fn(&Value) -> bool| {
                measure(criterion, &format!("{door}/{name}{order}"), || {
                    run(&serde_json::from_str(&text).expect("JSON"))
                });
            };
            bench("serde_json_text", &|read| serde_json::to_vec(read).is_ok());
            bench("serde_json_canonicalizer_text", &|read| serde_json_canonicalizer::to_vec(read).is_ok());
            let id = format!("canonical_text/{name}{order}");
            measure(criterion, &id, || canonicalize(text.as_bytes()).is_ok());
        }
    }
}

/// Texts from 1 KiB to 1 MiB, for the cost of a byte.
fn growth(criterion: &mut Criterion) {
    for power in (10..=20).step_by(2) {
        let text = texts::nested(texts::leaves_within(1 << power)).to_string();
        measure(criterion, &format!("bytes/{}", text.len()), || canonicalize(text.as_bytes()).is_ok());
    }
}

criterion_group!(all, decisions, refusals, json, growth);
criterion_main!(all);
