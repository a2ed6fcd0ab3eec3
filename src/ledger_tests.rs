#![cfg(feature = "std")]

use super::*;
use alloc::string::ToString as _;

/// A thread that panicked may have left a step half done: nobody is told a total, a yes or an end from then on.
#[test]
fn a_poisoned_ledger_answers_nothing() {
    let id = ReservationId::of("x");
    let block = BlockId::from_bytes([1; 32]);
    let lines = [SpendLine { block, max: 100, forget_after: None }];
    let demand = Demand { id, proposal: "p", grant: block, amount: 60, now: 0, lines: &lines };
    let ledger = SharedLedger::new(MemoryLedger::default());
    assert_eq!((&ledger).reserve(&demand), Ok(Reserve::Reserved));
    assert_eq!(ledger.total(&block), Ok(60));
    let panicked = std::thread::scope(|scope| {
        let holds = scope.spawn(|| {
            let _held = ledger.ledger.lock();
            std::panic::resume_unwind(alloc::boxed::Box::new("while it held the ledger"))
        });
        holds.join()
    });
    assert!(panicked.is_err());
    assert_eq!(ledger.total(&block), Err(LedgerPoisoned));
    assert_eq!((&ledger).reserve(&demand), Err(LedgerPoisoned));
    assert_eq!((&ledger).close(&id, Close::Settle), Err(LedgerPoisoned));
    let error: &dyn core::error::Error = &LedgerPoisoned;
    assert!(error.to_string().contains("panicked") && error.source().is_none());
}
