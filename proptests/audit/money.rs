//! A cap holds, whoever asks at once, and whatever is asked again.

use super::{
    AGENT, T, ask, block, close, config, demand, is_allowed, key, limit, name, offer, plan, token, verified,
};
use crate::hand::{self, Json, object, text};
use crate::put;
use parley_grants::{
    Commit, Committed, MemoryLedger, Offered, Origin, Possession, Presentable, Presented, Proposal,
    RecordedKey, Request, Reserve, SpendLine, Step, VerifiedGrant,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};

/// Grants and the blocks of their chains that have a cap: shared roots, branches, and nothing at all.
const PATHS: [(u8, &[u8]); 8] =
    [(1, &[1]), (1, &[1, 2]), (1, &[1, 2, 3]), (1, &[1, 4]), (1, &[4]), (1, &[]), (6, &[6, 7]), (6, &[7])];

fn number() -> impl Strategy<Value = u64> {
    prop_oneof![12 => 0..=60_u64, 1 => u64::MAX - 30..=u64::MAX]
}

/// The caps of eight blocks.
fn caps() -> impl Strategy<Value = Vec<u64>> {
    vec(prop_oneof![4 => 20..=120_u64, 1 => u64::MAX - 1..=u64::MAX], 8)
}

fn lines(path: usize, caps: &[u64]) -> Vec<SpendLine> {
    let line =
        |name: &u8| SpendLine { block: block(*name), max: caps[usize::from(*name)], forget_after: None };
    PATHS[path].1.iter().map(line).collect()
}

/// The books as naively as they can be kept: a list of what was accepted.
#[derive(Default)]
struct Books(Vec<Entry>);

struct Entry {
    id: u64,
    path: usize,
    amount: u64,
    is_held: bool,
    is_given_back: bool,
}

impl Books {
    fn total(&self, block: u8) -> u128 {
        let counts = |entry: &&Entry| !entry.is_given_back && PATHS[entry.path].1.contains(&block);
        self.0.iter().filter(counts).map(|entry| u128::from(entry.amount)).sum()
    }

    fn reserve(&mut self, id: u64, path: usize, amount: u64, caps: &[u64]) -> Reserve {
        if let Some(entry) = self.0.iter().find(|entry| entry.id == id) {
            let is_same = entry.is_held && entry.path == path && entry.amount == amount;
            return if is_same { Reserve::Reserved } else { Reserve::Taken };
        }
        let fits =
            |block: &u8| self.total(*block) + u128::from(amount) <= u128::from(caps[usize::from(*block)]);
        if !PATHS[path].1.iter().all(fits) {
            return Reserve::Exceeded;
        }
        self.0.push(Entry { id, path, amount, is_held: true, is_given_back: false });
        Reserve::Reserved
    }

    fn close(&mut self, id: u64, settle: bool) -> bool {
        let Some(entry) = self.0.iter_mut().find(|entry| entry.id == id && entry.is_held) else {
            return false;
        };
        (entry.is_held, entry.is_given_back) = (false, !settle);
        true
    }
}

#[derive(Clone, Debug)]
enum Op {
    Reserve(u64, usize, u64),
    Close(u64, bool),
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        3 => (0..6_u64, 0..8_usize, number()).prop_map(|(id, path, amount)| Op::Reserve(id, path, amount)),
        2 => (0..6_u64, any::<bool>()).prop_map(|(id, settle)| Op::Close(id, settle)),
    ]
}

proptest! {
    #![proptest_config(config())]

    /// Any interleaving, over shared and nested chains (A8.23 to A8.25, B4.3).
    #[test]
    fn concurrent_commits_never_overshoot_a_cap(caps in caps(), ops in vec(op(), 1..30)) {
        let (mut ledger, mut books) = (MemoryLedger::default(), Books::default());
        for (at, op) in ops.into_iter().enumerate() {
            match op {
                // An id is seldom used again, and then for anything.
                Op::Reserve(id, path, amount) => {
                    let id = if at % 4 == 0 { id } else { 100 + at as u64 };
                    let lines = lines(path, &caps);
                    let said = ask(&mut ledger, &demand(id, PATHS[path].0, amount, &lines));
                    prop_assert_eq!(said, books.reserve(id, path, amount, &caps), "{} {}", at, id);
                }
                Op::Close(id, settle) => {
                    let id = if at % 2 == 0 { id } else { 100 + (at as u64).saturating_sub(id) };
                    prop_assert_eq!(close(&mut ledger, name(id), settle), books.close(id, settle));
                }
            }
            for one in 1..8_u8 {
                let total = ledger.total(&block(one));
                prop_assert!(total <= caps[usize::from(one)], "block {one} at {total}");
                prop_assert_eq!(u128::from(total), books.total(one), "block {}", one);
            }
        }
    }

    /// Every COMMIT is checked before the first is counted: only the ledger's word counts (A8.23).
    #[test]
    fn concurrent_commits_never_overshoot_a_cap_while_they_wait(
        caps in (1..300_i64, prop::option::of(1..300_i64)),
        costs in vec((0..150_i64, any::<bool>()), 2..7),
        order in any::<prop::sample::Index>(),
    ) {
        let mut blocks = vec![(5, vec![limit("spend", caps.0)])];
        blocks.push((AGENT, caps.1.map(|max| limit("spend", max)).into_iter().collect()));
        let grant = verified(&token(&plan(0, "", blocks)));
        let ids: Vec<_> = grant.grant().blocks().map(|block| *block.id()).collect();
        let (verifier, agent) = (put::verifier(), key(AGENT));
        let grants = [Presentable::Kept(&grant)];
        let presented = Presented { grants: &grants, proof: Possession::AssumeProven(&agent), now: T };
        let origin = Origin::without_grant(RecordedKey::Key(agent));
        let offers: Vec<_> = costs.iter().enumerate().map(|(at, (cost, _))| {
            Proposal::parse(offer(&at.to_string(), Some(*cost), "low").plain().as_bytes()).unwrap()
        }).collect();
        let mut waiting: Vec<_> = offers.iter().enumerate().map(|(at, offer)| {
            let commit = Commit::Sent { proposal: Offered::Kept(offer), hash: offer.terms().hash(), origin: &origin };
            (at, verifier.commit(&commit, &presented, name(at as u64)))
        }).collect();
        waiting.rotate_left(order.index(costs.len()));
        let (mut ledger, mut counted) = (MemoryLedger::default(), 0);
        let most = caps.0.min(caps.1.unwrap_or(i64::MAX));
        for (at, step) in waiting {
            let (cost, is_executed) = costs[at];
            let Ok(decided) = step.drive(&mut ledger);
            prop_assert_eq!(decided.is_ok(), counted + cost <= most);
            if let Ok((_, reservation)) = decided {
                counted += cost;
                prop_assert_eq!(ledger.total(&ids[0]), counted as u64);
                if !is_executed {
                    counted -= cost;
                    prop_assert!(reservation.release(&mut ledger).is_ok());
                }
            }
            prop_assert_eq!(ledger.total(&ids[0]), counted as u64);
            prop_assert_eq!(ledger.total(&ids[1]), if caps.1.is_some() { counted as u64 } else { 0 });
        }
    }

    /// The same demand under the same id is the same reservation, however full its cap is; a replay asks no cap at
    /// all (A8.7 to A8.9, A8.26).
    #[test]
    fn a_retry_is_not_refused_by_what_it_spent_itself(
        cost in 0..100_i64, more in 0..100_i64, soft in vec((0..3_usize, 0..120_i64), 0..4), retries in vec((0..300_i64, any::<bool>()), 1..4),
    ) {
        let (verifier, agent) = (put::verifier(), key(AGENT));
        let ours = verified(&token(&plan(0, "", vec![(AGENT, vec![limit("spend", cost + more)])])));
        let second = verified(&token(&plan(0, "2", vec![(AGENT, vec![limit("spend", cost)])])));
        let kept = Proposal::parse(offer("p", Some(cost), "high").plain().as_bytes()).unwrap();
        let hash = kept.terms().hash();
        let origin = Origin::with_grant(RecordedKey::Key(agent), RecordedKey::Key(key(0)));
        let commit = Commit::Sent { proposal: Offered::Kept(&kept), hash, origin: &origin };
        let mut ledger = MemoryLedger::default();
        let mut total = 0;
        for (after, turned) in [(0, false)].into_iter().chain(retries) {
            let mut grants = [Presentable::Kept(&ours), Presentable::Kept(&second)];
            if turned {
                grants.reverse();
            }
            let presented = Presented { grants: &grants, proof: Possession::AssumeProven(&agent), now: T + after };
            let Ok(decided) = verifier.commit(&commit, &presented, name(1_u64)).drive(&mut ledger);
            prop_assert!(decided.is_ok(), "{:?}", decided);
            // Somebody else fills the cap up.
            if total == 0 {
                total = cost + more;
                let line = SpendLine { block: *ours.id(), max: total as u64, forget_after: None };
                let filling = parley_grants::Demand { proposal: "p", id: name(2_u64), grant: *ours.id(), amount: more as u64, now: T, lines: &[line] };
                prop_assert_eq!(ask(&mut ledger, &filling), Reserve::Reserved);
            }
            prop_assert_eq!((ledger.total(ours.id()), ledger.total(second.id())), (total as u64, 0));
        }

        // The same COMMIT as a replay, under any soft caveats.
        let caveats = soft.iter().map(|(kind, max)| match kind {
            0 => limit("per", *max),
            1 => limit("spend", *max),
            _ => object([("risk", text(["low", "medium", "high"][*max as usize % 3]))]),
        });
        let tight = verified(&token(&plan(0, "3", vec![(AGENT, caveats.collect())])));
        let grants = [Presentable::Kept(&tight)];
        let presented = Presented { grants: &grants, proof: Possession::AssumeProven(&agent), now: T };
        let of = Committed::recorded(RecordedKey::Key(agent), RecordedKey::Key(key(0)), "shop.order", hash);
        let replay = verifier.authorize(&Request::Replay { hash, of: &of }, &presented);
        prop_assert!(is_allowed(&replay), "{:?}", replay);
        if let parley_grants::Decision::Allowed(allowed) = replay {
            prop_assert!(allowed.spend().is_empty() && allowed.cost().is_none() && allowed.committed().is_none());
        }
    }

    /// What a ledger counted may be forgotten only after the least `exp` of its block and those before: who holds a
    /// grant can append any `exp` they like (A8.23).
    #[test]
    fn forgetting_resets_no_total(
        ends in vec(prop::option::weighted(0.7, -2..=4_i64), 3),
        appended in prop::option::weighted(0.7, -2..=4_i64),
        steps in vec((0..4_usize, -1..=9_i64, 1..20_u64, prop::option::of(any::<bool>())), 2..14),
        rooms in (1..=2_usize, 2..=3_usize),
    ) {
        const DAY: i64 = 86_400;
        let until = |end: &i64| object([("exp", Json::Int(T + end * DAY))]);
        let capped = |end: &Option<i64>| {
            end.iter().map(until).chain([limit("spend", hand::MAX_INT)]).collect::<Vec<_>>()
        };
        let last: Vec<_> = appended.iter().map(until).collect();
        let plans = [
            plan(0, "a", vec![(5, capped(&ends[0])), (AGENT, capped(&ends[1]))]),
            plan(0, "a", vec![(5, capped(&ends[0])), (AGENT, capped(&ends[1])), (AGENT, last.clone())]),
            plan(0, "b", vec![(AGENT, capped(&ends[2]))]),
            plan(0, "b", vec![(AGENT, capped(&ends[2])), (AGENT, [last, vec![limit("spend", 1000)]].concat())]),
        ];
        // The least end of each block and those before it, from the plans alone.
        let least = |ends: &[Option<i64>]| ends.iter().flatten().min().map(|end| T + end * DAY);
        let ends_of = [
            vec![ends[0], ends[1]], vec![ends[0], ends[1], appended], vec![ends[2]], vec![ends[2], appended],
        ];
        let grants: Vec<VerifiedGrant> = plans.iter().map(|plan| verified(&token(plan))).collect();
        let bounds = parley_grants::LedgerBounds { grants: rooms.0, blocks_per_grant: rooms.1, held_per_grant: 5, ended: 50 };
        let mut ledger = MemoryLedger::with_bounds(bounds);
        // What each block's total must be, and when it may be forgotten.
        let mut counted: Vec<(parley_grants::BlockId, Option<i64>, u64)> = Vec::new();
        let mut latest = i64::MIN;
        for (at, (which, day, cost, ending)) in steps.into_iter().enumerate() {
            let now = T + day * DAY;
            latest = latest.max(now);
            let kept = Proposal::parse(offer("p", Some(cost as i64), "low").plain().as_bytes()).unwrap();
            let grant = &grants[which];
            let lines: Vec<_> = grant.spend_lines(kept.terms()).collect();
            let filling = parley_grants::Demand { proposal: "p", id: name(at as u64), grant: *grant.id(), amount: cost, now, lines: &lines };
            let is_counted = ask(&mut ledger, &filling) == Reserve::Reserved;
            if is_counted {
                for (index, one) in grant.grant().blocks().enumerate() {
                    if lines.iter().any(|line| line.block == *one.id()) {
                        let end = least(&ends_of[which][..=index]);
                        match counted.iter_mut().find(|(id, ..)| id == one.id()) {
                            Some((_, _, total)) => *total += cost,
                            None => counted.push((*one.id(), end, cost)),
                        }
                    }
                }
            }
            let given_back = is_counted && ending == Some(false);
            if let Some(settle) = ending {
                prop_assert_eq!(close(&mut ledger, name(at as u64), settle), is_counted);
            }
            for (id, end, total) in &mut counted {
                if given_back && lines.iter().any(|line| line.block == *id) {
                    *total -= cost;
                }
                let now_total = ledger.total(id);
                if now_total != *total {
                    prop_assert!(end.is_some_and(|end| end <= latest), "{id} fell from {total} to {now_total}");
                    prop_assert!(now_total < *total);
                    *total = now_total;
                }
            }
        }
    }

    /// Both bind, and the amount counts once (B6).
    #[test]
    fn two_spend_caveats_count_once(
        maxes in vec(vec(0..200_i64, 0..4), 1..4), costs in vec(0..120_i64, 1..6), turn in any::<bool>(),
    ) {
        let mut blocks: Vec<_> = maxes.iter().map(|maxes| {
            let mut caveats: Vec<_> = maxes.iter().map(|max| limit("spend", *max)).collect();
            caveats.push(object([("svc", Json::List(vec![text(crate::model::SERVICE)]))]));
            if turn {
                caveats.reverse();
            }
            (5, caveats)
        }).collect();
        blocks.last_mut().unwrap().0 = AGENT;
        let grant = verified(&token(&plan(0, "", blocks)));
        let grants = [Presentable::Kept(&grant)];
        let (verifier, agent) = (put::verifier(), key(AGENT));
        let presented = Presented { grants: &grants, proof: Possession::AssumeProven(&agent), now: T };
        let origin = Origin::without_grant(RecordedKey::Key(agent));
        let (mut ledger, mut total) = (MemoryLedger::default(), 0);
        let least = maxes.iter().flatten().min().copied().unwrap_or(i64::MAX);
        for (at, cost) in costs.into_iter().enumerate() {
            let kept = Proposal::parse(offer("p", Some(cost), "low").plain().as_bytes()).unwrap();
            let mut lines: Vec<_> = grant.spend_lines(kept.terms()).map(|line| line.block).collect();
            prop_assert_eq!(lines.len(), maxes.iter().filter(|maxes| !maxes.is_empty()).count());
            lines.dedup();
            let commit = Commit::Sent { proposal: Offered::Kept(&kept), hash: kept.terms().hash(), origin: &origin };
            let Ok(decided) = verifier.commit(&commit, &presented, name(at as u64)).drive(&mut ledger);
            prop_assert_eq!(decided.is_ok(), total + cost <= least);
            if decided.is_ok() {
                total += cost;
            }
            for (one, maxes) in grant.grant().blocks().zip(&maxes) {
                let expected = if maxes.is_empty() { 0 } else { total as u64 };
                prop_assert_eq!(ledger.total(one.id()), expected);
            }
            // A demand by hand may name a block twice: it counts once all the same.
            let twice: Vec<_> = [60, 80].map(|max| SpendLine { block: block(9), max, forget_after: None }).to_vec();
            let before = ledger.total(&block(9));
            let said = ask(&mut ledger, &demand(1000 + at as u64, 9, cost as u64, &twice));
            prop_assert_eq!(said == Reserve::Reserved, before + cost as u64 <= 60);
            let after = if said == Reserve::Reserved { before + cost as u64 } else { before };
            prop_assert_eq!(ledger.total(&block(9)), after);
        }
    }

    /// An amount below 0 is no amount, in a cost and in a limit (B4.1, B4.2).
    #[test]
    fn a_negative_cost_never_passes(
        amount in prop_oneof![-3..0_i64, -hand::MAX_INT..0, Just(-hand::MAX_INT)],
        before in 0..100_i64,
        names in subsequence(vec!["per", "spend"], 0..=2),
        as_max in select(vec!["per", "spend"]),
    ) {
        let (verifier, agent) = (put::verifier(), key(AGENT));
        let capped = token(&plan(0, "", vec![(AGENT, names.into_iter().map(|name| limit(name, 100)).collect())]));
        let id = *verified(&capped).id();
        let mut ledger = MemoryLedger::default();
        let line = SpendLine { block: id, max: 100, forget_after: None };
        let spent = parley_grants::Demand { proposal: "p", id: name(1_u64), grant: id, amount: before as u64, now: T, lines: &[line] };
        prop_assert_eq!(ask(&mut ledger, &spent), Reserve::Reserved);
        let proposal = offer("p", Some(amount), "low");
        let (text, hash) = (proposal.plain(), hand::proposal_hash(&proposal));
        prop_assert!(Proposal::parse(text.as_bytes()).is_err());
        let origin = Origin::without_grant(RecordedKey::Key(agent));
        let grants = [Presentable::Token(&capped)];
        let presented = Presented { grants: &grants, proof: Possession::AssumeProven(&agent), now: T };
        let offered = Offered::Text(text.as_bytes());
        let auto = Commit::Auto { proposal: offered, capability: "shop.order", frame: "f", origin: &origin };
        for commit in [Commit::Sent { proposal: offered, hash: &hash, origin: &origin }, auto] {
            let step = verifier.commit(&commit, &presented, name(2_u64));
            prop_assert!(matches!(step, Step::Refused(_)), "{:?}", step);
            prop_assert_eq!(super::code(&super::drive(step, &mut ledger)), "forbidden");
        }
        prop_assert_eq!(ledger.total(&id), before as u64);
        // A limit below 0 denies everything.
        let denying = token(&plan(0, "", vec![(AGENT, vec![limit(as_max, amount)])]));
        let grants = [Presentable::Token(&denying)];
        let presented = Presented { grants: &grants, ..presented };
        let asked = verifier.authorize(&Request::Ask { capability: "shop.order" }, &presented);
        prop_assert_eq!(super::code(&asked), "forbidden");
    }
}

#[cfg(feature = "std")]
mod threads {
    use super::{PATHS, caps, config, demand, lines, number};
    use crate::audit::{block, name};
    use parley_grants::{Close, Closed, Ledger as _, Reserve, SharedLedger};
    use proptest::collection::vec;
    use proptest::prelude::*;

    /// One of the ids, and what is done with it: reserved, settled or released.
    fn steps() -> impl Strategy<Value = Vec<Vec<(usize, u8)>>> {
        vec(vec((0..6_usize, 0..4_u8), 1..10), 2..4)
    }

    /// What one thread was told.
    fn run(
        ledger: &SharedLedger,
        demands: &[(usize, u64)],
        caps: &[u64],
        steps: &[(usize, u8)],
    ) -> Vec<(usize, Told)> {
        let mut ledger = ledger;
        let told = |&(id, what): &(usize, u8)| {
            let (path, amount) = demands[id];
            let said = match what {
                0 | 1 => {
                    let lines = lines(path, caps);
                    Told::Reserve(ledger.reserve(&demand(id as u64, PATHS[path].0, amount, &lines)).unwrap())
                }
                2 => Told::Close(ledger.close(&name(id as u64), Close::Settle).unwrap(), Close::Settle),
                _ => Told::Close(ledger.close(&name(id as u64), Close::Release).unwrap(), Close::Release),
            };
            for one in 1..8_u8 {
                assert!(ledger.total(&block(one)).unwrap() <= caps[usize::from(one)], "block {one}");
            }
            (id, said)
        };
        steps.iter().map(told).collect()
    }

    #[derive(Debug, PartialEq)]
    enum Told {
        Reserve(Reserve),
        Close(Closed, Close),
    }

    proptest! {
        #![proptest_config(config())]

        /// Threads that retry, settle and release the same few executions at once.
        #[test]
        fn concurrent_commits_never_overshoot_a_cap_across_threads(
            caps in caps(), demands in vec((0..8_usize, number()), 6), all in steps(),
        ) {
            let ledger = SharedLedger::default();
            let told: Vec<(usize, Told)> = std::thread::scope(|scope| {
                let (ledger, demands, caps) = (&ledger, &demands, &caps);
                let start = |steps: &Vec<(usize, u8)>| {
                    let steps = steps.clone();
                    scope.spawn(move || run(ledger, demands, caps, &steps))
                };
                let threads: Vec<_> = all.iter().map(start).collect();
                threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
            });
            let was = |id: usize, what: Told| told.iter().filter(|(of, said)| *of == id && *said == what).count();
            let is_counted = |id: usize| {
                was(id, Told::Reserve(Reserve::Reserved)) > 0 && was(id, Told::Close(Closed::Done, Close::Release)) == 0
            };
            for id in 0..6 {
                let ends = [Close::Settle, Close::Release].map(|how| was(id, Told::Close(Closed::Done, how)));
                prop_assert!(ends[0] + ends[1] <= 1, "it ended twice");
            }
            for one in 1..8_u8 {
                let counts = |id: &usize| is_counted(*id) && PATHS[demands[*id].0].1.contains(&one);
                let expected: u64 = (0..6).filter(counts).map(|id| demands[id].1).sum();
                prop_assert_eq!(ledger.total(&block(one)), Ok(expected), "block {}", one);
            }
        }
    }
}
