//! One meaning, one spelling: no other text of a grant that verifies does so too (A1 to A3, B1, B2).

use crate::generate::{a2_value, grant};
use crate::hand::{self, ALPHABET, Grant, Json, b64, object, text};
use crate::spell::{Dice, Odd, oddly};
use crate::{config, samples};
use ed25519_dalek::VerifyingKey;
use parley_grants::{Grant as Decoded, Limits, PublicKey};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// Grants with whatever can be spelled in more than one way.
fn grants() -> impl Strategy<Value = Grant> {
    (grant(1..=3, [6, 3, 3, 0], 0), a2_value(), 0..2_i64).prop_map(|(mut grant, value, iat)| {
        grant.nonce.push_str("/\u{1f}x");
        grant.blocks[0].iat *= iat;
        grant.blocks[0].caveats.push(object([("note", value), ("0/", text("A/\n")), ("1", Json::Int(0))]));
        grant
    })
}

fn verifies(token: &str) -> bool {
    let trust = |_: &PublicKey| true;
    Decoded::decode(token, &Limits::default()).is_ok_and(|grant| grant.verify(&trust).is_ok())
}

fn token(grant: &Grant) -> String {
    let token = hand::token(&hand::make(grant));
    assert!(verifies(&token), "{grant:?}");
    token
}

/// Ways to spell a JSON value otherwise. None of them is another value.
fn odds() -> impl Strategy<Value = Odd> {
    let spaces = vec![' ', '\t', '\n', '\r', '\u{b}', '\u{a0}', '\u{feff}', '\0'];
    let more = vec![" ", "\n", "\0", ",", "]", "}", "null", "[]", "//", "\u{feff}"];
    prop_oneof![
        select(spaces).prop_map(Odd::Space),
        Just(Odd::Mark),
        select(more).prop_map(Odd::After),
        any::<bool>().prop_map(|upper| Odd::Escape { upper }),
        Just(Odd::Slash),
        select(vec!["n.0", "ne0", "nE+0", "n0e-1", "0n", "00n", "+n", "n."]).prop_map(Odd::Number),
        Just(Odd::MinusZero),
        Just(Odd::Swap),
        prop_oneof![Just(None), any::<bool>().prop_map(Some)].prop_map(Odd::Twice),
    ]
}

/// The whole token as a value.
fn whole(grant: &Grant) -> Json {
    let block = |made: hand::Made| object([("p", made.value), ("s", Json::Text(made.signature))]);
    Json::List(hand::make(grant).into_iter().map(block).collect())
}

/// The token of a grant one of whose payloads is spelled otherwise, and signed so by its own signer.
fn signed_oddly(grant: &Grant, odd: &Odd, dice: u64) -> Option<String> {
    let block = Dice(dice).roll(grant.blocks.len());
    let respell = |index, payload: &Json| match index == block {
        true => oddly(payload, odd, &mut Dice(dice)).unwrap_or_else(|| payload.canonical()),
        false => payload.canonical(),
    };
    let made = hand::blocks(grant, respell, |_, signature| signature);
    (made[block].payload != made[block].value.canonical()).then(|| hand::token(&made))
}

/// Another spelling of a base64url text.
fn other_base64(plain: &str, how: usize, at: &Index) -> Option<String> {
    let mut other = String::from(plain);
    let spare = [0, 0, 4, 2][plain.len() % 4];
    match how {
        // The last character's spare bits.
        0..4 if spare > 0 => {
            let last = other.pop()?;
            let last = ALPHABET.iter().position(|c| *c as char == last)?;
            other.push(ALPHABET[last + 1 + at.index((1 << spare) - 1)] as char);
        }
        4 => other += "=",
        5 => other += "==",
        6 => other.insert(at.index(plain.len() + 1), '='),
        7 => other = plain.replace('-', "+").replace('_', "/"),
        8 => other.insert(at.index(plain.len() + 1), ' '),
        9 => other.insert(at.index(plain.len() + 1), '\n'),
        10 => other += "\r\n",
        11 => other += "A",
        12 => other.insert(at.index(plain.len() + 1), '\0'),
        _ => other.truncate(plain.len() - 1),
    }
    Some(other).filter(|other| other != plain)
}

/// `S` plus a multiple of the group's order; 2^256 has room for fifteen.
fn with_larger_s(signature: &[u8; 64], times: usize) -> [u8; 64] {
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

proptest! {
    #![proptest_config(config())]

    #[test]
    fn one_meaning_one_spelling(grant in grants(), odd in odds(), dice in any::<u64>()) {
        token(&grant);
        if let Some(other) = oddly(&whole(&grant), &odd, &mut Dice(dice)) {
            prop_assert!(!verifies(&hand::token_of(other.as_bytes())), "{other}");
        }
        if let Some(other) = signed_oddly(&grant, &odd, dice) {
            prop_assert!(!verifies(&other), "signed so: {other}");
        }
    }

    #[test]
    fn one_base64(grant in grants(), how in 0..14_usize, at in any::<Index>(), block in any::<Index>()) {
        let plain = token(&grant);
        if let Some(other) = other_base64(&plain[4..], how, &at) {
            let other = format!("pg1.{other}");
            prop_assert!(!verifies(&other), "{other}");
        }
        let block = block.index(grant.blocks.len());
        // Signatures, whose block has another id then; those after it are made for that one.
        let resign = |index, signature: String| match index == block {
            true => other_base64(&signature, how, &at).unwrap_or(signature),
            false => signature,
        };
        let other = hand::token(&hand::blocks(&grant, |_, payload| payload.canonical(), resign));
        prop_assert!(other == plain || !verifies(&other), "signature");
        // Keys and `prev`, signed so.
        for name in ["sub", "iss", "prev"] {
            let respell = |index, payload: &Json| {
                let Some(Json::Text(now)) = payload.get(name).filter(|_| index == block) else {
                    return payload.canonical();
                };
                let (prefix, now) = now.split_at(if name == "prev" { 0 } else { 8 });
                let other = other_base64(now, how, &at).unwrap_or_else(|| now.into());
                payload.with(name, Json::Text(format!("{prefix}{other}"))).canonical()
            };
            let other = hand::token(&hand::blocks(&grant, respell, |_, signature| signature));
            prop_assert!(other == plain || !verifies(&other), "{name}");
        }
    }

    #[test]
    fn one_prefix(grant in grants(), prefix in select(vec!["PG1.", "Pg1.", "pg2.", "pg1", "pg1:", " pg1.", "pg1. ", "", "pg1.pg1.", "\u{feff}pg1."])) {
        let token = token(&grant);
        let other = format!("{prefix}{}", &token[4..]);
        prop_assert!(!verifies(&other));
    }

    #[test]
    fn one_signature(grant in grants(), times in 1..=15_usize, block in any::<Index>(), bit in 0..512_usize) {
        let plain = token(&grant);
        let block = block.index(grant.blocks.len());
        let change = |how: &dyn Fn([u8; 64]) -> [u8; 64]| {
            let signer = |index: usize| index.checked_sub(1).map_or(grant.issuer, |before| grant.blocks[before].subject);
            let payloads = std::cell::RefCell::new(String::new());
            let respell = |_, payload: &Json| {
                payloads.replace(payload.canonical());
                payload.canonical()
            };
            let resign = |index, signature| match index == block {
                true => b64(&how(hand::sign(signer(index), &payloads.borrow()))),
                false => signature,
            };
            hand::token(&hand::blocks(&grant, respell, resign))
        };
        prop_assert_eq!(change(&|signature| signature), plain);
        prop_assert!(!verifies(&change(&|signature| with_larger_s(&signature, times))), "S + {times} L");
        let flipped = |bit: usize| move |mut signature: [u8; 64]| {
            signature[bit / 8] ^= 1 << (bit % 8);
            signature
        };
        prop_assert!(!verifies(&change(&flipped(255))), "R negated");
        prop_assert!(!verifies(&change(&flipped(bit))), "bit {bit}");
    }

    /// Canonical encodings of points of large order, and nothing else (B2).
    #[test]
    fn one_encoding_of_a_key(bytes in any::<[u8; 32]>(), near in 0..40_u8, low in any::<bool>(), sign in any::<bool>(), how in 0..3_u8) {
        let mut bytes = bytes;
        if how > 0 {
            // y near 0 or near p.
            bytes = if low { [0; 32] } else { [0xff; 32] };
            bytes[0] = if low { near } else { 0xff - near };
            bytes[31] = bytes[31] & 0x7f | if sign { 0x80 } else { 0 };
        }
        let right = VerifyingKey::from_bytes(&bytes).is_ok_and(|key| {
            !key.is_weak() && key.to_edwards().compress().to_bytes() == bytes
        });
        prop_assert_eq!(PublicKey::from_bytes(bytes).is_ok(), right);
        let text = format!("ed25519:{}", b64(&bytes));
        prop_assert_eq!(text.parse::<PublicKey>().is_ok(), right);
        if let Ok(key) = text.parse::<PublicKey>() {
            prop_assert_eq!(key.to_string(), text);
        }
    }

    /// Whatever happens to a token's characters, or to the JSON in it: what still verifies is the token itself.
    #[test]
    fn no_neighbour_verifies(grant in grants(), edits in vec((any::<Index>(), any::<char>(), 0..6_u8), 1..=2)) {
        let plain = token(&grant);
        let other = edited(&plain, &edits);
        prop_assert!(other == plain || !verifies(&other), "{other}");

        let json = hand::assemble(&hand::make(&grant));
        let other = edited(&json, &edits);
        prop_assert!(other == json || !verifies(&hand::token_of(other.as_bytes())), "{other}");
        let mut bytes = json.into_bytes();
        for (at, character, _) in &edits {
            let at = at.index(bytes.len());
            bytes[at] ^= *character as u8 | 1;
        }
        let other = hand::token_of(&bytes);
        prop_assert!(other == plain || !verifies(&other), "{other}");
    }
}

fn edited(plain: &str, edits: &[(Index, char, u8)]) -> String {
    let mut characters: Vec<char> = plain.chars().collect();
    for (at, with, how) in edits {
        let at = at.index(characters.len());
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

#[test]
fn every_way_is_found_in_most_grants() {
    for odd in [
        Odd::Escape { upper: true },
        Odd::Escape { upper: false },
        Odd::Slash,
        Odd::Number("n.0"),
        Odd::MinusZero,
        Odd::Swap,
        Odd::Twice(None),
    ] {
        let found = samples((grants(), any::<u64>()), 60)
            .filter(|(grant, dice)| {
                oddly(&whole(grant), &odd, &mut Dice(*dice)).is_some()
                    && signed_oddly(grant, &odd, *dice).is_some()
            })
            .count();
        assert!(found >= 15, "{odd:?}: {found}");
    }
}
