#!/usr/bin/env bash
# Changes the source in small ways, one by one, and looks whether a test sees it.
#
#   run.sh --list       nothing is run: do `results.tsv` and `survivors.tsv` fit the source and its tests?
#   run.sh --rotate N   N mutants, others each day: is their outcome still the one in the list?
#   run.sh --shard K/N  the same for one of N equal parts, K from 1
#   run.sh FILE...      runs the mutants of these files, such as src/spend.rs, and writes down what came out
#   run.sh --stale      the same for those that `--list` complains about
#   run.sh --all        the same for all of them
#   run.sh --install    cargo-mutants, unless it is there
#
# The working tree is not touched but for `results.tsv`. One run at a time for each MUTANTS_TARGET_DIR.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd -P)
root=$(cd "$here/../.." && pwd -P)
version=27.1.0
export PATH="$PATH:${CARGO_HOME:-$HOME/.cargo}/bin"

[ $# -gt 0 ] || {
    sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0"
    exit 2
}
# Other versions make other mutants. Unoptimised it is built in less than half the time, and is fast enough.
install=(cargo install cargo-mutants --version "$version" --locked --debug)
if [ "$(cargo mutants --version 2>/dev/null)" != "cargo-mutants $version" ]; then
    if [ "$1" != --install ]; then
        echo "needs cargo-mutants $version: $here/run.sh --install, or ${install[*]}"
        exit 1
    fi
    CARGO_PROFILE_DEV_DEBUG=0 "${install[@]}"
fi
[ "$1" != --install ] || exit 0

target=${MUTANTS_TARGET_DIR:-${CARGO_TARGET_DIR:-$root/target}/mutation}
mkdir -p "$target"
target=$(cd "$target" && pwd -P)
tree=$target/tree
# Cargo tells packages apart by where they are within their workspace, so no other tree may build into this folder.
export CARGO_TARGET_DIR=$target CARGO_TERM_COLOR=never RUSTFLAGS="" GIT_CEILING_DIRECTORIES=$target
# One test after the other, so that the first one that fails is the same in every run, and the last one named hangs.
export RUST_TEST_THREADS=1 RUST_BACKTRACE=0
export PROPTEST_CASES=${MUTANTS_CASES:-64} PROPTEST_RNG_SEED=1 PROPTEST_MAX_SHRINK_ITERS=0
# What allocates without end is stopped before it takes the machine.
ulimit -v 8000000 2>/dev/null || true

if [ "$1" != --list ]; then
    rm -rf "$tree"
    mkdir "$tree"
    (cd "$root" && tar -cf - --exclude=./target --exclude=./.git --exclude="./${target#"$root"/}" .) | tar -xf - -C "$tree"
    # Without the standard prelude, what returns `vec![]` or an owned text would not compile, and nothing be known of it.
    grep -qx '#!\[no_std\]' "$tree/src/lib.rs" || {
        echo 'src/lib.rs has no line `#![no_std]` to take out of the copy'
        exit 1
    }
    sed -i.before 's/^#!\[no_std\]$//' "$tree/src/lib.rs"
    # What was built last may be of another source, or of a mutant.
    find "$tree" -name '*.rs' -exec touch {} +
fi
exec python3 "$here/mutants.py" "$root" "$tree" "$target/out" "$@"
