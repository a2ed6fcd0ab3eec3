//! The input is a JSON text.

use crate::by_hand;
use crate::lax::Lax;
use parley_grants::{ErrorKind, canonicalize, canonicalize_value, read_canonical};
use serde_json::Value;

const MAX_BYTES: usize = 1024 * 1024;
const MAX_DEPTH: usize = 32;

pub fn run(data: &[u8]) {
    let ours = canonicalize(data);
    // A text is accepted if and only if serde_json accepts it and the canonical form can express it.
    let theirs = Lax::read(data);
    let expressible = theirs.as_ref().is_some_and(|lax| {
        !lax.duplicate && !lax.number && lax.depth <= MAX_DEPTH && data.len() <= MAX_BYTES
    });
    assert_eq!(ours.is_ok(), expressible, "{ours:?}, and serde_json says {theirs:?}");

    // The text is canonical if and only if it is its own canonical form.
    let read = read_canonical(data);
    let is_canonical = ours.as_ref().is_ok_and(|canonical| canonical.as_bytes() == data);
    assert_eq!(read.is_ok(), is_canonical, "{read:?}");

    match ours {
        Ok(canonical) => accepted(data, &canonical),
        Err(error) => {
            assert!(error.offset().is_none_or(|at| at <= data.len()));
            assert!(!error.to_string().is_empty());
            if let Some(lax) = theirs {
                // What serde_json accepts is refused only for what the canonical form cannot express.
                let explained = match error.kind() {
                    ErrorKind::DuplicateKey => lax.duplicate,
                    ErrorKind::BadNumber => lax.number,
                    ErrorKind::TooDeep => lax.depth > MAX_DEPTH,
                    ErrorKind::TooLong => data.len() > MAX_BYTES,
                    _ => false,
                };
                assert!(explained, "{error:?}, and serde_json says {lax:?}");
            }
        }
    }
}

fn accepted(data: &[u8], canonical: &str) {
    assert!(canonical.len() <= data.len());
    assert_eq!(canonicalize(canonical.as_bytes()).as_deref(), Ok(canonical));
    assert_eq!(read_canonical(canonical.as_bytes()), Ok(canonical));

    // Both spell the same value, and the value has the same canonical form.
    let value: Value = serde_json::from_slice(data).expect("the text was accepted");
    assert_eq!(serde_json::from_str::<Value>(canonical).expect("so is its canonical form"), value);
    assert_eq!(canonicalize_value(&value).as_deref(), Ok(canonical));
    assert_eq!(by_hand(&value).canonical(), canonical);

    // White space around it changes nothing, and is not canonical.
    let spaced = [b"\t ", data, b"\r\n"].concat();
    if spaced.len() <= MAX_BYTES {
        assert_eq!(canonicalize(&spaced).as_deref(), Ok(canonical));
        assert!(read_canonical(&spaced).is_err());
    }
    // Up to the bound, and not a byte more; now and then, as it takes milliseconds.
    if data.len() % 64 == 1 {
        let mut long = data.to_vec();
        long.resize(MAX_BYTES, b' ');
        assert_eq!(canonicalize(&long).as_deref(), Ok(canonical));
        long.push(b' ');
        assert_eq!(canonicalize(&long).err().map(|error| error.kind()), Some(ErrorKind::TooLong));
    }
}
