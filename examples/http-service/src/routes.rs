//! The route table: what a path means. Nothing in a request's body changes it.

use crate::app::Shared;
use crate::records::Records;
use crate::reply::Reply;
use crate::{auth, shop, telemetry};
use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, get, post};
use parley_grants::Verb;
use parley_grants_ledgers::Store;
use serde_json::json;

/// What a path means.
#[derive(Debug)]
pub struct Route {
    pub path: &'static str,
    pub verb: Verb,
    /// `None` for verbs that look at no grants.
    pub capability: Option<&'static str>,
    /// May anybody ask, without grant and proof? Whoever brings either is judged by it.
    pub is_open: bool,
}

const fn route(path: &'static str, verb: Verb, capability: &'static str, is_open: bool) -> Route {
    Route { path, verb, capability: Some(capability), is_open }
}

/// All there is.
pub static ROUTES: [Route; 9] = [
    Route { path: "/hello", verb: Verb::Hello, capability: None, is_open: true },
    Route { path: "/expand", verb: Verb::Expand, capability: None, is_open: true },
    route("/menu/ask", Verb::Ask, "shop.menu", true),
    route("/order/intent", Verb::Intent, "shop.order", true),
    route("/order/commit", Verb::Commit, "shop.order", false),
    route("/order/undo", Verb::Undo, "shop.order", false),
    route("/gift/intent", Verb::Intent, "shop.gift", false),
    route("/gift/commit", Verb::Commit, "shop.gift", false),
    route("/gift/undo", Verb::Undo, "shop.gift", false),
];

/// Every route of the table behind the layer, and what needs none.
pub fn router<L: Store, D: Records>(app: Shared<L, D>) -> Router {
    let mut router = Router::new();
    for route in &ROUTES {
        let layer = axum::middleware::from_fn_with_state((app.clone(), route), auth::authorize);
        router = router.route(route.path, handler(route.verb).layer(layer));
    }
    router
        .route("/.well-known/parley", get(discovery))
        .route("/metrics", get(metrics))
        .fallback(|| async { Reply::error(StatusCode::NOT_FOUND, "not_found").into_response() })
        .method_not_allowed_fallback(|| async {
            Reply::error(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed").into_response()
        })
        .with_state(app)
}

/// Who serves a verb. It asks for the evidence of just this verb.
pub fn handler<L: Store, D: Records>(verb: Verb) -> MethodRouter<Shared<L, D>> {
    match verb {
        Verb::Hello => post(shop::hello),
        Verb::Ask => post(shop::ask),
        Verb::Intent => post(shop::intent),
        Verb::Commit => post(shop::commit),
        Verb::Undo => post(shop::undo),
        Verb::Expand => post(shop::expand),
    }
}

async fn discovery<L: Store, D: Records>(State(app): State<Shared<L, D>>) -> Response {
    let routes = ROUTES.iter().map(|route| {
        json!({
            "path": route.path,
            "verb": route.verb.as_str(),
            "capability": route.capability,
            "open": route.is_open,
        })
    });
    let mut verbs: Vec<_> = ROUTES.iter().map(|route| route.verb).collect();
    verbs.sort_unstable();
    verbs.dedup();
    let limits = &app.limits;
    let text = json!({
        "parley": 1,
        "service": app.verifier.service(),
        "verbs": verbs.into_iter().map(Verb::as_str).collect::<Vec<_>>(),
        "routes": routes.collect::<Vec<_>>(),
        "limits": {
            "body_bytes": limits.body_bytes,
            "body_seconds": limits.body_time.as_secs(),
            "id_bytes": crate::frame::ID_BYTES,
            "grants": 16,
            "proof_seconds": 300,
        },
    });
    ([(header::CONTENT_TYPE, "application/json")], text.to_string()).into_response()
}

async fn metrics<L: Store, D: Records>(State(app): State<Shared<L, D>>) -> Response {
    let text = app.metrics.render(app.in_flight());
    ([(header::CONTENT_TYPE, telemetry::PROMETHEUS)], text).into_response()
}
