//! Is this JSON, and what is its canonical form? (A2)
//!
//! Canonical JSON is what gets hashed and signed, so parser and writer are this crate's own: strict, iterative,
//! bounded, and out of reach of any feature of another crate.

mod parse;
mod scan;
mod value;
mod write;

#[cfg(feature = "serde_json")]
mod serde;
#[cfg(test)]
mod tests;

pub(crate) use parse::{MAX_INT, Reader};
pub(crate) use value::{Child, Document, Node, read as read_value, read_proposal, skip};
pub(crate) use write::{Members, Scratch, Sink, push_int, push_list, push_string, write_except};

#[cfg(feature = "serde_json")]
pub use serde::canonicalize_value;

use crate::error::Error;
use crate::limits::Limits;
use alloc::string::String;
use parse::Spelling;

/// The canonical form of a JSON text in any spelling (A2).
///
/// White space, the order of keys and the way characters are escaped may be anything that RFC 8259 allows. What
/// A2 cannot express is refused and not mended: a key twice in an object, a number that is not spelled as a plain
/// integer within `2^53-1`, half a surrogate pair. At most 1 MiB and 32 nested arrays and objects.
///
/// # Errors
/// What was wrong, with its byte offset.
///
/// ```
/// let text = parley_grants::canonicalize(br#" { "b": [1, "\u0041\/"], "a": null } "#)?;
/// assert_eq!(text, r#"{"a":null,"b":[1,"A/"]}"#);
/// assert!(parley_grants::canonicalize(b"1.0").is_err());
/// # Ok::<(), parley_grants::Error>(())
/// ```
pub fn canonicalize(text: &[u8]) -> Result<String, Error> {
    let limits = Limits::default();
    let mut reader = Reader::new(text, limits.json_bytes, limits.depth, Spelling::Any)?;
    let document = value::read(&mut reader)?;
    reader.end()?;
    // The canonical form is never longer than the text it comes from.
    let mut out = String::with_capacity(text.len());
    write_except(&document, document.root(), &[], &mut out);
    Ok(out)
}

/// The text, if it already is the canonical form of some JSON (A2): nothing is changed, so the bytes that a
/// signature covers can be a slice of the bytes that arrived. At most 1 MiB and 32 nested arrays and objects.
///
/// # Errors
/// What was wrong, with its byte offset; [`ErrorKind::NotCanonical`](crate::ErrorKind::NotCanonical) for what
/// [`canonicalize`] would have changed.
///
/// ```
/// assert_eq!(parley_grants::read_canonical(br#"{"a":1}"#)?, r#"{"a":1}"#);
/// assert!(parley_grants::read_canonical(br#"{"a": 1}"#).is_err());
/// # Ok::<(), parley_grants::Error>(())
/// ```
pub fn read_canonical(text: &[u8]) -> Result<&str, Error> {
    let limits = Limits::default();
    let mut reader = Reader::new(text, limits.json_bytes, limits.depth, Spelling::Canonical)?;
    value::skip(&mut reader)?;
    reader.end()?;
    Ok(reader.text())
}

/// A reader of any spelling, for a text within `limits`.
pub(crate) fn any<'t>(text: &'t [u8], limits: &Limits) -> Result<Reader<'t>, Error> {
    Reader::new(text, limits.json_bytes, limits.depth, Spelling::Any)
}

/// A reader of the canonical form only, for a text that is bounded already.
pub(crate) fn canonical<'t>(text: &'t [u8], limits: &Limits) -> Result<Reader<'t>, Error> {
    Reader::new(text, text.len(), limits.depth, Spelling::Canonical)
}
