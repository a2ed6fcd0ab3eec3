#!/usr/bin/env bash
# Puts each finding back into a copy of the source, one by one, and looks whether its property sees it.
#
#   run.sh              all of them
#   run.sh NAME...      these, with or without `.patch`
#   run.sh --rotate N   N of them, others each day
#
# Without any patch every property must be green. With one, the copy must compile, the property that the patch names as
# `property:` must be red, and no other one but those that it names as `also:`, because they see the finding too. The
# working tree is not touched. One run at a time for each RED_TARGET_DIR; RED_CASES is how many cases a property gets.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd -P)
root=$(cd "$here/../.." && pwd -P)
target=${RED_TARGET_DIR:-${CARGO_TARGET_DIR:-$root/target}/red}
mkdir -p "$target"
target=$(cd "$target" && pwd -P)
tree=$target/tree
# The same inputs in every run, and no time spent on small counterexamples.
export CARGO_TARGET_DIR=$target CARGO_TERM_COLOR=never RUSTFLAGS="" GIT_CEILING_DIRECTORIES=$target
export PROPTEST_CASES=${RED_CASES:-400} PROPTEST_RNG_SEED=1 PROPTEST_MAX_SHRINK_ITERS=0 RUST_BACKTRACE=0
export CARGO_PROFILE_TEST_DEBUG=0 CARGO_PROFILE_DEV_DEBUG=0
passed=0 failed=0

header() { # KEY PATCH
    sed -n "/^diff /q;s/^$1: //p" "$2"
}

ok() {
    echo "ok      $1"
    passed=$((passed + 1))
}

bad() {
    echo "FAILED  $1"
    failed=$((failed + 1))
}

# Prints the names of the red properties; fails when there is no answer.
red() {
    local binary status=0
    (cd "$tree" && cargo test --all-features --test proptests --no-run) >"$target/log" 2>&1 || return 1
    binary=$(sed -n 's/.*Executable .*(\(.*\))$/\1/p' "$target/log")
    [ -n "$binary" ] || return 1
    (cd "$tree" && timeout 300 "$binary" audit::) >"$target/log" 2>&1 || status=$?
    case $status in 0 | 101) ;; *) return 1 ;; esac
    grep -qE '^test result: .* [1-9][0-9]* passed' "$target/log" || return 1
    sed -nE 's/^test audit::([a-z_]+::)*([a-z_]+) \.\.\. FAILED$/\2/p' "$target/log" | sort
}

check() { # PATCH
    local name property others got
    name=$(basename "$1" .patch)
    if [ ! -f "$1" ]; then
        bad "$name: no such patch"
        return
    fi
    property=$(header property "$1")
    if [ "$(wc -w <<<"$property")" != 1 ] || [ -z "$(header finding "$1")" ]; then
        bad "$name: needs one \`finding:\` and one \`property:\` before the diff"
        return
    fi
    if ! git -C "$tree" apply --whitespace=nowarn "$1" 2>"$target/log"; then
        sed 's/^/        /' "$target/log"
        bad "$name: does not apply"
        return
    fi
    if ! got=$(red); then
        tail -n 15 "$target/log" | sed 's/^/        /'
        bad "$name: does not compile, or does not end"
    else
        others=$(grep -vxF -e "$property" <<<"$got" | grep -vxF -f <(header also "$1") | xargs) || true
        if ! grep -qxF -e "$property" <<<"$got"; then
            bad "$name: $property stays green"
        elif [ -n "$others" ]; then
            bad "$name: red are also $others"
        else
            ok "$name: $property"
        fi
    fi
    git -C "$tree" apply --whitespace=nowarn -R "$1"
}

patches=("$here"/*.patch)
if [ "${1:-}" = --rotate ]; then
    count=${2:?how many}
    first=$(($(date +%s) / 86400 * count))
    all=("${patches[@]}")
    patches=()
    for ((at = 0; at < count && at < ${#all[@]}; at++)); do
        patches+=("${all[$(((first + at) % ${#all[@]}))]}")
    done
elif [ $# -gt 0 ]; then
    patches=()
    for name in "$@"; do
        patches+=("$here/$(basename "$name" .patch).patch")
    done
fi

rm -rf "$tree"
mkdir "$tree"
(cd "$root" && tar -cf - --exclude=./target --exclude=./.git --exclude="./${target#"$root"/}" .) | tar -xf - -C "$tree"
# What was built last may be of another source.
find "$tree/src" "$tree/proptests" -name '*.rs' -exec touch {} +
if ! got=$(red); then
    tail -n 15 "$target/log"
    bad "without a patch: no answer"
elif [ -n "$got" ]; then
    bad "without a patch: red are $(xargs <<<"$got")"
else
    ok "without a patch"
    for patch in "${patches[@]}"; do
        check "$patch"
    done
fi
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
