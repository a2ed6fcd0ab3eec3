#!/usr/bin/env bash
# A compiler for machines that the installed one has no library for. Sourced by what builds for them, which then calls
# `cargo build -Zbuild-std=core,alloc --target ...`; sets RUSTC, LD_LIBRARY_PATH, RUSTC_BOOTSTRAP and `linker`.
#
# Debian has the source of the library beside its compiler. Both are unpacked here and not installed; that needs apt,
# and root for its lists. The linker is the one that comes with the installed compiler.
set -euo pipefail

compiler=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/target/compiler

# The first dependency of a package whose name starts so, as such names have versions in them.
depends() {
    apt-cache depends "$1" | sed -n "s/.*Depends: \($2[0-9.]*\)\$/\1/p" | head -n 1
}

if [ ! -e "$compiler/complete" ]; then
    rm -rf "$compiler"
    mkdir -p "$compiler/packages"
    apt-get update -qq
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
[ -x "$linker" ]
export RUSTC="$compiler/usr/bin/rustc" RUSTC_BOOTSTRAP=1
LD_LIBRARY_PATH=$(dirname "$(find "$compiler/usr/lib" -name 'librustc_driver*' | head -n 1)")
export LD_LIBRARY_PATH
"$RUSTC" --version
