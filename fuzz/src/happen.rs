//! Structured inputs: what happens to a server with one store of reply routes.

use crate::choose::{Choices, T};
use crate::played::event::{
    AGENTS, BODIES, By, Case, Control, Event, Gates, KEYS, Kind, OPEN, Pass, ROOMS, SESSIONS, Text, Use, Who,
};
use arbitrary::Unstructured;

const DAY: i64 = 86_400;
const WEEK: i64 = 7 * DAY;

/// How many routes the store has room for.
const ROOM: [usize; 6] = [1000, 0, 1, 2, 3, 4];
const NOW: [i64; 7] = [T, 0, -WEEK, i64::MIN, i64::MAX - 40 * DAY, i64::MAX - WEEK, i64::MAX - 1];
const GENERATION: [u64; 4] = [0, 1, u64::MAX - 1, u64::MAX];
/// How long a message is kept, how much time passes, and how far from the end of something.
const KEEP: [i64; 10] = [30 * DAY, WEEK, WEEK - 1, WEEK + 1, DAY, 1, 0, -1, i64::MAX - T, i64::MAX];
const PASS: [i64; 9] = [1, 0, 3_600, DAY, WEEK - 1, WEEK, WEEK + 1, 30 * DAY, i64::MAX / 2];
const NEAR: [i64; 6] = [0, -1, 1, WEEK - 1, WEEK, DAY];
const HOPS: [i64; 10] = [14, 15, 16, 17, -1, 1, i64::MIN, i64::MAX, 256, (1 << 32) + 1];

/// A longer case says nothing that a shorter one does not.
const MOST: usize = 100;

/// A case; and is all that it shows to be searched for routes? That takes most of the time, so it is so for a quarter of them.
pub fn case(input: &mut Unstructured<'_>) -> (Case, bool) {
    let choices = &mut Choices(input);
    let (room, now, generation) = (choices.pick(&ROOM), choices.pick(&NOW), choices.pick(&GENERATION));
    let how = choices.roll(8);
    let mut events = Vec::new();
    while !choices.0.is_empty() && events.len() < MOST {
        events.push(event(choices));
    }
    (Case { room, now, generation, by_steps: how % 2 == 1, events }, how >= 6)
}

fn event(choices: &mut Choices<'_, '_>) -> Event {
    match choices.roll(15) {
        0 | 11 => send(choices),
        1 | 12 => Event::Deliver {
            message: choices.byte(),
            other: who(choices),
            gates: gates(choices),
            acknowledged: choices.flag(),
            repeated: choices.seldom(16).then(|| choices.byte()),
        },
        2 | 13 => Event::Redeem(a_use(choices)),
        3 => Event::Begin(a_use(choices)),
        4 => Event::End(choices.byte()),
        5 => Event::Drain { room: room(choices) },
        6 => Event::Talk { message: choices.byte(), times: choices.byte() % 20 },
        7 => set(choices),
        8 => Event::Authority { agent: agent(choices), room: room(choices), has: choices.flag() },
        9 => Event::Pass(match choices.roll(3) {
            0 => Pass::Seconds(choices.pick(&PASS)),
            1 => Pass::Expiry(choices.byte(), choices.pick(&NEAR)),
            _ => Pass::End(choices.byte(), choices.pick(&NEAR)),
        }),
        10 => Event::Forget,
        _ => Event::Withdraw { message: choices.byte() },
    }
}

/// The ordinary one is the first.
fn room(choices: &mut Choices<'_, '_>) -> u8 {
    u8::from(choices.seldom(4)) % ROOMS
}

fn agent(choices: &mut Choices<'_, '_>) -> u8 {
    choices.byte() % AGENTS
}

fn who(choices: &mut Choices<'_, '_>) -> Who {
    Who::numbered(choices.byte() % Who::ALL)
}

fn send(choices: &mut Choices<'_, '_>) -> Event {
    let kind = match choices.roll(8) {
        6 => Kind::Broadcast,
        7 => Kind::Unaddressed,
        _ => Kind::Direct,
    };
    let author = who(choices);
    // Ordinarily to an agent of the other principal.
    let to =
        Who::numbered((author.agent * (SESSIONS + 1) + Who::ALL / 2 + choices.byte() % Who::ALL) % Who::ALL);
    let hop = if choices.seldom(16) { choices.pick(&HOPS) } else { 0 };
    let (room, keep) = (room(choices), choices.pick(&KEEP));
    Event::Send { room, kind, author, to, hop, keep }
}

fn gates(choices: &mut Choices<'_, '_>) -> Gates {
    match choices.roll(16) {
        13 => Gates { admitted: false, ..OPEN },
        14 => Gates { moderated: false, ..OPEN },
        15 => Gates { alive: false, ..OPEN },
        _ => OPEN,
    }
}

fn a_use(choices: &mut Choices<'_, '_>) -> Use {
    let route = choices.byte();
    let text = match choices.roll(16) {
        14 => Text::Respelled(choices.byte()),
        15 => Text::Unknown(choices.byte()),
        _ => Text::Right,
    };
    let by = choices.seldom(4).then(|| who(choices));
    let room = choices.seldom(8).then(|| choices.byte() % ROOMS);
    let place = |roll: usize| u8::try_from(roll).unwrap_or_default();
    let (key, body) = (place(choices.roll(KEYS.len())), place(choices.roll(BODIES.len())));
    Use { route, text, by, room, key, body }
}

/// The ordinary one is that of who may.
fn set(choices: &mut Choices<'_, '_>) -> Event {
    let (control, owner) = match choices.roll(3) {
        0 => (Control::Pause { on: !choices.flag() }, By::Platform),
        1 => (Control::Room { room: room(choices), reactive: choices.flag() }, By::RoomOwner),
        _ => (
            Control::Posture { agent: agent(choices), room: room(choices), manual: !choices.flag() },
            By::AgentOwner,
        ),
    };
    let by = choices.pick(&[
        owner,
        owner,
        owner,
        By::Agent,
        By::Platform,
        By::RoomOwner,
        By::AgentOwner,
        By::Other,
    ]);
    Event::Set(control, by)
}
