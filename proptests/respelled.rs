//! One meaning, one spelling: no other text of a grant that verifies does so too (A1 to A3, B1, B2).

use crate::forge::{
    BASE64_WAYS, PREFIXES, by_nobody, edited, odds, other_base64, signed_oddly, small_order, whole,
    with_larger_s, with_member_text, with_signature, with_signature_text, with_small_order,
};
use crate::generate::{a2_value, grant};
use crate::hand::{self, Grant, Json, b64, object, text};
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

fn odd() -> impl Strategy<Value = Odd> {
    select(odds()).prop_flat_map(select)
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn one_meaning_one_spelling(grant in grants(), odd in odd(), dice in any::<u64>()) {
        token(&grant);
        if let Some(other) = oddly(&whole(&grant), &odd, &mut Dice(dice)) {
            prop_assert!(!verifies(&hand::token_of(other.as_bytes())), "{other}");
        }
        if let Some(other) = signed_oddly(&grant, &odd, dice) {
            prop_assert!(!verifies(&other), "signed so: {other}");
        }
    }

    #[test]
    fn one_base64(grant in grants(), how in 0..BASE64_WAYS, at in any::<Index>(), block in any::<Index>()) {
        let plain = token(&grant);
        let respell = |plain: &str| other_base64(plain, how, &|places| at.index(places));
        if let Some(other) = respell(&plain[4..]) {
            let other = format!("pg1.{other}");
            prop_assert!(!verifies(&other), "{other}");
        }
        let block = block.index(grant.blocks.len());
        let other = with_signature_text(&grant, block, &respell);
        prop_assert!(other == plain || !verifies(&other), "signature");
        for name in ["sub", "iss", "prev"] {
            let other = with_member_text(&grant, block, name, &respell);
            prop_assert!(other == plain || !verifies(&other), "{name}");
        }
    }

    #[test]
    fn one_prefix(grant in grants(), prefix in select(PREFIXES.to_vec())) {
        let token = token(&grant);
        let other = format!("{prefix}{}", &token[4..]);
        prop_assert!(!verifies(&other));
    }

    #[test]
    fn one_signature(
        grant in grants(), times in 1..=15_usize, block in any::<Index>(), bit in 0..512_usize, point in select(small_order()), alone in any::<bool>(),
    ) {
        let plain = token(&grant);
        let block = block.index(grant.blocks.len());
        let change = |how: &dyn Fn([u8; 64]) -> [u8; 64]| with_signature(&grant, block, &|key, payload| how(hand::sign(key, payload)));
        prop_assert_eq!(change(&|signature| signature), plain);
        prop_assert!(!verifies(&change(&|signature| with_larger_s(&signature, times))), "S + {times} L");
        let flipped = |bit: usize| move |mut signature: [u8; 64]| {
            signature[bit / 8] ^= 1 << (bit % 8);
            signature
        };
        prop_assert!(!verifies(&change(&flipped(255))), "R negated");
        prop_assert!(!verifies(&change(&flipped(bit))), "bit {bit}");
        let other = with_signature(&grant, block, &|key, payload| with_small_order(key, payload, &point, alone).unwrap_or([0; 64]));
        prop_assert!(!verifies(&other), "R of small order, or with such a point added");
    }

    /// A key that would verify everything, or much: anybody could issue grants in its name (B2.3).
    #[test]
    fn nobody_signs(grant in grants(), point in select(small_order())) {
        let iss = format!("ed25519:{}", b64(&point));
        let respell = |index, payload: &Json| match index {
            0 => payload.with("iss", Json::Text(iss.clone())).canonical(),
            _ => payload.canonical(),
        };
        let resign = |index, signature| if index == 0 { b64(&by_nobody()) } else { signature };
        prop_assert!(!verifies(&hand::token(&hand::blocks(&grant, respell, resign))));
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
    fn no_neighbour_verifies(grant in grants(), edits in vec((any::<usize>(), any::<char>(), 0..6_u8), 1..=2)) {
        let plain = token(&grant);
        let other = edited(&plain, &edits);
        prop_assert!(other == plain || !verifies(&other), "{other}");

        let json = hand::assemble(&hand::make(&grant));
        let other = edited(&json, &edits);
        prop_assert!(other == json || !verifies(&hand::token_of(other.as_bytes())), "{other}");
        let mut bytes = json.into_bytes();
        for (at, character, _) in &edits {
            let at = at % bytes.len();
            bytes[at] ^= *character as u8 | 1;
        }
        let other = hand::token_of(&bytes);
        prop_assert!(other == plain || !verifies(&other), "{other}");
    }
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
