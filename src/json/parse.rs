//! The reader: one strict step at a time over a text, in one of two spellings.

use super::scan::plain_length;
use crate::error::{Error, ErrorKind};
use alloc::borrow::Cow;
use alloc::string::String;

/// Which spellings a reader takes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Spelling {
    /// The canonical form and nothing else.
    Canonical,
    /// Anything that RFC 8259 allows and A2 can express.
    Any,
    /// As `Any`, and any number: inside the `data` of a proposal, which is never hashed (A7).
    AnyNumber,
}

/// The greatest integer of A2; the least is its negative.
pub(crate) const MAX_INT: i64 = 9_007_199_254_740_991;

/// A position in a text. Cloning it marks a place to come back to.
#[derive(Clone)]
pub(crate) struct Reader<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
    deepest: usize,
    most_depth: usize,
    spelling: Spelling,
}

/// A string as it stands in the text, without its quotes; its escapes have been checked.
#[derive(Clone, Copy)]
pub(crate) struct Str<'t> {
    raw: &'t str,
    escapes: Escapes,
}

/// What escapes a string has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Escapes {
    None,
    /// Each is the canonical spelling of its character.
    Canonical,
    Any,
}

impl<'t> Reader<'t> {
    pub(super) fn new(bytes: &'t [u8], most: usize, depth: usize, spelling: Spelling) -> Result<Self, Error> {
        if bytes.len() > most {
            return Err(Error::new(ErrorKind::TooLong));
        }
        match core::str::from_utf8(bytes) {
            Ok(text) => Ok(Self { text, at: 0, depth: 0, deepest: 0, most_depth: depth, spelling }),
            Err(e) => Err(Error::at(ErrorKind::NotUtf8, e.valid_up_to())),
        }
    }

    pub(crate) fn text(&self) -> &'t str {
        self.text
    }

    /// Byte offset of what comes next.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// What stands between `start` and here.
    pub(crate) fn since(&self, start: usize) -> &'t str {
        self.text.get(start..self.at).unwrap_or_default()
    }

    pub(crate) fn error(&self, kind: ErrorKind) -> Error {
        Error::at(kind, self.at)
    }

    pub(super) fn any_numbers(&mut self, yes: bool) {
        self.spelling = if yes { Spelling::AnyNumber } else { Spelling::Any };
    }

    pub(super) fn is_canonical(&self) -> bool {
        self.spelling == Spelling::Canonical
    }

    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn step(&mut self, bytes: usize) {
        self.at = self.at.saturating_add(bytes);
    }

    fn rest(&self) -> &'t [u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    /// The next byte that is no white space. In the canonical form, white space is never skipped.
    pub(crate) fn peek(&mut self) -> Option<u8> {
        if self.spelling != Spelling::Canonical {
            while matches!(self.byte(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
                self.step(1);
            }
        }
        self.byte()
    }

    /// Why the next byte cannot stand here.
    pub(super) fn unexpected(&self) -> Error {
        self.error(match self.byte() {
            None => ErrorKind::UnexpectedEnd,
            Some(b' ' | b'\t' | b'\n' | b'\r') if self.spelling == Spelling::Canonical => {
                ErrorKind::NotCanonical
            }
            Some(_) => ErrorKind::Syntax,
        })
    }

    /// Takes the byte if it comes next.
    pub(crate) fn accept(&mut self, byte: u8) -> bool {
        let here = self.peek() == Some(byte);
        if here {
            self.step(1);
        }
        here
    }

    pub(crate) fn take(&mut self, byte: u8) -> Result<(), Error> {
        if self.accept(byte) { Ok(()) } else { Err(self.unexpected()) }
    }

    /// Takes exactly this text: the fixed parts of a token, which have one spelling.
    pub(crate) fn expect(&mut self, text: &'static str) -> Result<(), Error> {
        if !self.rest().starts_with(text.as_bytes()) {
            return Err(self.error(ErrorKind::Expected(text)));
        }
        self.step(text.len());
        Ok(())
    }

    /// Nothing may be left.
    pub(crate) fn end(&mut self) -> Result<(), Error> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.error(ErrorKind::TrailingBytes)),
        }
    }

    /// Goes into an array or object.
    pub(crate) fn enter(&mut self) -> Result<(), Error> {
        if self.depth >= self.most_depth {
            return Err(self.error(ErrorKind::TooDeep));
        }
        self.depth = self.depth.saturating_add(1);
        self.deepest = self.deepest.max(self.depth);
        Ok(())
    }

    /// Comes back out of it.
    pub(crate) fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// How deep it went.
    pub(crate) fn deepest(&self) -> usize {
        self.deepest
    }

    /// `true`, `false` or `null`.
    pub(super) fn word(&mut self, word: &'static str) -> Result<(), Error> {
        if !self.rest().starts_with(word.as_bytes()) {
            return Err(self.error(ErrorKind::Syntax));
        }
        self.step(word.len());
        Ok(())
    }

    pub(crate) fn string(&mut self) -> Result<Str<'t>, Error> {
        self.take(b'"')?;
        let start = self.at;
        let mut escapes = Escapes::None;
        loop {
            self.step(plain_length(self.rest()));
            match self.byte() {
                Some(b'"') => break,
                Some(b'\\') => {
                    let canonical = self.escape()? && escapes != Escapes::Any;
                    escapes = if canonical { Escapes::Canonical } else { Escapes::Any };
                }
                Some(_) => return Err(self.error(ErrorKind::BadString)),
                None => return Err(self.error(ErrorKind::UnexpectedEnd)),
            }
        }
        let raw = self.since(start);
        self.step(1);
        Ok(Str { raw, escapes })
    }

    /// Checks the escape that starts here, and steps over it. Is it canonical?
    fn escape(&mut self) -> Result<bool, Error> {
        let bad = self.error(ErrorKind::BadString);
        let Some((_, length, canonical)) = unescape(self.rest()) else { return Err(bad) };
        if self.spelling == Spelling::Canonical && !canonical {
            return Err(self.error(ErrorKind::NotCanonical));
        }
        self.step(length);
        Ok(canonical)
    }

    /// An integer of A2: minimal decimal form, within `2^53-1`.
    pub(crate) fn int(&mut self) -> Result<i64, Error> {
        self.peek();
        let start = self.at;
        let error = |kind| Error::at(kind, start);
        self.number_shape()?;
        let text = self.since(start);
        let int: i64 = text.parse().map_err(|_| error(ErrorKind::BadNumber))?;
        if int.unsigned_abs() > MAX_INT.unsigned_abs() || text == "-0" {
            return Err(error(ErrorKind::BadNumber));
        }
        Ok(int)
    }

    /// Steps over a number in RFC 8259's grammar.
    fn number_shape(&mut self) -> Result<(), Error> {
        if self.byte() == Some(b'-') {
            self.step(1);
        }
        if self.byte() == Some(b'0') {
            self.step(1);
        } else {
            self.digits()?;
        }
        if self.byte() == Some(b'.') {
            self.step(1);
            self.digits()?;
        }
        if matches!(self.byte(), Some(b'e' | b'E')) {
            self.step(1);
            if matches!(self.byte(), Some(b'+' | b'-')) {
                self.step(1);
            }
            self.digits()?;
        }
        Ok(())
    }

    fn digits(&mut self) -> Result<(), Error> {
        let count = self.rest().iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.step(count);
        if count == 0 { Err(self.unexpected()) } else { Ok(()) }
    }

    /// A number where one stands: an integer of A2, or `None` for any other where any is fine.
    pub(super) fn number(&mut self) -> Result<Option<i64>, Error> {
        if self.spelling == Spelling::AnyNumber {
            self.number_shape().map(|()| None)
        } else {
            self.int().map(Some)
        }
    }
}

/// The character that the escape at the start of `bytes` stands for, its length, and whether it is the canonical
/// spelling of that character.
fn unescape(bytes: &[u8]) -> Option<(char, usize, bool)> {
    let simple = |character| Some((character, 2, true));
    match bytes.get(1)? {
        b'"' => simple('"'),
        b'\\' => simple('\\'),
        b'b' => simple('\u{8}'),
        b'f' => simple('\u{c}'),
        b'n' => simple('\n'),
        b'r' => simple('\r'),
        b't' => simple('\t'),
        b'/' => Some(('/', 2, false)),
        b'u' => {
            let digits = bytes.get(2..6)?;
            let unit = hex4(digits)?;
            if let Some(character) = char::from_u32(unit) {
                let short = matches!(character, '\u{8}' | '\u{c}' | '\n' | '\r' | '\t');
                let lower = !digits.iter().any(u8::is_ascii_uppercase);
                return Some((character, 6, character < ' ' && !short && lower));
            }
            // A high surrogate, and then only together with its low one.
            let (b'\\', b'u') = (bytes.get(6)?, bytes.get(7)?) else { return None };
            let low = hex4(bytes.get(8..12)?)?;
            let high = unit.checked_sub(0xd800).filter(|high| *high < 0x400)?;
            let low = low.checked_sub(0xdc00).filter(|low| *low < 0x400)?;
            let character = char::from_u32(0x1_0000_u32.checked_add((high << 10) | low)?)?;
            Some((character, 12, false))
        }
        _ => None,
    }
}

fn hex4(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0_u32, |unit, digit| Some((unit << 4) | char::from(*digit).to_digit(16)?))
}

impl<'t> Str<'t> {
    /// The characters that the string stands for.
    pub(crate) fn chars(self) -> impl Iterator<Item = char> + 't {
        let mut rest = self.raw;
        core::iter::from_fn(move || {
            let (character, length) = if rest.starts_with('\\') {
                let (character, length, _) = unescape(rest.as_bytes())?;
                (character, length)
            } else {
                let character = rest.chars().next()?;
                (character, character.len_utf8())
            };
            rest = rest.get(length..)?;
            Some(character)
        })
    }

    /// The text, when no character of it is escaped.
    pub(super) fn plain(self) -> Option<&'t str> {
        if self.escapes == Escapes::None { Some(self.raw) } else { None }
    }

    /// The text as it is written in the canonical form, when it stands so here.
    pub(super) fn canonical(self) -> Option<&'t str> {
        if self.escapes == Escapes::Any { None } else { Some(self.raw) }
    }

    pub(crate) fn decode(self) -> Cow<'t, str> {
        match self.plain() {
            Some(text) => Cow::Borrowed(text),
            None => Cow::Owned(self.chars().collect::<String>()),
        }
    }

    pub(crate) fn is(self, text: &str) -> bool {
        match self.plain() {
            Some(plain) => plain == text,
            None => self.chars().eq(text.chars()),
        }
    }

    /// In code point order, which is the order of UTF-8 bytes.
    pub(super) fn order(self, other: Self) -> core::cmp::Ordering {
        match (self.plain(), other.plain()) {
            (Some(a), Some(b)) => a.cmp(b),
            _ => self.chars().cmp(other.chars()),
        }
    }
}
