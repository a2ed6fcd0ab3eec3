//! One request of a service of the smallest kind, as a line. Shared by the programs whose size is measured.

use parley_grants::{
    Commit, Decision, MemoryLedger, Offered, Origin, Possession, Presentable, Presented, PublicKey,
    RecordedKey, Request, ReservationId, Verifier,
};

/// Authorizes `ASK NOW SERVICE PRINCIPAL PROOF TOKEN CAPABILITY`, or `COMMIT` with `PROPOSAL HASH HOLDER` at its end. Was
/// it allowed? `None` is for no request.
pub fn decide(line: &str) -> Option<bool> {
    let mut words = line.split(' ');
    let verb = words.next()?;
    let now = words.next()?.parse().ok()?;
    let service = words.next()?;
    let principal: PublicKey = words.next()?.parse().ok()?;
    let proof = words.next()?;
    let token = words.next()?;
    let verifier = Verifier::new(service, [principal]);
    let presented =
        Presented { grants: &[Presentable::Token(token)], proof: Possession::Proof(proof.as_bytes()), now };
    Some(match verb {
        "ASK" => {
            let decision = verifier.authorize(&Request::Ask { capability: words.next()? }, &presented);
            matches!(decision, Decision::Allowed(_))
        }
        "COMMIT" => {
            let proposal = Offered::Text(words.next()?.as_bytes());
            let (hash, holder) = (words.next()?, RecordedKey::read(words.next()?));
            let origin = Origin::with_grant(holder, RecordedKey::Key(principal));
            let commit = Commit::Sent { proposal, hash, origin: &origin };
            let mut ledger = MemoryLedger::default();
            let step = verifier.commit(&commit, &presented, ReservationId::of("1"));
            matches!(step.drive(&mut ledger), Ok(Ok(_)))
        }
        _ => return None,
    })
}
