//! The writer: the only place where new JSON is made, of which some gets hashed or signed (A2). What stands around the
//! strings of another crate's value is in `serde.rs`.

use super::parse::Str;
use super::scan::plain_length;
use super::value::{Child, Document, Node};
use alloc::string::String;
use alloc::vec::Vec;

/// Where text is written to.
pub(crate) trait Sink {
    fn put(&mut self, text: &str);
}

impl Sink for String {
    fn put(&mut self, text: &str) {
        self.push_str(text);
    }
}

/// Text of at most `most` bytes: on the stack while it is short, so that checking an ordinary proof allocates
/// nothing. What would go over the bound is dropped, and `finish` says so.
pub(crate) struct Scratch {
    stack: [u8; Self::STACK],
    length: usize,
    most: usize,
    heap: Vec<u8>,
}

impl Scratch {
    const STACK: usize = 256;

    pub(crate) fn new(most: usize) -> Self {
        Self { stack: [0; Self::STACK], length: 0, most, heap: Vec::new() }
    }

    /// The text, or `None` when it went over the bound.
    pub(crate) fn finish(&self) -> Option<&[u8]> {
        if self.length > self.most {
            return None;
        }
        if self.length > Self::STACK { Some(&self.heap) } else { self.stack.get(..self.length) }
    }
}

impl Sink for Scratch {
    fn put(&mut self, text: &str) {
        let start = self.length;
        self.length = start.saturating_add(text.len());
        if self.length > self.most {
            self.heap = Vec::new();
            return;
        }
        if let Some(room) = self.stack.get_mut(start..self.length) {
            room.copy_from_slice(text.as_bytes());
            return;
        }
        if start <= Self::STACK {
            self.heap.extend_from_slice(self.stack.get(..start).unwrap_or_default());
        }
        self.heap.extend_from_slice(text.as_bytes());
    }
}

/// Writes a string with its quotes.
pub(crate) fn push_string(out: &mut impl Sink, text: &str) {
    out.put("\"");
    push_escaped(out, text);
    out.put("\"");
}

/// Writes one string that is the parts one after the other.
pub(crate) fn push_parts(out: &mut impl Sink, parts: &[&str]) {
    out.put("\"");
    for part in parts {
        push_escaped(out, part);
    }
    out.put("\"");
}

pub(super) fn push_escaped(out: &mut impl Sink, text: &str) {
    let mut rest = text;
    loop {
        let length = plain_length(rest.as_bytes());
        if length == rest.len() {
            return out.put(rest);
        }
        // A byte below 0x80 is a character of its own, so every cut is at a character boundary.
        let (plain, after) = rest.split_at_checked(length).unwrap_or_default();
        out.put(plain);
        let mut characters = after.chars();
        match characters.next() {
            // The frequent ones by themselves: what has a known length is written faster.
            Some('"') => out.put("\\\""),
            Some('\\') => out.put("\\\\"),
            Some('\n') => out.put("\\n"),
            special => {
                let code = special.and_then(|special| usize::try_from(u32::from(special)).ok());
                out.put(code.and_then(|code| CONTROLS.get(code)).unwrap_or(&""));
            }
        }
        rest = characters.as_str();
    }
}

/// How the characters below U+0020 are written (A2).
#[rustfmt::skip]
const CONTROLS: [&str; 0x20] = [
    "\\u0000", "\\u0001", "\\u0002", "\\u0003", "\\u0004", "\\u0005", "\\u0006", "\\u0007",
    "\\b",     "\\t",     "\\n",     "\\u000b", "\\f",     "\\r",     "\\u000e", "\\u000f",
    "\\u0010", "\\u0011", "\\u0012", "\\u0013", "\\u0014", "\\u0015", "\\u0016", "\\u0017",
    "\\u0018", "\\u0019", "\\u001a", "\\u001b", "\\u001c", "\\u001d", "\\u001e", "\\u001f",
];

pub(crate) fn push_int(out: &mut impl Sink, int: i64) {
    if int < 0 {
        out.put("-");
    }
    // As many as the absolute value of an i64 can have; written from the last to the first.
    let mut digits = [b'0'; 19];
    let mut first = digits.len();
    let mut rest = int.unsigned_abs();
    for digit in digits.iter_mut().rev() {
        *digit = digit.saturating_add(u8::try_from(rest.rem_euclid(10)).unwrap_or_default());
        rest = rest.div_euclid(10);
        first = first.saturating_sub(1);
        if rest == 0 {
            break;
        }
    }
    out.put(digits.get(first..).and_then(|digits| core::str::from_utf8(digits).ok()).unwrap_or_default());
}

fn push_str(out: &mut impl Sink, text: Str<'_>) {
    match text.canonical() {
        Some(canonical) => {
            out.put("\"");
            out.put(canonical);
            out.put("\"");
        }
        None => push_string(out, &text.decode()),
    }
}

/// Writes an object whose members are known. They are added in the order of their names.
pub(crate) struct Members<'o, S: Sink> {
    out: &'o mut S,
    started: bool,
}

impl<'o, S: Sink> Members<'o, S> {
    pub(crate) fn of(out: &'o mut S) -> Self {
        Self { out, started: false }
    }

    /// A member whose value is whatever `write` writes.
    pub(crate) fn with(mut self, name: &str, write: impl FnOnce(&mut S)) -> Self {
        self.out.put(if self.started { "," } else { "{" });
        self.started = true;
        push_string(self.out, name);
        self.out.put(":");
        write(self.out);
        self
    }

    pub(crate) fn string(self, name: &str, text: &str) -> Self {
        self.parts(name, &[text])
    }

    /// A string that is the parts one after the other.
    pub(crate) fn parts(self, name: &str, parts: &[&str]) -> Self {
        self.with(name, |out| push_parts(out, parts))
    }

    pub(crate) fn int(self, name: &str, int: i64) -> Self {
        self.with(name, |out| push_int(out, int))
    }

    /// A string, if there is one.
    pub(crate) fn maybe(self, name: &str, text: Option<&str>) -> Self {
        match text {
            Some(text) => self.string(name, text),
            None => self,
        }
    }

    pub(crate) fn end(self) {
        self.out.put(if self.started { "}" } else { "{}" });
    }
}

/// Writes an array, each item by `write`.
pub(crate) fn push_list<S: Sink, I>(out: &mut S, items: &[I], mut write: impl FnMut(&mut S, &I)) {
    out.put("[");
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            out.put(",");
        }
        write(out, item);
    }
    out.put("]");
}

/// Writes a value of the document in its canonical form, without recursion, leaving out its own members of these
/// names.
pub(crate) fn write_except(document: &Document<'_>, node: Node<'_>, except: &[&str], out: &mut impl Sink) {
    struct Level<'d, 't> {
        rest: core::slice::Iter<'d, Child<'t>>,
        end: &'static str,
        first: bool,
    }
    let mut levels: Vec<Level<'_, '_>> = Vec::new();
    let mut next = Some(node);
    loop {
        if let Some(node) = next.take() {
            match node {
                Node::Null => out.put("null"),
                Node::Bool(true) => out.put("true"),
                Node::Bool(false) => out.put("false"),
                Node::Int(int) => push_int(out, int),
                Node::OtherNumber(text) => out.put(text),
                Node::Str(text) => push_str(out, text),
                Node::Array(children) | Node::Object(children) => {
                    let (start, end) = if matches!(node, Node::Object(_)) { ("{", "}") } else { ("[", "]") };
                    out.put(start);
                    levels.push(Level { rest: document.children(children).iter(), end, first: true });
                }
            }
        }
        let at_root = levels.len() == 1;
        let Some(level) = levels.last_mut() else { return };
        let Some(child) = level.rest.next() else {
            out.put(level.end);
            levels.pop();
            continue;
        };
        if at_root && child.key.is_some_and(|key| except.iter().any(|name| key.is(name))) {
            continue;
        }
        if !level.first {
            out.put(",");
        }
        level.first = false;
        if let Some(key) = child.key {
            push_str(out, key);
            out.put(":");
        }
        next = Some(child.node);
    }
}
