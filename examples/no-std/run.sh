#!/usr/bin/env bash
# Builds and runs the verifier in a program without the standard library, for each set of features.
set -euo pipefail
cd "$(dirname "$0")"

sets=("" "fast" "fast,issue,routes,serde_json")

for profile in dev release; do
    for features in "${sets[@]}"; do
        echo "$profile [$features]"
        output=$(cargo run --quiet --locked --profile "$profile" --no-default-features --features "$features")
        echo "$output"
        [ "$output" = "no-std: OK" ]
    done
done

# A dependency that is declared and never named in code would go unnoticed above: none may be asked for its `std`.
tree=$(cargo tree --locked --edges normal,no-proc-macro --prefix none --features issue,routes,serde_json --format '{p} [{f}]')
if grep -E '[[,]std[],]' <<<"$tree"; then
    echo "a dependency has its feature std on"
    exit 1
fi

# The negative control: the same program must not build when the verifier links the standard library.
if log=$(cargo build --quiet --locked --features std-leak 2>&1); then
    echo "std-leak: built, so this check is blind"
    exit 1
fi
if ! grep -E 'E0152.*duplicate lang item.*panic_impl' <<<"$log"; then
    echo "$log"
    echo "std-leak: failed for another reason than a second panic handler"
    exit 1
fi
echo "std-leak: does not build, as it must not"
