//! Runs every target, on stable Rust, over its seeds, over inputs at the edges of the rules and over every input that once
//! failed; and over what comes of these when they are cut short, or a byte of them is changed.

use std::collections::HashSet;
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

/// With about so many changes to each seed; to what is at an edge, or once failed, as many as there are places.
fn replay(target: &str, changes: usize) {
    let (_, run) =
        parley_grants_fuzz::TARGETS.into_iter().find(|(name, _)| *name == target).expect("a target");
    let seeds = inputs("seeds", target);
    let contents: HashSet<_> = seeds.iter().map(|(_, data)| data).collect();
    assert!(contents.len() >= 5, "no seeds of {target}");
    run(b"");
    let edges = inputs("edges", target);
    assert!(!edges.is_empty(), "no edges of {target}");
    let others = edges.into_iter().chain(inputs("regressions", target));
    let seeds = seeds.into_iter().map(|seed| (seed, changes));
    for ((name, data), changes) in seeds.chain(others.map(|other| (other, 1200))) {
        println!("{name}");
        run(&data);
        // Places all over it, so that a long input takes no longer than a short one.
        for at in (0..data.len()).step_by(data.len() * 7 / changes + 1) {
            run(&data[..at]);
            for byte in [data[at] ^ 1, b'"', b'}', b'0', b' ', 0xff] {
                let mut changed = data.clone();
                changed[at] = byte;
                run(&changed);
            }
        }
    }
}

macro_rules! replayed {
    ($($target:ident: $changes:expr;)*) => {
        $(
            #[test]
            fn $target() {
                replay(stringify!($target), $changes);
            }
        )*

        #[test]
        fn no_target_is_left_out() {
            let names = parley_grants_fuzz::TARGETS.map(|(name, _)| name);
            assert_eq!(names, [$(stringify!($target)),*]);
            for name in names {
                let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("fuzz_targets/{name}.rs"));
                assert!(fs::read_to_string(source).is_ok_and(|source| source.contains(&format!("{name}::run"))));
            }
        }
    };
}

// Fewer where each takes long.
replayed! {
    json: 400;
    token: 40;
    proof: 100;
    proposal: 100;
    consent: 100;
    respell: 40;
    grant_structured: 70;
    authorize_flow: 140;
    routes: 400;
}
