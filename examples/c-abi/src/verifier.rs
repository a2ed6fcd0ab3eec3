//! A service's verifier, and grants that it keeps.

use crate::abi::{OutHandle, borrow, free, guard, guard_or, list, pg_bytes, pg_id, pg_text, text};
use crate::code::pg_code;
use parley_grants::{BlockId, Limits, Link, PublicKey, Revoke, VerifiedGrant, Verifier};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Bounds on the work that input may cause. They can only be lowered: more than the default counts as the default, so SIZE_MAX is the
/// default. 0 is a bound of 0.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pg_limits {
    /// Longest token, in bytes (64 KiB).
    pub token_bytes: usize,
    /// Most blocks in a grant (16).
    pub blocks: usize,
    /// Most caveats in a block (64).
    pub caveats: usize,
    /// Most grants with a request (16).
    pub grants: usize,
    /// Most nested arrays and objects (32).
    pub depth: usize,
    /// Longest JSON text that is no token, in bytes (1 MiB).
    pub json_bytes: usize,
    /// Longest text that a proof signs, in bytes (64 KiB).
    pub proof_bytes: usize,
}

/// What a verifier is made of: the service's own id, the texts of the keys of the principals that it trusts, the ids of the blocks
/// that it no longer honours, and limits, or null for the defaults.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pg_settings {
    pub service: pg_bytes,
    pub principals: *const pg_bytes,
    pub principal_count: usize,
    pub revoked: *const pg_id,
    pub revoked_count: usize,
    pub limits: *const pg_limits,
}

/// A service's verifier. It never changes: a service whose trust or revocations change makes another, lets new requests use it, and
/// frees the old one when the last request that uses it has ended.
pub struct pg_verifier {
    verifier: Arc<Service>,
}

/// A grant whose signatures were verified, to be presented again.
pub struct pg_grant {
    verified: Arc<VerifiedGrant>,
}

pub(crate) type Service = Verifier<BTreeSet<PublicKey>, Revoked>;

/// Blocks that are no longer honoured.
pub(crate) struct Revoked(BTreeSet<BlockId>);

impl Revoke for Revoked {
    fn is_revoked(&self, link: &Link<'_>) -> bool {
        self.0.contains(link.block)
    }
}

impl pg_verifier {
    pub(crate) const fn service(&self) -> &Arc<Service> {
        &self.verifier
    }
}

impl pg_grant {
    pub(crate) const fn verified(&self) -> &Arc<VerifiedGrant> {
        &self.verified
    }
}

/// Makes a verifier, ended by pg_verifier_free. PG_ERROR_INPUT when a principal is no key, or a revoked id is 32 zeros. The settings are copied.
///
/// Threads: any, at any time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pg_verifier_new(
    settings: *const pg_settings,
    verifier: *mut *mut pg_verifier,
) -> pg_code {
    guard(|| {
        // SAFETY: a place for a handle.
        let out = unsafe { OutHandle::needed(verifier) }?;
        // SAFETY: null, or settings as the header says.
        let settings = unsafe { borrow(settings) }?;
        // SAFETY: the same.
        let service = unsafe { text(settings.service) }?;
        // SAFETY: the same.
        let principals = unsafe { list(settings.principals, settings.principal_count) }?;
        // SAFETY: the same.
        let principals = principals.iter().map(|key| parse_key(unsafe { text(*key) }?));
        let principals = principals.collect::<Result<BTreeSet<_>, _>>()?;
        // SAFETY: the same.
        let revoked = unsafe { list(settings.revoked, settings.revoked_count) }?;
        // What a failed pg_id_read leaves is no block's id: with it, a revocation would be lost.
        if revoked.contains(&pg_id::default()) {
            return Err(pg_code::PG_ERROR_INPUT);
        }
        let revoked = revoked.iter().map(|id| BlockId::from_bytes(id.bytes)).collect();
        let limits = if settings.limits.is_null() {
            Limits::default()
        } else {
            // SAFETY: the same.
            limits(unsafe { borrow(settings.limits) }?)
        };
        let service =
            Verifier::new(service, principals).with_limits(limits).with_revocation(Revoked(revoked));
        out.put(pg_verifier { verifier: Arc::new(service) });
        Ok(pg_code::PG_OK)
    })
}

/// Ends a verifier; null is nothing to end. Kept grants, decisions and pending COMMITs outlive it.
///
/// Threads: one, after all calls that use it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pg_verifier_free(verifier: *mut pg_verifier) {
    // SAFETY: null, or a handle that the caller has not freed, and does not use again.
    guard_or((), || unsafe { free(verifier) });
}

/// Verifies a token once, to be kept and presented again: from then on a request costs one signature check. This alone allows
/// nothing. Holder, trust and revocation are looked at whenever it is presented, to any verifier. Keep it by the whole text of the token.
///
/// PG_ERROR_INPUT when it is no valid grant of a trusted principal; then `why`, where it is not null, gets the reason, for the
/// service's own log. The grant is ended by pg_grant_free, the reason by pg_text_free.
///
/// Threads: any, with others that use the verifier.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pg_verifier_verify(
    verifier: *const pg_verifier,
    token: pg_bytes,
    grant: *mut *mut pg_grant,
    why: *mut *mut pg_text,
) -> pg_code {
    guard(|| {
        // SAFETY: a place for a handle.
        let out = unsafe { OutHandle::needed(grant) };
        // SAFETY: null, or a place for a handle.
        let why = unsafe { OutHandle::wanted(why) }?;
        let out = out?;
        // SAFETY: null, or a handle that lives.
        let verifier = unsafe { borrow(verifier) }?;
        // SAFETY: bytes as the header says.
        let token = unsafe { text(token) }?;
        match verifier.verifier.verify(token) {
            Ok(verified) => {
                out.put(pg_grant { verified: Arc::new(verified) });
                Ok(pg_code::PG_OK)
            }
            Err(error) => {
                why.put(pg_text::new(error));
                Err(pg_code::PG_ERROR_INPUT)
            }
        }
    })
}

/// Ends a kept grant; null is nothing to end. Pending COMMITs outlive it.
///
/// Threads: one, after all calls that use it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pg_grant_free(grant: *mut pg_grant) {
    // SAFETY: null, or a handle that the caller has not freed, and does not use again.
    guard_or((), || unsafe { free(grant) });
}

/// What a kept grant says, in words: its id, principal and holder, and the caveats of each block. Ended by pg_text_free.
///
/// Threads: any, with others that use the grant.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pg_grant_describe(
    grant: *const pg_grant,
    description: *mut *mut pg_text,
) -> pg_code {
    guard(|| {
        // SAFETY: a place for a handle.
        let out = unsafe { OutHandle::needed(description) }?;
        // SAFETY: null, or a handle that lives.
        let grant = unsafe { borrow(grant) }?;
        out.put(pg_text::new(grant.verified.grant()));
        Ok(pg_code::PG_OK)
    })
}

pub(crate) fn parse_key(text: &str) -> Result<PublicKey, pg_code> {
    text.parse().map_err(|_| pg_code::PG_ERROR_INPUT)
}

fn limits(of: &pg_limits) -> Limits {
    Limits::default()
        .with_token_bytes(of.token_bytes)
        .with_blocks(of.blocks)
        .with_caveats(of.caveats)
        .with_grants(of.grants)
        .with_depth(of.depth)
        .with_json_bytes(of.json_bytes)
        .with_proof_bytes(of.proof_bytes)
}
