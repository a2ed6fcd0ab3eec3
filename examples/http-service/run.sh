#!/usr/bin/env bash
# Builds and lints the service, runs its tests against real servers, and tells the story twice: by a client of the crate and by
# one that shares no code with it. What is missing is installed.
set -euo pipefail
cd "$(dirname "$0")"
export CARGO_TERM_COLOR=never PYTHONDONTWRITEBYTECODE=1
scratch=$(mktemp -d)
server=
finish() {
    [ -z "$server" ] || kill "$server" 2>/dev/null || true
    rm -rf "$scratch"
}
trap finish EXIT

missing=()
compgen -G '/usr/lib/postgresql/*/bin/postgres' >/dev/null || missing+=(postgresql)
command -v redis-server >/dev/null || missing+=(redis-server)
command -v ps >/dev/null || missing+=(procps)
python3 -c 'import ensurepip' 2>/dev/null || missing+=(python3-venv)
if [ "${#missing[@]}" -gt 0 ]; then
    export DEBIAN_FRONTEND=noninteractive
    apt-get update -qq
    apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi

cargo fmt --check
cargo clippy --quiet --locked --all-targets --features crash -- -D warnings
# The feature kills the process where a test says so: what is shipped is built without it.
cargo clippy --quiet --locked -- -D warnings
cargo test --quiet --locked --features crash -- --nocapture 2>"$scratch/log" || {
    tail -n 60 "$scratch/log"
    exit 1
}

cargo build --quiet --locked --bins --examples
python3 -m venv "$scratch/venv"
"$scratch/venv/bin/pip" install --quiet --disable-pip-version-check cryptography==46.0.3

# Runs a client against a server of its own, whose clock and names are the same every time.
tell() {
    echo '# end' >"$scratch/revoked"
    : >"$scratch/address"
    target/debug/parley-grants-http --listen 127.0.0.1:0 --principal ed25519:iojj3XQJ8ZX9UtstPLpdcspnCb8dlBIb83SIAbQPb1w \
        --revoked "$scratch/revoked" --fixed-clock 1790000000 --fixed-random story --log "$scratch/decisions" >"$scratch/address" &
    server=$!
    until grep -q '^serving on ' "$scratch/address"; do
        kill -0 "$server"
        sleep 0.05
    done
    "$@" "$(sed 's/^serving on //' "$scratch/address")" "$scratch/revoked"
    kill "$server"
    # It stops by itself once what was begun has ended.
    wait "$server"
    server=
}
tell target/debug/examples/client >"$scratch/story"
diff story.txt "$scratch/story"
tell "$scratch/venv/bin/python" client.py >"$scratch/story"
diff story.txt "$scratch/story"
echo "the story, told twice: $(grep -c '(request' story.txt) requests, $(grep -c -- '->' story.txt) lines of answers"
