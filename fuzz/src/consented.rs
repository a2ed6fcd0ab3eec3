//! A service asks for consent, the human's side compares and signs, and the consent then allows one COMMIT (A9). See
//! `consent.rs`.

use crate::chain::{self, AGENT};
use crate::choose::{Choices, T};
use crate::consent::{self, MEMBERS};
use crate::forge;
use crate::hand::{self, Json, Key, object, public, text};
use crate::model::{self, SERVICE};
use crate::put::key;
use crate::shown::Line;
use crate::spell::{Dice, anyhow};
use crate::{seed, shown, used};
use arbitrary::Unstructured;
use parley_grants::issue::{GrantDraft, prepare_consent, prepare_matched_consent};
use parley_grants::{ConsentRequest, ErrorKind, Grant, Limits, MatchedConsent, Proposal};

/// The human. Its seed is [`seed`] of one more.
pub const PRINCIPAL: Key = 0;
pub const OTHER: Key = 4;

/// What the service's texts are, beside those that mean something: they end a line, are not seen, or turn what follows.
const ODD: [&str; 12] = [
    "\n  risk: low",
    "\r\u{1b}[2J",
    "\u{202e}wol",
    "\u{2066}\u{2069}",
    "\u{200b}\u{200e}\u{61c}",
    "\u{2028}\u{2029}\u{85}",
    "\u{ad}\u{feff}\u{34f}",
    "\u{3164}\u{2800}\u{115f}",
    "e\u{301}\u{fe0f}",
    "\u{e0041}\u{e000}",
    "\" \\",
    "'\0\u{7f}",
];

/// Everything about one consent.
pub struct Asked {
    pub proposal: Json,
    pub hash: String,
    pub expires: i64,
    pub service: String,
    pub request: Json,
    pub kept: Proposal,
}

pub fn run(data: &[u8]) {
    let mut input = Unstructured::new(data);
    let mut choices = Choices(&mut input);
    let service = if choices.seldom(4) { choices.text() } else { SERVICE.into() };
    let proposal = proposal(&mut choices);
    let read = Proposal::parse(proposal.plain().as_bytes());
    assert_eq!(read.is_ok(), model::is_well_formed(&proposal));
    let Ok(kept) = read else { return };
    let Some(&Json::Int(expires)) = proposal.get("expires") else { panic!("{proposal:?}") };
    let request = asking(&proposal, &service);
    let hash = hand::proposal_hash(&proposal);
    let asked = Asked { proposal, hash, expires, service, request, kept };

    compared(&mut choices, &asked);
    if choices.flag() {
        read_anyhow(&mut choices, &asked);
    }
    let token = signed(&mut choices, &asked);
    told_apart(&mut choices, &asked);
    used::run(&mut choices, &asked, &token);
}

fn words(choices: &mut Choices<'_, '_>) -> Json {
    if choices.flag() { text(choices.pick(&ODD)) } else { Json::Text(choices.text()) }
}

fn proposal(choices: &mut Choices<'_, '_>) -> Json {
    let mut proposal = chain::proposal(choices);
    for name in ["id", "summary", "capability"] {
        if choices.seldom(3) {
            proposal = proposal.with(name, words(choices));
        }
    }
    let effect = |choices: &mut Choices<'_, '_>| {
        let effect = object([("op", words(choices)), ("target", words(choices))]);
        let Json::Text(name) = words(choices) else { panic!("a text") };
        if choices.flag() { effect.with(&name, words(choices)) } else { effect }
    };
    if choices.flag() {
        proposal = proposal.with("effects", Json::List(choices.list(3, effect)));
    }
    proposal
}

/// The request as a service must send it (A9.1).
fn asking(proposal: &Json, service: &str) -> Json {
    let of = |name| proposal.get(name).expect("well-formed").clone();
    object([
        ("proposal", of("id")),
        ("hash", Json::Text(hand::proposal_hash(proposal))),
        ("service", text(service)),
        ("capability", of("capability")),
        ("principal", Json::Text(public(PRINCIPAL))),
        ("summary", of("summary")),
        ("expires", of("expires")),
    ])
}

/// The five caveats of a consent, in their order (A9.4).
pub fn caveats(asked: &Asked) -> Vec<Json> {
    caveats_at(asked, &asked.service)
}

fn caveats_at(asked: &Asked, service: &str) -> Vec<Json> {
    let list = |item: Json| Json::List(vec![item]);
    let capability = asked.proposal.get("capability").expect("well-formed").clone();
    vec![
        object([("svc", list(text(service)))]),
        object([("verbs", list(text("COMMIT")))]),
        object([("can", list(capability))]),
        object([("only", text(&asked.hash))]),
        object([("exp", Json::Int(asked.expires))]),
    ]
}

/// A request with any member of another value is not about this proposal, and the first such member is named (A9.5).
fn compared(choices: &mut Choices<'_, '_>, asked: &Asked) {
    let mut request = asked.request.clone();
    for name in MEMBERS {
        if choices.seldom(4) {
            let value = match name {
                "expires" => Json::Int(choices.int()),
                "principal" => Json::Text(public(choices.roll(8))),
                _ => words(choices),
            };
            request = request.with(name, value);
        }
    }
    let differs = MEMBERS.into_iter().find(|name| request.get(name) != asked.request.get(name));
    let spelled = anyhow(&request, &mut Dice(u64::from(choices.byte())));
    let read = ConsentRequest::parse(spelled.as_bytes()).expect("a request");
    assert_eq!(read.to_json(), request.canonical());
    match (read.matched(&asked.kept, &asked.service, &key(PRINCIPAL)), differs) {
        (Err(error), Some(name)) => assert_eq!(error.kind(), ErrorKind::Field(name)),
        (Ok(_), None) => {}
        (answer, differs) => panic!("{answer:?}, though {differs:?} differs"),
    }
}

/// A request with a member of any kind, without one, or with one more; the law of the other kind of input judges it.
fn read_anyhow(choices: &mut Choices<'_, '_>, asked: &Asked) {
    let name = choices.pick(&MEMBERS);
    let request = match choices.roll(4) {
        0 => asked.request.with(name, choices.json(1)),
        1 => asked.request.without(&[name]),
        2 => asked.request.with(&choices.text(), choices.json(1)),
        _ => {
            let key = choices.pick(&forge::small_order());
            asked.request.with("principal", Json::Text(format!("ed25519:{}", hand::b64(&key))))
        }
    };
    consent::parsed(anyhow(&request, &mut Dice(u64::from(choices.byte()))).as_bytes());
}

/// What the human signs is the consent that A9.4 describes, and what is shown before tells all of it.
fn signed(choices: &mut Choices<'_, '_>, asked: &Asked) -> String {
    let request = ConsentRequest::parse(asked.request.plain().as_bytes()).expect("a request");
    let principal = key(PRINCIPAL);
    let matched = request.matched(&asked.kept, &asked.service, &principal).expect("about this proposal");
    assert_eq!((matched.proposal(), matched.service()), (&asked.kept, &*asked.service));
    assert_eq!(*matched.principal(), principal);

    let (iat, nonce) = (choices.int(), choices.text());
    let plan = plan(PRINCIPAL, iat, &nonce, caveats(asked));
    let made = hand::make(&plan);
    // No text here comes near the bound of a token.
    let prepared = prepare_matched_consent(&matched, &key(AGENT), iat, &nonce).expect("short enough");
    assert_eq!(prepared.bytes_to_sign(), made[0].payload.as_bytes());
    assert_eq!(*prepared.signer(), principal);
    let plainly = prepare_consent(&principal, &key(AGENT), &asked.kept, &asked.service, iat, &nonce);
    let plainly = plainly.expect("as good as the other");
    assert_eq!(plainly.bytes_to_sign(), prepared.bytes_to_sign());
    assert_eq!(plainly.to_string(), prepared.to_string());
    is_shown(asked, &matched, &prepared);

    // By nobody else.
    match choices.roll(4) {
        0 => {
            let refused = plainly.sign(&seed(2)).map_err(|error| error.kind());
            assert_eq!(refused, Err(ErrorKind::WrongSigner));
        }
        1 => assert!(plainly.finish(&hand::sign(1, &made[0].payload)).is_err()),
        _ => {}
    }
    let token = prepared.sign(&seed(1)).expect("the key of the draft");
    assert_eq!(token, hand::token(&made));
    token
}

/// What is shown is all that the proposal says, who asks whom and what the grant will allow, and nothing else; and the
/// service's texts end no line, hide nothing and turn nothing around (A9.6).
fn is_shown(asked: &Asked, matched: &MatchedConsent<'_>, draft: &GrantDraft) {
    let (human, agent) = (public(PRINCIPAL), public(AGENT));
    let words = |words: &str| Line::Words(words.into());
    let terms = shown::lines(&asked.proposal, &asked.hash, asked.expires);
    let Some(Json::Text(capability)) = asked.proposal.get("capability") else { panic!("well-formed") };
    let head =
        vec![words(&format!("for {human}")), Line::text("asked by the service ", asked.service.clone())];
    let before = vec![words(&format!("{human} lets {agent} do exactly this:"))];
    let after = vec![
        words("by a grant"),
        words("  only at these services:"),
        Line::text("    ", asked.service.clone()),
        words("  only these verbs:"),
        Line::text("    ", "COMMIT".into()),
        words("  only these capabilities:"),
        Line::text("    ", capability.clone()),
        Line::text("  COMMIT only of the proposal ", asked.hash.clone()),
        Line::Time("  until ", asked.expires),
    ];
    for (text, expected) in [
        (matched.to_string(), [head, terms.clone()].concat()),
        (draft.to_string(), [before, terms, after].concat()),
    ] {
        let lines: Vec<&str> = text.split('\n').collect();
        assert_eq!(lines.len(), expected.len(), "{text}");
        for (line, expected) in lines.into_iter().zip(expected) {
            assert!(expected.is(line), "{line}, where {expected:?} is to be");
        }
        for bad in text.chars().filter(|character| *character != '\n') {
            assert!(shown::is_plain(bad), "{bad:?} in {text:?}");
        }
    }
}

pub fn plan(issuer: Key, iat: i64, nonce: &str, caveats: Vec<Json>) -> hand::Grant {
    let block = hand::Block { subject: AGENT, caveats, iat, spent: 0 };
    hand::Grant { issuer, nonce: nonce.into(), blocks: vec![block], flaw: None }
}

/// A grant is a consent for these terms at this service when it has one block with just the five caveats.
fn told_apart(choices: &mut Choices<'_, '_>, asked: &Asked) {
    let mut caveats = caveats(asked);
    let at = choices.roll(5);
    let mut is_longer = false;
    match choices.roll(8) {
        0 => {}
        1 => drop(caveats.remove(at)),
        2 => caveats.insert(at, caveats[choices.roll(5)].clone()),
        3 => caveats.swap(at, choices.roll(5)),
        4 => is_longer = true,
        5 => caveats[at] = chain::caveat(choices),
        6 => {
            // One text more in the list, or another value.
            caveats[at] = match at {
                0 => object([("svc", Json::List(vec![text(&asked.service), text(SERVICE)]))]),
                1 => object([("verbs", Json::List(vec![text("COMMIT"), text("UNDO")]))]),
                2 => object([("can", Json::List(vec![text("*")]))]),
                3 => object([("only", text(&choices.text()))]),
                _ => object([("exp", Json::Int(choices.int()))]),
            }
        }
        _ => caveats.insert(choices.roll(6), chain::caveat(choices)),
    }
    if !caveats.iter().all(Json::is_a2) {
        return;
    }
    let sorted = |caveats: &[Json]| caveats.iter().map(Json::sorted).collect::<Vec<_>>();
    let is_for = |service: &str| !is_longer && sorted(&caveats) == sorted(&caveats_at(asked, service));
    let (is_same, elsewhere) = (is_for(&asked.service), choices.text());
    let is_elsewhere = is_for(&elsewhere);
    let mut plan = plan(PRINCIPAL, T, "", caveats);
    if is_longer {
        plan.blocks.push(hand::Block { subject: OTHER, caveats: vec![], iat: T, spent: 0 });
    }
    let made = hand::make(&plan);
    let grant = Grant::decode(&hand::token(&made), &Limits::default()).expect("a grant");
    let terms = asked.kept.terms();
    assert_eq!(grant.is_consent_for(terms, &asked.service), is_same, "{grant}");

    // For no other service, and for no other proposal.
    assert_eq!(grant.is_consent_for(terms, &elsewhere), is_elsewhere);
    let another = asked.proposal.with("more", text(&elsewhere));
    if let Ok(another) = Proposal::parse(another.plain().as_bytes()) {
        let is_that = is_same && another == asked.kept;
        assert_eq!(grant.is_consent_for(another.terms(), &asked.service), is_that);
    }
}
