#!/usr/bin/env bash
# Fuzzes each target for so many seconds, or only those that are named, and says what came of it.
#
#   campaign.sh SECONDS [TARGET...]
#
# What is found is kept in corpus/, from which the next campaign goes on. Needs nightly Rust and cargo-fuzz.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:?how many seconds}
[ "$seconds" -gt 0 ]
shift
[ $# -gt 0 ] || set -- $(basename -s .rs fuzz/fuzz_targets/*.rs)
status=0
for target; do
    folders=()
    for folder in corpus seeds edges regressions; do
        mkdir -p "fuzz/$folder/$target"
        folders+=("fuzz/$folder/$target")
    done
    log=fuzz/corpus/$target.log
    cargo +nightly fuzz run -s none "$target" "${folders[@]}" -- -dict=fuzz/dictionary.txt -max_len=4096 \
        -max_total_time="$seconds" -print_final_stats=1 >"$log" 2>&1 || { tail -n 60 "$log" && status=1; }
    awk -v target="$target" '
        /\tINITED / { from = $4 "/" $6 }
        /\t(NEW|REDUCE|DONE|pulse|RELOAD) / { to = $4 "/" $6; corpus = $8 }
        /number_of_executed_units/ { runs = $2 }
        /ERROR: libFuzzer|panicked at/ { failed = 1 }
        END { printf "%s: %s executions, edges/features %s -> %s, corpus %s%s\n", target, runs, from, to, corpus, failed ? ", FAILED" : ""; exit !(runs > 0) }' "$log" || status=1
done
exit $status
