//! The JSON of case lines and answers. A reader of its own, as the usual one gives other values with other features of
//! its own, and a case must mean the same in every build. Numbers stay text, and every value knows its own text.

use alloc::string::String;
use alloc::vec::Vec;
use core::iter::Peekable;
use core::str::CharIndices;

/// A value, with the text that it was read from.
pub struct Json<'t> {
    pub raw: &'t str,
    pub kind: Kind<'t>,
}

pub enum Kind<'t> {
    Null,
    Bool(bool),
    Number(&'t str),
    Text(String),
    List(Vec<Json<'t>>),
    /// Members in the order in which they stand; no name twice.
    Object(Vec<(String, Json<'t>)>),
}

/// By value: numbers by their text, members in any order.
impl PartialEq for Json<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (&self.kind, &other.kind) {
            (Kind::Null, Kind::Null) => true,
            (Kind::Bool(a), Kind::Bool(b)) => a == b,
            (Kind::Number(a), Kind::Number(b)) => a == b,
            (Kind::Text(a), Kind::Text(b)) => a == b,
            (Kind::List(a), Kind::List(b)) => a == b,
            (Kind::Object(a), Kind::Object(b)) => {
                // By sorted names, as there may be many.
                let sorted = |members: &[(String, Json<'_>)]| {
                    let mut order: Vec<usize> = (0..members.len()).collect();
                    order.sort_unstable_by(|i, j| members[*i].0.cmp(&members[*j].0));
                    order
                };
                a.len() == b.len() && sorted(a).into_iter().zip(sorted(b)).all(|(i, j)| a[i] == b[j])
            }
            _ => false,
        }
    }
}

impl<'t> Json<'t> {
    /// Reads a whole text.
    pub fn read(text: &'t str) -> Result<Self, &'static str> {
        let mut reader = Reader { text, rest: text.char_indices().peekable() };
        let value = reader.value(0)?;
        match reader.peek() {
            None => Ok(value),
            Some(_) => Err("something follows after the value"),
        }
    }

    pub fn get(&self, name: &str) -> Option<&Json<'t>> {
        match &self.kind {
            Kind::Object(members) => members.iter().find(|(other, _)| other == name).map(|(_, value)| value),
            _ => None,
        }
    }

    pub fn text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Text(text) => Some(text),
            _ => None,
        }
    }

    /// An integer in its plain spelling, if it is one that fits.
    pub fn int(&self) -> Option<i64> {
        match self.kind {
            Kind::Number(text) if text != "-0" => text.parse().ok(),
            _ => None,
        }
    }
}

/// Deeper than any case, and no danger to the stack. A line that nests deeper is no case.
const DEEPEST: usize = 500;

struct Reader<'t> {
    text: &'t str,
    rest: Peekable<CharIndices<'t>>,
}

impl<'t> Reader<'t> {
    /// Where the next character stands.
    fn at(&mut self) -> usize {
        self.rest.peek().map_or(self.text.len(), |(at, _)| *at)
    }

    fn peek(&mut self) -> Option<char> {
        while self.rest.next_if(|(_, c)| matches!(c, ' ' | '\t' | '\n' | '\r')).is_some() {}
        self.rest.peek().map(|(_, c)| *c)
    }

    fn accept(&mut self, wanted: char) -> bool {
        self.peek() == Some(wanted) && self.rest.next().is_some()
    }

    fn value(&mut self, depth: usize) -> Result<Json<'t>, &'static str> {
        if depth > DEEPEST {
            return Err("too deep");
        }
        let first = self.peek().ok_or("the text ends too early")?;
        let start = self.at();
        let kind = match first {
            '{' => self.object(depth)?,
            '[' => self.list(depth)?,
            '"' => Kind::Text(self.string()?),
            _ => {
                while self
                    .rest
                    .next_if(|(_, c)| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
                    .is_some()
                {}
                let end = self.at();
                match self.text.get(start..end).unwrap_or_default() {
                    "null" => Kind::Null,
                    "true" => Kind::Bool(true),
                    "false" => Kind::Bool(false),
                    number if is_number(number) => Kind::Number(number),
                    _ => return Err("no JSON value"),
                }
            }
        };
        let end = self.at();
        Ok(Json { raw: self.text.get(start..end).unwrap_or_default(), kind })
    }

    fn list(&mut self, depth: usize) -> Result<Kind<'t>, &'static str> {
        let mut items = Vec::new();
        self.rest.next();
        if !self.accept(']') {
            loop {
                items.push(self.value(depth + 1)?);
                if !self.accept(',') {
                    break;
                }
            }
            if !self.accept(']') {
                return Err("an array does not end");
            }
        }
        Ok(Kind::List(items))
    }

    fn object(&mut self, depth: usize) -> Result<Kind<'t>, &'static str> {
        let mut members: Vec<(String, Json<'t>)> = Vec::new();
        self.rest.next();
        if !self.accept('}') {
            loop {
                if self.peek() != Some('"') {
                    return Err("a member has no name");
                }
                let name = self.string()?;
                if !self.accept(':') {
                    return Err("a member has no value");
                }
                members.push((name, self.value(depth + 1)?));
                if !self.accept(',') {
                    break;
                }
            }
            if !self.accept('}') {
                return Err("an object does not end");
            }
        }
        let mut names: Vec<&String> = members.iter().map(|(name, _)| name).collect();
        names.sort_unstable();
        if names.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err("an object has a name twice");
        }
        Ok(Kind::Object(members))
    }

    fn string(&mut self) -> Result<String, &'static str> {
        let mut text = String::new();
        self.rest.next();
        loop {
            match self.rest.next().map(|(_, c)| c) {
                Some('"') => return Ok(text),
                Some('\\') => text.push(self.escape()?),
                Some(c) if c >= ' ' => text.push(c),
                _ => return Err("a string does not end, or has a control character"),
            }
        }
    }

    fn escape(&mut self) -> Result<char, &'static str> {
        let bad = "a bad escape";
        Ok(match self.rest.next().ok_or(bad)?.1 {
            c @ ('"' | '\\' | '/') => c,
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'u' => {
                let high = self.hex()?;
                if !(0xd800..0xdc00).contains(&high) {
                    return char::from_u32(high).ok_or(bad);
                }
                let (Some((_, '\\')), Some((_, 'u'))) = (self.rest.next(), self.rest.next()) else {
                    return Err(bad);
                };
                let low = self.hex()?.checked_sub(0xdc00).filter(|low| *low < 0x400).ok_or(bad)?;
                char::from_u32(0x1_0000 + ((high - 0xd800) << 10) + low).ok_or(bad)?
            }
            _ => return Err(bad),
        })
    }

    fn hex(&mut self) -> Result<u32, &'static str> {
        (0..4).try_fold(0, |unit, _| {
            let digit = self.rest.next().and_then(|(_, c)| c.to_digit(16)).ok_or("a bad escape")?;
            Ok(unit * 16 + digit)
        })
    }
}

/// RFC 8259's grammar of numbers.
fn is_number(text: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (text, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let whole = whole.strip_prefix('-').unwrap_or(whole);
    digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(digits)
        && exponent.is_none_or(|exponent| digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent)))
}

/// Writes a string. What must be escaped is; all else stands literally, U+2028 too.
pub fn quote(text: &str) -> String {
    let mut out = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            control if control < ' ' => out.push_str(&alloc::format!("\\u{:04x}", u32::from(control))),
            other => out.push(other),
        }
    }
    out.push('"');
    out
}
