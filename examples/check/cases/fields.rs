//! Reading the fields of a case. What has the wrong type is no case.

use super::NoCase;
use super::json::{Json, Kind};
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use base64::Engine as _;
use parley_grants::{BlockId, PublicKey, RecordedKey};

/// An object in a case.
#[derive(Clone, Copy)]
pub struct Fields<'c> {
    object: &'c Json<'c>,
}

fn wrong(name: &str, what: &str) -> NoCase {
    NoCase(alloc::format!("`{name}` is not {what}"))
}

impl<'c> Fields<'c> {
    pub fn of(value: &'c Json<'c>, name: &str) -> Result<Self, NoCase> {
        if let Kind::Object(_) = value.kind {
            Ok(Self { object: value })
        } else {
            Err(wrong(name, "an object"))
        }
    }

    pub fn get(&self, name: &str) -> Option<&'c Json<'c>> {
        self.object.get(name)
    }

    fn need(&self, name: &str) -> Result<&'c Json<'c>, NoCase> {
        self.get(name).ok_or_else(|| NoCase(alloc::format!("`{name}` is missing")))
    }

    pub fn object(&self, name: &str) -> Result<Fields<'c>, NoCase> {
        Self::of(self.need(name)?, name)
    }

    /// An object that may be missing or null.
    pub fn maybe_object(&self, name: &str) -> Result<Option<Fields<'c>>, NoCase> {
        match self.get(name) {
            None => Ok(None),
            Some(value) if matches!(value.kind, Kind::Null) => Ok(None),
            Some(value) => Self::of(value, name).map(Some),
        }
    }

    pub fn text(&self, name: &str) -> Result<&'c str, NoCase> {
        self.need(name)?.text().ok_or_else(|| wrong(name, "a string"))
    }

    /// A JSON text under test: a string, or standard base64 of bytes under the name with `_b64`.
    pub fn json(&self, name: &str) -> Result<Vec<u8>, NoCase> {
        self.maybe_json(name)?.ok_or_else(|| wrong(name, "a string"))
    }

    /// The same, which may be missing or null.
    pub fn maybe_json(&self, name: &str) -> Result<Option<Vec<u8>>, NoCase> {
        let encoded = alloc::format!("{name}_b64");
        match (self.get(name), self.get(&encoded)) {
            (None, None) => Ok(None),
            (Some(plain), None) => match &plain.kind {
                Kind::Null => Ok(None),
                Kind::Text(text) => Ok(Some(text.as_bytes().to_vec())),
                _ => Err(wrong(name, "a string")),
            },
            (None, Some(bytes)) => bytes
                .text()
                .and_then(|text| base64::engine::general_purpose::STANDARD.decode(text).ok())
                .map(Some)
                .ok_or_else(|| wrong(&encoded, "standard base64")),
            (Some(_), Some(_)) => Err(wrong(name, "given once")),
        }
    }

    /// Any i64.
    pub fn int(&self, name: &str) -> Result<i64, NoCase> {
        self.need(name)?.int().ok_or_else(|| wrong(name, "an integer"))
    }

    /// A number under test; `None` for one that is no i64.
    #[cfg(feature = "issue")]
    pub fn number(&self, name: &str) -> Result<Option<i64>, NoCase> {
        let value = self.need(name)?;
        if let Kind::Number(_) = value.kind { Ok(value.int()) } else { Err(wrong(name, "a number")) }
    }

    #[cfg(feature = "routes")]
    pub fn bool(&self, name: &str) -> Result<bool, NoCase> {
        self.need(name)?;
        self.maybe_bool(name)
    }

    /// A string or null.
    #[cfg(feature = "routes")]
    pub fn nullable_text(&self, name: &str) -> Result<Option<&'c str>, NoCase> {
        if let Kind::Null = self.need(name)?.kind { Ok(None) } else { self.text(name).map(Some) }
    }

    pub fn maybe_bool(&self, name: &str) -> Result<bool, NoCase> {
        match self.get(name).map(|value| &value.kind) {
            None => Ok(false),
            Some(Kind::Bool(yes)) => Ok(*yes),
            Some(_) => Err(wrong(name, "a boolean")),
        }
    }

    fn list(&self, name: &str) -> Result<&'c [Json<'c>], NoCase> {
        if let Kind::List(items) = &self.need(name)?.kind { Ok(items) } else { Err(wrong(name, "an array")) }
    }

    /// An array of objects.
    pub fn objects(&self, name: &str) -> Result<Vec<Fields<'c>>, NoCase> {
        self.list(name)?.iter().map(|item| Self::of(item, name)).collect()
    }

    pub fn texts(&self, name: &str) -> Result<Vec<&'c str>, NoCase> {
        let texts =
            self.list(name)?.iter().map(|text| text.text().ok_or_else(|| wrong(name, "an array of strings")));
        texts.collect()
    }

    /// The principals that are trusted. A text that is no key matches nobody.
    pub fn trusted(&self) -> Result<Vec<PublicKey>, NoCase> {
        Ok(self.texts("trusted")?.into_iter().filter_map(|text| text.parse().ok()).collect())
    }

    /// A key that was recorded, or null.
    pub fn recorded(&self, name: &str) -> Result<Option<RecordedKey>, NoCase> {
        match &self.need(name)?.kind {
            Kind::Null => Ok(None),
            Kind::Text(text) => Ok(Some(RecordedKey::read(text))),
            _ => Err(wrong(name, "a key or null")),
        }
    }

    /// Caveats under test, by their own text; `None` when one is nothing that canonical JSON can express.
    #[cfg(feature = "issue")]
    pub fn caveats(&self) -> Result<Option<Vec<parley_grants::Caveat>>, NoCase> {
        let caveats = self.list("caveats")?.iter();
        Ok(caveats.map(|caveat| parley_grants::Caveat::parse(caveat.raw.as_bytes()).ok()).collect())
    }

    /// Totals by block id.
    pub fn spent(&self) -> Result<impl Fn(&BlockId) -> u64 + use<>, NoCase> {
        let mut totals: Vec<(String, u64)> = Vec::new();
        if let Some(Fields { object }) = self.maybe_object("spent")?
            && let Kind::Object(members) = &object.kind
        {
            for (block, total) in members {
                let total =
                    total.int().and_then(|total| u64::try_from(total).ok()).filter(|total| *total < 1 << 53);
                totals.push((
                    block.clone(),
                    total.ok_or_else(|| wrong("spent", "a map to integers within 2^53-1"))?,
                ));
            }
        }
        Ok(move |block: &BlockId| {
            let block = block.to_string();
            totals.iter().find(|(id, _)| *id == block).map_or(0, |(_, total)| *total)
        })
    }
}
