//! The stores against real servers.

mod model;
mod random;
mod servers;
