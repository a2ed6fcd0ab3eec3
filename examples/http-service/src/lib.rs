//! An HTTP front for a small shop. Read `auth.rs` first: the layer that makes the only evidence a handler accepts.
#![forbid(unsafe_code)]
#![deny(
    unused_must_use,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    clippy::todo,
    clippy::unimplemented,
    clippy::unreachable,
    clippy::unwrap_used
)]

pub mod app;
pub mod auth;
pub mod commit;
mod ending;
pub mod frame;
pub mod records;
pub mod reply;
pub mod revocation;
pub mod routes;
pub mod serve;
pub mod shop;
pub mod telemetry;
