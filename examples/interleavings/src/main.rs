//! Every interleaving of a few threads that share a ledger: the limits hold after every step, the totals are exact at the end,
//! a reservation is counted once and ends once (A8.23, A8.24). A ledger that checks first and counts later must be caught.
//!
//! The mutex is the model checker's, so a thread can be interrupted wherever another can be let in.

mod commit;

use loom::sync::{Arc, Mutex};
use loom::thread;
use parley_grants::{
    BlockId, Close, Closed, Demand, Ledger, MemoryLedger, Reservation, ReservationId, Reserve, SpendLine,
};
use std::convert::Infallible;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A root block with two delegations, which do not know of each other, and their limits.
const LINES: [(u8, u64); 3] = [(0, 100), (1, 60), (2, 60)];

fn line(index: usize) -> SpendLine {
    let (name, max) = LINES[index];
    SpendLine { block: BlockId::from_bytes([name; 32]), max, forget_after: None }
}

/// What one execution costs, under which blocks, and how it ends.
#[derive(Clone, Copy)]
struct Order {
    name: &'static str,
    amount: u64,
    lines: &'static [usize],
    how: Close,
}

const fn order(name: &'static str, amount: u64, lines: &'static [usize], how: Close) -> Order {
    Order { name, amount, lines, how }
}

/// A ledger that threads share.
trait Shared: Default + Send + Sync + 'static {
    fn reserve(&self, demand: &Demand<'_>) -> Reserve;
    fn close(&self, id: &ReservationId, how: Close) -> Closed;
    fn total(&self, index: usize) -> u64;
}

fn all_within_limits(total: impl Fn(&BlockId) -> u64) {
    for index in 0..LINES.len() {
        let SpendLine { block, max, .. } = line(index);
        let total = total(&block);
        assert!(total <= max, "block {index}: {total} of {max}");
    }
}

/// The ledger in memory behind a lock, each step under it: as `SharedLedger` is.
struct Locked(Mutex<MemoryLedger>);

impl Default for Locked {
    fn default() -> Self {
        Self(Mutex::new(MemoryLedger::default()))
    }
}

impl Shared for Locked {
    fn reserve(&self, demand: &Demand<'_>) -> Reserve {
        let mut ledger = self.0.lock().expect("the ledger");
        let Ok(said) = ledger.reserve(demand);
        all_within_limits(|block| ledger.total(block));
        said
    }

    fn close(&self, id: &ReservationId, how: Close) -> Closed {
        let mut ledger = self.0.lock().expect("the ledger");
        let Ok(said) = ledger.close(id, how);
        all_within_limits(|block| ledger.total(block));
        said
    }

    fn total(&self, index: usize) -> u64 {
        self.0.lock().expect("the ledger").total(&line(index).block)
    }
}

/// The negative control: it looks at the totals, lets go of the lock, and counts under another.
#[derive(Default)]
struct CheckThenAct(Locked);

impl Shared for CheckThenAct {
    fn reserve(&self, demand: &Demand<'_>) -> Reserve {
        let fits = |line: &SpendLine| {
            self.0.0.lock().expect("the ledger").total(&line.block) + demand.amount <= line.max
        };
        if !demand.lines.iter().all(fits) {
            return Reserve::Exceeded;
        }
        let lines: Vec<_> = demand.lines.iter().map(|line| SpendLine { max: u64::MAX, ..*line }).collect();
        self.0.reserve(&Demand { lines: &lines, ..*demand })
    }

    fn close(&self, id: &ReservationId, how: Close) -> Closed {
        self.0.close(id, how)
    }

    fn total(&self, index: usize) -> u64 {
        self.0.total(index)
    }
}

struct Handle<L>(Arc<L>);

impl<L: Shared> Ledger for Handle<L> {
    type Error = Infallible;

    fn reserve(&mut self, demand: &Demand<'_>) -> Result<Reserve, Infallible> {
        Ok(self.0.reserve(demand))
    }

    fn close(&mut self, id: &ReservationId, how: Close) -> Result<Closed, Infallible> {
        Ok(self.0.close(id, how))
    }
}

/// Reserves and ends it, as a COMMIT does. Says whether it was reserved, and whether it was this thread that ended it.
fn carry_out<L: Shared>(ledger: &Arc<L>, order: &Order) -> (bool, bool) {
    let mut ledger = Handle(Arc::clone(ledger));
    let lines: Vec<_> = order.lines.iter().map(|index| line(*index)).collect();
    let id = ReservationId::of(order.name);
    let demand =
        Demand { id, proposal: "p", grant: line(0).block, amount: order.amount, now: 0, lines: &lines };
    let Ok(said) = ledger.reserve(&demand);
    if said != Reserve::Reserved {
        return (false, false);
    }
    let reservation = Reservation::resume(id);
    let closed = match order.how {
        Close::Settle => reservation.settle(&mut ledger),
        Close::Release => reservation.release(&mut ledger),
    };
    (true, closed == Ok(Closed::Done))
}

/// Lets a thread carry out each list of orders, in every interleaving; gives the number of those, and in how many
/// ways they came out.
fn explore<L: Shared>(threads: &'static [&'static [Order]]) -> (usize, usize) {
    let counter: &'static AtomicUsize = Box::leak(Box::new(AtomicUsize::new(0)));
    let outcomes: &'static std::sync::Mutex<std::collections::BTreeSet<Vec<bool>>> =
        Box::leak(Box::default());
    loom::model(move || {
        counter.fetch_add(1, Ordering::Relaxed);
        let ledger = Arc::new(L::default());
        let run = |ledger: &Arc<L>, orders: &'static [Order]| -> Vec<_> {
            orders.iter().map(|order| (order, carry_out(ledger, order))).collect()
        };
        let (first, others) = threads.split_first().expect("a thread");
        let others: Vec<_> = others
            .iter()
            .map(|orders| {
                let ledger = Arc::clone(&ledger);
                thread::spawn(move || run(&ledger, orders))
            })
            .collect();
        let mut done = run(&ledger, first);
        for other in others {
            done.extend(other.join().expect("a thread"));
        }
        // Exactly what was settled is counted, under each of its blocks, once for each name.
        for index in 0..LINES.len() {
            let is_counted = |(order, (_, is_ended)): &&(&Order, (bool, bool))| {
                order.lines.contains(&index) && *is_ended && order.how == Close::Settle
            };
            let expected: u64 = done.iter().filter(is_counted).map(|(order, _)| order.amount).sum();
            assert_eq!(ledger.total(index), expected, "block {index}");
        }
        for (order, (is_reserved, _)) in &done {
            let ended = done.iter().filter(|(other, (_, is_ended))| other.name == order.name && *is_ended);
            let (ended, held) = (ended.count(), usize::from(*is_reserved));
            assert!(ended <= 1 && ended >= held, "{} was ended {ended} times", order.name);
        }
        let outcome = done.iter().map(|(_, (is_reserved, _))| *is_reserved).collect();
        outcomes.lock().expect("the outcomes").insert(outcome);
    });
    let outcomes = outcomes.lock().expect("the outcomes").len();
    (counter.load(Ordering::Relaxed), outcomes)
}

use Close::{Release, Settle};

const SCENES: [(&str, &[&[Order]]); 5] = [
    (
        "two under one block, room for one",
        &[&[order("a", 60, &[0], Settle)], &[order("b", 60, &[0], Settle)]],
    ),
    (
        "three under nested blocks, room for two",
        &[
            &[order("a", 50, &[0, 1], Settle)],
            &[order("b", 50, &[0, 2], Settle)],
            &[order("c", 40, &[0, 1], Settle)],
        ],
    ),
    (
        "one is released, and others may come in",
        &[
            &[order("a", 60, &[0, 1], Release)],
            &[order("b", 50, &[0, 2], Settle)],
            &[order("c", 50, &[0], Settle)],
        ],
    ),
    (
        "the retry of an execution, under its name",
        &[
            &[order("a", 60, &[0, 1], Settle)],
            &[order("a", 60, &[0, 1], Settle)],
            &[order("b", 30, &[0, 1], Settle)],
        ],
    ),
    (
        "one ends an execution both ways, and two go on",
        &[
            &[order("a", 60, &[0, 1], Settle), order("c", 40, &[0, 2], Settle)],
            &[order("a", 60, &[0, 1], Release), order("d", 60, &[0, 1], Settle)],
        ],
    ),
];

fn main() {
    let mut all = 0;
    for (name, threads) in SCENES {
        let (count, outcomes) = explore::<Locked>(threads);
        println!("{name}: {count} interleavings, {outcomes} outcomes");
        assert!(count > 1 && outcomes > 1, "{name}: nothing was interleaved");
        all += count;
    }
    for (name, requests, first_fails) in
        [("three requests for one proposal", 3, false), ("the same, of which one fails", 3, true)]
    {
        let count = commit::explore(requests, true, first_fails);
        println!("{name}: {count} interleavings");
        all += count;
    }
    println!("{all} interleavings explored: all within every limit, with exact totals, and executed once");

    let why = caught(|| explore::<CheckThenAct>(SCENES[0].1).0, "120 of 100");
    println!("check-then-act: caught, as it must be ({why})");
    let why = caught(|| commit::explore(2, false, false), "executed twice");
    println!("no claim: caught, as it must be ({why})");
}

/// A negative control: what must fail, and for this reason.
fn caught(control: impl FnOnce() -> usize, reason: &str) -> String {
    std::panic::set_hook(Box::new(|_| {}));
    let caught = catch_unwind(AssertUnwindSafe(control));
    let _ = std::panic::take_hook();
    let why = caught.expect_err("a fault went unnoticed: this check is blind");
    let text = why.downcast_ref::<String>().cloned();
    let text = text.or_else(|| why.downcast_ref::<&str>().map(|text| (*text).into())).unwrap_or_default();
    assert!(text.contains(reason), "it failed for another reason: {text}");
    text
}
