//! What can happen, as plain data. Places in lists are counted from the latest back, and go round.

/// A durable agent, or one session of it. Agents 0 and 1 act for one principal, 2 and 3 for another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Who {
    pub agent: u8,
    pub session: Option<u8>,
}

pub const AGENTS: u8 = 4;
pub const SESSIONS: u8 = 2;
pub const ROOMS: u8 = 2;

impl Who {
    /// Each one once, by a number below [`ALL`](Self::ALL).
    pub const fn numbered(number: u8) -> Self {
        let (agent, session) = (number / (SESSIONS + 1) % AGENTS, number % (SESSIONS + 1));
        Self { agent, session: session.checked_sub(1) }
    }

    pub const ALL: u8 = AGENTS * (SESSIONS + 1);

    pub fn number(self) -> usize {
        usize::from(self.agent * (SESSIONS + 1) + self.session.map_or(0, |session| session + 1))
    }

    pub const fn principal(self) -> u8 {
        self.agent / 2
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Direct,
    Broadcast,
    Unaddressed,
}

/// What a server finds of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gates {
    pub admitted: bool,
    pub moderated: bool,
    pub alive: bool,
}

pub const OPEN: Gates = Gates { admitted: true, moderated: true, alive: true };

/// Somebody tries a route that was handed over. Without a word of who or where, it is its recipient in its room.
#[derive(Clone, Copy, Debug)]
pub struct Use {
    pub route: u8,
    pub text: Text,
    pub by: Option<Who>,
    pub room: Option<u8>,
    /// Places in [`KEYS`] and [`BODIES`].
    pub key: u8,
    pub body: u8,
}

/// What is sent in place of a route's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Text {
    Right,
    /// It, in one of these wrong spellings.
    Respelled(u8),
    /// That of a route that was never issued.
    Unknown(u8),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    Pause { on: bool },
    Room { room: u8, reactive: bool },
    Posture { agent: u8, room: u8, manual: bool },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    Platform,
    RoomOwner,
    AgentOwner,
    Agent,
    Other,
}

/// Until when time passes. It never goes back, and ends with i64.
#[derive(Clone, Copy, Debug)]
pub enum Pass {
    Seconds(i64),
    /// So many seconds from the end of a route that was handed over.
    Expiry(u8, i64),
    /// So many seconds from the end of a message.
    End(u8, i64),
}

#[derive(Clone, Copy, Debug)]
pub enum Event {
    /// A hop other than 0 is that of a damaged message.
    Send {
        room: u8,
        kind: Kind,
        author: Who,
        to: Who,
        hop: i64,
        keep: i64,
    },
    /// To its addressee, or, when it has none, to `other`. With the random bytes of an earlier route, if the source of
    /// randomness is broken.
    Deliver {
        message: u8,
        other: Who,
        gates: Gates,
        acknowledged: bool,
        repeated: Option<u8>,
    },
    /// Everything that waits in a room is delivered, and what is handed over is acknowledged.
    Drain {
        room: u8,
    },
    Redeem(Use),
    /// An attempt that is decided, and then waits with what it has found.
    Begin(Use),
    /// One of those goes on.
    End(u8),
    /// Question and answer, so many times, from a message on.
    Talk {
        message: u8,
        times: u8,
    },
    Set(Control, By),
    /// An agent is removed from a room, or comes back.
    Authority {
        agent: u8,
        room: u8,
        has: bool,
    },
    Pass(Pass),
    /// The store forgets what is over.
    Forget,
    /// A message is withdrawn before its end.
    Withdraw {
        message: u8,
    },
}

/// Everything from the start on.
#[derive(Clone, Debug)]
pub struct Case {
    /// How many routes the store has room for.
    pub room: usize,
    pub now: i64,
    pub generation: u64,
    /// By the store's steps one by one, as a server with a store far away does, or by the crate's two functions.
    pub by_steps: bool,
    pub events: Vec<Event>,
}

/// Idempotency keys.
pub const KEYS: [&str; 4] = ["k", "K", "", "k "];

/// Bodies.
pub const BODIES: [&[u8]; 5] = [b"Yes", b"yes", b"", b"Yes\0", b"\xff\xfe{}"];
