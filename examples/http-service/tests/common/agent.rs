//! The other side: keys, grants and frames.

use super::http::{Response, post};
use parley_grants::issue::{self, Seed};
use parley_grants::{Amount, Caveat, PublicKey, Verb, Verifier};
use serde_json::{Value, json};

pub const SHOP: &str = "shop.example";

pub struct Agent {
    pub seed: Seed,
    pub grants: Vec<String>,
}

pub fn euro(cents: u64) -> Amount {
    Amount::new(cents, "EUR").expect("an amount")
}

pub fn human() -> Seed {
    Seed::from_bytes(&[1; 32]).expect("a seed")
}

pub fn policy(limit: u64) -> Vec<Caveat> {
    vec![
        Caveat::Service(vec![SHOP.into()]),
        Caveat::Capabilities(vec!["shop.*".into()]),
        Caveat::PerCommit(euro(3_000)),
        Caveat::Spend(euro(limit)),
    ]
}

pub fn grant(issuer: &Seed, to: &PublicKey, caveats: &[Caveat], nonce: &str) -> String {
    let draft = issue::prepare_root(issuer.public_key(), to, caveats, 1_790_000_000, nonce).expect("a draft");
    draft.sign(issuer).expect("a grant")
}

impl Agent {
    pub fn new(seed: u8, caveats: &[Caveat]) -> Self {
        let seed = Seed::from_bytes(&[seed; 32]).expect("a seed");
        let grants = vec![grant(&human(), seed.public_key(), caveats, "policy")];
        Self { seed, grants }
    }

    pub fn delegate(&self, to: u8, caveats: &[Caveat]) -> Self {
        let seed = Seed::from_bytes(&[to; 32]).expect("a seed");
        let verifier = Verifier::new(SHOP, vec![*human().public_key()]);
        let held = verifier.verify(&self.grants[0]).expect("a grant");
        let draft =
            issue::prepare_delegation(&held, seed.public_key(), caveats, 1_790_000_000).expect("a draft");
        Self { grants: vec![draft.sign(&self.seed).expect("a grant")], seed }
    }

    pub fn proof(&self, verb: Verb, target: &str, now: i64) -> Value {
        let draft = issue::prepare_proof(self.seed.public_key(), SHOP, verb, target, now).expect("a draft");
        serde_json::from_str(&draft.sign(&self.seed).expect("a proof")).expect("JSON")
    }

    pub fn auto_proof(&self, capability: &str, frame: &str, now: i64) -> Value {
        let key = self.seed.public_key();
        let draft = issue::prepare_auto_proof(key, SHOP, capability, frame, now).expect("a draft");
        serde_json::from_str(&draft.sign(&self.seed).expect("a proof")).expect("JSON")
    }

    /// A frame with everything: `more` are its members by verb.
    pub fn frame(&self, verb: Verb, target: &str, more: Value, now: i64) -> Value {
        frame(verb, &self.grants, Some(self.proof(verb, target, now)), more)
    }

    pub fn intent(&self, address: &str, now: i64) -> Vec<Value> {
        let frame = self.frame(Verb::Intent, "shop.order", json!({"order": "cups"}), now);
        let answer = post(address, "/order/intent", &frame.to_string());
        assert_eq!(answer.status, 200, "{answer:?}");
        last(&answer)["proposals"].as_array().expect("proposals").clone()
    }

    pub fn commit(&self, address: &str, proposal: &Value, now: i64) -> Response {
        let hash = hash(proposal);
        let more = json!({"proposal": proposal["id"], "hash": hash});
        post(address, "/order/commit", &self.frame(Verb::Commit, &hash, more, now).to_string())
    }

    pub fn undo(&self, address: &str, path: &str, receipt: &str, now: i64) -> Response {
        let frame = self.frame(Verb::Undo, receipt, json!({"receipt": receipt}), now);
        post(address, path, &frame.to_string())
    }
}

pub fn frame(verb: Verb, grants: &[String], proof: Option<Value>, more: Value) -> Value {
    let mut frame = json!({"parley": 1, "id": "f-1", "verb": verb.as_str(), "grants": grants});
    let members = frame.as_object_mut().expect("an object");
    members.extend(proof.map(|proof| ("proof".to_owned(), proof)));
    members.extend(more.as_object().expect("an object").clone());
    frame
}

pub fn hash(proposal: &Value) -> String {
    parley_grants::proposal_hash(proposal.to_string().as_bytes()).expect("a hash")
}

/// The final reply: the last line, and the only one that is no event.
pub fn last(answer: &Response) -> Value {
    assert!(answer.head.contains("content-type: application/x-ndjson"), "{answer:?}");
    assert!(answer.body.ends_with('\n'), "{answer:?}");
    let lines: Vec<Value> =
        answer.body.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let (last, events) = lines.split_last().expect("a line");
    assert!(events.iter().all(|event| event.get("event").is_some() && event.get("kind").is_none()));
    assert!(lines.iter().all(|line| line["parley"] == 1), "{answer:?}");
    assert!(last.get("re").is_some() && last.get("kind").is_some() && last.get("event").is_none());
    last.clone()
}
