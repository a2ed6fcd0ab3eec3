//! Runs conformance cases: `check [--answers | --explain] FILE...`, where `-` is standard input.
//!
//! This file reads and prints; a run is in `run.rs` and what a case means in `cases/`, which need no operating system.

extern crate alloc;

mod cases;
mod run;

use run::{Mode, Run, USAGE};
use std::fmt;
use std::io::{self, Read as _, Write};
use std::process::ExitCode;

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(message) => {
            // Where even this cannot be written, the exit code still tells.
            let _ = writeln!(io::stderr(), "check: {message}");
            ExitCode::from(2)
        }
    }
}

/// Were all answers as expected?
fn run() -> Result<bool, String> {
    let mut mode = Mode::Compare;
    let mut files = Vec::new();
    for argument in std::env::args_os().skip(1) {
        match argument.to_str().filter(|text| text.starts_with("--")) {
            Some(option) => mode = Mode::read(option).ok_or_else(|| format!("unknown option {option}"))?,
            None => files.push(argument),
        }
    }
    if files.is_empty() {
        return Err(USAGE.into());
    }
    let mut out = Out { file: io::BufWriter::new(io::stdout().lock()), failed: None };
    let outcome = all(Run::new(mode), &files, &mut out);
    let written = out.file.flush();
    // What went wrong in writing says more than what came of it.
    match out.failed.map_or(written, Err) {
        Ok(()) => outcome,
        Err(error) => Err(error.to_string()),
    }
}

fn all(mut run: Run, files: &[std::ffi::OsString], out: &mut impl fmt::Write) -> Result<bool, String> {
    for file in files {
        let name = file.to_string_lossy();
        let text = read(file).map_err(|error| format!("{name}: {error}"))?;
        run.file(&name, &text, out)?;
    }
    run.end(out).map_err(|error| error.to_string())
}

fn read(file: &std::ffi::OsStr) -> io::Result<Vec<u8>> {
    if file == "-" {
        let mut text = Vec::new();
        io::stdin().read_to_end(&mut text)?;
        return Ok(text);
    }
    std::fs::read(file)
}

/// Text to a file, with what went wrong.
struct Out<W: Write> {
    file: W,
    failed: Option<io::Error>,
}

impl<W: Write> fmt::Write for Out<W> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.file.write_all(text.as_bytes()).map_err(|error| {
            self.failed = Some(error);
            fmt::Error
        })
    }
}
