//! What can be wrong with input, and where? One small public error for every reader of the crate.

use core::fmt;

/// What was wrong with an input, and where: kind, and as far as known block, caveat and byte offset.
///
/// The text is for a developer's eyes or a service's log, not for the caller on the other side (B10). It never
/// holds any of the input, so no secret can be in it.
///
/// ```
/// let e = parley_grants::canonicalize(b"{\"a\":1,\"a\":2}").unwrap_err();
/// assert_eq!(e.kind(), parley_grants::ErrorKind::DuplicateKey);
/// assert_eq!(e.to_string(), "an object has a key twice, at byte 13");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct Error {
    kind: ErrorKind,
    offset: Option<usize>,
    block: Option<usize>,
}

impl Error {
    pub(crate) const fn new(kind: ErrorKind) -> Self {
        Self { kind, offset: None, block: None }
    }

    pub(crate) const fn at(kind: ErrorKind, offset: usize) -> Self {
        Self { kind, offset: Some(offset), block: None }
    }

    pub(crate) const fn in_block(mut self, block: usize) -> Self {
        self.block = Some(block);
        self
    }

    /// What was wrong.
    pub const fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Byte offset in the text that was read; for a token, in its decoded JSON.
    pub const fn offset(&self) -> Option<usize> {
        self.offset
    }

    /// Index of the block of a grant, the root being 0.
    pub const fn block(&self) -> Option<usize> {
        self.block
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind.text())?;
        if let ErrorKind::Field(name) | ErrorKind::Expected(name) = self.kind {
            write!(f, " `{name}`")?;
        }
        if let Some(block) = self.block {
            write!(f, ", in block {block}")?;
        }
        if let Some(offset) = self.offset {
            write!(f, ", at byte {offset}")?;
        }
        Ok(())
    }
}

impl core::error::Error for Error {}

/// The kinds of [`Error`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The text is longer than the limits allow.
    TooLong,
    /// More nested arrays and objects than the limits allow.
    TooDeep,
    /// The bytes are not UTF-8.
    NotUtf8,
    /// The text ends too early.
    UnexpectedEnd,
    /// No JSON.
    Syntax,
    /// Something follows after the end of the value.
    TrailingBytes,
    /// A string with a control character, a bad escape or half a surrogate pair.
    BadString,
    /// A number that is no integer in its minimal form, or outside `-(2^53-1) ..= 2^53-1`.
    BadNumber,
    /// A key stands twice in an object; the offset is that object's end.
    DuplicateKey,
    /// JSON, but not in its canonical form: white space, key order or escapes.
    NotCanonical,
    /// The token does not start with `pg1.`.
    Prefix,
    /// Not base64url, or not the only spelling of its bytes.
    Base64,
    /// A grant without blocks.
    NoBlocks,
    /// More blocks than the limits allow.
    TooManyBlocks,
    /// More caveats in a block than the limits allow.
    TooManyCaveats,
    /// Exactly this text was expected next: a field is missing, unknown or of another type.
    Expected(&'static str),
    /// A field of this name is missing, stands twice, is unknown or has the wrong type or value.
    Field(&'static str),
    /// A field that nobody knows.
    UnknownField,
    /// No public key: spelling, point encoding, not on the curve or of small order.
    Key,
    /// No signature: spelling, `S >= L`, or a bad `R`.
    Signature,
    /// A signature that does not verify.
    BadSignature,
    /// `prev` is not the id of the block before.
    NotChained,
    /// The root's issuer is not trusted.
    Untrusted,
    /// The holder is not the key that was proven.
    WrongHolder,
    /// The proof's time is more than 300 seconds from now.
    Stale,
    /// A caveat is not well-formed, so no verifier would accept the grant.
    BadCaveat,
    /// A seed is not 32 bytes in base64url.
    Seed,
    /// Another key than the one that has to sign.
    WrongSigner,
}

impl ErrorKind {
    /// What was wrong, in words, without the place.
    pub const fn text(&self) -> &'static str {
        match self {
            Self::TooLong => "the text is longer than the limit",
            Self::TooDeep => "arrays and objects are nested deeper than the limit",
            Self::NotUtf8 => "the bytes are not UTF-8",
            Self::UnexpectedEnd => "the text ends too early",
            Self::Syntax => "no JSON",
            Self::TrailingBytes => "something follows after the end",
            Self::BadString => "a string has a control character, a bad escape or half a surrogate pair",
            Self::BadNumber => "a number is no plain integer within 2^53-1",
            Self::DuplicateKey => "an object has a key twice",
            Self::NotCanonical => "JSON that is not in its canonical form",
            Self::Prefix => "the token does not start with pg1.",
            Self::Base64 => "not the one base64url spelling of its bytes",
            Self::NoBlocks => "a grant without blocks",
            Self::TooManyBlocks => "more blocks than the limit",
            Self::TooManyCaveats => "more caveats than the limit",
            Self::Expected(_) => "expected",
            Self::Field(_) => "missing, repeated, unknown or of the wrong type or value: the field",
            Self::UnknownField => "a field that is not known",
            Self::Key => "no canonical public key of large order",
            Self::Signature => "no canonical signature",
            Self::BadSignature => "the signature does not verify",
            Self::NotChained => "prev is not the id of the block before",
            Self::Untrusted => "the issuer is not trusted",
            Self::WrongHolder => "the holder is not the key that was proven",
            Self::Stale => "the proof's time is more than 300 seconds from now",
            Self::BadCaveat => "a caveat is not well-formed",
            Self::Seed => "a seed is not 32 bytes in base64url",
            Self::WrongSigner => "another key than the one that has to sign",
        }
    }
}
