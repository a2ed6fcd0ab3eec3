//! Which bytes does this text spell, if it is the only spelling? (A1, B1)
//!
//! base64url without padding. `URL_SAFE_NO_PAD` refuses padding, white space, the other alphabet and non-zero
//! trailing bits, so no two texts decode to the same bytes; the tests of this module hold it to that.

use crate::error::{Error, ErrorKind};
#[cfg(any(test, feature = "issue"))]
use alloc::string::String;
use alloc::vec::Vec;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// Characters of 32 bytes.
pub(crate) const LEN_32: usize = 43;
/// Characters of 64 bytes.
#[cfg(any(test, feature = "issue"))]
pub(crate) const LEN_64: usize = 86;

/// Decodes a text of any length.
pub(crate) fn decode(text: &str) -> Result<Vec<u8>, Error> {
    URL_SAFE_NO_PAD.decode(text).map_err(|_| Error::new(ErrorKind::Base64))
}

/// Decodes a text that spells exactly `N` bytes, without the heap.
pub(crate) fn decode_array<const N: usize>(text: &str) -> Result<[u8; N], Error> {
    let mut bytes = [0; N];
    match URL_SAFE_NO_PAD.decode_slice(text, &mut bytes) {
        Ok(length) if length == N => Ok(bytes),
        _ => Err(Error::new(ErrorKind::Base64)),
    }
}

/// Appends the text of `bytes` to `out`.
#[cfg(any(test, feature = "issue"))]
pub(crate) fn encode_into(bytes: &[u8], out: &mut String) {
    URL_SAFE_NO_PAD.encode_string(bytes, out);
}

/// The text of 32 bytes, without the heap.
pub(crate) fn encode_32(bytes: &[u8; 32]) -> Text32 {
    let mut text = [0; LEN_32];
    // Cannot fail, as the buffer has just the size; an empty text would equal no digest and no key.
    let length = URL_SAFE_NO_PAD.encode_slice(bytes, &mut text).unwrap_or_default();
    Text32 { text, length }
}

/// The text of 32 bytes.
#[derive(Clone, Copy)]
pub(crate) struct Text32 {
    text: [u8; LEN_32],
    length: usize,
}

impl Text32 {
    pub(crate) fn as_str(&self) -> &str {
        self.text.get(..self.length).and_then(|text| core::str::from_utf8(text).ok()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::format;

    #[test]
    fn one_spelling_only() {
        assert_eq!(decode("").unwrap(), b"");
        assert_eq!(decode("AA").unwrap(), b"\0");
        assert_eq!(decode("AAA").unwrap(), b"\0\0");
        assert_eq!(decode("-_8").unwrap(), b"\xfb\xff");
        for bad in
            ["A", "AA=", "AA==", "AB", "AAB", "AAAAA", "A A", "AA\n", " AA", "+/8", "-_9", "A\u{e9}", "A.A"]
        {
            assert_eq!(decode(bad), Err(Error::new(ErrorKind::Base64)), "{bad:?}");
        }
    }

    #[test]
    fn every_last_character_of_32_bytes() {
        // The last of 43 characters carries four bits and two that must be zero.
        let stem = "A".repeat(42);
        let good = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
            .chars()
            .filter(|last| decode_array::<32>(&format!("{stem}{last}")).is_ok())
            .collect::<String>();
        assert_eq!(good, "AEIMQUYcgkosw048");
    }

    #[test]
    fn exact_lengths() {
        let text = encode_32(&[7; 32]);
        assert_eq!(text.as_str(), "BwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwcHBwc");
        assert_eq!(text.as_str().len(), LEN_32);
        assert_eq!(decode_array::<32>(text.as_str()), Ok([7; 32]));
        assert!(decode_array::<33>(text.as_str()).is_err());
        assert!(decode_array::<31>(text.as_str()).is_err());
        assert!(decode_array::<32>("").is_err());
        let mut out = String::from("x");
        encode_into(&[9; 64], &mut out);
        assert_eq!(out.len(), LEN_64 + 1);
        assert_eq!(decode_array::<64>(&out[1..]), Ok([9; 64]));
    }
}
