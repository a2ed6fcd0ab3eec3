//! A request frame, as it stands in the body of a POST.

use crate::routes::Route;
use parley_grants::{Possession, Presentable, Presented, Verb};
use serde_json::{Map, Value};

/// Ids and names in a frame have at most so many bytes: they stand in logs and stores.
pub const ID_BYTES: usize = 128;

/// A frame that fits its route.
pub struct Frame {
    pub id: String,
    pub grants: Vec<String>,
    pub proof: Option<String>,
    pub ask: Ask,
}

/// What a frame says beside who asks.
pub enum Ask {
    Hello,
    Ask,
    Intent { order: String, auto: bool },
    Commit { proposal: String, hash: String },
    Undo { receipt: String },
    Expand { handle: String },
}

/// Why a text is no frame for its route, and its id where that could be read.
#[derive(Debug)]
pub struct Malformed {
    pub re: Option<String>,
    pub why: &'static str,
}

impl Frame {
    pub fn presentables(&self) -> Vec<Presentable<'_>> {
        self.grants.iter().map(|token| Presentable::Token(token)).collect()
    }

    pub fn presented<'r>(&'r self, grants: &'r [Presentable<'r>], now: i64) -> Presented<'r> {
        let proof = self.proof.as_deref().map_or(Possession::None, |text| Possession::Proof(text.as_bytes()));
        Presented { grants, proof, now }
    }

    /// Does it show nothing of who asks?
    pub fn is_anonymous(&self) -> bool {
        self.proof.is_none() && self.grants.is_empty()
    }
}

/// Reads a body. Verb and capability are the route's: a frame that says otherwise is malformed.
///
/// # Errors
/// A frame that is not well-formed, has a member that its verb knows nothing of, or is for another route.
pub fn read(text: &[u8], route: &Route) -> Result<Frame, Malformed> {
    // No name twice, no odd numbers, bounded depth: what comes out has one meaning for every reader.
    let canonical = parley_grants::canonicalize(text).ok();
    let Some(Ok(Value::Object(members))) = canonical.map(|text| serde_json::from_str(&text)) else {
        return Err(Malformed { re: None, why: "not a JSON object" });
    };
    let mut members = Members(members);
    let id = match members.name("id") {
        Ok(id) => id,
        Err(why) => return Err(Malformed { re: None, why }),
    };
    read_members(members, route, id.clone()).map_err(|why| Malformed { re: Some(id), why })
}

fn read_members(mut members: Members, route: &Route, id: String) -> Result<Frame, &'static str> {
    if members.0.remove("parley") != Some(Value::from(1)) {
        return Err("another version");
    }
    if members.text("verb")? != route.verb.as_str() {
        return Err("the verb is not the route's");
    }
    if let Some(capability) = members.0.remove("capability") {
        // Where the route has none, no capability is the route's.
        let is_its = route.capability.is_some_and(|its| capability.as_str() == Some(its));
        if !is_its {
            return Err("the capability is not the route's");
        }
    }
    let grants = match members.0.remove("grants") {
        None => Vec::new(),
        Some(Value::Array(grants)) => {
            let texts = grants.into_iter().map(|grant| match grant {
                Value::String(text) => Ok(text),
                _ => Err("a grant is no text"),
            });
            texts.collect::<Result<_, _>>()?
        }
        Some(_) => return Err("the grants are no array"),
    };
    let proof = match members.0.remove("proof") {
        None => None,
        Some(proof @ Value::Object(_)) => Some(proof.to_string()),
        Some(_) => return Err("the proof is no object"),
    };
    let ask = match route.verb {
        Verb::Hello => Ask::Hello,
        Verb::Ask => Ask::Ask,
        Verb::Intent => Ask::Intent {
            order: members.name("order")?,
            auto: match members.0.remove("auto") {
                None => false,
                Some(Value::Bool(auto)) => auto,
                Some(_) => return Err("auto is neither true nor false"),
            },
        },
        Verb::Commit => Ask::Commit { proposal: members.name("proposal")?, hash: members.name("hash")? },
        Verb::Undo => Ask::Undo { receipt: members.name("receipt")? },
        Verb::Expand => Ask::Expand { handle: members.name("handle")? },
    };
    // What this verb knows nothing of may have been meant as a restriction.
    if !members.0.is_empty() {
        return Err("an unknown member");
    }
    Ok(Frame { id, grants, proof, ask })
}

struct Members(Map<String, Value>);

impl Members {
    fn text(&mut self, name: &str) -> Result<String, &'static str> {
        match self.0.remove(name) {
            Some(Value::String(text)) => Ok(text),
            Some(_) => Err("a member that should be text"),
            None => Err("a member is missing"),
        }
    }

    fn name(&mut self, name: &str) -> Result<String, &'static str> {
        let text = self.text(name)?;
        if text.chars().any(char::is_control) {
            return Err("a name with a control character");
        }
        if (1..=ID_BYTES).contains(&text.len()) { Ok(text) } else { Err("a name of no or too many bytes") }
    }
}
