//! The rules, as naively as they can be written down: A4, A6, A7, A8 and B3, B4, B8. Nothing of the crate is used.

use crate::hand::{Grant, Json, Key, proposal_hash};

pub const SERVICE: &str = "shop.example";
pub const TRUSTED: [Key; 2] = [0, 1];

/// What a caller is told; better ones are less.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    Allowed,
    Review,
    ConsentRequired,
    Forbidden,
    Unauthorized,
    Conflict,
    Expired,
}

/// A key as a service wrote it down.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Recorded {
    Key(Key),
    Absent,
    Unreadable,
}

#[derive(Clone, Debug)]
pub enum Request {
    Ask { capability: String },
    Intent { capability: String },
    AutoIntent { capability: String, frame: String },
    Undo { capability: String, principal: Recorded },
    Expand { owner: Recorded },
    Commit { proposal: Json, hash: String, holder: Recorded, principal: Recorded, replay: bool },
    Auto { proposal: Json, capability: String, frame: String, holder: Recorded, principal: Recorded },
}

#[derive(Clone, Copy, Debug)]
pub enum Shown {
    /// A proof by this key that was made so many seconds from now.
    Proof(Key, i64),
    /// A proof that says it is by this key, and that another one signed.
    Forged(Key),
    /// The caller's word.
    Word(Key),
    Nothing,
}

#[derive(Clone, Debug)]
pub struct Case {
    pub grants: Vec<Grant>,
    pub request: Request,
    pub shown: Shown,
    pub now: i64,
    /// Present grants and proposal as kept ones where they can be; this changes no class.
    pub kept: bool,
}

/// What every caveat is asked.
struct Asked<'c> {
    verb: &'c str,
    capability: &'c str,
    now: i64,
    /// The proposal of a COMMIT, and whether it is its first time.
    commit: Option<(&'c Json, bool)>,
}

/// The answer to the whole request.
pub fn decide(case: &Case) -> Class {
    let reserved = match &case.request {
        Request::Ask { capability } | Request::Intent { capability } | Request::Undo { capability, .. } => {
            capability.starts_with("auto:")
        }
        Request::AutoIntent { capability, .. } | Request::Auto { capability, .. } => capability.contains(':'),
        Request::Expand { .. } | Request::Commit { .. } => false,
    };
    if reserved {
        return Class::Forbidden;
    }
    let proven = match case.shown {
        Shown::Proof(key, skew) => (-300..=300).contains(&skew).then_some(key),
        Shown::Word(key) => Some(key),
        Shown::Forged(_) | Shown::Nothing => None,
    };
    if let Request::Expand { owner } = case.request {
        return match (owner, proven) {
            (Recorded::Absent, _) => Class::Allowed,
            (_, None) => Class::Unauthorized,
            (owner, Some(key)) if owner == Recorded::Key(key) => Class::Allowed,
            (_, Some(_)) => Class::Forbidden,
        };
    }
    if case.grants.len() > 16 {
        return Class::Unauthorized;
    }
    let Some(proven) = proven else { return Class::Unauthorized };
    let asked = |verb, capability| Asked { verb, capability, now: case.now, commit: None };
    let of = |asked: Asked<'_>, principal| best(case, &asked, proven, principal);
    match &case.request {
        Request::Ask { capability } => of(asked("ASK", capability), Recorded::Absent),
        Request::Intent { capability } | Request::AutoIntent { capability, .. } => {
            of(asked("INTENT", capability), Recorded::Absent)
        }
        // Somebody committed it; when nobody knows who, nobody may undo it.
        Request::Undo { capability, principal: Recorded::Absent } => {
            of(asked("UNDO", capability), Recorded::Unreadable)
        }
        Request::Undo { capability, principal } => of(asked("UNDO", capability), *principal),
        Request::Expand { .. } => unreachable!("answered above"),
        Request::Commit { proposal, hash, holder, principal, replay } => {
            if *holder != Recorded::Key(proven) || !is_well_formed(proposal) {
                return Class::Forbidden;
            }
            if *hash != proposal_hash(proposal) {
                return Class::Conflict;
            }
            if !replay && case.now >= int(proposal.get("expires")).unwrap() {
                return Class::Expired;
            }
            let asked = asked("COMMIT", string(proposal.get("capability")).unwrap());
            of(Asked { commit: Some((proposal, !replay)), ..asked }, *principal)
        }
        Request::Auto { proposal, capability, holder, principal, .. } => {
            if *holder != Recorded::Key(proven)
                || !is_well_formed(proposal)
                || string(proposal.get("capability")) != Some(capability)
            {
                return Class::Forbidden;
            }
            let window = proposal.get("undo").and_then(|undo| int(undo.get("window")));
            let late = case.now >= int(proposal.get("expires")).unwrap();
            if window.unwrap_or(0) == 0 || late {
                return Class::Review;
            }
            let asked = asked("COMMIT", capability);
            match of(Asked { commit: Some((proposal, true)), ..asked }, *principal) {
                Class::Allowed => Class::Allowed,
                _ => Class::Review,
            }
        }
    }
}

/// The best that one grant gives by itself: nothing adds up (A6).
fn best(case: &Case, asked: &Asked<'_>, proven: Key, principal: Recorded) -> Class {
    let class = |grant| of_grant(grant, asked, proven, principal);
    case.grants.iter().map(class).min().unwrap_or(Class::Unauthorized)
}

fn of_grant(grant: &Grant, asked: &Asked<'_>, proven: Key, principal: Recorded) -> Class {
    let expressible = grant.blocks.iter().all(|block| Json::List(block.caveats.clone()).is_a2());
    let holder = grant.blocks.last().map(|block| block.subject);
    let trusted = TRUSTED.contains(&grant.issuer);
    if grant.flaw.is_some() || !expressible || !trusted || holder != Some(proven) {
        return Class::Unauthorized;
    }
    if principal != Recorded::Absent && principal != Recorded::Key(grant.issuer) {
        return Class::Forbidden;
    }
    let caveats = grant.blocks.iter().flat_map(|b| b.caveats.iter().map(move |c| (c, b.spent)));
    caveats.map(|(caveat, spent)| of_caveat(caveat, asked, spent)).max().unwrap_or(Class::Allowed)
}

/// A4, row by row: allowed when satisfied, consent_required for a soft failure, forbidden for a hard one.
fn of_caveat(caveat: &Json, asked: &Asked<'_>, spent: u64) -> Class {
    let Json::Object(members) = caveat else { return Class::Forbidden };
    let [(key, value)] = members.as_slice() else { return Class::Forbidden };
    let hard = |satisfied| if satisfied { Class::Allowed } else { Class::Forbidden };
    let soft = |satisfied| if satisfied { Class::Allowed } else { Class::ConsentRequired };
    let listed = |text: &str| strings(value).map(|list| list.contains(&text));
    let first = asked.commit.filter(|(_, first)| *first).map(|(proposal, _)| proposal);
    let cost = first.and_then(|proposal| amount(proposal.get("cost"), "amount"));
    match key.as_str() {
        "svc" => hard(listed(SERVICE) == Some(true)),
        "verbs" => hard(listed(asked.verb) == Some(true)),
        "can" => {
            let matches = |pattern: &&str| {
                let start = pattern.ends_with('*').then(|| &pattern[..pattern.len() - 1]);
                *pattern == asked.capability || start.is_some_and(|s| asked.capability.starts_with(s))
            };
            hard(strings(value).is_some_and(|list| list.iter().any(matches)))
        }
        "exp" => hard(int(Some(value)).is_some_and(|exp| asked.now < exp)),
        "nbf" => hard(int(Some(value)).is_some_and(|nbf| asked.now >= nbf)),
        "only" => match (string(Some(value)), asked.commit) {
            (None, _) => Class::Forbidden,
            (Some(_), None) => Class::Allowed,
            (Some(only), Some((proposal, _))) => hard(only == proposal_hash(proposal)),
        },
        "per" | "spend" => match (amount(Some(value), "max"), cost) {
            (None, _) => Class::Forbidden,
            (Some(_), None) => Class::Allowed,
            (Some((max, currency)), Some((cost, of))) => {
                let before = if key == "spend" { i128::from(spent) } else { 0 };
                soft(currency == of && before + i128::from(cost) <= i128::from(max))
            }
        },
        "risk" => match (string(Some(value)).and_then(level), first) {
            (None, _) => Class::Forbidden,
            (Some(_), None) => Class::Allowed,
            (Some(most), Some(proposal)) => {
                soft(string(proposal.get("risk")).and_then(level).is_some_and(|risk| risk <= most))
            }
        },
        _ => Class::Forbidden,
    }
}

/// A7, with B4's amounts and B8's capability.
pub fn is_well_formed(proposal: &Json) -> bool {
    let is_string = |name| string(proposal.get(name)).is_some();
    let is_null = |name| proposal.get(name) == Some(&Json::Null);
    let effect = |effect: &Json| string(effect.get("op")).is_some() && string(effect.get("target")).is_some();
    let window = |undo: &Json| {
        undo.without(&["window"]) == Json::Object(vec![]) && int(undo.get("window")).is_some_and(|w| w >= 0)
    };
    proposal.without(&["data"]).is_a2()
        && proposal.get("data").is_none_or(|data| data.is_a2_but_for(&|_| true))
        && is_string("id")
        && is_string("summary")
        && string(proposal.get("capability")).is_some_and(|name| !name.starts_with("auto:"))
        && matches!(proposal.get("effects"), Some(Json::List(list)) if list.iter().all(effect))
        && (is_null("cost") || amount(proposal.get("cost"), "amount").is_some())
        && string(proposal.get("risk")).and_then(level).is_some()
        && (is_null("undo") || proposal.get("undo").is_some_and(window))
        && int(proposal.get("expires")).is_some()
        && (proposal.get("hash").is_none() || is_string("hash"))
}

/// Exactly a number of at least 0 and a currency.
fn amount<'j>(value: Option<&'j Json>, name: &str) -> Option<(i64, &'j str)> {
    let value = value.filter(|value| value.without(&[name, "currency"]) == Json::Object(vec![]))?;
    Some((int(value.get(name)).filter(|number| *number >= 0)?, string(value.get("currency"))?))
}

fn level(name: &str) -> Option<usize> {
    ["low", "medium", "high"].iter().position(|level| *level == name)
}

fn string(value: Option<&Json>) -> Option<&str> {
    if let Some(Json::Text(text)) = value { Some(text) } else { None }
}

fn int(value: Option<&Json>) -> Option<i64> {
    if let Some(Json::Int(int)) = value { Some(*int) } else { None }
}

fn strings(value: &Json) -> Option<Vec<&str>> {
    let Json::List(items) = value else { return None };
    items.iter().map(|item| string(Some(item))).collect()
}
