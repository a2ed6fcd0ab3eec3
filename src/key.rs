//! Keys, signatures, and the one strict way to check them (A1, B2). With `issue.rs`, the only file that names the
//! signature crate.
//!
//! | input | here | the signature crate alone |
//! |---|---|---|
//! | key with y >= p, or x = 0 with the sign bit | refused where it is read | accepted |
//! | key of small order | refused where it is read | refused when a signature is checked |
//! | key that is on no point of the curve | refused before it checks anything | the same |
//! | signature with `S >= L` | refused where it is read | accepted with `legacy_compatibility` |
//! | signature with a non-canonical `R`, or one of small order | refused where it is read | refused |
//! | equation that holds only after multiplying by 8 | refused | refused |
//!
//! All checks in the column "here" that say "where it is read" compare bytes: no curve point is decompressed for them.

use crate::base64url;
use crate::error::{Error, ErrorKind};
use crate::json::Sink;
#[cfg(feature = "issue")]
use alloc::string::String;
use core::fmt;
use core::str::FromStr;

const PREFIX: &str = "ed25519:";

/// An Ed25519 public key (A1): the canonical encoding of a point that is not of small order.
///
/// Its text form is `ed25519:` and 43 characters of base64url. A key that was parsed or made from bytes is on the
/// curve. A key that is shown by a grant which is not verified yet ([`Grant`](crate::Grant)) has passed every check
/// but that one, which takes arithmetic; it is made when the grant is verified.
///
/// ```
/// use parley_grants::PublicKey;
/// let key: PublicKey = "ed25519:O2onvM62pC1io6jQKm8Nc2UyFXcd4kOmOsBIoYtZ2ik".parse()?;
/// assert_eq!(PublicKey::from_bytes(*key.as_bytes())?, key);
/// assert!("ed25519:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA".parse::<PublicKey>().is_err());
/// # Ok::<(), parley_grants::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PublicKey([u8; 32]);

impl PublicKey {
    /// Takes the 32 bytes of a key.
    ///
    /// # Errors
    /// [`ErrorKind::Key`] when they are no canonical point encoding, no point of the curve, or of small order (B2).
    pub fn from_bytes(bytes: [u8; 32]) -> Result<Self, Error> {
        let key = Self::encoded(bytes)?;
        key.open()?;
        Ok(key)
    }

    /// The 32 bytes of the key.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Reads a key as text without decompressing its point, which `open` does before the key is used.
    pub(crate) fn read(text: &str) -> Result<Self, Error> {
        let encoded = text.strip_prefix(PREFIX).ok_or(Error::new(ErrorKind::Key))?;
        Self::encoded(base64url::decode_array(encoded).map_err(|_| Error::new(ErrorKind::Key))?)
    }

    fn encoded(bytes: [u8; 32]) -> Result<Self, Error> {
        if is_canonical_point(&bytes) && !is_small_order(&bytes) {
            Ok(Self(bytes))
        } else {
            Err(Error::new(ErrorKind::Key))
        }
    }

    /// Decompresses the point.
    pub(crate) fn open(&self) -> Result<OpenKey, Error> {
        #[cfg(test)]
        count::point();
        match ed25519_dalek::VerifyingKey::from_bytes(&self.0) {
            Ok(point) => Ok(OpenKey(point)),
            Err(_) => Err(Error::new(ErrorKind::Key)),
        }
    }

    /// Writes the text form as a JSON string. It has no character that needs an escape.
    pub(crate) fn write(&self, out: &mut impl Sink) {
        for part in ["\"", PREFIX, base64url::encode_32(&self.0).as_str(), "\""] {
            out.put(part);
        }
    }
}

impl FromStr for PublicKey {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let key = Self::read(text)?;
        key.open()?;
        Ok(key)
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(PREFIX)?;
        f.write_str(base64url::encode_32(&self.0).as_str())
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A key whose point is known.
pub(crate) struct OpenKey(ed25519_dalek::VerifyingKey);

impl OpenKey {
    /// The one signature check of this crate: cofactorless, over the bytes that arrived (B2).
    pub(crate) fn verify(&self, message: &[u8], signature: &Signature) -> Result<(), Error> {
        #[cfg(test)]
        count::signature();
        let signature = ed25519_dalek::Signature::from_bytes(&signature.0);
        self.0.verify_strict(message, &signature).map_err(|_| Error::new(ErrorKind::BadSignature))
    }
}

/// A signature that has one spelling: `S < L`, and `R` the canonical encoding of a point not of small order.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Signature([u8; 64]);

impl Signature {
    pub(crate) fn read(text: &str) -> Result<Self, Error> {
        Self::from_bytes(base64url::decode_array(text).map_err(|_| Error::new(ErrorKind::Signature))?)
    }

    pub(crate) fn from_bytes(bytes: [u8; 64]) -> Result<Self, Error> {
        let (r, s) = bytes.split_at(32);
        match (r.try_into(), s.try_into()) {
            (Ok(r), Ok(s)) if is_canonical_point(r) && !is_small_order(r) && is_below_order(s) => {
                Ok(Self(bytes))
            }
            _ => Err(Error::new(ErrorKind::Signature)),
        }
    }

    #[cfg(feature = "issue")]
    pub(crate) fn text(&self) -> String {
        let mut text = String::with_capacity(base64url::LEN_64);
        base64url::encode_into(&self.0, &mut text);
        text
    }
}

/// Is y < p = 2^255 - 19? The other odd encoding, x = 0 with the sign bit set (B2.2), has y = 1 or y = p - 1: both are of
/// small order with either sign.
fn is_canonical_point(bytes: &[u8; 32]) -> bool {
    let [low, middle @ .., high] = bytes;
    high & 0x7f != 0x7f || middle.iter().any(|byte| *byte != 0xff) || *low < 0xed
}

/// The order of the large subgroup, L = 2^252 + 27742317777372353535851937790883648493, little-endian.
const ORDER: [u8; 32] = [
    0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
];

fn is_below_order(scalar: &[u8; 32]) -> bool {
    scalar.iter().rev().lt(ORDER.iter().rev())
}

/// y of the neutral point.
const ONE: [u8; 32] =
    [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
/// y of the point of order 2: p - 1.
const MINUS_ONE: [u8; 32] = [
    0xec, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f,
];
/// y of the two points of order 4.
const ZERO: [u8; 32] = [0; 32];
/// y of two of the four points of order 8.
const EIGHTH_A: [u8; 32] = [
    0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98, 0xf0, 0xd5,
    0xdf, 0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05,
];
/// y of the other two.
const EIGHTH_B: [u8; 32] = [
    0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b, 0x76, 0x0d, 0x10, 0x67, 0x0f, 0x2a,
    0x20, 0x53, 0xfa, 0x2c, 0x39, 0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac, 0x03, 0x7a,
];

/// Is this, with either sign, one of the eight points whose order divides 8?
fn is_small_order(bytes: &[u8; 32]) -> bool {
    let mut y = *bytes;
    if let Some(high) = y.last_mut() {
        *high &= 0x7f;
    }
    [ONE, MINUS_ONE, ZERO, EIGHTH_A, EIGHTH_B].contains(&y)
}

/// Counts the expensive steps of a thread, so that tests can show what a refusal costs.
#[cfg(test)]
pub(crate) mod count {
    extern crate std;
    use core::cell::Cell;

    std::thread_local! {
        static POINTS: Cell<usize> = const { Cell::new(0) };
        static SIGNATURES: Cell<usize> = const { Cell::new(0) };
    }

    pub(crate) fn point() {
        POINTS.set(POINTS.get() + 1);
    }

    pub(crate) fn signature() {
        SIGNATURES.set(SIGNATURES.get() + 1);
    }

    /// Points decompressed and signatures checked by `work`.
    pub(crate) fn of<T>(work: impl FnOnce() -> T) -> (T, usize, usize) {
        let (points, signatures) = (POINTS.get(), SIGNATURES.get());
        let result = work();
        (result, POINTS.get() - points, SIGNATURES.get() - signatures)
    }
}

#[cfg(test)]
#[path = "key_tests.rs"]
mod tests;
