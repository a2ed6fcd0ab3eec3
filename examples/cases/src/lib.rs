//! The runner of the conformance cases, for machines other than the host. It is the very source of the example `check`.

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

#[path = "../../check/cases/mod.rs"]
mod cases;
#[path = "../../check/run.rs"]
mod run;

pub use cases::json::Json;
pub use cases::{Answer, Case, NoCase};
pub use run::{Mode, Run, USAGE};
