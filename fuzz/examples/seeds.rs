//! Makes `seeds/` of `../vectors`: for each target and clause the first input that the contract accepts, and a few of each kind
//! of answer where the input is a whole question. No seed is at the edge of a rule: those are in `edges/`.
//!
//! ```sh
//! cargo run --example seeds            # writes them
//! cargo run --example seeds -- --check # compares
//! ```

#[path = "seeds/choices.rs"]
mod choices;
#[path = "seeds/flows.rs"]
mod flows;

use base64ct::{Base64UrlUnpadded, Encoding as _};
use choices::Keys;
use serde_json::Value;
use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::Path;

type Seeds = BTreeMap<String, Vec<u8>>;

/// Longer ones slow a fuzzer down.
const LONGEST: usize = 4096;

fn main() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut seeds = Seeds::new();
    let mut seen = HashSet::new();
    for case in cases(&here.join("../vectors")) {
        for (target, bytes) in inputs(&case) {
            let name = case["name"].as_str().expect("a name");
            let clause = name.split('/').next().expect("a clause");
            let answer = ["code", "decision"].iter().find_map(|field| case["expect"][field].as_str());
            if bytes.len() <= LONGEST && seen.insert((target, clause.to_owned(), answer.map(String::from))) {
                seeds.insert(format!("{target}/{}", name.replace(['/', ' '], "-")), bytes);
            }
        }
    }
    assert!(seeds.len() > 200, "the vectors are not what they were");
    let folder = here.join("seeds");
    if std::env::args().any(|argument| argument == "--check") {
        let there = read(&folder);
        let differs = |name: &&String| seeds.get(*name) != there.get(*name);
        let all: Vec<_> = seeds.keys().chain(there.keys()).filter(differs).collect();
        assert!(all.is_empty(), "these differ from what the vectors make: {all:?}");
        println!("{} seeds, as the vectors make them", seeds.len());
    } else {
        if folder.exists() {
            fs::remove_dir_all(&folder).expect("the old seeds");
        }
        for (name, bytes) in &seeds {
            let path = folder.join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, bytes).expect("a file");
        }
        println!("{} seeds", seeds.len());
    }
}

fn cases(folder: &Path) -> impl Iterator<Item = Value> {
    let mut files: Vec<_> =
        fs::read_dir(folder).expect("the vectors").map(|file| file.expect("a file").path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "jsonl"));
    files.sort();
    files.into_iter().flat_map(|path| {
        let text = fs::read_to_string(path).expect("a text");
        text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect::<Vec<Value>>()
    })
}

fn read(folder: &Path) -> Seeds {
    let mut seeds = Seeds::new();
    for target in fs::read_dir(folder).expect("seeds").map(|entry| entry.expect("a folder").path()) {
        for path in fs::read_dir(&target).expect("seeds").map(|entry| entry.expect("a file").path()) {
            let name = path.strip_prefix(folder).expect("inside").display().to_string();
            seeds.insert(name, fs::read(path).expect("a seed"));
        }
    }
    seeds
}

/// The inputs that a vector gives.
fn inputs(case: &Value) -> Vec<(&'static str, Vec<u8>)> {
    let text = |name: &str| case[name].as_str().map(|text| text.as_bytes().to_vec());
    let is_ok = case["expect"]["ok"] == true;
    let mut inputs = Vec::new();
    let mut put = |target, bytes: Option<Vec<u8>>| inputs.extend(bytes.map(|bytes| (target, bytes)));
    match case["op"].as_str().expect("an operation") {
        "canonical" if is_ok => put("json", text("json")),
        "hash" | "consent" if is_ok => put("proposal", text("proposal")),
        "proof" if is_ok => put("proof", Some(proof(case))),
        "grant" => {
            if is_ok {
                put("token", text("token"));
                put("token", json_of(&case["token"]));
                put("respell", Keys::default().grants(&[&case["token"]], 3).map(|grants| grants.bytes()));
            }
            put("grant_structured", choices::grant_case(case));
        }
        "authorize" => {
            put("grant_structured", choices::authorize_case(case));
            let asked = &case["expect"]["consent"];
            put("consent", asked.is_object().then(|| asked.to_string().into_bytes()));
        }
        "flow" => put("authorize_flow", flows::flow_case(case)),
        _ => {}
    }
    inputs
}

/// The JSON in a token.
fn json_of(token: &Value) -> Option<Vec<u8>> {
    Base64UrlUnpadded::decode_vec(token.as_str()?.strip_prefix("pg1.")?).ok()
}

/// As `src/proof.rs` reads it.
fn proof(case: &Value) -> Vec<u8> {
    let line = |name: &str| case[name].as_str().map_or_else(|| case[name].to_string(), String::from);
    let lines = [line("now"), line("now"), line("aud"), line("verb"), line("target"), line("proof")];
    lines.join("\n").into_bytes()
}
