//! FOR THE EXAMPLE ONLY. Whoever knows how these bytes are made knows every route. A real server takes 32 bytes from the
//! operating system each time.

use sha2::{Digest as _, Sha256};

/// "Random" bytes that are the same in every run: a counter, hashed.
pub fn for_the_example_only() -> impl FnMut() -> [u8; 32] {
    let mut counter = 0_u64;
    move || {
        counter += 1;
        Sha256::digest(counter.to_be_bytes()).into()
    }
}
