//! Requests for one proposal at once: claim, reserve, execute, settle, finish. It is executed once, and counted once. Without the
//! claim it is executed twice, however rightly its cost is counted: that must be caught.

use super::{Handle, Locked, Shared as _, line};
use loom::sync::{Arc, Mutex};
use loom::thread;
use parley_grants::{
    Claim, Claimed, Claims as _, Demand, End, Ledger as _, MemoryClaims, Reservation, ReservationId, Reserve,
};
use std::sync::atomic::{AtomicUsize, Ordering};

struct Service {
    ledger: Arc<Locked>,
    claims: Mutex<MemoryClaims>,
    executed: AtomicUsize,
}

/// One request; `fails` is one whose execution does.
fn request(service: &Service, is_claimed: bool, fails: bool) {
    let mut ledger = Handle(Arc::clone(&service.ledger));
    let (mut name, mut ticket) = (String::from("the proposal"), None);
    if is_claimed {
        let claim = Claim::for_commit("the hash", 600);
        let Ok(claimed) = service.claims.lock().expect("the claims").claim(&claim, 0);
        let Claimed::First(first) = claimed else { return };
        // A name for each attempt: one that was released is used up.
        name = format!("the proposal, turn {}", first.turn());
        ticket = Some(first);
    }
    let id = ReservationId::of(&name);
    let lines = [line(0), line(1)];
    let demand = Demand { id, proposal: "p", grant: line(0).block, amount: 60, now: 0, lines: &lines };
    let mut is_executed = false;
    if ledger.reserve(&demand) == Ok(Reserve::Reserved) {
        is_executed = !fails;
        let before = service.executed.fetch_add(usize::from(is_executed), Ordering::SeqCst);
        assert!(!is_executed || before == 0, "executed twice");
        let held = Reservation::resume(id);
        let closed = if is_executed { held.settle(&mut ledger) } else { held.release(&mut ledger) };
        assert!(closed.is_ok());
    }
    if let Some(ticket) = ticket {
        let how = if is_executed { End::Finish } else { End::Abandon };
        let Ok(is_ended) = service.claims.lock().expect("the claims").end(&ticket, how);
        assert!(is_ended, "nobody else ends it");
    }
}

/// Every interleaving of so many requests, the first of which fails or not; gives their number.
pub fn explore(requests: usize, is_claimed: bool, first_fails: bool) -> usize {
    let counter: &'static AtomicUsize = Box::leak(Box::new(AtomicUsize::new(0)));
    loom::model(move || {
        counter.fetch_add(1, Ordering::Relaxed);
        let service = Arc::new(Service {
            ledger: Arc::new(Locked::default()),
            claims: Mutex::new(MemoryClaims::with_room(10)),
            executed: AtomicUsize::new(0),
        });
        let others: Vec<_> = (1..requests)
            .map(|_| {
                let service = Arc::clone(&service);
                thread::spawn(move || request(&service, is_claimed, false))
            })
            .collect();
        request(&service, is_claimed, first_fails);
        for other in others {
            other.join().expect("a thread");
        }
        // Whoever comes back later, as an agent does that was told to: it is executed now, if it was not before.
        request(&service, is_claimed, false);
        assert_eq!(service.executed.load(Ordering::SeqCst), 1, "never executed");
        assert_eq!((service.ledger.total(0), service.ledger.total(1)), (60, 60));
    });
    counter.load(Ordering::Relaxed)
}
