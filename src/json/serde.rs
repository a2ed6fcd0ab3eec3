//! The canonical form of another crate's value.

use super::parse::MAX_INT;
use super::write::{push_escaped, push_string};
use crate::error::{Error, ErrorKind};
use crate::limits::Limits;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::cmp::Ordering;
use serde_json::{Number, Value};

/// The canonical form (A2) of a `serde_json::Value`, within the default limits.
///
/// Equal values give equal answers, whatever features `serde_json` was built with. A number counts as the integer that it is,
/// also where somebody made it of an odd text by other means than reading JSON. What `serde_json` did to a *text* before
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
    // A feature of that crate has maps keep another order than A2's. Then all of it once more, sorted: an object that is
    // begun again inside of one that is begun again would double the work with every level. Also where it is another error,
    // as which one comes first depends on the order.
    write(value, Order::AsItComes).or_else(|_| write(value, Order::Sorted))
}

/// In which order the members of every object are visited.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    AsItComes,
    Sorted,
}

/// An array or object of which a part is written.
enum Level<'v> {
    Array(core::slice::Iter<'v, Value>),
    /// With the key before.
    Object(serde_json::map::Iter<'v>, Option<&'v str>),
    /// How many sorted members are left when its own are written.
    Sorted(usize),
}

/// The canonical form; as it comes, an error where a key is not greater than the one before.
fn write(value: &Value, order: Order) -> Result<String, Error> {
    let limits = Limits::default();
    let mut out = String::with_capacity(512);
    let mut levels: Vec<Level<'_>> = Vec::new();
    // Members that are left of all levels, of each the least last.
    let mut sorted: Vec<(&String, &Value)> = Vec::new();
    let mut value = value;
    loop {
        let mut first = false;
        match value {
            Value::Null => out.push_str("null"),
            Value::Bool(true) => out.push_str("true"),
            Value::Bool(false) => out.push_str("false"),
            // As fast as that crate's own, which it also writes by.
            Value::Number(number) => out.push_str(itoa::Buffer::new().format(integer(number)?)),
            Value::String(text) => push_string(&mut out, text),
            Value::Array(_) | Value::Object(_) if levels.len() >= limits.depth => {
                return Err(Error::new(ErrorKind::TooDeep));
            }
            Value::Array(elements) => {
                out.push('[');
                levels.push(Level::Array(elements.iter()));
                first = true;
            }
            Value::Object(members) => {
                out.push('{');
                levels.push(match order {
                    Order::AsItComes => Level::Object(members.iter(), None),
                    Order::Sorted => {
                        let around = sorted.len();
                        sorted.extend(members);
                        let own = sorted.get_mut(around..).unwrap_or_default();
                        own.sort_unstable_by(|(a, _), (b, _)| b.cmp(a));
                        Level::Sorted(around)
                    }
                });
                first = true;
            }
        }
        value = loop {
            if out.len() > limits.json_bytes {
                return Err(Error::new(ErrorKind::TooLong));
            }
            let (member, end) = match levels.last_mut() {
                None => return Ok(out),
                Some(Level::Array(rest)) => match rest.next() {
                    Some(element) => {
                        if !first {
                            out.push(',');
                        }
                        break element;
                    }
                    None => (None, ']'),
                },
                Some(Level::Object(rest, before)) => {
                    let member = rest.next();
                    if let Some((key, _)) = member
                        && !is_after(key, before.replace(key))
                    {
                        return Err(Error::new(ErrorKind::NotCanonical));
                    }
                    (member, '}')
                }
                Some(Level::Sorted(around)) => {
                    (if sorted.len() > *around { sorted.pop() } else { None }, '}')
                }
            };
            if let Some((key, value)) = member {
                if first {
                    out.push('"');
                } else {
                    out.push_str(",\"");
                }
                push_escaped(&mut out, key);
                // Most values are texts. The quote goes out with the colon, and the loop need not be left.
                if let Value::String(text) = value {
                    out.push_str("\":\"");
                    push_escaped(&mut out, text);
                    out.push('"');
                    first = false;
                    continue;
                }
                out.push_str("\":");
                break value;
            }
            out.push(end);
            levels.pop();
            first = false;
        };
    }
}

/// In code point order, which is the order of UTF-8 bytes; most keys differ in the first.
fn is_after(key: &str, before: Option<&str>) -> bool {
    let Some(before) = before else { return true };
    match key.bytes().next().cmp(&before.bytes().next()) {
        Ordering::Greater => true,
        Ordering::Equal => key > before,
        Ordering::Less => false,
    }
}

fn integer(number: &Number) -> Result<i64, Error> {
    match number.as_i64() {
        Some(int) if int != 0 && (-MAX_INT..=MAX_INT).contains(&int) => Ok(int),
        // The accessors' answers depend on a feature: `-0` is 0 with one. The text's does not.
        Some(0) if number.to_string() == "0" => Ok(0),
        _ => Err(Error::new(ErrorKind::BadNumber)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn keys_are_compared_to_their_end() {
        let increasing =
            ["", "\u{0}", "a", "a\u{0}", "aa", "ab", "b", "\u{7f}", "\u{e9}", "\u{ffff}", "\u{1f600}"];
        for (index, before) in increasing.iter().enumerate() {
            assert!(is_after(before, None));
            for (other, key) in increasing.iter().enumerate() {
                assert_eq!(is_after(key, Some(before)), other > index, "{before:?}, then {key:?}");
            }
        }
    }

    #[test]
    fn sorting_changes_nothing_that_is_sorted() {
        let value = json!({
            "b": [{"y": {"n": 1, "m": {}}, "x": []}, {}, {"z": {"a": {"b": {"d": 2, "c": null}}}, "k": 0}],
            "a": {"f": [], "e": {"h": "", "g": -7}},
            "c": true
        });
        let text = r#"{"a":{"e":{"g":-7,"h":""},"f":[]},"b":[{"x":[],"y":{"m":{},"n":1}},{},"#.to_string()
            + r#"{"k":0,"z":{"a":{"b":{"c":null,"d":2}}}}],"c":true}"#;
        assert_eq!(write(&value, Order::Sorted).as_deref(), Ok(&*text));
        // Another order is noticed, or it is none: which, depends on a feature of that crate.
        let as_it_comes = write(&value, Order::AsItComes);
        let first = value.as_object().and_then(|members| members.keys().next());
        if first.is_some_and(|first| first == "a") {
            assert_eq!(as_it_comes.as_deref(), Ok(&*text));
        } else {
            assert_eq!(as_it_comes.map_err(|error| error.kind()), Err(ErrorKind::NotCanonical));
        }
    }
}
