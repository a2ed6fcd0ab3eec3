#!/usr/bin/env bash
# Runs every conformance case on an emulated Cortex-M4 and on an emulated big-endian ARM, compares the answers with this
# machine's byte by byte, and prints what the verifier needs there. Fails when it needs more than it may. With `--sizes`,
# also what it needs with the smaller SHA-2.
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "$0")"
root=$(cd ../.. && pwd)
small=thumbv7em-none-eabi
big=armebv7r-none-eabi
# What the default features may take of the flash.
most_flash=$((128 * 1024))

python3 requests.py --check
scratch=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$scratch"' EXIT
vectors=("$root"/vectors/*.jsonl)
(cd "$root" && cargo run --quiet --release --all-features --example check -- --answers "${vectors[@]}") >"$scratch/answers"

target=${CARGO_TARGET_DIR:-$PWD/target}
. ../cases/compiler.sh
need qemu-system-arm qemu-system-arm
need qemu-armeb qemu-user
need size binutils
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
    local what=$1 flags=$2 empty verifier flash memory
    shift 2
    rm -f "$target/$small"/release/{empty,verifier}
    CARGO_TARGET_THUMBV7EM_NONE_EABI_RUSTFLAGS="-Clinker=$linker $flags" \
        with_library build --release --target $small --bin verifier --bin empty "$@"
    empty=$(static empty)
    verifier=$(static verifier)
    flash=$((${verifier% *} - ${empty% *}))
    memory=$((${verifier#* } - ${empty#* }))
    echo "  $flash bytes of flash, $memory of static memory, $what"
    [ "${empty% *}" -gt 1000 ] && [ $flash -gt 10000 ] && [ $flash -le $most_flash ]
}

echo "the verifier:"
if [ "${1:-}" = --sizes ]; then
    compact='--cfg=sha2_backend_soft="compact"'
    verifier_size "without default features and with the compact SHA-2" "$compact" --no-default-features
    verifier_size "with the compact SHA-2" "$compact"
fi
verifier_size "without default features" "" --no-default-features
verifier_size "with default features" ""

# That what was measured is a verifier: it allows an ASK and a COMMIT, and refuses them a day later.
IFS=$'\t' read -r _ _ _ ask_proof token capability < <(sed -n 2p requests.txt)
IFS=$'\t' read -r _ _ _ proof _ proposal hash < <(sed -n 5p requests.txt)
principal=ed25519:iojj3XQJ8ZX9UtstPLpdcspnCb8dlBIb83SIAbQPb1w
holder=ed25519:gTl3Dqh9F19Wo1Rmw0x-zMuNipG07jeiXfYPW4_Js5Q
decide() {
    board "$target/$small/release/verifier" "${@//,/,,}"
}
for now in 1790000000 1790086400; do
    answers=
    for request in "ASK $now shop.example $principal $ask_proof $token $capability" \
        "COMMIT $now shop.example $principal $proof $token $proposal $hash $holder"; do
        # shellcheck disable=SC2086
        code=0 && decide $request || code=$?
        answers+=$code
    done
    echo "at $now: $answers"
done >"$scratch/decisions"
diff - "$scratch/decisions" <<END
at 1790000000: 00
at 1790086400: 11
END

with_library build --release --target $small --bin measure
echo "request | decision | bytes of heap | bytes of stack"
board "$target/$small/release/measure" | sed 's/\t/ | /g'
