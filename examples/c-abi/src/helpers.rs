//! Forms and names, and what a library says of itself.

use crate::abi::{Coded, Out, OutHandle, bytes, guard, pg_bytes, pg_id, pg_text, text};
use crate::code::pg_code;
use crate::verifier::parse_key;
use parley_grants::{BlockId, Error, Proposal, ProvenKey, ReservationId, Verb};

/// The version of the library that runs: major, minor and patch in the third, second and lowest byte. A program asks whether it is
/// the one that it was compiled for, PG_VERSION: before 1.0, other minor versions are other interfaces.
///
/// Threads: any, at any time.
#[unsafe(no_mangle)]
pub extern "C" fn pg_version() -> u32 {
    PG_VERSION
}

/// The version that this header is of.
pub const PG_VERSION: u32 = 0x00_0100;

/// The canonical form of a JSON text. PG_ERROR_INPUT when it has none; then `why`, where it is not null, gets the reason. Both are
/// ended by pg_text_free.
///
/// Threads: any, at any time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pg_canonicalize(
    json: pg_bytes,
    canonical: *mut *mut pg_text,
    why: *mut *mut pg_text,
) -> pg_code {
    // SAFETY: pointers as the header says.
    unsafe { made(canonical, why, || Ok(parley_grants::canonicalize(bytes(json)?))) }
}

/// The hash of a proposal, by its JSON text, which need not be canonical. PG_ERROR_INPUT when it has none; then `why`, where it is not
/// null, gets the reason. Both are ended by pg_text_free.
///
/// Threads: any, at any time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pg_proposal_hash(
    proposal: pg_bytes,
    hash: *mut *mut pg_text,
    why: *mut *mut pg_text,
) -> pg_code {
    // SAFETY: pointers as the header says.
    unsafe { made(hash, why, || Ok(parley_grants::proposal_hash(bytes(proposal)?))) }
}

/// Is this JSON text a well-formed proposal? PG_OK or PG_ERROR_INPUT; then `why`, where it is not null, gets the reason, ended by
/// pg_text_free. For what a service is about to offer or to store: pg_commit looks by itself.
///
/// Threads: any, at any time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pg_proposal_check(proposal: pg_bytes, why: *mut *mut pg_text) -> pg_code {
    guard(|| {
        // SAFETY: null, or a place for a handle.
        let why = unsafe { OutHandle::wanted(why) }?;
        // SAFETY: bytes as the header says.
        match Proposal::parse(unsafe { bytes(proposal) }?) {
            Ok(_) => Ok(pg_code::PG_OK),
            Err(error) => {
                why.put(pg_text::new(error));
                Err(pg_code::PG_ERROR_INPUT)
            }
        }
    })
}

/// Is this the text of a public key? PG_OK or PG_ERROR_INPUT.
///
/// Threads: any, at any time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pg_key_check(key: pg_bytes) -> pg_code {
    // SAFETY: bytes as the header says.
    guard(|| parse_key(unsafe { text(key) }?).map(|_| pg_code::PG_OK))
}

/// Checks a proof of possession by itself, for who binds requests to keys by other means than a verifier, which does all of it: what
/// comes out is a key, and no longer says what it was proven for. The verb is `ASK`, `INTENT`, `COMMIT`, `UNDO` or `EXPAND`.
/// PG_ERROR_INPUT when it is no proof of just this. The key is ended by pg_text_free.
///
/// Threads: any, at any time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pg_proof_check_unbound(
    proof: pg_bytes,
    service: pg_bytes,
    verb: pg_bytes,
    target: pg_bytes,
    now: i64,
    key: *mut *mut pg_text,
) -> pg_code {
    guard(|| {
        // SAFETY: a place for a handle.
        let out = unsafe { OutHandle::needed(key) }?;
        // SAFETY: bytes as the header says.
        let proof = unsafe { bytes(proof) }?;
        // SAFETY: the same.
        let service = unsafe { text(service) }?;
        // SAFETY: the same.
        let verb = Verb::read(unsafe { text(verb) }?).ok_or(pg_code::PG_ERROR_INPUT)?;
        // SAFETY: the same.
        let target = unsafe { text(target) }?;
        let proven = ProvenKey::from_unbound_proof(proof, service, verb, target, now);
        out.put(pg_text::new(proven.map_err(|_| pg_code::PG_ERROR_INPUT)?.key()));
        Ok(pg_code::PG_OK)
    })
}

/// A name for a reservation from a text that is unique to the attempt, by its hash: the service's own number for it, say. Never a text
/// that the agent chooses, nor the proposal's hash. PG_ERROR_INPUT for the empty text.
///
/// Threads: any, at any time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pg_reservation_of(name: pg_bytes, id: *mut pg_id) -> pg_code {
    guard(|| {
        // SAFETY: a place for an id.
        let out = unsafe { Out::new(id, pg_id::default()) }?;
        // SAFETY: bytes as the header says.
        let name = unsafe { text(name) }?;
        if name.is_empty() {
            return Err(pg_code::PG_ERROR_INPUT);
        }
        out.put(pg_id { bytes: *ReservationId::of(name).as_bytes() });
        Ok(pg_code::PG_OK)
    })
}

/// Reads the text of an id, 43 characters of base64url. PG_ERROR_INPUT when it is none.
///
/// Threads: any, at any time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pg_id_read(encoded: pg_bytes, id: *mut pg_id) -> pg_code {
    guard(|| {
        // SAFETY: a place for an id.
        let out = unsafe { Out::new(id, pg_id::default()) }?;
        // SAFETY: bytes as the header says.
        let read: BlockId = unsafe { text(encoded) }?.parse().map_err(|_| pg_code::PG_ERROR_INPUT)?;
        out.put(pg_id { bytes: *read.as_bytes() });
        Ok(pg_code::PG_OK)
    })
}

/// The text of an id. Ended by pg_text_free.
///
/// Threads: any, at any time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pg_id_write(id: *const pg_id, encoded: *mut *mut pg_text) -> pg_code {
    guard(|| {
        // SAFETY: a place for a handle.
        let out = unsafe { OutHandle::needed(encoded) }?;
        // SAFETY: null, or an id.
        let id = unsafe { crate::abi::borrow(id) }?;
        out.put(pg_text::new(BlockId::from_bytes(id.bytes)));
        Ok(pg_code::PG_OK)
    })
}

/// Gives a text that was made, or why it was not.
///
/// # Safety
/// Each null, or a place for a handle.
pub(crate) unsafe fn made(
    place: *mut *mut pg_text,
    why: *mut *mut pg_text,
    make: impl FnOnce() -> Result<Result<String, Error>, pg_code>,
) -> pg_code {
    let body = || -> Coded {
        // SAFETY: the caller's.
        let out = unsafe { OutHandle::needed(place) };
        // SAFETY: the caller's.
        let why = unsafe { OutHandle::wanted(why) }?;
        let out = out?;
        match make()? {
            Ok(text) => {
                out.put(pg_text::new(text));
                Ok(pg_code::PG_OK)
            }
            Err(error) => {
                why.put(pg_text::new(error));
                Err(pg_code::PG_ERROR_INPUT)
            }
        }
    };
    guard(body)
}
