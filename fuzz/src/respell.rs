//! The input is choices (`chain.rs`): a grant, then ways to change it. No text but the grant's own, and that of who held
//! it before, verifies (A1 to A3, B1, B2): neither one that anybody could make, nor one that a signer could make by
//! spelling differently what it signs.

use crate::chain::{self, AGENT};
use crate::choose::{Choices, T};
use crate::forge;
use crate::forged;
use crate::hand::{self, Grant, Json, Made, b64, object, text};
use crate::model::SERVICE;
use crate::put;
use crate::spell::{Dice, Odd, anyhow, oddly};
use arbitrary::Unstructured;
use ed25519_dalek::VerifyingKey;
use parley_grants::{ProvenKey, PublicKey, Verb, VerifiedGrant, Verifier};

const MAX_TOKEN: usize = 64 * 1024;

/// Each gives a text that nobody issued; none where there is nothing to change.
const WAYS: [fn(&mut Choices<'_, '_>, &Genuine) -> Option<String>; 13] = [
    whole,
    signed_so,
    other_base64,
    signature_text,
    member_text,
    prefix,
    forged::signature,
    forged::signed_by_another,
    forged::nobody,
    forged::payload,
    forged::blocks,
    forged::characters,
    forged::bytes,
];

pub fn run(data: &[u8]) {
    let mut input = Unstructured::new(data);
    let mut choices = Choices(&mut input);
    let genuine = Genuine::of(grant(&mut choices));
    if genuine.token().len() > MAX_TOKEN {
        return;
    }
    genuine.judge(genuine.token());
    for _ in 0..1 + choices.roll(4) {
        let way = choices.pick(&WAYS);
        if let Some(other) = way(&mut choices, &genuine) {
            genuine.judge(&other);
        }
    }
    match choices.roll(3) {
        1 => key(&mut choices, &genuine),
        2 => proof(&mut choices),
        _ => {}
    }
}

/// Up to three blocks without a flaw, with whatever can be spelled in more than one way.
fn grant(choices: &mut Choices<'_, '_>) -> Grant {
    let mut grant = chain::grant(choices, 3);
    grant.flaw = None;
    grant.blocks.iter_mut().for_each(|block| block.caveats.retain(Json::is_a2));
    let odd = object([("note", text("é/\u{1f}x")), ("0/", text("A/\n")), ("1", Json::Int(0))]);
    grant.blocks[0].caveats.push(odd);
    grant
}

/// A grant, and how it is made.
pub struct Genuine {
    pub grant: Grant,
    pub made: Vec<Made>,
    /// That of each holder.
    pub tokens: Vec<String>,
}

impl Genuine {
    pub fn of(grant: Grant) -> Self {
        let made = hand::make(&grant);
        let tokens = (1..=made.len()).map(|count| hand::token(&made[..count])).collect();
        Self { grant, made, tokens }
    }

    pub fn token(&self) -> &str {
        &self.tokens[self.tokens.len() - 1]
    }

    fn judge(&self, other: &str) {
        let place = self.tokens.iter().position(|token| token == other);
        match (verify(other), place) {
            (Some(grant), Some(place)) => {
                assert_eq!(*grant.holder(), put::key(self.grant.blocks[place].subject));
                assert_eq!(*grant.issuer(), put::key(self.grant.issuer));
                assert_eq!(*grant.id().as_bytes(), self.made[0].id());
                assert_eq!(grant.grant().blocks().len(), place + 1);
            }
            (None, None) => {}
            (answer, _) => panic!("{answer:?}: {other}, {:#?}", self.grant),
        }
    }
}

fn verify(token: &str) -> Option<VerifiedGrant> {
    match Verifier::new("s", |_: &PublicKey| true).verify(token) {
        Ok(grant) => Some(grant),
        Err(error) => {
            // The place is one in the JSON.
            assert!(error.offset().is_none_or(|at| at <= token.len() * 3 / 4), "{error:?}");
            assert!(error.block().is_none_or(|block| block <= 16), "{error:?}");
            assert!(!error.to_string().is_empty());
            None
        }
    }
}

fn odd(choices: &mut Choices<'_, '_>) -> (Odd, Dice) {
    let mut odds = forge::odds();
    let mut kind = odds.swap_remove(choices.roll(odds.len()));
    let odd = kind.swap_remove(choices.roll(kind.len()));
    (odd, dice(choices))
}

fn dice(choices: &mut Choices<'_, '_>) -> Dice {
    Dice(u64::from(choices.byte()) << 8 | u64::from(choices.byte()))
}

fn whole(choices: &mut Choices<'_, '_>, genuine: &Genuine) -> Option<String> {
    let (odd, mut dice) = odd(choices);
    Some(hand::token_of(oddly(&forge::whole(&genuine.grant), &odd, &mut dice)?.as_bytes()))
}

fn signed_so(choices: &mut Choices<'_, '_>, genuine: &Genuine) -> Option<String> {
    let (odd, dice) = odd(choices);
    forge::signed_oddly(&genuine.grant, &odd, dice.0)
}

/// How a base64 text may be spelled otherwise.
fn base64(choices: &mut Choices<'_, '_>) -> impl Fn(&str) -> Option<String> {
    let (how, dice) = (choices.roll(forge::BASE64_WAYS), dice(choices).0);
    move |plain| forge::other_base64(plain, how, &|places| Dice(dice).roll(places))
}

fn other_base64(choices: &mut Choices<'_, '_>, genuine: &Genuine) -> Option<String> {
    Some(format!("pg1.{}", base64(choices)(&genuine.token()[4..])?))
}

fn signature_text(choices: &mut Choices<'_, '_>, genuine: &Genuine) -> Option<String> {
    let block = choices.roll(genuine.made.len());
    Some(forge::with_signature_text(&genuine.grant, block, &base64(choices)))
}

fn member_text(choices: &mut Choices<'_, '_>, genuine: &Genuine) -> Option<String> {
    let block = choices.roll(genuine.made.len());
    let name = choices.pick(&["sub", if block == 0 { "iss" } else { "prev" }]);
    Some(forge::with_member_text(&genuine.grant, block, name, &base64(choices)))
}

fn prefix(choices: &mut Choices<'_, '_>, genuine: &Genuine) -> Option<String> {
    Some(format!("{}{}", choices.pick(&forge::PREFIXES), &genuine.token()[4..]))
}

/// Its holder is any 32 bytes, and signed so: only the encoding of a point of large order will do (B2.1 to B2.4).
fn key(choices: &mut Choices<'_, '_>, genuine: &Genuine) {
    let small = forge::small_order();
    let bytes = match small.get(choices.roll(small.len() * 2)) {
        Some(bytes) => *bytes,
        None => hand::sha256(&choices.byte().to_string()),
    };
    let right = VerifyingKey::from_bytes(&bytes)
        .is_ok_and(|key| !key.is_weak() && key.to_edwards().compress().to_bytes() == bytes);
    let sub = format!("ed25519:{}", b64(&bytes));
    let last = genuine.made.len() - 1;
    let respell = |index, payload: &Json| match index == last {
        true => payload.with("sub", Json::Text(sub.clone())).canonical(),
        false => payload.canonical(),
    };
    let token = hand::token(&hand::blocks(&genuine.grant, respell, |_, signature| signature));
    assert_eq!(verify(&token).is_some(), right, "{sub}");
    assert_eq!(sub.parse::<PublicKey>().is_ok(), right, "{sub}");
}

/// A proof is accepted in any spelling of JSON (A5.10), and in no other one of its key or signature.
fn proof(choices: &mut Choices<'_, '_>) {
    let target = choices.text();
    let plain = hand::proof(AGENT, SERVICE, "COMMIT", &target, T);
    let accepts = |proof: &str| {
        ProvenKey::from_unbound_proof(proof.as_bytes(), SERVICE, Verb::Commit, &target, T).is_ok()
    };
    let how = choices.roll(4);
    match how {
        0 => assert!(accepts(&anyhow(&plain, &mut dice(choices)))),
        1 => {
            let (odd, mut dice) = odd(choices);
            let is_json = match odd {
                Odd::Space(space) => " \t\n\r".contains(space),
                Odd::After(more) => [" ", "\n"].contains(&more),
                Odd::Escape { .. } | Odd::Slash | Odd::Swap => true,
                Odd::Mark | Odd::Number(_) | Odd::MinusZero | Odd::Twice(_) => false,
            };
            if let Some(other) = oddly(&plain, &odd, &mut dice) {
                assert_eq!(accepts(&other), is_json, "{odd:?}: {other}");
            }
        }
        _ => {
            let name = ["sig", "key"][how - 2];
            let Some(Json::Text(now)) = plain.get(name) else { return };
            let (prefix, now) = now.split_at(if name == "sig" { 0 } else { 8 });
            if let Some(other) = base64(choices)(now) {
                let other = plain.with(name, Json::Text(format!("{prefix}{other}"))).plain();
                assert!(!accepts(&other), "{other}");
            }
        }
    }
}
