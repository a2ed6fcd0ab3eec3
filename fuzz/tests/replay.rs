//! Runs every target, on stable Rust, over its seeds and over every input that once failed; and over what comes of
//! these when they are cut short, or a byte of them is changed.

use std::fs;
use std::path::Path;

/// The files of a folder in the order of their names; none when there is no such folder.
fn inputs(folder: &str, target: &str) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder).join(target);
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    files.into_iter().map(|path| (path.display().to_string(), fs::read(&path).expect("a file"))).collect()
}

fn replay(target: &str) {
    let (_, run) =
        parley_grants_fuzz::TARGETS.into_iter().find(|(name, _)| *name == target).expect("a target");
    let seeds = inputs("seeds", target);
    assert!(seeds.len() >= 5, "no seeds of {target}");
    run(b"");
    for (name, data) in seeds.into_iter().chain(inputs("regressions", target)) {
        println!("{name}");
        run(&data);
        // About 200 places in each, so that a long input takes no longer than a short one.
        for at in (0..data.len()).step_by(data.len() / 200 + 1) {
            run(&data[..at]);
            for byte in [data[at] ^ 1, b'"', b'}', b'0', b' ', 0xff] {
                let mut changed = data.clone();
                changed[at] = byte;
                run(&changed);
            }
        }
    }
}

#[test]
fn json() {
    replay("json");
}

#[test]
fn token() {
    replay("token");
}

#[test]
fn proof() {
    replay("proof");
}

#[test]
fn proposal() {
    replay("proposal");
}
