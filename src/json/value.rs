//! A JSON value as a flat list of slices of its text, built without recursion.

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

/// An array or object whose end has not come yet.
struct Open<'t> {
    is_object: bool,
    /// Its first child among the pending ones.
    first: usize,
    /// The key whose value is being read.
    key: Option<Str<'t>>,
}

impl<'t> Document<'t> {
    pub(crate) fn root(&self) -> Node<'t> {
        self.root
    }

    /// Elements in their order, or members in the order of their keys.
    pub(crate) fn children(&self, of: Children) -> &[Child<'t>] {
        self.children.get(of.start..of.end).unwrap_or_default()
    }

    /// Moves the pending children of a container, from `first` on, to their place; members are sorted.
    fn close(
        &mut self,
        pending: &mut Vec<Child<'t>>,
        open: &Open<'t>,
        reader: &Reader<'_>,
    ) -> Result<Node<'t>, Error> {
        let start = self.children.len();
        self.children.extend_from_slice(pending.get(open.first..).unwrap_or_default());
        pending.truncate(open.first);
        let children = Children { start, end: self.children.len() };
        if !open.is_object {
            return Ok(Node::Array(children));
        }
        let members = self.children.get_mut(start..).unwrap_or_default();
        if !members.is_sorted_by(|a, b| key_order(a, b) == Ordering::Less) {
            if reader.is_canonical() {
                let twice = members
                    .windows(2)
                    .any(|pair| matches!(pair, [a, b] if key_order(a, b) == Ordering::Equal));
                return Err(reader.error(if twice {
                    ErrorKind::DuplicateKey
                } else {
                    ErrorKind::NotCanonical
                }));
            }
            members.sort_unstable_by(key_order);
            if !members.is_sorted_by(|a, b| key_order(a, b) == Ordering::Less) {
                return Err(reader.error(ErrorKind::DuplicateKey));
            }
        }
        Ok(Node::Object(children))
    }
}

fn key_order(a: &Child<'_>, b: &Child<'_>) -> Ordering {
    match (a.key, b.key) {
        (Some(a), Some(b)) => a.order(b),
        // A member always has a key; were one missing, the object would count as having it twice.
        _ => Ordering::Equal,
    }
}

/// Reads the value that comes next.
pub(crate) fn read<'t>(reader: &mut Reader<'t>) -> Result<Document<'t>, Error> {
    read_with(reader, false)
}

/// Reads a proposal: as [`read`], but any number is fine inside the root's member `data` (A7).
pub(crate) fn read_proposal<'t>(reader: &mut Reader<'t>) -> Result<Document<'t>, Error> {
    read_with(reader, true)
}

fn read_with<'t>(reader: &mut Reader<'t>, is_proposal: bool) -> Result<Document<'t>, Error> {
    let mut document = Document { children: Vec::new(), root: Node::Null };
    let mut open: Vec<Open<'t>> = Vec::new();
    let mut pending: Vec<Child<'t>> = Vec::new();
    loop {
        let mut node = match reader.peek() {
            Some(bracket @ (b'{' | b'[')) => {
                reader.enter()?;
                reader.take(bracket)?;
                let is_object = bracket == b'{';
                let mut here = Open { is_object, first: pending.len(), key: None };
                if reader.accept(closer(is_object)) {
                    reader.leave();
                    document.close(&mut pending, &here, reader)?
                } else {
                    if is_object {
                        here.key = Some(key(reader, is_proposal && open.is_empty())?);
                    }
                    open.push(here);
                    continue;
                }
            }
            _ => scalar(reader)?,
        };
        // The value is complete; so may be any number of containers around it.
        loop {
            let Some(around) = open.last_mut() else {
                document.root = node;
                return Ok(document);
            };
            let is_object = around.is_object;
            pending.push(Child { key: around.key.take(), node });
            let at_root = open.len() == 1;
            if is_proposal && at_root {
                reader.any_numbers(false);
            }
            if reader.accept(b',') {
                if is_object {
                    let next = key(reader, is_proposal && at_root)?;
                    if let Some(around) = open.last_mut() {
                        around.key = Some(next);
                    }
                }
                break;
            }
            reader.take(closer(is_object))?;
            reader.leave();
            let Some(done) = open.pop() else { break };
            node = document.close(&mut pending, &done, reader)?;
        }
    }
}

fn closer(is_object: bool) -> u8 {
    if is_object { b'}' } else { b']' }
}

fn key<'t>(reader: &mut Reader<'t>, in_proposal: bool) -> Result<Str<'t>, Error> {
    reader.peek();
    let key = reader.string()?;
    reader.take(b':')?;
    if in_proposal && key.is("data") {
        reader.any_numbers(true);
    }
    Ok(key)
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
