//! What the service keeps beside its ledger, as JSON texts by kind and key.

mod memory;
mod postgres;
mod redis;

pub use memory::Memory;
pub use postgres::Postgres;
pub use redis::Redis;

use crate::app::text_of;
use parley_grants::{BlockId, Committed, Origin, RecordedKey, ReservationId};
use parley_grants_ledgers::StoreError;
use serde_json::{Value, json};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A proposal with its origin, by its id.
    Offer,
    /// An order that was begun or executed, by its id, which is also that of its receipt.
    Order,
    /// Which order a one-time consent is for, by the name of its claim.
    Consent,
    /// What an INTENT with auto was answered, by the name of its claim.
    Answer,
    /// The rest of a long answer, by its handle.
    Handle,
    /// That an order was undone, by its id.
    Return,
}

impl Kind {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Offer => "offer",
            Self::Order => "order",
            Self::Consent => "consent",
            Self::Answer => "answer",
            Self::Handle => "handle",
            Self::Return => "return",
        }
    }
}

/// Each call is one atomic step. A record may be forgotten a day after its `until` (unix seconds of the caller's clock), and not
/// before; with [`FOREVER`] never.
pub trait Records: Send + Sync + 'static {
    fn get(&self, kind: Kind, key: &str) -> impl Future<Output = Result<Option<String>, StoreError>> + Send;
    /// Not for orders, which go from step to step.
    fn put(&self, kind: Kind, key: &str, text: &str, life: Life) -> impl Future<Output = Done> + Send;
    /// If it stands so, then it stands so from now on; `None` is absent. Says whether it did.
    fn swap(
        &self,
        kind: Kind,
        key: &str,
        from: Option<&str>,
        to: Option<&str>,
        life: Life,
    ) -> impl Future<Output = Result<bool, StoreError>> + Send;
    /// The orders that are not done. For the start of the service: it costs what is open, and not what was ever done.
    fn open(&self) -> impl Future<Output = Result<Vec<(String, String)>, StoreError>> + Send;
    /// All of a kind, to look at them: the service itself never asks.
    fn list(&self, kind: Kind) -> impl Future<Output = Result<Vec<(String, String)>, StoreError>> + Send;
    /// Forgets what may be forgotten, beside running traffic.
    fn forget(&self, now: i64) -> impl Future<Output = Done> + Send;
}

pub type Done = Result<(), StoreError>;

/// For how long a record is kept, by the caller's clock.
#[derive(Clone, Copy, Debug)]
pub struct Life {
    pub now: i64,
    pub until: i64,
}

pub const FOREVER: i64 = i64::MAX;

/// Seconds that a record outlives its end: more than the clocks of those who share a store differ by.
pub const MARGIN: i64 = 86_400;

/// A proposal, with whose INTENT made it.
pub struct Offer {
    /// As it was sent: what was hashed.
    pub proposal: Value,
    pub origin: Origin,
}

/// An order, from its claim on. What a restart must know of it is written with it.
#[derive(Clone)]
pub struct Order {
    /// The process that is at it.
    pub instance: String,
    /// The name of its reservation.
    pub attempt: ReservationId,
    pub state: State,
}

#[derive(Clone)]
pub enum State {
    /// Claimed. Its cost may be counted.
    Open,
    /// Not executed, and never will be under this attempt.
    Failed,
    /// Executed. Its cost may not be settled yet.
    Executed(Receipt),
    Done(Receipt),
}

/// Who committed, and until when it can be undone, in unix seconds.
#[derive(Clone, Debug)]
pub struct Receipt {
    pub committed: Committed,
    pub undo_until: i64,
}

/// The name of an order and its receipt follows from the proposal's: so there is one, and it is found by either.
pub fn order_of(proposal: &str) -> Option<String> {
    proposal.strip_prefix("p-").map(|name| format!("r-{name}"))
}

/// So it stands in the record of an order that is done, and of no other: inside a text of JSON a quote is escaped.
const DONE: &str = "\"state\":\"done\"";

fn is_open(kind: Kind, text: &str) -> bool {
    kind == Kind::Order && !text.contains(DONE)
}

fn parse(text: &str) -> Result<Value, StoreError> {
    serde_json::from_str(text).map_err(|_| StoreError::Failed("a record is not readable".into()))
}

fn text_in<'v>(value: &'v Value, name: &str) -> &'v str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn key_text(key: Option<&RecordedKey>) -> String {
    match key {
        Some(RecordedKey::Key(key)) => key.to_string(),
        // Nobody's.
        Some(RecordedKey::Unreadable) | None => String::new(),
    }
}

impl Offer {
    pub fn to_json(&self) -> String {
        let (holder, principal) = (key_text(self.origin.holder()), key_text(self.origin.principal()));
        json!({"proposal": self.proposal, "holder": holder, "principal": principal}).to_string()
    }

    /// # Errors
    /// A record that was not written here.
    pub fn read(text: &str) -> Result<Self, StoreError> {
        let value = parse(text)?;
        let key = |name| RecordedKey::read(text_in(&value, name));
        let origin = Origin::with_grant(key("holder"), key("principal"));
        let proposal = value.get("proposal").cloned().unwrap_or_default();
        Ok(Self { proposal, origin })
    }
}

impl Order {
    pub fn to_json(&self) -> String {
        let (state, receipt) = match &self.state {
            State::Open => ("open", None),
            State::Failed => ("failed", None),
            State::Executed(receipt) => ("executed", Some(receipt)),
            State::Done(receipt) => ("done", Some(receipt)),
        };
        let receipt = receipt.map(|Receipt { committed, undo_until }| {
            json!({
                "holder": key_text(Some(committed.holder())),
                "principal": key_text(committed.principal()),
                "capability": committed.capability(),
                "hash": committed.hash(),
                "undo_until": undo_until,
            })
        });
        let attempt = text_of(*self.attempt.as_bytes());
        json!({"state": state, "instance": self.instance, "attempt": attempt, "receipt": receipt}).to_string()
    }

    /// # Errors
    /// A record that was not written here.
    pub fn read(text: &str) -> Result<Self, StoreError> {
        let value = parse(text)?;
        let unreadable = || StoreError::Failed("an order is not readable".into());
        let attempt: BlockId = text_in(&value, "attempt").parse().map_err(|_| unreadable())?;
        let receipt = value.get("receipt").filter(|receipt| receipt.is_object()).map(|receipt| {
            let part = |name| text_in(receipt, name);
            let (holder, principal) =
                (RecordedKey::read(part("holder")), RecordedKey::read(part("principal")));
            Receipt {
                committed: Committed::recorded(holder, principal, part("capability"), part("hash")),
                undo_until: receipt.get("undo_until").and_then(Value::as_i64).unwrap_or(i64::MIN),
            }
        });
        let state = match (text_in(&value, "state"), receipt) {
            ("open", None) => State::Open,
            ("failed", None) => State::Failed,
            ("executed", Some(receipt)) => State::Executed(receipt),
            ("done", Some(receipt)) => State::Done(receipt),
            _ => return Err(unreadable()),
        };
        let attempt = ReservationId::from_bytes(*attempt.as_bytes());
        Ok(Self { instance: text_in(&value, "instance").into(), attempt, state })
    }

    /// What shows that it was executed.
    pub fn receipt(&self) -> Option<&Receipt> {
        match &self.state {
            State::Open | State::Failed => None,
            State::Executed(receipt) | State::Done(receipt) => Some(receipt),
        }
    }
}
