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
        verify(self, trust, None)
    }
}

/// Verifies a grant; with `proven`, for that holder, whose key is known to be a point of the curve.
///
/// All comparisons of text come first: a stranger's token costs no curve arithmetic (B5).
pub(crate) fn verify(
    grant: Grant,
    trust: &(impl Trust + ?Sized),
    proven: Option<&PublicKey>,
) -> Result<VerifiedGrant, Error> {
    if !trust.trusts(grant.issuer()) {
        return Err(Error::new(ErrorKind::Untrusted).in_block(0));
    }
    let last = grant.blocks().len().saturating_sub(1);
    if proven.is_some_and(|holder| holder != grant.holder()) {
        return Err(Error::new(ErrorKind::WrongHolder).in_block(last));
    }
    let mut before: Option<&BlockId> = None;
    for (index, block) in grant.blocks().enumerate() {
        if block.prev() != before {
            return Err(Error::new(ErrorKind::NotChained).in_block(index));
        }
        before = Some(block.id());
    }
    let mut signer = grant.issuer();
    for (index, block) in grant.blocks().enumerate() {
        let check = || signer.open()?.verify(grant.payload(block), block.signature());
        check().map_err(|error| error.in_block(index))?;
        signer = block.subject();
    }
    if proven.is_none() {
        // Nothing was signed with the last key yet; it must be a key all the same (B2).
        signer.open().map_err(|error| error.in_block(last))?;
    }
    Ok(VerifiedGrant { grant })
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

    /// Does a grant that was kept still count: for this holder, under these limits, and with this trust?
    pub(crate) fn check_again(
        &self,
        trust: &(impl Trust + ?Sized),
        holder: &PublicKey,
        limits: &Limits,
    ) -> Result<(), Error> {
        if !self.grant.is_within(limits) {
            return Err(Error::new(ErrorKind::TooLong));
        }
        if !trust.trusts(self.issuer()) {
            return Err(Error::new(ErrorKind::Untrusted).in_block(0));
        }
        if holder != self.holder() {
            return Err(
                Error::new(ErrorKind::WrongHolder).in_block(self.grant.blocks().len().saturating_sub(1))
            );
        }
        Ok(())
    }
}
