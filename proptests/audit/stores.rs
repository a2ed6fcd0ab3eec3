//! The stores in memory: never over their bounds, and what counts is never forgotten for want of room.

use super::{T, ask, block, close, config, demand, name};
use parley_grants::{
    Claim, Claimed, Claims as _, End, LedgerBounds, MemoryClaims, MemoryLedger, Reserve, SpendLine, Ticket,
};
use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::BTreeMap;

#[derive(Clone, Debug)]
enum Op {
    /// Id, grant, which blocks of the grant, amount.
    Reserve(u64, u8, Vec<u8>, u64),
    Close(u64, bool),
}

fn op() -> impl Strategy<Value = Op> {
    let blocks = prop::sample::subsequence((0..6_u8).collect::<Vec<_>>(), 0..4);
    prop_oneof![
        3 => (0..12_u64, 1..6_u8, blocks, 0..4_u64).prop_map(|(id, grant, blocks, amount)| Op::Reserve(id, grant, blocks, amount)),
        2 => (0..12_u64, any::<bool>()).prop_map(|(id, settle)| Op::Close(id, settle)),
    ]
}

/// What is alive, written down without any thought of room.
#[derive(Default)]
struct Alive {
    held: BTreeMap<u64, (u8, Vec<u8>, u64)>,
    totals: BTreeMap<(u8, u8), u64>,
    ended: Vec<u64>,
}

impl Alive {
    fn held_under(&self, grant: u8) -> usize {
        self.held.values().filter(|(of, ..)| *of == grant).count()
    }

    fn blocks_under(&self, grant: u8) -> usize {
        self.totals.keys().filter(|(of, _)| *of == grant).count()
    }

    fn grants(&self) -> usize {
        (1..6).filter(|grant| self.held_under(*grant) + self.blocks_under(*grant) > 0).count()
    }

    fn reserve(
        &mut self,
        bounds: &LedgerBounds,
        (id, grant, blocks, amount): (u64, u8, &[u8], u64),
    ) -> Reserve {
        if self.ended.iter().rev().take(bounds.ended).any(|ended| *ended == id) {
            return Reserve::Taken;
        }
        if let Some(held) = self.held.get(&id) {
            let is_same = *held == (grant, blocks.to_vec(), amount);
            return if is_same { Reserve::Reserved } else { Reserve::Taken };
        }
        let is_known = self.held_under(grant) + self.blocks_under(grant) > 0;
        if !is_known && self.grants() >= bounds.grants {
            return Reserve::Full;
        }
        let total = |block: &u8| self.totals.get(&(grant, *block)).copied().unwrap_or(0);
        if blocks.iter().any(|block| total(block) + amount > 20) {
            return Reserve::Exceeded;
        }
        let new = blocks.iter().filter(|block| !self.totals.contains_key(&(grant, **block))).count();
        let is_full = self.held_under(grant) >= bounds.held_per_grant
            || self.blocks_under(grant) + new > bounds.blocks_per_grant;
        if is_full {
            return Reserve::Full;
        }
        for block in blocks {
            *self.totals.entry((grant, *block)).or_default() += amount;
        }
        self.held.insert(id, (grant, blocks.to_vec(), amount));
        Reserve::Reserved
    }

    fn close(&mut self, id: u64, settle: bool) -> bool {
        let Some((grant, blocks, amount)) = self.held.remove(&id) else { return false };
        if !settle {
            for block in blocks {
                self.totals.entry((grant, block)).and_modify(|total| *total -= amount);
            }
        }
        // What counts nothing needs no room.
        self.totals.retain(|(of, _), total| *of != grant || *total > 0);
        self.ended.push(id);
        true
    }
}

#[derive(Clone, Debug)]
enum Call {
    /// Key, how long, seconds passed.
    Claim(u8, i64, i64),
    End(usize, bool),
}

fn call() -> impl Strategy<Value = Call> {
    prop_oneof![
        3 => (0..8_u8, -1..30_i64, 0..6_i64).prop_map(|(key, long, passed)| Call::Claim(key, long, passed)),
        2 => (0..20_usize, any::<bool>()).prop_map(|(which, finish)| Call::End(which, finish)),
    ]
}

struct Remembered {
    until: i64,
    is_done: bool,
    ticket: usize,
}

proptest! {
    #![proptest_config(config())]

    /// And who holds one grant cannot fill the ledger for those of another.
    #[test]
    fn stores_are_bounded(
        bounds in (0..4_usize, 0..5_usize, 0..4_usize, 0..5_usize), ops in vec(op(), 1..40),
        room in 0..5_usize, calls in vec(call(), 1..40),
    ) {
        let (grants, blocks_per_grant, held_per_grant, ended) = bounds;
        let bounds = LedgerBounds { grants, blocks_per_grant, held_per_grant, ended };
        let (mut ledger, mut alive) = (MemoryLedger::with_bounds(bounds), Alive::default());
        for op in ops {
            match op {
                Op::Reserve(id, grant, blocks, amount) => {
                    let line = |one: &u8| SpendLine { block: block(grant * 16 + one), max: 20, forget_after: None };
                    let lines: Vec<_> = blocks.iter().map(line).collect();
                    let said = ask(&mut ledger, &demand(id, grant, amount, &lines));
                    prop_assert_eq!(said, alive.reserve(&bounds, (id, grant, &blocks, amount)));
                }
                Op::Close(id, settle) => prop_assert_eq!(close(&mut ledger, name(id), settle), alive.close(id, settle)),
            }
            prop_assert!(alive.grants() <= grants);
            for grant in 1..6_u8 {
                prop_assert!(alive.held_under(grant) <= held_per_grant && alive.blocks_under(grant) <= blocks_per_grant);
                for one in 0..6_u8 {
                    let expected = alive.totals.get(&(grant, one)).copied().unwrap_or(0);
                    prop_assert_eq!(ledger.total(&block(grant * 16 + one)), expected);
                }
            }
        }
        // Nothing else is kept either: all that it holds is in its `Debug`.
        let held = grants * (1 + blocks_per_grant + held_per_grant * 5) + 2 * ended;
        let size = format!("{ledger:?}").len();
        prop_assert!(size <= 600 + 250 * held, "{}", size);

        let (mut claims, mut model) = (MemoryClaims::with_room(room), BTreeMap::<u8, Remembered>::new());
        let (mut now, mut tickets) = (T, Vec::<(u8, Ticket)>::new());
        for call in calls {
            match call {
                Call::Claim(key, long, passed) => {
                    now += passed;
                    let claim = Claim::for_other("x", &key.to_string(), now + long);
                    let said = claims.claim(&claim, now).unwrap();
                    model.retain(|_, remembered| now < remembered.until);
                    match (model.get(&key), said) {
                        (Some(remembered), said) => {
                            prop_assert_eq!(said, if remembered.is_done { Claimed::Done } else { Claimed::InProgress });
                        }
                        (None, Claimed::First(ticket)) => {
                            prop_assert!(model.len() < room);
                            model.insert(key, Remembered { until: now + long, is_done: false, ticket: tickets.len() });
                            tickets.push((key, ticket));
                        }
                        (None, said) => prop_assert!(said == Claimed::Full && model.len() >= room, "{said:?}"),
                    }
                }
                Call::End(which, finish) => {
                    let Some((key, ticket)) = tickets.get(which) else { continue };
                    let how = if finish { End::Finish } else { End::Abandon };
                    let said = claims.end(ticket, how).unwrap();
                    model.retain(|_, remembered| now < remembered.until);
                    // Once its time is over, nothing hangs on the answer.
                    if let Some(remembered) = model.get_mut(key) {
                        let is_open = remembered.ticket == which && !remembered.is_done;
                        prop_assert_eq!(said, is_open);
                        remembered.is_done |= said && finish;
                        if said && !finish {
                            model.remove(key);
                        }
                    }
                }
            }
        }
        let size = format!("{claims:?}").len();
        prop_assert!(size <= 100 + 400 * room, "{}", size);
    }
}
