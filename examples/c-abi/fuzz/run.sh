#!/usr/bin/env bash
# Fuzzes the boundary for so many seconds. Needs nightly Rust, cargo-fuzz and a C++ compiler; without the first two it says so.
set -euo pipefail
cd "$(dirname "$0")"
seconds=${1:?how many seconds}
if ! [[ "$(command -v rustup >/dev/null && rustup toolchain list)" == *nightly* ]] || ! cargo fuzz --version >/dev/null 2>&1; then
    echo "fuzz: no nightly toolchain with cargo-fuzz, so only the random calls above"
    exit
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/corpus"
head -c 4096 /dev/zero | tr '\0' '\101' >"$scratch/corpus/seed"
python3 -c 'import random, sys; random.seed(1); sys.stdout.buffer.write(random.randbytes(4096))' >"$scratch/corpus/random"
cargo +nightly fuzz run --fuzz-dir . --target-dir "${CARGO_TARGET_DIR:-$PWD/../target}/fuzz" boundary "$scratch/corpus" -- \
    -max_len=4096 -artifact_prefix="$scratch/" -max_total_time="$seconds" -print_final_stats=1 >"$scratch/log" 2>&1 ||
    { tail -n 60 "$scratch/log"; exit 1; }
awk '/number_of_executed_units/ { runs = $2 } /\t(DONE|pulse|NEW|REDUCE) / { edges = $4 } END { print "fuzz: " runs " inputs, " edges " edges"; exit !(runs > 0) }' "$scratch/log"
