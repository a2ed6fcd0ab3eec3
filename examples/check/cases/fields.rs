//! Reading the fields of a case. What has the wrong type is no case.

use super::NoCase;
use alloc::string::String;
use alloc::vec::Vec;
use base64::Engine as _;
use parley_grants::{BlockId, Caveat, PublicKey, RecordedKey};
use serde_json::{Map, Value};

/// The members of an object in a case.
pub struct Fields<'c> {
    members: &'c Map<String, Value>,
}

fn wrong(name: &str, what: &str) -> NoCase {
    NoCase(alloc::format!("`{name}` is not {what}"))
}

impl<'c> Fields<'c> {
    pub fn of(value: &'c Value, name: &str) -> Result<Self, NoCase> {
        value.as_object().map(|members| Self { members }).ok_or_else(|| wrong(name, "an object"))
    }

    pub fn get(&self, name: &str) -> Option<&'c Value> {
        self.members.get(name)
    }

    pub fn object(&self, name: &str) -> Result<Fields<'c>, NoCase> {
        Self::of(self.get(name).unwrap_or(&Value::Null), name)
    }

    /// An object that may be missing or null.
    pub fn maybe_object(&self, name: &str) -> Result<Option<Fields<'c>>, NoCase> {
        match self.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => Self::of(value, name).map(Some),
        }
    }

    pub fn text(&self, name: &str) -> Result<&'c str, NoCase> {
        self.get(name).and_then(Value::as_str).ok_or_else(|| wrong(name, "a string"))
    }

    /// A JSON text under test: a string, or standard base64 of bytes under the name with `_b64`.
    pub fn json(&self, name: &str) -> Result<Vec<u8>, NoCase> {
        self.maybe_json(name)?.ok_or_else(|| wrong(name, "a string"))
    }

    /// The same, which may be missing or null.
    pub fn maybe_json(&self, name: &str) -> Result<Option<Vec<u8>>, NoCase> {
        let encoded = alloc::format!("{name}_b64");
        match (self.get(name), self.get(&encoded)) {
            (None | Some(Value::Null), None) => Ok(None),
            (Some(Value::String(text)), None) => Ok(Some(text.as_bytes().to_vec())),
            (None, Some(Value::String(text))) => base64::engine::general_purpose::STANDARD
                .decode(text)
                .map(Some)
                .map_err(|_| wrong(&encoded, "standard base64")),
            _ => Err(wrong(name, "one string")),
        }
    }

    /// Any i64.
    pub fn int(&self, name: &str) -> Result<i64, NoCase> {
        self.get(name).and_then(Value::as_i64).ok_or_else(|| wrong(name, "an integer"))
    }

    /// A number under test; `None` for one that is no i64.
    pub fn number(&self, name: &str) -> Result<Option<i64>, NoCase> {
        match self.get(name) {
            Some(Value::Number(number)) => Ok(number.as_i64()),
            _ => Err(wrong(name, "a number")),
        }
    }

    pub fn maybe_bool(&self, name: &str) -> Result<bool, NoCase> {
        match self.get(name) {
            None => Ok(false),
            Some(Value::Bool(yes)) => Ok(*yes),
            Some(_) => Err(wrong(name, "a boolean")),
        }
    }

    fn list(&self, name: &str) -> Result<&'c Vec<Value>, NoCase> {
        self.get(name).and_then(Value::as_array).ok_or_else(|| wrong(name, "an array"))
    }

    pub fn texts(&self, name: &str) -> Result<Vec<&'c str>, NoCase> {
        let texts = self
            .list(name)?
            .iter()
            .map(|text| text.as_str().ok_or_else(|| wrong(name, "an array of strings")));
        texts.collect()
    }

    /// The principals that are trusted. A text that is no key matches nobody.
    pub fn trusted(&self) -> Result<Vec<PublicKey>, NoCase> {
        Ok(self.texts("trusted")?.into_iter().filter_map(|text| text.parse().ok()).collect())
    }

    /// A key that was recorded, or null.
    pub fn recorded(&self, name: &str) -> Result<RecordedKey, NoCase> {
        match self.get(name) {
            Some(Value::Null) => Ok(RecordedKey::Absent),
            Some(Value::String(text)) => Ok(RecordedKey::from_text(Some(text))),
            _ => Err(wrong(name, "a key or null")),
        }
    }

    /// Caveats under test; `None` when one is nothing that canonical JSON can express.
    pub fn caveats(&self) -> Result<Option<Vec<Caveat>>, NoCase> {
        let caveats = self.list("caveats")?.iter();
        Ok(caveats.map(|caveat| Caveat::parse(alloc::format!("{caveat}").as_bytes()).ok()).collect())
    }

    /// Totals by block id.
    pub fn spent(&self) -> Result<impl Fn(&BlockId) -> u64 + use<>, NoCase> {
        let mut totals = Vec::new();
        if let Some(spent) = self.maybe_object("spent")? {
            for (block, total) in spent.members {
                let total = total.as_u64().filter(|total| *total < 1 << 53);
                totals.push((
                    block.clone(),
                    total.ok_or_else(|| wrong("spent", "a map to integers within 2^53-1"))?,
                ));
            }
        }
        Ok(move |block: &BlockId| {
            let block = alloc::format!("{block}");
            totals.iter().find(|(id, _)| *id == block).map_or(0, |(_, total)| *total)
        })
    }
}
