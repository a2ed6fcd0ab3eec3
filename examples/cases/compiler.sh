#!/usr/bin/env bash
# A compiler for machines that the installed one has no library for. Sourced by what builds for them, which then calls
# `cargo build -Zbuild-std=core,alloc --target ...`; sets RUSTC, LD_LIBRARY_PATH, RUSTC_BOOTSTRAP and `linker`.
#
# Debian 12 has the source of the library beside its compiler (`rustc-web`, among the security updates). Both are
# unpacked here and not installed; that needs apt, and root for its lists. The linker is that of rustup's compiler.
set -euo pipefail

update_lists() {
    [ -n "${lists_are_new:-}" ] || apt-get update -qq
    lists_are_new=yes
}

# Installs a package when the command is missing.
need() {
    local command=$1 package=$2
    command -v "$command" >/dev/null && return
    update_lists
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$package" >/dev/null
}

compiler=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/target/compiler

# The first dependency of a package whose name starts so, as such names have versions in them.
depends() {
    apt-cache depends "$1" | sed -n "s/.*Depends: \($2[0-9.]*\)\$/\1/p" | head -n 1
}

if [ ! -e "$compiler/complete" ]; then
    rm -rf "$compiler"
    mkdir -p "$compiler/packages"
    update_lists
    library=$(depends libstd-rust-web-dev libstd-rust-web-)
    (
        cd "$compiler/packages"
        apt-get download -qq -o APT::Sandbox::User=root \
            rustc-web rust-web-src rust-web-clippy libstd-rust-web-dev "$library" "$(depends "$library" libllvm)"
        for package in *.deb; do
            case $package in
            rust-web-src_*) dpkg --fsys-tarfile "$package" | tar -x -C .. --wildcards './usr/lib/*' './usr/src/*/library/*' ;;
            *) dpkg -x "$package" .. ;;
            esac
        done
    )
    rm -r "$compiler/packages"
    touch "$compiler/complete"
fi

host=$(rustc --version --verbose | sed -n 's/^host: //p')
linker=$(rustc --print sysroot)/lib/rustlib/$host/bin/rust-lld
if [ ! -x "$linker" ]; then
    echo "there is no $linker: rustup's compiler has one" >&2
    exit 1
fi
# They would take the place of the flags of a target.
unset RUSTFLAGS CARGO_ENCODED_RUSTFLAGS
export RUSTC="$compiler/usr/bin/rustc" RUSTC_BOOTSTRAP=1
LD_LIBRARY_PATH=$(dirname "$(find "$compiler/usr/lib" -name 'librustc_driver*' | head -n 1)")
export LD_LIBRARY_PATH
"$RUSTC" --version
