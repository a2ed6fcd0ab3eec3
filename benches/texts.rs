//! JSON to be made canonical: a block, a proposal of 10 KB, and 1 MB of nested arrays and objects.

use serde_json::{Value, json};

/// A block as it stands in a token: already canonical.
pub fn block() -> Value {
    json!({
        "caveats": [
            {"svc": ["shop.example"]}, {"can": ["shop.*"]}, {"exp": 1_790_086_400}, {"per": {"currency": "EUR", "max": 3000}},
            {"spend": {"currency": "EUR", "max": 10_000}}, {"risk": "low"}
        ],
        "iat": 1_790_000_000,
        "iss": "ed25519:iojj3XQJ8ZX9UtstPLpdcspnCb8dlBIb83SIAbQPb1w",
        "nonce": "n-1",
        "sub": "ed25519:gTl3Dqh9F19Wo1Rmw0x-zMuNipG07jeiXfYPW4_Js5Q"
    })
}

pub fn proposal_10k() -> Value {
    let effect = |number: usize| {
        json!({
            "op": "create", "target": format!("order/{number}"), "field": "lines",
            "detail": format!("Two bags of \"coffee\" № {number},\nroasted on Monday"), "to": number
        })
    };
    json!({
        "id": "p-1", "capability": "shop.order", "summary": "Coffee for the whole office, as every month",
        "effects": (0..70).map(effect).collect::<Vec<_>>(),
        "cost": {"amount": 2500, "currency": "EUR"}, "risk": "low", "undo": {"window": 600}, "expires": 1_790_000_600
    })
}

/// So many leaves, 24 levels deep.
pub fn nested(leaves: usize) -> Value {
    let leaf = |number: usize| {
        (0..11).fold(
            json!({"name": format!("leaf {number}"), "number": number, "is": [true, null]}),
            |inner, level| {
                if level % 2 == 0 {
                    json!([level, inner])
                } else {
                    json!({"z": level, "inner": inner, "a": "text"})
                }
            },
        )
    };
    Value::Array((0..leaves).map(leaf).collect())
}

/// As many as fit into so many bytes, but at least one.
pub fn leaves_within(bytes: usize) -> usize {
    let (one, two) = (nested(1).to_string().len(), nested(2).to_string().len());
    (bytes.saturating_sub(one) / (two - one + 8)).max(1)
}

pub fn nested_1m() -> Value {
    nested(leaves_within(1 << 20))
}

/// Nothing but escapes, which is what an attacker would send.
pub fn escapes_64k() -> Value {
    Value::from("\"\n".repeat(16 * 1024))
}

/// The text with the members of every object backwards: the most there is to sort.
pub fn reversed(value: &Value) -> String {
    let list = |open: char, items: Vec<String>, close: char| format!("{open}{}{close}", items.join(","));
    match value {
        Value::Array(elements) => list('[', elements.iter().map(reversed).collect(), ']'),
        Value::Object(members) => {
            let member = |(key, value): (&String, &Value)| {
                format!("{}:{}", Value::from(key.as_str()), reversed(value))
            };
            list('{', members.iter().rev().map(member).collect(), '}')
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.to_string(),
    }
}
