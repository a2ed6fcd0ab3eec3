//! The layer that authorizes, in one place. A handler can only be reached with what it found: [`Cleared`] has no other maker, and a
//! route without the layer has none, so it serves nothing.

use crate::app::{App, Shared};
use crate::commit::{self, Attempt, Stop};
use crate::frame::{self, Ask, Frame};
use crate::records::{Kind, Offer, Order, Receipt, Records, order_of};
use crate::reply::{Class, Reply};
use crate::routes::Route;
use crate::{shop, telemetry};
use axum::body::Body;
use axum::extract::{FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::http::{Extensions, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http_body_util::BodyExt as _;
use parley_grants::{
    Allowed, Commit, Committed, Decision, Offered, Origin, Owner, Presented, Proposal, ProvenKey, PublicKey,
    RecordedKey, Verb,
};
use parley_grants_ledgers::{Store, StoreError};
use std::sync::{Arc, Mutex};

/// A request that may be served, with what its handler needs: evidence of the kind `W`.
///
/// ```compile_fail,E0451
/// use parley_grants_http::auth::{Cleared, Hello};
/// let forged = Cleared { id: String::new(), now: 0, what: Hello(None) }; // the fields are private
/// ```
pub struct Cleared<W> {
    id: String,
    now: i64,
    what: W,
}

/// HELLO, with the proven key where there was a proof.
pub struct Hello(pub Option<PublicKey>);
/// ASK, and who may expand the rest of its answer.
pub struct Asked(pub Owner);
/// INTENT, with what allowed it: `None` for an anonymous one, whose proposals nobody can commit.
pub struct Intended {
    pub frame: Frame,
    pub order: String,
    pub auto: bool,
    pub capability: &'static str,
    pub allowed: Option<Allowed>,
}
/// COMMIT: begun, so claimed and counted; or executed before.
pub enum Committing {
    First(String, Box<Attempt>),
    Again(String, Receipt),
}
/// UNDO of this order.
pub struct Undoing(pub String, pub Receipt);
/// EXPAND, with what the handle is for.
pub struct Expanded(pub String);

impl<W> Cleared<W> {
    /// The id of the frame, the time of the request, and the evidence.
    pub fn open(self) -> (String, i64, W) {
        (self.id, self.now, self.what)
    }
}

/// Where the evidence waits for its handler: it can be taken once.
struct Slot<W>(Arc<Mutex<Option<Cleared<W>>>>);

impl<W> Clone for Slot<W> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<W: Send + 'static, S: Sync> FromRequestParts<S> for Cleared<W> {
    type Rejection = Reply;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Reply> {
        let slot = parts.extensions.remove::<Slot<W>>();
        let cleared = slot.and_then(|slot| slot.0.lock().ok()?.take());
        if cleared.is_none() {
            tracing::error!("a handler without evidence: its route is not behind the layer");
        }
        cleared.ok_or_else(Reply::unavailable)
    }
}

/// The layer: bounds, reads and authorizes a request, and hands it on.
pub async fn authorize<L: Store, D: Records>(
    State((app, route)): State<(Shared<L, D>, &'static Route)>,
    request: Request,
    next: Next,
) -> Response {
    let response = bounded(app.clone(), route, request, next).await.unwrap_or_else(Reply::into_response);
    let class = response.extensions().get::<Class>().map_or("other", |class| class.0);
    app.metrics.count(route.verb, class);
    response
}

async fn bounded<L: Store, D: Records>(
    app: Shared<L, D>,
    route: &'static Route,
    request: Request,
    next: Next,
) -> Result<Response, Reply> {
    let (mut parts, body) = request.into_parts();
    let declared =
        parts.headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    if declared.is_some_and(|length: u64| length > app.limits.body_bytes as u64) {
        return Err(too_large());
    }
    let reading = app.reading.clone().try_acquire_owned().map_err(|_| Reply::unavailable())?;
    let text = tokio::time::timeout(app.limits.body_time, read(body, app.limits.body_bytes))
        .await
        .unwrap_or_else(|_| Err(Reply::error(StatusCode::REQUEST_TIMEOUT, "timeout")))?;
    drop(reading);
    let frame = frame::read(&text, route).map_err(|malformed| {
        tracing::debug!("malformed: {}", malformed.why);
        Reply { re: malformed.re, ..Reply::malformed() }
    })?;
    drop(text);
    let id = frame.id.clone();
    let working = app.working.clone().try_acquire_owned().map_err(|_| Reply::unavailable().re(&id))?;
    // Who hangs up does not stop what was begun.
    let task = tokio::spawn(async move {
        let _working = working;
        let now = app.clock.now().ok_or_else(Reply::unavailable)?;
        app.revocation.refresh();
        clear(&app, route, frame, now, &mut parts.extensions).await?;
        Ok(next.run(Request::from_parts(parts, Body::empty())).await)
    });
    match task.await {
        Ok(answer) => answer.map_err(|reply: Reply| reply.re(&id)),
        Err(_) => {
            tracing::error!("a request panicked");
            Err(Reply::unavailable().re(&id))
        }
    }
}

async fn read(mut body: Body, limit: usize) -> Result<Vec<u8>, Reply> {
    let mut text = Vec::new();
    while let Some(frame) = body.frame().await {
        // Cut off, or not as HTTP has it.
        let frame = frame.map_err(|_| Reply::malformed())?;
        let Ok(data) = frame.into_data() else { continue };
        if data.len() > limit.saturating_sub(text.len()) {
            return Err(too_large());
        }
        text.extend_from_slice(&data);
    }
    Ok(text)
}

fn too_large() -> Reply {
    Reply::error(StatusCode::PAYLOAD_TOO_LARGE, "too_large")
}

fn store_failed(error: StoreError) -> Reply {
    tracing::error!("{error}");
    Reply::unavailable()
}

/// Decides on a frame by its route, and leaves the evidence for the handler.
async fn clear<L: Store, D: Records>(
    app: &App<L, D>,
    route: &'static Route,
    frame: Frame,
    now: i64,
    extensions: &mut Extensions,
) -> Result<(), Reply> {
    let id = frame.id.clone();
    let grants = frame.presentables();
    let presented = frame.presented(&grants, now);
    let capability = route.capability.unwrap_or_default();
    match &frame.ask {
        Ask::Hello => {
            let key = frame.proof.as_ref().map(|proof| {
                let service = app.verifier.service();
                ProvenKey::from_unbound_proof(proof.as_bytes(), service, Verb::Hello, service, now)
            });
            let key = key.transpose().map_err(|_| Reply::error(StatusCode::UNAUTHORIZED, "unauthorized"))?;
            leave(extensions, id, now, Hello(key.map(|key| *key.key())));
        }
        Ask::Ask if route.is_open && frame.is_anonymous() => leave(extensions, id, now, Asked(Owner::Anyone)),
        Ask::Ask => {
            let allowed = decide(app, &parley_grants::Request::Ask { capability }, &presented)?;
            leave(extensions, id, now, Asked(allowed.owner()));
        }
        Ask::Intent { order, auto } => {
            let (order, auto) = (order.clone(), *auto);
            let allowed = if route.is_open && frame.is_anonymous() && !auto {
                None
            } else {
                let request = match auto {
                    true => parley_grants::Request::AutoIntent { capability, frame: &id },
                    false => parley_grants::Request::Intent { capability },
                };
                Some(decide(app, &request, &presented)?)
            };
            leave(extensions, id, now, Intended { frame, order, auto, capability, allowed });
        }
        Ask::Commit { proposal, hash } => {
            let what = clear_commit(app, (proposal, hash), capability, &frame, now).await?;
            leave(extensions, id, now, what);
        }
        Ask::Undo { receipt } => {
            let found = executed(app, receipt, capability).await?;
            // One that there is not is nobody's: so nobody learns which ones there are.
            let nobody = Committed::without_principal(RecordedKey::Unreadable, capability, "");
            let of = found.as_ref().map_or(&nobody, |receipt| &receipt.committed);
            let _allowed = decide(app, &parley_grants::Request::Undo { receipt, of }, &presented)?;
            let found = found.ok_or_else(Reply::forbidden)?;
            leave(extensions, id, now, Undoing(receipt.clone(), found));
        }
        Ask::Expand { handle } => {
            let found = app.records.get(Kind::Handle, handle).await.map_err(store_failed)?;
            let owner = found
                .as_deref()
                .map_or(Owner::Key(RecordedKey::Unreadable), |record| shop::owner_of(record, now));
            let _allowed = decide(app, &parley_grants::Request::Expand { handle, owner }, &presented)?;
            leave(extensions, id, now, Expanded(found.ok_or_else(Reply::forbidden)?));
        }
    }
    Ok(())
}

/// COMMIT of a proposal of this route's capability. One of another is, on this route, one that there is not.
async fn clear_commit<L: Store, D: Records>(
    app: &App<L, D>,
    (proposal, hash): (&str, &str),
    capability: &str,
    frame: &Frame,
    now: i64,
) -> Result<Committing, Reply> {
    let order = order_of(proposal).unwrap_or_default();
    if let Some(receipt) = executed(app, &order, capability).await? {
        let grants = frame.presentables();
        let replay = parley_grants::Request::Replay { hash, of: &receipt.committed };
        let _allowed = decide(app, &replay, &frame.presented(&grants, now))?;
        return Ok(Committing::Again(order, receipt));
    }
    let offer = app.records.get(Kind::Offer, proposal).await.map_err(store_failed)?;
    let offer = offer.map(|text| Offer::read(&text)).transpose().map_err(store_failed)?;
    let kept = offer.and_then(|offer| {
        let proposal = Proposal::parse(offer.proposal.to_string().as_bytes()).ok()?;
        (proposal.terms().capability() == capability).then_some((proposal, offer.origin))
    });
    let begun = match &kept {
        Some((proposal, origin)) => {
            let commit = Commit::Sent { proposal: Offered::Kept(proposal), hash, origin };
            commit::begin(app, &commit, Some(proposal), frame, now).await
        }
        None => {
            let commit = Commit::Sent { proposal: Offered::Text(b""), hash, origin: &Origin::anonymous() };
            commit::begin(app, &commit, None, frame, now).await
        }
    };
    match begun {
        Ok(attempt) => Ok(Committing::First(order, Box::new(attempt))),
        Err(Stop::Refused(refusal)) => Err(Reply::refused(&refusal)),
        Err(Stop::Busy) => Err(Reply::unavailable()),
    }
}

/// The receipt of an executed order of this capability.
async fn executed<L: Store, D: Records>(
    app: &App<L, D>,
    order: &str,
    capability: &str,
) -> Result<Option<Receipt>, Reply> {
    let text = app.records.get(Kind::Order, order).await.map_err(store_failed)?;
    let order = text.map(|text| Order::read(&text)).transpose().map_err(store_failed)?;
    let receipt = order.as_ref().and_then(Order::receipt);
    Ok(receipt.filter(|receipt| receipt.committed.capability() == capability).cloned())
}

fn decide<L, D>(
    app: &App<L, D>,
    request: &parley_grants::Request<'_>,
    presented: &Presented<'_>,
) -> Result<Allowed, Reply> {
    let decision = app.verifier.authorize(request, presented);
    telemetry::decided(&app.verifier.record(request, presented, &decision));
    match decision {
        Decision::Allowed(allowed) => Ok(allowed),
        Decision::Refused(refusal) => Err(Reply::refused(&refusal)),
    }
}

fn leave<W: Send + 'static>(extensions: &mut Extensions, id: String, now: i64, what: W) {
    extensions.insert(Slot(Arc::new(Mutex::new(Some(Cleared { id, now, what })))));
}
