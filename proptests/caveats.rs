//! Generated caveats: small worlds, in which things often match.

use crate::generate::{T, a2_value, pick};
use crate::hand::{Json, MAX_INT, object, text};
use crate::model::SERVICE;
use proptest::collection::vec;
use proptest::prelude::*;

/// Stands for the hash of the proposal at hand.
pub const THE_HASH: &str = "#hash";

fn caveat_of(name: &'static str, value: impl Strategy<Value = Json>) -> impl Strategy<Value = Json> {
    value.prop_map(move |value| object([(name, value)]))
}

fn list(texts: &'static [&'static str]) -> impl Strategy<Value = Json> {
    vec(prop::sample::select(texts), 0..4).prop_map(|list| Json::List(list.into_iter().map(text).collect()))
}

fn limit(max: impl Strategy<Value = i64>, currency: &'static [&'static str]) -> impl Strategy<Value = Json> {
    (max, pick(currency))
        .prop_map(|(max, currency)| object([("max", Json::Int(max)), ("currency", Json::Text(currency))]))
}

/// Satisfied by most requests.
fn mild() -> BoxedStrategy<Json> {
    let all = ["COMMIT", "UNDO", "ASK", "INTENT", "EXPAND"];
    prop_oneof![
        Just(object([("svc", Json::List(vec![text("other.example"), text(SERVICE)]))])),
        Just(object([("verbs", Json::List(all.map(text).to_vec()))])),
        caveat_of(
            "can",
            prop::sample::select(vec!["*", "shop.*", "shop.order*"]).prop_map(|p| Json::List(vec![text(p)]))
        ),
        caveat_of("exp", prop::sample::select(vec![T + 2, T + 1000, MAX_INT]).prop_map(Json::Int)),
        caveat_of("nbf", prop::sample::select(vec![T - 2, 0, -MAX_INT]).prop_map(Json::Int)),
        Just(object([("only", text(THE_HASH))])),
        caveat_of("per", limit(prop::sample::select(vec![101, 500, MAX_INT]), &["EUR"])),
        caveat_of("spend", limit(prop::sample::select(vec![500, 1000, MAX_INT]), &["EUR"])),
        Just(object([("risk", text("high"))])),
    ]
    .boxed()
}

/// Fails softly now and then.
fn soft() -> BoxedStrategy<Json> {
    let max = || prop::sample::select(vec![0, 1, 99, 100, 101, 149, 150, MAX_INT]);
    prop_oneof![
        caveat_of("per", limit(max(), &["EUR", "EUR", "eur", "USD"])),
        caveat_of("spend", limit(max(), &["EUR", "EUR", "eur", "USD"])),
        caveat_of("risk", pick(&["low", "medium", "high"]).prop_map(Json::Text)),
    ]
    .boxed()
}

/// Well-formed, fails hard now and then.
fn hard() -> BoxedStrategy<Json> {
    prop_oneof![
        caveat_of("svc", list(&[SERVICE, "Shop.example", "", "*"])),
        caveat_of("verbs", list(&["COMMIT", "commit", "ASK", "INTENT", "UNDO", "*"])),
        caveat_of(
            "can",
            list(&[
                "order*",
                "*order",
                "shop**",
                "shop.order",
                "shop.order*",
                "shop.*",
                "*",
                "",
                "shop.*.x",
                "**",
                "shop.order**"
            ])
        ),
        caveat_of("exp", (T - 1..=T + 1).prop_map(Json::Int)),
        caveat_of("nbf", (T - 1..=T + 1).prop_map(Json::Int)),
        caveat_of("only", pick(&[THE_HASH, "", "x"]).prop_map(Json::Text)),
    ]
    .boxed()
}

/// Unknown or malformed: fails for every verb.
pub fn bad() -> BoxedStrategy<Json> {
    let names =
        || pick(&["svc", "verbs", "can", "exp", "nbf", "only", "per", "spend", "risk", "days", "SVC", ""]);
    let negative =
        || (-MAX_INT..0).prop_map(|max| object([("max", Json::Int(max)), ("currency", text("EUR"))]));
    let loose = |name| {
        caveat_of(
            name,
            a2_value().prop_map(move |more| {
                object([("max", Json::Int(MAX_INT)), ("currency", text("EUR")), ("note", more)])
            }),
        )
    };
    prop_oneof![
        a2_value(),
        a2_value().prop_map(|value| object([("days", value)])),
        (names(), a2_value()).prop_map(|(name, value)| Json::Object(vec![(name, value)])),
        (mild(), pick(&["note", "exp"]), a2_value())
            .prop_map(|(caveat, name, value)| caveat.with(&name, value)),
        caveat_of("per", negative()),
        caveat_of("spend", negative()),
        loose("per"),
        loose("spend"),
        // What A2 cannot express: then there is no grant at all.
        caveat_of("exp", pick(&["1.0", "1e3", "-0", "9007199254740992"]).prop_map(Json::Number)),
    ]
    .boxed()
}

pub fn caveat(weights: [u32; 4]) -> BoxedStrategy<Json> {
    prop_oneof![weights[0] => mild(), weights[1] => soft(), weights[2] => hard(), weights[3] => bad()].boxed()
}

pub fn any_caveats() -> BoxedStrategy<Vec<Json>> {
    prop_oneof![vec(mild(), 0..3), vec(soft(), 1..3), vec(caveat([6, 3, 2, 1]), 0..4), vec(bad(), 0..3)]
        .boxed()
}
