//! Reply routes: one delivery, one redemption, one change of posture.

use super::fields::Fields;
use super::json::{Json, quote};
use super::{Answer, NoCase};
use alloc::string::String;
use parley_grants::BlockId;
use parley_grants::routes::{
    Attempt, BodyDigest, Controls, Delivery, Kind, PlatformPause, Posture, PresentedRoute, Record, Redeemed,
    Redemption, Role, RoomPolicy, Route, Scope, State, Step, Terms, Used, Work,
};

fn no_case(what: &str) -> NoCase {
    NoCase(String::from(what))
}

pub fn deliver(case: &Fields<'_>) -> Result<Answer, NoCase> {
    let fields = case.object("delivery")?;
    let (author, recipient) = (scope(&fields, "author")?, scope(&fields, "recipient")?);
    let delivery = Delivery {
        message: "",
        room: fields.text("room")?,
        kind: match fields.text("kind")? {
            "direct" => Kind::Direct,
            "broadcast" => Kind::Broadcast,
            "unaddressed" => Kind::Unaddressed,
            _ => return Err(no_case("`kind` is none of the three")),
        },
        hop: fields.int("hop")?,
        lineage: fields.text("lineage")?,
        author: &author,
        recipient: &recipient,
        cross_principal: fields.bool("cross_principal")?,
        admitted: fields.bool("admitted")?,
        moderated: fields.bool("moderated")?,
        alive: fields.bool("alive")?,
        duplicate: fields.bool("duplicate")?,
        retention_end: fields.int("retention_end")?,
    };
    let set = case.object("controls")?;
    let work = delivery.decide(&controls(&set)?, posture_of(&set, "posture")?, case.int("now")?);
    Ok(match work {
        Work::None => Answer::new().text_member("delivery", "none"),
        Work::Held => Answer::new().text_member("delivery", "held"),
        Work::Turn(terms) => Answer::new()
            .text_member("delivery", "turn")
            .raw(
                "route",
                &terms.as_ref().map_or_else(|| String::from("null"), |terms| frozen(terms).text().into()),
            )
            .raw("remaining", &alloc::format!("{}", terms.as_ref().map_or(0, Terms::remaining))),
    })
}

fn redemption(case: &Fields<'_>) -> Result<Redemption, NoCase> {
    // A case is about a record, and not about the value that leads to it.
    let route = Route::from_random(&[7; 32]);
    let record = case.maybe_object("route")?.map(|fields| {
        let state = state(&fields)?;
        Ok(Record { digest: route.digest(), message: String::new(), terms: terms(&fields)?, state })
    });
    let record = record.transpose()?;
    let fields = case.object("attempt")?;
    let attempt = Attempt {
        route: &PresentedRoute::new(route),
        room: fields.text("room")?,
        scope: &scope(&fields, "scope")?,
        authority: fields.bool("authority")?,
        key: fields.text("key")?,
        body: fields.text("body")?.as_bytes(),
    };
    let set = controls(&case.object("controls")?)?;
    Ok(match attempt.decide(record.as_ref(), &set, case.int("now")?) {
        Step::Done(redemption) => redemption,
        Step::Consume(consume) => consume.won(),
    })
}

pub fn redeem(case: &Fields<'_>) -> Result<Answer, NoCase> {
    Ok(match redemption(case)?.into_answer() {
        Ok(Redeemed::First(first)) => Answer::ok(true)
            .raw("hop", &alloc::format!("{}", first.terms.hop))
            .raw("target", named(&first.terms.target).text()),
        Ok(Redeemed::Replay(receipt)) => Answer::ok(true).text_member("receipt", &receipt),
        Err(_) => Answer::ok(false),
    })
}

/// What the operator's log would say of it.
pub fn explain(case: &Fields<'_>) -> Result<String, NoCase> {
    let redemption = redemption(case)?;
    Ok(match (redemption.audit(), redemption.into_answer()) {
        (Some(audit), _) => alloc::format!("refused: {}", audit.reason.code()),
        (None, Ok(Redeemed::First(first))) => {
            alloc::format!("the first, which makes hop {}", first.terms.hop)
        }
        (None, _) => String::from("the same once more"),
    })
}

pub fn posture(case: &Fields<'_>) -> Result<Answer, NoCase> {
    let (from, to) = (posture_of(case, "from")?, posture_of(case, "to")?);
    let by = match case.text("by")? {
        "agent" => Role::Agent,
        "owner" => Role::AgentOwner,
        "other" => Role::Other,
        _ => return Err(no_case("`by` is none of the three")),
    };
    Ok(match from.set(to, by) {
        Ok(posture) => Answer::ok(true).text_member("posture", posture_name(posture)),
        Err(_) => Answer::ok(false),
    })
}

fn posture_name(posture: Posture) -> &'static str {
    match posture {
        Posture::Reactive => "reactive",
        Posture::Manual => "manual",
    }
}

fn posture_of(fields: &Fields<'_>, name: &str) -> Result<Posture, NoCase> {
    match fields.text(name)? {
        "reactive" => Ok(Posture::Reactive),
        "manual" => Ok(Posture::Manual),
        _ => Err(NoCase(alloc::format!("`{name}` is no posture"))),
    }
}

fn controls(fields: &Fields<'_>) -> Result<Controls, NoCase> {
    Ok(Controls {
        platform: PlatformPause::recorded(fields.bool("platform_paused")?),
        room: RoomPolicy::recorded(fields.bool("room_reactive")?, generation(fields)?),
    })
}

/// Generations are compared and never counted here, so any integer will do.
fn generation(fields: &Fields<'_>) -> Result<u64, NoCase> {
    fields.int("generation").map(i64::cast_unsigned)
}

fn scope(fields: &Fields<'_>, name: &str) -> Result<Scope, NoCase> {
    let scope = fields.object(name)?;
    Ok(Scope {
        agent: scope.text("agent")?.into(),
        session: scope.nullable_text("session")?.map(String::from),
    })
}

fn terms(fields: &Fields<'_>) -> Result<Terms, NoCase> {
    Ok(Terms {
        room: fields.text("room")?.into(),
        recipient: scope(fields, "recipient")?,
        target: scope(fields, "target")?,
        generation: generation(fields)?,
        hop: fields.int("hop")?,
        lineage: fields.text("lineage")?.into(),
        cross_principal: fields.bool("cross_principal")?,
        expires: fields.int("expires")?,
    })
}

fn state(fields: &Fields<'_>) -> Result<State, NoCase> {
    match fields.get("state").and_then(Json::text) {
        Some("open") => return Ok(State::Open),
        Some("revoked") => return Ok(State::Revoked),
        Some(_) => return Err(no_case("`state` is no state")),
        None => {}
    }
    let used = fields.object("state")?;
    // The text of 32 bytes; any other is the digest of no body.
    let body = used.text("body_sha256")?.parse::<BlockId>().map_or([0; 32], |digest| *digest.as_bytes());
    Ok(State::Consumed(Used {
        key: used.text("key")?.into(),
        body: BodyDigest::from_bytes(body),
        receipt: used.text("receipt")?.into(),
    }))
}

fn named(scope: &Scope) -> Answer {
    let session = scope.session.as_deref().map_or_else(|| String::from("null"), quote);
    Answer::new().text_member("agent", &scope.agent).raw("session", &session)
}

fn frozen(terms: &Terms) -> Answer {
    Answer::new()
        .text_member("room", &terms.room)
        .raw("recipient", named(&terms.recipient).text())
        .raw("target", named(&terms.target).text())
        .raw("generation", &alloc::format!("{}", terms.generation.cast_signed()))
        .raw("hop", &alloc::format!("{}", terms.hop))
        .text_member("lineage", &terms.lineage)
        .raw("expires", &alloc::format!("{}", terms.expires))
}
