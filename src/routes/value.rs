//! The opaque value, and the digest that is stored in its place (C1).

use crate::base64url::{self, LEN_32};
use alloc::boxed::Box;
use base64ct::{Base64UrlUnpadded, Encoding as _};
use core::fmt;
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;
use zeroize::Zeroizing;

/// A reply route: 32 bytes that mean nothing, and let whoever is their exact recipient answer once (C1).
///
/// It is no address, no credential for anything else and no proof of identity. It is wiped when dropped, and neither
/// shown nor compared nor copied by accident:
///
/// ```compile_fail,E0277
/// # fn f(route: parley_grants::routes::Route) {
/// println!("{route}"); // it has no `Display`, and its `Debug` does not show it
/// # }
/// ```
/// ```compile_fail,E0369
/// # fn f(a: parley_grants::routes::Route, b: parley_grants::routes::Route) -> bool {
/// a == b // digests are compared, in constant time
/// # }
/// ```
/// ```compile_fail,E0599
/// # fn f(route: parley_grants::routes::Route) {
/// let copy = route.clone();
/// # }
/// ```
pub struct Route {
    bytes: Box<Zeroizing<[u8; 32]>>,
}

impl Route {
    /// A new route of 32 bytes, which must come from a cryptographic source of randomness and be used for nothing else. Wiping
    /// those is the caller's.
    #[must_use]
    pub fn from_random(bytes: &[u8; 32]) -> Self {
        let mut kept = Box::new(Zeroizing::new([0; 32]));
        kept.copy_from_slice(bytes);
        Self { bytes: kept }
    }

    /// Reads the one text form of a route, `b64url(32 bytes)`, in constant time; `None` for any other text.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let mut kept = Box::new(Zeroizing::new([0; 32]));
        let decoded = Base64UrlUnpadded::decode(text, kept.as_mut_slice()).ok()?.len();
        (decoded == 32).then_some(Self { bytes: kept })
    }

    /// Its text form, to be sent to the recipient and to nobody else.
    #[must_use]
    pub fn text(&self) -> RouteText {
        let mut text = Box::new(Zeroizing::new([0; LEN_32]));
        // Cannot fail, as the buffer has just the size; were it to, the text would be that of no route.
        let _ = Base64UrlUnpadded::encode(self.bytes.as_slice(), text.as_mut_slice());
        RouteText { text }
    }

    /// What is stored of it.
    #[must_use]
    pub fn digest(&self) -> RouteDigest {
        RouteDigest(Sha256::digest(self.bytes.as_slice()).into())
    }
}

impl fmt::Debug for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Route(secret)")
    }
}

/// The text form of a route. Wiped when dropped, and not shown by `Debug`.
pub struct RouteText {
    text: Box<Zeroizing<[u8; LEN_32]>>,
}

impl RouteText {
    /// The text.
    #[must_use]
    pub fn expose(&self) -> &str {
        core::str::from_utf8(self.text.as_slice()).unwrap_or_default()
    }
}

impl fmt::Debug for RouteText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RouteText(secret)")
    }
}

/// SHA-256 of a route: the only thing that a store keeps of it, and finds it by. Nobody can make the route of it.
///
/// Equality takes the same time whatever differs. The order is for maps, and does not.
#[derive(Clone, Copy, Eq, PartialOrd, Ord)]
pub struct RouteDigest([u8; 32]);

impl RouteDigest {
    /// A digest as it was stored.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Its 32 bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl PartialEq for RouteDigest {
    fn eq(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

impl fmt::Display for RouteDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(base64url::encode_32(&self.0).as_str())
    }
}

impl fmt::Debug for RouteDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A route as somebody sent it: what is no route has a digest too, that of no route, so that it costs a store the same.
pub struct PresentedRoute {
    route: Option<Route>,
}

impl PresentedRoute {
    /// Takes the text as it was sent.
    #[must_use]
    pub fn read(text: &str) -> Self {
        Self { route: Route::read(text) }
    }

    /// Takes a route.
    #[must_use]
    pub const fn new(route: Route) -> Self {
        Self { route: Some(route) }
    }

    /// What to look for.
    #[must_use]
    pub fn digest(&self) -> RouteDigest {
        match &self.route {
            Some(route) => route.digest(),
            // Of nothing, which is no 32 bytes.
            None => RouteDigest(Sha256::digest([]).into()),
        }
    }

    pub(super) const fn is_route(&self) -> bool {
        self.route.is_some()
    }
}

impl fmt::Debug for PresentedRoute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PresentedRoute(secret)")
    }
}
