//! A handler is reached with the layer's evidence alone, and route, verb and capability are the table's.

mod common;

use axum::Router;
use common::agent::{Agent, frame, grant, hash, last, policy};
use common::http::{Response, get, post};
use common::{app, now, serve_here, serve_router};
use parley_grants::issue::Seed;
use parley_grants::{BlockId, Caveat, Grant, Limits, Verb};
use parley_grants_http::app::Options;
use parley_grants_http::records;
use parley_grants_http::revocation::Revocation;
use parley_grants_http::routes::{ROUTES, handler};
use parley_grants_ledgers as ledger;
use serde_json::{Value, json};
use std::collections::BTreeMap;

fn stores() -> (ledger::Memory, records::Memory) {
    (ledger::Memory::default(), records::Memory::with_room(10_000))
}

#[test]
fn a_route_without_the_layer_serves_nothing() {
    let app = app(stores(), Options::default());
    let mut router = Router::new();
    for route in &ROUTES {
        router = router.route(route.path, handler(route.verb));
    }
    let (_runtime, address) = serve_router(router.with_state(app.clone()), Options::default());
    let (_other, with_layer) = serve_here(&app);
    for route in &ROUTES {
        let body = json!({"parley": 1, "id": "f-1", "verb": route.verb.as_str()}).to_string();
        let answer = post(&address, route.path, &body);
        assert_eq!(answer.status, 503, "{}: {answer:?}", route.path);
        assert_eq!(last(&answer)["error"], "unavailable");
    }
    let hello = json!({"parley": 1, "id": "f-1", "verb": "HELLO"}).to_string();
    assert_eq!(post(&with_layer, "/hello", &hello).status, 200);
}

#[test]
fn what_is_no_frame_of_its_route_is_malformed() {
    let app = app(stores(), Options::default());
    let (_runtime, address) = serve_here(&app);
    let good = r#"{"parley":1,"id":"f-1","verb":"ASK"}"#;
    assert_eq!(post(&address, "/menu/ask", good).status, 200);
    let long = "x".repeat(129);
    let deep = "[".repeat(40) + &"]".repeat(40);
    let cases: Vec<(String, Value)> = vec![
        ("".into(), Value::Null),
        ("{".into(), Value::Null),
        ("[]".into(), Value::Null),
        ("\"f-1\"".into(), Value::Null),
        ("\u{feff}{}".into(), Value::Null),
        (r#"{"parley":1,"verb":"ASK"}"#.into(), Value::Null),
        (r#"{"parley":1,"id":"","verb":"ASK"}"#.into(), Value::Null),
        (r#"{"parley":1,"id":7,"verb":"ASK"}"#.into(), Value::Null),
        (format!(r#"{{"parley":1,"id":"{long}","verb":"ASK"}}"#), Value::Null),
        (r#"{"parley":1,"id":"f-1","id":"f-2","verb":"ASK"}"#.into(), Value::Null),
        (r#"{"parley":1,"id":"f-1","i\u0064":"f-2","verb":"ASK"}"#.into(), Value::Null),
        (r#"{"parley":1.0,"id":"f-1","verb":"ASK"}"#.into(), Value::Null),
        (format!(r#"{{"parley":1,"id":"f-1","verb":"ASK","grants":{deep}}}"#), Value::Null),
        (r#"{"id":"f-1","verb":"ASK"}"#.into(), json!("f-1")),
        (r#"{"parley":2,"id":"f-1","verb":"ASK"}"#.into(), json!("f-1")),
        (r#"{"parley":"1","id":"f-1","verb":"ASK"}"#.into(), json!("f-1")),
        (r#"{"parley":1,"id":"f-1"}"#.into(), json!("f-1")),
        (r#"{"parley":1,"id":"f-1","verb":"ask"}"#.into(), json!("f-1")),
        (r#"{"parley":1,"id":"f-1","verb":"HELLO"}"#.into(), json!("f-1")),
        (r#"{"parley":1,"id":"f-1","verb":"ASK","capability":"shop.order"}"#.into(), json!("f-1")),
        (r#"{"parley":1,"id":"f-1","verb":"ASK","capability":null}"#.into(), json!("f-1")),
        (r#"{"parley":1,"id":"f-1","verb":"ASK","grants":"pg1."}"#.into(), json!("f-1")),
        (r#"{"parley":1,"id":"f-1","verb":"ASK","grants":[1]}"#.into(), json!("f-1")),
        (r#"{"parley":1,"id":"f-1","verb":"ASK","proof":"x"}"#.into(), json!("f-1")),
        (r#"{"parley":1,"id":"f-1","verb":"ASK","auto":true}"#.into(), json!("f-1")),
        (r#"{"parley":1,"id":"f-1","verb":"ASK","hash":"x"}"#.into(), json!("f-1")),
    ];
    for (body, re) in cases {
        let answer = post(&address, "/menu/ask", &body);
        assert_eq!(answer.status, 400, "{body}: {answer:?}");
        assert_eq!(
            last(&answer),
            json!({"parley": 1, "re": re, "kind": "error", "error": "malformed"}),
            "{body}"
        );
    }
    for body in
        [r#"{"order":7}"#, r#"{}"#, r#"{"order":"cups","auto":1}"#, r#"{"order":"nothing of this name"}"#]
    {
        let frame = frame(Verb::Intent, &[], None, serde_json::from_str(body).expect("JSON")).to_string();
        assert_eq!(post(&address, "/order/intent", &frame).status, 400, "{body}");
    }
    for (path, verb, name) in [
        ("/order/intent", Verb::Intent, "order"),
        ("/order/commit", Verb::Commit, "proposal"),
        ("/order/commit", Verb::Commit, "hash"),
        ("/order/undo", Verb::Undo, "receipt"),
        ("/expand", Verb::Expand, "handle"),
        ("/hello", Verb::Hello, "id"),
    ] {
        // No store keeps a NUL, and no log is to show a line break.
        for text in ["a\0", "\u{1}", "a\nb", "\u{7f}", "\u{85}"] {
            let mut frame = frame(verb, &[], None, json!({}));
            for (member, of) in [("proposal", Verb::Commit), ("hash", Verb::Commit), ("receipt", Verb::Undo)]
            {
                if verb == of {
                    frame[member] = json!("x");
                }
            }
            frame[name] = json!(text);
            let answer = post(&address, path, &frame.to_string());
            assert_eq!((answer.status, last(&answer)["error"].as_str()), (400, Some("malformed")), "{frame}");
        }
    }
    // A route without a capability has none, whatever its type.
    for (path, verb, more) in
        [("/hello", Verb::Hello, json!({})), ("/expand", Verb::Expand, json!({"handle": "h"}))]
    {
        let plain = frame(verb, &[], None, more);
        assert_ne!(post(&address, path, &plain.to_string()).status, 400);
        for capability in
            [json!(null), json!(7), json!(true), json!([]), json!({}), json!(""), json!("shop.menu")]
        {
            let mut with = plain.clone();
            with["capability"] = capability;
            assert_eq!(post(&address, path, &with.to_string()).status, 400, "{with}");
        }
    }
    let with = r#"{"parley":1,"id":"f-1","verb":"ASK","capability":"shop.menu"}"#;
    assert_eq!(post(&address, "/menu/ask", with).status, 200);
    assert_eq!(last(&post(&address, "/nowhere", good))["error"], "not_found");
    assert_eq!(get(&address, "/menu/ask").status, 405);
}

#[test]
fn the_capability_is_the_routes() {
    let app = app(stores(), Options::default());
    let (_runtime, address) = serve_here(&app);
    let caveats = [Caveat::Capabilities(vec!["shop.order".into()])];
    let orders_only = Agent::new(2, &caveats);
    // A grant for orders, on the route of gifts: the body cannot say that it is about an order.
    let ask = |more: Value| {
        let frame = orders_only.frame(Verb::Intent, "shop.gift", more, now()).to_string();
        post(&address, "/gift/intent", &frame).status
    };
    assert_eq!(ask(json!({"order": "cups"})), 403);
    assert_eq!(ask(json!({"order": "cups", "capability": "shop.order"})), 400);
    assert_eq!(ask(json!({"order": "cups", "capability": "shop.gift"})), 403);
    // A proof for the one capability is none for the other.
    let frame = orders_only.frame(Verb::Intent, "shop.order", json!({"order": "cups"}), now()).to_string();
    assert_eq!(post(&address, "/gift/intent", &frame).status, 401);
    assert_eq!(post(&address, "/order/intent", &frame).status, 200);

    // What is stored is of its own route alone: a proposal, a receipt for its replay, and a receipt to undo.
    let agent = Agent::new(3, &policy(10_000));
    let frame = agent.frame(Verb::Intent, "shop.gift", json!({"order": "cups"}), now()).to_string();
    let gift = last(&post(&address, "/gift/intent", &frame))["proposals"][0].clone();
    assert_eq!(gift["capability"], "shop.gift");
    let hash = hash(&gift);
    let more = json!({"proposal": gift["id"], "hash": hash});
    let commit = agent.frame(Verb::Commit, &hash, more, now()).to_string();
    assert_eq!(post(&address, "/order/commit", &commit).status, 403);
    let done = post(&address, "/gift/commit", &commit);
    assert_eq!(done.status, 200);
    assert_eq!(post(&address, "/order/commit", &commit).status, 403);
    assert_eq!(post(&address, "/gift/commit", &commit), done);
    let receipt = last(&done)["receipt"].as_str().expect("a receipt").to_owned();
    assert_eq!(agent.undo(&address, "/order/undo", &receipt, now()).status, 403);
    assert_eq!(agent.undo(&address, "/gift/undo", &receipt, now()).status, 200);
}

#[test]
fn refusals_of_one_class_are_equal_byte_for_byte() {
    let app = app(stores(), Options::default());
    let (_runtime, address) = serve_here(&app);
    let (agent, other) = (Agent::new(2, &policy(10_000)), Agent::new(3, &policy(10_000)));
    let mut stranger = Agent::new(4, &policy(10_000));
    let self_made = Seed::from_bytes(&[9; 32]).expect("a seed");
    stranger.grants = vec![grant(&self_made, stranger.seed.public_key(), &policy(10_000), "")];
    let time = now();
    let proposals = agent.intent(&address, time);
    let theirs = &proposals[0];
    let done = last(&agent.commit(&address, &proposals[1], time));
    let receipt = done["receipt"].as_str().expect("a receipt");
    let handle = {
        let frame = agent.frame(Verb::Ask, "shop.menu", json!({}), time).to_string();
        last(&post(&address, "/menu/ask", &frame))["more"].as_str().expect("a handle").to_owned()
    };
    let unknown = json!({"id": "p-unknown"});
    let mut answers: Vec<(&str, Response)> = Vec::new();
    let commit = |who: &Agent, id: &Value, hash: &str, proof: Option<Value>| {
        let more = json!({"proposal": id, "hash": hash});
        post(&address, "/order/commit", &frame(Verb::Commit, &who.grants, proof, more).to_string())
    };
    let expand = |handle: &str, proof: Option<Value>| {
        post(&address, "/expand", &frame(Verb::Expand, &[], proof, json!({"handle": handle})).to_string())
    };
    for who in [&agent, &other, &stranger] {
        for proposal in [theirs, &proposals[1], &unknown] {
            let hash = hash(proposal);
            let proofs = [
                None,
                Some(who.proof(Verb::Commit, "another", time)),
                Some(who.proof(Verb::Ask, &hash, time)),
            ];
            for proof in proofs.into_iter().chain([Some(who.proof(Verb::Commit, &hash, time - 301))]) {
                answers.push(("unauthorized", commit(who, &proposal["id"], &hash, proof)));
            }
            if !std::ptr::eq(who, &agent) || std::ptr::eq(proposal, &unknown) {
                let proof = Some(who.proof(Verb::Commit, &hash, time));
                answers.push(("forbidden", commit(who, &proposal["id"], &hash, proof)));
            }
        }
        for receipt in [receipt, "r-unknown"] {
            let more = json!({"receipt": receipt});
            let bare = frame(Verb::Undo, &who.grants, None, more.clone());
            answers.push(("unauthorized", post(&address, "/order/undo", &bare.to_string())));
            let mut proof = who.proof(Verb::Undo, receipt, time);
            proof["sig"] = other.proof(Verb::Undo, receipt, time)["sig"].clone();
            if !std::ptr::eq(who, &other) {
                let forged = frame(Verb::Undo, &who.grants, Some(proof), more);
                answers.push(("unauthorized", post(&address, "/order/undo", &forged.to_string())));
            }
        }
        for handle in [handle.as_str(), "h-unknown"] {
            answers.push(("unauthorized", expand(handle, None)));
            if !std::ptr::eq(who, &agent) {
                answers.push(("forbidden", expand(handle, Some(who.proof(Verb::Expand, handle, time)))));
            }
        }
        answers.push(("forbidden", expand("h-unknown", Some(who.proof(Verb::Expand, "h-unknown", time)))));
        // No grant of a stranger counts, so its principal is not compared.
        let class = if std::ptr::eq(who, &stranger) { "unauthorized" } else { "forbidden" };
        answers.push((class, who.undo(&address, "/gift/undo", receipt, time)));
        answers.push((class, who.undo(&address, "/order/undo", "r-unknown", time)));
    }
    let hash = hash(theirs);
    for wrong in ["x", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"] {
        let proof = Some(agent.proof(Verb::Commit, wrong, time));
        answers.push(("conflict", commit(&agent, &theirs["id"], wrong, proof.clone())));
        answers.push(("conflict", commit(&agent, &proposals[1]["id"], wrong, proof)));
    }
    answers.push(("unauthorized", {
        let mut without = Agent::new(2, &policy(1));
        without.grants.clear();
        commit(&without, &theirs["id"], &hash, Some(without.proof(Verb::Commit, &hash, time)))
    }));
    let mut classes: BTreeMap<&str, Vec<Response>> = BTreeMap::new();
    answers.into_iter().for_each(|(class, answer)| classes.entry(class).or_default().push(answer));
    for (class, answers) in &classes {
        println!("{class}: {} refusals", answers.len());
        let expected = json!({"parley": 1, "re": "f-1", "kind": "error", "error": class});
        assert_eq!(last(&answers[0]), expected);
        assert!(answers.len() >= 4, "{class}");
        answers.iter().for_each(|answer| assert_eq!(answer, &answers[0], "{class}"));
    }
    assert_eq!(classes.keys().copied().collect::<Vec<_>>(), ["conflict", "forbidden", "unauthorized"]);
}

#[test]
fn who_shows_nothing_is_told_the_menu_and_gets_proposals_that_nobody_can_commit() {
    let app = app(stores(), Options::default());
    let (_runtime, address) = serve_here(&app);
    let ask = |path, verb: Verb, more| post(&address, path, &frame(verb, &[], None, more).to_string());
    let menu = ask("/menu/ask", Verb::Ask, json!({}));
    assert_eq!((menu.status, menu.body.lines().count()), (200, 4));
    // What anybody may expand: one handle for all of them.
    assert_eq!(ask("/menu/ask", Verb::Ask, json!({})), menu);
    let handle = last(&menu)["more"].clone();
    let rest = ask("/expand", Verb::Expand, json!({"handle": handle}));
    assert_eq!((rest.status, rest.body.lines().count()), (200, 3));
    let offers = ask("/order/intent", Verb::Intent, json!({"order": "cups"}));
    assert_eq!(offers.status, 200);
    let agent = Agent::new(2, &policy(10_000));
    assert_eq!(agent.commit(&address, &last(&offers)["proposals"][0], now()).status, 403);
    // Auto needs a proof, and a route that is not open a grant.
    assert_eq!(ask("/order/intent", Verb::Intent, json!({"order": "cups", "auto": true})).status, 401);
    assert_eq!(ask("/gift/intent", Verb::Intent, json!({"order": "cups"})).status, 401);
    // Who brings a proof without a grant, or a grant without a proof, is judged by it.
    let bare = frame(
        Verb::Intent,
        &[],
        Some(agent.proof(Verb::Intent, "shop.order", now())),
        json!({"order": "cups"}),
    );
    assert_eq!(post(&address, "/order/intent", &bare.to_string()).status, 401);
    let unproven = frame(Verb::Ask, &agent.grants, None, json!({}));
    assert_eq!(post(&address, "/menu/ask", &unproven.to_string()).status, 401);
}

#[test]
fn hello_tells_whose_the_proof_is() {
    let app = app(stores(), Options::default());
    let (_runtime, address) = serve_here(&app);
    let agent = Agent::new(2, &policy(10_000));
    let hello = |proof| post(&address, "/hello", &frame(Verb::Hello, &[], proof, json!({})).to_string());
    assert_eq!(last(&hello(None))["you"], Value::Null);
    let proven = last(&hello(Some(agent.proof(Verb::Hello, "shop.example", now()))));
    assert_eq!(proven["you"], agent.seed.public_key().to_string());
    for (verb, target, time) in [
        (Verb::Ask, "shop.example", now()),
        (Verb::Hello, "other.example", now()),
        (Verb::Hello, "shop.example", now() - 301),
    ] {
        assert_eq!(hello(Some(agent.proof(verb, target, time))).status, 401);
    }
}

#[test]
fn what_is_revoked_is_refused_from_the_next_request_on() {
    let file = std::env::temp_dir().join(format!("revoked-{}", std::process::id()));
    let write = |text: &str| std::fs::write(&file, format!("{text}# end\n")).expect("a file");
    write("# nothing\n\n");
    let revocation = Revocation::from_file(file.clone());
    let app = app(stores(), Options { revocation, ..Options::default() });
    let (_runtime, address) = serve_here(&app);
    let agent = Agent::new(2, &policy(10_000));
    let helper = agent.delegate(3, &[]);
    let ids = |agent: &Agent| -> Vec<BlockId> {
        let grant = Grant::decode(&agent.grants[0], &Limits::default()).expect("a grant");
        grant.blocks().map(|block| *block.id()).collect()
    };
    let ask = |agent: &Agent| {
        let frame = agent.frame(Verb::Ask, "shop.menu", json!({}), now()).to_string();
        post(&address, "/menu/ask", &frame).status
    };
    let both = || (ask(&agent), ask(&helper));
    assert_eq!(both(), (200, 200));
    write(&format!("{}\n", ids(&helper)[1]));
    assert_eq!(both(), (200, 401));
    write(&format!("# both\n {} \n", ids(&agent)[0]));
    assert_eq!(both(), (401, 401));
    write("");
    assert_eq!(both(), (200, 200));
    for everything in ["everything\n", "no id\n", "AAAA\n", "no last line"] {
        write(everything);
        assert_eq!(both(), (401, 401), "{everything}");
        write("");
        assert_eq!(both(), (200, 200));
    }
    // What cannot be read revokes everything, until it can be.
    std::fs::remove_file(&file).expect("no file");
    assert_eq!(both(), (401, 401));
    write("");
    assert_eq!(both(), (200, 200));
    std::fs::remove_file(&file).expect("no file");
}

#[test]
fn discovery_tells_the_table() {
    let app = app(stores(), Options::default());
    let (_runtime, address) = serve_here(&app);
    let answer = get(&address, "/.well-known/parley");
    let told: Value = serde_json::from_str(&answer.body).expect("JSON");
    assert_eq!(told["service"], "shop.example");
    assert_eq!(told["verbs"], json!(["HELLO", "ASK", "INTENT", "COMMIT", "UNDO", "EXPAND"]));
    let routes = told["routes"].as_array().expect("routes");
    assert_eq!(routes.len(), ROUTES.len());
    for route in routes {
        let (path, verb) = (route["path"].as_str().expect("a path"), &route["verb"]);
        let body = json!({"parley": 1, "id": "f-1", "verb": verb, "x": 1}).to_string();
        assert_eq!(post(&address, path, &body).status, 400, "{path}");
    }
    assert_eq!(told["limits"]["body_bytes"], 1 << 20);
}
