//! What happens once happens once, whatever crashes and whichever answer is lost.

use super::{AGENT, OTHER, T, ask, block, config, demand, key, name, offer, proof, verified};
use crate::hand::{self, Json};
use crate::model::SERVICE;
use crate::put;
use parley_grants::{
    Claim, Claimed, Claims as _, Close, Closed, Commit, Decision, Demand, End, Ledger, MemoryClaims,
    MemoryLedger, Offered, Possession, Presentable, Presented, ProvenKey, Request, Reservation,
    ReservationId, Reserve, SpendLine, Verb,
};
use proptest::collection::vec;
use proptest::prelude::*;

/// What becomes of a call.
#[derive(Clone, Copy, Debug)]
enum Fate {
    Answered,
    NeverArrives,
    AnswerIsLost,
}

/// A ledger far away.
struct Far {
    here: MemoryLedger,
    fates: std::vec::IntoIter<Fate>,
    ended: Vec<Close>,
}

impl Far {
    fn call<T>(&mut self, call: impl FnOnce(&mut Self) -> T) -> Result<T, ()> {
        match self.fates.next() {
            None | Some(Fate::Answered) => Ok(call(self)),
            Some(Fate::NeverArrives) => Err(()),
            Some(Fate::AnswerIsLost) => {
                call(self);
                Err(())
            }
        }
    }
}

impl Ledger for Far {
    type Error = ();

    fn reserve(&mut self, demand: &Demand<'_>) -> Result<Reserve, ()> {
        self.call(|far| ask(&mut far.here, demand))
    }

    fn close(&mut self, id: &ReservationId, how: Close) -> Result<Closed, ()> {
        self.call(|far| {
            let Ok(said) = far.here.close(id, how);
            if said == Closed::Done {
                far.ended.push(how);
            }
            said
        })
    }
}

fn fate() -> impl Strategy<Value = Fate> {
    prop_oneof![2 => Just(Fate::Answered), 1 => Just(Fate::NeverArrives), 1 => Just(Fate::AnswerIsLost)]
}

/// How an attempt at an auto-commit goes on once its frame was claimed.
#[derive(Clone, Copy, Debug)]
enum Course {
    Finished,
    CrashBefore,
    CrashAfter,
    Failed,
}

fn course() -> impl Strategy<Value = Course> {
    prop_oneof![
        Just(Course::Finished),
        Just(Course::CrashBefore),
        Just(Course::CrashAfter),
        Just(Course::Failed)
    ]
}

proptest! {
    #![proptest_config(config())]

    /// By settle or release, whichever arrives first; its id is used up (A8.24).
    #[test]
    fn a_reservation_ends_once(
        fates in vec(fate(), 0..16),
        ends in vec((any::<bool>(), any::<bool>()), 1..8),
        amount in 1..=50_u64,
        others in vec((1..=10_u64, prop::option::of(any::<bool>())), 0..4),
    ) {
        let mut ledger = Far { here: MemoryLedger::default(), fates: fates.into_iter(), ended: vec![] };
        let lines = [1, 2].map(|one| SpendLine { block: block(one), max: 100, forget_after: None });
        let ours = demand(1, 1, amount, &lines);
        while ledger.reserve(&ours).is_err() {}
        let mut more = 0;
        for (at, (amount, ending)) in others.into_iter().enumerate() {
            let id = 10 + at as u64;
            prop_assert_eq!(ask(&mut ledger.here, &demand(id, 1, amount, &lines)), Reserve::Reserved);
            if let Some(settle) = ending {
                prop_assert!(super::close(&mut ledger.here, name(id), settle));
            }
            more += if ending == Some(false) { 0 } else { amount };
        }
        let mut said_done = 0;
        for (settle, patient) in ends {
            // After a crash its id is all that is left.
            let mut reservation = Reservation::resume(name(1_u64));
            loop {
                let said = if settle { reservation.settle(&mut ledger) } else { reservation.release(&mut ledger) };
                match said {
                    Ok(closed) => said_done += u32::from(closed == Closed::Done),
                    Err((back, ())) if patient => {
                        reservation = back;
                        continue;
                    }
                    Err(_) => {}
                }
                break;
            }
            prop_assert!(ledger.ended.len() <= 1 && said_done <= 1);
            let left = if ledger.ended.first() == Some(&Close::Release) { 0 } else { amount };
            for one in [1, 2] {
                prop_assert_eq!(ledger.here.total(&block(one)), left + more);
            }
        }
        let again = ask(&mut ledger.here, &ours);
        prop_assert_eq!(again, if ledger.ended.is_empty() { Reserve::Reserved } else { Reserve::Taken });
    }

    /// A repeat of a frame, with the same proof or another, never leads to a second commit (A8.27).
    #[test]
    fn an_auto_frame_commits_once(
        attempts in vec((0..4_u8, 0..500_i64, -300..=300_i64, course()), 2..9), room in 1..5_usize, cost in 1..50_i64,
    ) {
        let verifier = put::verifier();
        let grants_of = [AGENT, OTHER].map(|holder| verified(&super::root(0, holder, vec![super::limit("spend", 10_000)])));
        let offer = offer("p", Some(cost), "low").with("expires", Json::Int(T + 100_000)).plain();
        let (mut claims, mut ledger) = (MemoryClaims::with_room(room), MemoryLedger::default());
        let (mut now, mut executed) = (T, Vec::<(u8, i64)>::new());
        let mut counted = [0, 0];
        for (at, (who, later, skew, course)) in attempts.into_iter().enumerate() {
            now += later;
            let holder = [AGENT, OTHER][usize::from(who % 2)];
            let frame = if who < 2 { "f" } else { "g" };
            let proof = proof(holder, "INTENT", &format!("auto:shop.order:{frame}"), now + skew);
            let grants = [Presentable::Kept(&grants_of[usize::from(who % 2)])];
            let presented = Presented { grants: &grants, proof: Possession::Proof(proof.as_bytes()), now };
            let intent = Request::AutoIntent { capability: "shop.order", frame };
            let Decision::Allowed(allowed) = verifier.authorize(&intent, &presented) else { panic!("not asked") };
            let (origin, claim) = (allowed.origin().unwrap(), allowed.auto_claim(frame, now).unwrap());
            let Ok(Claimed::First(ticket)) = claims.claim(&claim, now) else { continue };
            let remembered = executed.iter().any(|(of, until)| *of == who && now < *until);
            prop_assert!(!remembered, "first again, after it was executed");
            if matches!(course, Course::CrashBefore) {
                continue;
            }
            let commit = Commit::Auto { proposal: Offered::Text(offer.as_bytes()), capability: "shop.order", frame, origin: &origin };
            let Ok(decided) = verifier.commit(&commit, &presented, name(at as u64)).drive(&mut ledger);
            let Ok((_, reservation)) = decided else { panic!("refused") };
            if matches!(course, Course::Failed) {
                prop_assert_eq!(reservation.release(&mut ledger), Ok(Closed::Done));
                prop_assert_eq!(claims.end(&ticket, End::Abandon), Ok(true));
                continue;
            }
            // Now it happens.
            executed.push((who, now.max(now + skew) + 900));
            counted[usize::from(who % 2)] += cost as u64;
            if matches!(course, Course::Finished) {
                prop_assert_eq!(reservation.settle(&mut ledger), Ok(Closed::Done));
                prop_assert_eq!(claims.end(&ticket, End::Finish), Ok(true));
                prop_assert_eq!(claims.end(&ticket, End::Abandon), Ok(false));
                prop_assert_eq!(claims.claim(&claim, now), Ok(Claimed::Done));
            } else {
                prop_assert_eq!(claims.claim(&claim, now), Ok(Claimed::InProgress));
            }
        }
        for (grant, counted) in grants_of.iter().zip(counted) {
            prop_assert_eq!(ledger.total(grant.id()), counted);
        }
    }

    /// As long as a proof is good, its frame is remembered (A5.6, A8.27).
    #[test]
    fn no_proof_that_is_still_valid_finds_its_frame_forgotten(
        ts in prop_oneof![T - 5..=T + 5, Just(hand::MAX_INT), Just(-hand::MAX_INT), -hand::MAX_INT..=hand::MAX_INT],
        arrives in prop_oneof![Just(-300), Just(300), -300..=300_i64],
        later in vec(prop_oneof![0..=310_i64, 290..=620_i64, 880..=1220_i64], 1..6),
    ) {
        let signed = hand::proof(AGENT, SERVICE, "INTENT", "auto:shop.order:f", ts).plain();
        let is_good = |now| ProvenKey::from_unbound_proof(signed.as_bytes(), SERVICE, Verb::Intent, "auto:shop.order:f", now).is_ok();
        let arrived = ts + arrives;
        let token = super::root(0, AGENT, vec![]);
        let grants = [Presentable::Token(&token)];
        let presented = Presented { grants: &grants, proof: Possession::Proof(signed.as_bytes()), now: arrived };
        let decision = put::verifier().authorize(&Request::AutoIntent { capability: "shop.order", frame: "f" }, &presented);
        let Decision::Allowed(allowed) = decision else { panic!("it is good on arrival") };
        let claim = Claim::for_auto(&key(AGENT), "f", arrived, ts);
        prop_assert_eq!(allowed.auto_claim("f", arrived), Some(claim));
        prop_assert!(claim.last().is_some_and(|last| last >= ts.max(arrived) + 899));
        let mut claims = MemoryClaims::with_room(1);
        prop_assert!(matches!(claims.claim(&claim, arrived), Ok(Claimed::First(_))));
        for late in later {
            let now = arrived + late;
            // Others press for room.
            let other = claims.claim(&Claim::for_other("x", "y", now), now);
            if is_good(now) {
                prop_assert!(claim.last().is_some_and(|last| now <= last));
                prop_assert_eq!(other, Ok(Claimed::Full));
                prop_assert_eq!(claims.claim(&claim, now), Ok(Claimed::InProgress));
            } else {
                break;
            }
        }
        // And the frame is that of its key and its name alone.
        for other in [Claim::for_auto(&key(OTHER), "f", arrived, ts), Claim::for_auto(&key(AGENT), "g", arrived, ts)] {
            prop_assert_ne!(other.key(), claim.key());
        }
    }
}
