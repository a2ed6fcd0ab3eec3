#!/usr/bin/env bash
# Runs the benchmarks several times over, and prints what compares with what.
#
#   run.sh          twenty rounds, about five minutes
#   run.sh ROUNDS   so many
#
# A machine's mood lasts seconds. So a round is short, what compares runs side by side in it, and a ratio is the median
# over the rounds. `cargo bench --all-features --bench speed` takes its time, for one number at a time.
set -euo pipefail
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-target}
export CARGO_TERM_COLOR=never
rm -rf "$target/criterion"
rounds=()
for round in $(seq 1 "${1:-20}"); do
    rounds+=("round-$round")
    cargo bench --quiet --all-features --bench speed -- --quiet --save-baseline "round-$round" --sample-size 10 \
        --warm-up-time 0.03 --measurement-time 0.06 --nresamples 1000 >"$target/speed.log" 2>&1 ||
        { tail -n 20 "$target/speed.log" && exit 1; }
done
grep -m 1 '^model name' /proc/cpuinfo 2>/dev/null || true
rustc --version
python3 benches/ratios.py "$target" "${rounds[@]}"
