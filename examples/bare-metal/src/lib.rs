//! A machine without an operating system, as the programs in `bin/` see it: memory, a debugger that reads files and
//! prints, and an end.
//!
//! Two machines are known. The Cortex-M4 is bare. The big-endian ARM is here for the order of its bytes: an emulator
//! starts it with a stack, and it uses nothing else of the system around it.

#![no_std]

extern crate alloc;

pub mod heap;
#[cfg_attr(target_endian = "little", path = "cortex_m4.rs")]
#[cfg_attr(target_endian = "big", path = "big_endian.rs")]
pub mod machine;
pub mod semihosting;
#[cfg(target_endian = "little")]
pub mod stack;

use core::panic::PanicInfo;

/// Makes a function the program. What it gives is the exit code.
#[macro_export]
macro_rules! program {
    ($main:path) => {
        #[cfg_attr(target_endian = "little", unsafe(export_name = "main"))]
        #[cfg_attr(target_endian = "big", unsafe(export_name = "_start"))]
        extern "C" fn start() -> ! {
            $crate::run($main)
        }
    };
}

/// Runs a program, once.
#[doc(hidden)]
pub fn run(main: fn() -> u8) -> ! {
    heap::start();
    semihosting::exit(main())
}

#[panic_handler]
fn panic(info: &PanicInfo<'_>) -> ! {
    semihosting::complain(info);
    semihosting::exit(101)
}
