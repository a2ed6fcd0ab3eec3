//! What all requests share.

use crate::revocation::Revocation;
use crate::telemetry::Metrics;
use parley_grants::{PublicKey, ReservationId, Verifier};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::sync::Semaphore;

pub type Shared<L, D> = Arc<App<L, D>>;

pub struct App<L, D> {
    pub verifier: Verifier<Vec<PublicKey>, Revocation>,
    pub revocation: Revocation,
    /// Counts what is spent.
    pub ledger: L,
    /// Keeps everything else.
    pub records: D,
    pub clock: Clock,
    pub random: Random,
    pub limits: Limits,
    pub metrics: Metrics,
    pub instance: String,
    pub closed: Option<PathBuf>,
    /// Attempts that a store's error kept from ending, each with its order.
    pub unfinished: Mutex<BTreeSet<(String, ReservationId)>>,
    /// The handle of what anybody may read: one for all, so that strangers do not fill the store.
    pub public_handle: String,
    pub reading: Arc<Semaphore>,
    pub working: Arc<Semaphore>,
}

/// What can be chosen.
pub struct Options {
    pub revocation: Revocation,
    pub clock: Clock,
    pub random: Random,
    pub limits: Limits,
    /// The name of this process among those that share the stores; it takes up what it left open under this name.
    pub instance: String,
    /// While this file exists, the warehouse carries nothing out.
    pub closed: Option<PathBuf>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            revocation: Revocation::default(),
            clock: Clock::System,
            random: Random::System,
            limits: Limits::default(),
            instance: "shop-1".into(),
            closed: None,
        }
    }
}

/// How much of the machine requests may take.
#[derive(Clone, Debug)]
pub struct Limits {
    pub body_bytes: usize,
    /// For the whole body.
    pub body_time: Duration,
    /// For the head of a request, and between requests.
    pub head_time: Duration,
    /// For a connection and all of its requests.
    pub connection_time: Duration,
    pub connections: usize,
    /// Bodies that are read at a time: their memory is at most this many times `body_bytes`. Slow ones take nothing from `working`.
    pub reading: usize,
    /// Requests that are worked on at a time.
    pub working: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body_bytes: 1 << 20,
            body_time: Duration::from_secs(10),
            head_time: Duration::from_secs(10),
            connection_time: Duration::from_secs(300),
            connections: 1024,
            reading: 256,
            working: 64,
        }
    }
}

/// The time in unix seconds; one reading a request.
#[derive(Clone, Copy, Debug)]
pub enum Clock {
    System,
    /// For a transcript that is the same every time.
    Fixed(i64),
}

impl Clock {
    /// `None` when the machine's clock is before 1970 or otherwise of no use: then nothing is served.
    pub fn now(self) -> Option<i64> {
        match self {
            Self::Fixed(time) => Some(time),
            Self::System => {
                let time = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
                i64::try_from(time.as_secs()).ok()
            }
        }
    }
}

/// Where names come from that nobody can guess.
#[derive(Debug)]
pub enum Random {
    System,
    /// For a transcript that is the same every time: what was asked for before, and a text.
    Fixed(AtomicU64, String),
}

impl Random {
    /// `None` when the machine has none.
    pub fn bytes(&self) -> Option<[u8; 32]> {
        match self {
            Self::System => {
                let mut bytes = [0; 32];
                getrandom::fill(&mut bytes).ok()?;
                Some(bytes)
            }
            Self::Fixed(count, text) => {
                let number = count.fetch_add(1, Ordering::Relaxed);
                Some(*ReservationId::of(&format!("{text} {number}")).as_bytes())
            }
        }
    }

    /// A name that nobody can guess.
    pub fn name(&self, prefix: &str) -> Option<String> {
        Some(format!("{prefix}{}", text_of(self.bytes()?)))
    }
}

/// 32 bytes as base64url.
pub fn text_of(bytes: [u8; 32]) -> String {
    parley_grants::BlockId::from_bytes(bytes).to_string()
}

impl<L, D> App<L, D> {
    /// A shop with these stores; the rest as it is by default. `None` when the machine has no randomness.
    pub fn new(
        verifier: Verifier<Vec<PublicKey>>,
        (ledger, records): (L, D),
        options: Options,
    ) -> Option<Self> {
        Some(Self {
            public_handle: options.random.name("h-")?,
            verifier: verifier.with_revocation(options.revocation.clone()),
            revocation: options.revocation,
            ledger,
            records,
            clock: options.clock,
            random: options.random,
            metrics: Metrics::default(),
            instance: options.instance,
            closed: options.closed,
            unfinished: Mutex::default(),
            reading: Arc::new(Semaphore::new(options.limits.reading)),
            working: Arc::new(Semaphore::new(options.limits.working)),
            limits: options.limits,
        })
    }

    /// How many bodies are read now, and how many requests are worked on.
    pub fn in_flight(&self) -> (usize, usize) {
        let taken = |of: usize, semaphore: &Semaphore| of.saturating_sub(semaphore.available_permits());
        (taken(self.limits.reading, &self.reading), taken(self.limits.working, &self.working))
    }
}
