//! The stores against real servers.

mod clients;
mod crossing;
mod failing;
mod keeping;
mod lost;
mod model;
mod processes;
mod random;
mod servers;
mod story;
