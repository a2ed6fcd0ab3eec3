//! What must come of it, worked out from the contract alone, as naively as it can be kept: a list of all routes that ever were.

use super::event::{By, Control, Kind, Text};
use super::said::{Answer, Asked, Delivered, Did, Frozen, Receipt, Try};
use super::secret::unknown;

const WEEK: i128 = 7 * 86_400;
const LAST: i64 = 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Open,
    Revoked,
    /// With this key and body, and this receipt.
    Consumed(u8, u8, Receipt),
}

#[derive(Clone, Copy, Debug)]
struct Route {
    secret: u8,
    message: usize,
    terms: Frozen,
    message_ends: i64,
    state: State,
    is_forgotten: bool,
}

impl Route {
    /// So far beyond its end that the store in memory need not know it.
    fn is_over(&self, now: i64) -> bool {
        let expires = i128::from(self.terms.expires);
        i128::from(now)
            >= match self.state {
                State::Open | State::Revoked => expires,
                State::Consumed(..) => expires.max(self.message_ends.into()) + WEEK,
            }
    }
}

/// The judge of everything that happens with one store.
pub struct Judge {
    room: usize,
    routes: Vec<Route>,
    waiting: Vec<Try>,
}

impl Judge {
    pub const fn with_room(room: usize) -> Self {
        Self { room, routes: Vec::new(), waiting: Vec::new() }
    }

    /// Must it have come so?
    pub fn see(&mut self, did: &Did) {
        match did {
            Did::Delivered(asked, said) => assert_eq!(*said, self.delivered(asked), "{asked:#?}"),
            Did::Tried(attempt, receipt, said, ..) => {
                let expected = match self.decided(attempt) {
                    Some(answer) => answer,
                    None => self.consumed(attempt, *receipt),
                };
                assert_eq!(*said, expected, "{attempt:#?}");
            }
            Did::Began(attempt, said) => {
                assert_eq!(*said, self.decided(attempt), "{attempt:#?}");
                self.waiting.push(*attempt);
            }
            Did::Ended(which, receipt, said) => {
                let attempt = self.waiting[*which];
                assert_eq!(*said, self.consumed(&attempt, *receipt), "{attempt:#?}");
            }
            Did::Set(control, by, before, after) => {
                assert_eq!(*after, set(*control, *by, *before), "{control:?} by {by:?} from {before:?}");
            }
            Did::Forgot(now) => self.forget(|route| route.is_over(*now)),
            Did::Withdrew(message) => {
                let is_of_it = |route: &&mut Route| route.message == *message && route.state == State::Open;
                self.routes.iter_mut().filter(is_of_it).for_each(|route| route.state = State::Revoked);
            }
        }
    }

    fn forget(&mut self, which: impl Fn(&Route) -> bool) {
        self.routes.iter_mut().filter(|route| which(route)).for_each(|route| route.is_forgotten = true);
    }

    fn kept(&self) -> usize {
        self.routes.iter().filter(|route| !route.is_forgotten).count()
    }

    fn find(&mut self, secret: u8) -> Option<&mut Route> {
        self.routes.iter_mut().find(|route| route.secret == secret && !route.is_forgotten)
    }

    fn delivered(&mut self, asked: &Asked) -> Delivered {
        let Asked { what, recipient, gates, over, .. } = *asked;
        let gates = [
            what.kind == Kind::Direct,
            what.author.agent != recipient.agent,
            !asked.duplicate,
            gates.admitted,
            gates.moderated,
            gates.alive,
            0 <= what.hop,
            what.hop <= LAST,
        ];
        if gates.contains(&false) {
            return Delivered::None;
        }
        let crosses = what.author.principal() != recipient.principal();
        if asked.manual || (crosses && over.paused) || (crosses && !over.reactive) {
            return Delivered::Held;
        }
        let expires = (i128::from(over.now) + WEEK).min(what.ends.into());
        let of_it = |route: &Route| route.message == asked.message && route.terms.recipient == recipient;
        let is_answered =
            self.routes.iter().any(|route| of_it(route) && matches!(route.state, State::Consumed(..)));
        if what.hop == LAST || i128::from(over.now) >= expires {
            return Delivered::Turn(None, 0);
        }
        if is_answered {
            return Delivered::Answered;
        }
        if self.find(asked.secret).is_some() {
            return Delivered::Refused;
        }
        if self.kept() >= self.room {
            self.forget(|route| route.is_over(over.now) || route.state == State::Revoked);
        }
        let is_full = self.kept() >= self.room;
        let mut earlier: Vec<_> = self.routes.iter_mut().filter(|route| of_it(route)).collect();
        earlier.retain(|route| route.state == State::Open && !route.is_forgotten);
        assert!(earlier.len() <= 1, "two live routes: {earlier:#?}");
        match earlier.pop() {
            // It makes room for the one that takes its place.
            Some(earlier) if is_full => earlier.is_forgotten = true,
            Some(earlier) => earlier.state = State::Revoked,
            None if is_full => return Delivered::Refused,
            None => {}
        }
        let terms = Frozen {
            message: what.id,
            room: what.room,
            recipient,
            target: what.author,
            generation: over.generation,
            hop: what.hop + 1,
            lineage: what.lineage,
            crosses,
            expires: i64::try_from(expires).expect("not after a message's end"),
        };
        self.routes.push(Route {
            secret: asked.secret,
            message: asked.message,
            terms,
            message_ends: what.ends,
            state: State::Open,
            is_forgotten: false,
        });
        Delivered::Turn(Some(terms), LAST - what.hop)
    }

    /// What is decided before the route is consumed; nothing when it is to be.
    fn decided(&mut self, attempt: &Try) -> Option<Answer> {
        let over = attempt.over;
        if let Some(answer) = self.known(attempt) {
            return Some(answer);
        }
        let terms = self.find(secret(attempt)).expect("it is known").terms;
        first([
            (over.generation != terms.generation, "old_generation"),
            (over.now >= terms.expires, "expired"),
            (over.paused, "paused"),
            (terms.crosses && !over.reactive, "room_not_reactive"),
        ])
    }

    /// The answer of a route that is not open, or not theirs.
    fn known(&mut self, attempt: &Try) -> Option<Answer> {
        if matches!(attempt.text, Text::Respelled(_)) {
            return Some(Answer::Refused("no_route"));
        }
        let Some(route) = self.find(secret(attempt)) else { return Some(Answer::Refused("unknown")) };
        let wrong = first([
            (attempt.room != route.terms.room, "other_room"),
            (attempt.by != route.terms.recipient, "other_scope"),
            (!attempt.authority, "no_authority"),
            (route.state == State::Revoked, "revoked"),
        ]);
        match route.state {
            State::Consumed(key, body, receipt) if wrong.is_none() => {
                let wrong = first([(attempt.key != key, "other_key"), (attempt.body != body, "other_body")]);
                Some(wrong.unwrap_or(Answer::Replay(receipt)))
            }
            _ => wrong,
        }
    }

    /// A good attempt, when the store is asked to consume the route for it.
    fn consumed(&mut self, attempt: &Try, receipt: Receipt) -> Answer {
        if let Some(answer) = self.known(attempt) {
            return answer;
        }
        let route = self.find(secret(attempt)).expect("it is known");
        route.state = State::Consumed(attempt.key, attempt.body, receipt);
        Answer::First(route.terms)
    }
}

fn secret(attempt: &Try) -> u8 {
    match attempt.text {
        Text::Unknown(number) => unknown(number),
        Text::Right | Text::Respelled(_) => attempt.secret,
    }
}

/// The first thing that is wrong.
fn first<const N: usize>(wrong: [(bool, &'static str); N]) -> Option<Answer> {
    wrong.iter().find(|(is_wrong, _)| *is_wrong).map(|(_, why)| Answer::Refused(why))
}

/// What a control is after somebody wanted to change it: what it says, and its generation; nothing if it is not theirs.
fn set(control: Control, by: By, (_, generation): (bool, u64)) -> Option<(bool, u64)> {
    match (control, by) {
        (Control::Pause { on }, By::Platform) => Some((on, generation)),
        (Control::Room { reactive, .. }, By::RoomOwner) => {
            generation.checked_add(1).map(|generation| (reactive, generation))
        }
        (Control::Posture { manual: true, .. }, By::Agent) => Some((true, generation)),
        (Control::Posture { manual, .. }, By::AgentOwner) => Some((manual, generation)),
        _ => None,
    }
}
