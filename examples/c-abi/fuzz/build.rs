//! Compiles the random calls, which are in C, with the input in the place of chance.

fn main() {
    println!("cargo::rerun-if-changed=../tests");
    println!("cargo::rerun-if-changed=../include");
    cc::Build::new()
        .file("../tests/boundary.c")
        .include("../include")
        .define("FUZZ", None)
        .flag("-std=c11")
        .compile("boundary");
}
