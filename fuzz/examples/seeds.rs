//! Makes `seeds/` of `../vectors`: for each target, clause and answer the first input that says something new, under the vector's
//! name. Texts are those that the contract accepts; of whole questions all answers are there, if the naive model gives the
//! vector's own answer to what could be expressed of it. Those of `routes` are stories (`seeds/stories.rs`). Other inputs at the edges
//! of rules are in `edges/`.
//!
//! ```sh
//! cargo run --example seeds            # writes them
//! cargo run --example seeds -- --check # compares
//! ```

#[path = "seeds/choices.rs"]
mod choices;
#[path = "seeds/flows.rs"]
mod flows;
#[path = "seeds/stories.rs"]
mod stories;

use arbitrary::{Arbitrary as _, Unstructured};
use base64ct::{Base64UrlUnpadded, Encoding as _};
use choices::Keys;
use parley_grants_fuzz::chain::Structured;
use parley_grants_fuzz::model::{Class, decide};
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
    let (mut seen, mut contents) = (HashSet::new(), HashSet::new());
    for case in cases(&here.join("../vectors")) {
        for (target, variant, bytes) in inputs(&case) {
            let name = case["name"].as_str().expect("a name");
            let clause = name.split('/').next().expect("a clause");
            let answer = ["code", "decision"].iter().find_map(|field| case["expect"][field].as_str());
            let kind = (target, variant, clause.to_owned(), answer.map(String::from));
            if bytes.len() <= LONGEST && !seen.contains(&kind) && contents.insert((target, bytes.clone())) {
                seen.insert(kind);
                seeds.insert(format!("{target}/{}{variant}", name.replace(['/', ' '], "-")), bytes);
            }
        }
    }
    seeds.extend(stories::stories());
    assert!(seeds.len() > 150, "the vectors are not what they were");
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

/// The inputs that a vector gives, each with its target and what is added to its name.
fn inputs(case: &Value) -> Vec<(&'static str, &'static str, Vec<u8>)> {
    let text = |name: &str| case[name].as_str().map(|text| text.as_bytes().to_vec());
    let is_ok = case["expect"]["ok"] == true;
    let mut inputs = Vec::new();
    let mut put = |target, bytes: Option<Vec<u8>>| inputs.extend(bytes.map(|bytes| (target, "", bytes)));
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
            put("grant_structured", choices::grant_case(case).filter(|bytes| is_the_question(case, bytes)));
        }
        "authorize" => {
            put(
                "grant_structured",
                choices::authorize_case(case).filter(|bytes| is_the_question(case, bytes)),
            );
            let asked = &case["expect"]["consent"];
            put("consent", asked.is_object().then(|| asked.to_string().into_bytes()));
        }
        // Over a large ledger, and over two small ones.
        "flow" => {
            for (bounds, variant) in [(0, ""), (2, "-small"), (3, "-narrow")] {
                inputs.extend(flows::flow_case(case, bounds).map(|bytes| ("authorize_flow", variant, bytes)));
            }
        }
        _ => {}
    }
    inputs
}

/// Does the model answer as the vector says? It does not when what decides could not be expressed, such as a wrong signature.
fn is_the_question(case: &Value, bytes: &[u8]) -> bool {
    let Ok(Structured(asked)) = Structured::arbitrary(&mut Unstructured::new(bytes)) else { return false };
    let class = match decide(&asked) {
        Class::Allowed => "allowed",
        Class::Review => "review",
        Class::ConsentRequired => "consent_required",
        Class::Forbidden => "forbidden",
        Class::Unauthorized => "unauthorized",
        Class::Conflict => "conflict",
        Class::Expired => "expired",
    };
    let expect = &case["expect"];
    let answer = ["decision", "code"].iter().find_map(|field| expect[field].as_str());
    class == answer.unwrap_or(if expect["ok"] == true { "allowed" } else { "" })
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
