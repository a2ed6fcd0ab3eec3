#!/usr/bin/env bash
# Runs every conformance case in wasm modules without imports, in Node, and compares the answers with this machine's byte by byte.
set -euo pipefail
cd "$(dirname "$0")"
root=$(cd ../.. && pwd)
wasm=wasm32-unknown-unknown

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
vectors=("$root"/vectors/*.jsonl)
(cd "$root" && cargo run --quiet --release --all-features --example check -- --answers "${vectors[@]}") >"$scratch/answers"

command -v node >/dev/null || apt-get install -y -qq --no-install-recommends nodejs >/dev/null
target=${CARGO_TARGET_DIR:-$PWD/target}
. ../cases/compiler.sh
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
with_library build --release --example verifier --no-default-features
echo "$(wc -c <"$modules/verifier.wasm") bytes without default features"
