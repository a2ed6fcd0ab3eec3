//! Grants with a block, a signature or a byte changed by somebody who did not sign it so. See `respell.rs`.

use crate::chain;
use crate::choose::Choices;
use crate::forge;
use crate::hand::{self, Block, Json, Key, Made, b64};
use crate::respell::Genuine;

/// Another signature of the same payload, by the same key or by nobody; the blocks after it are made for that one.
pub fn signature(choices: &mut Choices<'_, '_>, genuine: &Genuine) -> Option<String> {
    let (how, block) = (choices.roll(5), choices.roll(genuine.made.len()));
    let (times, bit) = (1 + choices.roll(15), choices.roll(256) * 2 + choices.roll(2));
    let point = choices.pick(&forge::small_order());
    let of = |key: Key, payload: &str| {
        let mut signature = hand::sign(key, payload);
        match how {
            0 => return forge::with_larger_s(&signature, times),
            // R negated.
            1 => signature[31] ^= 0x80,
            2 => signature[bit / 8] ^= 1 << (bit % 8),
            _ => {
                return forge::with_small_order(key, payload, &point, how == 4).unwrap_or([0; 64]);
            }
        }
        signature
    };
    Some(forge::with_signature(&genuine.grant, block, &of))
}

/// That of another block in place of a signature, or of another key.
pub fn signed_by_another(choices: &mut Choices<'_, '_>, genuine: &Genuine) -> Option<String> {
    let (block, by) = (choices.roll(genuine.made.len()), choices.roll(11));
    let other = by.checked_sub(8).map(|at| genuine.made[at % genuine.made.len()].signature.clone());
    let of = |_: &str| {
        let other = other.clone();
        other.or_else(|| Some(b64(&hand::sign(by, &genuine.made[block].payload))))
    };
    Some(forge::with_signature_text(&genuine.grant, block, &of))
}

/// A root in the name of a key that verifies much.
pub fn nobody(choices: &mut Choices<'_, '_>, genuine: &Genuine) -> Option<String> {
    let iss = format!("ed25519:{}", b64(&choices.pick(&forge::small_order())));
    let respell = |index, payload: &Json| match index {
        0 => payload.with("iss", Json::Text(iss.clone())).canonical(),
        _ => payload.canonical(),
    };
    let resign = |index, signature| if index == 0 { b64(&forge::by_nobody()) } else { signature };
    Some(hand::token(&hand::blocks(&genuine.grant, respell, resign)))
}

fn copy(made: &Made) -> Made {
    Made { value: made.value.clone(), payload: made.payload.clone(), signature: made.signature.clone() }
}

/// A payload with a member changed that nobody signed so.
pub fn payload(choices: &mut Choices<'_, '_>, genuine: &Genuine) -> Option<String> {
    let mut made: Vec<Made> = genuine.made.iter().map(copy).collect();
    let at = choices.roll(made.len());
    let value = &made[at].value;
    let Some(Json::List(mut caveats)) = value.get("caveats").cloned() else { return None };
    let how = choices.roll(8);
    let value = match how {
        0..=3 => {
            match how {
                0 => drop(caveats.pop()?),
                1 => caveats.push(Some(chain::caveat(choices)).filter(Json::is_a2)?),
                2 => caveats.reverse(),
                _ => caveats.clear(),
            }
            value.with("caveats", Json::List(caveats))
        }
        4 => value.with("iat", Json::Int(choices.int())),
        5 => value.with("sub", Json::Text(hand::public(choices.roll(8)))),
        6 if at == 0 => value.with("iss", Json::Text(hand::public(choices.roll(8)))),
        6 => value.with("prev", Json::Text(b64(&genuine.made[choices.roll(at)].id()))),
        _ => value.with(&choices.text(), choices.json(1)),
    };
    // Whatever has no canonical form is no new text to be judged.
    made[at].payload = Some(value).filter(Json::is_a2)?.canonical();
    Some(hand::token(&made))
}

/// Blocks dropped, repeated, in another order, or from another grant of the same keys.
pub fn blocks(choices: &mut Choices<'_, '_>, genuine: &Genuine) -> Option<String> {
    let mut second = genuine.grant.clone();
    let last = second.blocks.len() - 1;
    let iat = |block: &mut Block| block.iat = i64::from(block.iat == 0);
    match choices.roll(4) {
        0 => second.nonce.push('2'),
        1 => iat(&mut second.blocks[0]),
        // The root is the same.
        2 => iat(&mut second.blocks[last]),
        _ => drop(second.blocks[last].caveats.pop()),
    }
    let second = Genuine::of(second);
    let pool: Vec<&Made> = genuine.made.iter().chain(&second.made).collect();
    let count = genuine.made.len();
    let until = choices.roll(count + 1);
    let from = if choices.flag() { choices.roll(count + 1) } else { until };
    let picked: Vec<Made> = match choices.roll(3) {
        0 => pool[..until].iter().chain(&pool[count + from..]).copied().map(copy).collect(),
        1 => pool[..until].iter().chain(&pool[from..count]).copied().map(copy).collect(),
        _ => choices.list(5, |choices| copy(choices.pick(&pool))),
    };
    // Whoever issued the second grant did issue it.
    Some(hand::token(&picked)).filter(|token| !second.tokens.contains(token))
}

fn edits(choices: &mut Choices<'_, '_>) -> Vec<(usize, char, u8)> {
    let edit = |choices: &mut Choices<'_, '_>| {
        let at = choices.roll(256) * 256 + choices.roll(256);
        (at, char::from(choices.byte()), choices.roll(6) as u8)
    };
    let mut edits = vec![edit(choices)];
    edits.extend(choices.list(2, edit));
    edits
}

/// Those of the token, or of the JSON in it.
pub fn characters(choices: &mut Choices<'_, '_>, genuine: &Genuine) -> Option<String> {
    match choices.flag() {
        false => Some(forge::edited(genuine.token(), &edits(choices))),
        true => {
            Some(hand::token_of(forge::edited(&hand::assemble(&genuine.made), &edits(choices)).as_bytes()))
        }
    }
}

pub fn bytes(choices: &mut Choices<'_, '_>, genuine: &Genuine) -> Option<String> {
    let mut json = hand::assemble(&genuine.made).into_bytes();
    for (at, with, _) in edits(choices) {
        let at = at % json.len();
        json[at] ^= with as u8;
    }
    Some(hand::token_of(&json))
}
