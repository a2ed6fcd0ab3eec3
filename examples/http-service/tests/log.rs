//! What is written down: decisions, and nothing that could be used again. What is counted: verbs and outcomes.

mod common;

use common::agent::{Agent, frame, hash, last, policy};
use common::http::{get, post};
use common::{Server, now};
use parley_grants::Verb;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::PathBuf;

struct Scratch(PathBuf);

impl Drop for Scratch {
    fn drop(&mut self) {
        let _removed = std::fs::remove_file(&self.0);
    }
}

#[test]
fn no_token_proof_or_handle_is_logged_or_counted() {
    let file = Scratch(std::env::temp_dir().join(format!("decisions-{}", std::process::id())));
    let path = file.0.to_str().expect("a path");
    let server = Server::start(&["--log", path, "--verbose"]);
    let address = &server.address;
    let agent = Agent::new(2, &policy(5_000));
    let other = Agent::new(3, &policy(5_000));
    let mut secrets = BTreeSet::new();
    let mut names = BTreeSet::new();
    let mut send = |path: &str, frame: Value| {
        frame["grants"].as_array().into_iter().flatten().for_each(|grant| {
            secrets.insert(grant.as_str().expect("a text").to_owned());
        });
        if let Some(signature) = frame["proof"]["sig"].as_str() {
            secrets.insert(signature.to_owned());
        }
        secrets.extend(frame["handle"].as_str().map(str::to_owned));
        for name in ["id", "proposal", "hash", "receipt"] {
            names.extend(frame[name].as_str().map(str::to_owned));
        }
        let answer = post(address, path, &frame.to_string());
        last(&answer)
    };
    let time = now();
    for who in [&agent, &other] {
        send("/hello", who.frame(Verb::Hello, "shop.example", json!({}), time));
        send("/hello", who.frame(Verb::Ask, "shop.example", json!({}), time));
        let menu = send("/menu/ask", who.frame(Verb::Ask, "shop.menu", json!({}), time));
        let handle = menu["more"].as_str().expect("a handle").to_owned();
        for asks in [&agent, &other] {
            send("/expand", asks.frame(Verb::Expand, &handle, json!({"handle": handle}), time));
        }
        send("/expand", frame(Verb::Expand, &[], None, json!({"handle": handle})));
        let more = json!({"order": "cups"});
        let offers = send("/order/intent", who.frame(Verb::Intent, "shop.order", more, time));
        for proposal in offers["proposals"].as_array().expect("proposals") {
            let hash = hash(proposal);
            let more = json!({"proposal": proposal["id"], "hash": hash});
            for asks in [&agent, &other, &agent] {
                let answer = send("/order/commit", asks.frame(Verb::Commit, &hash, more.clone(), time));
                if let Some(receipt) = answer["receipt"].as_str() {
                    send("/order/undo", asks.frame(Verb::Undo, receipt, json!({"receipt": receipt}), time));
                }
            }
            let wrong = json!({"proposal": proposal["id"], "hash": "x"});
            send("/order/commit", who.frame(Verb::Commit, "x", wrong, time));
        }
        let auto = json!({"order": "cups", "auto": true});
        let proof = who.auto_proof("shop.order", "f-1", time);
        send("/order/intent", frame(Verb::Intent, &who.grants, Some(proof), auto));
        // What is malformed is not quoted either.
        send("/hello", json!({"parley": 1, "id": "f-1", "verb": "HELLO", "grants": who.grants, "x": 1}));
        send(
            "/hello",
            json!({"parley": 1, "id": "f-1", "verb": "HELLO", "proof": [who.proof(Verb::Ask, "x", time)]}),
        );
    }
    names.extend([&agent, &other].map(|who| who.seed.public_key().to_string()));
    assert!(secrets.len() > 20, "{}", secrets.len());
    let log = std::fs::read_to_string(&file.0).expect("a log");
    let metrics = get(address, "/metrics").body;
    for secret in &secrets {
        assert!(!log.contains(secret.as_str()), "logged: {secret}");
        assert!(!metrics.contains(secret.as_str()), "counted: {secret}");
    }
    assert!(!log.contains("pg1."), "a token");
    assert!(names.len() > 10 && names.iter().all(|name| name == "x" || !metrics.contains(name.as_str())));
    let lines: Vec<Value> =
        log.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect();
    let classes: BTreeSet<&str> = lines.iter().filter_map(|line| line["class"].as_str()).collect();
    for class in ["allowed", "unauthorized", "forbidden", "conflict"] {
        assert!(classes.contains(class), "{class}: {classes:?}");
    }
    // Every executed order is there, with who, on whose behalf, and under which reservation.
    let executed: Vec<_> = lines.iter().filter(|line| line.get("reservation").is_some()).collect();
    assert_eq!(executed.len(), 4, "two of each agent");
    assert!(executed.iter().all(|line| line.get("holder").is_some() && line.get("principal").is_some()));
    let series: Vec<&str> =
        metrics.lines().filter(|line| line.starts_with("parley_requests_total{")).collect();
    for line in &series {
        let (labels, _) = line["parley_requests_total{".len()..].split_once('}').expect("labels");
        let names: Vec<_> = labels.split(',').map(|label| label.split('=').next().expect("a name")).collect();
        assert_eq!(names, ["verb", "outcome"]);
    }
    for expected in [
        "verb=\"COMMIT\",outcome=\"ok\"",
        "verb=\"COMMIT\",outcome=\"forbidden\"",
        "verb=\"HELLO\",outcome=\"malformed\"",
    ] {
        assert!(series.iter().any(|line| line.contains(expected)), "{expected} in {series:?}");
    }
    println!(
        "{} lines, {} decisions, {} secrets looked for",
        lines.len(),
        lines.iter().filter(|line| line.get("class").is_some()).count(),
        secrets.len()
    );
}
