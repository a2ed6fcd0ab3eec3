//! Walking over a JSON value without recursion, and keeping it as a flat list of slices of its text.

use super::parse::{Reader, Str};
use crate::error::{Error, ErrorKind};
use alloc::vec::Vec;
use core::cmp::Ordering;

/// A value that was read. Members and elements of every array and object stand side by side in one list.
pub(crate) struct Document<'t> {
    children: Vec<Child<'t>>,
    root: Node<'t>,
}

#[derive(Clone, Copy)]
pub(crate) enum Node<'t> {
    Null,
    Bool(bool),
    Int(i64),
    /// A number that A2 cannot express; only inside the `data` of a proposal.
    OtherNumber(&'t str),
    Str(Str<'t>),
    Array(Children),
    Object(Children),
}

/// Where the children of an array or object stand in their document.
#[derive(Clone, Copy)]
pub(crate) struct Children {
    start: usize,
    end: usize,
}

#[derive(Clone, Copy)]
pub(crate) struct Child<'t> {
    /// The key, in an object.
    pub(crate) key: Option<Str<'t>>,
    pub(crate) node: Node<'t>,
}

impl<'t> Document<'t> {
    pub(crate) fn root(&self) -> Node<'t> {
        self.root
    }

    /// Elements in their order, or members in the order of their keys.
    pub(crate) fn children(&self, of: Children) -> &[Child<'t>] {
        self.children.get(of.start..of.end).unwrap_or_default()
    }
}

/// Reads the value that comes next, in any spelling.
pub(crate) fn read<'t>(reader: &mut Reader<'t>) -> Result<Document<'t>, Error> {
    let mut builder = Builder::default();
    walk(reader, false, &mut builder)?;
    Ok(builder.finish())
}

/// Reads a proposal: as [`read`], but any number is fine inside the root's member `data` (A7.10).
pub(crate) fn read_proposal<'t>(reader: &mut Reader<'t>) -> Result<Document<'t>, Error> {
    let mut builder = Builder::default();
    walk(reader, true, &mut builder)?;
    Ok(builder.finish())
}

/// Steps over the value that comes next, and keeps nothing of it. In the canonical form, keys are in order.
pub(crate) fn skip(reader: &mut Reader<'_>) -> Result<(), Error> {
    walk(reader, false, &mut ())
}

/// What is told of a walk over a value.
trait Visit<'t> {
    /// A value that is no container.
    fn scalar(&mut self, key: Option<Str<'t>>, node: Node<'t>);
    /// A container begins.
    fn open(&mut self);
    /// A container has ended, with everything in it. `key` is its own.
    fn close(&mut self, key: Option<Str<'t>>, is_object: bool, reader: &Reader<'t>) -> Result<(), Error>;
}

/// Nothing is kept.
impl<'t> Visit<'t> for () {
    fn scalar(&mut self, _: Option<Str<'t>>, _: Node<'t>) {}
    fn open(&mut self) {}
    fn close(&mut self, _: Option<Str<'t>>, _: bool, _: &Reader<'t>) -> Result<(), Error> {
        Ok(())
    }
}

/// An array or object whose end has not come yet.
struct Open<'t> {
    /// Its own key in the object around it.
    own: Option<Str<'t>>,
    is_object: bool,
    /// The key whose value is being read, in an object.
    key: Option<Str<'t>>,
}

fn walk<'t>(reader: &mut Reader<'t>, is_proposal: bool, visit: &mut impl Visit<'t>) -> Result<(), Error> {
    // As deep as the reader's limit lets it be.
    let mut open: Vec<Open<'t>> = Vec::new();
    loop {
        let key = open.last().and_then(|around| around.key);
        if let Some(bracket @ (b'{' | b'[')) = reader.peek() {
            reader.enter()?;
            reader.take(bracket)?;
            visit.open();
            let is_object = bracket == b'{';
            open.push(Open { own: key, is_object, key: None });
            if !reader.accept(closer(is_object)) {
                next_key(reader, is_proposal, &mut open)?;
                continue;
            }
            leave(reader, &mut open, visit)?;
        } else {
            visit.scalar(key, scalar(reader)?);
        }
        // The value is complete; so may be any number of containers around it.
        loop {
            if is_proposal && open.len() == 1 {
                reader.any_numbers(false);
            }
            let Some(around) = open.last() else { return Ok(()) };
            if reader.accept(b',') {
                next_key(reader, is_proposal, &mut open)?;
                break;
            }
            reader.take(closer(around.is_object))?;
            leave(reader, &mut open, visit)?;
        }
    }
}

fn closer(is_object: bool) -> u8 {
    if is_object { b'}' } else { b']' }
}

fn leave<'t>(
    reader: &mut Reader<'t>,
    open: &mut Vec<Open<'t>>,
    visit: &mut impl Visit<'t>,
) -> Result<(), Error> {
    reader.leave();
    let Some(done) = open.pop() else { return Ok(()) };
    visit.close(done.own, done.is_object, reader)
}

/// Reads the key that comes next, in an object.
fn next_key<'t>(reader: &mut Reader<'t>, is_proposal: bool, open: &mut [Open<'t>]) -> Result<(), Error> {
    let at_root = open.len() == 1;
    let Some(around) = open.last_mut().filter(|around| around.is_object) else { return Ok(()) };
    reader.peek();
    let here = reader.at();
    let key = reader.string()?;
    if reader.is_canonical() {
        match around.key.map_or(Ordering::Less, |before| before.order(key)) {
            Ordering::Less => {}
            Ordering::Equal => return Err(Error::at(ErrorKind::DuplicateKey, here)),
            Ordering::Greater => return Err(Error::at(ErrorKind::NotCanonical, here)),
        }
    }
    reader.take(b':')?;
    around.key = Some(key);
    if is_proposal && at_root && key.is("data") {
        reader.any_numbers(true);
    }
    Ok(())
}

fn scalar<'t>(reader: &mut Reader<'t>) -> Result<Node<'t>, Error> {
    match reader.peek() {
        Some(b'"') => reader.string().map(Node::Str),
        Some(b'-' | b'0'..=b'9') => {
            let start = reader.at();
            let int = reader.number()?;
            Ok(int.map_or_else(|| Node::OtherNumber(reader.since(start)), Node::Int))
        }
        Some(b't') => reader.word("true").map(|()| Node::Bool(true)),
        Some(b'f') => reader.word("false").map(|()| Node::Bool(false)),
        Some(b'n') => reader.word("null").map(|()| Node::Null),
        _ => Err(reader.unexpected()),
    }
}

/// Keeps a value as a document.
#[derive(Default)]
struct Builder<'t> {
    /// Children of containers that have ended, in their place.
    children: Vec<Child<'t>>,
    /// Children of those that have not.
    pending: Vec<Child<'t>>,
    /// Where the pending children of each of those begin.
    firsts: Vec<usize>,
}

impl<'t> Builder<'t> {
    fn finish(self) -> Document<'t> {
        // The walk told of one value that is in no container.
        Document {
            root: self.pending.first().map_or(Node::Null, |child| child.node),
            children: self.children,
        }
    }
}

impl<'t> Visit<'t> for Builder<'t> {
    fn scalar(&mut self, key: Option<Str<'t>>, node: Node<'t>) {
        self.pending.push(Child { key, node });
    }

    fn open(&mut self) {
        self.firsts.push(self.pending.len());
    }

    fn close(&mut self, key: Option<Str<'t>>, is_object: bool, reader: &Reader<'t>) -> Result<(), Error> {
        let first = self.firsts.pop().unwrap_or_default();
        let start = self.children.len();
        if start == 0 && first == 0 {
            // All there is so far belongs to this one: no need to have it twice.
            core::mem::swap(&mut self.children, &mut self.pending);
        } else {
            self.children.extend_from_slice(self.pending.get(first..).unwrap_or_default());
            self.pending.truncate(first);
        }
        let children = Children { start, end: self.children.len() };
        let node = if is_object { Node::Object(children) } else { Node::Array(children) };
        self.pending.push(Child { key, node });
        let members = self.children.get_mut(start..).unwrap_or_default();
        if is_object && !is_increasing(members) {
            members.sort_unstable_by(key_order);
            if !is_increasing(members) {
                return Err(reader.error(ErrorKind::DuplicateKey));
            }
        }
        Ok(())
    }
}

fn is_increasing(members: &[Child<'_>]) -> bool {
    members.is_sorted_by(|a, b| key_order(a, b) == Ordering::Less)
}

fn key_order(a: &Child<'_>, b: &Child<'_>) -> Ordering {
    match (a.key, b.key) {
        (Some(a), Some(b)) => a.order(b),
        // A member always has a key; were one missing, the object would count as having it twice.
        _ => Ordering::Equal,
    }
}
