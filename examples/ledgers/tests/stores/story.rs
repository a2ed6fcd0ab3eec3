//! Real grants, and clients that commit under them.

use crate::random::Random;
use parley_grants::issue::{self, Seed};
use parley_grants::{
    Allowed, Amount, BlockId, Caveat, Close, Closed, Commit, Offered, Origin, Possession, Presentable,
    Presented, PublicKey, RecordedKey, Refusal, Reservation, ReservationId, Risk, Step, Terms, Verifier,
    VouchedTerms,
};
use parley_grants_ledgers::{Store, StoreError, drive};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

pub const SERVICE: &str = "shop.example";
pub const ORDER: &str = "shop.order";
pub const NOW: i64 = 1_790_000_000;

pub struct Holder {
    pub key: PublicKey,
    pub grants: Vec<String>,
}

/// Chains that share blocks, and their caps. The last holder's grant has another principal.
pub struct Chains {
    pub verifier: Verifier<Vec<PublicKey>>,
    pub holders: Vec<Holder>,
    pub caps: BTreeMap<BlockId, u64>,
    pub roots: Vec<BlockId>,
}

fn euro(cents: u64) -> Amount {
    Amount::new(cents, "EUR").unwrap()
}

impl Chains {
    /// The same for the same name, whichever process makes them.
    pub fn new(name: &str, scale: u64) -> Self {
        let seed = |number| Seed::from_bytes(&[number; 32]).unwrap();
        let people = [seed(11), seed(12), seed(13), seed(14), seed(15)];
        let principals = [seed(1), seed(2)];
        let verifier =
            Verifier::new(SERVICE, principals.iter().map(|seed| *seed.public_key()).collect::<Vec<_>>());
        let root = |principal: &Seed, to: &Seed, cap: u64, nonce: &str| {
            let caveats = [
                Caveat::Service(vec![SERVICE.into()]),
                Caveat::Capabilities(vec!["shop.*".into()]),
                Caveat::Expires(NOW + 86_400),
                Caveat::Spend(euro(cap * scale)),
            ];
            let nonce = format!("{name} {nonce}");
            issue::prepare_root(principal.public_key(), to.public_key(), &caveats, NOW, &nonce)
                .unwrap()
                .sign(principal)
                .unwrap()
        };
        let handed_on = |token: &str, from: &Seed, to: &Seed, cap: u64| {
            let grant = verifier.verify(token).unwrap();
            let caveats = [Caveat::Spend(euro(cap * scale))];
            issue::prepare_delegation(&grant, to.public_key(), &caveats, NOW).unwrap().sign(from).unwrap()
        };
        let [a, b, c, d, e] = &people;
        let of_a = root(&principals[0], a, 20_000, "first");
        let more_of_a = root(&principals[0], a, 3_000, "second");
        let of_b = handed_on(&of_a, a, b, 8_000);
        let of_c = handed_on(&of_b, b, c, 5_000);
        let of_d = handed_on(&of_a, a, d, 9_000);
        let of_e = root(&principals[1], e, 6_000, "third");
        let grants = [vec![of_a, more_of_a], vec![of_b], vec![of_c], vec![of_d], vec![of_e]];
        let (mut caps, mut roots) = (BTreeMap::new(), Vec::new());
        for token in grants.iter().flatten() {
            let root = *verifier.verify(token).unwrap().id();
            if !roots.contains(&root) {
                roots.push(root);
            }
            for block in verifier.verify(token).unwrap().grant().blocks() {
                let spend = block.caveats().iter().find_map(|caveat| match caveat {
                    Caveat::Spend(cap) => Some(cap.minor()),
                    _ => None,
                });
                caps.insert(*block.id(), spend.unwrap());
            }
        }
        let holders =
            people.iter().zip(grants).map(|(seed, grants)| Holder { key: *seed.public_key(), grants });
        let holders = holders.collect();
        Self { verifier, holders, caps, roots }
    }

    /// One COMMIT, asked once.
    pub async fn commit(
        &self,
        store: &impl Store,
        holder: &Holder,
        name: &str,
        amount: u64,
    ) -> Result<Result<(Allowed, Reservation), Refusal>, StoreError> {
        self.commit_as(store, holder, &terms(name, amount), ReservationId::of(name)).await
    }

    /// The same, by an attempt of this name.
    pub async fn commit_as(
        &self,
        store: &impl Store,
        holder: &Holder,
        terms: &Terms,
        attempt: ReservationId,
    ) -> Result<Result<(Allowed, Reservation), Refusal>, StoreError> {
        let grants: Vec<_> = holder.grants.iter().map(|token| Presentable::Token(token)).collect();
        let presented = Presented { grants: &grants, proof: Possession::AssumeProven(&holder.key), now: NOW };
        let origin = Origin::without_grant(RecordedKey::Key(holder.key));
        let commit = Commit::Sent { proposal: Offered::Vouched(terms), hash: terms.hash(), origin: &origin };
        let step: Step<'_, _> = self.verifier.commit(&commit, &presented, attempt);
        drive(step, store).await
    }
}

pub fn terms(name: &str, amount: u64) -> Terms {
    Terms::vouch_for(VouchedTerms {
        id: name.into(),
        hash: format!("hash of {name}"),
        capability: ORDER.into(),
        summary: "Cups".into(),
        cost: Some(euro(amount)),
        risk: Risk::Low,
        undo: None,
        expires: NOW + 600,
    })
    .unwrap()
}

/// What clients were told.
#[derive(Debug, Default)]
pub struct Tally {
    pub reserved: u64,
    pub exceeded: u64,
    pub retried: u64,
    pub unknown: u64,
    pub in_a_row: u64,
    pub released: u64,
    /// What was settled, under each block.
    pub settled: BTreeMap<BlockId, u64>,
}

impl Tally {
    pub fn add(&mut self, other: &Self) {
        self.reserved += other.reserved;
        self.exceeded += other.exceeded;
        self.retried += other.retried;
        self.unknown += other.unknown;
        self.released += other.released;
        for (block, amount) in &other.settled {
            *self.settled.entry(*block).or_default() += amount;
        }
    }

    async fn failed(&mut self, error: &StoreError) {
        self.retried += 1;
        self.in_a_row += 1;
        assert!(self.in_a_row < 1_500, "no answer for half a minute: {error}");
        self.unknown += u64::from(matches!(error, StoreError::Unknown(_)));
        tokio::time::sleep(Duration::from_millis(20)).await;
    }

    /// One attempt, asked until it is answered, and ended. Was it allowed?
    pub async fn attempt(
        &mut self,
        chains: &Chains,
        store: &impl Store,
        holder: &Holder,
        name: &str,
        amount: u64,
        how: Close,
    ) -> bool {
        let decided = loop {
            match chains.commit(store, holder, name, amount).await {
                Ok(decided) => {
                    self.in_a_row = 0;
                    break decided;
                }
                Err(error) => self.failed(&error).await,
            }
        };
        let (allowed, reservation) = match decided {
            Ok(allowed) => allowed,
            Err(refusal) => {
                assert_eq!(refusal.answer().code(), "consent_required", "{:?}", refusal.log());
                self.exceeded += 1;
                return false;
            }
        };
        self.reserved += 1;
        let mut is_retry = false;
        let closed = loop {
            match store.close(reservation.id(), how).await {
                Ok(closed) => break closed,
                Err(error) => self.failed(&error).await,
            }
            is_retry = true;
        };
        assert!(closed == Closed::Done || is_retry, "{name}: told that it is held, and it is not");
        match how {
            Close::Settle => {
                for line in allowed.spend() {
                    *self.settled.entry(line.block).or_default() += amount;
                }
            }
            Close::Release => self.released += 1,
        }
        true
    }
}

/// How long clients go on.
#[derive(Clone, Copy)]
pub enum Until {
    Attempts(u64),
    Stopped(&'static AtomicBool),
}

/// So many clients at once, each with names of its own.
pub async fn traffic<S: Store>(
    store: &Arc<S>,
    chains: &Arc<Chains>,
    name: &str,
    clients: u64,
    until: Until,
) -> Tally {
    let tasks: Vec<_> = (0..clients)
        .map(|number| {
            let (store, chains, name) = (Arc::clone(store), Arc::clone(chains), format!("{name} {number}"));
            tokio::spawn(async move {
                let random = &mut Random::from(number + 1);
                let mut tally = Tally::default();
                for attempt in 0.. {
                    match until {
                        Until::Attempts(count) if attempt == count => break,
                        Until::Stopped(is_stopped) if is_stopped.load(Ordering::Relaxed) => break,
                        Until::Attempts(_) => {}
                        Until::Stopped(_) => {
                            tokio::time::sleep(Duration::from_millis(random.below(10))).await
                        }
                    }
                    let holder = &chains.holders[random.below(chains.holders.len() as u64) as usize];
                    let how = if random.below(4) > 0 { Close::Settle } else { Close::Release };
                    let (attempt, amount) = (format!("{name} {attempt}"), 1 + random.below(60));
                    tally.attempt(&chains, &*store, holder, &attempt, amount, how).await;
                }
                tally
            })
        })
        .collect();
    let mut all = Tally::default();
    for task in tasks {
        all.add(&task.await.unwrap());
    }
    all
}

/// Reads the totals until it is stopped; gives how often.
pub async fn watch<S: Store>(store: Arc<S>, chains: Arc<Chains>, is_over: &'static AtomicBool) -> u64 {
    let mut reads = 0;
    while !is_over.load(Ordering::Relaxed) {
        for (block, cap) in &chains.caps {
            if let Ok(total) = store.total(block).await {
                assert!(total <= *cap, "{block}: {total} of {cap}");
                reads += 1;
            }
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    reads
}

/// Spends what is left, to the last cent, so that a cent too many or too few would show.
pub async fn fill(store: &impl Store, chains: &Chains, name: &str, tally: &mut Tally) {
    for (number, holder) in chains.holders.iter().enumerate().rev() {
        // Twice, as the first holder has two grants.
        for round in 0..holder.grants.len() {
            for power in (0..20).rev() {
                let name = format!("{name} {number} {round} {power}");
                tally.attempt(chains, store, holder, &name, 1 << power, Close::Settle).await;
            }
        }
    }
}

/// Every total is what clients were told, within its cap.
pub async fn check_exact(store: &impl Store, chains: &Chains, told: &Tally) -> String {
    for (block, cap) in &chains.caps {
        let total = store.total(block).await.unwrap();
        assert_eq!(
            total,
            told.settled.get(block).copied().unwrap_or(0),
            "{block} is not what clients were told"
        );
        assert!(total <= *cap, "{block}: {total} of {cap}");
    }
    format!("all {} totals exact", chains.caps.len())
}

/// After `fill`: under each root just the cap is counted, so nobody can spend a cent more.
pub async fn check_full(store: &impl Store, chains: &Chains, told: &Tally) -> String {
    let exact = check_exact(store, chains, told).await;
    let mut totals = Vec::new();
    for root in &chains.roots {
        let total = store.total(root).await.unwrap();
        assert_eq!(total, chains.caps[root], "{root} was not filled");
        totals.push(total.to_string());
    }
    format!("{exact}, total = cap under each root: {}", totals.join(", "))
}
