//! The same server's other side: attempts, and who sets the controls.

use super::event::{Control, Kind, OPEN, Text, Use, Who};
use super::said::{Answer, Did, Message, Try};
use super::step;
use super::world::{Handed, World, back};
use parley_grants::routes::{self, PlatformPause, RoomPolicy, Step, Store as _};

/// How long an answer is kept.
const KEPT: i64 = 30 * 86_400;

impl World {
    pub fn attempt(&self, how: Use) -> Option<Try> {
        let handed = self.handed[back(self.handed.len(), how.route)?];
        Some(Try { text: how.text, key: how.key, body: how.body, ..self.by(handed, how.by, how.room) })
    }

    /// An attempt with a route, by its recipient in its room unless it is another's or elsewhere.
    pub fn by(&self, handed: Handed, who: Option<Who>, room: Option<u8>) -> Try {
        let (by, room) = (who.unwrap_or(handed.recipient), room.unwrap_or(handed.room));
        let authority = self.authority[usize::from(by.agent)][usize::from(room)];
        let over = self.over(room);
        Try { secret: handed.secret, text: Text::Right, by, room, authority, key: 0, body: 0, over }
    }

    /// Redeems a route, and says what came of it.
    pub fn redeem(&mut self, attempt: Try) -> Answer {
        let receipt = self.messages.len();
        let (asked, name) = (step::attempt(&attempt), format!("m-{receipt}"));
        let before = core::mem::take(&mut self.store.calls);
        let redemption = if self.by_steps {
            step::redeem(&mut self.store, &asked, attempt.over, &name)
        } else {
            let controls = step::controls(attempt.over);
            let Ok(redemption) = routes::redeem(&mut self.store, &asked, &controls, &name, attempt.over.now);
            redemption
        };
        let calls = core::mem::replace(&mut self.store.calls, before);
        let (answer, seen) = step::answer(redemption);
        self.shown.push(format!("{asked:?} {seen}"));
        self.log.push(Did::Tried(attempt, receipt, answer, seen, calls));
        self.answered(answer);
        answer
    }

    /// Reads the record and decides; what is then to be consumed waits.
    pub fn begin(&mut self, attempt: Try) {
        let asked = step::attempt(&attempt);
        let Ok(record) = self.store.find(&asked.route.digest());
        let step = asked.decide(record.as_ref(), &step::controls(attempt.over), attempt.over.now);
        self.shown.push(format!("{step:?}"));
        let answer = match step {
            Step::Done(redemption) => Some(step::answer(redemption).0),
            Step::Consume(consume) => {
                self.waiting.push((self.began, attempt.secret, consume));
                None
            }
        };
        self.began += 1;
        self.log.push(Did::Began(attempt, answer));
    }

    /// Goes on with one that waits.
    pub fn end(&mut self, which: usize) -> Answer {
        let receipt = self.messages.len();
        let (began, _, consume) = self.waiting.remove(which);
        let used = consume.used(&format!("m-{receipt}"));
        let Ok(is_first) = self.store.consume(consume.digest(), &used);
        let redemption = if is_first {
            consume.won()
        } else {
            let Ok(record) = self.store.find(consume.digest());
            consume.lost(record.as_ref())
        };
        let (answer, seen) = step::answer(redemption);
        self.shown.push(seen);
        self.log.push(Did::Ended(began, receipt, answer));
        self.answered(answer);
        answer
    }

    /// The message of a first redemption.
    fn answered(&mut self, answer: Answer) {
        let Answer::First(terms) = answer else { return };
        self.messages.push(Message {
            id: self.next_id(terms.room),
            room: terms.room,
            kind: Kind::Direct,
            author: terms.recipient,
            to: terms.target,
            hop: terms.hop,
            lineage: terms.lineage,
            ends: self.now.saturating_add(KEPT),
        });
    }

    pub(super) fn talk(&mut self, message: u8, times: u8) {
        let Some(mut message) = back(self.messages.len(), message) else { return };
        for _ in 0..times {
            let to = self.messages[message].to;
            let Some(handed) = self.deliver(message, to, OPEN, true, None) else { return };
            let attempt = self.by(self.handed[handed], None, None);
            let Answer::First(_) = self.redeem(attempt) else { return };
            message = self.messages.len() - 1;
        }
    }

    pub(super) fn set(&mut self, control: Control, by: super::event::By) {
        let role = step::role(by);
        let (before, after) = match control {
            Control::Pause { on } => {
                let after = PlatformPause::recorded(self.pause).set(on, role).map(|pause| (pause.is_on(), 0));
                ((self.pause, 0), after)
            }
            Control::Room { room, reactive } => {
                let before = self.rooms[usize::from(room)];
                let after = RoomPolicy::recorded(before.0, before.1).set(reactive, role);
                (before, after.map(|policy| (policy.is_reactive(), policy.generation())))
            }
            Control::Posture { agent, room, manual } => {
                let before = self.manual[usize::from(agent)][usize::from(room)];
                let after = step::posture(before).set(step::posture(manual), role);
                ((before, 0), after.map(|posture| (posture == routes::Posture::Manual, 0)))
            }
        };
        if let Ok(after) = after {
            match control {
                Control::Pause { .. } => self.pause = after.0,
                Control::Room { room, .. } => self.rooms[usize::from(room)] = after,
                Control::Posture { agent, room, .. } => {
                    self.manual[usize::from(agent)][usize::from(room)] = after.0;
                }
            }
        }
        self.log.push(Did::Set(control, by, before, after.ok()));
    }
}
