#!/usr/bin/env bash
# Puts a finding back into a copy of the source, fuzzes, and looks how soon a target sees it.
#
#   red.sh          every line of red.tsv, and writes its figures
#   red.sh NAME...  these patches of proptests/red, and prints their lines
#   red.sh --check  runs nothing: has every patch a line, and every line a patch?
#
# A line is: patch, target, clauses, seconds, executions. Seeds that are named after those clauses are left out, and
# everything in edges/ and regressions/. Three tries of at most RED_SECONDS each; seconds and executions are their medians,
# `-` when two of three found nothing, and then the run fails. Where the target is `-`, no target can see the finding, and
# in place of clauses stands why. Needs nightly Rust and cargo-fuzz.
set -euo pipefail
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd -P)
root=$(cd "$here/.." && pwd -P)
lines=$here/red.tsv
diff <(basename -s .patch "$root"/proptests/red/*.patch | sort) <(cut -f1 "$lines" | sort) || {
    echo "red.tsv (right) does not fit the patches (left)"
    exit 1
}
if [ "${1:-}" = --check ]; then
    ! grep -vE $'^[a-z-]+\t([a-z_]+\t[ABC0-9.,]+\t[0-9.]+\t[0-9]+|-\t[^\t]+)$' "$lines" || exit 1
    echo "$(wc -l <"$lines") findings, of which fuzzing sees $(grep -c $'[0-9]$' "$lines")"
    exit
fi

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
    local started=$EPOCHREALTIME status=0
    rm -rf "$work/corpus" && mkdir "$work/corpus"
    "$work/built/x86_64-unknown-linux-gnu/release/$1" "$work/corpus" "$work/seeds" -seed="$2" -dict="$here/dictionary.txt" \
        -max_len=4096 -max_total_time="$limit" -print_final_stats=1 -artifact_prefix="$work/found-" >"$work/log" 2>&1 || status=$?
    if grep -q 'ERROR: libFuzzer' "$work/log"; then
        awk -v from="$started" -v to="$EPOCHREALTIME" 'BEGIN { printf "%.1f ", to - from }'
        sed -n 's/^stat::number_of_executed_units: *//p' "$work/log"
    elif [ "$status" = 0 ] && grep -q '^Done' "$work/log"; then
        echo "- -"
    else
        tail -n 5 "$work/log" >&2
        return 1
    fi
}

measure() { # NAME TARGET CLAUSES
    local clause seed results=""
    rm -rf "$work/seeds" && cp -r "$here/seeds/$2" "$work/seeds"
    for clause in ${3//,/ }; do
        rm -f "$work/seeds/$clause"-*
    done
    [ -n "$(ls "$work/seeds")" ]
    for seed in 1 2 3; do
        results+=$(try "$2" "$seed")$'\n'
    done
    printf '%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$3" "$(cut -d' ' -f1 <<<"${results%$'\n'}" | median)" \
        "$(cut -d' ' -f2 <<<"${results%$'\n'}" | median)"
}

build() { # TARGET
    (cd "$tree" && cargo +nightly fuzz build -s none --target-dir "$work/built" "$1") >"$work/log" 2>&1 || {
        tail -n 15 "$work/log" >&2
        return 1
    }
}

if [ $# -gt 0 ]; then
    lines=$work/lines
    awk -F'\t' 'NR == FNR { wanted[$1]; next } $1 in wanted' <(printf '%s\n' "$@") "$here/red.tsv" >"$lines"
    [ "$(wc -l <"$lines")" = "$(printf '%s\n' "$@" | sort -u | wc -l)" ] || {
        echo "a name that is not in red.tsv" >&2
        exit 1
    }
fi

rm -rf "$tree"
mkdir "$tree"
(cd "$root" && tar -cf - --exclude=target --exclude=.git --exclude=corpus .) | tar -xf - -C "$tree"
: >"$work/measured"
while IFS=$'\t' read -r name target clauses rest <&3; do
    if [ "$target" = - ]; then
        printf '%s\t-\t%s\n' "$name" "$clauses"
    else
        git -C "$tree" apply --whitespace=nowarn "$root/proptests/red/$name.patch"
        touch "$tree"/src/*.rs "$tree"/src/*/*.rs
        build "$target"
        measure "$name" "$target" "$clauses"
        git -C "$tree" apply --whitespace=nowarn -R "$root/proptests/red/$name.patch"
    fi | tee -a "$work/measured"
done 3<"$lines"
[ $# -gt 0 ] || cp "$work/measured" "$here/red.tsv"
! grep $'\t-\t-$' "$work/measured"
