//! The input is a token's text, and, when it does not start with `pg1.`, the JSON inside one too.

use crate::hand::{self, Json, text};
use crate::{by_hand, consent, digest, seed};
use base64ct::{Base64UrlUnpadded, Encoding as _};
use ed25519_dalek::Signature;
use parley_grants::issue::{GrantDraft, prepare_root};
use parley_grants::{Caveat, Error, ErrorKind, Grant, Limits, PublicKey, Verifier, read_canonical};
use serde_json::Value;

const PREFIX: &str = "pg1.";
/// That of a token of 64 KiB.
const MAX_JSON: usize = (64 * 1024 - PREFIX.len()) / 4 * 3;

pub fn run(data: &[u8]) {
    if let Ok(token) = core::str::from_utf8(data) {
        check(token);
    }
    if !data.starts_with(PREFIX.as_bytes()) {
        check(&format!("{PREFIX}{}", Base64UrlUnpadded::encode_string(data)));
    }
}

fn anyone(_: &PublicKey) -> bool {
    true
}

fn check(token: &str) {
    let limits = Limits::default();
    let decoded = Grant::decode(token, &limits);
    assert_eq!(decoded, Grant::decode(token, &limits));
    let grant = match decoded {
        Ok(grant) => grant,
        Err(error) => {
            assert!(error.offset().is_none_or(|at| at <= token.len()));
            assert!(!error.to_string().is_empty());
            assert_eq!(Verifier::new("s", anyone).verify(token).err(), Some(error));
            return;
        }
    };

    // The text is the one spelling of what is in it.
    let json =
        Base64UrlUnpadded::decode_vec(token.strip_prefix(PREFIX).expect("the prefix")).expect("base64url");
    assert_eq!(format!("{PREFIX}{}", Base64UrlUnpadded::encode_string(&json)), token);
    let json = read_canonical(&json).expect("canonical JSON");
    says_what_it_says(&grant, json);

    // Limits are exact.
    assert!(Grant::decode(token, &limits.with_token_bytes(token.len())).is_ok());
    let short = Grant::decode(token, &limits.with_token_bytes(token.len() - 1));
    assert_eq!(short.err().map(|error| error.kind()), Some(ErrorKind::TooLong));
    let few = Grant::decode(token, &limits.with_blocks(grant.blocks().len() - 1));
    assert_eq!(few.err().map(|error| error.kind()), Some(ErrorKind::TooManyBlocks));

    assert!(!format!("{grant}{grant:?}").is_empty());

    // Verifying is deterministic, whoever asks; and trust comes first.
    let verified = grant.clone().verify(&anyone);
    assert_eq!(verified, grant.clone().verify(&anyone));
    assert_eq!(verified, Verifier::new("s", anyone).verify(token));
    let distrusted = grant.clone().verify(&|_: &PublicKey| false);
    assert_eq!(distrusted.err().map(|error| error.kind()), Some(ErrorKind::Untrusted));
    let whole = by_hand(&serde_json::from_str(json).expect("JSON"));
    let Json::List(blocks) = &whole else { panic!("an array") };
    assert_eq!(verified.is_ok(), is_signed(blocks), "{verified:?}");
    if let Ok(verified) = verified {
        assert_eq!(verified.grant(), &grant);
        delegation::prepared(&verified, json);
    }

    let caveats: Vec<Caveat> = grant.blocks().flat_map(|block| block.caveats().to_vec()).collect();
    issued(&grant, blocks, &caveats);
}

fn string<'j>(object: &'j Json, name: &str) -> &'j str {
    let Some(Json::Text(text)) = object.get(name) else { panic!("{name} is no text: {object:?}") };
    text
}

/// Is each block signed by whoever held the grant before it, and is its `prev` the id of the block before (A3.3 to A3.8)? Keys
/// and signatures are read by another crate than the one under test, as strictly as B2 has it.
fn is_signed(blocks: &[Json]) -> bool {
    let payload = |block: &Json| block.get("p").expect("a payload").clone();
    let mut signer = consent::key(string(&payload(&blocks[0]), "iss"));
    let mut before = None;
    for block in blocks {
        let (payload, text) = (payload(block), string(block, "s"));
        let bytes = Base64UrlUnpadded::decode_vec(text).ok();
        let signature = bytes.and_then(|bytes| Signature::from_slice(&bytes).ok());
        let (Some(key), Some(signature)) = (signer, signature) else { return false };
        let is_linked = before.is_none_or(|before| string(&payload, "prev") == before);
        if !is_linked || key.verify_strict(payload.canonical().as_bytes(), &signature).is_err() {
            return false;
        }
        signer = consent::key(string(&payload, "sub"));
        before = Some(digest(text));
    }
    // The last one has signed nothing yet, and is a key all the same.
    signer.is_some()
}

/// The same as serde_json reads.
fn says_what_it_says(grant: &Grant, json: &str) {
    let whole = serde_json::from_str(json).expect("JSON");
    assert_eq!(by_hand(&whole).canonical(), json);
    let blocks = whole.as_array().expect("an array");
    assert_eq!(grant.blocks().len(), blocks.len());
    assert_eq!(blocks[0]["p"]["iss"], grant.issuer().to_string());
    assert_eq!(blocks[0]["p"]["nonce"], grant.nonce());
    assert_eq!(blocks[blocks.len() - 1]["p"]["sub"], grant.holder().to_string());
    for (index, (block, value)) in grant.blocks().zip(blocks).enumerate() {
        let payload = &value["p"];
        assert_eq!(block.id().to_string(), digest(value["s"].as_str().expect("a text")));
        assert_eq!(payload["sub"], block.subject().to_string());
        assert_eq!(payload["iat"], block.issued_at());
        assert_eq!(
            payload.get("prev").and_then(Value::as_str),
            block.prev().map(ToString::to_string).as_deref()
        );
        assert_eq!(value.as_object().map(|members| members.len()), Some(2));
        assert_eq!(payload.as_object().map(|members| members.len()), Some(if index == 0 { 5 } else { 4 }));
        let caveats = payload["caveats"].as_array().expect("an array");
        assert_eq!(block.caveats().len(), caveats.len());
        for (caveat, value) in block.caveats().iter().zip(caveats) {
            assert_eq!(Caveat::parse(value.to_string().as_bytes()).as_ref(), Ok(caveat));
            assert!(!format!("{caveat}").is_empty());
            assert_eq!(caveat.name().is_some(), is_well_formed(&by_hand(value)), "{value}");
            assert!(caveat.name().is_none_or(|name| value.get(name).is_some()));
        }
    }
}

/// One of the nine kinds, with a value as A4, B3.3 and B4.1 have it. Numbers are integers here, as the text is canonical.
pub fn is_well_formed(caveat: &Json) -> bool {
    let Json::Object(members) = caveat else { return false };
    let [(name, value)] = members.as_slice() else { return false };
    let is_text = |value: &Json| matches!(value, Json::Text(_));
    match name.as_str() {
        "svc" | "verbs" | "can" => matches!(value, Json::List(items) if items.iter().all(is_text)),
        "exp" | "nbf" => matches!(value, Json::Int(_)),
        "only" => is_text(value),
        "per" | "spend" => {
            matches!(value, Json::Object(members) if members.len() == 2)
                && matches!(value.get("max"), Some(Json::Int(0..)))
                && value.get("currency").is_some_and(is_text)
        }
        "risk" => ["low", "medium", "high"].iter().any(|level| *value == text(level)),
        _ => false,
    }
}

pub fn listed(caveats: Option<&Json>) -> &[Json] {
    let Some(Json::List(caveats)) = caveats else { panic!("{caveats:?}") };
    caveats
}

/// A grant with all these caveats in one block can be issued if and only if each is well-formed, and then it is the one
/// that is made by hand, to the byte. Made by hand it verifies in any case.
fn issued(grant: &Grant, blocks: &[Json], caveats: &[Caveat]) {
    let (principal, agent) = (seed(1), seed(2));
    let payloads = blocks.iter().map(|block| block.get("p").expect("a payload"));
    let written: Vec<Json> = payloads.flat_map(|payload| listed(payload.get("caveats")).to_vec()).collect();
    let iat = grant.blocks().next().expect("a root").issued_at();
    let draft = |nonce: &str| prepare_root(principal.public_key(), agent.public_key(), caveats, iat, nonce);
    let kind = |draft: Result<GrantDraft, Error>| draft.err().map(|error| error.kind());
    if caveats.len() > 64 {
        return assert_eq!(kind(draft(grant.nonce())), Some(ErrorKind::TooManyCaveats));
    }
    let right = written.iter().all(is_well_formed);
    let block = hand::Block { subject: 1, caveats: written, iat, spent: 0 };
    let mut plan = hand::Grant { issuer: 0, nonce: grant.nonce().into(), blocks: vec![block], flaw: None };
    let made = hand::make(&plan);
    let token = hand::token(&made);
    let verified = Verifier::new("s", [*principal.public_key()]).verify(&token).expect("a good grant");
    assert_eq!((verified.holder(), verified.grant().nonce()), (agent.public_key(), grant.nonce()));
    let root = verified.grant().blocks().next().expect("a root");
    assert_eq!((root.caveats(), root.issued_at()), (caveats, iat));
    delegation::prepared(&verified, &hand::assemble(&made));

    if !right {
        return assert_eq!(kind(draft(grant.nonce())), Some(ErrorKind::BadCaveat));
    }
    // It is no longer than the text that its caveats are from.
    let draft_now = draft(grant.nonce()).expect("as many caveats as may be");
    assert_eq!(draft_now.bytes_to_sign(), made[0].payload.as_bytes());
    assert!(!draft_now.to_string().is_empty());
    assert_eq!(draft_now.sign(&principal).as_ref(), Ok(&token));
    delegation::signed(&verified, &plan);

    // Up to the bound, and not a byte more; now and then, as it takes long.
    if made[0].payload.len() % 16 == 1 {
        let room = MAX_JSON - hand::assemble(&made).len();
        plan.nonce.push_str(&"n".repeat(room));
        let longest = draft(&plan.nonce).expect("just short enough").sign(&principal);
        assert_eq!(longest, Ok(hand::token(&hand::make(&plan))));
        plan.nonce.push('n');
        assert_eq!(kind(draft(&plan.nonce)), Some(ErrorKind::TooLong));
    }
}

/// Handing a grant on (A3.13, A3.19, A3.20).
mod delegation {
    use super::{MAX_JSON, is_well_formed, listed, string};
    use crate::hand::{self, Flaw, Json, b64, object, public};
    use crate::{by_hand, digest, seed};
    use parley_grants::issue::prepare_delegation;
    use parley_grants::{ErrorKind, Grant, Limits, PublicKey, VerifiedGrant, Verifier};

    /// Whoever made it, it can be handed on unless one of its caveats denies everything, or there is no room. What its holder has to sign
    /// follows from its text, and nothing else will do for a signature.
    pub fn prepared(grant: &VerifiedGrant, json: &str) {
        let whole = by_hand(&serde_json::from_str(json).expect("JSON"));
        let blocks = listed(Some(&whole));
        let draft = prepare_delegation(grant, seed(3).public_key(), &[], -1);
        let last = blocks.last().expect("a block");
        let payload = object([
            ("caveats", Json::List(vec![])),
            ("iat", Json::Int(-1)),
            ("prev", Json::Text(digest(string(last, "s")))),
            ("sub", Json::Text(public(2))),
        ]);
        let payload = payload.canonical();
        let is_wrong = |block: &Json| {
            let caveats = block.get("p").and_then(|payload| payload.get("caveats"));
            !listed(caveats).iter().all(is_well_formed)
        };
        // With a comma, and a signature of 86 characters.
        let length = json.len() + payload.len() + r#",{"p":,"s":""}"#.len() + 86;
        let wrong = match blocks.iter().position(is_wrong) {
            _ if blocks.len() >= 16 => Some((ErrorKind::TooManyBlocks, Some(blocks.len()))),
            Some(block) => Some((ErrorKind::BadCaveat, Some(block))),
            None => (length > MAX_JSON).then_some((ErrorKind::TooLong, None)),
        };
        let draft = match draft {
            Ok(draft) => draft,
            Err(error) => return assert_eq!(Some((error.kind(), error.block())), wrong),
        };
        assert_eq!(wrong, None);
        assert_eq!(draft.bytes_to_sign(), payload.as_bytes());
        assert_eq!(draft.signer(), grant.holder());
        assert!(draft.to_string().contains(&grant.to_string()));
        let other = [6, 7].into_iter().find(|key| public(*key) != grant.holder().to_string());
        let signature = hand::sign(other.expect("one of two"), &payload);
        assert_eq!(draft.finish(&signature).err().map(|error| error.kind()), Some(ErrorKind::BadSignature));
    }

    /// What the holder signs is the block that is made by hand, to the byte, and the new subject can use it and hand it on.
    pub fn signed(grant: &VerifiedGrant, plan: &hand::Grant) {
        let mut plan = plan.clone();
        let caveats = plan.blocks[0].caveats.iter().rev().take(8).cloned().collect();
        plan.blocks.push(hand::Block { subject: 2, caveats, iat: plan.blocks[0].iat, spent: 0 });
        let made = hand::make(&plan);
        let token = hand::token(&made);
        let root = grant.grant().blocks().next().expect("a root");
        let caveats: Vec<_> = root.caveats().iter().rev().take(8).cloned().collect();
        let draft = || prepare_delegation(grant, seed(3).public_key(), &caveats, root.issued_at());
        if hand::assemble(&made).len() > MAX_JSON {
            return assert_eq!(draft().err().map(|error| error.kind()), Some(ErrorKind::TooLong));
        }
        let draft = || draft().expect("room for it");
        // Neither the principal nor the new subject.
        for other in [1, 3] {
            let refused = draft().sign(&seed(other)).map_err(|error| error.kind());
            assert_eq!(refused, Err(ErrorKind::WrongSigner));
        }
        assert_eq!(draft().sign(&seed(2)).as_ref(), Ok(&token));
        assert_eq!(draft().finish(&hand::sign(1, &made[1].payload)).as_ref(), Ok(&token));
        let handed_on = Verifier::new("s", [*grant.issuer()]).verify(&token).expect("a good grant");
        assert_eq!((handed_on.holder(), handed_on.id()), (seed(3).public_key(), grant.id()));
        let last = handed_on.grant().blocks().nth(1).expect("a delegation");
        assert_eq!(*last.id().as_bytes(), made[1].id());
        assert_eq!((last.caveats(), last.prev()), (&*caveats, Some(grant.id())));
        prepared(&handed_on, &hand::assemble(&made));
        flawed(plan, made[1].payload.len());
    }

    /// Its delegation has one thing wrong that no change of its text could make, as it is signed so.
    fn flawed(mut plan: hand::Grant, dice: usize) {
        // 2 is the y of no point.
        let bytes: [u8; 32] = std::array::from_fn(|at| if at == 0 { 2 } else { 0 });
        let nobody = Json::Text(format!("ed25519:{}", b64(&bytes)));
        let flaw = [Some(Flaw::Prev), Some(Flaw::Signer(0)), Some(Flaw::Signer(2)), None][dice % 4];
        plan.flaw = flaw.map(|flaw| (flaw, 1));
        let respell = |index, payload: &Json| match (index, flaw) {
            (1, None) => payload.with("sub", nobody.clone()).canonical(),
            _ => payload.canonical(),
        };
        let token = hand::token(&hand::blocks(&plan, respell, |_, signature| signature));
        let grant = Grant::decode(&token, &Limits::default()).expect("well-formed");
        let refused = grant.verify(&|_: &PublicKey| true).map_err(|error| (error.kind(), error.block()));
        let kind = match flaw {
            Some(Flaw::Prev) => ErrorKind::NotChained,
            Some(_) => ErrorKind::BadSignature,
            None => ErrorKind::Key,
        };
        assert_eq!(refused, Err((kind, Some(1))));
    }
}
