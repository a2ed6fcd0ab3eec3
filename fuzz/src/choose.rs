//! Reads structured inputs: a byte a choice, so that a seed can be written by hand, and a changed byte changes one thing.
//!
//! At the end of the input every choice is the first one.

use crate::hand::{Json, MAX_INT};
use arbitrary::Unstructured;

/// About now.
pub const T: i64 = 1_790_000_000;

/// Integers about which the rules turn; any other one is eight more bytes after the number that follows these.
pub const INTS: [i64; 20] = [
    T,
    T - 1,
    T + 1,
    T + 2,
    T + 300,
    T + 301,
    T - 300,
    T - 301,
    T + 600,
    0,
    1,
    -1,
    50,
    99,
    100,
    101,
    150,
    500,
    MAX_INT,
    -MAX_INT,
];

/// Texts that mean something somewhere; any other one is a number of bytes, then those bytes.
pub const TEXTS: [&str; 40] = [
    "shop.order",
    "shop.example",
    "EUR",
    "COMMIT",
    "ASK",
    "INTENT",
    "UNDO",
    "EXPAND",
    "HELLO",
    "low",
    "medium",
    "high",
    "shop.*",
    "shop.order*",
    "*",
    "shop.order.x",
    "",
    "auto:shop.order",
    "shop:order",
    "svc",
    "verbs",
    "can",
    "exp",
    "nbf",
    "only",
    "per",
    "spend",
    "risk",
    "max",
    "currency",
    "USD",
    "eur",
    "days",
    "note",
    "\u{1f}\n\"\\/",
    "é\u{2028}😀",
    "a",
    "commit",
    "#hash",
    "data",
];

/// From this byte on, [`Choices::text`] reads so many bytes more.
pub const OTHER_TEXT: u8 = 128;

pub struct Choices<'c, 'b>(pub &'c mut Unstructured<'b>);

impl Choices<'_, '_> {
    pub fn byte(&mut self) -> u8 {
        // At the end there are zeros.
        self.0.arbitrary().unwrap_or_default()
    }

    /// Below `sides`, at most 256.
    pub fn roll(&mut self, sides: usize) -> usize {
        usize::from(self.byte()) % sides
    }

    pub fn flag(&mut self) -> bool {
        self.roll(2) == 1
    }

    pub fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.roll(of.len())]
    }

    /// Once in about so many times something, which the last of them says.
    pub fn seldom(&mut self, times: usize) -> bool {
        self.roll(times) == times - 1
    }

    pub fn list<T>(&mut self, most: usize, mut one: impl FnMut(&mut Self) -> T) -> Vec<T> {
        (0..self.roll(most + 1)).map(|_| one(self)).collect()
    }

    /// Any 64 bits, the highest byte first.
    pub fn wide(&mut self) -> u64 {
        (0..8).fold(0, |wide, _| wide << 8 | u64::from(self.byte()))
    }

    /// An integer that A2 can express.
    pub fn int(&mut self) -> i64 {
        match INTS.get(self.roll(INTS.len() + 1)) {
            Some(int) => *int,
            None => (self.wide() as i64).clamp(-MAX_INT, MAX_INT),
        }
    }

    pub fn text(&mut self) -> String {
        match self.byte() {
            byte @ OTHER_TEXT.. => {
                let bytes: Vec<u8> = (OTHER_TEXT..byte).map(|_| self.byte()).collect();
                String::from_utf8_lossy(&bytes).into_owned()
            }
            byte => TEXTS[usize::from(byte) % TEXTS.len()].into(),
        }
    }

    /// Any JSON value; now and then one that A2 cannot express.
    pub fn json(&mut self, depth: usize) -> Json {
        match self.roll(if depth == 0 { 6 } else { 8 }) {
            0 => Json::Null,
            1 => Json::Bool(true),
            2 => Json::Bool(false),
            3 => Json::Int(self.int()),
            4 => Json::Text(self.text()),
            5 => Json::Number(self.pick(&["1.0", "1e3", "-0", "9007199254740992", "0.5"]).into()),
            6 => Json::List(self.list(4, |choices| choices.json(depth - 1))),
            _ => Json::Object(self.list(4, |choices| (choices.text(), choices.json(depth - 1)))),
        }
    }
}
