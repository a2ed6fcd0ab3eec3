#!/usr/bin/env bash
# Counts instructions, which repeat where times do not, and compares them with those in instructions.tsv. serde_json's
# stand beside ours.
#
#   instructions.sh           fails when a count is more than 3 % greater, or a decision more than 5 % above its floor
#   instructions.sh --write   writes the file anew
#
# Needs valgrind. Counts depend on the compiler, the C library and the processor: where those are not the file's, only
# the floors are compared.
set -euo pipefail
cd "$(dirname "$0")/.."
file=benches/instructions.tsv

if ! command -v valgrind >/dev/null; then
    echo "no valgrind, so no instructions are counted"
    exit 0
fi
# As the manifest says, whatever the caller's own settings.
unset "${!CARGO_PROFILE_@}" CARGO_ENCODED_RUSTFLAGS CARGO_BUILD_RUSTFLAGS
export CARGO_TERM_COLOR=never RUSTFLAGS=""
target=$(mkdir -p "${CARGO_TARGET_DIR:-target}" && cd "${CARGO_TARGET_DIR:-target}" && pwd)
if ! cargo bench --all-features --bench instructions --no-run >"$target/instructions.log" 2>&1; then
    cat "$target/instructions.log"
    exit 1
fi
binary=$(sed -n 's/.*Executable .*(\(.*\))$/\1/p' "$target/instructions.log")
# Always by the same name, as the length of the name moves what is allocated after it.
cp "$binary" "$target/counted-binary"

made_with() {
    local vectors=none
    grep -qsw avx2 /proc/cpuinfo && vectors=avx2
    printf '%s, %s, %s, vectors: %s\n' "$(rustc --version)" "$(getconf GNU_LIBC_VERSION || echo another libc)" \
        "$(valgrind --version)" "$vectors"
}

# Instructions of one run, with an environment that is always the same, as its size moves the stack.
count() { # ID
    local out=$target/instructions.out
    (cd "$target" && env -i valgrind --tool=callgrind --toggle-collect='*counted*' --callgrind-out-file="$out" \
        ./counted-binary "$1") >"$target/instructions.log" 2>&1 || { cat "$target/instructions.log" >&2 && return 1; }
    awk '/^totals:/ { count = $2 } END { if (count < 100) exit 1; print count }' "$out" ||
        { echo "nothing was counted of $1" >&2 && return 1; }
}

ids=(floor/4 cold/4 cached_floor cached/4 evaluate/4 decode/4 canonical/block serde_json/block
    canonical/proposal_10k serde_json/proposal_10k canonical_text/proposal_10k_reversed)
declare -A counts
for id in "${ids[@]}"; do
    counts[$id]=$(count "$id")
done
# What a decision costs beside its signature checks.
counts[cold/4-floor/4]=$((counts[cold/4] - counts[floor/4]))
counts[cached/4-cached_floor]=$((counts[cached/4] - counts[cached_floor]))
ids+=(cold/4-floor/4 cached/4-cached_floor)

if [ "${1:-}" = --write ]; then
    {
        echo "# $(made_with)"
        for id in "${ids[@]}"; do printf '%s\t%d\n' "$id" "${counts[$id]}"; done
    } >"$file"
    cat "$file"
    exit 0
fi

failed=0
# Fails when `now` is more than so many percent above another count.
compare() { # ID NOW OTHER PERCENT WORDS
    local said=ok
    if [ $(($2 * 100)) -gt $(($3 * (100 + $4))) ]; then
        said=FAILED
        failed=1
    fi
    awk -v said="$said" -v id="$1" -v now="$2" -v other="$3" -v words="$5" \
        'BEGIN { printf "%-7s %-38s %9d, %s %9d: %+.2f %%\n", said, id, now, words, other, (now / other - 1) * 100 }'
}

if [ "$(head -n 1 "$file")" = "# $(made_with)" ]; then
    if [ "$(tail -n +2 "$file" | cut -f 1 | xargs)" != "${ids[*]}" ]; then
        echo "FAILED  $file has other benchmarks"
        failed=1
    fi
    while IFS=$'\t' read -r id before; do
        # Another crate is there to compare with, and may become what it likes.
        case $id in serde_json/*) continue ;; esac
        compare "$id" "${counts[$id]:-0}" "$before" 3 "was"
    done < <(tail -n +2 "$file")
else
    echo "other tools than $file was made with ($(head -n 1 "$file" | cut -c 3-)): counts are not compared"
fi
compare cold/4 "${counts[cold/4]}" "${counts[floor/4]}" 5 "floor"
compare cached/4 "${counts[cached/4]}" "${counts[cached_floor]}" 5 "floor"
exit "$failed"
