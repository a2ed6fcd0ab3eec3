//! The input is a token's text, and, when it does not start with `pg1.`, the JSON inside one too.

use crate::{by_hand, digest, seed};
use base64ct::{Base64UrlUnpadded, Encoding as _};
use parley_grants::issue::prepare_root;
use parley_grants::{Caveat, ErrorKind, Grant, Limits, PublicKey, Verifier, read_canonical};
use serde_json::Value;

const PREFIX: &str = "pg1.";

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
    if let Ok(verified) = verified {
        assert_eq!(verified.grant(), &grant);
        let mut prev = None;
        for block in grant.blocks() {
            assert_eq!(block.prev(), prev);
            prev = Some(block.id());
            assert!(PublicKey::from_bytes(*block.subject().as_bytes()).is_ok());
        }
    }

    let caveats: Vec<Caveat> = grant.blocks().flat_map(|block| block.caveats().to_vec()).collect();
    issued(&grant, &caveats);
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
            let text = value.to_string();
            assert_eq!(Caveat::parse(text.as_bytes()).as_ref(), Ok(caveat));
            assert!(!format!("{caveat}").is_empty());
            if let Some(name) = caveat.name() {
                assert_eq!(value.as_object().map(|members| members.len()), Some(1));
                assert!(value.get(name).is_some());
            }
        }
    }
}

/// A grant with these caveats can be issued if each is well-formed, and then it verifies and says the same.
fn issued(grant: &Grant, caveats: &[Caveat]) {
    let (principal, agent) = (seed(1), seed(2));
    let time = grant.blocks().next().expect("a root").issued_at();
    let draft = prepare_root(principal.public_key(), agent.public_key(), caveats, time, grant.nonce());
    if caveats.iter().any(|caveat| caveat.name().is_none()) || caveats.len() > 64 {
        assert!(draft.is_err());
        return;
    }
    let draft = match draft {
        Ok(draft) => draft,
        Err(error) => return assert_eq!(error.kind(), ErrorKind::TooLong),
    };
    assert!(!draft.to_string().is_empty());
    let token = draft.sign(&principal).expect("the key of the draft");
    let issued = Verifier::new("s", [*principal.public_key()]).verify(&token).expect("a good grant");
    assert_eq!(issued.holder(), agent.public_key());
    assert_eq!(issued.grant().nonce(), grant.nonce());
    let root = issued.grant().blocks().next().expect("a root");
    assert_eq!((root.caveats(), root.issued_at()), (caveats, time));
}
