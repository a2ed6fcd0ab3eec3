//! Signatures, links, root and holder: the only maker of a verified grant (A3, A6, B5).

use crate::error::{Error, ErrorKind};
use crate::grant::{BlockId, Grant};
use crate::key::PublicKey;
use crate::limits::Limits;
use alloc::collections::BTreeSet;
use alloc::vec::Vec;

/// The principals whose grants a service honours: a list or set of keys, or a predicate.
///
/// ```
/// use parley_grants::{PublicKey, Trust};
/// fn takes(_: impl Trust) {}
/// takes(Vec::<PublicKey>::new());
/// takes(|principal: &PublicKey| principal.as_bytes().starts_with(&[7]));
/// ```
pub trait Trust {
    /// Is this a principal whose grants count here? Asked before the key's point is decompressed, and anew whenever a
    /// kept grant is used.
    fn trusts(&self, principal: &PublicKey) -> bool;
}

impl<F: Fn(&PublicKey) -> bool> Trust for F {
    fn trusts(&self, principal: &PublicKey) -> bool {
        self(principal)
    }
}

impl Trust for [PublicKey] {
    fn trusts(&self, principal: &PublicKey) -> bool {
        self.contains(principal)
    }
}

impl Trust for Vec<PublicKey> {
    fn trusts(&self, principal: &PublicKey) -> bool {
        self.contains(principal)
    }
}

impl Trust for BTreeSet<PublicKey> {
    fn trusts(&self, principal: &PublicKey) -> bool {
        self.contains(principal)
    }
}

#[cfg(feature = "std")]
impl<S: core::hash::BuildHasher> Trust for std::collections::HashSet<PublicKey, S> {
    fn trusts(&self, principal: &PublicKey) -> bool {
        self.contains(principal)
    }
}

impl<const N: usize> Trust for [PublicKey; N] {
    fn trusts(&self, principal: &PublicKey) -> bool {
        self.contains(principal)
    }
}

/// A grant whose chain and every signature were verified, and whose root was issued by a principal that was trusted
/// at the time. Only [`Grant::verify`] and the front door make one.
///
/// It owns its data, so a service can keep it and pay for the signatures once. Trust, limits and holder are checked again whenever
/// it is presented; its caveats say nothing yet about any request.
///
/// ```compile_fail,E0451
/// # fn f(grant: parley_grants::Grant) {
/// let verified = parley_grants::VerifiedGrant { grant }; // the field is private
/// # }
/// ```
/// ```compile_fail,E0277
/// # fn f(grant: parley_grants::Grant) {
/// let verified: parley_grants::VerifiedGrant = grant.into(); // only `verify` makes one
/// # }
/// ```
/// ```compile_fail,E0594
/// # fn f(mut verified: parley_grants::VerifiedGrant, other: parley_grants::Grant) {
/// *verified.grant() = other; // it is read-only
/// # }
/// ```
#[derive(Clone, PartialEq, Eq)]
#[must_use]
pub struct VerifiedGrant {
    grant: Grant,
}

impl Grant {
    /// Verifies links and signatures of the whole chain, for a root issued by a principal that `trust` names.
    ///
    /// Costs one signature check a block, and none when the issuer is not trusted or a link is wrong.
    ///
    /// # Errors
    /// What was wrong, and in which block.
    pub fn verify(self, trust: &(impl Trust + ?Sized)) -> Result<VerifiedGrant, Error> {
        let verified = Linked::new(self, trust, None)?.verify()?;
        verified.open_holder()?;
        Ok(verified)
    }
}

/// A grant of which everything holds that can be seen without arithmetic: trust, holder and links (B5).
pub(crate) struct Linked {
    grant: Grant,
}

impl Linked {
    /// Compares texts: a stranger's token, a wrong holder and a cut chain end here.
    pub(crate) fn new(
        grant: Grant,
        trust: &(impl Trust + ?Sized),
        holder: Option<&PublicKey>,
    ) -> Result<Self, Error> {
        grant.check_parties(trust, holder)?;
        let mut before: Option<&BlockId> = None;
        for (index, block) in grant.blocks().enumerate() {
            if block.prev() != before {
                return Err(Error::new(ErrorKind::NotChained).in_block(index));
            }
            before = Some(block.id());
        }
        Ok(Self { grant })
    }

    /// Checks every signature (A3.5, A3.7). The holder's key signed none of them: it is the caller's to know that it is
    /// a point of the curve, or to call `open_holder`.
    pub(crate) fn verify(self) -> Result<VerifiedGrant, Error> {
        let grant = self.grant;
        for (index, (signer, block)) in grant.signed_blocks().enumerate() {
            let check = || signer.open()?.verify(grant.payload(block), block.signature());
            check().map_err(|error| error.in_block(index))?;
        }
        Ok(VerifiedGrant { grant })
    }
}

impl Grant {
    /// The root's issuer is trusted, and the holder is the one who asks.
    fn check_parties(&self, trust: &(impl Trust + ?Sized), holder: Option<&PublicKey>) -> Result<(), Error> {
        if !trust.trusts(self.issuer()) {
            return Err(Error::new(ErrorKind::Untrusted).in_block(0));
        }
        if holder.is_some_and(|holder| holder != self.holder()) {
            return Err(Error::new(ErrorKind::WrongHolder).in_block(self.blocks().len().saturating_sub(1)));
        }
        Ok(())
    }
}

impl VerifiedGrant {
    /// What was verified, for reading.
    pub const fn grant(&self) -> &Grant {
        &self.grant
    }

    /// The id of the grant.
    pub const fn id(&self) -> &BlockId {
        self.grant.id()
    }

    /// The principal: the human on whose behalf the grant speaks.
    pub const fn issuer(&self) -> &PublicKey {
        self.grant.issuer()
    }

    /// The key that may use the grant.
    pub fn holder(&self) -> &PublicKey {
        self.grant.holder()
    }

    /// The last key is a key too (B2), though no signature of it was checked.
    pub(crate) fn open_holder(&self) -> Result<(), Error> {
        let last = self.grant.blocks().len().saturating_sub(1);
        self.holder().open().map(drop).map_err(|error| error.in_block(last))
    }

    /// Does a grant that was kept still count: for this holder, under these limits, and with this trust?
    pub(crate) fn check_again(
        &self,
        trust: &(impl Trust + ?Sized),
        holder: &PublicKey,
        limits: &Limits,
    ) -> Result<(), Error> {
        self.grant.check_limits(limits)?;
        self.grant.check_parties(trust, Some(holder))
    }
}
