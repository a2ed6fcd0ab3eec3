use super::*;
use crate::error::ErrorKind;
use alloc::borrow::{Cow, ToOwned as _};
use alloc::format;
use alloc::string::ToString as _;
use alloc::vec::Vec;

fn error(text: &[u8]) -> (ErrorKind, Option<usize>) {
    let error = canonicalize(text).unwrap_err();
    (error.kind(), error.offset())
}

#[test]
fn errors_have_kind_and_offset() {
    use ErrorKind::*;
    for (text, kind, offset) in [
        ("", UnexpectedEnd, 0),
        ("  ", UnexpectedEnd, 2),
        ("[1", UnexpectedEnd, 2),
        ("\"ab", UnexpectedEnd, 3),
        ("-", UnexpectedEnd, 1),
        ("\u{feff}1", Syntax, 0),
        ("[1,]", Syntax, 3),
        ("[1 2]", Syntax, 3),
        ("{1:2}", Syntax, 1),
        ("{\"a\" 1}", Syntax, 5),
        ("{\"a\":1,}", Syntax, 7),
        ("{\"a\":1]", Syntax, 6),
        ("nul", Syntax, 0),
        ("1 1", TrailingBytes, 2),
        ("01", TrailingBytes, 1),
        ("nullx", TrailingBytes, 4),
        ("[1.0]", BadNumber, 1),
        ("[-0]", BadNumber, 1),
        ("[1e3]", BadNumber, 1),
        ("[9007199254740992]", BadNumber, 1),
        ("[-9007199254740992]", BadNumber, 1),
        ("[99999999999999999999]", BadNumber, 1),
        ("[1.]", Syntax, 3),
        ("- 1", Syntax, 1),
        ("[1. 5]", Syntax, 3),
        ("[+1]", Syntax, 1),
        ("[.5]", Syntax, 1),
        ("\"a\u{1}\"", BadString, 2),
        ("\"a\\x\"", BadString, 2),
        ("\"a\\u00g0\"", BadString, 2),
        ("\"a\\ud800\"", BadString, 2),
        ("\"a\\ud800\\u0041\"", BadString, 2),
        ("\"a\\udc00\\ud800\"", BadString, 2),
        ("\"a\\udc00\\udc00\"", BadString, 2),
        ("\"a\\ud800\\ud800\"", BadString, 2),
        ("\"a\\ud800\\ue000\"", BadString, 2),
        ("\"a\\ud800x\"", BadString, 2),
        ("\"a\\", BadString, 2),
        ("{\"a\":1,\"\\u0061\":2}", DuplicateKey, 18),
        ("[[{\"a\":1,\"b\":2,\"a\":3}]]", DuplicateKey, 21),
    ] {
        assert_eq!(error(text.as_bytes()), (kind, Some(offset)), "{text:?}");
    }
    assert_eq!(error(b"[1,\"\xff\"]"), (NotUtf8, Some(4)));
    assert_eq!(error("[".repeat(33).as_bytes()), (TooDeep, Some(32)));
    assert_eq!(error(&[b' '; 1_048_577]), (TooLong, None));
}

#[test]
fn depth_and_size_at_their_bounds() {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
        let nested = |depth: usize| {
            let inner = if open == "[" { "" } else { "1" };
            format!("{}{inner}{}", open.repeat(depth), close.repeat(depth))
        };
        assert_eq!(canonicalize(nested(32).as_bytes()), Ok(nested(32)));
        assert_eq!(canonicalize(nested(33).as_bytes()).unwrap_err().kind(), ErrorKind::TooDeep);
        assert!(
            read_canonical(nested(32).as_bytes()).is_ok() && read_canonical(nested(33).as_bytes()).is_err()
        );
    }
    // Beside each other they do not add up.
    let wide = format!("[{}]", ["[[]]"; 100].join(","));
    assert_eq!(canonicalize(wide.as_bytes()), Ok(wide));
    let mut longest = " ".repeat(1_048_575);
    longest.push('1');
    assert_eq!(canonicalize(longest.as_bytes()).as_deref(), Ok("1"));
}

#[test]
fn surrogate_pairs_are_one_character() {
    for (escaped, character) in [
        ("\\ud800\\udc00", '\u{10000}'),
        ("\\ud83d\\ude00", '\u{1f600}'),
        ("\\uDBFF\\uDFFF", '\u{10ffff}'),
        ("\\ud800\\udfff", '\u{103ff}'),
        ("\\udbff\\udc00", '\u{10fc00}'),
    ] {
        assert_eq!(canonicalize(format!("\"{escaped}\"").as_bytes()), Ok(format!("\"{character}\"")));
    }
}

/// Most strings have no escape, and none of those is copied to be compared.
#[test]
fn what_has_no_escape_is_not_copied() {
    let read = |text| any(text, &Limits::default()).unwrap().string().unwrap();
    assert!(matches!(read(b"\"plain\"").decode(), Cow::Borrowed("plain")));
    assert!(matches!(read(b"\"esc\\u0061ped\"").decode(), Cow::Owned(text) if text == "escaped"));
}

#[test]
fn only_the_canonical_form_is_read_as_such() {
    for text in [
        "null",
        "[]",
        "{}",
        "-7",
        "\"\\u001f\\b\\f\\n\\r\\t\\\"\\\\/\u{7f}\u{2028}\u{1f600}\"",
        "{\"a\":[{\"b\":{}}]}",
    ] {
        assert_eq!(read_canonical(text.as_bytes()), Ok(text));
        assert_eq!(canonicalize(text.as_bytes()).as_deref(), Ok(text));
    }
    for text in [
        " 1",
        "1 ",
        "[1, 2]",
        "[1 ,2]",
        "{\"a\" :1}",
        "{\"a\": 1}",
        "\"\\/\"",
        "\"\\u0041\"",
        "\"\\u001F\"",
        "\"\\u000a\"",
        "\"\\u0020\"",
        "\"\\u0022\"",
        "\"\\u007f\"",
        "\"\\ud83d\\ude00\"",
        "{\"b\":1,\"a\":2}",
        "{\"a\":1,\"b\":{\"d\":1,\"c\":2}}",
    ] {
        assert!(canonicalize(text.as_bytes()).is_ok(), "{text:?}");
        let kind = read_canonical(text.as_bytes()).unwrap_err().kind();
        assert!(matches!(kind, ErrorKind::NotCanonical | ErrorKind::TrailingBytes), "{text:?}: {kind:?}");
    }
    assert_eq!(read_canonical(b"{\"a\":1,\"a\":1}").unwrap_err().kind(), ErrorKind::DuplicateKey);
    assert_eq!(read_canonical(b"1.0").unwrap_err().kind(), ErrorKind::BadNumber);
}

#[test]
fn keys_sort_by_code_point_after_their_escapes() {
    // U+FF5E sorts before U+1F600 by code point, and after it by UTF-16 unit; `"` is escaped and sorts before `#`.
    let text =
        "{\"\u{1f600}\":1,\"\u{ff5e}\":2,\"#\":3,\"\\\"\":4,\"\\u0000\":5,\"\":6,\"\\\\\":7,\"]\":8,\"[\":9}";
    let sorted =
        "{\"\":6,\"\\u0000\":5,\"\\\"\":4,\"#\":3,\"[\":9,\"\\\\\":7,\"]\":8,\"\u{ff5e}\":2,\"\u{1f600}\":1}";
    assert_eq!(canonicalize(text.as_bytes()).as_deref(), Ok(sorted));
    assert_eq!(read_canonical(sorted.as_bytes()), Ok(sorted));
}

#[test]
fn any_number_is_fine_inside_data_and_nowhere_else() {
    let read = |text: &str| {
        let mut reader = any(text.as_bytes(), &Limits::default())?;
        let document = read_proposal(&mut reader)?;
        reader.end()?;
        let mut out = String::new();
        write_except(&document, document.root(), &["data"], &mut out);
        Ok::<_, Error>(out)
    };
    for number in ["1.5", "1e999", "-0", "-0.0E-7", "123456789012345678901234567890", "9007199254740992", "0"]
    {
        for data in [number.to_owned(), format!("[{number}]"), format!("{{\"x\":[{number}]}}")] {
            assert_eq!(read(&format!("{{\"data\":{data},\"a\":1}}")).as_deref(), Ok("{\"a\":1}"), "{data}");
            assert_eq!(
                read(&format!("{{\"a\":1,\"d\\u0061ta\":{data}}}")).as_deref(),
                Ok("{\"a\":1}"),
                "{data}"
            );
        }
    }
    for text in [
        "{\"a\":1.5}",
        "{\"data\":1.5,\"a\":1.5}",
        "{\"data\":[1.5],\"a\":1.5}",
        "{\"data\":{\"x\":1.5},\"a\":1.5}",
        "{\"a\":{\"data\":1.5}}",
        "{\"dat\":1.5}",
        "[1.5]",
        "{\"data\":01}",
        "{\"data\":1.}",
        "{\"data\":.5}",
        "{\"data\":+1}",
        "{\"data\":NaN}",
        "{\"data\":{\"x\":1.5,\"x\":1}}",
        "{\"data\":1,\"data\":1}",
        "{\"data\":\"\\ud800\"}",
    ] {
        assert!(read(text).is_err(), "{text}");
    }
    // A value of `data` that is a container ends with that container, whatever it holds.
    assert!(read("{\"data\":[[1.5],{\"data\":1.5},2.5],\"z\":[1]}").is_ok());
    assert!(read("{\"data\":[[1.5],{\"data\":1.5},2.5],\"z\":[1.5]}").is_err());
}

#[test]
fn scratch_keeps_exactly_what_fits() {
    for most in [0, 1, 255, 256, 257, 258, 2000] {
        for length in [0, 1, 254, 255, 256, 257, 258, 1999, 2000, 2001] {
            for piece in [1, 7, 256, 2001] {
                let text: Vec<u8> = (0..length).map(|index| b'a' + (index % 23) as u8).collect();
                let mut scratch = Scratch::new(most);
                for chunk in text.chunks(piece) {
                    scratch.put(core::str::from_utf8(chunk).unwrap());
                }
                let expected = (length <= most).then_some(&text[..]);
                assert_eq!(scratch.finish(), expected, "{length} of at most {most} in {piece}s");
            }
        }
    }
}

#[test]
fn a_text_over_the_bound_stays_over_it() {
    let mut scratch = Scratch::new(3);
    for _ in 0..3 {
        scratch.put("ab");
    }
    scratch.put("");
    assert_eq!(scratch.finish(), None);
}

#[test]
fn integers_of_every_length() {
    for int in [0, 1, -1, 9, -10, 1_234_567_890, 9_007_199_254_740_991, -9_007_199_254_740_991] {
        let mut out = String::new();
        push_int(&mut out, int);
        assert_eq!(out, int.to_string());
        assert_eq!(canonicalize(out.as_bytes()).as_deref(), Ok(&*out));
    }
    let mut out = String::new();
    push_int(&mut out, i64::MIN);
    assert_eq!(out, "-9223372036854775808");
}

#[test]
fn every_character_is_written_and_read_back() {
    for character in
        (0..0x11_0000).filter_map(char::from_u32).step_by(7).chain((0..0x100).filter_map(char::from_u32))
    {
        let text = format!("x{character}");
        let mut out = String::new();
        push_string(&mut out, &text);
        let mut reader = canonical(out.as_bytes(), &Limits::default()).unwrap();
        assert!(reader.string().is_ok_and(|read| read.is(&text) && read.decode() == text), "{character:?}");
        assert!(reader.end().is_ok());
    }
}

#[cfg(feature = "serde_json")]
mod from_value {
    use super::*;
    use serde_json::{Value, json};

    #[test]
    fn values_and_their_texts_agree() {
        for text in [
            "null",
            "[true,false,1,-1,\"\\n\"]",
            "{\"b\":{\"z\":[],\"y\":{}},\"a\":\"\u{7f}\"}",
            "{}",
            "[[],[{}],{}]",
        ] {
            let value: Value = serde_json::from_str(text).unwrap();
            assert_eq!(canonicalize_value(&value), canonicalize(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn numbers_are_judged_by_their_text() {
        for text in [
            "-0",
            "0.0",
            "1.0",
            "1e3",
            "9007199254740992",
            "-9007199254740992",
            "18446744073709551615",
            "1.5",
        ] {
            let value: Value = serde_json::from_str(text).unwrap();
            assert_eq!(
                canonicalize_value(&value).map_err(|error| error.kind()),
                Err(ErrorKind::BadNumber),
                "{text}"
            );
        }
        for int in [0, -1, 9_007_199_254_740_991_i64, -9_007_199_254_740_991] {
            assert_eq!(canonicalize_value(&json!(int)), Ok(int.to_string()));
        }
    }

    #[test]
    fn depth_and_size_are_bounded() {
        let nested = |depth| (0..depth).fold(json!(1), |value, _| json!([value]));
        assert!(canonicalize_value(&nested(32)).is_ok());
        assert_eq!(canonicalize_value(&nested(33)).unwrap_err().kind(), ErrorKind::TooDeep);
        let text = |length: usize| Value::String("a".repeat(length));
        assert!(canonicalize_value(&text(1_048_574)).is_ok());
        assert_eq!(canonicalize_value(&text(1_048_575)).unwrap_err().kind(), ErrorKind::TooLong);
    }
}
