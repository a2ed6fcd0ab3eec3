#!/usr/bin/env bash
# Runs every conformance case in wasm modules without imports, in Node, and compares the answers with this machine's byte by byte.
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "$0")"
root=$(cd ../.. && pwd)
wasm=wasm32-unknown-unknown

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
vectors=("$root"/vectors/*.jsonl)
(cd "$root" && cargo run --quiet --release --all-features --example check -- --answers "${vectors[@]}") >"$scratch/answers"

target=${CARGO_TARGET_DIR:-$PWD/target}
. ../cases/compiler.sh
need node nodejs
export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS="-Clinker=$linker"

with_library() {
    local command=$1
    shift
    cargo "$command" --quiet --locked -Zbuild-std=core,alloc --target $wasm "$@"
}

PATH="$compiler/usr/bin:$PATH" with_library clippy --lib --examples --features cases -- -D warnings

with_library build --release --features cases --example cases
with_library build --release --example verifier
modules=$target/$wasm/release/examples
node run.mjs "$modules/cases.wasm" "$modules/verifier.wasm" ../bare-metal/requests.txt "$scratch/answers" "${vectors[@]}"
rm "$modules/verifier.wasm"
with_library build --release --example verifier --no-default-features
size=$(wc -c <"$modules/verifier.wasm")
echo "$size bytes without default features"
