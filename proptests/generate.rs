//! Generated values and grants.
//!
//! Key 3 is the agent that asks; 0 and 1 are trusted principals. The others are neither.

use crate::caveats::caveat;
use crate::hand::{Block, Flaw, Grant, Json, Key, MAX_INT};
use proptest::collection::vec;
use proptest::prelude::*;

pub const AGENT: Key = 3;
/// About now.
pub const T: i64 = 1_790_000_000;

pub fn pick(texts: &'static [&'static str]) -> impl Strategy<Value = String> {
    prop::sample::select(texts).prop_map(String::from)
}

/// In so many of a hundred cases.
pub fn sometimes<S: Strategy>(percent: u32, value: S) -> impl Strategy<Value = Option<S::Value>>
where
    S::Value: Clone,
{
    (0..100_u32, value).prop_map(move |(n, value)| (n < percent).then_some(value))
}

pub fn some_text() -> BoxedStrategy<Json> {
    prop_oneof![
        pick(&["", "a", "EUR", "low", "*", "\u{1f}\n\"\\/", "é\u{2028}😀", "__proto__"]),
        any::<String>()
    ]
    .prop_map(Json::Text)
    .boxed()
}

pub fn a2_int() -> impl Strategy<Value = i64> {
    prop_oneof![-2..=2_i64, T - 2..=T + 2, MAX_INT - 1..=MAX_INT, -MAX_INT..=1 - MAX_INT, -MAX_INT..=MAX_INT]
}

/// Any value of A2, nested a little.
pub fn a2_value() -> BoxedStrategy<Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::Bool),
        a2_int().prop_map(Json::Int),
        some_text()
    ];
    leaf.prop_recursive(4, 24, 5, |inner| {
        let member = (
            prop_oneof![pick(&["", "a", "b", "\u{ffff}", "😀", "\u{7f}", "data"]), any::<String>()],
            inner.clone(),
        );
        prop_oneof![
            vec(inner, 0..4).prop_map(Json::List),
            vec(member, 0..5).prop_map(|members| {
                let first = |(at, (key, _)): &(usize, &(String, Json))| {
                    members.iter().position(|(other, _)| other == key) == Some(*at)
                };
                Json::Object(
                    members.iter().enumerate().filter(first).map(|(_, member)| member.clone()).collect(),
                )
            }),
        ]
    })
    .boxed()
}

fn spent() -> impl Strategy<Value = u64> {
    let most = MAX_INT as u64;
    prop_oneof![6 => 0..=1_u64, 3 => 48..=51_u64, 1 => most - 100..=most, 4 => u64::MAX - 1..=u64::MAX]
}

pub fn block(
    subject: impl Strategy<Value = Key>,
    caveats: impl Strategy<Value = Vec<Json>>,
) -> impl Strategy<Value = Block> {
    (subject, caveats, a2_int(), spent()).prop_map(|(subject, caveats, iat, spent)| Block {
        subject,
        caveats,
        iat,
        spent,
    })
}

pub fn flaw() -> BoxedStrategy<Flaw> {
    prop_oneof![
        (0..8_usize).prop_map(Flaw::Signer),
        (0..512_usize).prop_map(Flaw::Bit),
        Just(Flaw::Prev),
        Just(Flaw::Extra),
        Just(Flaw::Missing),
        Just(Flaw::WeakKey),
    ]
    .boxed()
}

/// A grant whose last block is for the agent mostly, and with a flaw in so many of a hundred cases.
pub fn grant(blocks: std::ops::RangeInclusive<usize>, weights: [u32; 4], flaws: u32) -> BoxedStrategy<Grant> {
    let issuer = prop_oneof![8 => Just(0), 4 => Just(1), 1 => Just(2)];
    let last = prop_oneof![15 => Just(AGENT), 1 => 0..8_usize];
    let block = || block(0..8_usize, vec(caveat(weights), 0..4));
    let nonce = prop_oneof![pick(&["", "/\u{1f}\n"]), any::<String>()];
    let flaw = sometimes(flaws, (flaw(), 0..4_usize));
    (issuer, nonce, vec(block(), blocks), last, flaw)
        .prop_map(|(issuer, nonce, mut blocks, last, flaw)| {
            if let Some(block) = blocks.last_mut() {
                block.subject = last;
            }
            Grant { issuer, nonce, blocks, flaw }
        })
        .boxed()
}
