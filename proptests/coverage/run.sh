#!/usr/bin/env bash
# Line and region coverage of `src/` by the tests, and whether what no test reaches is just what uncovered.txt explains.
#
# Needs Python and LLVM's tools of the compiler's own version: the component llvm-tools of the toolchain, or a
# distribution's package such as llvm-22; LLVM_COV and LLVM_PROFDATA name others. COVERAGE_CASES is how many cases a
# property gets; `run.sh --tools` only looks for the tools. One run at a time for each COVERAGE_TARGET_DIR.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd -P)
root=$(cd "$here/../.." && pwd -P)
target=${COVERAGE_TARGET_DIR:-${CARGO_TARGET_DIR:-$root/target}/coverage}
mkdir -p "$target"
target=$(cd "$target" && pwd -P)
profiles=$target/profiles
# The same inputs in every run.
export CARGO_TARGET_DIR=$target CARGO_TERM_COLOR=never RUSTFLAGS="" RUSTC_WORKSPACE_WRAPPER=$target/instrument
export PROPTEST_CASES=${COVERAGE_CASES:-256} PROPTEST_RNG_SEED=1 LLVM_PROFILE_FILE=$profiles/%m-%p.profraw
export CARGO_PROFILE_TEST_DEBUG=0 CARGO_PROFILE_DEV_DEBUG=0

tool() { # NAME
    local version found
    version=$(rustc -vV | sed -n 's/^LLVM version: \([0-9]*\).*/\1/p')
    for found in "$(rustc --print sysroot)"/lib/rustlib/*/bin/"$1" "$1-$version" "/usr/lib/llvm-$version/bin/$1"; do
        command -v "$found" && return
    done
    echo "no $1 for LLVM $version: install the component llvm-tools, or the package llvm-$version" >&2
    return 1
}

cov=${LLVM_COV:-$(tool llvm-cov)}
profdata=${LLVM_PROFDATA:-$(tool llvm-profdata)}
[ "${1:-}" != --tools ] || exit 0
cd "$root"
# This crate alone: what it depends on runs as fast as ever.
printf '#!/bin/sh\nexec "$@" -C instrument-coverage\n' >"$target/instrument"
chmod +x "$target/instrument"
rm -rf "$profiles"

cargo test --all-features --tests --no-run >"$target/log" 2>&1 || { tail -n 30 "$target/log" && exit 1; }
mapfile -t binaries < <(sed -n 's/.*Executable .*(\(.*\))$/\1/p' "$target/log")
[ ${#binaries[@]} -gt 0 ]
for binary in "${binaries[@]}"; do
    "$binary" --quiet >"$target/log" 2>&1 || { tail -n 30 "$target/log" && exit 1; }
done

"$profdata" merge -sparse "$profiles"/*.profraw -o "$target/profile"
objects=()
for binary in "${binaries[@]}"; do
    objects+=(--object "$binary")
done
"$cov" export --format=text --instr-profile="$target/profile" "${objects[@]}" >"$target/regions.json"
"$cov" export --format=lcov --instr-profile="$target/profile" "${objects[@]}" >"$target/lines.lcov"
python3 "$here/report.py" "$target/regions.json" "$target/lines.lcov" "$root" "$here/uncovered.txt"
