//! A server with one store of routes, to which things happen. It believes whatever the crate says, and writes it down.

use super::event::{AGENTS, Case, Event, Gates, Kind, OPEN, Pass, ROOMS, Who};
use super::said::{Asked, Calls, Delivered, Did, Frozen, Message, Over};
use super::secret::{self, MOST};
use super::step::{self, Counted};
use parley_grants::routes::{self, Consume, MemoryStore, Store as _};

/// A route that was handed over.
#[derive(Clone, Copy, Debug)]
pub struct Handed {
    pub secret: u8,
    pub message: usize,
    pub recipient: Who,
    pub room: u8,
    pub expires: i64,
}

pub struct World {
    pub store: Counted,
    pub messages: Vec<Message>,
    pub handed: Vec<Handed>,
    pub log: Vec<Did>,
    /// All that anybody could print of what the crate gave out.
    pub shown: Vec<String>,
    pub now: i64,
    pub(super) by_steps: bool,
    pub(super) pause: bool,
    pub(super) rooms: [(bool, u64); ROOMS as usize],
    pub(super) manual: [[bool; ROOMS as usize]; AGENTS as usize],
    pub(super) authority: [[bool; ROOMS as usize]; AGENTS as usize],
    acknowledged: Vec<(usize, Who)>,
    /// How many of the random bytes were used.
    secrets: u8,
    pub(super) began: usize,
    /// Attempts that were decided, with the number of their beginning and of their route's random bytes.
    pub(super) waiting: Vec<(usize, u8, Consume<'static>)>,
}

impl World {
    pub fn of(case: &Case) -> Self {
        Self {
            store: Counted { inner: MemoryStore::with_capacity(case.room), calls: Calls::default() },
            messages: Vec::new(),
            handed: Vec::new(),
            log: Vec::new(),
            shown: Vec::new(),
            now: case.now,
            by_steps: case.by_steps,
            pause: false,
            rooms: [(true, case.generation); ROOMS as usize],
            manual: [[false; ROOMS as usize]; AGENTS as usize],
            authority: [[true; ROOMS as usize]; AGENTS as usize],
            acknowledged: Vec::new(),
            secrets: 0,
            began: 0,
            waiting: Vec::new(),
        }
    }

    pub fn played(case: &Case) -> Self {
        let mut world = Self::of(case);
        world.play(&case.events);
        world
    }

    pub fn play(&mut self, events: &[Event]) {
        events.iter().for_each(|event| self.happens(event));
    }

    pub fn over(&self, room: u8) -> Over {
        let (reactive, generation) = self.rooms[usize::from(room)];
        Over { now: self.now, paused: self.pause, reactive, generation }
    }

    pub fn happens(&mut self, event: &Event) {
        match *event {
            Event::Send { room, kind, author, to, hop, keep } => {
                let lineage = self.messages.len();
                let ends = self.now.saturating_add(keep);
                let id = self.next_id(room);
                self.messages.push(Message { id, room, kind, author, to, hop, lineage, ends });
            }
            Event::Deliver { message, other, gates, acknowledged, repeated } => {
                let Some(message) = back(self.messages.len(), message) else { return };
                let to = self.addressee(message).unwrap_or(other);
                let repeated =
                    repeated.and_then(|place| Some(self.handed[back(self.handed.len(), place)?].secret));
                self.deliver(message, to, gates, acknowledged, repeated);
            }
            Event::Drain { room } => {
                for message in 0..self.messages.len() {
                    if self.messages[message].room == room {
                        self.drain(message);
                    }
                }
            }
            Event::Redeem(how) => {
                if let Some(attempt) = self.attempt(how) {
                    self.redeem(attempt);
                }
            }
            Event::Begin(how) => {
                if let Some(attempt) = self.attempt(how) {
                    self.begin(attempt);
                }
            }
            Event::End(which) => {
                if let Some(which) = back(self.waiting.len(), which) {
                    self.end(which);
                }
            }
            Event::Talk { message, times } => self.talk(message, times),
            Event::Set(control, by) => self.set(control, by),
            Event::Authority { agent, room, has } => {
                self.authority[usize::from(agent)][usize::from(room)] = has;
            }
            Event::Pass(pass) => {
                let from = |end: i64, more: i64| Some(end.saturating_add(more));
                let then = match pass {
                    Pass::Seconds(seconds) => from(self.now, seconds),
                    Pass::Expiry(route, more) => {
                        back(self.handed.len(), route).and_then(|at| from(self.handed[at].expires, more))
                    }
                    Pass::End(message, more) => {
                        back(self.messages.len(), message).and_then(|at| from(self.messages[at].ends, more))
                    }
                };
                self.now = self.now.max(then.unwrap_or(self.now));
            }
            Event::Forget => {
                self.store.inner.forget(self.now);
                self.log.push(Did::Forgot(self.now));
            }
            Event::Withdraw { message } => {
                let Some(message) = back(self.messages.len(), message) else { return };
                let what = self.messages[message];
                let room = step::ROOM_NAMES[usize::from(what.room)];
                self.store.inner.withdraw(room, &format!("m-{}", what.id));
                self.log.push(Did::Withdrew(message));
            }
        }
    }

    /// Both rooms count from the same number on.
    pub(super) fn next_id(&self, room: u8) -> usize {
        self.messages.iter().filter(|message| message.room == room).count()
    }

    fn addressee(&self, message: usize) -> Option<Who> {
        let message = &self.messages[message];
        (message.kind == Kind::Direct).then_some(message.to)
    }

    fn drain(&mut self, message: usize) {
        let everybody = || (0..AGENTS).map(|agent| Who { agent, session: None }).collect();
        for to in self.addressee(message).map_or_else(everybody, |to| vec![to]) {
            if !self.acknowledged.contains(&(message, to)) {
                self.deliver(message, to, OPEN, true, None);
            }
        }
    }

    /// Delivers a message; the place of the route that came with it.
    pub fn deliver(
        &mut self,
        message: usize,
        recipient: Who,
        gates: Gates,
        acknowledged: bool,
        repeated: Option<u8>,
    ) -> Option<usize> {
        // However broken the source of randomness, two routes at a time are two.
        let repeated =
            repeated.filter(|repeated| !self.waiting.iter().any(|(_, secret, _)| secret == repeated));
        // So many are never needed.
        let secret = repeated.or((self.secrets < MOST).then_some(self.secrets))?;
        let what = self.messages[message];
        let over = self.over(what.room);
        let manual = self.manual[usize::from(recipient.agent)][usize::from(what.room)];
        let duplicate = self.acknowledged.contains(&(message, recipient));
        let asked = Asked { message, what, recipient, gates, duplicate, manual, over, secret };
        let (name, lineage, random) =
            (format!("m-{}", what.id), format!("l-{}", what.lineage), secret::bytes(secret));
        let delivery = step::delivery(&asked, &name, &lineage);
        let delivered = if self.by_steps {
            let (delivered, shown) = step::deliver(&mut self.store, &delivery, over, manual, &random);
            self.shown.push(shown);
            delivered
        } else {
            let (controls, posture) = (step::controls(over), step::posture(manual));
            let Ok(delivered) =
                routes::deliver(&mut self.store, &delivery, &controls, posture, &random, over.now);
            delivered
        };
        self.shown.push(format!("{delivered:?}"));
        let said = match delivered {
            routes::Delivered::None => Delivered::None,
            routes::Delivered::Answered => Delivered::Answered,
            routes::Delivered::Held => Delivered::Held,
            routes::Delivered::Refused => Delivered::Refused,
            routes::Delivered::Turn(handed) => {
                let remaining = handed.remaining().into();
                let text = handed.route_text().map(|text| String::from(text.expose()));
                let reply = handed.reply("k", b"Yes");
                self.shown.push(format!("{reply:?}"));
                assert_eq!(reply.map(|reply| String::from(reply.route_text().expose())), text);
                Delivered::Turn(text.map(|text| self.handed(&asked, &text)), remaining)
            }
        };
        let is_turn = matches!(said, Delivered::Turn(..));
        if is_turn && acknowledged && !duplicate {
            self.acknowledged.push((message, recipient));
        }
        self.log.push(Did::Delivered(asked, said));
        matches!(said, Delivered::Turn(Some(_), _)).then(|| self.handed.len() - 1)
    }

    fn handed(&mut self, asked: &Asked, text: &str) -> Frozen {
        assert_eq!(text, secret::text(asked.secret), "the text of its random bytes");
        let Ok(record) = self.store.inner.find(&secret::digest(asked.secret));
        let record = record.expect("a route that was handed over is known");
        self.shown.push(format!("{record:?}"));
        let terms = step::frozen(&record.message, &record.terms);
        self.secrets = self.secrets.max(asked.secret + 1);
        self.handed.push(Handed {
            secret: asked.secret,
            message: asked.message,
            recipient: asked.recipient,
            room: asked.what.room,
            expires: terms.expires,
        });
        terms
    }
}

/// The place that many back from the latest, and round again.
pub(super) fn back(many: usize, place: u8) -> Option<usize> {
    (many > 0).then(|| many - 1 - usize::from(place) % many)
}
