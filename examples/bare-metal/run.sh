#!/usr/bin/env bash
# Runs every conformance case on an emulated Cortex-M4 and on an emulated big-endian ARM, compares the answers with this
# machine's byte by byte, and prints what the verifier needs there. Fails when it needs more than it may. With `--sizes`,
# also what it needs with the smaller SHA-2.
set -euo pipefail
cd "$(dirname "$0")"
root=$(cd ../.. && pwd)
small=thumbv7em-none-eabi
big=armebv7r-none-eabi
# What the default features may take of the flash.
most_flash=$((128 * 1024))

python3 requests.py --check
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
vectors=("$root"/vectors/*.jsonl)
(cd "$root" && cargo run --quiet --release --all-features --example check -- --answers "${vectors[@]}") >"$scratch/answers"

for tool in qemu-system-arm:qemu-system-arm qemu-armeb:qemu-user size:binutils; do
    command -v "${tool%:*}" >/dev/null || apt-get install -y -qq --no-install-recommends "${tool#*:}" >/dev/null
done
target=${CARGO_TARGET_DIR:-$PWD/target}
. ../cases/compiler.sh
export CARGO_TARGET_THUMBV7EM_NONE_EABI_RUSTFLAGS="-Clinker=$linker"
export CARGO_TARGET_ARMEBV7R_NONE_EABI_RUSTFLAGS="-Clinker=$linker"

with_library() {
    local command=$1
    shift
    cargo "$command" --quiet --locked -Zbuild-std=core,alloc "$@"
}

PATH="$compiler/usr/bin:$PATH" with_library clippy --target $small --features check -- -D warnings

# The Cortex-M4 of an MPS2 board. The arguments are the program's.
board() {
    local program=$1 arguments="arg=$(basename "$1")"
    shift
    [ $# = 0 ] || arguments+=$(printf ',arg=%s' "$@")
    timeout 600 qemu-system-arm -machine mps2-an386 -cpu cortex-m4 -display none -serial none -monitor none \
        -semihosting-config "enable=on,target=native,$arguments" -kernel "$program"
}

big_endian() {
    timeout 600 qemu-armeb "$@"
}

# Runs the cases twice: once for what they expect, once for the answers themselves.
cases() {
    local machine=$1 program=$2
    "$machine" "$program" --answers "${vectors[@]}" >"$scratch/here" &
    "$machine" "$program" "${vectors[@]}"
    wait $!
    cmp "$scratch/answers" "$scratch/here"
    echo "$(wc -l <"$scratch/here") answers, each as on this machine"
}

with_library build --release --target $small --features check --bin check
echo "Cortex-M4:"
cases board "$target/$small/release/check"
# That the program has what says how it went.
if board "$target/$small/release/check" /dev/null/none 2>"$scratch/complaint"; then
    echo "a file that is not there went unnoticed"
    exit 1
fi
grep -q 'cannot be read' "$scratch/complaint"

with_library build --release --target $big --features check --bin check
readelf -h "$target/$big/release/check" | grep -q 'big endian'
echo "ARM, big-endian:"
cases big_endian "$target/$big/release/check"

# Bytes of flash and of memory that a program has from the start.
static() {
    size -A "$target/$small/release/$1" |
        awk '/^\.(vector_table|text|rodata|data) / { flash += $2 } /^\.(data|bss) / { memory += $2 } END { print flash, memory }'
}

# What the verifier adds to a program.
verifier_size() {
    local flags=$1 flash memory empty_flash empty_memory
    shift
    CARGO_TARGET_THUMBV7EM_NONE_EABI_RUSTFLAGS="-Clinker=$linker $flags" \
        with_library build --release --target $small --bin verifier --bin empty "$@"
    read -r flash memory < <(static verifier)
    read -r empty_flash empty_memory < <(static empty)
    echo "$((flash - empty_flash)) bytes of flash, $((memory - empty_memory)) of static memory"
}

echo "the verifier:"
default=$(verifier_size "")
echo "  $default"
[ "${default%% *}" -le $most_flash ]
echo "  $(verifier_size "" --no-default-features), without default features"
if [ "${1:-}" = --sizes ]; then
    compact='--cfg=sha2_backend_soft="compact"'
    echo "  $(verifier_size "$compact"), with the compact SHA-2"
    echo "  $(verifier_size "$compact" --no-default-features), without default features and with the compact SHA-2"
fi

# That what was measured is a verifier: it allows the first request, and refuses it a day later.
IFS=$'\t' read -r _ verb proof token capability <requests.txt
ask() {
    board "$target/$small/release/verifier" "$verb" "$1" shop.example "$principal" "${proof//,/,,}" "$token" "$capability"
}
principal=ed25519:iojj3XQJ8ZX9UtstPLpdcspnCb8dlBIb83SIAbQPb1w
with_library build --release --target $small --bin verifier
ask 1790000000
later=0
ask 1790086400 || later=$?
[ "$later" = 1 ]

with_library build --release --target $small --bin measure
echo "request | decision | bytes of heap | bytes of stack"
board "$target/$small/release/measure" | sed 's/\t/ | /g'
