//! What a program needs before it verifies anything: what `verifier` is more than this is the verifier.

#![no_std]
#![no_main]

use parley_grants_bare_metal::semihosting;

parley_grants_bare_metal::program!(main);

fn main() -> u8 {
    let line = semihosting::command_line().unwrap_or_default();
    let mut words = line.split(' ').skip(1);
    let word = |word: Option<&str>| word.map_or(0, |word| word.parse::<u8>().unwrap_or(0));
    word(words.next())
}
