//! Runs conformance cases: `check [--answers | --explain] FILE...`, where `-` is standard input.
//!
//! This file reads and prints; what a case means is in `cases/`, which needs no operating system.

extern crate alloc;

mod cases;

use cases::Case;
use std::io::{Read as _, Write as _};
use std::process::ExitCode;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Compare,
    Answers,
    Explain,
}

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(message) => {
            // Where even this cannot be written, the exit code still tells.
            let _ = writeln!(std::io::stderr(), "check: {message}");
            ExitCode::from(2)
        }
    }
}

/// Were all answers as expected?
fn run() -> Result<bool, String> {
    let mut mode = Mode::Compare;
    let mut files = Vec::new();
    for argument in std::env::args_os().skip(1) {
        match argument.to_str() {
            Some("--answers") => mode = Mode::Answers,
            Some("--explain") => mode = Mode::Explain,
            Some(flag) if flag.starts_with("--") => return Err(format!("unknown option {flag}")),
            _ => files.push(argument),
        }
    }
    if files.is_empty() {
        return Err("usage: check [--answers | --explain] FILE...".into());
    }
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let (mut passed, mut failed) = (0_usize, 0_usize);
    for file in files {
        let name = file.to_string_lossy();
        let text = read(&file).map_err(|error| format!("{name}: {error}"))?;
        for (index, line) in text.split(|byte| *byte == b'\n').enumerate() {
            let place = format!("{name}:{}", index + 1);
            let outcome = one(mode, &place, line, &mut out).map_err(|error| format!("{place}: {error}"))?;
            match outcome {
                Some(true) => passed += 1,
                Some(false) => failed += 1,
                None => {}
            }
        }
    }
    if mode != Mode::Answers {
        writeln!(out, "{passed} passed, {failed} failed").map_err(|error| error.to_string())?;
    }
    out.flush().map_err(|error| error.to_string())?;
    Ok(failed == 0)
}

fn read(file: &std::ffi::OsStr) -> std::io::Result<Vec<u8>> {
    if file == "-" {
        let mut text = Vec::new();
        std::io::stdin().read_to_end(&mut text)?;
        return Ok(text);
    }
    std::fs::read(file)
}

/// Answers one line. `Some` says whether the answer was as expected.
fn one(mode: Mode, place: &str, line: &[u8], out: &mut impl std::io::Write) -> Result<Option<bool>, String> {
    let is_space = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r');
    let start = line.iter().position(|byte| !is_space(byte)).unwrap_or(line.len());
    let line = &line[start..];
    if line.is_empty() || line.starts_with(b"#") {
        return Ok(None);
    }
    let line = std::str::from_utf8(line).map_err(|error| error.to_string())?;
    let case = Case::read(line).map_err(|error| error.to_string())?;
    let answer = case.answer().map_err(|error| error.to_string())?;
    // On one line, whatever is in it.
    let name = case.name().unwrap_or(place).replace(char::is_control, " ");
    let text = answer.text();
    let io = |error: std::io::Error| error.to_string();
    let expected = match (mode, case.expected()) {
        (Mode::Answers, _) => {
            writeln!(out, "{text}").map_err(io)?;
            return Ok(None);
        }
        (Mode::Compare, None) => return Err("a case without `expect`".into()),
        (Mode::Compare | Mode::Explain, expected) => expected,
    };
    let equal = expected.map(|expected| answer.is(expected));
    if mode == Mode::Explain {
        writeln!(out, "{name}: {text}").map_err(io)?;
        for line in case.explain().map_err(|error| error.to_string())? {
            writeln!(out, "  {line}").map_err(io)?;
        }
    }
    if let (Some(false), Some(expected)) = (equal, expected) {
        writeln!(out, "{name}: expected {}, got {text}", expected.raw).map_err(io)?;
    }
    Ok(equal)
}
