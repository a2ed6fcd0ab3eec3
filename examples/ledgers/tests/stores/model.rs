//! Random sequences of steps, each answer and each total compared with `MemoryLedger` and `MemoryClaims`.

use crate::random::Random;
use crate::servers::{Kind, Server};
use parley_grants::{
    BlockId, Claim, Claimed, Claims as _, Close, Closed, Demand, End, Ledger as _, LedgerBounds,
    MemoryClaims, MemoryLedger, ReservationId, Reserve, SpendLine, Ticket,
};
use parley_grants_ledgers::{Bounds, MARGIN, Memory, Store};
use std::collections::BTreeMap;

const BOUNDS: Bounds = Bounds { blocks_per_grant: 5, held_per_grant: 4 };
const MODEL_BOUNDS: LedgerBounds =
    LedgerBounds { grants: 1_000, blocks_per_grant: 5, held_per_grant: 4, ended: 100_000 };

/// A text of the contract's greatest amount, and others at which doubles, signed and unsigned numbers end.
const EDGE: u64 = (1 << 53) - 1;
const AMOUNTS: [u64; 14] = [
    0,
    1,
    2,
    EDGE / 2,
    EDGE - 1,
    EDGE,
    EDGE + 1,
    EDGE + 2,
    EDGE + 3,
    1 << 62,
    (1 << 63) - 1,
    1 << 63,
    u64::MAX - 1,
    u64::MAX,
];
const TIMES: [i64; 13] = [
    i64::MIN,
    i64::MIN + 1,
    i64::MIN + MARGIN,
    -1,
    0,
    1,
    2,
    MARGIN - 1,
    MARGIN,
    MARGIN + 1,
    1 << 60,
    i64::MAX - 1,
    i64::MAX,
];

#[derive(Clone, PartialEq, Eq)]
struct Asked {
    grant: u64,
    proposal: String,
    amount: u64,
    lines: Vec<SpendLine>,
}

/// Ids of this sequence alone, so that all of them can use one server; with every byte in them that a text could end at.
fn bytes(seed: u64, kind: u8, number: u64) -> [u8; 32] {
    let mut bytes = [0; 32];
    bytes[..4].copy_from_slice(&[b'{', 0, b'\n', kind]);
    bytes[8..16].copy_from_slice(&seed.to_be_bytes());
    bytes[20..28].copy_from_slice(&number.to_be_bytes());
    bytes
}

fn any_demand(random: &mut Random, seed: u64, are_large: bool) -> Asked {
    let amount = |random: &mut Random| if are_large { random.of(&AMOUNTS) } else { random.below(30) };
    let time = |random: &mut Random| (random.below(4) > 0).then(|| random.of(&TIMES));
    let lines = (0..random.below(4)).map(|_| SpendLine {
        block: BlockId::from_bytes(bytes(seed, b'b', random.below(8))),
        max: if are_large { random.of(&AMOUNTS[3..]) } else { 40 + random.below(60) },
        forget_after: time(random),
    });
    let lines = lines.collect();
    let proposal = random.of(&["one", "two", "", "a NUL \0 in it"]).into();
    Asked { grant: random.below(3), proposal, amount: amount(random), lines }
}

/// Another demand, by one part.
fn changed(random: &mut Random, asked: &Asked) -> Asked {
    let mut other = asked.clone();
    match random.below(8) {
        0 => other.grant = (other.grant + 1) % 3,
        1 => other.proposal.push('.'),
        2 => other.amount ^= 1,
        3 => other.lines.reverse(),
        4 => drop(other.lines.pop()),
        7 => other.lines.iter_mut().take(1).for_each(|line| line.block = BlockId::from_bytes([9; 32])),
        5 => other.lines.iter_mut().take(1).for_each(|line| line.max ^= 1),
        _ => other.lines.iter_mut().take(1).for_each(|line| {
            line.forget_after = if line.forget_after.is_some() { None } else { Some(0) };
        }),
    }
    other
}

async fn ledger_agrees(store: &impl Store, seed: u64, steps: u32, seen: &mut BTreeMap<String, u64>) {
    let random = &mut Random::from(seed);
    let are_large = seed % 2 == 1;
    let mut model = MemoryLedger::with_bounds(MODEL_BOUNDS);
    let mut asked: BTreeMap<u64, Asked> = BTreeMap::new();
    let mut ids = 10;
    for step in 0..steps {
        // New names come as others are used up.
        ids += u64::from(step % 4 == 0);
        let name = random.below(12) + ids - 12 * u64::from(ids > 12);
        let id = ReservationId::from_bytes(bytes(seed, b'r', name));
        let said = if random.below(3) > 0 {
            let next = match asked.get(&name) {
                Some(before) if random.below(2) > 0 => before.clone(),
                Some(before) if random.below(2) > 0 => changed(random, before),
                _ => any_demand(random, seed, are_large),
            };
            let is_again = asked.get(&name) == Some(&next);
            let demand = Demand {
                id,
                proposal: &next.proposal,
                grant: BlockId::from_bytes(bytes(seed, b'g', next.grant)),
                amount: next.amount,
                now: random.of(&TIMES),
                lines: &next.lines,
            };
            let Ok(expected) = model.reserve(&demand);
            let said = store.reserve(&demand).await.unwrap();
            assert_eq!(said, expected, "seed {seed}, step {step}: {demand:?}");
            if said == Reserve::Reserved {
                asked.insert(name, next);
            }
            if said == Reserve::Reserved && is_again {
                "reserved once more".into()
            } else {
                format!("{said:?}")
            }
        } else {
            let how = random.of(&[Close::Settle, Close::Release]);
            // Most often one that may be held.
            let names: Vec<u64> = asked.keys().copied().collect();
            let id = if names.is_empty() || random.below(4) == 0 {
                id
            } else {
                ReservationId::from_bytes(bytes(seed, b'r', random.of(&names)))
            };
            let Ok(expected) = model.close(&id, how);
            let said = store.close(&id, how).await.unwrap();
            assert_eq!(said, expected, "seed {seed}, step {step}: {how:?} {id:?}");
            asked.retain(|name, _| {
                said == Closed::NotHeld
                    || id != ReservationId::from_bytes(bytes(seed, b'r', *name))
                    || random.below(3) == 0
            });
            if said == Closed::Done { format!("{how:?}d") } else { format!("{said:?}") }
        };
        *seen.entry(said).or_default() += 1;
        for block in 0..8 {
            let block = BlockId::from_bytes(bytes(seed, b'b', block));
            let (total, expected) = (store.total(&block).await.unwrap(), model.total(&block));
            assert_eq!(total, expected, "seed {seed}, step {step}: {block}");
            *seen.entry("totals beyond 2^53".into()).or_default() += u64::from(total > EDGE);
        }
    }
}

async fn claims_agree(store: &impl Store, seed: u64, steps: u32, seen: &mut BTreeMap<String, u64>) {
    let random = &mut Random::from(seed);
    let mut model = MemoryClaims::with_room(1_000);
    // Each store counts turns from where it stands; the tickets of one claiming belong together.
    let mut tickets: Vec<([u8; 32], u64, u64)> = Vec::new();
    let mut last_turns: BTreeMap<[u8; 32], u64> = BTreeMap::new();
    for step in 0..steps {
        let name = format!("{seed} {}", random.below(4));
        let claim = Claim::for_other("test", &name, random.of(&TIMES));
        let now = random.of(&TIMES);
        let said = if tickets.is_empty() || random.below(2) > 0 {
            let Ok(expected) = model.claim(&claim, now);
            match (store.claim(&claim, now).await.unwrap(), expected) {
                (Claimed::First(given), Claimed::First(expected)) => {
                    assert_eq!(given.key(), claim.key());
                    let before = last_turns.insert(*claim.key(), given.turn());
                    assert!(before < Some(given.turn()), "turn {} after {before:?}", given.turn());
                    tickets.push((*claim.key(), given.turn(), expected.turn()));
                    "first".into()
                }
                (said, expected) => {
                    assert_eq!(said, expected, "seed {seed}, step {step}: {claim:?} at {now}");
                    format!("{said:?}")
                }
            }
        } else {
            let recent = tickets.len().saturating_sub(5);
            let (key, turn, of_model) = random.of(&tickets[recent..]);
            // Now and then one that nobody was given, or another claim's.
            let (key, wrong) =
                if random.below(5) > 0 { (key, 0) } else { (*claim.key(), random.of(&[0, 1, 1 << 63])) };
            let how = random.of(&[End::Finish, End::Abandon]);
            let Ok(expected) = model.end(&Ticket::from_parts(key, of_model + wrong), how);
            let said = store.end(&Ticket::from_parts(key, turn + wrong), how).await.unwrap();
            assert_eq!(said, expected, "seed {seed}, step {step}: {how:?}");
            format!("{how:?} {said}")
        };
        *seen.entry(said).or_default() += 1;
    }
}

async fn agrees(name: &str, store: &impl Store, seeds: u64, steps: u32) {
    let mut seen = BTreeMap::new();
    for seed in 0..seeds {
        ledger_agrees(store, seed, steps, &mut seen).await;
    }
    let mut claims_seen = BTreeMap::new();
    for seed in 0..seeds {
        claims_agree(store, seed, steps, &mut claims_seen).await;
    }
    println!(
        "{name}: {} sequences of {steps} steps agree with the model: {seen:?}, {claims_seen:?}",
        2 * seeds
    );
    for kind in [
        "Reserved",
        "reserved once more",
        "Exceeded",
        "Full",
        "Taken",
        "Settled",
        "Released",
        "NotHeld",
        "totals beyond 2^53",
    ] {
        assert!(seen.get(kind).is_some_and(|count| *count > 20), "too few of {kind}");
    }
    for kind in
        ["first", "InProgress", "Done", "Finish true", "Finish false", "Abandon true", "Abandon false"]
    {
        assert!(claims_seen.get(kind).is_some_and(|count| *count > 20), "too few of {kind}");
    }
}

/// Two amounts, and as a cap their very sum, or one less: by numbers that are exact, not by the model.
async fn is_exact_at_the_bounds(name: &str, store: impl Store) {
    let mut pairs = 0;
    for (i, a) in AMOUNTS.into_iter().enumerate() {
        for (j, b) in AMOUNTS.into_iter().enumerate().skip(i % 2).step_by(2) {
            let number = (i * AMOUNTS.len() + j) as u64;
            let block = BlockId::from_bytes(bytes(99, b'b', number));
            let ask = async |kind, amount, max| {
                let id = ReservationId::from_bytes(bytes(99, kind, number));
                let lines = [SpendLine { block, max, forget_after: None }];
                let demand = Demand { id, proposal: "p", grant: block, amount, now: 0, lines: &lines };
                store.reserve(&demand).await.unwrap()
            };
            assert_eq!(ask(b'1', a, a).await, Reserve::Reserved, "{a}");
            match a.checked_add(b) {
                None => assert_eq!(ask(b'2', b, u64::MAX).await, Reserve::Exceeded, "{a} and {b}"),
                Some(sum) => {
                    if let Some(less) = sum.checked_sub(1) {
                        assert_eq!(ask(b'2', b, less).await, Reserve::Exceeded, "{a} and {b} within {less}");
                    }
                    assert_eq!(ask(b'2', b, sum).await, Reserve::Reserved, "{a} and {b} within {sum}");
                    assert_eq!(store.total(&block).await, Ok(sum));
                    let second = ReservationId::from_bytes(bytes(99, b'2', number));
                    assert_eq!(store.close(&second, Close::Release).await, Ok(Closed::Done));
                }
            }
            assert_eq!(store.total(&block).await, Ok(a), "{a} and {b}");
            pairs += 1;
        }
    }
    println!("{name}: {pairs} pairs of amounts exact at their sum and one below it");
}

#[tokio::test(flavor = "multi_thread")]
async fn memory_is_exact_at_the_bounds() {
    is_exact_at_the_bounds("memory", Memory::default()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn postgres_is_exact_at_the_bounds() {
    let server = Server::start(Kind::Postgres);
    is_exact_at_the_bounds("postgres", server.postgres().await.unwrap()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn redis_is_exact_at_the_bounds() {
    let server = Server::start(Kind::Redis);
    is_exact_at_the_bounds("redis", server.redis().await.unwrap()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn memory_agrees_with_the_model() {
    let store = Memory::new(MemoryLedger::with_bounds(MODEL_BOUNDS), MemoryClaims::with_room(1_000));
    // All sequences share it, so the bound on grants is no longer far away.
    agrees("memory", &store, 12, 500).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn postgres_agrees_with_the_model() {
    let server = Server::start(Kind::Postgres);
    agrees("postgres", &server.postgres_within(BOUNDS).await, 8, 400).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn redis_agrees_with_the_model() {
    let server = Server::start(Kind::Redis);
    agrees("redis", &server.redis_within(BOUNDS).await, 12, 500).await;
}
