//! Reply routes as a server uses them: what can happen ([`event`]), the crate made to do it ([`world`]), and what must come of
//! it ([`naive`]). The properties are in `audit/routes`; a fuzz target shares these three.

pub mod event;
pub mod naive;
pub mod said;
pub mod secret;
pub mod world;

mod step;
mod using;
