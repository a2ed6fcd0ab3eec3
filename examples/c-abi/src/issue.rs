//! Signing, for agents and wallets: only with the feature `issue`.

use crate::abi::{OutHandle, borrow, bytes, free, guard, guard_or, list, pg_bytes, pg_text, text};
use crate::code::pg_code;
use crate::helpers::made;
use crate::verifier::{parse_key, pg_grant};
use parley_grants::issue::{self, Seed};
use parley_grants::{Caveat, Proposal, Verb};

/// A signing key. It is wiped when it is freed, and cannot be read back.
pub struct pg_seed {
    seed: Seed,
}

/// A signing key from its text, base64url of 32 bytes; wiping that is the caller's. PG_ERROR_INPUT when it is none. Ended by
/// pg_seed_free.
///
/// Threads: any, at any time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pg_seed_read(encoded: pg_bytes, seed: *mut *mut pg_seed) -> pg_code {
    guard(|| {
        // SAFETY: a place for a handle.
        let out = unsafe { OutHandle::needed(seed) }?;
        // SAFETY: bytes as the header says.
        let read = Seed::from_text(unsafe { text(encoded) }?);
        out.put(pg_seed { seed: read.map_err(|_| pg_code::PG_ERROR_INPUT)? });
        Ok(pg_code::PG_OK)
    })
}

/// Wipes and ends a signing key; null is nothing to end.
///
/// Threads: one, after all calls that use it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pg_seed_free(seed: *mut pg_seed) {
    // SAFETY: null, or a handle that the caller has not freed, and does not use again.
    guard_or((), || unsafe { free(seed) });
}

/// The public key of a signing key. Ended by pg_text_free.
///
/// Threads: any, with others that use the seed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pg_seed_public(seed: *const pg_seed, key: *mut *mut pg_text) -> pg_code {
    guard(|| {
        // SAFETY: a place for a handle.
        let out = unsafe { OutHandle::needed(key) }?;
        // SAFETY: null, or a handle that lives.
        out.put(pg_text::new(unsafe { borrow(seed) }?.seed.public_key()));
        Ok(pg_code::PG_OK)
    })
}

/// Signs a root grant: `subject` may act for the seed's key within the caveats, each by its JSON text. `issued_at` is in unix seconds;
/// `nonce` is any text that makes this grant differ from another. PG_ERROR_INPUT for what no verifier would accept; then `why`, where it
/// is not null, may get the reason. Both are ended by pg_text_free.
///
/// Threads: as pg_seed_public.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pg_issue(
    seed: *const pg_seed,
    subject: pg_bytes,
    caveats: *const pg_bytes,
    caveat_count: usize,
    issued_at: i64,
    nonce: pg_bytes,
    token: *mut *mut pg_text,
    why: *mut *mut pg_text,
) -> pg_code {
    // SAFETY: pointers as the header says.
    unsafe {
        made(token, why, || {
            let (seed, subject) = (&borrow(seed)?.seed, parse_key(text(subject)?)?);
            let (caveats, nonce) = (read_caveats(caveats, caveat_count)?, text(nonce)?);
            let draft = issue::prepare_root(seed.public_key(), &subject, &caveats, issued_at, nonce);
            Ok(draft.and_then(|draft| draft.sign(seed)))
        })
    }
}

/// Signs a delegation: the holder of the grant hands it on to `subject`, narrowed by the caveats. As pg_issue; the seed must be the
/// holder's.
///
/// Threads: as pg_seed_public; any, with others that use the grant.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pg_delegate(
    grant: *const pg_grant,
    seed: *const pg_seed,
    subject: pg_bytes,
    caveats: *const pg_bytes,
    caveat_count: usize,
    issued_at: i64,
    token: *mut *mut pg_text,
    why: *mut *mut pg_text,
) -> pg_code {
    // SAFETY: pointers as the header says.
    unsafe {
        made(token, why, || {
            let (grant, seed) = (borrow(grant)?.verified(), &borrow(seed)?.seed);
            let (subject, caveats) = (parse_key(text(subject)?)?, read_caveats(caveats, caveat_count)?);
            let draft = issue::prepare_delegation(grant, &subject, &caveats, issued_at);
            Ok(draft.and_then(|draft| draft.sign(seed)))
        })
    }
}

/// Signs a consent: the seed's key lets `agent` commit exactly this proposal, by its JSON text, at this service. As pg_issue. That the
/// proposal is the one that the human was shown is the caller's to see to.
///
/// Threads: as pg_seed_public.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pg_consent(
    seed: *const pg_seed,
    agent: pg_bytes,
    proposal: pg_bytes,
    service: pg_bytes,
    issued_at: i64,
    nonce: pg_bytes,
    token: *mut *mut pg_text,
    why: *mut *mut pg_text,
) -> pg_code {
    // SAFETY: pointers as the header says.
    unsafe {
        made(token, why, || {
            let (seed, agent) = (&borrow(seed)?.seed, parse_key(text(agent)?)?);
            let (proposal, service, nonce) = (bytes(proposal)?, text(service)?, text(nonce)?);
            Ok(Proposal::parse(proposal).and_then(|proposal| {
                let key = seed.public_key();
                issue::prepare_consent(key, &agent, &proposal, service, issued_at, nonce)?.sign(seed)
            }))
        })
    }
}

/// Signs a proof of possession, as JSON: the seed's key asks `service` for `verb` with `target` at `time`. PG_ERROR_INPUT for a verb
/// that is none, and as for pg_issue.
///
/// Threads: as pg_seed_public.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pg_sign_proof(
    seed: *const pg_seed,
    service: pg_bytes,
    verb: pg_bytes,
    target: pg_bytes,
    time: i64,
    proof: *mut *mut pg_text,
    why: *mut *mut pg_text,
) -> pg_code {
    // SAFETY: pointers as the header says.
    unsafe {
        made(proof, why, || {
            let (seed, service) = (&borrow(seed)?.seed, text(service)?);
            let verb = Verb::read(text(verb)?).ok_or(pg_code::PG_ERROR_INPUT)?;
            let draft = issue::prepare_proof(seed.public_key(), service, verb, text(target)?, time);
            Ok(draft.and_then(|draft| draft.sign(seed)))
        })
    }
}

/// # Safety
/// As for [`list`], and each as for [`bytes`].
unsafe fn read_caveats(caveats: *const pg_bytes, count: usize) -> Result<Vec<Caveat>, pg_code> {
    // SAFETY: the caller's.
    let caveats = unsafe { list(caveats, count) }?;
    let read = caveats.iter().map(|caveat| {
        // SAFETY: the caller's.
        Caveat::parse(unsafe { bytes(*caveat) }?).map_err(|_| pg_code::PG_ERROR_INPUT)
    });
    read.collect()
}
