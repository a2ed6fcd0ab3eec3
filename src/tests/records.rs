//! What is logged of a decision, to the letter.

use super::{Chain, NOW, SERVICE, key_text, proof, proposal, public, who};
use crate::{
    BlockId, Commit, Grant, Limits, MemoryLedger, Offered, Origin, Owner, Possession, Presentable, Presented,
    RecordedKey, Request, ReservationId, Verifier,
};
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec;
use alloc::vec::Vec;

fn verifier() -> Verifier<Vec<crate::PublicKey>> {
    Verifier::new(SERVICE, vec![public(&who(1))])
}

fn ids(token: &str) -> Vec<String> {
    Grant::decode(token, &Limits::default()).unwrap().blocks().map(|block| block.id().to_string()).collect()
}

#[test]
fn an_allowed_ask() {
    let token = Chain::root(&who(1), &who(2), "").then(&who(2), &who(3), "").token();
    let proof = proof(&who(3), SERVICE, "ASK", "shop.read", NOW);
    let request = Request::Ask { capability: "shop.read" };
    let kept = verifier().verify(&token).unwrap();
    for grant in [Presentable::Token(&token), Presentable::Kept(&kept)] {
        let grants = [grant];
        let presented = Presented { grants: &grants, proof: Possession::Proof(proof.as_bytes()), now: NOW };
        let decision = verifier().authorize(&request, &presented);
        let (ids, one, three) = (ids(&token), key_text(&who(1)), key_text(&who(3)));
        assert_eq!(
            verifier().record(&request, &presented, &decision).to_json(),
            format!(
                r#"{{"blocks":["{}","{}"],"capability":"shop.read","claimed":"{three}","class":"allowed","holder":"{three}","now":1790000000,"principal":"{one}","service":"shop.example","verb":"ASK"}}"#,
                ids[0], ids[1]
            )
        );
    }
}

#[test]
fn a_commit_and_what_it_reserved() {
    let token = Chain::root(&who(1), &who(2), r#"{"spend":{"currency":"EUR","max":2000}}"#).token();
    let text = proposal(r#"{"amount":1800,"currency":"EUR"}"#);
    let hash = crate::proposal_hash(text.as_bytes()).unwrap();
    let proof = proof(&who(2), SERVICE, "COMMIT", &hash, NOW);
    let origin = Origin::without_grant(RecordedKey::Key(public(&who(2))));
    let commit = Commit::Sent { proposal: Offered::Text(text.as_bytes()), hash: &hash, origin: &origin };
    let grants = [Presentable::Token("pg1.AA"), Presentable::Token(&token)];
    let presented = Presented { grants: &grants, proof: Possession::Proof(proof.as_bytes()), now: NOW };
    let (verifier, mut ledger) = (verifier(), MemoryLedger::default());
    let id = ReservationId::of("first");
    let Ok(Ok((allowed, reservation))) = verifier.commit(&commit, &presented, id).drive(&mut ledger) else {
        panic!()
    };
    let (block, one, two) = (ids(&token).remove(0), key_text(&who(1)), key_text(&who(2)));
    let name = BlockId::from_bytes(*id.as_bytes());
    assert_eq!(
        verifier.record_commit(&commit, &presented, Ok((&allowed, &reservation))).to_json(),
        format!(
            r#"{{"blocks":["{block}"],"claimed":"{two}","class":"allowed","cost":{{"amount":1800,"currency":"EUR"}},"holder":"{two}","now":1790000000,"principal":"{one}","reservation":"{name}","service":"shop.example","spend":[{{"block":"{block}","max":2000}}],"target":"{hash}","verb":"COMMIT"}}"#
        )
    );
    let again = verifier.commit(&commit, &presented, ReservationId::of("second")).drive(&mut ledger);
    let Ok(Err(refusal)) = again else { panic!() };
    assert_eq!(
        verifier.record_commit(&commit, &presented, Err(&refusal)).to_json(),
        format!(
            r#"{{"cause":"no grant allows it","claimed":"{two}","class":"consent_required","grants":[{{"index":0,"why":"no JSON, at byte 0"}},{{"id":"{block}","index":1,"why":"exceeded"}}],"now":1790000000,"service":"shop.example","target":"{hash}","verb":"COMMIT"}}"#
        )
    );
}

#[test]
fn every_failing_caveat_and_every_denial() {
    let token = Chain::root(&who(1), &who(2), r#"{"exp":0}"#).then(&who(2), &who(3), r#"{"risk":1}"#).token();
    let proof = proof(&who(3), SERVICE, "INTENT", "auto:c:f\u{1}", NOW);
    let request = Request::AutoIntent { capability: "c", frame: "f\u{1}" };
    let signed = super::proof(&who(3), SERVICE, "INTENT", "auto:c:f\\u0001", NOW);
    assert_ne!(proof, signed);
    let grants = [Presentable::Token(&token)];
    let presented = Presented { grants: &grants, proof: Possession::Proof(signed.as_bytes()), now: NOW };
    let decision = verifier().authorize(&request, &presented);
    let record = verifier().record(&request, &presented, &decision).to_json();
    let (id, three) = (ids(&token).remove(0), key_text(&who(3)));
    assert_eq!(
        record,
        format!(
            r#"{{"capability":"c","cause":"no grant allows it","claimed":"{three}","class":"forbidden","grants":[{{"failures":[{{"block":0,"caveat":0,"reason":"exp","severity":"hard"}},{{"block":1,"caveat":0,"reason":"malformed","severity":"hard"}}],"id":"{id}","index":0,"why":"caveats"}}],"now":1790000000,"service":"shop.example","target":"f\u0001","verb":"INTENT"}}"#
        )
    );
    assert_eq!(crate::read_canonical(record.as_bytes()), Ok(&*record));
}

/// A handle that anyone may expand, a token and a proof are worth something to who reads a log.
#[test]
fn no_record_holds_what_could_be_used_again() {
    let request = Request::Expand { handle: "the handle", owner: Owner::Anyone };
    let presented = Presented { grants: &[], proof: Possession::None, now: NOW };
    let decision = verifier().authorize(&request, &presented);
    let late = Presented { now: i64::MAX, ..presented };
    let record = verifier().record(&request, &late, &decision).to_json();
    assert!(
        crate::read_canonical(record.as_bytes()).is_ok() && record.contains(r#""now":"9223372036854775807""#)
    );
    assert_eq!(
        verifier().record(&request, &presented, &decision).to_json(),
        r#"{"class":"allowed","now":1790000000,"service":"shop.example","verb":"EXPAND"}"#
    );
    let request = Request::Ask { capability: "c" };
    let proof = proof(&who(2), "elsewhere", "ASK", "c", NOW);
    let token = Chain::root(&who(1), &who(2), "").token();
    let grants = [Presentable::Token(&token)];
    let presented = Presented { grants: &grants, proof: Possession::Proof(proof.as_bytes()), now: NOW };
    let decision = verifier().authorize(&request, &presented);
    let record = verifier().record(&request, &presented, &decision);
    assert_eq!(
        record.to_json(),
        format!(
            r#"{{"capability":"c","cause":"bad proof: the signature does not verify","claimed":"{}","class":"unauthorized","now":1790000000,"service":"shop.example","verb":"ASK"}}"#,
            key_text(&who(2))
        )
    );
}
