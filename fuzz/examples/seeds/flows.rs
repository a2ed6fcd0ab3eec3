//! Writes what `src/flow.rs` reads: the COMMITs of a flow, each taken to its end.

use crate::choices::{Bytes, Keys};
use serde_json::Value;

/// Over a ledger whose bounds are these, as `src/flow.rs` counts them.
pub fn flow_case(case: &Value, bounds: usize) -> Option<Vec<u8>> {
    let steps = case["steps"].as_array()?;
    let commits: Vec<&Value> = steps.iter().filter(|step| step["request"]["verb"] == "COMMIT").collect();
    (1..=6).contains(&commits.len()).then_some(())?;
    let mut proposals: Vec<&Value> = Vec::new();
    let mut tokens: Vec<&Value> = Vec::new();
    for commit in &commits {
        let proposal = &commit["request"]["proposal"];
        if !proposals.contains(&proposal) {
            proposals.push(proposal);
        }
        for token in commit["grants"].as_array()? {
            if !tokens.contains(&token) {
                tokens.push(token);
            }
        }
    }
    ((1..=3).contains(&proposals.len()) && (1..=3).contains(&tokens.len())).then_some(())?;
    let mut out = Bytes::default();
    out.byte(proposals.len() - 1);
    for proposal in &proposals {
        let proposal: Value = serde_json::from_str(proposal.as_str()?).ok()?;
        out.byte(7).proposal(&proposal)?;
    }
    let proof: Value = serde_json::from_str(commits[0]["proof"].as_str()?).ok()?;
    let keys = Keys::of(case, &proof["key"]);
    out.byte(tokens.len() - 1);
    for (index, token) in tokens.iter().enumerate() {
        keys.flow_grant(&mut out, token)?;
        if index > 0 {
            out.byte(0);
        }
    }
    // Room for all claims.
    out.byte(0).byte(bounds).byte(commits.len() - 1);
    for commit in &commits {
        let place = |token: &Value| tokens.iter().position(|other| **other == *token);
        let presented = commit["grants"].as_array().filter(|grants| grants.len() <= 4)?;
        out.byte(proposals.iter().position(|other| **other == commit["request"]["proposal"])?);
        out.byte(2).byte(presented.len());
        for token in presented {
            out.byte(place(token)?);
        }
        // The agent's word, its own proposal, sent, for any principal, with the right hash, an id of its own, claimed.
        out.byte(0).byte(0).byte(0).byte(0).byte(0).byte(0).byte(0);
    }
    // Each one to its end and once more; what is released had failed.
    let mut order = Vec::new();
    for (at, commit) in commits.iter().enumerate() {
        let fails = steps.iter().any(|step| step["do"] == "release" && step["id"] == commit["id"]);
        order.extend([(at, 0), (at, 0), (at, if fails { 14 } else { 0 }), (at, 0), (at, 0), (at, 0)]);
    }
    (order.len() < 64).then(|| out.byte(order.len()))?;
    for (index, (at, course)) in order.iter().enumerate() {
        out.byte(*at).byte(*course);
        // The clock stands.
        if !order[..index].iter().any(|(before, _)| before == at) {
            out.byte(0);
        }
    }
    Some(out.bytes())
}
