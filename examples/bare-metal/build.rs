//! Links each program for its machine: the measured ones for 64 KiB of memory, the runner of the cases for all there is.

fn main() {
    let folder = std::env::var("CARGO_MANIFEST_DIR").unwrap_or_default();
    if std::env::var("TARGET").is_ok_and(|target| target.starts_with("thumb")) {
        for (program, machine) in
            [("check", "board"), ("measure", "64k"), ("verifier", "64k"), ("empty", "64k")]
        {
            println!("cargo:rustc-link-arg-bin={program}=-L{folder}/memory/{machine}");
            println!("cargo:rustc-link-arg-bin={program}=-Tlink.x");
        }
    }
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=memory");
}
