//! Everything at once: the crate says what the contract says.

use crate::audit::config;
use crate::route_cases::case;
use crate::routes::naive::Judge;
use crate::routes::world::World;
use proptest::prelude::*;

proptest! {
    #![proptest_config(config())]

    /// Over whole sequences of events.
    #[test]
    fn routes_answer_as_the_model_does(case in case(40)) {
        let mut judge = Judge::with_room(case.room);
        World::played(&case).log.iter().for_each(|did| judge.see(did));
    }
}
