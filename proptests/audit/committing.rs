//! Whose request is it, and on whose behalf? (A8)

use super::{
    AGENT, OTHER, T, code, config, drive, is_allowed, key, limit, name, offer, plan, proof, root, token,
};
use crate::hand::{self, Json, object, public, text};
use crate::model::SERVICE;
use crate::put;
use parley_grants::{
    Answer, BlockId, Commit, Committed, Decision, MemoryLedger, Offered, Origin, Owner, Possession,
    Presentable, Presented, PublicKey, RecordedKey, Request, Verifier,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

/// A key as it was written down, if it was: by its number, or as something that is none.
type Written = Option<Option<usize>>;

fn written(usual: usize) -> impl Strategy<Value = Written> {
    prop_oneof![
        3 => Just(Some(Some(usual))),
        1 => (0..6_usize).prop_map(|key| Some(Some(key))),
        1 => Just(Some(None)),
        1 => Just(None),
    ]
}

fn recorded(written: Option<usize>) -> RecordedKey {
    RecordedKey::read(&written.map_or("ed25519:?".into(), public))
}

fn origin(holder: Written, principal: Written) -> Origin {
    match (holder.map(recorded), principal.map(recorded)) {
        (None, _) => Origin::anonymous(),
        (Some(holder), None) => Origin::without_grant(holder),
        (Some(holder), Some(principal)) => Origin::with_grant(holder, principal),
    }
}

/// A grant for the agent, by its principal, and how far it goes.
fn grants() -> impl Strategy<Value = Vec<(usize, usize)>> {
    vec((prop_oneof![2 => 0..=1_usize, 1 => 2..=2_usize], 0..4_usize), 0..5)
}

fn made(grants: &[(usize, usize)]) -> Vec<String> {
    let token = |(at, (issuer, kind)): (usize, &(usize, usize))| {
        let caveats = match kind {
            0 => vec![limit("per", 1)],
            1 => vec![object([("verbs", Json::List(vec![text("HELLO")]))])],
            _ => vec![],
        };
        token(&plan(*issuer, &at.to_string(), vec![(AGENT, caveats)]))
    };
    grants.iter().enumerate().map(token).collect()
}

/// Nobody is told a hash that they did not send.
fn shows(decision: &Decision, hash: &str) -> bool {
    let mut shown = format!("{decision:?}{decision:#?}");
    if let Decision::Refused(refusal) = decision {
        shown += &format!("{:?}{}", refusal.answer(), refusal.answer().code());
        if let Answer::ConsentRequired(request) = refusal.answer() {
            shown += &request.to_json();
            shown += request.hash();
        }
    }
    shown.contains(hash)
}

/// One request of many that a service gets at once.
#[derive(Clone, Debug)]
struct Asked {
    kind: usize,
    by: Option<usize>,
    skew: i64,
    grants: Vec<(usize, usize)>,
    amount: i64,
}

fn asked() -> impl Strategy<Value = Asked> {
    let by = prop_oneof![4 => Just(Some(AGENT)), 1 => Just(Some(OTHER)), 1 => Just(None)];
    (0..5_usize, by, prop_oneof![5 => -300..=300_i64, 1 => Just(400)], grants(), 0..3_i64)
        .prop_map(|(kind, by, skew, grants, amount)| Asked { kind, by, skew, grants, amount })
}

/// The request with everything signed.
struct Signed {
    asked: Asked,
    tokens: Vec<String>,
    proof: Option<String>,
    offer: String,
    hash: String,
    of: Committed,
}

impl Signed {
    fn new(asked: &Asked) -> Self {
        let offer = offer("p", Some(asked.amount), "low");
        let hash = hand::proposal_hash(&offer);
        let (verb, target) = match asked.kind {
            0 => ("ASK", "shop.order"),
            1 => ("INTENT", "shop.order"),
            2 => ("EXPAND", "h"),
            _ => ("COMMIT", hash.as_str()),
        };
        let proof = asked.by.map(|by| proof(by, verb, target, T + asked.skew));
        let of =
            Committed::recorded(RecordedKey::Key(key(AGENT)), RecordedKey::Key(key(0)), "shop.order", &hash);
        Self { asked: asked.clone(), tokens: made(&asked.grants), proof, offer: offer.plain(), hash, of }
    }

    fn answer(&self, verifier: &Verifier<Vec<PublicKey>>) -> String {
        let grants: Vec<_> = self.tokens.iter().map(|token| Presentable::Token(token)).collect();
        let proof = self.proof.as_ref().map_or(Possession::None, |proof| Possession::Proof(proof.as_bytes()));
        let presented = Presented { grants: &grants, proof, now: T };
        let owner = Owner::Key(RecordedKey::Key(key(AGENT)));
        let capability = "shop.order";
        let decision = match self.asked.kind {
            0 => verifier.authorize(&Request::Ask { capability }, &presented),
            1 => verifier.authorize(&Request::Intent { capability }, &presented),
            2 => verifier.authorize(&Request::Expand { handle: "h", owner }, &presented),
            3 => verifier.authorize(&Request::Replay { hash: &self.hash, of: &self.of }, &presented),
            _ => {
                let origin = Origin::without_grant(RecordedKey::Key(key(AGENT)));
                let proposal = Offered::Text(self.offer.as_bytes());
                let commit = Commit::Sent { proposal, hash: &self.hash, origin: &origin };
                put::driven(verifier.commit(&commit, &presented, name(1_u64)), &|_: &BlockId| 0)
            }
        };
        let log = if let Decision::Refused(refusal) = &decision {
            refusal.log().to_string()
        } else {
            String::new()
        };
        format!("{decision:?} {log}")
    }
}

proptest! {
    #![proptest_config(config())]

    /// Only the key that asked for it, and only for the same principal (A8.4 to A8.6).
    #[test]
    fn an_anonymous_proposal_is_never_committed(
        holder in written(AGENT),
        principal in written(0),
        by in prop_oneof![3 => Just(AGENT), 1 => 0..6_usize],
        issuer in 0..2_usize,
        word in any::<bool>(),
        auto in any::<bool>(),
        asks in (3..5_usize, 0..2_usize),
    ) {
        let proposal = offer("p", Some(5), "low");
        let (text, hash) = (proposal.plain(), hand::proposal_hash(&proposal));
        let verifier = put::verifier();
        let commit = |by: usize, issuer, origin: &Origin| {
            let (verb, target) = if auto { ("INTENT", "auto:shop.order:f") } else { ("COMMIT", hash.as_str()) };
            let (token, signed, this) = (root(issuer, by, vec![]), proof(by, verb, target, T), key(by));
            let grants = [Presentable::Token(&token)];
            let proof = if word { Possession::AssumeProven(&this) } else { Possession::Proof(signed.as_bytes()) };
            let presented = Presented { grants: &grants, proof, now: T };
            let proposal = Offered::Text(text.as_bytes());
            let commit = if auto {
                Commit::Auto { proposal, capability: "shop.order", frame: "f", origin }
            } else {
                Commit::Sent { proposal, hash: &hash, origin }
            };
            is_allowed(&drive(verifier.commit(&commit, &presented, name(1_u64)), &mut MemoryLedger::default()))
        };
        let expected = holder == Some(Some(by)) && principal.is_none_or(|of| of == Some(issuer));
        prop_assert_eq!(commit(by, issuer, &origin(holder, principal)), expected);
        prop_assert!(!commit(by, issuer, &Origin::anonymous()));

        // The same from an INTENT on.
        let (asker, its) = asks;
        let (token, this) = (root(its, asker, vec![]), key(asker));
        let grants = [Presentable::Token(&token)];
        let presented = Presented { grants: &grants, proof: Possession::AssumeProven(&this), now: T };
        let Decision::Allowed(allowed) = verifier.authorize(&Request::Intent { capability: "shop.order" }, &presented) else { panic!() };
        let origin = allowed.origin().unwrap();
        prop_assert_eq!(commit(by, issuer, &origin), by == asker && issuer == its);
        prop_assert!(commit(asker, its, &origin));
    }

    /// Whatever stands before or behind it, and whatever else it would allow (A6.9, A8.5, A8.12, A8.22).
    #[test]
    fn a_grant_of_another_principal_never_counts(
        grants in grants(), principal in written(0), kind in 0..4_usize, turn in any::<Index>(),
    ) {
        let mut grants = grants;
        let verifier = put::verifier();
        let proposal = offer("p", Some(5), "low");
        let (text, hash) = (proposal.plain(), hand::proposal_hash(&proposal));
        let origin = origin(Some(Some(AGENT)), principal);
        let holder = RecordedKey::Key(key(AGENT));
        let of = match principal {
            None => Committed::without_principal(holder, "shop.order", &hash),
            Some(of) => Committed::recorded(holder, recorded(of), "shop.order", &hash),
        };
        let decide = |grants: &[(usize, usize)]| {
            let tokens = made(grants);
            let grants: Vec<_> = tokens.iter().map(|token| Presentable::Token(token)).collect();
            let agent = key(AGENT);
            let presented = Presented { grants: &grants, proof: Possession::AssumeProven(&agent), now: T };
            let proposal = Offered::Text(text.as_bytes());
            match kind {
                0 => drive(verifier.commit(&Commit::Sent { proposal, hash: &hash, origin: &origin }, &presented, name(1_u64)), &mut MemoryLedger::default()),
                1 => drive(verifier.commit(&Commit::Auto { proposal, capability: "shop.order", frame: "f", origin: &origin }, &presented, name(1_u64)), &mut MemoryLedger::default()),
                2 => verifier.authorize(&Request::Undo { receipt: "r", of: &of }, &presented),
                _ => verifier.authorize(&Request::Replay { hash: &hash, of: &of }, &presented),
            }
        };
        let counts = |issuer: usize| issuer < 2 && match principal {
            None => kind != 2,
            Some(of) => of == Some(issuer),
        };
        let soft_is_fine = kind >= 2;
        let is_yes = |&(issuer, how): &(usize, usize)| counts(issuer) && (how >= 2 || how == 0 && soft_is_fine);
        let expected = match grants.iter().position(is_yes) {
            Some(_) => "allowed",
            None if kind == 1 => "review",
            None if kind == 0 && grants.iter().any(|(issuer, how)| counts(*issuer) && *how == 0) => "consent_required",
            None if grants.iter().any(|(issuer, _)| *issuer < 2) => "forbidden",
            None => "unauthorized",
        };
        let turns = if grants.is_empty() { 1 } else { 2 };
        for _ in 0..turns {
            let decision = decide(&grants);
            prop_assert_eq!(code(&decision), expected);
            match &decision {
                Decision::Allowed(allowed) => {
                    prop_assert_eq!(allowed.grant_index(), grants.iter().position(is_yes));
                    prop_assert!(principal.is_none_or(|of| of.map(key).as_ref() == allowed.issuer()));
                }
                Decision::Refused(refusal) => if let Answer::ConsentRequired(request) = refusal.answer() {
                    prop_assert!(principal.is_none_or(|of| of.map(key).as_ref() == Some(request.principal())));
                },
            }
            let at = turn.index(grants.len().max(1));
            grants.rotate_left(at);
        }
    }

    /// It needs the same holder, principal and hash; and no answer to anybody shows a hash that they did not send
    /// (A8.1, A8.2, A8.8).
    #[test]
    fn a_replay_leaks_nothing(
        by in prop_oneof![3 => Just(AGENT), 1 => Just(OTHER)],
        holder in written(AGENT),
        principal in written(0),
        grants in grants(),
        sent in prop_oneof![Just(None), "[A-Za-z0-9_-]{0,43}".prop_map(Some)],
        forged in any::<bool>(),
        cost in 0..4_i64,
        now in prop_oneof![3 => Just(T), 1 => Just(T + 600)],
    ) {
        let verifier = put::verifier();
        let proposal = offer("p", Some(cost), "high");
        let (text, real) = (proposal.plain(), hand::proposal_hash(&proposal));
        let sent = sent.unwrap_or(real.clone());
        let signer = if forged { 5 } else { by };
        let signature = hand::sign(signer, &hand::proof_text(SERVICE, "COMMIT", &sent, now));
        let shown = object([("key", Json::Text(public(by))), ("ts", Json::Int(now)), ("sig", Json::Text(hand::b64(&signature)))]).plain();
        let tokens = made(&grants);
        let grants_shown: Vec<_> = tokens.iter().map(|token| Presentable::Token(token)).collect();
        let presented = Presented { grants: &grants_shown, proof: Possession::Proof(shown.as_bytes()), now };
        let written_down = holder.map_or(RecordedKey::Unreadable, recorded);
        let of = match principal {
            None => Committed::without_principal(written_down, "shop.order", &real),
            Some(of) => Committed::recorded(written_down, recorded(of), "shop.order", &real),
        };
        let replay = verifier.authorize(&Request::Replay { hash: &sent, of: &of }, &presented);
        let is_yes = |&(issuer, how): &(usize, usize)| issuer < 2 && how != 1 && principal.is_none_or(|of| of == Some(issuer));
        let is_holder = !forged && holder == Some(Some(by));
        let is_theirs = is_holder && by == AGENT && sent == real && grants.iter().any(is_yes);
        prop_assert_eq!(is_allowed(&replay), is_theirs, "{:?}", replay);
        let is_conflict = code(&replay) == "conflict";
        prop_assert_eq!(is_conflict, is_holder && sent != real);

        let origin = origin(holder, principal);
        let commit = Commit::Sent { proposal: Offered::Text(text.as_bytes()), hash: &sent, origin: &origin };
        let first = drive(verifier.commit(&commit, &presented, name(1_u64)), &mut MemoryLedger::default());
        prop_assert_eq!(code(&first) == "conflict", is_holder && sent != real);
        prop_assert!(is_holder || matches!(code(&first), "forbidden" | "unauthorized"));
        if sent != real {
            prop_assert!(!shows(&replay, &real) && !shows(&first, &real));
            prop_assert!(!is_allowed(&first));
        }
    }

    /// By a good proof of the very key, over that handle (A8.13, A8.14).
    #[test]
    fn a_handle_is_for_its_owner_only(
        owner in written(AGENT),
        by in prop_oneof![2 => Just(AGENT), 1 => 0..6_usize],
        signer in prop_oneof![3 => Just(None), 1 => (0..6_usize).prop_map(Some)],
        handle in "[a-z:]{0,5}",
        signed in prop_oneof![4 => Just(None), 1 => "[a-z:]{0,5}".prop_map(Some)],
        verb in prop_oneof![6 => Just("EXPAND"), 1 => select(vec!["ASK", "INTENT", "UNDO", "COMMIT", "HELLO"])],
        skew in prop_oneof![5 => -300..=300_i64, 1 => select(vec![-301, 301])],
        how in prop_oneof![5 => Just(0), 1 => Just(1), 1 => Just(2)],
        grants in 0..18_usize,
    ) {
        let signer = signer.unwrap_or(by);
        let target = signed.unwrap_or(handle.clone());
        let signature = hand::sign(signer, &hand::proof_text(SERVICE, verb, &target, T + skew));
        let shown = object([("key", Json::Text(public(by))), ("ts", Json::Int(T + skew)), ("sig", Json::Text(hand::b64(&signature)))]).plain();
        let this = key(by);
        let proof = match how {
            0 => Possession::Proof(shown.as_bytes()),
            1 => Possession::AssumeProven(&this),
            _ => Possession::None,
        };
        let is_proven = match how {
            0 => signer == by && target == handle && verb == "EXPAND" && skew.abs() <= 300,
            how => how == 1,
        };
        let grants = vec![Presentable::Token(""); grants];
        let presented = Presented { grants: &grants, proof, now: T };
        let as_owner = owner.map_or(Owner::Anyone, |owner| Owner::Key(recorded(owner)));
        let decision = put::verifier().authorize(&Request::Expand { handle: &handle, owner: as_owner }, &presented);
        let expected = match owner {
            None => "allowed",
            Some(_) if !is_proven => "unauthorized",
            Some(owner) if owner == Some(by) => "allowed",
            Some(_) => "forbidden",
        };
        prop_assert_eq!(code(&decision), expected);
        if let Decision::Allowed(allowed) = decision {
            prop_assert_eq!(allowed.holder(), owner.is_some().then_some(&this));
        }
    }

    /// A verifier remembers nothing: the same question gets the same answer, after any others, in any order, and from
    /// any thread.
    #[test]
    fn answers_share_nothing_between_requests(all in vec(asked(), 1..7), order in vec(any::<Index>(), 1..10)) {
        let signed: Vec<_> = all.iter().map(Signed::new).collect();
        let alone: Vec<_> = signed.iter().map(|signed| signed.answer(&put::verifier())).collect();
        let shared = put::verifier();
        let order: Vec<_> = order.into_iter().map(|at| at.index(signed.len())).collect();
        for at in order.iter().chain(order.iter().rev()) {
            prop_assert_eq!(&signed[*at].answer(&shared), &alone[*at]);
        }
        let ask = |order: &[usize]| order.iter().all(|at| signed[*at].answer(&shared) == alone[*at]);
        let (front, back) = order.split_at(order.len() / 2);
        let agree = std::thread::scope(|scope| {
            let other = scope.spawn(|| ask(back));
            ask(front) && other.join().expect("no panic")
        });
        prop_assert!(agree);
    }
}
