//! The canonical form of another crate's value.

use super::parse::{Reader, Spelling};
use super::write::{push_int, push_string};
use crate::error::{Error, ErrorKind};
use crate::limits::Limits;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use serde_json::{Number, Value};

/// The canonical form (A2) of a `serde_json::Value`, within the default limits.
///
/// Equal values give equal answers, whatever features `serde_json` was built with. What it did to a *text* before
/// that became a `Value` cannot be undone here: it keeps the last of two equal keys, and with
/// `arbitrary_precision` it reads an object with one magic key as a number. A text that was signed, hashed or will be
/// goes through [`canonicalize`](crate::canonicalize).
///
/// # Errors
/// A number that is no integer within `2^53-1`, or a value over the limits on depth and length.
///
/// ```
/// let value = serde_json::json!({"b": 1, "a": [true, "\u{7f}"]});
/// assert_eq!(parley_grants::canonicalize_value(&value)?, "{\"a\":[true,\"\u{7f}\"],\"b\":1}");
/// # Ok::<(), parley_grants::Error>(())
/// ```
pub fn canonicalize_value(value: &Value) -> Result<String, Error> {
    enum Level<'v> {
        Array(core::slice::Iter<'v, Value>),
        Object(alloc::vec::IntoIter<(&'v String, &'v Value)>),
    }
    let limits = Limits::default();
    let mut out = String::new();
    let mut levels: Vec<Level<'_>> = Vec::new();
    let mut next = Some(value);
    let mut first = true;
    loop {
        if let Some(value) = next.take() {
            first = false;
            let level = match value {
                Value::Null => None,
                Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
                Value::Array(elements) => Some(Level::Array(elements.iter())),
                Value::Object(members) => {
                    // The map's own order depends on a feature.
                    let mut members: Vec<_> = members.iter().collect();
                    members.sort_unstable_by(|a, b| a.0.cmp(b.0));
                    Some(Level::Object(members.into_iter()))
                }
            };
            match value {
                Value::Null => out.push_str("null"),
                Value::Bool(true) => out.push_str("true"),
                Value::Bool(false) => out.push_str("false"),
                Value::Number(number) => push_int(&mut out, integer(number)?),
                Value::String(text) => push_string(&mut out, text),
                Value::Array(_) => out.push('['),
                Value::Object(_) => out.push('{'),
            }
            if let Some(level) = level {
                if levels.len() >= limits.depth {
                    return Err(Error::new(ErrorKind::TooDeep));
                }
                levels.push(level);
                first = true;
            }
        }
        if out.len() > limits.json_bytes {
            return Err(Error::new(ErrorKind::TooLong));
        }
        let Some(level) = levels.last_mut() else { return Ok(out) };
        let (member, end) = match level {
            Level::Array(rest) => (rest.next().map(|value| (None, value)), ']'),
            Level::Object(rest) => (rest.next().map(|(key, value)| (Some(key), value)), '}'),
        };
        let Some((key, value)) = member else {
            out.push(end);
            levels.pop();
            first = false;
            continue;
        };
        if !first {
            out.push(',');
        }
        if let Some(key) = key {
            push_string(&mut out, key);
            out.push(':');
        }
        next = Some(value);
    }
}

/// By the number's text and our own grammar: the accessors' answers depend on a feature (`-0` is 0 with one).
fn integer(number: &Number) -> Result<i64, Error> {
    let text = number.to_string();
    let mut reader = Reader::new(text.as_bytes(), usize::MAX, 0, Spelling::Canonical)?;
    let int = reader.int()?;
    reader.end().map_err(|_| Error::new(ErrorKind::BadNumber))?;
    Ok(int)
}
