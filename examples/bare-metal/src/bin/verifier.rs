//! A service of the smallest kind, for the size of its code: it authorizes the request of its command line.

#![no_std]
#![no_main]

#[path = "../decide.rs"]
mod decide;

use parley_grants_bare_metal::semihosting;

parley_grants_bare_metal::program!(main);

/// 0 is allowed, 1 refused, 2 no request.
fn main() -> u8 {
    let line = semihosting::command_line().unwrap_or_default();
    let request = line.split_once(' ').and_then(|(_, request)| decide::decide(request));
    match request {
        Some(true) => 0,
        Some(false) => 1,
        None => 2,
    }
}
