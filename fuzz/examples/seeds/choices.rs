//! Writes what `src/choose.rs` and `src/chain.rs` read. `None` is what they cannot express.

use parley_grants_fuzz::chain::CAVEATS;
use parley_grants_fuzz::choose::{INTS, OTHER_TEXT, T, TEXTS};
use serde_json::Value;

#[derive(Clone, Default)]
pub struct Bytes(Vec<u8>);

impl Bytes {
    pub fn bytes(self) -> Vec<u8> {
        self.0
    }

    pub fn byte(&mut self, byte: usize) -> &mut Self {
        self.0.push(u8::try_from(byte).expect("small"));
        self
    }

    fn other_int(&mut self, int: i64) {
        self.byte(INTS.len());
        self.0.extend(int.to_be_bytes());
    }

    fn int(&mut self, int: i64) {
        match INTS.iter().position(|other| *other == int) {
            Some(at) => drop(self.byte(at)),
            None => self.other_int(int),
        }
    }

    pub fn text(&mut self, text: &str) -> Option<()> {
        if let Some(at) = TEXTS.iter().position(|other| *other == text) {
            self.byte(at);
            return Some(());
        }
        let length = u8::try_from(text.len()).ok()?;
        self.byte(usize::from(OTHER_TEXT.checked_add(length)?));
        self.0.extend(text.bytes());
        Some(())
    }

    fn json(&mut self, value: &Value, depth: usize) -> Option<()> {
        match value {
            Value::Null => drop(self.byte(0)),
            Value::Bool(value) => drop(self.byte(2 - usize::from(*value))),
            Value::Number(number) => {
                self.byte(3);
                self.int(number.as_i64()?);
            }
            Value::String(text) => {
                self.byte(4);
                self.text(text)?;
            }
            Value::Array(items) => {
                (depth > 0 && items.len() <= 4).then(|| self.byte(6).byte(items.len()))?;
                items.iter().try_for_each(|item| self.json(item, depth - 1))?;
            }
            Value::Object(members) => {
                (depth > 0 && members.len() <= 4).then(|| self.byte(7).byte(members.len()))?;
                members.iter().try_for_each(|(name, value)| {
                    self.text(name)?;
                    self.json(value, depth - 1)
                })?;
            }
        }
        Some(())
    }

    pub fn caveat(&mut self, caveat: &Value) -> Option<()> {
        let mut typed = self.clone();
        if typed.good_caveat(caveat).is_some() {
            *self = typed;
            return Some(());
        }
        self.byte(9);
        self.json(caveat, 3)
    }

    /// One of the kinds that there are.
    fn good_caveat(&mut self, caveat: &Value) -> Option<()> {
        let members = caveat.as_object().filter(|members| members.len() == 1)?;
        let (name, value) = members.iter().next()?;
        let kind = CAVEATS.iter().position(|caveat| caveat == name)?;
        self.byte(kind);
        match kind {
            0..=2 => {
                let list = value.as_array().filter(|list| list.len() <= 4)?;
                self.byte(list.len());
                list.iter().try_for_each(|item| self.text(item.as_str()?))
            }
            3 | 4 => {
                self.int(value.as_i64()?);
                Some(())
            }
            5 => self.text(value.as_str()?),
            8 => match ["low", "medium", "high"].iter().position(|level| value == *level) {
                Some(level) => {
                    self.byte(level);
                    Some(())
                }
                None => self.byte(3).text(value.as_str()?),
            },
            _ => {
                value.as_object().filter(|members| members.len() == 2)?;
                self.int(value["max"].as_i64()?);
                self.text(value["currency"].as_str()?)
            }
        }
    }

    /// As `chain::proposal` reads it.
    pub fn proposal(&mut self, proposal: &Value) -> Option<()> {
        match &proposal["cost"] {
            Value::Null => drop(self.byte(3)),
            cost => {
                self.byte(0).int(cost["amount"].as_i64().filter(|amount| *amount >= 0)?);
                self.text(cost["currency"].as_str()?)?;
            }
        }
        match &proposal["undo"] {
            Value::Null => drop(self.byte(3)),
            undo => drop(self.byte(0).byte([600, 1, 0].iter().position(|window| undo["window"] == *window)?)),
        }
        self.text(proposal["id"].as_str().unwrap_or("a"))?;
        self.text(proposal["capability"].as_str().unwrap_or("shop.order"))?;
        self.byte(["low", "medium", "high"].iter().position(|risk| proposal["risk"] == *risk)?);
        self.byte(0).byte(0);
        Some(())
    }
}

/// Which key of ours stands for which one of the vectors'.
#[derive(Default)]
pub struct Keys {
    trusted: Vec<Value>,
    agent: Value,
}

impl Keys {
    pub fn of(case: &Value, agent: &Value) -> Self {
        Self { trusted: case["trusted"].as_array().cloned().unwrap_or_default(), agent: agent.clone() }
    }

    /// The blocks of a token.
    fn blocks(token: &Value) -> Option<Vec<Value>> {
        serde_json::from_slice(&crate::json_of(token)?).ok()
    }

    /// As `chain::grant` reads them, with at most so many blocks each.
    pub fn grants(&self, tokens: &[&Value], most: usize) -> Option<Bytes> {
        let mut out = Bytes::default();
        for token in tokens {
            let blocks = Self::blocks(token).filter(|blocks| (1..=most).contains(&blocks.len()))?;
            let (root, last) = (&blocks[0]["p"], &blocks[blocks.len() - 1]["p"]);
            // The first trusted key, the second, and one that is not.
            let issuer = match self.trusted.iter().position(|key| *key == root["iss"]) {
                _ if self.trusted.is_empty() => 0,
                Some(at) => 4 * at.min(1),
                None => 6,
            };
            out.byte(issuer).text(root["nonce"].as_str()?)?;
            out.byte(0).byte(blocks.len() - 1);
            for block in &blocks {
                // Another holder is 6.
                let is_agent = self.agent.is_null() || block["p"]["sub"] == self.agent;
                out.byte(if block["p"] == *last && !is_agent { 6 } else { 4 });
                out.int(block["p"]["iat"].as_i64()?);
                out.byte(0);
                let caveats = block["p"]["caveats"].as_array().filter(|caveats| caveats.len() <= 4)?;
                out.byte(caveats.len());
                caveats.iter().try_for_each(|caveat| out.caveat(caveat))?;
            }
        }
        Some(out)
    }

    /// As `flow::grant` reads it.
    pub fn flow_grant(&self, out: &mut Bytes, token: &Value) -> Option<()> {
        let blocks = Self::blocks(token).filter(|blocks| (1..=3).contains(&blocks.len()))?;
        let issuer = self.trusted.iter().position(|key| *key == blocks[0]["p"]["iss"]);
        out.byte(issuer.map_or(7, |at| 5 * at.min(1))).byte(blocks.len() - 1);
        for block in &blocks {
            let is_agent = block["p"]["sub"] == self.agent;
            let caveats = block["p"]["caveats"].as_array().filter(|caveats| caveats.len() <= 3)?;
            out.byte(if is_agent { 3 } else { 7 }).byte(caveats.len());
            for caveat in caveats {
                out.byte(7).caveat(caveat)?;
            }
        }
        Some(())
    }
}

/// A question about one grant.
pub fn grant_case(case: &Value) -> Option<Vec<u8>> {
    let ctx = &case["ctx"];
    let mut out = Bytes::default();
    let capability = ctx["capability"].as_str()?;
    match ctx["verb"].as_str()? {
        "ASK" => out.byte(4).text(capability)?,
        "INTENT" => out.byte(5).byte(0).text(capability)?,
        "UNDO" => out.byte(6).byte(0).text(capability)?,
        "COMMIT" => {
            out.byte(0).byte(0).byte(0).byte(0);
            let mut proposal = ctx["proposal"].clone();
            proposal["undo"] = serde_json::json!({ "window": 600 });
            proposal["capability"] = capability.into();
            out.proposal(&proposal)?;
        }
        _ => return None,
    }
    let keys = Keys::of(case, &case["proofKey"]);
    asked(out, &ctx["now"], keys.grants(&[&case["token"]], 4)?, 1)
}

/// A question about several.
pub fn authorize_case(case: &Value) -> Option<Vec<u8>> {
    let request = &case["request"];
    let mut out = Bytes::default();
    let proposal: Value = serde_json::from_str(request["proposal"].as_str().unwrap_or("null")).ok()?;
    let capability = request["capability"].as_str();
    match (request["verb"].as_str()?, &request["auto"]) {
        ("ASK", _) => out.byte(4).text(capability?)?,
        ("INTENT", Value::Null) => out.byte(5).byte(0).text(capability?)?,
        ("INTENT", frame) if proposal.is_null() => {
            out.byte(5).byte(1).text(capability?)?;
            out.text(frame.as_str()?)?;
        }
        ("INTENT", frame) => {
            out.byte(3).byte(0).byte(0).byte(0).text(frame.as_str()?)?;
            out.proposal(&proposal)?;
        }
        ("UNDO", _) => out.byte(6).byte(0).text(capability?)?,
        ("COMMIT", _) => {
            let is_replay = !request["replay"].is_null();
            out.byte(if is_replay { 2 } else { 0 }).byte(0).byte(0).byte(0).proposal(&proposal)?;
        }
        _ => drop(out.byte(7).byte(0)),
    }
    let proof: Value = serde_json::from_str(case["proof"].as_str()?).ok()?;
    let tokens: Vec<&Value> = case["grants"].as_array()?.iter().collect();
    let grants = Keys::of(case, &proof["key"]).grants(&tokens, 4)?;
    asked(out, &case["now"], grants, tokens.len())
}

/// By the agent's word, at the time that is now, to so many grants.
fn asked(mut out: Bytes, now: &Value, grants: Bytes, many: usize) -> Option<Vec<u8>> {
    let now = [T, T + 1, T - 1].iter().position(|time| *now == *time)?;
    (many < 4).then(|| out.byte(0).byte(now).byte(0).byte((many + 3) % 4))?;
    out.0.extend(grants.0);
    Some(out.0)
}
