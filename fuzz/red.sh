#!/usr/bin/env bash
# Puts a finding back into a copy of the source, fuzzes, and looks how soon a target sees it.
#
#   red.sh          every line of red.tsv, and writes its figures
#   red.sh NAME...  these patches of proptests/red, and prints their lines
#
# A line is: patch, target, clauses, seconds, executions. The seeds of those clauses are left out, and everything in
# edges/, so nothing that the fuzzer starts from is at the boundary in question. Three tries of at most RED_SECONDS each;
# seconds and executions are their medians, `-` when two of three found nothing. Needs nightly Rust and cargo-fuzz.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd -P)
root=$(cd "$here/.." && pwd -P)
work=${RED_TARGET_DIR:-$here/target/red}
limit=${RED_SECONDS:-120}
mkdir -p "$work/built"
work=$(cd "$work" && pwd -P)
tree=$work/tree
export CARGO_TERM_COLOR=never GIT_CEILING_DIRECTORIES=$work

median() { # of three lines, where - is more than any number
    sed 's/^-$/999999999999/' | sort -n | sed -n 2p | sed 's/^999999999999$/-/'
}

# Prints seconds and executions until the target fails; dashes when it does not.
try() { # TARGET SEED
    local started=$EPOCHREALTIME status=0 ended
    rm -rf "$work/corpus" && mkdir "$work/corpus"
    "$work/built/x86_64-unknown-linux-gnu/release/$1" "$work/corpus" "$work/seeds" -seed="$2" -dict="$here/dictionary.txt" \
        -max_len=4096 -max_total_time="$limit" -print_final_stats=1 -artifact_prefix="$work/found-" >"$work/log" 2>&1 || status=$?
    ended=$EPOCHREALTIME
    # A seed that fails by itself counts as found at once; a target that cannot start does not.
    if [ "$status" = 77 ] || grep -q 'ERROR: libFuzzer' "$work/log"; then
        awk -v from="$started" -v to="$ended" 'BEGIN { printf "%.1f ", to - from }'
        sed -n 's/^stat::number_of_executed_units: *//p' "$work/log"
    elif [ "$status" = 0 ]; then
        echo "- -"
    else
        tail -n 5 "$work/log" >&2
        return 1
    fi
}

measure() { # NAME TARGET CLAUSES
    local name=$1 target=$2 clauses=$3 clause results
    rm -rf "$work/seeds" && cp -r "$here/seeds/$target" "$work/seeds"
    for clause in ${clauses//,/ }; do
        rm -f "$work/seeds/$clause"-*
    done
    [ -n "$(ls "$work/seeds")" ]
    results=$(for seed in 1 2 3; do try "$target" "$seed"; done)
    printf '%s\t%s\t%s\t%s\t%s\n' "$name" "$target" "$clauses" \
        "$(cut -d' ' -f1 <<<"$results" | median)" "$(cut -d' ' -f2 <<<"$results" | median)"
}

build() { # TARGET
    (cd "$tree" && cargo +nightly fuzz build -s none --target-dir "$work/built" "$1") >"$work/log" 2>&1 || {
        tail -n 15 "$work/log" >&2
        return 1
    }
}

lines=$here/red.tsv
if [ $# -gt 0 ]; then
    wanted=$(printf '%s\n' "$@")
    lines=$work/lines
    awk -F'\t' 'NR == FNR { wanted[$1]; next } $1 in wanted' <(echo "$wanted") "$here/red.tsv" >"$lines"
fi

rm -rf "$tree"
mkdir "$tree"
(cd "$root" && tar -cf - --exclude=target --exclude=.git --exclude=corpus .) | tar -xf - -C "$tree"
for name in $(cut -f1 "$lines" | uniq); do
    git -C "$tree" apply --whitespace=nowarn "$root/proptests/red/$name.patch"
    touch "$tree"/src/*.rs "$tree"/src/*/*.rs
    while IFS=$'\t' read -r patch target clauses _; do
        if [ "$patch" = "$name" ]; then
            build "$target"
            measure "$patch" "$target" "$clauses"
        fi
    done <"$lines"
    git -C "$tree" apply --whitespace=nowarn -R "$root/proptests/red/$name.patch"
done | tee "$work/measured"
if [ $# = 0 ]; then
    cp "$work/measured" "$here/red.tsv"
fi
