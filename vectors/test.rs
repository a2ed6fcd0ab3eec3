//! The vectors answer as they expect, and show every clause of `README.md` by two cases that are one step apart.

extern crate alloc;

#[path = "../examples/check/cases/mod.rs"]
mod cases;

use cases::Case;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Every case, as its line and its value.
fn all() -> Vec<(String, Value)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("vectors");
    let mut lines = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "jsonl") {
            let text = std::fs::read_to_string(path).unwrap();
            lines.extend(
                text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(String::from),
            );
        }
    }
    lines.into_iter().map(|line| (line.clone(), serde_json::from_str(&line).unwrap())).collect()
}

fn needs_issue(case: &Value) -> bool {
    matches!(case["op"].as_str(), Some("key" | "issue" | "delegate" | "consent" | "sign_proof"))
}

fn needs_routes(case: &Value) -> bool {
    matches!(case["op"].as_str(), Some("deliver" | "redeem" | "posture"))
}

#[test]
fn every_case_answers_as_expected() {
    let (mut run, mut failed) = (0, Vec::new());
    for (line, value) in all() {
        let case = Case::read(&line).unwrap();
        if needs_issue(&value) && !cfg!(feature = "issue")
            || needs_routes(&value) && !cfg!(feature = "routes")
        {
            assert!(case.answer().is_err(), "{}", value["name"]);
            continue;
        }
        run += 1;
        let answer = case.answer().unwrap_or_else(|error| panic!("{}: {error}", value["name"]));
        let expected = case.expected().unwrap();
        if !answer.is(expected) {
            failed.push(format!(
                "{}: expected {}, got {}",
                case.name().unwrap(),
                expected.raw,
                answer.text()
            ));
        }
        // In words it must be the same answer, and words for everything.
        case.explain().unwrap();
    }
    assert!(failed.is_empty(), "{} of {run} failed:\n{}", failed.len(), failed.join("\n"));
    assert!(run >= 400, "{run} cases");
}

/// A claim names its tests; a test that was renamed or removed must not stay named.
#[test]
fn every_test_that_security_md_names_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut source = String::new();
    let mut folders = vec![root.join("src"), root.join("proptests"), root.join("vectors")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                source.push_str(&std::fs::read_to_string(path).unwrap());
            }
        }
    }
    let claims =
        include_str!("../SECURITY.md").split("## Claims").nth(1).unwrap().split("\n## ").next().unwrap();
    let shown_by = claims.lines().filter_map(|line| line.strip_suffix(" |")?.rsplit(" | ").next());
    let names: Vec<_> = shown_by.flat_map(|cell| cell.split('`').skip(1).step_by(2)).collect();
    let tests: Vec<_> =
        names.iter().filter(|name| name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')).collect();
    assert!(tests.len() >= 25, "{tests:?}");
    for name in tests {
        // `compile_fail` is what the doctests are marked with.
        assert!(*name == "compile_fail" || source.contains(&format!("fn {name}(")), "no test {name}");
    }
}

/// The clauses that README.md states in its tables, in those that cases show.
fn clauses() -> BTreeSet<String> {
    let readme = include_str!("README.md");
    let shown = readme.split("## Not shown by a case here").next().unwrap();
    shown
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.split(' ').next())
        .filter(|cell| cell.starts_with(['A', 'B', 'C']) && cell.contains('.'))
        .map(String::from)
        .collect()
}

/// Every scalar of a case by its path, without what says nothing of the input. A text and its bytes have one path.
fn leaves(value: &Value) -> BTreeMap<String, String> {
    fn walk(value: &Value, path: &str, leaves: &mut BTreeMap<String, String>) {
        match value {
            Value::Array(items) => {
                items
                    .iter()
                    .enumerate()
                    .for_each(|(index, item)| walk(item, &format!("{path}/{index}"), leaves));
            }
            Value::Object(members) => members.iter().for_each(|(name, member)| {
                let name = name.strip_suffix("_b64").unwrap_or(name);
                if name != "proof" && !(path.is_empty() && matches!(name, "name" | "expect")) {
                    walk(member, &format!("{path}/{name}"), leaves);
                }
            }),
            scalar => {
                leaves.insert(path.to_string(), scalar.to_string());
            }
        }
    }
    let mut map = BTreeMap::new();
    walk(value, "", &mut map);
    map
}

/// Of a flow, the last step decides; a delivery has to come with a route.
fn is_success(expect: &Value) -> bool {
    let decides = match expect["steps"].as_array() {
        Some(steps) => steps.last().expect("a step"),
        None => expect,
    };
    assert!(decides.get("spent").is_none(), "a total is neither");
    decides["ok"] == Value::Bool(true)
        || decides["decision"] == "allowed"
        || decides["claim"] == "first"
        || decides["delivery"] == "turn" && !decides["route"].is_null()
}

#[test]
fn every_step_of_a_flow_has_an_answer_and_its_own_name() {
    let flows: Vec<_> = all().into_iter().map(|(_, case)| case).filter(|case| case["op"] == "flow").collect();
    assert!(flows.len() >= 60, "{} flows", flows.len());
    for flow in flows {
        let (steps, answers) =
            (flow["steps"].as_array().unwrap(), flow["expect"]["steps"].as_array().unwrap());
        assert_eq!(steps.len(), answers.len(), "{}", flow["name"]);
        let asked = steps.iter().filter(|step| step["do"] == "authorize");
        let ids: Vec<_> = asked.map(|step| step["id"].as_str().unwrap()).collect();
        assert_eq!(ids.len(), ids.iter().collect::<BTreeSet<_>>().len(), "{}", flow["name"]);
    }
}

#[test]
fn every_clause_has_an_accepting_and_a_refusing_case_one_step_apart() {
    let clauses = clauses();
    assert!(clauses.len() >= 100, "{} clauses", clauses.len());
    let mut names = BTreeSet::new();
    let mut pairs: BTreeMap<String, [Option<Value>; 2]> = BTreeMap::new();
    for (_, case) in all() {
        let name = case["name"].as_str().unwrap().to_string();
        assert!(names.insert(name.clone()), "{name} stands twice");
        let clause = name.split('/').next().unwrap();
        assert!(clauses.contains(clause), "{name}: no such clause");
        if let Some(pair) = name.strip_suffix("/+") {
            assert!(is_success(&case["expect"]), "{name}");
            pairs.entry(pair.to_string()).or_default()[0] = Some(case);
        } else if let Some(pair) = name.strip_suffix("/-") {
            assert!(!is_success(&case["expect"]), "{name}");
            pairs.entry(pair.to_string()).or_default()[1] = Some(case);
        }
    }
    let mut shown = BTreeSet::new();
    for (name, pair) in pairs {
        let [Some(plus), Some(minus)] = pair else { panic!("{name} has no other half") };
        let (plus, minus) = (leaves(&plus), leaves(&minus));
        let paths: BTreeSet<_> = plus.keys().chain(minus.keys()).collect();
        let apart = paths.into_iter().filter(|path| plus.get(*path) != minus.get(*path)).count();
        assert!(apart <= 1, "{name}: {apart} steps apart");
        shown.insert(name.split('/').next().unwrap().to_string());
    }
    let missing: Vec<_> = clauses.difference(&shown).collect();
    assert!(missing.is_empty(), "without a pair: {missing:?}");
}

/// What one library reads as a number with a feature of its own on, and what no library reads as one.
#[test]
fn odd_values_mean_the_same_in_every_build() {
    let answer =
        |line: &str| Case::read(line).and_then(|case| case.answer()).map(|answer| answer.text().to_string());
    let magic = r#"{"op":"canonical","json":"1","x":{"$serde_json::private::Number":"5"}}"#;
    assert_eq!(answer(magic).unwrap(), r#"{"ok":true,"canonical":"1"}"#);
    if cfg!(feature = "issue") {
        let issue = |caveat: &str, iat: &str| {
            let (seed, key) = ("A".repeat(43), "ed25519:O2onvM62pC1io6jQKm8Nc2UyFXcd4kOmOsBIoYtZ2ik");
            answer(&format!(
                r#"{{"op":"issue","seed":"{seed}","sub":"{key}","caveats":[{caveat}],"iat":{iat},"nonce":""}}"#
            ))
        };
        assert!(issue(r#"{"exp":5}"#, "0").unwrap().starts_with(r#"{"ok":true"#));
        for (caveat, iat) in [
            (r#"{"exp":{"$serde_json::private::Number":"5"}}"#, "0"),
            (r#"{"exp":1e999}"#, "0"),
            (r#"{"exp":1,"exp":1}"#, "0"),
            (r#"{"exp":5}"#, "-0"),
            (r#"{"exp":5}"#, "1e999"),
            (r#"{"exp":5}"#, "0.0"),
            (&"[".repeat(150).chars().chain("]".repeat(150).chars()).collect::<String>(), "0"),
        ] {
            let refused = issue(caveat, iat);
            // An object that has a name twice is no JSON that a case may have.
            assert!(refused.as_deref().unwrap_or(r#"{"ok":false}"#) == r#"{"ok":false}"#, "{caveat} {iat}");
        }
    }
}

#[test]
fn a_line_that_is_no_case_is_an_error() {
    for line in [
        "",
        "[]",
        "{}",
        r#"{"op":1}"#,
        r#"{"op":"canonical"}"#,
        r#"{"op":"canonical","json":1}"#,
        r#"{"op":"canonical","json_b64":"*"}"#,
        r#"{"op":"canonical","json":"1","json_b64":"MQ=="}"#,
        r#"{"op":"frobnicate"}"#,
        r#"{"op":"posture","from":"reactive","to":"paused","by":"owner"}"#,
        r#"{"op":"posture","from":"","to":"manual","by":"owner"}"#,
        r#"{"op":"posture","from":"manual","to":"manual","by":"admin"}"#,
        r#"{"op":"deliver","now":0}"#,
        r#"{"op":"redeem","now":0,"route":5}"#,
        r#"{"op":"proof","proof":"{}","aud":"a","verb":"ASK","target":"t","now":9223372036854775808}"#,
        r#"{"op":"proof","proof":"{}","aud":"a","verb":"ASK","target":"t","now":1.5}"#,
        r#"{"op":"grant","token":"","trusted":[],"proofKey":"","ctx":{"service":"s","verb":"ASK","capability":"c","now":0,"spent":{"x":-1}}}"#,
        r#"{"op":"grant","token":"","trusted":[],"proofKey":"","ctx":{"service":"s","verb":"ASK","capability":"c","now":0,"spent":{"x":9007199254740992}}}"#,
        r#"{"op":"authorize","service":"s","trusted":[],"now":0,"grants":[],"proof":null,"request":{"verb":"HELLO"}}"#,
        r#"{"op":"authorize","service":"s","trusted":[],"now":0,"grants":[1],"proof":null,"request":{"verb":"ASK","capability":"c"}}"#,
        r#"{"op":"authorize","service":"s","trusted":[],"now":0,"grants":[],"proof":null,"request":{"verb":"COMMIT","proposal":"{}","hash":"x","origin":{"holder":null,"principal":null},"replay":"yes"}}"#,
        r#"{"op":"canonical","json":"1","op":"canonical"}"#,
        r#"{"op":"canonical","json":"1","name":5}"#,
        r#"{"op":"grant","token":"","trusted":[],"proofKey":"","ctx":{"service":"s","verb":"ASK","capability":"c","now":0,"proposal":5}}"#,
        r#"{"op":"grant","token":"","trusted":[],"proofKey":"","ctx":{"service":"s","verb":"ASK","capability":"c","now":0,"proposal":{}}}"#,
        r#"{"op":"authorize","service":"s","trusted":[],"now":0,"grants":[],"proof":1,"request":{"verb":"ASK","capability":"c"}}"#,
    ] {
        assert!(Case::read(line).and_then(|case| case.answer()).is_err(), "{line}");
    }
}
