//! What is written in tokens, proofs and proposals, by anybody.

use super::{AGENT, T, ask, close, config, demand, key, limit, name, offer, plan, proof, token, verified};
use crate::generate::a2_value;
use crate::hand::{self, Json, MAX_INT, object, text};
use crate::model::SERVICE;
use crate::put;
use crate::spell::{Dice, anyhow};
use parley_grants::{
    Action, Amount, BlockId, Caveat, Claim, Claims as _, Commit, Decision, End, Grant, Limits, MemoryClaims,
    MemoryLedger, Offered, Origin, Outcome, Possession, Presentable, Presented, ProvenKey, PublicKey, Reason,
    RecordedKey, Request, Reserve, Risk, SpendLine, Terms, Ticket, VouchedTerms,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// A text that is cut off, or of which a few bytes are others.
fn spoiled(text: &str, edits: &[(Index, u8)], cut: Option<Index>) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for (at, with) in edits {
        let at = at.index(bytes.len());
        bytes[at] = *with;
    }
    if let Some(cut) = cut {
        bytes.truncate(cut.index(bytes.len()));
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A4's second column with B3 and B4, read once more.
fn is_well_formed(caveat: &Json) -> bool {
    let Json::Object(members) = caveat else { return false };
    let [(name, value)] = members.as_slice() else { return false };
    let is_limit = |value: &Json| match value {
        Json::Object(members) => {
            let mut names: Vec<_> = members.iter().map(|(name, _)| name.as_str()).collect();
            names.sort_unstable();
            names == ["currency", "max"]
                && matches!(value.get("max"), Some(Json::Int(0..=MAX_INT)))
                && matches!(value.get("currency"), Some(Json::Text(_)))
        }
        _ => false,
    };
    match (name.as_str(), value) {
        ("svc" | "verbs" | "can", Json::List(items)) => {
            items.iter().all(|item| matches!(item, Json::Text(_)))
        }
        ("exp" | "nbf", Json::Int(_)) | ("only", Json::Text(_)) => true,
        ("per" | "spend", value) => is_limit(value),
        ("risk", Json::Text(level)) => ["low", "medium", "high"].contains(&level.as_str()),
        _ => false,
    }
}

/// Values that some language or other takes for something.
fn tempting() -> impl Strategy<Value = Json> {
    let words = [
        "toString",
        "__proto__",
        "constructor",
        "low",
        "LOW",
        "Low ",
        "",
        "0",
        "null",
        "true",
        "*",
        "hasOwnProperty",
    ];
    prop_oneof![
        select(words.to_vec()).prop_map(text),
        Just(Json::Null),
        any::<bool>().prop_map(Json::Bool),
        select(vec![0, -1, 1, T, MAX_INT, -MAX_INT]).prop_map(Json::Int),
        vec(select(words.to_vec()).prop_map(text), 0..3).prop_map(Json::List),
        vec(a2_value(), 0..3).prop_map(Json::List),
        Just(Json::Object(vec![])),
        (select(words.to_vec()), a2_value()).prop_map(|(name, value)| object([(name, value)])),
        (-2..3_i64, a2_value())
            .prop_map(|(max, currency)| object([("max", Json::Int(max)), ("currency", currency)])),
        (a2_value(), select(vec!["max", "amount", "Max"]))
            .prop_map(|(max, name)| object([(name, max), ("currency", text("EUR"))])),
        (0..3_i64, select(vec!["note", "min", "amount"]), a2_value()).prop_map(|(max, name, more)| {
            object([("max", Json::Int(max)), ("currency", text("EUR")), (name, more)])
        }),
        a2_value(),
    ]
}

/// Anything in the place of a caveat.
fn caveat() -> impl Strategy<Value = Json> {
    let names = vec![
        "svc",
        "verbs",
        "can",
        "exp",
        "nbf",
        "only",
        "per",
        "spend",
        "risk",
        "toString",
        "__proto__",
        "constructor",
        "",
        "Risk",
        "exp ",
    ];
    prop_oneof![
        6 => (select(names.clone()), tempting()).prop_map(|(name, value)| object([(name, value)])),
        1 => tempting(),
        1 => (select(names.clone()), tempting(), select(names), tempting()).prop_map(|(name, value, other, more)| {
            object([(name, value)]).with(other, more)
        }),
    ]
}

/// L, the order of the group, as little-endian bytes; a signature's S with it added means the same to who does not look.
fn with_order_added(signature: &[u8; 64]) -> [u8; 64] {
    const ORDER: [u8; 32] = [
        0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14, 0, 0,
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
    ];
    let mut out = *signature;
    let mut carry = 0;
    for (byte, more) in out[32..].iter_mut().zip(ORDER) {
        let sum = u16::from(*byte) + u16::from(more) + carry;
        (*byte, carry) = (sum as u8, sum >> 8);
    }
    out
}

/// A change that needs nobody's key.
#[derive(Clone, Debug)]
enum Change {
    Byte(Index, u8),
    Insert(Index, char),
    LastCharacter(usize, u8),
    OrderAdded(usize),
    OtherSpelling(usize, u64),
    Envelope(u64),
    Without(usize),
    Twice(usize),
    Padding(usize),
    BitOfSignature(usize, usize),
    Escaped(usize, Index),
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        (any::<Index>(), any::<u8>()).prop_map(|(at, with)| Change::Byte(at, with)),
        (any::<Index>(), select(vec![' ', '\n', '=', 'A', '.', '+', '\u{e9}']))
            .prop_map(|(at, with)| Change::Insert(at, with)),
        (0..3_usize, 1..64_u8).prop_map(|(block, with)| Change::LastCharacter(block, with)),
        (0..3_usize).prop_map(Change::OrderAdded),
        (0..3_usize, any::<u64>()).prop_map(|(block, dice)| Change::OtherSpelling(block, dice)),
        any::<u64>().prop_map(Change::Envelope),
        (0..3_usize).prop_map(Change::Without),
        (0..3_usize).prop_map(Change::Twice),
        (1..3_usize).prop_map(Change::Padding),
        (0..3_usize, 0..512_usize).prop_map(|(block, bit)| Change::BitOfSignature(block, bit)),
        (0..3_usize, any::<Index>()).prop_map(|(block, at)| Change::Escaped(block, at)),
    ]
}

fn decode64(text: &str) -> [u8; 64] {
    let digit = |byte| hand::ALPHABET.iter().position(|other| *other == byte).expect("a digit") as u32;
    let digits: Vec<u32> = text.bytes().map(digit).collect();
    let bits = digits.iter().flat_map(|digit| (0..6).rev().map(move |at| (digit >> at & 1) as u8));
    let bits: Vec<u8> = bits.collect();
    std::array::from_fn(|at| bits[at * 8..at * 8 + 8].iter().fold(0, |byte, bit| byte << 1 | bit))
}

fn changed(plan: &hand::Grant, change: &Change) -> String {
    let mut made = hand::make(plan);
    let blocks = made.len();
    let whole = hand::token(&made);
    match *change {
        Change::Byte(at, with) => return spoiled(&whole, &[(at, with)], None),
        Change::Insert(at, with) => {
            let mut text = whole;
            text.insert(at.index(text.len() + 1), with);
            return text;
        }
        Change::Padding(count) => return whole + &"=".repeat(count),
        Change::LastCharacter(block, with) => {
            // The last of 86 characters carries two bits and four that must be zero.
            let signature = &mut made[block % blocks].signature;
            let last = signature.pop().unwrap() as u8;
            let digit = hand::ALPHABET.iter().position(|other| *other == last).unwrap() as u8;
            signature.push(hand::ALPHABET[usize::from(digit ^ with)] as char);
        }
        Change::OrderAdded(block) => {
            let signature = &mut made[block % blocks].signature;
            *signature = hand::b64(&with_order_added(&decode64(signature)));
        }
        Change::BitOfSignature(block, bit) => {
            let signature = &mut made[block % blocks].signature;
            let mut bytes = decode64(signature);
            bytes[bit / 8] ^= 1 << (bit % 8);
            *signature = hand::b64(&bytes);
        }
        Change::OtherSpelling(block, dice) => {
            let block = &mut made[block % blocks];
            block.payload = anyhow(&block.value, &mut Dice(dice));
        }
        Change::Envelope(dice) => {
            let block = |made: &hand::Made| object([("p", made.value.clone()), ("s", text(&made.signature))]);
            let json = Json::List(made.iter().map(block).collect());
            return hand::token_of(anyhow(&json, &mut Dice(dice)).as_bytes());
        }
        Change::Escaped(block, at) => {
            let signature = &made[block % blocks].signature;
            let at = at.index(signature.len());
            let escape = format!("\\u{:04x}", signature.as_bytes()[at]);
            let escaped = format!("{}{escape}{}", &signature[..at], &signature[at + 1..]);
            return hand::token_of(hand::assemble(&made).replace(signature, &escaped).as_bytes());
        }
        Change::Without(block) => drop(made.remove(block % blocks)),
        Change::Twice(block) => {
            let again = &made[block % blocks];
            let again = hand::Made {
                value: again.value.clone(),
                payload: again.payload.clone(),
                signature: again.signature.clone(),
            };
            made.insert(block % blocks, again);
        }
    }
    hand::token(&made)
}

/// The ids of the blocks of a token that verifies.
fn ids(token: &str) -> Option<Vec<BlockId>> {
    let grant = Grant::decode(token, &Limits::default()).ok()?.verify(&|_: &PublicKey| true).ok()?;
    Some(grant.grant().blocks().map(|block| *block.id()).collect())
}

proptest! {
    #![proptest_config(config())]

    /// No input panics, and what is refused leaves ledger and claim store as they were (B7.1).
    #[test]
    fn malformed_or_cut_off_input_crashes_nothing(
        which in 0..4_usize,
        edits in vec((any::<Index>(), any::<u8>()), 0..3),
        cut in prop::option::of(any::<Index>()),
        junk in any::<String>(),
        now in prop_oneof![6 => Just(T), 1 => any::<i64>()],
        amounts in vec(prop_oneof![0..60_u64, Just(u64::MAX)], 1..6),
    ) {
        let proposal = offer("p", Some(40), "low");
        let hash = hand::proposal_hash(&proposal);
        let mut texts = [token(&plan(0, "", vec![(5, vec![limit("spend", 50)]), (AGENT, vec![])])), proof(AGENT, "COMMIT", &hash, T), proposal.plain(), hash];
        let spoil = &mut texts[which];
        *spoil = spoiled(spoil, &edits, cut);
        let [token, proof, proposal, hash] = &texts;
        let line = |one, max| SpendLine { block: super::block(one), max, forget_after: None };
        let (mut ledger, mut claims) = (MemoryLedger::default(), MemoryClaims::with_room(1));
        prop_assert_eq!(ask(&mut ledger, &demand(1, 1, 30, &[line(1, 50), line(2, 40)])), Reserve::Reserved);
        let started = claims.claim(&Claim::for_commit("a", i64::MAX), T);
        prop_assert!(started.is_ok());

        let verifier = put::verifier();
        let origin = Origin::without_grant(RecordedKey::Key(key(AGENT)));
        for (token, proof) in [(token.as_str(), proof.as_str()), (&junk, proof), (token, &junk)] {
            let before = format!("{ledger:?}");
            let grants = [Presentable::Token(token)];
            let presented = Presented { grants: &grants, proof: Possession::Proof(proof.as_bytes()), now };
            let sent = Commit::Sent { proposal: Offered::Text(proposal.as_bytes()), hash, origin: &origin };
            let auto = Commit::Auto { proposal: Offered::Text(proposal.as_bytes()), capability: &junk, frame: hash, origin: &origin };
            for commit in [sent, auto] {
                let decided = super::drive(verifier.commit(&commit, &presented, name(2_u64)), &mut ledger);
                if let Decision::Refused(refusal) = &decided {
                    prop_assert!(!refusal.log().to_string().is_empty());
                    prop_assert_eq!(&format!("{ledger:?}"), &before);
                } else {
                    prop_assert!(close(&mut ledger, name(2_u64), true));
                    break;
                }
            }
            let _ = verifier.authorize(&Request::AutoIntent { capability: hash, frame: &junk }, &presented);
            let expand = Request::Expand { handle: token, owner: parley_grants::Owner::Key(RecordedKey::read(proof)) };
            let _ = verifier.authorize(&expand, &presented);
            let _ = parley_grants::ConsentRequest::parse(proposal.as_bytes());
        }
        for (at, amount) in amounts.into_iter().enumerate() {
            let before = format!("{ledger:?}");
            let id = if at % 2 == 0 { 1 } else { 50 + at as u64 };
            if ask(&mut ledger, &demand(id, 1, amount, &[line(1, 50), line(2, 40)])) != Reserve::Reserved {
                prop_assert_eq!(format!("{ledger:?}"), before);
            }
        }
        let before = format!("{ledger:?} {claims:?}");
        prop_assert!(!close(&mut ledger, name(99_u64), false));
        prop_assert!(claims.claim(&Claim::for_commit("b", now), T).is_ok());
        prop_assert!(claims.claim(&Claim::for_commit("a", i64::MIN), T).is_ok());
        prop_assert_eq!(claims.end(&Ticket::from_parts([7; 32], 1), End::Abandon), Ok(false));
        prop_assert_eq!(format!("{ledger:?} {claims:?}"), before);
    }

    /// Any JSON, as the value of any caveat and in the place of a whole one: for every verb (A4, B3, B4).
    #[test]
    fn any_json_in_any_caveat_position_denies_unless_well_formed(
        odd in caveat(), block in 0..2_usize, at in any::<Index>(), now in T - 1..=T + 1, cost in prop::option::of(0..3_u64), dice in any::<u64>(),
    ) {
        let mut blocks: Vec<(usize, Vec<Json>)> = vec![(5, vec![limit("per", 9), object([("risk", text("high"))])]), (AGENT, vec![object([("svc", Json::List(vec![text(SERVICE)]))])])];
        let place = at.index(blocks[block].1.len() + 1);
        blocks[block].1.insert(place, odd.clone());
        let grant = verified(&token(&plan(0, "", blocks)));
        let is_good = is_well_formed(&odd);
        let read = Caveat::parse(anyhow(&odd, &mut Dice(dice)).as_bytes()).unwrap();
        prop_assert_eq!(read.name().is_some(), is_good);
        prop_assert_eq!(&grant.grant().blocks().nth(block).unwrap().caveats()[place], &read);

        let terms = Terms::vouch_for(VouchedTerms {
            id: "p".into(), hash: "toString".into(), capability: "shop.order".into(), summary: String::new(), cost: cost.and_then(|cost| Amount::new(cost, "EUR")), risk: Risk::Low, undo: None, expires: T + 9,
        }).unwrap();
        let holder = ProvenKey::assume_proven(key(AGENT));
        let c = "shop.order";
        for action in [
            Action::Hello(c), Action::Ask(c), Action::Intent(c), Action::Undo(c), Action::Expand(c), Action::Commit(&terms), Action::Replay { capability: c, hash: "toString" },
        ] {
            let said = grant.evaluate_unbound(&holder, SERVICE, &action, now, &|_: &BlockId| 0).unwrap();
            let denies = said.failures().iter().any(|failure| {
                matches!(failure.reason, Reason::Unknown | Reason::Malformed) && (failure.block, failure.caveat) == (block, place)
            });
            prop_assert_eq!(denies, !is_good, "{:?}", action);
            prop_assert!(is_good || said.outcome() == Outcome::Forbidden);
        }
    }

    /// Without a signer's key no text is made of a token that verifies and is not the token, or its beginning (B1, B2).
    #[test]
    fn one_signature_one_block_id(
        caveats in vec(vec(a2_value(), 0..2), 3), blocks in 1..=3_usize, nonce in "[a-z/\u{1f}\u{e9}]{0,4}", changes in vec(change(), 1..5),
    ) {
        let holders = [5, 6, AGENT];
        let chain = caveats.into_iter().zip(holders).take(blocks).map(|(caveats, holder)| (holder, caveats)).collect();
        let plan = plan(0, &nonce, chain);
        let (whole, made) = (token(&plan), hand::make(&plan));
        let right = ids(&whole).expect("a valid grant");
        prop_assert_eq!(right.iter().map(|id| *id.as_bytes()).collect::<Vec<_>>(), made.iter().map(hand::Made::id).collect::<Vec<_>>());
        for change in changes {
            let other = changed(&plan, &change);
            if let Some(ids) = ids(&other) {
                prop_assert!(right.starts_with(&ids), "{:?}", change);
                prop_assert_eq!(other, hand::token(&made[..ids.len()]), "{:?}", change);
            }
        }
    }
}
