//! What is signed here says what was asked, byte for byte, and nothing else can be passed off as it (A3, A5, A9).

use crate::caveats::caveat;
use crate::config;
use crate::generate::{T, a2_int};
use crate::hand::{self, Json, Key, MAX_INT, b64, signer, text};
use crate::model::SERVICE;
use crate::put::key;
use crate::requests::proposal;
use parley_grants::issue::{self, Seed};
use parley_grants::{Caveat, ErrorKind, Grant, Limits, Proposal, ProvenKey, PublicKey, Verb, VerifiedGrant};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

fn seed(key: Key) -> Seed {
    Seed::from_text(&b64(signer(key).as_bytes())).expect("a seed")
}

fn parsed(caveats: &[Json]) -> Vec<Caveat> {
    caveats.iter().map(|caveat| Caveat::parse(caveat.canonical().as_bytes()).expect("a caveat")).collect()
}

fn verified(token: &str) -> VerifiedGrant {
    Grant::decode(token, &Limits::default()).unwrap().verify(&|_: &PublicKey| true).unwrap()
}

fn plans() -> impl Strategy<Value = hand::Grant> {
    let block = (0..8_usize, vec(caveat([3, 2, 2, 0]), 0..5), a2_int())
        .prop_map(|(subject, caveats, iat)| hand::Block { subject, caveats, iat, spent: 0 });
    (0..8_usize, any::<String>(), vec(block, 1..=4)).prop_map(|(issuer, nonce, blocks)| hand::Grant {
        issuer,
        nonce,
        blocks,
        flaw: None,
    })
}

/// The grant's blocks, issued one after the other; drafts are finished by `finish`.
fn issued(plan: &hand::Grant, finish: impl Fn(issue::GrantDraft, Key) -> String) -> String {
    let mut holder = plan.issuer;
    let mut token: Option<String> = None;
    for block in &plan.blocks {
        let (subject, caveats) = (key(block.subject), parsed(&block.caveats));
        let draft = match &token {
            None => issue::prepare_root(&key(plan.issuer), &subject, &caveats, block.iat, &plan.nonce),
            Some(token) => issue::prepare_delegation(&verified(token), &subject, &caveats, block.iat),
        };
        let draft = draft.unwrap();
        assert_eq!(draft.signer(), &key(holder));
        token = Some(finish(draft, holder));
        holder = block.subject;
    }
    token.unwrap()
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_grant_says_what_was_asked(plan in plans()) {
        let token = issued(&plan, |draft, holder| draft.sign(&seed(holder)).unwrap());
        prop_assert_eq!(&token, &hand::token(&hand::make(&plan)));
        let elsewhere = issued(&plan, |draft, holder| {
            let text = String::from_utf8(draft.bytes_to_sign().to_vec()).unwrap();
            draft.finish(&hand::sign(holder, &text)).unwrap()
        });
        prop_assert_eq!(&elsewhere, &token);

        let verified = verified(&token);
        let grant = verified.grant();
        prop_assert_eq!((grant.issuer(), grant.nonce()), (&key(plan.issuer), plan.nonce.as_str()));
        prop_assert_eq!(grant.blocks().len(), plan.blocks.len());
        for (read, block) in grant.blocks().zip(&plan.blocks) {
            prop_assert_eq!((read.subject(), read.issued_at()), (&key(block.subject), block.iat));
            prop_assert_eq!(read.caveats(), parsed(&block.caveats));
        }
    }

    #[test]
    fn a_consent_has_exactly_its_five_caveats(proposal in proposal(), service in any::<String>(), iat in a2_int(), nonce in any::<String>()) {
        let kept = Proposal::parse(proposal.plain().as_bytes()).unwrap();
        let draft = issue::prepare_consent(&key(0), &key(3), &kept, &service, iat, &nonce).unwrap();
        let shown = draft.to_string();
        prop_assert!(shown.contains(&kept.to_string()), "{shown}");
        let list = |item: &Json| Json::List(vec![item.clone()]);
        let caveats = vec![
            hand::object([("svc", list(&text(&service)))]),
            hand::object([("verbs", list(&text("COMMIT")))]),
            hand::object([("can", list(proposal.get("capability").unwrap()))]),
            hand::object([("only", Json::Text(hand::proposal_hash(&proposal)))]),
            hand::object([("exp", proposal.get("expires").unwrap().clone())]),
        ];
        let plan = hand::Grant { issuer: 0, nonce, blocks: vec![hand::Block { subject: 3, caveats, iat, spent: 0 }], flaw: None };
        prop_assert_eq!(draft.sign(&seed(0)).unwrap(), hand::token(&hand::make(&plan)));
    }

    #[test]
    fn a_proof_says_what_was_asked(aud in any::<String>(), target in any::<String>(), verb in 0..6_usize, ts in a2_int()) {
        let name = ["HELLO", "ASK", "INTENT", "COMMIT", "UNDO", "EXPAND"][verb];
        let verb = Verb::read(name).unwrap();
        let draft = issue::prepare_proof(&key(3), &aud, verb, &target, ts).unwrap();
        let proof_text = hand::proof_text(&aud, name, &target, ts);
        prop_assert_eq!(draft.bytes_to_sign(), proof_text.as_bytes());
        let proof = draft.sign(&seed(3)).unwrap();
        prop_assert_eq!(&proof, &hand::proof(3, &aud, name, &target, ts).canonical());
        prop_assert!(ProvenKey::from_unbound_proof(proof.as_bytes(), &aud, verb, &target, ts).is_ok());
    }

    #[test]
    fn finish_takes_the_right_signature_only(
        plan in plans(), bit in 0..512_usize, other in 0..8_usize, ts in a2_int(), random in any::<[u8; 64]>(), at in any::<Index>(),
    ) {
        let root = &plan.blocks[0];
        let grant = || {
            issue::prepare_root(&key(plan.issuer), &key(root.subject), &parsed(&root.caveats), root.iat, &plan.nonce).unwrap()
        };
        let proof = || issue::prepare_proof(&key(plan.issuer), SERVICE, Verb::Ask, &plan.nonce, ts).unwrap();
        let bytes = [grant().bytes_to_sign().to_vec(), proof().bytes_to_sign().to_vec()];
        for (which, bytes) in bytes.iter().enumerate() {
            let finish = |signature: &[u8; 64]| if which == 0 { grant().finish(signature) } else { proof().finish(signature) };
            let right = hand::sign(plan.issuer, std::str::from_utf8(bytes).unwrap());
            prop_assert!(finish(&right).is_ok());
            let mut flipped = right;
            flipped[bit / 8] ^= 1 << (bit % 8);
            prop_assert!(finish(&flipped).is_err(), "bit {bit}");
            let text = String::from_utf8(bytes.clone()).unwrap();
            prop_assert_eq!(finish(&hand::sign(other, &text)).is_ok(), other == plan.issuer);
            let cut: String = text.chars().take(at.index(text.chars().count())).collect();
            prop_assert!(finish(&hand::sign(plan.issuer, &cut)).is_err());
            prop_assert!(finish(&random).is_err());
            let signed = if which == 0 { grant().sign(&seed(other)) } else { proof().sign(&seed(other)) };
            let wrong = signed.map(drop).map_err(|error| error.kind());
            prop_assert_eq!(wrong, if other == plan.issuer { Ok(()) } else { Err(ErrorKind::WrongSigner) });
        }
    }

    /// What no verifier would accept is not even prepared.
    #[test]
    fn what_denies_everything_is_not_signed(plan in plans(), bad in crate::caveats::bad(), at in any::<Index>(), beyond in MAX_INT + 1..=i64::MAX) {
        let root = |caveats: &[Caveat], iat| issue::prepare_root(&key(0), &key(3), caveats, iat, "").map(drop);
        let mut caveats = parsed(&plan.blocks[0].caveats);
        prop_assert!(root(&caveats, T).is_ok());
        for iat in [beyond, -beyond, i64::MIN] {
            prop_assert_eq!(root(&caveats, iat).map_err(|error| error.kind()), Err(ErrorKind::BadNumber));
            prop_assert!(issue::prepare_proof(&key(0), "", Verb::Ask, "", iat).is_err());
            prop_assert!(root(&[Caveat::Expires(iat)], T).is_err() && root(&[Caveat::NotBefore(iat)], T).is_err());
        }
        let Ok(bad) = Caveat::parse(bad.plain().as_bytes()) else { return Ok(()) };
        if bad.name().is_none() {
            caveats.insert(at.index(caveats.len() + 1), bad.clone());
            prop_assert_eq!(root(&caveats, T).map_err(|error| error.kind()), Err(ErrorKind::BadCaveat));
            // Nor handed on when it is there already.
            let mut plan = plan;
            let block = at.index(plan.blocks.len());
            let (Caveat::Unknown(json) | Caveat::Malformed(json)) = bad else { unreachable!() };
            plan.blocks[block].caveats.push(Json::Number(json.into()));
            let grant = verified(&hand::token(&hand::make(&plan)));
            let handed_on = issue::prepare_delegation(&grant, &key(4), &[], T).map(drop);
            prop_assert_eq!(handed_on.map_err(|error| error.kind()), Err(ErrorKind::BadCaveat));
        }
    }

    #[test]
    fn seeds_are_never_shown(bytes in any::<[u8; 32]>()) {
        let seed = Seed::from_bytes(&bytes).unwrap();
        let public = *seed.public_key();
        let grant = issue::prepare_root(&public, &public, &[], 0, "").unwrap();
        let proof = issue::prepare_proof(&public, "", Verb::Ask, "", 0).unwrap();
        let listed = |of: &[u8]| of.iter().map(u8::to_string).collect::<Vec<_>>().join(", ");
        let hex = |of: &[u8]| of.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        let shown = format!("{seed:?}{seed:#?}{grant:?}{grant:#?}{grant}{proof:?}{proof:#?}{proof}");
        // In one line, whatever the style; base64url and the other alphabet as one.
        let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase().replace('+', "-").replace('/', "_");
        for part in bytes.chunks(8) {
            prop_assert!(!shown.contains(&listed(part)) && !shown.contains(&hex(part)), "{shown}");
        }
        for part in b64(&bytes).to_lowercase().as_bytes()[..40].chunks(10) {
            prop_assert!(!shown.contains(std::str::from_utf8(part).unwrap()), "{shown}");
        }
        prop_assert!(shown.contains(&public.to_string().to_lowercase()), "{shown}");
    }
}
