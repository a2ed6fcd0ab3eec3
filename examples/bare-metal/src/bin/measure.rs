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

/// What no request with up to four blocks may take, and the stack no request at all.
const MOST_HEAP: usize = 32 * 1024;
const MOST_STACK: usize = 16 * 1024;

/// 1 is for a request that took more than it may, 2 for one that cannot be read, 3 for measures that measure wrong.
fn main() -> u8 {
    if !measures_right() {
        return 3;
    }
    let Some(mut out) = Out::output() else { return 2 };
    let mut kept_to_it = true;
    for line in REQUESTS.lines() {
        let Some(request) = Line::read(line) else { return 2 };
        let ((allowed, heap), stack) = stack::depth(|| heap::peak(|| request.decide()));
        let Some(allowed) = allowed else { return 2 };
        kept_to_it &= stack <= MOST_STACK && (heap <= MOST_HEAP || request.name.contains("16 blocks"));
        let said = if allowed { "allowed" } else { "refused" };
        // At once, as the next one may be too much for the machine.
        if writeln!(out, "{}\t{said}\t{heap}\t{stack}", request.name).and_then(|()| out.flush()).is_err() {
            return 2;
        }
    }
    u8::from(!kept_to_it)
}

/// Work whose needs are known.
fn measures_right() -> bool {
    #[inline(never)]
    fn two_thousand_bytes(byte: u8) -> u8 {
        let bytes = black_box([byte; 2000]);
        bytes.iter().fold(0, |sum, byte| sum ^ byte)
    }
    let (_, stack) = stack::depth(|| two_thousand_bytes(black_box(7)));
    let (_, heap) = heap::peak(|| {
        drop(black_box(Vec::<u8>::with_capacity(700)));
        drop(black_box((Vec::<u8>::with_capacity(500), Vec::<u8>::with_capacity(500))));
    });
    // Between the two functions are a few registers, and the array may be there twice.
    (2000..4300).contains(&stack) && heap == 1000
}

struct Line<'t> {
    name: &'t str,
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
        let (name, verb, proof, tokens, of) = (next()?, next()?, next()?, next()?, next()?);
        Some(Self { name, verb, proof, tokens, of, hash: next().unwrap_or_default() })
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
        let token_bytes = if self.name.contains("16 blocks") { 8 * 1024 } else { 4 * 1024 };
        let limits = Limits::default().with_token_bytes(token_bytes).with_grants(2);
        limits.with_json_bytes(1024).with_proof_bytes(1024)
    }
}
