//! Tokens that come near a genuine one: what its signers could spell otherwise, and what anybody could forge.

use crate::hand::{self, ALPHABET, Grant, Json, Key, b64, object};
use crate::spell::{Dice, Odd, oddly};
use ed25519_dalek::VerifyingKey;
use sha2::{Digest as _, Sha512};
use std::cell::RefCell;

/// Ways to spell a JSON value otherwise, by their kinds. None of them is another value.
pub fn odds() -> Vec<Vec<Odd>> {
    let spaces = [' ', '\t', '\n', '\r', '\u{b}', '\u{a0}', '\u{feff}', '\0'];
    let more = [" ", "\n", "\0", ",", "]", "}", "null", "[]", "//", "\u{feff}"];
    let numbers = ["n.0", "ne0", "nE+0", "n0e-1", "0n", "00n", "+n", "n."];
    vec![
        spaces.map(Odd::Space).into(),
        vec![Odd::Mark],
        more.map(Odd::After).into(),
        [true, false].map(|upper| Odd::Escape { upper }).into(),
        vec![Odd::Slash],
        numbers.map(Odd::Number).into(),
        vec![Odd::MinusZero],
        vec![Odd::Swap],
        [None, Some(true), Some(false)].map(Odd::Twice).into(),
    ]
}

/// What stands before a token's base64 in its place.
pub const PREFIXES: [&str; 10] =
    ["PG1.", "Pg1.", "pg2.", "pg1", "pg1:", " pg1.", "pg1. ", "", "pg1.pg1.", "\u{feff}pg1."];

/// The whole token as a value.
pub fn whole(grant: &Grant) -> Json {
    let block = |made: hand::Made| object([("p", made.value), ("s", Json::Text(made.signature))]);
    Json::List(hand::make(grant).into_iter().map(block).collect())
}

/// The token of a grant one of whose payloads is spelled otherwise, and signed so by its own signer.
pub fn signed_oddly(grant: &Grant, odd: &Odd, dice: u64) -> Option<String> {
    let block = Dice(dice).roll(grant.blocks.len());
    let respell = |index, payload: &Json| match index == block {
        true => oddly(payload, odd, &mut Dice(dice)).unwrap_or_else(|| payload.canonical()),
        false => payload.canonical(),
    };
    let made = hand::blocks(grant, respell, |_, signature| signature);
    (made[block].payload != made[block].value.canonical()).then(|| hand::token(&made))
}

/// Ways of [`other_base64`].
pub const BASE64_WAYS: usize = 14;

/// Another spelling of a base64url text, or another text; `at` gives a place below its argument.
pub fn other_base64(plain: &str, how: usize, at: &dyn Fn(usize) -> usize) -> Option<String> {
    let mut other = String::from(plain);
    let spare = [0, 0, 4, 2][plain.len() % 4];
    match how {
        // The last character's spare bits.
        0..4 if spare > 0 => {
            let last = other.pop()?;
            let last = ALPHABET.iter().position(|c| *c as char == last)?;
            other.push(ALPHABET[last + 1 + at((1 << spare) - 1)] as char);
        }
        4 => other += "=",
        5 => other += "==",
        6 => other.insert(at(plain.len() + 1), '='),
        7 => other = plain.replace('-', "+").replace('_', "/"),
        8 => other.insert(at(plain.len() + 1), ' '),
        9 => other.insert(at(plain.len() + 1), '\n'),
        10 => other += "\r\n",
        11 => other += "A",
        12 => other.insert(at(plain.len() + 1), '\0'),
        _ => other.truncate(plain.len() - 1),
    }
    Some(other).filter(|other| other != plain)
}

/// The token with the text of this block's signature spelled otherwise. Its id is another one then, and the blocks after
/// it are made for that one.
pub fn with_signature_text(grant: &Grant, block: usize, how: &dyn Fn(&str) -> Option<String>) -> String {
    let resign = |index, signature: String| match index == block {
        true => how(&signature).unwrap_or(signature),
        false => signature,
    };
    hand::token(&hand::blocks(grant, |_, payload| payload.canonical(), resign))
}

/// The token with a key or `prev` of this block spelled otherwise in base64, and signed so.
pub fn with_member_text(
    grant: &Grant,
    block: usize,
    name: &str,
    how: &dyn Fn(&str) -> Option<String>,
) -> String {
    let respell = |index, payload: &Json| {
        let Some(Json::Text(now)) = payload.get(name).filter(|_| index == block) else {
            return payload.canonical();
        };
        let (prefix, now) = now.split_at(if name == "prev" { 0 } else { 8 });
        let other = how(now).unwrap_or_else(|| now.into());
        payload.with(name, Json::Text(format!("{prefix}{other}"))).canonical()
    };
    hand::token(&hand::blocks(grant, respell, |_, signature| signature))
}

/// The token with another signature of this block, as `how` makes it of signer and payload; the blocks after it are
/// made for that one.
pub fn with_signature(grant: &Grant, block: usize, how: &dyn Fn(Key, &str) -> [u8; 64]) -> String {
    let signer = block.checked_sub(1).map_or(grant.issuer, |before| grant.blocks[before].subject);
    let payloads = RefCell::new(String::new());
    let respell = |_, payload: &Json| {
        payloads.replace(payload.canonical());
        payload.canonical()
    };
    let resign = |index, signature| match index == block {
        true => b64(&how(signer, &payloads.borrow())),
        false => signature,
    };
    hand::token(&hand::blocks(grant, respell, resign))
}

/// `S` plus a multiple of the group's order; 2^256 has room for fifteen.
pub fn with_larger_s(signature: &[u8; 64], times: usize) -> [u8; 64] {
    let mut order = [0; 32];
    order[..16].copy_from_slice(&0x14de_f9de_a2f7_9cd6_5812_631a_5cf5_d3ed_u128.to_le_bytes());
    order[31] = 0x10;
    let mut out = *signature;
    for _ in 0..times {
        let mut carry = 0;
        for (byte, order) in out[32..].iter_mut().zip(order) {
            carry += u16::from(*byte) + u16::from(order);
            *byte = carry as u8;
            carry >>= 8;
        }
    }
    out
}

/// y of the points of small order, and the other encodings of two of them, with either sign; 14 of the 16 encode one.
pub fn small_order() -> Vec<[u8; 32]> {
    const EIGHTH: [u8; 32] = [
        0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98, 0xf0, 0xd5,
        0xdf, 0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53, 0xfc, 0x05,
    ];
    let small = |byte| std::array::from_fn(|at| if at == 0 { byte } else { 0 });
    let below_2_255 = |byte| {
        let mut y = [0xff; 32];
        (y[0], y[31]) = (byte, 0x7f);
        y
    };
    // p minus it: no borrow but from the lowest byte, as 2^255 - 1 is all ones.
    let mut other_eighth = EIGHTH.map(|byte| !byte);
    (other_eighth[0], other_eighth[31]) = (other_eighth[0] - 18, other_eighth[31] & 0x7f);
    let plain = [
        small(1),
        below_2_255(0xec),
        small(0),
        EIGHTH,
        other_eighth,
        // p and p + 1, which are other spellings of 0 and 1; 2^255 - 1 is one of 18.
        below_2_255(0xed),
        below_2_255(0xee),
        below_2_255(0xff),
    ];
    let sign = |mut y: [u8; 32]| {
        y[31] |= 0x80;
        y
    };
    plain.into_iter().chain(plain.map(sign)).collect()
}

/// A signature by the key's owner whose `R` has this point of small order added, or is nothing else. Multiplied by 8
/// the equation holds; as it stands it holds for the neutral point alone, whose encoding is refused (B2.7, B2.8). `None` for
/// bytes that are no point, and where the neutral one would be added, which is no change.
pub fn with_small_order(key: Key, payload: &str, point: &[u8; 32], alone: bool) -> Option<[u8; 64]> {
    let point = VerifyingKey::from_bytes(point).ok()?.to_edwards();
    if !alone && point + point == point {
        return None;
    }
    let public = hand::signer(key).verifying_key();
    let secret = hand::signer(key).to_scalar();
    // The signature crate shows no more of its scalars than this one.
    let one = secret * secret.invert();
    let zero = one + -one;
    let base = public.to_edwards() * secret.invert();
    let scalar = |hash: &[u8]| {
        hash.iter().rev().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1)).fold(
            zero,
            |sum, bit| match bit {
                0 => sum + sum,
                _ => sum + sum + one,
            },
        )
    };
    let once = if alone { zero } else { scalar(&Sha512::digest(payload)) };
    let r = (base * once + point).compress().to_bytes();
    let hashed = [&r[..], public.as_bytes(), payload.as_bytes()].concat();
    let s = once + scalar(&Sha512::digest(hashed)) * secret;
    let mut out = [0; 64];
    out[..32].copy_from_slice(&r);
    out[32..].copy_from_slice(s.as_bytes());
    Some(out)
}

/// `R` is the base point and `S` is 1: right for every text under the key of order 1, and for some of them under the others of
/// small order.
pub fn by_nobody() -> [u8; 64] {
    let mut out = [0x66; 64];
    out[0] = 0x58;
    out[32..].fill(0);
    out[32] = 1;
    out
}

/// The text with characters changed: where, to which, and how.
pub fn edited(plain: &str, edits: &[(usize, char, u8)]) -> String {
    let mut characters: Vec<char> = plain.chars().collect();
    for (at, with, how) in edits {
        let at = at % characters.len();
        match how {
            0 => characters[at] = *with,
            1 => characters[at] = ALPHABET[*with as usize % 64] as char,
            2 => characters.insert(at, ALPHABET[*with as usize % 64] as char),
            3 => drop(characters.remove(at)),
            4 => characters.swap(at, *with as usize % plain.len().min(9)),
            _ => characters[at] = (characters[at] as u8 ^ 1 << (*with as u32 % 7)) as char,
        }
    }
    characters.into_iter().collect()
}
