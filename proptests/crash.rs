//! A COMMIT that crashes between any two of its steps, and a restart that knows only what storage knows (A8.23, A8.24):
//! nothing is executed twice, counted twice or lost, and no proposal is left behind for good.
//!
//! The steps are those of the crate's docs: claim, reserve, execute, settle, finish; on failure release, abandon. What
//! they change is kept here as storage would keep it, and everything else is dropped at a crash.

mod naive;
mod process;

use crate::config;
use crate::generate::T;
use crate::hand::{self, Block, Grant, Json, Made, object, text};
use naive::{Naive, Stage};
use parley_grants::{
    Answer, BlockId, Claims as _, Closed, Commit, Decision, End, MemoryClaims, MemoryLedger, Offered, Origin,
    Possession, Presentable, Presented, PublicKey, RecordedKey, Request, Reservation, Ticket, Verifier,
};
use process::{Process, Storage, Told, reservation_id};
use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};

const SERVICE: &str = "shop.example";
const HUMAN: hand::Key = 0;
const AGENT: hand::Key = 3;
/// What a root block and the block after it may have in total.
const LIMITS: [u64; 2] = [100, 70];
const COSTS: [u64; 5] = [40, 30, 30, 60, 0];

fn spend(max: u64) -> Json {
    object([("spend", object([("max", Json::Int(max as i64)), ("currency", text("EUR"))]))])
}

/// A grant of two blocks, each with a limit.
fn grant() -> Vec<Made> {
    let block = |max| Block { subject: AGENT, caveats: vec![spend(max)], iat: T, spent: 0 };
    hand::make(&Grant { issuer: HUMAN, nonce: String::new(), blocks: LIMITS.map(block).into(), flaw: None })
}

fn proposal(index: usize) -> Json {
    object([
        ("id", text(&format!("p-{index}"))),
        ("capability", text("shop.order")),
        ("summary", text("")),
        ("effects", Json::List(Vec::new())),
        ("cost", object([("amount", Json::Int(COSTS[index] as i64)), ("currency", text("EUR"))])),
        ("risk", text("low")),
        ("undo", Json::Null),
        ("expires", Json::Int(T + 600)),
    ])
}

fn key(key: hand::Key) -> PublicKey {
    hand::public(key).parse().expect("a key")
}

fn totals(storage: &Storage) -> [u64; 2] {
    let blocks = grant();
    [0, 1].map(|index: usize| storage.ledger.total(&BlockId::from_bytes(blocks[index].id())))
}

fn storage() -> Storage {
    let (ledger, claims) = (MemoryLedger::default(), MemoryClaims::with_room(100));
    Storage { ledger, claims, executed: BTreeMap::new(), open: BTreeMap::new() }
}

/// Holds at every moment, and after every crash.
fn check(storage: &Storage, naive: &Naive) {
    assert!(storage.executed.values().all(|times| *times == 1), "twice: {:?}", storage.executed);
    let executed = (0..COSTS.len()).filter(|index| naive.is_executed(*index));
    assert!(storage.executed.keys().copied().eq(executed), "{:?}", naive.0);
    assert_eq!(totals(storage), [naive.total(); 2], "{:?}", naive.0);
    assert!(naive.total() <= LIMITS[1]);
}

/// Both the crate and the naive model commit; what they tell must be the same.
fn commit(
    storage: &mut Storage,
    naive: &mut Naive,
    index: usize,
    fails: bool,
    steps: Option<u32>,
) -> Option<Told> {
    let told = Process { storage, steps }.commit(index, fails).ok();
    assert_eq!(told, naive.commit(index, fails, steps), "proposal {index}: {:?}", naive.0);
    check(storage, naive);
    told
}

/// So do both restart. In which order, and so how far they come, is no part of the model: it is told by what is open.
fn restart(storage: &mut Storage, naive: &mut Naive, steps: Option<u32>) {
    let mut left = steps.unwrap_or(u32::MAX);
    let mut step = || {
        let is_alive = left > 0;
        left = left.saturating_sub(1);
        is_alive.then_some(())
    };
    let open: Vec<usize> = storage.open.keys().copied().collect();
    let ended = open.into_iter().try_for_each(|index| {
        step()?;
        naive.end(index, &mut step)
    });
    assert_eq!(Process { storage, steps }.restart().ok(), ended);
    check(storage, naive);
}

/// A restart that runs to its end, and what must then be so: the totals are exact, what was executed is done, and each of the
/// others can be committed where its cost fits.
fn afterwards(storage: &mut Storage, naive: &mut Naive) {
    restart(storage, naive, None);
    assert!(storage.open.is_empty());
    assert!(naive.0.iter().all(|stage| matches!(stage, Stage::Free | Stage::Done)), "{:?}", naive.0);
    for index in 0..COSTS.len() {
        let expected = match (naive.is_executed(index), naive.fits(index)) {
            (true, _) => Told::Done,
            (false, true) => Told::Executed,
            (false, false) => Told::Refused("consent_required"),
        };
        assert_eq!(commit(storage, naive, index, false, None), Some(expected), "proposal {index}");
    }
}

/// The most steps that one COMMIT takes, and that a restart takes for one attempt.
const COMMIT_STEPS: u32 = 6;

#[test]
fn a_crash_between_any_two_steps_loses_nothing() {
    let mut reached = BTreeSet::new();
    for fails in [false, true] {
        for at in 0..=COMMIT_STEPS {
            for again in 0..=3 {
                let (mut storage, mut naive) = (storage(), Naive::default());
                let told = commit(&mut storage, &mut naive, 0, fails, Some(at));
                reached.insert((fails, at, told.is_none(), storage.open.len(), totals(&storage)[0]));
                // The agent tries again before anything is cleared up: nothing is executed next to what may have been.
                commit(&mut storage, &mut naive, 0, true, None);
                // The restart crashes too.
                restart(&mut storage, &mut naive, Some(again));
                afterwards(&mut storage, &mut naive);
            }
        }
    }
    // Some crash found it claimed and not reserved, reserved and not executed, executed and not settled.
    assert!(reached.contains(&(false, 1, true, 1, 0)), "{reached:?}");
    assert!(reached.contains(&(false, 2, true, 1, 40)));
    assert!(reached.contains(&(false, COMMIT_STEPS, false, 0, 40)));
    assert!(reached.contains(&(true, COMMIT_STEPS, false, 0, 0)));
}

#[test]
fn after_a_crash_the_first_answer_is_still_to_be_had() {
    let mut storage = storage();
    // Executed, and neither settled nor finished.
    assert!(Process { storage: &mut storage, steps: Some(3) }.commit(0, false).is_err());
    assert_eq!((storage.executed.len(), storage.open.len()), (1, 1));
    let (name, turn) = storage.open[&0];
    Process { storage: &mut storage, steps: None }.restart().expect("no crash");
    let hash = hand::proposal_hash(&proposal(0));
    let (token, proof) = (hand::token(&grant()), hand::proof(AGENT, SERVICE, "COMMIT", &hash, T).plain());
    let presented = Presented {
        grants: &[Presentable::Token(&token)],
        proof: Possession::Proof(proof.as_bytes()),
        now: T,
    };
    let (holder, principal) = (RecordedKey::Key(key(AGENT)), RecordedKey::Key(key(HUMAN)));
    let of = parley_grants::Committed::recorded(holder, principal, "shop.order", &hash);
    let service = Verifier::new(SERVICE, vec![key(HUMAN)]);
    let replay = service.authorize(&Request::Replay { hash: &hash, of: &of }, &presented);
    assert!(matches!(replay, Decision::Allowed(_)), "{replay:?}");
    let Ok(is_ended) = storage.claims.end(&Ticket::from_parts(name, turn), End::Abandon);
    assert!(!is_ended, "what is done stays done");
    assert_eq!(Process { storage: &mut storage, steps: None }.commit(0, false).ok(), Some(Told::Done));
    assert_eq!(totals(&storage), [40, 40]);
}

#[test]
fn who_was_given_up_ends_nothing_of_the_next() {
    let mut storage = storage();
    let mut naive = Naive::default();
    // It is slow and not dead: reserved, when a restart takes all of it back.
    commit(&mut storage, &mut naive, 0, false, Some(2));
    let (name, turn) = storage.open[&0];
    restart(&mut storage, &mut naive, None);
    commit(&mut storage, &mut naive, 0, false, Some(2));
    assert!(storage.open[&0].1 > turn, "its turn is what the executing system can tell them apart by");
    for how in [End::Finish, End::Abandon] {
        let Ok(is_ended) = storage.claims.end(&Ticket::from_parts(name, turn), how);
        assert!(!is_ended);
    }
    let late = || Reservation::resume(reservation_id((name, turn)));
    assert_eq!(late().settle(&mut storage.ledger).ok(), Some(Closed::NotHeld));
    assert_eq!(late().release(&mut storage.ledger).ok(), Some(Closed::NotHeld));
    check(&storage, &naive);
    afterwards(&mut storage, &mut naive);
}

#[test]
fn a_lost_answer_of_the_ledger_goes_on_under_the_same_name() {
    // Reserved, and the process ends before it learns of it; another goes on from the ticket instead of giving up.
    let mut storage = storage();
    assert!(Process { storage: &mut storage, steps: Some(2) }.commit(0, false).is_err());
    assert_eq!(totals(&storage), [40, 40]);
    let id = reservation_id(storage.open[&0]);
    let (json, hash) = (proposal(0).plain(), hand::proposal_hash(&proposal(0)));
    let (token, proof) = (hand::token(&grant()), hand::proof(AGENT, SERVICE, "COMMIT", &hash, T).plain());
    let presented = Presented {
        grants: &[Presentable::Token(&token)],
        proof: Possession::Proof(proof.as_bytes()),
        now: T,
    };
    let origin = Origin::with_grant(RecordedKey::Key(key(AGENT)), RecordedKey::Key(key(HUMAN)));
    let service = Verifier::new(SERVICE, vec![key(HUMAN)]);
    let commit = Commit::Sent { proposal: Offered::Text(json.as_bytes()), hash: &hash, origin: &origin };
    let Ok(Ok((_, reservation))) = service.commit(&commit, &presented, id).drive(&mut storage.ledger) else {
        panic!("it is held already");
    };
    assert_eq!(totals(&storage), [40, 40], "counted once");
    assert_eq!(reservation.settle(&mut storage.ledger).ok(), Some(Closed::Done));
    // Under the name of what has ended, nothing is counted anew and nothing is executed.
    let Ok(Err(refusal)) = service.commit(&commit, &presented, id).drive(&mut storage.ledger) else {
        panic!("its name is used up");
    };
    assert_eq!(refusal.answer(), &Answer::Unavailable);
    assert_eq!(totals(&storage), [40, 40]);
}

#[derive(Clone, Debug)]
enum Event {
    Commit { index: usize, fails: bool, steps: Option<u32> },
    Restart { steps: Option<u32> },
}

fn event() -> impl Strategy<Value = Event> {
    let commit = (0..COSTS.len(), any::<bool>(), prop::option::weighted(0.7, 0..COMMIT_STEPS));
    prop_oneof![
        4 => commit.prop_map(|(index, fails, steps)| Event::Commit { index, fails, steps }),
        1 => prop::option::weighted(0.6, 0..8_u32).prop_map(|steps| Event::Restart { steps }),
    ]
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn crashes_and_retries_keep_the_books(events in vec(event(), 0..24)) {
        let (mut storage, mut naive) = (storage(), Naive::default());
        for event in events {
            match event {
                Event::Commit { index, fails, steps } => {
                    commit(&mut storage, &mut naive, index, fails, steps);
                }
                Event::Restart { steps } => restart(&mut storage, &mut naive, steps),
            }
        }
        afterwards(&mut storage, &mut naive);
    }
}
