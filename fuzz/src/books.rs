//! What a ledger and a claim store must say, as naively as it can be kept: lists of all that ever happened.

use parley_grants::{Claimed, LedgerBounds, Reserve};
use std::collections::{HashMap, HashSet};

/// The bytes of a block's id.
pub type Block = [u8; 32];

/// A day after the least `exp` of a block and those before, its total may be forgotten.
const DAY: i64 = 86_400;

/// What is to be reserved: for which proposal, under which grant, how much, and under which blocks, up to which totals, and
/// until which time these matter.
#[derive(Clone, Debug, PartialEq)]
pub struct Cost {
    pub proposal: String,
    pub grant: Block,
    pub amount: u64,
    pub lines: Vec<(Block, u64, Option<i64>)>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum State {
    Held,
    Settled,
    Released,
}

/// The books of a ledger.
pub struct Books {
    bounds: LedgerBounds,
    entries: Vec<(u64, Cost, State)>,
    /// Names that were used up, the latest last.
    ended: Vec<u64>,
    forgotten: HashMap<Block, u64>,
    /// Blocks under which something was reserved since the last of their grant's reservations ended: even nothing takes room.
    fresh: HashMap<Block, HashSet<Block>>,
}

impl Books {
    pub fn of(bounds: LedgerBounds) -> Self {
        Self {
            bounds,
            entries: Vec::new(),
            ended: Vec::new(),
            forgotten: HashMap::new(),
            fresh: HashMap::new(),
        }
    }

    pub fn total(&self, block: &Block) -> u64 {
        let counts = |(_, cost, state): &&(u64, Cost, State)| {
            *state != State::Released && cost.lines.iter().any(|(line, ..)| line == block)
        };
        let total: u64 = self.entries.iter().filter(counts).map(|(_, cost, _)| cost.amount).sum();
        total - self.forgotten.get(block).copied().unwrap_or(0)
    }

    fn held(&self, grant: &Block) -> usize {
        let is_held = |(_, cost, state): &&(u64, Cost, State)| *state == State::Held && cost.grant == *grant;
        self.entries.iter().filter(is_held).count()
    }

    /// The blocks that count something under a grant; when it must be so, without what may be forgotten by now.
    fn blocks(&self, grant: &Block, forget: Option<i64>) -> HashSet<Block> {
        let lines = self
            .entries
            .iter()
            .filter(|(_, cost, _)| cost.grant == *grant)
            .flat_map(|(_, cost, _)| &cost.lines);
        let forget = forget.filter(|_| self.held(grant) == 0);
        let is_over = |end: &Option<i64>| forget.is_some_and(|now| end.is_some_and(|end| end + DAY <= now));
        let counts = lines.filter(|(block, _, end)| self.total(block) > 0 && !is_over(end));
        counts.map(|(block, ..)| *block).chain(self.fresh.get(grant).into_iter().flatten().copied()).collect()
    }

    /// How many grants something is kept of.
    fn grants(&self, forget: Option<i64>) -> usize {
        let all: HashSet<Block> = self.entries.iter().map(|(_, cost, _)| cost.grant).collect();
        all.iter().filter(|grant| self.held(grant) > 0 || !self.blocks(grant, forget).is_empty()).count()
    }

    fn is_full(&self, cost: &Cost, forget: Option<i64>) -> bool {
        let blocks = self.blocks(&cost.grant, forget);
        let more = cost.lines.iter().filter(|(block, ..)| !blocks.contains(block)).count();
        self.held(&cost.grant) >= self.bounds.held_per_grant
            || blocks.len() + more > self.bounds.blocks_per_grant
    }

    fn expected(&self, id: u64, cost: &Cost, now: i64) -> Reserve {
        if self.ended.iter().rev().take(self.bounds.ended).any(|ended| *ended == id) {
            return Reserve::Taken;
        }
        if let Some((_, held, _)) =
            self.entries.iter().find(|(other, _, state)| *other == id && *state == State::Held)
        {
            return if held == cost { Reserve::Reserved } else { Reserve::Taken };
        }
        let is_new = self.held(&cost.grant) == 0 && self.blocks(&cost.grant, None).is_empty();
        let fits = |(block, max, _): &(Block, u64, _)| {
            self.total(block).checked_add(cost.amount).is_some_and(|total| total <= *max)
        };
        if is_new && [None, Some(now)].iter().all(|forget| self.grants(*forget) >= self.bounds.grants) {
            Reserve::Full
        } else if !cost.lines.iter().all(fits) {
            Reserve::Exceeded
        } else if [None, Some(now)].iter().all(|forget| self.is_full(cost, *forget)) {
            Reserve::Full
        } else {
            Reserve::Reserved
        }
    }

    /// The ledger's answer must be the right one.
    pub fn reserve(&mut self, id: u64, cost: Cost, now: i64, said: Reserve) {
        assert_eq!(said, self.expected(id, &cost, now), "{cost:#?}");
        let is_held = self.entries.iter().any(|(other, _, state)| *other == id && *state == State::Held);
        if said == Reserve::Reserved && !is_held {
            self.fresh.entry(cost.grant).or_default().extend(cost.lines.iter().map(|(block, ..)| *block));
            self.entries.push((id, cost, State::Held));
        }
    }

    /// Was one held under this id? Then it is no longer.
    pub fn close(&mut self, id: u64, settle: bool) -> bool {
        let held = self.entries.iter_mut().find(|(other, _, state)| *other == id && *state == State::Held);
        let Some((_, cost, state)) = held else { return false };
        self.fresh.remove(&cost.grant);
        *state = if settle { State::Settled } else { State::Released };
        self.ended.push(id);
        true
    }

    /// A total may be forgotten once nothing can be spent under its block any more, and as a whole.
    pub fn check(&mut self, block: &Block, said: u64, end: Option<i64>, now: i64) {
        let total = self.total(block);
        if said != total {
            let is_over = end.is_some_and(|end| end + DAY <= now);
            assert!(is_over && said == 0, "a total of {total} is said to be {said}");
            *self.forgotten.entry(*block).or_default() += total;
        }
    }
}

/// A claim: its name, the number that the store gave it, the last second in which it is remembered, and whether it is done.
struct Entry {
    name: String,
    turn: u64,
    last: i64,
    is_done: bool,
}

/// The books of a claim store. Time never goes back.
pub struct Names {
    room: usize,
    alive: Vec<Entry>,
    keys: HashMap<[u8; 32], String>,
}

impl Names {
    pub fn with_room(room: usize) -> Self {
        Self { room, alive: Vec::new(), keys: HashMap::new() }
    }

    /// The store's answer must be the right one. `key` is what stands for the name there.
    pub fn claim(&mut self, name: &str, key: &[u8; 32], last: i64, now: i64, said: &Claimed) {
        let same = self.keys.entry(*key).or_insert_with(|| name.into());
        assert_eq!(same, name, "two names are one");
        self.alive.retain(|entry| now <= entry.last);
        match (self.alive.iter().find(|entry| entry.name == name), said) {
            (Some(entry), Claimed::Done | Claimed::InProgress) => {
                assert_eq!(entry.is_done, *said == Claimed::Done, "{name}");
            }
            (None, Claimed::First(ticket)) => {
                assert!(self.alive.len() < self.room, "no room for {name}");
                if now <= last {
                    let turn = ticket.turn();
                    self.alive.push(Entry { name: name.into(), turn, last, is_done: false });
                }
            }
            (None, Claimed::Full) => assert!(self.alive.len() >= self.room, "there is room for {name}"),
            _ => panic!("{name} is {said:?}"),
        }
    }

    /// Ended by the ticket with this number, if it is the one; what is over may be ended or not.
    pub fn end(&mut self, name: &str, turn: u64, finish: bool, now: i64, said: bool) {
        self.alive.retain(|entry| now <= entry.last);
        let Some(at) = self.alive.iter().position(|entry| entry.name == name) else { return };
        let is_its_own = self.alive[at].turn == turn && !self.alive[at].is_done;
        assert_eq!(said, is_its_own, "{name} ends by {turn}");
        match (is_its_own, finish) {
            (true, true) => self.alive[at].is_done = true,
            (true, false) => drop(self.alive.remove(at)),
            (false, _) => {}
        }
    }
}
