//! Writes what `src/happen.rs` reads: stories about reply routes, each under the clause that it is about.

/// The ordinary choices of each event, of which a story changes some by their places.
const SEND: [u8; 7] = [0; 7];
const DELIVER: [u8; 6] = [1, 0, 0, 0, 0, 0];
const REDEEM: [u8; 7] = [2, 0, 0, 0, 0, 0, 0];
const BEGIN: [u8; 7] = [3, 0, 0, 0, 0, 0, 0];
const END: [u8; 2] = [4, 0];
const DRAIN: [u8; 2] = [5, 0];
const FORGET: [u8; 1] = [10];
const WITHDRAW: [u8; 2] = [14, 0];
const PAUSE: [u8; 4] = [7, 0, 0, 0];
const RESUME: [u8; 4] = [7, 0, 1, 0];
const CLOSE_ROOM: [u8; 5] = [7, 1, 0, 0, 0];
const OPEN_ROOM: [u8; 5] = [7, 1, 0, 1, 0];
/// Of agent 2, which the first message is to.
const MANUAL: [u8; 6] = [7, 2, 2, 0, 0, 3];
const REACTIVE_BY_ITSELF: [u8; 6] = [7, 2, 2, 0, 1, 3];
const REACTIVE: [u8; 6] = [7, 2, 2, 0, 1, 0];
const REMOVED: [u8; 4] = [8, 2, 0, 0];
const BACK: [u8; 4] = [8, 2, 0, 1];
const AT_EXPIRY: [u8; 4] = [9, 1, 0, 0];
const BEFORE_EXPIRY: [u8; 4] = [9, 1, 0, 1];
const WEEK_AFTER_EXPIRY: [u8; 4] = [9, 1, 0, 4];
const WEEK_AFTER_END: [u8; 4] = [9, 2, 1, 4];

/// An event with one of its choices changed.
fn but<const N: usize>(mut event: [u8; N], place: usize, choice: u8) -> [u8; N] {
    event[place] = choice;
    event
}

/// An attempt by somebody else, or in another room: a byte more.
fn redeem_by(who: u8) -> [u8; 8] {
    [2, 0, 0, 3, who, 0, 0, 0]
}

fn redeem_in(room: u8) -> [u8; 8] {
    [2, 0, 0, 0, 7, room, 0, 0]
}

/// Not this text but one of these kinds.
fn redeem_text(kind: u8, which: u8) -> [u8; 8] {
    [2, 0, kind, which, 0, 0, 0, 0]
}

/// Name and bytes of each; the first four bytes are the store's room, the time, the generation, and how: step by step
/// (odd), and with a search for routes in all that is shown (from 6 on).
pub fn stories() -> Vec<(String, Vec<u8>)> {
    let mut all = Vec::new();
    let mut story = |name: &str, start: [u8; 4], events: &[&[u8]]| {
        all.push((format!("routes/{name}"), [&start[..], &events.concat()].concat()));
    };
    let start = [0, 0, 0, 0];
    story("C1-expires", start, &[&SEND, &DELIVER, &BEFORE_EXPIRY, &redeem_by(0), &AT_EXPIRY, &REDEEM]);
    story(
        "C1-ends-with-its-message",
        start,
        &[&but(SEND, 6, 4), &DELIVER, &BEFORE_EXPIRY, &REDEEM, &AT_EXPIRY, &DELIVER],
    );
    story(
        "C1-one-session",
        start,
        &[&but(SEND, 3, 1), &DELIVER, &redeem_by(6), &redeem_by(8), &redeem_by(7), &redeem_by(6)],
    );
    story("C1-the-agent", start, &[&SEND, &DELIVER, &redeem_by(7), &redeem_by(6)]);
    story(
        "C1-near-the-end-of-time",
        [0, 5, 0, 1],
        &[&SEND, &DELIVER, &BEFORE_EXPIRY, &REDEEM, &AT_EXPIRY, &REDEEM],
    );
    story("C2-sixteen", start, &[&SEND, &[6, 0, 19], &DRAIN, &REDEEM, &SEND, &[6, 0, 19]]);
    story(
        "C2-to-nobody",
        start,
        &[&but(SEND, 1, 6), &DRAIN, &but(SEND, 1, 7), &DRAIN, &but(SEND, 3, 6), &DRAIN],
    );
    story("C2-one-principal", start, &[&but(SEND, 3, 9), &PAUSE, &DRAIN, &REDEEM, &RESUME, &REDEEM]);
    story(
        "C3-lost-answer",
        start,
        &[
            &SEND,
            &DELIVER,
            &REDEEM,
            &PAUSE,
            &CLOSE_ROOM,
            &AT_EXPIRY,
            &REDEEM,
            &WEEK_AFTER_EXPIRY,
            &FORGET,
            &REDEEM,
            &DELIVER,
        ],
    );
    story(
        "C3-something-else",
        start,
        &[&SEND, &DELIVER, &REDEEM, &but(REDEEM, 5, 1), &but(REDEEM, 6, 1), &but(REDEEM, 5, 3)],
    );
    story(
        "C3-no-route",
        start,
        &[&SEND, &DELIVER, &redeem_text(14, 0), &redeem_text(14, 4), &redeem_text(15, 0), &REDEEM],
    );
    story("C3-elsewhere", start, &[&SEND, &DELIVER, &redeem_in(1), &REDEEM, &redeem_in(1)]);
    story("C3-removed", start, &[&SEND, &DELIVER, &REMOVED, &REDEEM, &BACK, &REDEEM, &REMOVED, &REDEEM]);
    story(
        "C3-redelivered",
        [0, 0, 0, 7],
        &[
            &SEND,
            &DELIVER,
            &DELIVER,
            &but(REDEEM, 1, 1),
            &REDEEM,
            &but(DELIVER, 1, 1),
            &WEEK_AFTER_END,
            &FORGET,
            &DELIVER,
        ],
    );
    story(
        "C3-two-race",
        start,
        &[&SEND, &DELIVER, &BEGIN, &but(BEGIN, 5, 1), &END, &END, &REDEEM, &but(REDEEM, 5, 1)],
    );
    story(
        "C3-three-race",
        start,
        &[&SEND, &DELIVER, &BEGIN, &BEGIN, &but(BEGIN, 6, 1), &but(END, 1, 2), &END, &END],
    );
    story("C3-revoked-in-a-race", start, &[&SEND, &DELIVER, &BEGIN, &DELIVER, &END, &REDEEM]);
    story(
        "C3-full",
        [2, 0, 0, 0],
        &[
            &SEND,
            &DELIVER,
            &SEND,
            &DELIVER,
            &but(DELIVER, 1, 1),
            &REDEEM,
            &DELIVER,
            &WEEK_AFTER_END,
            &DELIVER,
            &SEND,
            &DELIVER,
        ],
    );
    story(
        "C3-withdrawn",
        start,
        &[&SEND, &DELIVER, &WITHDRAW, &REDEEM, &DELIVER, &REDEEM, &but(WITHDRAW, 1, 1), &REDEEM],
    );
    story(
        "C4-paused",
        start,
        &[&SEND, &DELIVER, &SEND, &PAUSE, &DRAIN, &REDEEM, &RESUME, &DRAIN, &REDEEM, &but(REDEEM, 1, 1)],
    );
    story(
        "C4-room-closed",
        start,
        &[&SEND, &DELIVER, &CLOSE_ROOM, &DRAIN, &REDEEM, &OPEN_ROOM, &REDEEM, &DRAIN, &REDEEM],
    );
    story(
        "C4-manual",
        [0, 0, 0, 6],
        &[&SEND, &DELIVER, &SEND, &MANUAL, &DRAIN, &REDEEM, &REACTIVE_BY_ITSELF, &DRAIN, &REACTIVE, &DRAIN],
    );
    story(
        "C4-gates",
        start,
        &[
            &SEND,
            &but(DELIVER, 3, 13),
            &but(DELIVER, 3, 14),
            &but(DELIVER, 3, 15),
            &but(DELIVER, 4, 1),
            &DELIVER,
        ],
    );
    story(
        "C4-not-theirs",
        start,
        &[&but(PAUSE, 3, 7), &but(CLOSE_ROOM, 4, 4), &but(MANUAL, 5, 5), &SEND, &DRAIN, &REDEEM],
    );
    story("C4-last-generation", [0, 0, 2, 0], &[&SEND, &CLOSE_ROOM, &OPEN_ROOM, &OPEN_ROOM, &DRAIN, &REDEEM]);
    all
}
