//! What has happened, as plain data: what was asked, what stood over the room, and what the crate said.

use super::event::{By, Control, Gates, Kind, Text, Who};

/// A message, as the server has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// Its number in its room.
    pub id: usize,
    pub room: u8,
    pub kind: Kind,
    pub author: Who,
    pub to: Who,
    pub hop: i64,
    pub lineage: usize,
    /// When it will be deleted.
    pub ends: i64,
}

/// What stands over a room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Over {
    pub now: i64,
    pub paused: bool,
    pub reactive: bool,
    pub generation: u64,
}

/// What a route is frozen to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frozen {
    /// The id of the message that it came with.
    pub message: usize,
    pub room: u8,
    pub recipient: Who,
    pub target: Who,
    pub generation: u64,
    pub hop: i64,
    pub lineage: usize,
    pub crosses: bool,
    pub expires: i64,
}

/// A delivery.
#[derive(Clone, Copy, Debug)]
pub struct Asked {
    /// Its place in the list of messages.
    pub message: usize,
    pub what: Message,
    pub recipient: Who,
    pub gates: Gates,
    /// Was it acknowledged before?
    pub duplicate: bool,
    pub manual: bool,
    pub over: Over,
    /// Which random bytes there were for a route.
    pub secret: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivered {
    None,
    Answered,
    Held,
    Refused,
    /// With the terms of the route that came with it, and what was said to remain.
    Turn(Option<Frozen>, i64),
}

/// An attempt to use a route.
#[derive(Clone, Copy, Debug)]
pub struct Try {
    /// Which random bytes it is of, or nearly.
    pub secret: u8,
    pub text: Text,
    pub by: Who,
    pub room: u8,
    pub authority: bool,
    pub key: u8,
    pub body: u8,
    pub over: Over,
}

/// The receipt of a message is its place in the list of messages.
pub type Receipt = usize;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    First(Frozen),
    Replay(Receipt),
    /// With what the operator is told.
    Refused(&'static str),
}

/// How often the store was asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Calls {
    pub find: usize,
    pub issue: usize,
    pub consume: usize,
}

#[derive(Clone, Debug)]
pub enum Did {
    Delivered(Asked, Delivered),
    /// An attempt from its beginning to its end, with the receipt that it would have; all that a caller can see of the answer
    /// as a text; and the store's work.
    Tried(Try, Receipt, Answer, String, Calls),
    /// An attempt that was decided, if it was.
    Began(Try, Option<Answer>),
    /// The end of the one that began as the so manieth.
    Ended(usize, Receipt, Answer),
    /// Who set what, from what; then it was this, or they were not allowed to.
    Set(Control, By, (bool, u64), Option<(bool, u64)>),
    Forgot(i64),
    /// The message at this place was withdrawn.
    Withdrew(usize),
}
