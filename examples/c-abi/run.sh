#!/usr/bin/env bash
# Builds, lints and tests the C interface: the header, what the libraries export, the rules in C under AddressSanitizer and UBSan, and every
# conformance case from C, Python and Go, compared with this machine's answers byte by byte. Needs Rust; where a tool is missing, root.
#
#   run.sh             all of it
#   run.sh --header    writes include/parley_grants.h anew
set -euo pipefail
if [ -n "${CARGO_TARGET_DIR:-}" ]; then
    # It is meant from where the caller is, and is used from several places.
    CARGO_TARGET_DIR=$(realpath -m -- "$CARGO_TARGET_DIR")
    export CARGO_TARGET_DIR
fi
cd "$(dirname "$0")"
root=$(cd ../.. && pwd)
target=${CARGO_TARGET_DIR:-$PWD/target}
vectors=("$root"/vectors/*.jsonl)
calls=${CALLS:-200000}
export PYTHONDONTWRITEBYTECODE=1

fail() {
    echo "FAILED: $1"
    exit 1
}

header() {
    (cd header && cargo run --quiet --locked --release --target-dir "$target/header")
}

if [ "${1:-}" = --header ]; then
    made=$(header)
    printf '%s\n' "$made" >include/parley_grants.h
    exit
fi

packages=()
for tool in gcc:gcc g++:g++ nm:binutils python3:python3 go:golang-go; do
    command -v "${tool%:*}" >/dev/null || packages+=("${tool#*:}")
done
for file in stdlib.h:libc6-dev jansson.h:libjansson-dev; do
    [ -e "/usr/include/${file%:*}" ] || packages+=("${file#*:}")
done
if [ ${#packages[@]} -gt 0 ]; then
    echo "installing: ${packages[*]}"
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends "${packages[@]}" >/dev/null
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# --- The source.
for crate in . header fuzz; do
    (cd "$crate" && cargo fmt --check)
done
cargo clippy --quiet --locked --release --all-targets --features cases -- -D warnings
cargo clippy --quiet --locked --release --no-default-features -- -D warnings
if cargo rustc --quiet --locked --release --lib --crate-type rlib -- -C panic=abort >"$scratch/log" 2>&1 ||
    ! grep -q 'a panic has to unwind to the boundary' "$scratch/log"; then
    fail "it builds with panics that end the process, or fails for another reason"
fi
(cd header && cargo clippy --quiet --locked --release --target-dir "$target/header" -- -D warnings)
# Every entry is one statement, a call of the guard or of what guards the body that it is handed; a constant needs none.
guarded() {
    awk '{ sub(/\/\/.*/, ""); sub(/[ \t]+$/, "") }
        /extern "C" fn/ { entry = $0; inside = statements = guards = 0; if (entry ~ /pg_version\(/) entry = ""; count++ }
        /^(pub\(crate\) )?(unsafe )?fn (made|make|part)[<(]/ { entry = "what guards others: " $0; inside = statements = guards = 0 }
        !NF { next }
        entry && opened { $0 = "    unsafe { " substr($0, 9); opened = 0 }
        entry && inside && /^    unsafe \{$/ { opened = 1; next }
        entry && inside && /^    [^ }]/ { statements++ }
        entry && inside && /^    (unsafe \{ )?(guard|guard_or|made|make|part)\(/ { guards++ }
        entry && inside && /^    let body = \|\| -> Coded \{$/ { statements-- }
        entry && /^}/ { if (statements != 1 || guards != 1) { print "not guarded: " entry; missing = 1 } entry = "" }
        entry && /\{$/ { inside = 1 }
        END { print count " entries, " (missing ? "not " : "") "all guarded"; exit missing || count < least }' least="$1" "${@:2}"
}
for body in '    // guard(body)
    body()' '    work();
    guard(body)' '    guard(body);
    work()' '    body()'; do
    printf 'pub extern "C" fn pg_it() -> pg_code {\n%s\n}\n' "$body" >"$scratch/entry.rs"
    guarded 1 "$scratch/entry.rs" >/dev/null && fail "it is taken for guarded: $body"
done
guarded 50 src/*.rs
wc -l src/*.rs | awk '$2 != "total" && $2 != "src/tests.rs" && $1 > 300 { print "longer than 300 lines: " $2; long = 1 } END { exit long }'

# --- The header is what the source makes, and a header in C11 and in C++17, with and without features.
header | diff include/parley_grants.h - || fail "the header is not that of the source: run.sh --header"
warnings=(-Wall -Wextra -Werror -pedantic)
for features in "" "-DPG_FEATURE_ISSUE -DPG_FEATURE_CASES"; do
    echo '#include "parley_grants.h"' >"$scratch/header.c"
    # shellcheck disable=SC2086
    gcc -std=c11 "${warnings[@]}" $features -Iinclude -fsyntax-only "$scratch/header.c"
    # shellcheck disable=SC2086
    g++ -std=c++17 "${warnings[@]}" $features -Iinclude -fsyntax-only -x c++ "$scratch/header.c"
done
# What the README shows.
{
    cat <<'START'
#include "parley_grants.h"
void shown(const pg_verifier *verifier, const uint8_t *token, size_t token_length, const uint8_t *proof, size_t proof_length,
           int64_t now, pg_bytes capability, pg_bytes proposal, pg_bytes hash, pg_origin origin, pg_id name,
           pg_ledger *ledger, pg_pending *pending);
void shown(const pg_verifier *verifier, const uint8_t *token, size_t token_length, const uint8_t *proof, size_t proof_length,
           int64_t now, pg_bytes capability, pg_bytes proposal, pg_bytes hash, pg_origin origin, pg_id name,
           pg_ledger *ledger, pg_pending *pending) {
START
    awk '/^```c$/ { shown = 1; print "{"; depth++; next } /^```$/ { shown = 0 } shown; END { while (depth-- > 0) print "}" }' README.md
    echo "}"
} >"$scratch/readme.c"
gcc -std=c11 "${warnings[@]}" -Iinclude -fsyntax-only "$scratch/readme.c"
echo "header: as made from the source, C11 and C++17; so is what the README shows"

# --- The shared library exports what the header declares, and nothing else.
declared() {
    gcc -E -P "$@" -Iinclude include/parley_grants.h | grep -oE '\bpg_[a-z_]+\(' | tr -d '(' | sort -u
}
exported() {
    nm -D --defined-only "$1" | awk '{ print $3 }' | sort -u
}
library=$target/release/libparley_grants_c
cargo build --quiet --locked --release
exported "$library.so" >"$scratch/exported"
[ -s "$scratch/exported" ] || fail "the shared library exports nothing"
declared >"$scratch/declared"
diff "$scratch/declared" "$scratch/exported" || fail "the shared library exports something else than the header declares"
echo "exports: $(wc -l <"$scratch/exported") functions, $(wc -c <"$library.so") bytes"
cargo test --quiet --locked --release --features cases --lib
cargo build --quiet --locked --release --features cases
exported "$library.so" >"$scratch/exported"
declared -DPG_FEATURE_ISSUE -DPG_FEATURE_CASES >"$scratch/declared"
diff "$scratch/declared" "$scratch/exported" || fail "with features, the library exports something else than the header declares"
gcc -std=c11 -Iinclude -O1 -c tests/boundary.c -o "$scratch/boundary.o"
nm -u "$scratch/boundary.o" | awk '$2 ~ /^pg_/ { print $2 }' | sort -u >"$scratch/called"
diff <(grep -v pg_case_panic "$scratch/exported") "$scratch/called" || fail "not every function is called at random"

# --- C under the sanitizers, with the library's own reads and writes under them too.
host=$(rustc --version --verbose | sed -n 's/^host: //p')
RUSTC_BOOTSTRAP=1 RUSTFLAGS="-Zsanitizer=address -Zexternal-clangrt" \
    cargo build --quiet --locked --release --features cases --target "$host"
mapfile -t libraries < <(RUSTC_BOOTSTRAP=1 RUSTFLAGS="-Zsanitizer=address -Zexternal-clangrt" \
    cargo rustc --quiet --locked --release --features cases --target "$host" --crate-type staticlib -- --print native-static-libs 2>&1 |
    sed -n 's/.*native-static-libs: //p' | head -n 1 | tr ' ' '\n')
for program in flows boundary controls vectors; do
    gcc -std=c11 -D_POSIX_C_SOURCE=200809L "${warnings[@]}" -Iinclude -g -O1 -fsanitize=address,undefined \
        -fno-sanitize-recover=all "tests/$program.c" -o "$scratch/$program" \
        "$target/$host/release/libparley_grants_c.a" -ljansson -lpthread "${libraries[@]}"
done
export ASAN_OPTIONS=detect_leaks=1
"$scratch/controls" none
for control in overrun:heap-buffer-overflow stale:heap-use-after-free leak:'detected memory leaks' undefined:'signed integer overflow'; do
    if "$scratch/controls" "${control%%:*}" >"$scratch/log" 2>&1; then
        fail "the sanitizers do not see: ${control%%:*}"
    fi
    grep -q "${control#*:}" "$scratch/log" || fail "${control%%:*}: $(cat "$scratch/log")"
done
echo "controls: the sanitizers see an overrun, a stale read, a leak and undefined behaviour"
"$scratch/flows"
for seed in 1 2 3; do
    VERBOSE=1 "$scratch/boundary" "$calls" "$seed" >"$scratch/seed"
    tail -n 1 "$scratch/seed"
    cat "$scratch/seed" >>"$scratch/seeds"
done
# Each of them got to its end by chance, too, but those that do not say so.
while read -r function; do
    case $function in
    *_free | pg_text_bytes | pg_code_name | pg_version) continue ;;
    pg_ask | pg_intent | pg_auto_intent | pg_undo | pg_expand | pg_replay | pg_pending_answer | pg_decision_code) end=allowed ;;
    pg_commit | pg_auto_commit) end=pending ;;
    pg_ledger_reserve) end=reserved ;;
    pg_ledger_settle | pg_ledger_release | pg_claims_finish | pg_claims_abandon) end=closed ;;
    pg_claims_claim) end=first ;;
    *) end=ok ;;
    esac
    grep -q "^$function: $end " "$scratch/seeds" || fail "$function was never $end by chance"
done <"$scratch/called"
echo "boundary: every function reached its end"

# The same rules by the links of the README, without sanitizers.
plain=(gcc -std=c11 -D_POSIX_C_SOURCE=200809L "${warnings[@]}" -Iinclude -O2 tests/flows.c -o)
"${plain[@]}" "$scratch/flows-static" "$library.a" -lpthread -ldl -lm
"${plain[@]}" "$scratch/flows-shared" -L"$target/release" -lparley_grants_c -lpthread
ldd "$scratch/flows-static" | grep -q parley && fail "the static library is not linked"
"$scratch/flows-static"
LD_LIBRARY_PATH=$target/release "$scratch/flows-shared"

# --- Every conformance case.
(cd "$root" && cargo run --quiet --release --all-features --example check -- --answers "${vectors[@]}") >"$scratch/answers"
cases=$(wc -l <"$scratch/answers")
# check_language NAME OPERATIONS PROGRAM...: every case is answered as it expects, and as this machine does; those of the operations
# through the real calls too.
check_language() {
    local real
    real=$(python3 - "$2" "${vectors[@]}" <<'END'
import json, sys
operations = set(sys.argv[1].split())
lines = [line for path in sys.argv[2:] for line in open(path, "rb").read().split(b"\n")]
counts = {operation: 0 for operation in operations}
for line in lines:
    if line.strip() and not line.startswith(b"#"):
        operation = json.loads(line)["op"]
        if operation in counts:
            counts[operation] += 1
assert all(counts.values()), counts
print(sum(counts.values()))
END
    )
    "${@:3}" "$scratch/$1-answers" "${vectors[@]}" | tee "$scratch/result"
    tail -n 1 "$scratch/result" | grep -qxF "$1: $cases passed, 0 failed, $real of them through the real calls" ||
        fail "$1: not $cases cases, or not $real through the real calls"
    cmp "$scratch/answers" "$scratch/$1-answers"
}
both="canonical hash proof key sign_proof authorize flow"
check_language c "$both" "$scratch/vectors"
check_language python "$both issue delegate consent" python3 tests/vectors.py "$library.so"
(
    cd tests/go
    unformatted=$(gofmt -l .)
    [ -z "$unformatted" ] || fail "gofmt: $unformatted"
    export GOTOOLCHAIN=local GOPROXY=off GOFLAGS=-mod=mod GOCACHE="$target/go" CGO_ENABLED=1
    export CGO_LDFLAGS="-L$target/release -Wl,-rpath,$target/release -lparley_grants_c"
    go vet .
    go build -o "$scratch/go-vectors" .
)
check_language go authorize "$scratch/go-vectors"

# --- The same random calls, led by what they reach.
fuzz/run.sh 10
