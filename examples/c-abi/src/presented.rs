//! What came with a request, as C gives it and as the crate takes it.

use crate::abi::{borrow, bytes, list, pg_bytes, text};
use crate::code::{numbered, pg_code};
use crate::verifier::pg_grant;
use parley_grants::{Possession, Presentable, PublicKey, VerifiedGrant};
use std::borrow::Cow;
use std::sync::Arc;

/// A grant as it is presented: one that was kept, with no token; or the text of a token, with `kept` null.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pg_presentable {
    pub kept: *const pg_grant,
    pub token: pg_bytes,
}

/// How a request shows whose it is. No number of another kind, nor 0 or 1, is one of these.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum pg_possession {
    /// Not at all.
    PG_POSSESSION_NONE = 11,
    /// By the JSON text of a proof.
    PG_POSSESSION_PROOF = 12,
    /// By the caller's word, with the text of a key: something else authenticated this very request as that key's. A wrong word is
    /// a full break of every grant that the key holds.
    PG_POSSESSION_ASSUME_PROVEN = 13,
}

/// What came with a request, and when: the grants in the agent's order, the proof or key, and the service's time in unix seconds.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct pg_presented {
    pub grants: *const pg_presentable,
    pub grant_count: usize,
    /// One of pg_possession.
    pub possession: u32,
    /// The proof or the key; not looked at for PG_POSSESSION_NONE.
    pub possessed: pg_bytes,
    pub now: i64,
}

/// The highest limits, as at `pg_limits`.
const MOST_GRANTS: usize = 16;
const MOST_TOKEN_BYTES: usize = 64 * 1024;
pub(crate) const MOST_JSON_BYTES: usize = 1024 * 1024;

/// What is longer than a limit, cut to one byte more than that.
pub(crate) fn cut(bytes: &[u8], most: usize) -> &[u8] {
    bytes.get(..most.saturating_add(1)).unwrap_or(bytes)
}

/// The same for a text, cut after the character with that byte.
pub(crate) fn cut_text(text: &str, most: usize) -> &str {
    let mut ends = most.saturating_add(1)..=most.saturating_add(4);
    ends.find_map(|end| text.get(..end)).unwrap_or(text)
}

/// One grant.
pub(crate) enum Given<'a> {
    Token(Cow<'a, str>),
    Kept(Arc<VerifiedGrant>),
}

/// How a request shows whose it is.
pub(crate) enum Shown<'a> {
    Nothing,
    Proof(Cow<'a, [u8]>),
    Assumed(PublicKey),
}

/// A `pg_presented` whose pointers are followed.
pub(crate) struct Asking<'a> {
    grants: Vec<Given<'a>>,
    shown: Shown<'a>,
    pub(crate) now: i64,
}

impl<'a> Asking<'a> {
    /// # Safety
    /// Null, or as the header says, with all that it points to, during `'a`.
    pub(crate) unsafe fn read(presented: *const pg_presented) -> Result<Self, pg_code> {
        // SAFETY: the caller's.
        let presented = unsafe { borrow(presented) }?;
        // SAFETY: the caller's.
        let grants = unsafe { list(presented.grants, presented.grant_count) }?;
        // SAFETY: the caller's.
        let grants = grants.iter().map(|grant| unsafe { Given::read(grant) });
        let grants = grants.collect::<Result<Vec<_>, _>>()?;
        // What the kind has no use for is not followed: it may point anywhere.
        // SAFETY: the caller's.
        let possessed = || unsafe { bytes(presented.possessed) };
        let shown = match presented.possession {
            kind if kind == pg_possession::PG_POSSESSION_NONE.number() => Shown::Nothing,
            kind if kind == pg_possession::PG_POSSESSION_PROOF.number() => {
                Shown::Proof(Cow::Borrowed(possessed()?))
            }
            kind if kind == pg_possession::PG_POSSESSION_ASSUME_PROVEN.number() => {
                let key = std::str::from_utf8(possessed()?).map_err(|_| pg_code::PG_ERROR_UTF8)?;
                Shown::Assumed(key.parse().map_err(|_| pg_code::PG_ERROR_INPUT)?)
            }
            _ => return Err(pg_code::PG_ERROR_ENUM),
        };
        Ok(Self { grants, shown, now: presented.now })
    }

    /// The same, with copies of what C may free before the COMMIT is decided. Of what is beyond the highest limits, just so much
    /// is copied that it is still beyond them.
    pub(crate) fn into_owned(self) -> Asking<'static> {
        let grants = self.grants.into_iter().take(MOST_GRANTS.saturating_add(1)).map(|grant| match grant {
            Given::Token(token) => Given::Token(Cow::Owned(cut_text(&token, MOST_TOKEN_BYTES).to_owned())),
            Given::Kept(kept) => Given::Kept(kept),
        });
        let shown = match self.shown {
            Shown::Nothing => Shown::Nothing,
            Shown::Proof(proof) => Shown::Proof(Cow::Owned(cut(&proof, MOST_JSON_BYTES).to_owned())),
            Shown::Assumed(key) => Shown::Assumed(key),
        };
        Asking { grants: grants.collect(), shown, now: self.now }
    }

    pub(crate) fn presentables(&self) -> Vec<Presentable<'_>> {
        let grants = self.grants.iter().map(|grant| match grant {
            Given::Token(token) => Presentable::Token(token),
            Given::Kept(kept) => Presentable::Kept(kept),
        });
        grants.collect()
    }

    pub(crate) fn possession(&self) -> Possession<'_> {
        match &self.shown {
            Shown::Nothing => Possession::None,
            Shown::Proof(proof) => Possession::Proof(proof),
            Shown::Assumed(key) => Possession::AssumeProven(key),
        }
    }
}

impl Given<'_> {
    /// # Safety
    /// As for [`Asking::read`].
    unsafe fn read(grant: &pg_presentable) -> Result<Self, pg_code> {
        if grant.kept.is_null() {
            // SAFETY: the caller's.
            return match unsafe { text(grant.token) } {
                Ok(token) => Ok(Self::Token(Cow::Borrowed(token))),
                // Bytes of a stranger that are no text are no token: refused like any other that is none, beside the
                // good ones.
                Err(pg_code::PG_ERROR_UTF8) => Ok(Self::Token(Cow::Borrowed("\u{fffd}"))),
                Err(error) => Err(error),
            };
        }
        if grant.token.length != 0 {
            return Err(pg_code::PG_ERROR_LENGTH);
        }
        // SAFETY: the caller's.
        let kept = unsafe { borrow(grant.kept) }?;
        Ok(Self::Kept(Arc::clone(kept.verified())))
    }
}

numbered!(pg_possession);
