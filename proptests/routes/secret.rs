//! The random bytes of routes, always the same, and everything that could give them away.

use super::event::Text;
use crate::hand::{self, b64};
use parley_grants::routes::{PresentedRoute, RouteDigest};
use sha2::{Digest as _, Sha256};
use std::sync::LazyLock;

/// How many routes there are; the last few are never issued.
pub const ALL: u8 = 200;
const UNKNOWN: u8 = 4;
pub const MOST: u8 = ALL - UNKNOWN;

/// In how many ways a route's text is spelled wrong.
pub const SPELLINGS: u8 = 8;

pub fn bytes(secret: u8) -> [u8; 32] {
    hand::sha256(&format!("route {secret}"))
}

pub fn digest(secret: u8) -> RouteDigest {
    RouteDigest::from_bytes(sha256(&bytes(secret)))
}

pub fn sha256(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

pub fn text(secret: u8) -> String {
    b64(&bytes(secret))
}

/// What is no route, however near it comes.
fn respelled(secret: u8, spelling: u8) -> String {
    let text = text(secret);
    match spelling {
        0 => String::new(),
        1 => format!("{text}="),
        2 => text[..42].into(),
        3 => format!(" {text}"),
        4 => {
            // Two bits of the last letter say nothing, and must be nothing.
            let last = hand::ALPHABET.iter().position(|letter| text.ends_with(*letter as char));
            format!("{}{}", &text[..42], hand::ALPHABET[last.expect("a letter") | 1] as char)
        }
        5 => b64(&[&bytes(secret)[..], &[0]].concat()),
        6 => b64(&bytes(secret)[..31]),
        _ => bytes(secret).iter().map(|byte| format!("{byte:02x}")).collect(),
    }
}

/// What is presented in place of this route, from a table, as an attempt that waits keeps a reference to it.
pub fn presented(secret: u8, as_text: Text) -> &'static PresentedRoute {
    static TABLE: LazyLock<Vec<PresentedRoute>> = LazyLock::new(|| {
        let spelled = |secret| {
            let right = std::iter::once(text(secret));
            right.chain((0..SPELLINGS).map(move |spelling| respelled(secret, spelling)))
        };
        (0..ALL).flat_map(spelled).map(|text| PresentedRoute::read(&text)).collect()
    });
    let (secret, spelling) = match as_text {
        Text::Right => (secret, 0),
        Text::Respelled(spelling) => (secret, 1 + spelling % SPELLINGS),
        Text::Unknown(number) => (unknown(number), 0),
    };
    &TABLE[usize::from(secret) * usize::from(1 + SPELLINGS) + usize::from(spelling)]
}

pub const fn unknown(number: u8) -> u8 {
    MOST + number % UNKNOWN
}

/// A text in which lists of bytes are written in one way, whatever the format.
pub fn dense(shown: &str) -> String {
    shown.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase() + shown
}

/// Is an end of this route in a [`dense`] text: as it is sent, in hexadecimal, or as Rust shows bytes?
pub fn is_in(secret: u8, shown: &str) -> bool {
    let (bytes, text) = (bytes(secret), text(secret));
    let listed = |bytes: &[u8]| bytes.iter().map(u8::to_string).collect::<Vec<_>>().join(", ");
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let ends = [&bytes[..6], &bytes[26..]];
    [&text[..12], &text[30..]].iter().any(|end| shown.contains(end))
        || ends.iter().any(|end| shown.contains(&listed(end)) || shown.contains(&hex(end)))
}
