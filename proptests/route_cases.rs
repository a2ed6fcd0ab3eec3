//! Cases for reply routes: mostly things that go on somewhere, as otherwise nothing is ever answered.

use crate::generate::{T, sometimes};
use crate::routes::event::{
    AGENTS, BODIES, By, Case, Control, Event, Gates, KEYS, Kind, OPEN, Pass, ROOMS, Text, Use, Who,
};
use crate::routes::secret::SPELLINGS;
use proptest::collection::vec;
use proptest::prelude::*;

pub const DAY: i64 = 86_400;
pub const WEEK: i64 = 7 * DAY;

pub fn who() -> impl Strategy<Value = Who> + Clone {
    (0..Who::ALL).prop_map(Who::numbered)
}

/// Two agents of two principals, or else of one, with whatever sessions.
pub fn pair() -> impl Strategy<Value = (Who, Who)> {
    (who(), prop_oneof![3 => 1..AGENTS, 1 => Just(2)], prop::option::of(0..2_u8))
        .prop_map(|(one, apart, session)| (one, Who { agent: (one.agent + apart) % AGENTS, session }))
}

fn room() -> impl Strategy<Value = u8> + Clone {
    prop_oneof![3 => Just(0), 1 => 1..ROOMS]
}

/// The latest, mostly.
fn place() -> impl Strategy<Value = u8> + Clone {
    prop_oneof![5 => Just(0), 3 => 1..4_u8, 1 => 0..40_u8]
}

/// How long a message is kept.
pub fn keep() -> impl Strategy<Value = i64> {
    prop_oneof![
        4 => Just(30 * DAY),
        2 => prop::sample::select(vec![WEEK - 1, WEEK, WEEK + 1, DAY, 1, 0, -1]),
        1 => prop::sample::select(vec![i64::MAX, i64::MAX - T]),
    ]
}

fn send() -> impl Strategy<Value = Event> {
    let kind = prop_oneof![8 => Just(Kind::Direct), 1 => Just(Kind::Broadcast), 1 => Just(Kind::Unaddressed)];
    let hop = prop_oneof![
        12 => Just(0),
        1 => prop::sample::select(vec![-1, 1, 14, 15, 16, 17, 18, i64::MIN, i64::MAX, 256, 1 << 32]),
    ];
    let parties = prop_oneof![9 => pair(), 1 => (who(), who())];
    (room(), kind, parties, hop, keep()).prop_map(|(room, kind, (author, to), hop, keep)| Event::Send {
        room,
        kind,
        author,
        to,
        hop,
        keep,
    })
}

fn gates() -> impl Strategy<Value = Gates> {
    let some =
        any::<[bool; 3]>().prop_map(|[admitted, moderated, alive]| Gates { admitted, moderated, alive });
    prop_oneof![9 => Just(OPEN), 1 => some]
}

fn deliver() -> impl Strategy<Value = Event> {
    (place(), who(), gates(), any::<bool>(), sometimes(4, place())).prop_map(
        |(message, other, gates, acknowledged, repeated)| Event::Deliver {
            message,
            other,
            gates,
            acknowledged,
            repeated,
        },
    )
}

pub fn a_use() -> impl Strategy<Value = Use> {
    let text = prop_oneof![
        20 => Just(Text::Right),
        1 => (0..SPELLINGS).prop_map(Text::Respelled),
        1 => (0..4_u8).prop_map(Text::Unknown),
    ];
    let (keys, bodies) = (KEYS.len() as u8, BODIES.len() as u8);
    let (key, body) = (prop_oneof![4 => Just(0), 1 => 0..keys], prop_oneof![4 => Just(0), 1 => 0..bodies]);
    (place(), text, sometimes(12, who()), sometimes(8, room()), key, body)
        .prop_map(|(route, text, by, room, key, body)| Use { route, text, by, room, key, body })
}

pub fn by() -> impl Strategy<Value = By> + Clone {
    prop::sample::select(vec![By::Platform, By::RoomOwner, By::AgentOwner, By::Agent, By::Other])
}

pub fn set() -> impl Strategy<Value = Event> {
    let pause = (prop::bool::weighted(0.3), prop_oneof![3 => Just(By::Platform), 1 => by()])
        .prop_map(|(on, by)| Event::Set(Control::Pause { on }, by));
    let policy = (room(), prop::bool::weighted(0.7), prop_oneof![3 => Just(By::RoomOwner), 1 => by()])
        .prop_map(|(room, reactive, by)| Event::Set(Control::Room { room, reactive }, by));
    let posture = (
        0..AGENTS,
        room(),
        any::<bool>(),
        prop_oneof![2 => Just(By::AgentOwner), 2 => Just(By::Agent), 1 => by()],
    )
        .prop_map(|(agent, room, manual, by)| Event::Set(Control::Posture { agent, room, manual }, by));
    prop_oneof![2 => pause, 2 => policy, 3 => posture]
}

pub fn pass() -> impl Strategy<Value = Event> {
    let seconds =
        prop::sample::select(vec![0, 1, 59, 3_600, DAY, WEEK - 1, WEEK, WEEK + 1, 30 * DAY, i64::MAX / 2]);
    let near = prop::sample::select(vec![-1, 0, 1, WEEK - 1, WEEK]);
    prop_oneof![
        4 => seconds.prop_map(Pass::Seconds),
        3 => (place(), near.clone()).prop_map(|(route, near)| Pass::Expiry(route, near)),
        1 => (place(), near).prop_map(|(message, near)| Pass::End(message, near)),
    ]
    .prop_map(Event::Pass)
}

pub fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        12 => send(),
        12 => deliver(),
        6 => room().prop_map(|room| Event::Drain { room }),
        20 => a_use().prop_map(Event::Redeem),
        10 => a_use().prop_map(Event::Begin),
        6 => place().prop_map(Event::End),
        3 => (place(), 1..19_u8).prop_map(|(message, times)| Event::Talk { message, times }),
        6 => set(),
        2 => (0..AGENTS, room(), prop::bool::weighted(0.7)).prop_map(|(agent, room, has)| Event::Authority { agent, room, has }),
        4 => pass(),
        2 => Just(Event::Forget),
        1 => place().prop_map(|message| Event::Withdraw { message }),
    ]
}

/// A case of at most so many events.
pub fn case(most: usize) -> impl Strategy<Value = Case> {
    let store = prop_oneof![4 => Just(1000), 1 => 0..5_usize];
    let now = prop_oneof![
        12 => Just(T),
        1 => prop::sample::select(vec![i64::MIN, i64::MIN + WEEK, -WEEK, 0, i64::MAX - WEEK, i64::MAX - 1, i64::MAX - 40 * DAY]),
    ];
    let generation = prop_oneof![9 => 0..3_u64, 1 => u64::MAX - 1..=u64::MAX];
    (store, now, generation, any::<bool>(), vec(event(), 1..most)).prop_map(
        |(room, now, generation, by_steps, events)| Case { room, now, generation, by_steps, events },
    )
}

#[test]
fn cases_reach_every_answer() {
    use crate::routes::said::{Answer, Delivered, Did};
    use std::collections::BTreeMap;

    let mut reached = BTreeMap::<String, usize>::new();
    for case in crate::samples(case(40), 1500) {
        let (mut said, mut lost) = (Vec::new(), Vec::new());
        for did in crate::routes::world::World::played(&case).log {
            match did {
                Did::Delivered(_, Delivered::None) => said.push("none".into()),
                Did::Delivered(_, Delivered::Held) => said.push("held".into()),
                Did::Delivered(_, Delivered::Answered) => said.push("answered".into()),
                Did::Delivered(_, Delivered::Refused) => said.push("refused".into()),
                Did::Delivered(_, Delivered::Turn(route, left)) => {
                    said.push(format!("{} {left}", route.is_some()))
                }
                Did::Tried(.., Answer::Refused(why), _, _) => said.push(why.into()),
                Did::Tried(.., Answer::First(terms), _, _) => said.push(format!("first {}", terms.hop)),
                Did::Tried(.., Answer::Replay(_), _, _) => said.push("replay".into()),
                Did::Ended(.., Answer::Refused(why)) => lost.push(format!("lost, {why}")),
                Did::Ended(.., Answer::Replay(_)) => lost.push("lost, replay".into()),
                Did::Ended(.., Answer::First(_))
                | Did::Began(..)
                | Did::Set(..)
                | Did::Forgot(_)
                | Did::Withdrew(_) => {}
            }
        }
        for said in said.into_iter().chain(lost) {
            *reached.entry(said).or_default() += 1;
        }
    }
    let reasons = "no_route unknown other_room other_scope no_authority revoked other_key other_body old_generation \
                   expired paused";
    let reasons = reasons.split_whitespace().map(String::from);
    let hops = (1..=16).flat_map(|hop| [format!("first {hop}"), format!("true {hop}")]);
    let others = [
        "none",
        "held",
        "answered",
        "refused",
        "false 0",
        "replay",
        "lost, replay",
        "lost, revoked",
        "lost, other_key",
    ];
    for what in reasons.chain(hops).chain(others.map(String::from)) {
        assert!(reached.get(&what).is_some_and(|times| *times >= 5), "{what}: {reached:#?}");
    }
}
