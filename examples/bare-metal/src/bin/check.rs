//! The example `check` on this machine: the same options, the same output, the same exit codes.

#![no_std]
#![no_main]

extern crate alloc;

use alloc::string::String;
use alloc::{format, vec};
use core::fmt::Write;
use parley_grants_bare_metal::semihosting::{self, Out};
use parley_grants_cases::{Mode, Run, USAGE};

parley_grants_bare_metal::program!(main);

fn main() -> u8 {
    match run() {
        Ok(true) => 0,
        Ok(false) => 1,
        Err(message) => {
            semihosting::complain(format_args!("check: {message}"));
            2
        }
    }
}

/// Were all answers as expected?
fn run() -> Result<bool, String> {
    let line = semihosting::command_line().ok_or("no command line")?;
    let mut mode = Mode::Compare;
    let mut files = vec![];
    for argument in line.split_ascii_whitespace().skip(1) {
        match argument.starts_with("--") {
            true => mode = Mode::read(argument).ok_or_else(|| format!("unknown option {argument}"))?,
            false => files.push(argument),
        }
    }
    if files.is_empty() {
        return Err(USAGE.into());
    }
    let mut out = Out::output().ok_or("no output")?;
    let outcome = all(Run::new(mode), &files, &mut out);
    // What went wrong in writing says more than what came of it.
    out.flush().map_err(|_| "the output cannot be written")?;
    outcome
}

fn all(mut run: Run, files: &[&str], out: &mut impl Write) -> Result<bool, String> {
    for name in files {
        let text = semihosting::read(name).ok_or_else(|| format!("{name}: cannot be read"))?;
        run.file(name, &text, out)?;
    }
    run.end(out).map_err(|error| format!("{error}"))
}
