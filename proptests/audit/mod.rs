//! Findings that audits of verifiers like this one bring up, one property each, named after its finding.
//!
//! 2,000 cases a property; `PROPTEST_CASES=1000000 cargo test --release --all-features --test proptests audit::` asks
//! for a million. `red/run.sh` puts each finding back into the source, one by one: its property must then fail.

mod asking;
mod committing;
mod money;
mod once;
mod stores;
mod texts;
mod work;

#[cfg(feature = "routes")]
mod routes;

use crate::hand::{self, Json, Key, object, text};
use crate::model::SERVICE;
use crate::put;
use parley_grants::{
    BlockId, Closed, Decision, Demand, Ledger as _, MemoryLedger, PublicKey, Refusal, ReservationId, Reserve,
    SpendLine, Step, Trust, VerifiedGrant,
};
use proptest::test_runner::Config;

pub(super) use crate::generate::{AGENT, T};

/// A key that somebody else holds.
pub(super) const OTHER: Key = 4;

fn config() -> Config {
    let given = Config::default();
    let cases = if std::env::var_os("PROPTEST_CASES").is_some() { given.cases } else { 2000 };
    Config { cases, failure_persistence: None, ..given }
}

/// A chain whose blocks are for these keys, with these caveats.
fn plan(issuer: Key, nonce: &str, blocks: Vec<(Key, Vec<Json>)>) -> hand::Grant {
    let block = |(subject, caveats)| hand::Block { subject, caveats, iat: T, spent: 0 };
    hand::Grant { issuer, nonce: nonce.into(), blocks: blocks.into_iter().map(block).collect(), flaw: None }
}

fn token(plan: &hand::Grant) -> String {
    hand::token(&hand::make(plan))
}

/// A root of this principal for this holder.
fn root(issuer: Key, holder: Key, caveats: Vec<Json>) -> String {
    token(&plan(issuer, "", vec![(holder, caveats)]))
}

fn verified(token: &str) -> VerifiedGrant {
    put::verifier().verify(token).expect("a valid grant")
}

fn limit(name: &str, max: i64) -> Json {
    object([(name, object([("currency", text("EUR")), ("max", Json::Int(max))]))])
}

/// A proposal that is good for ten minutes.
fn offer(id: &str, amount: Option<i64>, risk: &str) -> Json {
    let cost = |amount| object([("amount", Json::Int(amount)), ("currency", text("EUR"))]);
    object([
        ("id", text(id)),
        ("capability", text("shop.order")),
        ("summary", text("Two cups")),
        ("effects", Json::List(vec![object([("op", text("create")), ("target", text("order"))])])),
        ("cost", amount.map_or(Json::Null, cost)),
        ("risk", text(risk)),
        ("undo", object([("window", Json::Int(600))])),
        ("expires", Json::Int(T + 600)),
    ])
}

fn proof(by: Key, verb: &str, target: &str, ts: i64) -> String {
    hand::proof(by, SERVICE, verb, target, ts).plain()
}

fn block(name: u8) -> BlockId {
    BlockId::from_bytes([name; 32])
}

fn name(number: impl Into<u64>) -> ReservationId {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&number.into().to_le_bytes());
    ReservationId::from_bytes(bytes)
}

fn demand(id: u64, grant: u8, amount: u64, lines: &[SpendLine]) -> Demand<'_> {
    Demand { proposal: "p", id: name(id), grant: block(grant), amount, now: T, lines }
}

fn ask(ledger: &mut MemoryLedger, demand: &Demand<'_>) -> Reserve {
    let Ok(said) = ledger.reserve(demand);
    said
}

fn close(ledger: &mut MemoryLedger, id: ReservationId, settle: bool) -> bool {
    let how = if settle { parley_grants::Close::Settle } else { parley_grants::Close::Release };
    let Ok(said) = ledger.close(&id, how);
    said == Closed::Done
}

/// What is left of a COMMIT once its ledger was asked.
fn drive<T: Trust>(step: Step<'_, T>, ledger: &mut MemoryLedger) -> Decision {
    let Ok(decided) = step.drive(ledger);
    match decided {
        Ok((allowed, _)) => Decision::Allowed(allowed),
        Err(refusal) => Decision::Refused(refusal),
    }
}

fn is_allowed(decision: &Decision) -> bool {
    matches!(decision, Decision::Allowed(_))
}

fn code(decision: &Decision) -> &'static str {
    match decision {
        Decision::Allowed(_) => "allowed",
        Decision::Refused(refusal) => Refusal::answer(refusal).code(),
    }
}

fn key(number: Key) -> PublicKey {
    put::key(number)
}
