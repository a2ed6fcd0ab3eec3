//! A run over files of cases: which lines are cases, what is printed, what is counted.

use crate::cases::Case;
use alloc::string::{String, ToString as _};
use core::fmt::{self, Write};

/// What a run prints.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Each answer that is not the expected one, and the counts.
    Compare,
    /// Each answer, and nothing else.
    Answers,
    /// As `Compare`, and each decision in words.
    Explain,
}

impl Mode {
    /// The mode that an option asks for.
    pub fn read(option: &str) -> Option<Self> {
        match option {
            "--answers" => Some(Self::Answers),
            "--explain" => Some(Self::Explain),
            _ => None,
        }
    }
}

pub const USAGE: &str = "usage: check [--answers | --explain] FILE...";

/// A run that goes on with every file.
pub struct Run {
    mode: Mode,
    passed: usize,
    failed: usize,
}

impl Run {
    pub fn new(mode: Mode) -> Self {
        Self { mode, passed: 0, failed: 0 }
    }

    /// Runs the cases of a file. An error names the file and the line.
    pub fn file(&mut self, name: &str, text: &[u8], out: &mut impl Write) -> Result<(), String> {
        for (index, line) in text.split(|byte| *byte == b'\n').enumerate() {
            let place = alloc::format!("{name}:{}", index + 1);
            match self.line(&place, line, out).map_err(|error| alloc::format!("{place}: {error}"))? {
                Some(true) => self.passed += 1,
                Some(false) => self.failed += 1,
                None => {}
            }
        }
        Ok(())
    }

    /// Prints the counts. Were all answers as expected?
    pub fn end(self, out: &mut impl Write) -> Result<bool, fmt::Error> {
        if self.mode != Mode::Answers {
            writeln!(out, "{} passed, {} failed", self.passed, self.failed)?;
        }
        Ok(self.failed == 0)
    }

    /// Answers one line. `Some` says whether the answer was as expected.
    fn line(&self, place: &str, line: &[u8], out: &mut impl Write) -> Result<Option<bool>, String> {
        let is_space = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r');
        let start = line.iter().position(|byte| !is_space(byte)).unwrap_or(line.len());
        let line = &line[start..];
        if line.is_empty() || line.starts_with(b"#") {
            return Ok(None);
        }
        let line = core::str::from_utf8(line).map_err(in_words)?;
        let case = Case::read(line).map_err(in_words)?;
        let answer = case.answer().map_err(in_words)?;
        // On one line, whatever is in it.
        let name = case.name().unwrap_or(place).replace(char::is_control, " ");
        let text = answer.text();
        let expected = match (self.mode, case.expected()) {
            (Mode::Answers, _) => {
                writeln!(out, "{text}").map_err(in_words)?;
                return Ok(None);
            }
            (Mode::Compare, None) => return Err("a case without `expect`".into()),
            (Mode::Compare | Mode::Explain, expected) => expected,
        };
        let equal = expected.map(|expected| answer.is(expected));
        if self.mode == Mode::Explain {
            writeln!(out, "{name}: {text}").map_err(in_words)?;
            for line in case.explain().map_err(in_words)? {
                writeln!(out, "  {line}").map_err(in_words)?;
            }
        }
        if let (Some(false), Some(expected)) = (equal, expected) {
            writeln!(out, "{name}: expected {}, got {text}", expected.raw).map_err(in_words)?;
        }
        Ok(equal)
    }
}

fn in_words(error: impl fmt::Display) -> String {
    error.to_string()
}
