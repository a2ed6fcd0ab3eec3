//! No bytes make any reader panic (B7): arbitrary ones, and valid texts cut and changed.

use crate::caveats::bad;
use crate::generate::grant;
use crate::hand::{self, Json};
use crate::model::SERVICE;
use crate::requests::odd_proposal;
use crate::spell::{Dice, anyhow};
use crate::{config, put};
use parley_grants::{
    BlockId, Caveat, Commit, Grant, Limits, Offered, Origin, Possession, Presentable, Presented, Proposal,
    ProvenKey, PublicKey, RecordedKey, Request, ReservationId, Verb, Verifier, canonicalize, proposal_hash,
    read_canonical,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

/// Reads the bytes in every way there is, and shows what was read.
fn read(bytes: &[u8], now: i64) {
    let _ = canonicalize(bytes).map_err(|error| error.to_string());
    let _ = read_canonical(bytes).map_err(|error| format!("{error:?}"));
    let _ = proposal_hash(bytes);
    let proposal = Proposal::parse(bytes).inspect(|proposal| drop(format!("{proposal} {proposal:?}")));
    let _ = Caveat::parse(bytes).map(|caveat| format!("{caveat} {caveat:?}"));
    for verb in [Verb::Hello, Verb::Commit] {
        let _ =
            ProvenKey::from_unbound_proof(bytes, SERVICE, verb, "t", now).map_err(|error| error.to_string());
    }
    let text = String::from_utf8_lossy(bytes);
    let _ = text.parse::<PublicKey>().map(|key| key.to_string());
    let _ = text.parse::<BlockId>().map(|id| format!("{id}"));
    let _ = (Verb::read(&text), RecordedKey::read(&text));
    let small = Limits::default().with_token_bytes(200).with_blocks(1).with_caveats(1).with_depth(5);
    for limits in [Limits::default(), small, small.with_depth(0).with_blocks(0)] {
        for token in [text.as_ref(), &hand::token_of(bytes)] {
            if let Ok(grant) = Grant::decode(token, &limits) {
                drop(format!("{grant} {grant:?}"));
                let _ = grant.verify(&|_: &PublicKey| true).map_err(|error| error.to_string());
            }
        }
    }
    doors(bytes, &text, proposal.ok().as_ref(), now);
}

/// The same at the front door.
fn doors(bytes: &[u8], text: &str, proposal: Option<&Proposal>, now: i64) {
    let verifier = Verifier::new(text, |_: &PublicKey| true);
    let key = put::key(3);
    for proof in [Possession::Proof(bytes), Possession::AssumeProven(&key)] {
        let presented = Presented { grants: &[Presentable::Token(text)], proof, now };
        let _ = verifier.authorize(&Request::Ask { capability: text }, &presented);
        let _ = verifier.authorize(&Request::AutoIntent { capability: text, frame: text }, &presented);
        let origin = Origin::without_grant(RecordedKey::Key(key));
        for offer in [Some(Offered::Text(bytes)), proposal.map(Offered::Kept)].into_iter().flatten() {
            let (spent, id) = (|_: &BlockId| u64::MAX, ReservationId::of(text));
            let sent = Commit::Sent { proposal: offer, hash: text, origin: &origin };
            let decision = put::driven(verifier.commit(&sent, &presented, id), &spent);
            drop(format!("{decision:?}"));
            let auto = Commit::Auto { proposal: offer, capability: text, frame: text, origin: &origin };
            let _ = put::driven(verifier.commit(&auto, &presented, id), &spent);
        }
    }
}

/// Texts of every kind that the crate reads.
fn valid() -> impl Strategy<Value = String> {
    let spelled = |value: Json, dice| anyhow(&value, &mut Dice(dice));
    prop_oneof![
        (odd_proposal(20), any::<u64>()).prop_map(move |(value, dice)| spelled(value, dice)),
        (bad(), any::<u64>()).prop_map(move |(value, dice)| spelled(value, dice)),
        (any::<String>(), any::<i64>(), any::<u64>()).prop_map(move |(target, ts, dice)| spelled(
            hand::proof(3, SERVICE, "COMMIT", &target, ts),
            dice
        )),
        grant(1..=3, [4, 2, 1, 2], 10).prop_map(|grant| hand::assemble(&hand::make(&grant))),
        grant(1..=3, [4, 2, 1, 2], 10).prop_map(|grant| hand::token(&hand::make(&grant))),
        prop::sample::select(vec![
            "[]", "{}", "[{}]", "[[]]", "\"\"", "0", "-", "\"\\u", "pg1.", "ed25519:", ""
        ])
        .prop_map(String::from),
        (0..8_usize).prop_map(hand::public),
        any::<[u8; 32]>().prop_map(|id| hand::b64(&id)),
    ]
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn arbitrary_bytes_do_not_panic(bytes in vec(any::<u8>(), 0..200), text in any::<String>(), now in any::<i64>()) {
        read(&bytes, now);
        read(text.as_bytes(), now);
        read(&[b"{\"", bytes.as_slice()].concat(), now);
        read(&[b"pg1.", text.as_bytes()].concat(), now);
    }

    #[test]
    fn json_like_characters_do_not_panic(text in "[\\[\\]{}:,\"\\\\ue0-9a-f.+\\-tnl \u{1f}\u{e9}]{0,60}", now in any::<i64>()) {
        read(text.as_bytes(), now);
    }

    #[test]
    fn nor_do_valid_texts_cut_and_changed(
        text in valid(),
        edits in vec((any::<Index>(), any::<u8>()), 0..4),
        cut in any::<Index>(),
        now in prop_oneof![Just(i64::MIN), Just(i64::MAX), any::<i64>()],
    ) {
        let mut bytes = text.into_bytes();
        read(&bytes, now);
        for (at, with) in edits {
            let at = at.index(bytes.len().max(1));
            bytes.get_mut(at).into_iter().for_each(|byte| *byte = with);
        }
        read(&bytes, now);
        read(&bytes[..cut.index(bytes.len() + 1)], now);
        read(&bytes[cut.index(bytes.len() + 1)..], now);
    }

    #[test]
    fn nor_does_depth(depth in 1..20_000_usize, start in prop::sample::select(vec!["[", "{\"a\":", "[{\"data\":", "{\"data\":[", "[[{\"p\":{\"caveats\":["])) {
        read(start.repeat(depth).as_bytes(), 0);
    }
}
