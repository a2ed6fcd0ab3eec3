//! The stores against real servers.

mod clients;
mod lost;
mod model;
mod random;
mod servers;
mod story;
