//! What authorizing a request takes of the heap and of the stack, on a machine with 64 KiB of memory.

#![no_std]
#![no_main]

extern crate alloc;

use alloc::vec::Vec;
use core::fmt::Write as _;
use core::hint::black_box;
use parley_grants::{
    Commit, Decision, Limits, MemoryLedger, Offered, Origin, Possession, Presentable, Presented, PublicKey,
    RecordedKey, Request, ReservationId, Verifier,
};
use parley_grants_bare_metal::semihosting::Out;
use parley_grants_bare_metal::{heap, stack};

parley_grants_bare_metal::program!(main);

/// See `requests.py`, which keeps to the limits below.
const REQUESTS: &str = include_str!("../../requests.txt");
const SERVICE: &str = "shop.example";
const PRINCIPAL: &str = "ed25519:iojj3XQJ8ZX9UtstPLpdcspnCb8dlBIb83SIAbQPb1w";
const HOLDER: &str = "ed25519:gTl3Dqh9F19Wo1Rmw0x-zMuNipG07jeiXfYPW4_Js5Q";
const NOW: i64 = 1_790_000_000;

/// What no request may take.
const MOST_HEAP: usize = 32 * 1024;
const MOST_STACK: usize = 16 * 1024;

/// 1 is for a request that took more than it may or was answered wrong, 2 for one that cannot be read, 3 for measures that
/// measure wrong.
fn main() -> u8 {
    if !measures_right() {
        return 3;
    }
    let Some(mut out) = Out::output() else { return 2 };
    let mut kept_to_it = true;
    for line in REQUESTS.lines() {
        let Some(request) = Line::read(line) else { return 2 };
        let (stack, (allowed, heap)) = measured(|| request.decide());
        let (Some(stack), Some(allowed)) = (stack, allowed) else { return 2 };
        let said = if allowed { "allowed" } else { "refused" };
        kept_to_it &= said == request.expected && stack <= MOST_STACK && heap <= MOST_HEAP;
        // At once, as the next one may be too much for the machine.
        if writeln!(out, "{}\t{said}\t{heap}\t{stack}", request.name).and_then(|()| out.flush()).is_err() {
            return 2;
        }
    }
    u8::from(!kept_to_it)
}

/// How deep the stack got, what came of the work, and how many bytes of heap it had at most.
fn measured<T: Default>(work: impl Fn() -> T) -> (Option<usize>, (T, usize)) {
    let mut found = (T::default(), 0);
    let stack = stack::depth(&mut || found = heap::peak(&work));
    (stack, found)
}

/// Work whose needs are known.
fn measures_right() -> bool {
    fn bytes<const N: usize>() -> u8 {
        black_box([black_box(7_u8); N]).iter().fold(0, |sum, byte| sum ^ byte)
    }
    let (none, _) = measured(|| ());
    let (some, (_, no_heap)) = measured(bytes::<2000>);
    let (above, _) = measured(bytes::<{ MOST_STACK + 1 }>);
    let (all, _) = measured(bytes::<{ 30 * 1024 }>);
    let (_, (_, heap)) = measured(|| {
        drop(black_box(Vec::<u8>::with_capacity(700)));
        drop(black_box((Vec::<u8>::with_capacity(500), Vec::<u8>::with_capacity(500))));
    });
    let (Some(none), Some(some), Some(above)) = (none, some, above) else { return false };
    // Its frame is in place of that of nothing, and the array may be there twice.
    (1900..4300).contains(&(some - none))
        && above > MOST_STACK
        && all.is_none()
        && no_heap == 0
        && heap == 1000
}

struct Line<'t> {
    name: &'t str,
    expected: &'t str,
    verb: &'t str,
    proof: &'t str,
    tokens: &'t str,
    of: &'t str,
    hash: &'t str,
}

impl<'t> Line<'t> {
    fn read(line: &'t str) -> Option<Self> {
        let mut fields = line.split('\t');
        let mut next = || fields.next();
        let (name, expected, verb) = (next()?, next()?, next()?);
        let (proof, tokens, of) = (next()?, next()?, next()?);
        Some(Self { name, expected, verb, proof, tokens, of, hash: next().unwrap_or_default() })
    }

    /// The decision, as a service makes it: was it allowed? `None` is for no request.
    fn decide(&self) -> Option<bool> {
        let verifier =
            Verifier::new(SERVICE, [PRINCIPAL.parse::<PublicKey>().ok()?]).with_limits(self.limits());
        let grants: Vec<_> = self.tokens.split(' ').map(Presentable::Token).collect();
        let proof = Possession::Proof(self.proof.as_bytes());
        let presented = Presented { grants: &grants, proof, now: NOW };
        match self.verb {
            "ASK" => {
                let decision = verifier.authorize(&Request::Ask { capability: self.of }, &presented);
                Some(matches!(decision, Decision::Allowed(_)))
            }
            "COMMIT" => {
                let principal = RecordedKey::read(PRINCIPAL);
                let origin = Origin::with_grant(RecordedKey::read(HOLDER), principal);
                let proposal = Offered::Text(self.of.as_bytes());
                let commit = Commit::Sent { proposal, hash: self.hash, origin: &origin };
                let step = verifier.commit(&commit, &presented, ReservationId::of("1"));
                Some(matches!(step.drive(&mut MemoryLedger::default()), Ok(Ok(_))))
            }
            _ => None,
        }
    }

    /// Those for such a machine. Sixteen blocks need longer tokens.
    fn limits(&self) -> Limits {
        let token_bytes = if self.name.contains("16 blocks") { 8 * 1024 } else { 3 * 1024 };
        let limits = Limits::default().with_token_bytes(token_bytes).with_grants(2);
        limits.with_json_bytes(1024).with_proof_bytes(1024)
    }
}
