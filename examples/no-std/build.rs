//! Links what the standard library would have brought along: the C library, and the unwinder that `core` names.

fn main() {
    println!("cargo:rustc-link-arg-bins=-lc");
    println!("cargo:rustc-link-arg-bins=-lgcc_s");
    println!("cargo:rerun-if-changed=build.rs");
}
