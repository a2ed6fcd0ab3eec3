//! Who can tell a route: whom it was handed to.

use crate::audit::config;
use crate::route_cases::case;
use crate::routes::event::{BODIES, KEYS};
use crate::routes::secret;
use crate::routes::world::World;
use parley_grants::routes::{Handed, PresentedRoute, Route, State, Store as _};
use proptest::prelude::*;

proptest! {
    #![proptest_config(config())]

    /// Neither by a delivery, an attempt, an answer or a record, nor by the store (C1).
    #[test]
    fn no_debug_shows_a_route(case in case(10)) {
        let mut world = World::played(&case);
        let mut shown = core::mem::take(&mut world.shown);
        shown.extend([format!("{:?}", world.store.inner), format!("{:#?}", world.store.inner)]);
        for handed in &world.handed {
            let text = secret::text(handed.secret);
            let route = || Route::read(&text).expect("a route");
            shown.extend([
                format!("{:?} {:#?} {:?} {:#?}", route(), route(), route().text(), route().text()),
                format!("{:?} {:?}", PresentedRoute::read(&text), PresentedRoute::new(route())),
                format!("{:#?}", Handed::received(Some(&text), 1)),
            ]);
        }
        shown.sort();
        shown.dedup();
        let shown = secret::dense(&shown.concat());
        for handed in &world.handed {
            prop_assert!(!secret::is_in(handed.secret, &shown), "route {} is in {shown}", handed.secret);
        }
    }

    /// Of routes and of bodies (C1, C3).
    #[test]
    fn a_store_has_only_digests(case in case(30)) {
        let mut world = World::played(&case);
        for handed in &world.handed {
            let bytes = secret::bytes(handed.secret);
            let Ok(record) = world.store.inner.find(&secret::digest(handed.secret));
            let Some(record) = record else { continue };
            prop_assert_eq!(*record.digest.as_bytes(), secret::sha256(&bytes));
            prop_assert_ne!(record.digest.as_bytes(), &bytes);
            if let State::Consumed(used) = record.state {
                let is_digest = |body: &&[u8]| secret::sha256(body) == *used.body.as_bytes();
                prop_assert!(BODIES.iter().any(is_digest) && KEYS.contains(&used.key.as_str()));
            }
        }
        // By its own bytes nothing is found.
        for handed in &world.handed {
            let Ok(record) = world.store.inner.find(&parley_grants::routes::RouteDigest::from_bytes(secret::bytes(handed.secret)));
            prop_assert!(record.is_none());
        }
    }
}
