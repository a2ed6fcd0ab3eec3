//! What a service wrote down earlier and now reads back: keys, and whose something is.

use crate::abi::{borrow, pg_bytes, text};
use crate::code::{numbered, pg_code};
use parley_grants::{Committed, Origin, Owner, RecordedKey};

/// Whose INTENT made a proposal. No number of another kind, nor 0 or 1, is one of these.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum pg_origin_kind {
    /// Nobody in particular asked for it: it can never be committed.
    PG_ORIGIN_ANONYMOUS = 21,
    /// Asked for with the verified proof of `holder`, where the service wanted no grant: `holder` may commit it, under a grant of any
    /// principal that the service trusts.
    PG_ORIGIN_WITHOUT_GRANT = 22,
    /// Asked for with the verified proof of `holder` and a grant of `principal`: only they may commit it. The usual kind.
    PG_ORIGIN_WITH_GRANT = 23,
}

/// Whose INTENT made a proposal, as it was stored beside it: the texts of pg_decision_holder and pg_decision_issuer of that INTENT. A
/// text that is no key matches nobody.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pg_origin {
    /// One of pg_origin_kind.
    pub kind: u32,
    /// Not looked at for PG_ORIGIN_ANONYMOUS.
    pub holder: pg_bytes,
    /// Looked at only for PG_ORIGIN_WITH_GRANT.
    pub principal: pg_bytes,
}

/// Whether the principal of a commit was written down. No number of another kind, nor 0 or 1, is one of these.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum pg_commit_kind {
    /// A commit whose principal was not written down: nobody may undo it, and its holder gets the first answer again under a grant of
    /// any principal that the service trusts.
    PG_COMMITTED_WITHOUT_PRINCIPAL = 31,
    /// A commit with its principal: the usual kind.
    PG_COMMITTED_WITH_PRINCIPAL = 32,
}

/// Who committed what, as it was stored with the receipt: the texts of pg_decision_holder, _issuer, _capability and _hash of the
/// COMMIT that was allowed. A text that is no key matches nobody.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pg_committed {
    /// One of pg_commit_kind.
    pub kind: u32,
    pub holder: pg_bytes,
    /// Not looked at for PG_COMMITTED_WITHOUT_PRINCIPAL.
    pub principal: pg_bytes,
    pub capability: pg_bytes,
    pub hash: pg_bytes,
}

/// Who may expand a handle. No number of another kind, nor 0 or 1, is one of these.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum pg_owner_kind {
    /// Anyone who knows it: it was made for a request without a verified proof.
    PG_OWNER_ANYONE = 41,
    /// Only this key: its verified proof was on the request that the handle was made for.
    PG_OWNER_KEY = 42,
}

/// Who may expand a handle, as it was stored with the handle. A text that is no key matches nobody.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pg_owner {
    /// One of pg_owner_kind.
    pub kind: u32,
    /// Not looked at for PG_OWNER_ANYONE.
    pub key: pg_bytes,
}

/// # Safety
/// Null, or as the header says.
pub(crate) unsafe fn read_origin(origin: *const pg_origin) -> Result<Origin, pg_code> {
    // SAFETY: the caller's.
    let origin = unsafe { borrow(origin) }?;
    // What the kind has no use for is not followed: it may point anywhere.
    // SAFETY: the caller's.
    let holder = || unsafe { recorded(origin.holder) };
    // SAFETY: the caller's.
    let principal = || unsafe { recorded(origin.principal) };
    match origin.kind {
        kind if kind == pg_origin_kind::PG_ORIGIN_ANONYMOUS.number() => Ok(Origin::anonymous()),
        kind if kind == pg_origin_kind::PG_ORIGIN_WITHOUT_GRANT.number() => {
            Ok(Origin::without_grant(holder()?))
        }
        kind if kind == pg_origin_kind::PG_ORIGIN_WITH_GRANT.number() => {
            Ok(Origin::with_grant(holder()?, principal()?))
        }
        _ => Err(pg_code::PG_ERROR_ENUM),
    }
}

/// # Safety
/// Null, or as the header says.
pub(crate) unsafe fn committed(of: *const pg_committed) -> Result<Committed, pg_code> {
    // SAFETY: the caller's.
    let of = unsafe { borrow(of) }?;
    // SAFETY: the caller's.
    let (holder, capability) = (unsafe { recorded(of.holder) }?, unsafe { text(of.capability) }?);
    // SAFETY: the caller's.
    let hash = unsafe { text(of.hash) }?;
    if of.kind == pg_commit_kind::PG_COMMITTED_WITHOUT_PRINCIPAL.number() {
        return Ok(Committed::without_principal(holder, capability, hash));
    }
    if of.kind == pg_commit_kind::PG_COMMITTED_WITH_PRINCIPAL.number() {
        // SAFETY: the caller's.
        let principal = unsafe { recorded(of.principal) }?;
        return Ok(Committed::recorded(holder, principal, capability, hash));
    }
    Err(pg_code::PG_ERROR_ENUM)
}

/// # Safety
/// Null, or as the header says.
pub(crate) unsafe fn read_owner(owner: *const pg_owner) -> Result<Owner, pg_code> {
    // SAFETY: the caller's.
    let owner = unsafe { borrow(owner) }?;
    if owner.kind == pg_owner_kind::PG_OWNER_ANYONE.number() {
        return Ok(Owner::Anyone);
    }
    if owner.kind == pg_owner_kind::PG_OWNER_KEY.number() {
        // SAFETY: the caller's.
        return Ok(Owner::Key(unsafe { recorded(owner.key) }?));
    }
    Err(pg_code::PG_ERROR_ENUM)
}

/// A key that was written down. Whatever is no key, bytes that are no text too, matches nobody.
///
/// # Safety
/// Bytes as the header says.
unsafe fn recorded(key: pg_bytes) -> Result<RecordedKey, pg_code> {
    // SAFETY: the caller's.
    match unsafe { text(key) } {
        Ok(key) => Ok(RecordedKey::read(key)),
        Err(pg_code::PG_ERROR_UTF8) => Ok(RecordedKey::Unreadable),
        Err(error) => Err(error),
    }
}

numbered!(pg_origin_kind, pg_commit_kind, pg_owner_kind);
