//! Where does the plain part of a string end? (A2)

/// How many bytes stand before the first that a JSON string cannot hold as it is: a quote, a backslash or a control
/// character. All of them, when there is none.
#[inline(always)]
pub(super) fn plain_length(bytes: &[u8]) -> usize {
    let Some(last) = bytes.last_chunk::<8>() else { return short_plain_length(bytes) };
    let mut length = 0_usize;
    for word in bytes.as_chunks::<8>().0 {
        let found = first_special(u64::from_le_bytes(*word));
        length = length.saturating_add(found);
        if found < 8 {
            return length;
        }
    }
    // The last eight overlap those before, of which all are plain.
    bytes.len().saturating_sub(8).saturating_add(first_special(u64::from_le_bytes(*last)))
}

/// Of less than eight bytes.
#[inline(always)]
fn short_plain_length(bytes: &[u8]) -> usize {
    let word = if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        let [first, last] = [first, last].map(|half| u64::from(u32::from_le_bytes(*half)));
        (first << 32) | last
    } else {
        bytes.iter().fold(SPACES, |word, byte| (word << 8) | u64::from(*byte))
    };
    // Most are plain, and then the place does not matter.
    if special(word) == 0 {
        return bytes.len();
    }
    bytes.iter().position(|byte| matches!(byte, b'"' | b'\\' | ..=0x1f)).unwrap_or(bytes.len())
}

const SPACES: u64 = u64::from_le_bytes([b' '; 8]);

/// The place of the first special byte of eight; 8 when there is none.
fn first_special(word: u64) -> usize {
    // The first byte of the text is the lowest of the number, and `special` has one bit a byte.
    usize::try_from(special(word).trailing_zeros() >> 3).unwrap_or_default()
}

/// Eight bytes at once. The lowest bit that is set is the top bit of the lowest byte that is special; none is set
/// when none is. (Bytes above a special one may look special too: subtraction borrows upwards only.)
const fn special(word: u64) -> u64 {
    const ONES: u64 = u64::from_le_bytes([1; 8]);
    const TOPS: u64 = u64::from_le_bytes([0x80; 8]);
    let quote = word ^ u64::from_le_bytes([b'"'; 8]);
    let backslash = word ^ u64::from_le_bytes([b'\\'; 8]);
    // A byte that is less than what is subtracted from it borrows, and so gets a top bit that it did not have.
    let is_quote = quote.wrapping_sub(ONES) & !quote;
    let is_backslash = backslash.wrapping_sub(ONES) & !backslash;
    let is_control = word.wrapping_sub(SPACES) & !word;
    (is_quote | is_backslash | is_control) & TOPS
}

#[cfg(test)]
mod tests {
    use super::plain_length;

    /// Byte by byte.
    fn expected(bytes: &[u8]) -> usize {
        let special = |byte: &u8| *byte < b' ' || *byte == b'"' || *byte == b'\\';
        bytes.iter().position(special).unwrap_or(bytes.len())
    }

    #[test]
    fn nothing_is_plain() {
        assert_eq!(plain_length(b""), 0);
    }

    #[test]
    fn any_byte_at_any_place() {
        for length in 1..30 {
            for place in 0..length {
                for byte in 0..=u8::MAX {
                    for around in [b'a', b'!', b'#', b'[', b']', b' ', 0x7f, 0x80, 0xff] {
                        let mut text = [around; 30];
                        text[place] = byte;
                        let text = &text[..length];
                        assert_eq!(plain_length(text), expected(text), "{text:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn any_two_bytes_side_by_side() {
        for place in 0..14 {
            for first in 0..=u8::MAX {
                for second in 0..=u8::MAX {
                    let mut text = [b'a'; 17];
                    (text[place], text[place + 1]) = (first, second);
                    assert_eq!(plain_length(&text), expected(&text), "{text:?}");
                }
            }
        }
    }
}
