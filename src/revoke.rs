//! A hook that may only refuse: what a service no longer honours.

use crate::grant::BlockId;
use crate::key::PublicKey;

/// One block of a grant that would otherwise be allowed or ask for consent.
#[derive(Clone, Copy, Debug)]
pub struct Link<'g> {
    /// The block.
    pub block: &'g BlockId,
    /// The key that signed it.
    pub signer: &'g PublicKey,
    /// The key that it hands the grant to; of the last block, the holder.
    pub subject: &'g PublicKey,
    /// The grant: its root block.
    pub grant: &'g BlockId,
}

/// What a service no longer honours: a list of revoked blocks, a compromised key, a switch for an incident.
///
/// It can only refuse. It is asked for every block of a grant that would otherwise count, kept ones too; one yes makes
/// the grant unauthorized, and the next is tried. EXPAND looks at no grants, so it is not asked there. A set is the cheapest list: 100,000 ids cost one look-up a block.
///
/// ```
/// use parley_grants::{BlockId, Link, PublicKey, Verifier};
/// use std::collections::HashSet;
/// let revoked: HashSet<BlockId> = HashSet::new(); // from your storage
/// let service = Verifier::new("shop.example", Vec::<PublicKey>::new())
///     .with_revocation(move |link: &Link<'_>| revoked.contains(link.block));
/// ```
pub trait Revoke {
    /// Is this block revoked?
    fn is_revoked(&self, link: &Link<'_>) -> bool;
}

/// Nothing is.
impl Revoke for () {
    fn is_revoked(&self, _: &Link<'_>) -> bool {
        false
    }
}

impl<F: Fn(&Link<'_>) -> bool> Revoke for F {
    fn is_revoked(&self, link: &Link<'_>) -> bool {
        self(link)
    }
}
