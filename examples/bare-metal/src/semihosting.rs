//! Semihosting: a trap that asks the debugger, here the emulator, to read a file, to print, or to end the program.
//! The numbers are those of Arm's specification.

use alloc::string::String;
use alloc::vec;
use alloc::vec::Vec;
use core::arch::asm;
use core::fmt::{self, Write as _};

const OPEN: usize = 0x01;
const CLOSE: usize = 0x02;
const WRITE: usize = 0x05;
const READ: usize = 0x06;
const LENGTH: usize = 0x0c;
const COMMAND_LINE: usize = 0x15;
const EXIT: usize = 0x20;

/// How a file is opened, by the mode of C's `fopen` of the same number.
const READ_BYTES: usize = 1;
const TO_OUTPUT: usize = 4;
const TO_ERRORS: usize = 8;
/// The name of the console.
const CONSOLE: &str = ":tt";

/// One request. `block` is what the request takes, and takes the answer where that is more than a number.
///
/// # Safety
/// Addresses in `block` are those of memory that the request may read or write, in the length that stands with them.
unsafe fn ask(request: usize, block: &mut [usize]) -> usize {
    let answer;
    // SAFETY: the debugger touches nothing but what the block names.
    unsafe {
        #[cfg(target_endian = "little")]
        asm!("bkpt #0xab", inout("r0") request => answer, in("r1") block.as_mut_ptr(), options(nostack));
        #[cfg(target_endian = "big")]
        asm!("svc #0x123456", inout("r0") request => answer, in("r1") block.as_mut_ptr(), options(nostack));
    }
    answer
}

fn open(name: &str, mode: usize) -> Option<usize> {
    let name_and_nul = alloc::format!("{name}\0");
    // SAFETY: the name is read, in its length without the zero byte.
    let handle = unsafe { ask(OPEN, &mut [name_and_nul.as_ptr().expose_provenance(), mode, name.len()]) };
    (handle != usize::MAX).then_some(handle)
}

/// All of a file.
pub fn read(name: &str) -> Option<Vec<u8>> {
    let handle = open(name, READ_BYTES)?;
    // SAFETY: no addresses.
    let length = unsafe { ask(LENGTH, &mut [handle]) };
    let mut bytes = vec![0; (length != usize::MAX).then_some(length)?];
    // SAFETY: `bytes` is as long as it says.
    let missing = unsafe { ask(READ, &mut [handle, bytes.as_mut_ptr().expose_provenance(), length]) };
    // SAFETY: no addresses.
    unsafe { ask(CLOSE, &mut [handle]) };
    (missing == 0).then_some(bytes)
}

/// What the program was started with, its own name first.
pub fn command_line() -> Option<String> {
    let mut bytes = vec![0_u8; 8 * 1024];
    let mut block = [bytes.as_mut_ptr().expose_provenance(), bytes.len()];
    // SAFETY: `bytes` is as long as it says.
    let answer = unsafe { ask(COMMAND_LINE, &mut block) };
    bytes.truncate(block[1]);
    String::from_utf8(bytes).ok().filter(|_| answer == 0)
}

/// Ends the program.
pub fn exit(code: u8) -> ! {
    /// The application came to its end.
    const ENDED: usize = 0x2_0026;
    loop {
        // SAFETY: no addresses.
        unsafe { ask(EXIT, &mut [ENDED, usize::from(code)]) };
    }
}

/// Prints a line to where errors go. Where that cannot be done, the exit code still tells.
pub fn complain(what: impl fmt::Display) {
    let Some(handle) = open(CONSOLE, TO_ERRORS) else { return };
    let mut errors = Out { handle, waiting: String::new(), has_failed: false };
    let _ = writeln!(errors, "{what}").and_then(|()| errors.flush());
}

/// The output, in larger pieces than it is written in.
pub struct Out {
    handle: usize,
    waiting: String,
    has_failed: bool,
}

impl Out {
    const PIECE: usize = 4 * 1024;

    pub fn output() -> Option<Self> {
        Some(Self { handle: open(CONSOLE, TO_OUTPUT)?, waiting: String::new(), has_failed: false })
    }

    /// Prints what waits. After one failure there are only failures.
    pub fn flush(&mut self) -> fmt::Result {
        let text = self.waiting.as_bytes();
        // SAFETY: `text` is as long as it says.
        let missing =
            unsafe { ask(WRITE, &mut [self.handle, text.as_ptr().expose_provenance(), text.len()]) };
        self.waiting.clear();
        self.has_failed |= missing != 0;
        if self.has_failed { Err(fmt::Error) } else { Ok(()) }
    }
}

impl fmt::Write for Out {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.waiting.push_str(text);
        if self.waiting.len() < Self::PIECE { Ok(()) } else { self.flush() }
    }
}
