#!/usr/bin/env bash
# Builds and lints the ledgers, and runs their tests against real servers, which it installs where they are missing.
set -euo pipefail
cd "$(dirname "$0")"

missing=()
compgen -G '/usr/lib/postgresql/*/bin/postgres' >/dev/null || missing+=(postgresql)
command -v redis-server >/dev/null || missing+=(redis-server)
command -v ps >/dev/null || missing+=(procps)
if [ "${#missing[@]}" -gt 0 ]; then
    export DEBIAN_FRONTEND=noninteractive
    # A machine may start what is installed; the tests start servers of their own.
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi

cargo fmt --check
cargo clippy --quiet --locked --all-targets -- -D warnings
# What a product would copy does not panic.
cargo clippy --quiet --locked --lib -- -D clippy::unwrap_used -D clippy::expect_used -D clippy::indexing_slicing -D clippy::panic
cargo test --quiet --locked -- --nocapture
