//! A second opinion: what `serde_json` reads in a text, and whether the canonical form can express it.

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use std::collections::HashSet;
use std::fmt;

const MAX_INT: u64 = (1 << 53) - 1;

/// Any JSON value, told only by what the canonical form cannot express.
#[derive(Debug, Default)]
pub struct Lax {
    /// A key stands twice in some object.
    pub duplicate: bool,
    /// Some number is no plain integer within `2^53-1`.
    pub number: bool,
    /// The most arrays and objects that are nested in each other.
    pub depth: usize,
}

impl Lax {
    /// `None` when `serde_json` refuses the text.
    pub fn read(text: &[u8]) -> Option<Self> {
        serde_json::from_slice(text).ok()
    }

    fn number(fits: bool) -> Self {
        Self { number: !fits, ..Self::default() }
    }

    fn add(&mut self, inner: Self) {
        self.duplicate |= inner.duplicate;
        self.number |= inner.number;
        self.depth = self.depth.max(inner.depth);
    }
}

impl<'de> Deserialize<'de> for Lax {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader)
    }
}

struct Reader;

/// `serde_json` gives integers as such when they are spelled so; `1.0`, `1e3`, `-0` and whatever is greater than 64
/// bits come as floating point.
impl<'de> Visitor<'de> for Reader {
    type Value = Lax;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Lax, E> {
        Ok(Lax::default())
    }

    fn visit_bool<E>(self, _: bool) -> Result<Lax, E> {
        Ok(Lax::default())
    }

    fn visit_str<E>(self, _: &str) -> Result<Lax, E> {
        Ok(Lax::default())
    }

    fn visit_u64<E>(self, int: u64) -> Result<Lax, E> {
        Ok(Lax::number(int <= MAX_INT))
    }

    fn visit_i64<E>(self, int: i64) -> Result<Lax, E> {
        Ok(Lax::number(int.unsigned_abs() <= MAX_INT))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Lax, E> {
        Ok(Lax::number(false))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Lax, A::Error> {
        let mut all = Lax::default();
        while let Some(element) = elements.next_element()? {
            all.add(element);
        }
        all.depth += 1;
        Ok(all)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Lax, A::Error> {
        let mut all = Lax::default();
        let mut keys = HashSet::<String>::new();
        while let Some((key, value)) = members.next_entry()? {
            all.duplicate |= !keys.insert(key);
            all.add(value);
        }
        all.depth += 1;
        Ok(all)
    }
}
