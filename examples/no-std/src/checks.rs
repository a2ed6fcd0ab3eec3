//! What the verifier must answer here. An error names the check that failed.

use alloc::string::String;
use parley_grants::{Answer, Decision, Possession, Presentable, Presented, PublicKey, Request, Verifier};

const SERVICE: &str = "shop.example";
const CAPABILITY: &str = "shop.order";
/// The time of the proof, in unix seconds.
const NOW: i64 = 1_790_000_000;
/// The public key of the seed of 32 bytes 0x01.
const PRINCIPAL: &str = "ed25519:iojj3XQJ8ZX9UtstPLpdcspnCb8dlBIb83SIAbQPb1w";
/// Principal to agent (32 bytes 0x02): `svc ["shop.example"]`, `can ["shop.*"]`, `exp 1790003600`.
const TOKEN: &str = include_str!("token.txt");
/// The agent's, for ASK of the capability.
const PROOF: &str = include_str!("proof.txt");

/// Runs every check.
pub fn all() -> Result<(), &'static str> {
    verifier()?;
    #[cfg(feature = "issue")]
    issue()?;
    #[cfg(feature = "routes")]
    routes()?;
    #[cfg(feature = "serde_json")]
    canonical_value()?;
    Ok(())
}

fn ensure(holds: bool, check: &'static str) -> Result<(), &'static str> {
    if holds { Ok(()) } else { Err(check) }
}

fn verifier() -> Result<(), &'static str> {
    let principal: PublicKey = PRINCIPAL.parse().map_err(|_| "the principal's key")?;
    let verifier = Verifier::new(SERVICE, [principal]);
    let ask = |capability: &str, token: &str, proof: &str, now: i64| {
        let presented = Presented {
            grants: &[Presentable::Token(token)],
            proof: Possession::Proof(proof.as_bytes()),
            now,
        };
        verifier.authorize(&Request::Ask { capability }, &presented)
    };
    let Decision::Allowed(allowed) = ask(CAPABILITY, TOKEN, PROOF, NOW) else {
        return Err("a good request was refused");
    };
    ensure(allowed.issuer() == Some(&principal), "the issuer of what was allowed")?;
    ensure(refused(&ask(CAPABILITY, &spoilt(TOKEN), PROOF, NOW)), "a spoilt token was not refused")?;
    ensure(refused(&ask(CAPABILITY, TOKEN, &spoilt(PROOF), NOW)), "a spoilt proof was not refused")?;
    ensure(refused(&ask("shop.other", TOKEN, PROOF, NOW)), "a proof for something else was not refused")?;
    ensure(refused(&ask(CAPABILITY, TOKEN, PROOF, NOW + 301)), "an old proof was not refused")
}

fn refused(decision: &Decision) -> bool {
    match decision {
        Decision::Allowed(_) => false,
        Decision::Refused(refusal) => *refusal.answer() == Answer::Unauthorized,
    }
}

/// The text with one character of its middle changed to another one of base64url.
fn spoilt(text: &str) -> String {
    let middle = text.len() / 2;
    let change = |(at, character)| match (at == middle, character) {
        (true, 'x') => 'y',
        (true, _) => 'x',
        (false, character) => character,
    };
    text.char_indices().map(change).collect()
}

/// Ed25519 signatures are deterministic, so signing once more gives the same texts.
#[cfg(feature = "issue")]
fn issue() -> Result<(), &'static str> {
    use parley_grants::issue::{Seed, prepare_proof, prepare_root};
    use parley_grants::{Caveat, Error, Verb};

    let sign = || -> Result<(String, String), Error> {
        let (principal, agent) = (Seed::from_bytes(&[1; 32])?, Seed::from_bytes(&[2; 32])?);
        let caveats = [
            Caveat::Service([SERVICE.into()].into()),
            Caveat::Capabilities(["shop.*".into()].into()),
            Caveat::Expires(NOW + 3600),
        ];
        let root = prepare_root(principal.public_key(), agent.public_key(), &caveats, NOW - 100, "n1")?;
        let proof = prepare_proof(agent.public_key(), SERVICE, Verb::Ask, CAPABILITY, NOW)?;
        Ok((root.sign(&principal)?, proof.sign(&agent)?))
    };
    let (token, proof) = sign().map_err(|_| "signing")?;
    ensure(token == TOKEN, "the token that was signed")?;
    ensure(proof == PROOF, "the proof that was signed")
}

/// A question, its answer, and the answer once more.
#[cfg(feature = "routes")]
fn routes() -> Result<(), &'static str> {
    use parley_grants::routes::{
        Attempt, Controls, Delivered, Delivery, Kind, MemoryStore, PlatformPause, Posture, PresentedRoute,
        Redeemed, RoomPolicy, Scope, deliver, redeem,
    };

    let mut store = MemoryStore::with_capacity(1);
    let controls = Controls { platform: PlatformPause::recorded(false), room: RoomPolicy::recorded(true, 1) };
    let (ada, bob) = (Scope::agent("ada"), Scope::session("bob", "s"));
    let question = Delivery {
        message: "m",
        room: "r",
        kind: Kind::Direct,
        hop: 15,
        lineage: "l",
        author: &ada,
        recipient: &bob,
        cross_principal: true,
        admitted: true,
        moderated: true,
        alive: true,
        duplicate: false,
        retention_end: NOW + 60,
    };
    let delivered = deliver(&mut store, &question, &controls, Posture::Reactive, &[7; 32], NOW);
    let Ok(Delivered::Turn(handed)) = delivered else { return Err("a turn") };
    ensure(handed.remaining() == 1, "the last reply")?;
    let reply = handed.reply("k", b"Yes").ok_or("a route")?;
    let mut answer = |scope: &Scope, receipt: &str| {
        let attempt = Attempt {
            route: &PresentedRoute::read(reply.route_text().expose()),
            room: "r",
            scope,
            authority: true,
            key: reply.key(),
            body: reply.body(),
        };
        redeem(&mut store, &attempt, &controls, receipt, NOW).map(|redemption| redemption.into_answer())
    };
    ensure(matches!(answer(&ada, "x"), Ok(Err(_))), "another scope")?;
    ensure(
        matches!(answer(&bob, "x"), Ok(Ok(Redeemed::First(first))) if first.terms.hop == 16),
        "the answer",
    )?;
    ensure(answer(&bob, "y") == Ok(Ok(Redeemed::Replay("x".into()))), "the answer once more")
}

#[cfg(feature = "serde_json")]
fn canonical_value() -> Result<(), &'static str> {
    let value: serde_json::Value =
        serde_json::from_str("{\"b\": [1, -7], \"a\": null}").map_err(|_| "serde_json")?;
    let canonical = parley_grants::canonicalize_value(&value);
    ensure(canonical.as_deref() == Ok("{\"a\":null,\"b\":[1,-7]}"), "the canonical form of a value")
}
