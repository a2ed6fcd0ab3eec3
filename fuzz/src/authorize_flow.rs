//! The input is choices (`flow.rs`): attempts at COMMITs over one ledger and one claim store, step by step, in any order, with
//! crashes between any two of them.

use crate::allowed::{ends, holder, line, says_what_it_is};
use crate::attempt::{Asked, Expected, Held, Receipt, refused};
use crate::books::{Books, Cost, Names};
use crate::flow::{Course, Flow};
use crate::hand::{self, Json};
use crate::model::{Recorded, Request, Shown};
use crate::put::{self, Made};
use arbitrary::{Arbitrary as _, Unstructured};
use parley_grants::{
    Allowed, BlockId, Claim, Claimed, Claims as _, Close, Closed, Commit, Decision, End, Ledger as _,
    MemoryClaims, MemoryLedger, Pending, Presented, PublicKey, Reservation, ReservationId, Reserve, Step,
    Ticket, Verifier,
};

/// Far longer than any proposal here is good for.
const LONG: i64 = 100_000_000;

pub fn run(data: &[u8]) {
    let Ok(flow) = Flow::arbitrary(&mut Unstructured::new(data)) else { return };
    let blocks: Vec<_> = flow.grants.iter().map(hand::make).collect();
    let mut made = Made::of(&flow.grants, &blocks);
    made.keep();
    let asked: Vec<Asked<'_>> =
        flow.attempts.iter().map(|attempt| Asked::of(attempt, &flow, &made)).collect();
    let presented: Vec<Presented<'_>> = asked.iter().map(Asked::presented).collect();
    let commits: Vec<Commit<'_>> = asked.iter().map(Asked::commit).collect();

    let verifier = put::verifier();
    let mut world = World {
        verifier: &verifier,
        flow: &flow,
        blocks: &blocks,
        ledger: MemoryLedger::with_bounds(flow.bounds),
        books: Books::of(flow.bounds),
        claims: MemoryClaims::with_room(flow.room),
        names: Names::with_room(flow.room),
        executed: Vec::new(),
        done: None,
        now: i64::MIN,
    };
    let mut states: Vec<State<'_>> = asked.iter().map(|_| State::Idle).collect();
    for (at, course) in &flow.steps {
        let state = core::mem::replace(&mut states[*at], State::Over);
        world.now = world.now.max(asked[*at].attempt.now);
        states[*at] = world.step(state, &asked[*at], &presented[*at], &commits[*at], *course);
        world.check_totals();
    }
}

/// Where an attempt stands.
enum State<'w> {
    Idle,
    /// The ledger is to be asked; it has said this before.
    Asking(Box<Pending<'w, Vec<PublicKey>>>, Vec<Reserve>, Option<Held>),
    Allowed(Box<Allowed>, Reservation, Option<Held>),
    /// Allowed, and the action itself was done, or failed.
    Executed(Box<Allowed>, Reservation, Option<Held>, bool),
    /// The cost is counted for good, or is not; the claim is to be ended so.
    Closed(Option<Held>, bool),
    /// The process is gone, before the action was done or after it.
    Lost(Option<Held>, bool),
    Over,
}

struct World<'w> {
    verifier: &'w Verifier<Vec<PublicKey>>,
    flow: &'w Flow,
    blocks: &'w [Vec<hand::Made>],
    ledger: MemoryLedger,
    books: Books,
    claims: MemoryClaims,
    names: Names,
    /// The claims of what was executed.
    executed: Vec<Held>,
    done: Option<Receipt>,
    now: i64,
}

impl<'w> World<'w> {
    fn step(
        &mut self,
        state: State<'w>,
        asked: &'w Asked<'w>,
        presented: &'w Presented<'w>,
        commit: &'w Commit<'w>,
        course: Course,
    ) -> State<'w> {
        let crashes = course == Course::Crashes;
        match state {
            State::Idle => {
                let held = match self.claim(asked, presented) {
                    Ok(held) => held,
                    Err(()) => return State::Over,
                };
                let step = self.verifier.commit(commit, presented, asked.id());
                if crashes { State::Lost(held, false) } else { self.went(step, asked, Vec::new(), held) }
            }
            State::Asking(_, _, held) if crashes => State::Lost(held, false),
            State::Asking(pending, mut said, held) => {
                let demand = pending.demand();
                let Expected::Asks(index) = asked.expected(&said) else { panic!("asked again") };
                let cost = asked.cost(self.blocks, index);
                let shown_cost = Cost {
                    proposal: demand.proposal.into(),
                    grant: *demand.grant.as_bytes(),
                    amount: demand.amount,
                    lines: demand.lines.iter().map(line).collect(),
                };
                assert_eq!(shown_cost, cost);
                assert_eq!((demand.id, demand.now), (asked.id(), asked.attempt.now));
                let Ok(answer) = self.ledger.reserve(&demand);
                self.books.reserve(asked.attempt.id, cost, asked.attempt.now, answer);
                said.push(answer);
                self.went(pending.answer(answer), asked, said, held)
            }
            State::Allowed(_, _, held) if crashes => State::Lost(held, false),
            State::Allowed(allowed, reservation, held) => {
                let is_done = course == Course::On && held.is_some();
                if let Some(held) = held.as_ref().filter(|_| is_done) {
                    self.execute(held);
                }
                State::Executed(allowed, reservation, held, is_done)
            }
            State::Executed(_, _, held, is_done) if crashes => State::Lost(held, is_done),
            State::Executed(allowed, reservation, held, is_done) => {
                assert_eq!(*reservation.id(), asked.id());
                self.close(reservation, asked.attempt.id, is_done);
                if let Some(of) = allowed.committed().filter(|_| is_done) {
                    let grant = asked.grants[allowed.grant_index().expect("of a grant")];
                    let (holder, principal) = (holder(grant), grant.issuer);
                    self.done = Some(Receipt { of, proposal: asked.offer().clone(), holder, principal });
                }
                State::Closed(held, is_done)
            }
            State::Closed(held, is_done) if crashes => State::Lost(held, is_done),
            State::Closed(held, is_done) => self.end(held, is_done),
            State::Lost(held, is_done) => {
                self.close(Reservation::resume(asked.id()), asked.attempt.id, is_done);
                self.end(held, is_done)
            }
            State::Over => {
                self.again(asked, presented);
                State::Over
            }
        }
    }

    /// Claims what must happen once. An error is that it may not go on.
    fn claim(&mut self, asked: &Asked<'_>, presented: &Presented<'_>) -> Result<Option<Held>, ()> {
        let now = self.now;
        let (claim, name, last) = match &asked.attempt.request {
            _ if !asked.attempt.claims => return Ok(None),
            Request::Auto { capability, frame, .. } => {
                let intent = Request::AutoIntent { capability: capability.clone(), frame: frame.clone() };
                let decision = self
                    .verifier
                    .authorize(&parley_grants::Request::AutoIntent { capability, frame }, presented);
                assert_eq!(
                    put::class_of(&decision),
                    asked.class(&intent, &asked.grants),
                    "{:#?}",
                    asked.attempt
                );
                let Decision::Allowed(allowed) = decision else { return Err(()) };
                let arrived = asked.attempt.now;
                let signed = if let Shown::Proof(_, skew) = asked.attempt.shown { skew } else { 0 };
                let claim = allowed.auto_claim(frame, arrived).expect("its key was shown");
                let (Shown::Proof(holder, _) | Shown::Word(holder)) = asked.attempt.shown else {
                    panic!("by nobody")
                };
                (claim, format!("auto {frame} of {holder}"), arrived + signed.max(0) + 899)
            }
            Request::Commit { proposal, .. } => {
                let hash = hand::proposal_hash(proposal);
                (Claim::for_commit(&hash, now + LONG), format!("commit {hash}"), now + LONG - 1)
            }
            _ => return Ok(None),
        };
        assert_eq!(claim.last(), Some(last), "{name}");
        let Ok(said) = self.claims.claim(&claim, now);
        self.names.claim(&name, claim.key(), last, now, &said);
        match said {
            Claimed::First(ticket) => {
                Ok(Some(Held { name, key: *ticket.key(), turn: ticket.turn(), claimed: now, last }))
            }
            Claimed::InProgress | Claimed::Done | Claimed::Full => Err(()),
        }
    }

    /// Nothing is executed twice while it is remembered.
    fn execute(&mut self, held: &Held) {
        // Who is slower than its own claim lasts executes late, but not for another: theirs are two times.
        let is_again = |other: &Held| {
            other.name == held.name && other.claimed <= held.last && held.claimed <= other.last
        };
        assert!(!self.executed.iter().any(is_again), "{} is executed again", held.name);
        self.executed.push(held.clone());
    }

    fn close(&mut self, reservation: Reservation, id: u64, settle: bool) {
        let closed =
            if settle { reservation.settle(&mut self.ledger) } else { reservation.release(&mut self.ledger) };
        let closed = closed.expect("in memory");
        assert_eq!(closed == Closed::Done, self.books.close(id, settle));
        // It ends once.
        let Ok(again) = self.ledger.close(&ReservationId::of(&id.to_string()), Close::Release);
        assert_eq!(again, Closed::NotHeld);
    }

    fn end(&mut self, held: Option<Held>, finish: bool) -> State<'w> {
        if let Some(Held { name, key, turn, .. }) = held {
            let how = if finish { End::Finish } else { End::Abandon };
            let Ok(said) = self.claims.end(&Ticket::from_parts(key, turn), how);
            self.names.end(&name, turn, finish, self.now, said);
            let Ok(again) = self.claims.end(&Ticket::from_parts(key, turn), End::Abandon);
            assert!(!again, "{name} ends twice");
        }
        State::Over
    }

    /// What has come of a step must be what the model says, given what the ledger said.
    fn went(
        &mut self,
        step: Step<'w, Vec<PublicKey>>,
        asked: &Asked<'_>,
        said: Vec<Reserve>,
        held: Option<Held>,
    ) -> State<'w> {
        let expected = asked.expected(&said);
        match step {
            Step::Reserve(pending) => {
                assert!(matches!(expected, Expected::Asks(_)), "asks again: {:#?}", asked.attempt);
                State::Asking(Box::new(pending), said, held)
            }
            Step::Execute(allowed, reservation) => {
                let Expected::Allowed(index) = expected else { panic!("allowed: {:#?}", asked.attempt) };
                let case = asked.case(&asked.attempt.request, &asked.grants);
                says_what_it_is(&allowed, &case, Some((index, asked.blocks(self.blocks, index))));
                State::Allowed(Box::new(allowed), reservation, held)
            }
            Step::Refused(refusal) => {
                refused(&refusal, &expected, asked);
                State::Closed(held, false)
            }
        }
    }

    /// What was committed, asked for again by whoever it is: the binding and the hard caveats decide alone, and nothing is paid.
    fn again(&self, asked: &Asked<'_>, presented: &Presented<'_>) {
        let (Some(done), Request::Commit { hash, .. }) = (&self.done, &asked.attempt.request) else { return };
        let (holder, principal) = (Recorded::Key(done.holder), Recorded::Key(done.principal));
        let (proposal, hash) = (done.proposal.clone(), hash.clone());
        let ask = parley_grants::Request::Replay { hash: &hash, of: &done.of };
        let decision = self.verifier.authorize(&ask, presented);
        let replay = Request::Commit { proposal, hash, holder, principal, replay: true };
        assert_eq!(put::class_of(&decision), asked.class(&replay, &asked.grants), "{:#?}", asked.attempt);
        if let Decision::Allowed(allowed) = decision {
            assert!(allowed.spend().is_empty() && allowed.cost().is_none() && allowed.committed().is_none());
        }
        // A proof for another verb would do for nothing here.
        if let (Shown::Word(_), Some(Json::Text(capability))) =
            (asked.attempt.shown, done.proposal.get("capability"))
        {
            let ask = parley_grants::Request::Undo { receipt: "r-1", of: &done.of };
            let undo = Request::Undo { capability: capability.clone(), principal };
            let decision = self.verifier.authorize(&ask, presented);
            assert_eq!(put::class_of(&decision), asked.class(&undo, &asked.grants), "{:#?}", asked.attempt);
        }
    }

    fn check_totals(&mut self) {
        for (made, grant) in self.blocks.iter().zip(&self.flow.grants) {
            for (made, end) in made.iter().zip(ends(grant)) {
                let said = self.ledger.total(&BlockId::from_bytes(made.id()));
                self.books.check(&made.id(), said, end, self.now);
            }
        }
    }
}
