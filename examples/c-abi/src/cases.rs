//! For the tests of this library alone: only with the feature `cases`.

use crate::abi::{OutHandle, bytes, guard, pg_bytes, pg_text};
use crate::code::pg_code;
use parley_grants_cases::Case;

/// The answer to a line of conformance cases. PG_ERROR_INPUT for a line that is none. Ended by pg_text_free.
///
/// Threads: any, at any time.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pg_case_answer(line: pg_bytes, answer: *mut *mut pg_text) -> pg_code {
    guard(|| {
        // SAFETY: a place for a handle.
        let out = unsafe { OutHandle::needed(answer) }?;
        // SAFETY: bytes as the header says.
        let line = std::str::from_utf8(unsafe { bytes(line) }?).map_err(|_| pg_code::PG_ERROR_UTF8)?;
        let case = Case::read(line).map_err(|_| pg_code::PG_ERROR_INPUT)?;
        out.put(pg_text::new(case.answer().map_err(|_| pg_code::PG_ERROR_INPUT)?.text()));
        Ok(pg_code::PG_OK)
    })
}

/// Panics inside the boundary: PG_ERROR_PANIC, whatever it panics with.
///
/// Threads: any, at any time.
#[unsafe(no_mangle)]
pub extern "C" fn pg_case_panic() -> pg_code {
    guard(|| std::panic::resume_unwind(Box::new(Again)))
}

/// Panics once more when it is dropped.
struct Again;

impl Drop for Again {
    fn drop(&mut self) {
        std::panic::resume_unwind(Box::new("again"));
    }
}
