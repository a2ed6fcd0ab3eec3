//! The shop's handlers. Each takes the evidence of its verb, and so is reached through the layer alone.

use crate::app::{App, Shared, text_of};
use crate::auth::{Asked, Cleared, Committing, Expanded, Hello, Intended, Undoing};
use crate::commit::{self, Outcome, Stop};
use crate::records::{FOREVER, Kind, Life, Offer, Receipt, Records, order_of};
use crate::reply::Reply;
use axum::extract::State;
use parley_grants::{Allowed, Claimed, Commit, End, Offered, Owner, Proposal, PublicKey, RecordedKey};
use parley_grants_ledgers::{Store, StoreError};
use serde_json::{Value, json};

struct Item {
    name: &'static str,
    summary: &'static str,
    cents: u32,
    risk: &'static str,
    has_courier: bool,
}

const fn item(name: &'static str, summary: &'static str, cents: u32, risk: &'static str) -> Item {
    Item { name, summary, cents, risk, has_courier: false }
}

static MENU: [Item; 5] = [
    Item { has_courier: true, ..item("cups", "Two cups", 1_800, "low") },
    item("beans", "A bag of beans", 1_450, "low"),
    item("grinder", "A grinder", 8_900, "low"),
    item("machine", "An espresso machine", 24_000, "medium"),
    item("filter", "A hundred filters", 600, "low"),
];

/// Items in one answer to an ASK; the rest is behind a handle.
const PAGE: usize = 3;
const COURIER_CENTS: u32 = 700;
/// Seconds for which a proposal can be committed, an order undone, a handle expanded.
const OFFER: i64 = 900;
const UNDO: i64 = 600;
const HANDLE: i64 = 900;

fn broken(error: StoreError) -> Reply {
    tracing::error!("{error}");
    Reply::unavailable()
}

pub async fn hello<L: Store, D: Records>(State(app): State<Shared<L, D>>, hello: Cleared<Hello>) -> Reply {
    let (id, _, Hello(key)) = hello.open();
    let service = app.verifier.service();
    let you = key.map(|key: PublicKey| key.to_string());
    Reply::new(&id, json!({"kind": "hello", "service": service, "name": "A shop for coffee", "you": you}))
}

/// ASK: the menu, an event an item.
pub async fn ask<L: Store, D: Records>(
    State(app): State<Shared<L, D>>,
    asked: Cleared<Asked>,
) -> Result<Reply, Reply> {
    let (id, now, Asked(owner)) = asked.open();
    let again = |reply: Reply| reply.re(&id);
    let (handle, key) = match owner {
        Owner::Anyone => (app.public_handle.clone(), Value::Null),
        Owner::Key(RecordedKey::Key(key)) => {
            (app.random.name("h-").ok_or_else(Reply::unavailable).map_err(again)?, json!(key.to_string()))
        }
        Owner::Key(RecordedKey::Unreadable) => return Err(again(Reply::forbidden())),
    };
    let rest: Vec<_> = MENU.iter().skip(PAGE).map(event).collect();
    let life = Life { now, until: now.saturating_add(HANDLE) };
    let record = json!({"owner": key, "items": rest, "until": life.until}).to_string();
    app.records.put(Kind::Handle, &handle, &record, life).await.map_err(broken).map_err(again)?;
    let last = json!({"kind": "menu", "total": MENU.len(), "more": handle});
    Ok(Reply::new(&id, last).with_events(MENU.iter().take(PAGE).map(event).collect()))
}

fn event(item: &Item) -> Value {
    let price = json!({"amount": item.cents, "currency": "EUR"});
    json!({"event": "item", "item": item.name, "summary": item.summary, "price": price})
}

/// Who may expand what this record is of. One that is over or not readable is nobody's.
pub fn owner_of(record: &str, now: i64) -> Owner {
    let record: Value = serde_json::from_str(record).unwrap_or_default();
    let is_over = record.get("until").and_then(Value::as_i64).is_none_or(|until| now >= until);
    match record.get("owner") {
        _ if is_over => Owner::Key(RecordedKey::Unreadable),
        Some(Value::Null) => Owner::Anyone,
        Some(Value::String(key)) => Owner::Key(RecordedKey::read(key)),
        _ => Owner::Key(RecordedKey::Unreadable),
    }
}

/// EXPAND: the rest of a menu.
pub async fn expand(expanded: Cleared<Expanded>) -> Reply {
    let (id, _, Expanded(record)) = expanded.open();
    let mut record: Value = serde_json::from_str(&record).unwrap_or_default();
    match record.get_mut("items").map(Value::take) {
        Some(Value::Array(items)) => {
            Reply::new(&id, json!({"kind": "menu", "total": MENU.len()})).with_events(items)
        }
        _ => Reply::unavailable().re(&id),
    }
}

/// INTENT: one or two proposals; with auto the first is committed at once where that needs nobody's consent (A8.15 to A8.22).
pub async fn intent<L: Store, D: Records>(
    State(app): State<Shared<L, D>>,
    intended: Cleared<Intended>,
) -> Reply {
    let (id, now, intended) = intended.open();
    let reply = match (&intended.allowed, intended.auto) {
        (Some(allowed), true) => auto(&app, &id, &intended, allowed, now).await,
        _ => propose(&app, &intended, now).await.map(|proposals| shown(&id, &proposals)),
    };
    reply.unwrap_or_else(|reply| reply.re(&id))
}

fn shown(id: &str, proposals: &[Value]) -> Reply {
    Reply::new(id, json!({"kind": "proposals", "proposals": proposals}))
}

/// A repeat of a frame gets the first answer, and never a second commit (A8.27).
async fn auto<L: Store, D: Records>(
    app: &App<L, D>,
    id: &str,
    intended: &Intended,
    allowed: &Allowed,
    now: i64,
) -> Result<Reply, Reply> {
    let claim = allowed.auto_claim(id, now).ok_or_else(Reply::unavailable)?;
    let (name, life) = (text_of(*claim.key()), Life { now, until: claim.last().unwrap_or(now) });
    // Under another capability or principal it is no repeat.
    let asked = json!({"capability": intended.capability, "order": intended.order, "principal": allowed.issuer().map(PublicKey::to_string)});
    let ticket = match app.ledger.claim(&claim, now).await.map_err(broken)? {
        Claimed::First(ticket) => ticket,
        Claimed::Done => return first_answer(app, id, &name, &asked).await,
        Claimed::InProgress | Claimed::Full => return Err(Reply::unavailable()),
    };
    let proposals = match propose(app, intended, now).await {
        Ok(proposals) => proposals,
        Err(reply) => {
            // Nothing was committed for it.
            if let Err(error) = app.ledger.end(&ticket, End::Abandon).await {
                tracing::error!("a frame stays in progress until its time is over: {error}");
            }
            return Err(reply);
        }
    };
    // Where it is not known whether it was committed there is no answer to keep, and the frame stays in progress.
    let last = match commit_first(app, id, intended, allowed, proposals.first(), now).await? {
        Some(receipt) => receipt,
        None => shown(id, &proposals).last,
    };
    // First the answer, then done: who finds it done finds the answer. A crash before this leaves the frame in progress and its
    // repeats without an answer. It is never abandoned: a repeat could then commit a second time.
    let answer = json!({"asked": asked, "last": last}).to_string();
    let kept = app.records.put(Kind::Answer, &name, &answer, life).await;
    let ended = match kept {
        Ok(()) => app.ledger.end(&ticket, End::Finish).await.map(|_| ()),
        Err(error) => Err(error),
    };
    if let Err(error) = ended {
        tracing::error!("a frame stays in progress until its time is over: {error}");
    }
    Ok(Reply::new(id, last))
}

async fn first_answer<L: Store, D: Records>(
    app: &App<L, D>,
    id: &str,
    name: &str,
    asked: &Value,
) -> Result<Reply, Reply> {
    let text = app.records.get(Kind::Answer, name).await.map_err(broken)?.ok_or_else(Reply::unavailable)?;
    let mut answer: Value = serde_json::from_str(&text).map_err(|_| Reply::unavailable())?;
    if answer.get("asked") != Some(asked) {
        return Err(Reply::forbidden());
    }
    let last = answer.get_mut("last").map(Value::take).ok_or_else(Reply::unavailable)?;
    Ok(Reply::new(id, last))
}

/// `None` when nothing was committed: the proposals are to be shown as without auto.
async fn commit_first<L: Store, D: Records>(
    app: &App<L, D>,
    id: &str,
    intended: &Intended,
    allowed: &Allowed,
    first: Option<&Value>,
    now: i64,
) -> Result<Option<Value>, Reply> {
    let parsed = first.and_then(|first| Proposal::parse(first.to_string().as_bytes()).ok());
    let (Some(proposal), Some(origin)) = (parsed, allowed.origin()) else { return Ok(None) };
    let Some(order) = order_of(proposal.terms().id()) else { return Ok(None) };
    let (offered, capability) = (Offered::Kept(&proposal), intended.capability);
    let commit = Commit::Auto { proposal: offered, capability, frame: id, origin: &origin };
    let outcome = match commit::begin(app, &commit, Some(&proposal), &intended.frame, now).await {
        Ok(attempt) => attempt.execute(app).await,
        Err(Stop::Refused(_) | Stop::Busy) => Outcome::NotExecuted,
    };
    match outcome {
        Outcome::Executed(receipt) => Ok(Some(receipt_line(&order, &receipt))),
        Outcome::NotExecuted => Ok(None),
        Outcome::Unknown => Err(Reply::unavailable()),
    }
}

/// Stores what it proposes, each with whose INTENT it was (A8.4, A8.5). What nobody can commit (A8.6) is shown and not kept.
async fn propose<L: Store, D: Records>(
    app: &App<L, D>,
    intended: &Intended,
    now: i64,
) -> Result<Vec<Value>, Reply> {
    let item = MENU.iter().find(|item| item.name == intended.order).ok_or_else(Reply::malformed)?;
    let mut proposals = Vec::new();
    let ways = [("by post", 0), ("by courier", COURIER_CENTS)];
    for (way, more) in ways.into_iter().take(if item.has_courier { 2 } else { 1 }) {
        let summary = format!("{}, {way}", item.summary);
        let proposal = json!({
            "id": app.random.name("p-").ok_or_else(Reply::unavailable)?,
            "capability": intended.capability,
            "effects": [{"op": "create", "target": "order", "detail": summary}],
            "summary": summary,
            "cost": {"amount": item.cents.saturating_add(more), "currency": "EUR"},
            "risk": item.risk,
            "undo": {"window": UNDO},
            "expires": now.saturating_add(OFFER),
        });
        if let Some(origin) = intended.allowed.as_ref().and_then(Allowed::origin) {
            let id = proposal.get("id").and_then(Value::as_str).unwrap_or_default().to_owned();
            let life = Life { now, until: now.saturating_add(OFFER) };
            let offer = Offer { proposal: proposal.clone(), origin }.to_json();
            app.records.put(Kind::Offer, &id, &offer, life).await.map_err(broken)?;
        }
        proposals.push(proposal);
    }
    Ok(proposals)
}

fn receipt_line(order: &str, receipt: &Receipt) -> Value {
    let hash = receipt.committed.hash();
    json!({"kind": "receipt", "receipt": order, "hash": hash, "undo_until": receipt.undo_until})
}

/// COMMIT: carries out what was begun; a repeat gets the first receipt.
pub async fn commit<L: Store, D: Records>(
    State(app): State<Shared<L, D>>,
    committing: Cleared<Committing>,
) -> Reply {
    let (id, _, committing) = committing.open();
    let (order, outcome) = match committing {
        Committing::Again(order, receipt) => (order, Outcome::Executed(receipt)),
        Committing::First(order, attempt) => (order, attempt.execute(&app).await),
    };
    match outcome {
        Outcome::Executed(receipt) => Reply::new(&id, receipt_line(&order, &receipt)),
        // A repeat is right after either: it is executed then, or gets the receipt.
        Outcome::NotExecuted | Outcome::Unknown => Reply::unavailable().re(&id),
    }
}

/// UNDO: once, in its window; a repeat gets the first answer. What was spent stays spent (A8.25).
pub async fn undo<L: Store, D: Records>(
    State(app): State<Shared<L, D>>,
    undoing: Cleared<Undoing>,
) -> Result<Reply, Reply> {
    let (id, now, Undoing(order, receipt)) = undoing.open();
    let again = |error| broken(error).re(&id);
    let undone = Reply::new(&id, json!({"kind": "undone", "receipt": order}));
    if app.records.get(Kind::Return, &order).await.map_err(again)?.is_some() {
        return Ok(undone);
    }
    if now >= receipt.undo_until {
        return Err(Reply::expired().re(&id));
    }
    // The return is the record, as the order is: of two at once one writes it, and both are told that it is undone.
    let life = Life { now, until: FOREVER };
    let text = json!({"undone": now}).to_string();
    app.records.swap(Kind::Return, &order, None, Some(&text), life).await.map_err(again)?;
    Ok(undone)
}
