//! What a consent is good for: one COMMIT that was refused without it, and nothing else (A9.2, A9.3, A9.7, A9.8). See
//! `consented.rs`.

use crate::chain::AGENT;
use crate::choose::{Choices, T};
use crate::consented::{Asked, OTHER, PRINCIPAL, caveats, plan};
use crate::hand::{self, Json, Key, object, text};
use crate::put::key;
use parley_grants::{
    Allowed, Answer, Claim, Commit, Committed, Decision, Demand, Ledger as _, MemoryLedger, Offered, Origin,
    Possession, Presentable, Presented, Proposal, PublicKey, RecordedKey, Request, ReservationId, Reserve,
    SpendLine, VerifiedGrant, Verifier,
};

struct Desk<'a> {
    verifier: Verifier<[PublicKey; 2]>,
    ledger: MemoryLedger,
    asked: &'a Asked,
    /// A second before the proposal expires.
    now: i64,
    /// Reservations so far.
    count: u8,
}

impl Desk<'_> {
    fn verified(&self, token: &str) -> VerifiedGrant {
        self.verifier.verify(token).expect("a good grant")
    }

    /// What becomes of a COMMIT of the proposal by this key, with these grants.
    fn commit(&mut self, grants: &[&VerifiedGrant], by: Key, now: i64) -> Result<Allowed, Answer> {
        let asked = self.asked;
        self.commit_of(&asked.kept, grants, by, now)
    }

    fn commit_of(
        &mut self,
        proposal: &Proposal,
        grants: &[&VerifiedGrant],
        by: Key,
        now: i64,
    ) -> Result<Allowed, Answer> {
        let (by, hash) = (key(by), proposal.terms().hash());
        let grants: Vec<_> = grants.iter().map(|grant| Presentable::Kept(grant)).collect();
        let presented = Presented { grants: &grants, proof: Possession::AssumeProven(&by), now };
        let origin = Origin::with_grant(RecordedKey::Key(by), RecordedKey::Key(key(PRINCIPAL)));
        let commit = Commit::Sent { proposal: Offered::Kept(proposal), hash, origin: &origin };
        self.count += 1;
        let id = ReservationId::from_bytes([self.count; 32]);
        let Ok(decided) = self.verifier.commit(&commit, &presented, id).drive(&mut self.ledger);
        decided.map(|(allowed, _)| allowed).map_err(|refusal| refusal.answer().clone())
    }
}

pub fn run(choices: &mut Choices<'_, '_>, asked: &Asked, token: &str) {
    let verifier = Verifier::new(&asked.service, [key(PRINCIPAL), key(1)]);
    let mut desk =
        Desk { verifier, ledger: MemoryLedger::default(), asked, now: asked.expires - 1, count: 0 };
    let consent = desk.verified(token);
    assert!(consent.grant().is_consent_for(asked.kept.terms(), &asked.service));
    allows_one(choices, &mut desk, &consent);
    allows_nothing_else(choices, &mut desk, &consent);
}

/// A grant that fails softly, and only so; and under which so much must have been spent before. `None` where nothing can
/// fail so.
fn soft(choices: &mut Choices<'_, '_>, asked: &Asked) -> Option<(Json, bool)> {
    let terms = asked.kept.terms();
    let limit = |max: u64, currency: &str| {
        object([
            ("max", Json::Int(i64::try_from(max).expect("a number of A2"))),
            ("currency", text(currency)),
        ])
    };
    let mut ways = Vec::new();
    if terms.risk().as_str() != "low" {
        ways.push((object([("risk", text("low"))]), false));
    }
    if let Some(cost) = terms.cost() {
        // Any text can be a currency: only one that is made of the cost's own is surely another.
        let other = format!("{}x", cost.currency());
        ways.push((object([("per", limit(cost.minor(), &other))]), false));
        ways.push((object([("spend", limit(u64::from(choices.byte()), &other))]), false));
        if cost.minor() > 0 {
            ways.push((object([("per", limit(cost.minor() - 1, cost.currency()))]), false));
            ways.push((object([("spend", limit(cost.minor() - 1, cost.currency()))]), false));
            ways.push((object([("spend", limit(cost.minor(), cost.currency()))]), true));
        }
    }
    let way = choices.roll(ways.len().max(1));
    ways.into_iter().nth(way)
}

/// What was refused for a limit is allowed with the consent beside it, until the proposal expires.
fn allows_one(choices: &mut Choices<'_, '_>, desk: &mut Desk<'_>, consent: &VerifiedGrant) {
    let asked = desk.asked;
    let soft = soft(choices, asked);
    let caveat = soft.clone().map(|(caveat, _)| caveat);
    let limited = hand::token(&hand::make(&plan(PRINCIPAL, T, "limited", caveat.into_iter().collect())));
    let limited = desk.verified(&limited);
    let block = *limited.id();
    if let Some((_, true)) = soft {
        // One minor unit is spent already, and then the whole limit is too little.
        let max = asked.kept.terms().cost().map_or(0, |cost| cost.minor());
        let lines = [SpendLine { block, max, forget_after: None }];
        let id = ReservationId::from_bytes([255; 32]);
        let demand = Demand { id, proposal: "other", grant: block, amount: 1, now: desk.now, lines: &lines };
        assert_eq!(desk.ledger.reserve(&demand), Ok(Reserve::Reserved));
    }
    let spent = desk.ledger.total(&block);

    let now = desk.now;
    let Some(_) = soft else {
        // Nothing to consent to: the first grant is the one, and it is not for once only.
        let allowed = desk.commit(&[&limited, consent], AGENT, now).expect("no limit");
        assert_eq!(allowed.grant_index(), Some(0));
        assert_eq!(allowed.consent_claim(), None);
        return;
    };
    match desk.commit(&[&limited], AGENT, now) {
        Err(Answer::ConsentRequired(request)) => {
            assert_eq!(request.to_json(), asked.request.canonical());
        }
        other => panic!("{other:?}"),
    }

    let (grants, index) = match choices.flag() {
        false => ([&limited, consent], 1),
        true => ([consent, &limited], 0),
    };
    let allowed = desk.commit(&grants, AGENT, now).expect("a consent");
    assert_eq!((allowed.grant_index(), allowed.grant_id()), (Some(index), Some(consent.id())));
    assert_eq!((allowed.issuer(), allowed.holder()), (Some(&key(PRINCIPAL)), Some(&key(AGENT))));
    assert_eq!(allowed.terms(), Some(asked.kept.terms()));
    // Charged to no block.
    assert!(allowed.spend().is_empty());
    assert_eq!(desk.ledger.total(&block), spent);
    claimed(&allowed, asked);

    // Not at its end.
    assert_eq!(desk.commit(&grants, AGENT, asked.expires).err(), Some(Answer::Expired));
}

/// Once only, by the name that A9.7 gives it.
fn claimed(allowed: &Allowed, asked: &Asked) {
    let claim: Claim = allowed.consent_claim().expect("for this proposal only");
    let named = object([
        ("claim", text("consent")),
        ("key", Json::Text(hand::public(PRINCIPAL))),
        ("hash", text(&asked.hash)),
    ]);
    assert_eq!(*claim.key(), hand::sha256(&named.canonical()));
    assert_eq!(claim.last(), Some(asked.expires - 1));
}

fn allows_nothing_else(choices: &mut Choices<'_, '_>, desk: &mut Desk<'_>, consent: &VerifiedGrant) {
    let (asked, now) = (desk.asked, desk.now);
    let terms = asked.kept.terms();
    match choices.roll(5) {
        0 => {
            let another = asked.proposal.with("more", choices.json(1));
            let Ok(another) = Proposal::parse(another.plain().as_bytes()) else { return };
            if another != asked.kept {
                assert_eq!(desk.commit_of(&another, &[consent], AGENT, now).err(), Some(Answer::Forbidden));
            }
        }
        1 => {
            assert_eq!(desk.commit(&[consent], OTHER, now).err(), Some(Answer::Unauthorized));
            // It can be handed on, and stays for once.
            let mut plan = plan(PRINCIPAL, T, "", caveats(asked));
            plan.blocks.push(hand::Block { subject: OTHER, caveats: vec![], iat: T, spent: 0 });
            let handed_on = desk.verified(&hand::token(&hand::make(&plan)));
            assert_eq!(desk.commit(&[&handed_on], AGENT, now).err(), Some(Answer::Unauthorized));
            claimed(&desk.commit(&[&handed_on], OTHER, now).expect("its holder"), asked);
        }
        2 => {
            // That of another human, though the service trusts them.
            let foreign = hand::token(&hand::make(&plan(1, T, "", caveats(asked))));
            let foreign = desk.verified(&foreign);
            assert_eq!(desk.commit(&[&foreign], AGENT, now).err(), Some(Answer::Forbidden));
        }
        3 => {
            desk.verifier = Verifier::new(&format!("{}x", asked.service), [key(PRINCIPAL), key(1)]);
            assert_eq!(desk.commit(&[consent], AGENT, now).err(), Some(Answer::Forbidden));
        }
        _ => {
            let (agent, capability) = (key(AGENT), terms.capability());
            let grants = [Presentable::Kept(consent)];
            let presented = |now| Presented { grants: &grants, proof: Possession::AssumeProven(&agent), now };
            let parts = (RecordedKey::Key(agent), RecordedKey::Key(key(PRINCIPAL)), capability);
            let of = |hash: &str| Committed::recorded(parts.0, parts.1, parts.2, hash);
            let done = of(&asked.hash);
            let requests = [
                Request::Ask { capability },
                Request::Intent { capability },
                Request::AutoIntent { capability, frame: "f" },
                Request::Undo { receipt: "r", of: &done },
            ];
            let answer = |request: &Request<'_>, now| match desk.verifier.authorize(request, &presented(now))
            {
                Decision::Allowed(_) => None,
                Decision::Refused(refusal) => Some(refusal.answer().clone()),
            };
            for request in requests {
                assert_eq!(answer(&request, now), Some(Answer::Forbidden), "{request:?}");
            }
            // The same COMMIT again, while the consent lasts.
            let again = |of, now| answer(&Request::Replay { hash: Committed::hash(of), of }, now);
            assert_eq!(again(&done, now), None);
            assert_eq!(again(&done, asked.expires), Some(Answer::Forbidden));
            assert_eq!(again(&of(&format!("{}A", asked.hash)), now), Some(Answer::Forbidden));
        }
    }
}
