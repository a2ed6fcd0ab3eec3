"""Canonical JSON: what is JSON, what has a canonical form, and which (A2; depth and size of B5)."""

from canonical import write

MIB = 1 << 20


def cases(book):
    book.topic("canonical")
    text(book)
    objects(book)
    numbers(book)
    strings(book)
    not_unicode(book)
    bounds(book)


def text(book):
    c = book.canonical
    c("A2.1/trailing-garbage/+", "[1]", "[1]")
    c("A2.1/trailing-garbage/-", "[1]x")
    c("A2.1/byte-order-mark/+", '{"a":1}', '{"a":1}')
    c("A2.1/byte-order-mark/-", '\ufeff{"a":1}')
    c("A2.1/plain-bytes", b'{"a":1}', '{"a":1}')
    c("A2.1/byte-order-mark-bytes", b"\xef\xbb\xbf1")
    c("A2.1/utf-16-bytes", '{"a":1}'.encode("utf-16-le"))
    for slug, good in (("null", "null"), ("true", "true"), ("false", "false"), ("zero", "0"),
                       ("string", '""'), ("array", "[]"), ("object", "{}")):
        c("A2.1/top-level-" + slug, good, good)
    for slug, bad in (
            ("empty", ""), ("only-white-space", " \n"), ("two-values", "1 2"), ("two-objects", "{}{}"),
            ("extra-bracket", "[1]]"), ("comma-after-last-item", "[1,]"), ("comma-before-first-item", "[,1]"),
            ("only-comma", "[,]"), ("two-commas", "[1,,2]"), ("comma-after-last-member", '{"a":1,}'),
            ("comma-before-first-member", '{,"a":1}'), ("bare-key", "{a:1}"), ("single-quotes", "'a'"),
            ("single-quoted-key", "{'a':1}"), ("missing-colon", '{"a" 1}'), ("missing-comma", "[1 2]"),
            ("comment", "/*x*/1"), ("line-comment", "1//x"), ("hash-comment", "#x\n1"), ("nan", "NaN"),
            ("infinity", "Infinity"), ("minus-infinity", "-Infinity"), ("undefined", "undefined"),
            ("open-array", "["), ("open-array-after-item", "[1"), ("open-object", "{"), ("open-string", '"abc'),
            ("open-escape", '"abc\\'), ("object-without-value", '{"a"'), ("object-after-colon", '{"a":'),
            ("object-after-value", '{"a":1'), ("crossed-brackets", '[{"a":1]}'), ("close-only", "]"),
            ("number-as-key", "{1:2}"), ("null-as-key", "{null:1}"), ("colon-in-array", '["a":1]'),
            ("nul-after-value", "1\0"), ("trailing-comma-top", "1,")):
        c("A2.1/" + slug, bad)

    c("A2.2/vertical-tab/+", "[1, \t\r\n2]", "[1,2]")
    c("A2.2/vertical-tab/-", "[1, \t\r\n\x0b2]")
    c("A2.2/everywhere", ' \t{ "a"\n:\r[ 1 ,\t2 , { } , [ ] ] ,"b" : "x y" }\n ', '{"a":[1,2,{},[]],"b":"x y"}')
    for slug, space in (("form-feed", "\f"), ("no-break-space", "\u00a0"), ("next-line", "\u0085"),
                        ("line-separator", "\u2028"), ("ideographic-space", "\u3000"), ("inner-bom", "\ufeff"),
                        ("zero-width-space", "\u200b"), ("nul", "\0")):
        c("A2.2/no-white-space-" + slug, "[1,%s2]" % space)

    c("A2.3/literals/+", "[null,true,false]", "[null,true,false]")
    c("A2.3/literals/-", "[null,True,false]")
    for bad in ("nul", "nulls", "Null", "tru", "TRUE", "fals", "falsee", "none", "t", "n"):
        c("A2.3/not-a-literal-" + ("upper-" if bad != bad.lower() else "") + bad.lower(), "[%s]" % bad)


def objects(book):
    c = book.canonical
    c("A2.4/letters", '{"b":1,"a":2,"B":3,"":4,"aa":5}', '{"":4,"B":3,"a":2,"aa":5,"b":1}')
    c("A2.4/digits-as-text", '{"10":1,"9":2,"1":3}', '{"1":3,"10":1,"9":2}')
    c("A2.4/nested", '[{"b":{"d":1,"c":2},"a":[{"z":1,"y":2}]}]', '[{"a":[{"y":2,"z":1}],"b":{"c":2,"d":1}}]')
    c("A2.4/astral-after-bmp", '{"\U0001f600":1,"\uff61":2,"\uffff":3}', '{"\uff61":2,"\uffff":3,"\U0001f600":1}')
    c("A2.4/astral-after-bmp-escaped", '{"\\ud83d\\ude00":1,"\\uff61":2}', '{"\uff61":2,"\U0001f600":1}')
    c("A2.4/private-use-before-astral", '{"\U00010000":1,"\ue000":2,"\ud7ff":3}',
      '{"\ud7ff":3,"\ue000":2,"\U00010000":1}')
    c("A2.4/order-of-meaning-not-of-spelling", '{"z":1,"\\u0061":2}', '{"a":2,"z":1}')
    c("A2.4/controls-and-quotes", '{"~":1,"\\"":2,"\\n":3,"\\u0000":4,"\\\\":5,"\u007f":6}',
      '{"\\u0000":4,"\\n":3,"\\"":2,"\\\\":5,"~":1,"\u007f":6}')
    c("A2.4/accents-are-not-letters", '{"\u00e9":1,"f":2,"e\u0301":3}', '{"e\u0301":3,"f":2,"\u00e9":1}')
    c("A2.4/names-of-a-host-language", '{"toString":1,"__proto__":{"a":1},"constructor":null}',
      '{"__proto__":{"a":1},"constructor":null,"toString":1}')
    many = {"k%03d" % i: i for i in range(300)}
    c("A2.4/three-hundred-keys-backwards",
      "{" + ",".join('"k%03d":%d' % (i, i) for i in reversed(range(300))) + "}", write(many))

    c("A2.5/two-spellings-of-a-key/+", '{"a":1,"\\u0062":2}', '{"a":1,"b":2}')
    c("A2.5/two-spellings-of-a-key/-", '{"a":1,"\\u0061":2}')
    c("A2.5/one-key-one-letter-off/+", '{"aa":1,"ab":2}', '{"aa":1,"ab":2}')
    c("A2.5/one-key-one-letter-off/-", '{"aa":1,"aa":2}')
    for slug, bad in (
            ("same-value", '{"a":1,"a":1}'), ("not-adjacent", '{"a":1,"b":2,"a":3}'), ("empty-key", '{"":1,"":2}'),
            ("nested", '[{"x":{"a":1,"b":1,"a":1}}]'), ("astral-two-spellings", '{"\U0001f600":1,"\\ud83d\\ude00":2}'),
            ("slash-two-spellings", '{"/":1,"\\/":2}'), ("hex-of-two-cases", '{"\\u00e9":1,"\\u00E9":2}'),
            ("proto", '{"__proto__":1,"__proto__":2}')):
        c("A2.5/twice-" + slug, bad)
    c("A2.5/same-key-in-two-objects", '[{"a":1},{"a":{"a":2}}]', '[{"a":1},{"a":{"a":2}}]')
    c("A2.5/one-letter-two-normal-forms", '{"e\u0301":1,"\u00e9":2}', '{"e\u0301":1,"\u00e9":2}')

    c("A2.6/order-kept", '[3,1,2,"b","a",[2,1]]', '[3,1,2,"b","a",[2,1]]')
    c("A2.6/repeats-kept", '["a","a",null,null]', '["a","a",null,null]')


def numbers(book):
    c = book.canonical
    c("A2.7/largest/+", "9007199254740991", "9007199254740991")
    c("A2.7/largest/-", "9007199254740992")
    c("A2.7/smallest/+", "-9007199254740991", "-9007199254740991")
    c("A2.7/smallest/-", "-9007199254740992")
    for slug, bad in (("just-over", "9007199254740993"), ("i64-max", "9223372036854775807"),
                      ("i64-min", "-9223372036854775808"), ("u64-max", "18446744073709551615"),
                      ("over-u64", "18446744073709551616"), ("hundred-digits", "9" * 100),
                      ("wraps-to-one", "18446744073709551617"), ("in-array", "[1,9007199254740992]"),
                      ("in-object", '{"a":{"b":-9007199254740992}}')):
        c("A2.7/out-of-bounds-" + slug, bad)
    for slug, bad in (("half", "0.5"), ("negative-fraction", "-1.5"), ("tiny", "1e-9"), ("huge", "1e999")):
        c("A2.7/not-an-integer-" + slug, bad)

    c("A2.8/not-mended/+", "1", "1")
    c("A2.8/not-mended/-", "1.0")
    c("A2.8/minus-zero/+", "0", "0")
    c("A2.8/minus-zero/-", "-0")
    c("A2.8/leading-zero/+", "10", "10")
    c("A2.8/leading-zero/-", "010")
    for good in ("7", "-7", "12", "1000", "-1", "100000000000000"):
        c("A2.8/as-is-" + good.replace("-", "minus-"), good, good)
    for slug, bad in (
            ("exponent", "1e3"), ("upper-exponent", "1E3"), ("zero-exponent", "1e0"), ("plus-exponent", "1e+3"),
            ("zero-to-the-zero", "0e0"), ("minus-zero-fraction", "-0.0"), ("zero-fraction", "0.0"), ("plus", "+1"),
            ("no-integer-part", ".5"), ("no-fraction-part", "5."), ("no-exponent-part", "1e"),
            ("no-exponent-digits", "1e+"), ("minus-alone", "-"), ("two-minuses", "--1"), ("hexadecimal", "0x10"),
            ("underscore", "1_000"), ("two-zeros", "00"), ("minus-leading-zero", "-01"), ("space-after-minus", "- 1"),
            ("full-width-digit", "\uff11"), ("arabic-digit", "\u0661"), ("integer-above-by-exponent", "1e16"),
            ("big-integer-suffix", "1n")):
        c("A2.8/spelled-" + slug, bad)


def strings(book):
    c = book.canonical
    c("A2.9/raw-newline/+", '"a\\nb"', '"a\\nb"')
    c("A2.9/raw-newline/-", '"a\nb"')
    c("A2.9/long-forms-become-short", '"\\u0022\\u005c\\u0008\\u000C\\u000a\\u000D\\u0009"', '"\\"\\\\\\b\\f\\n\\r\\t"')
    c("A2.9/short-forms-stay", '"\\"\\\\\\b\\f\\n\\r\\t"', '"\\"\\\\\\b\\f\\n\\r\\t"')
    for slug, bad in (("hex-two", '"\\x41"'), ("single-quote", "\"\\'\""), ("bell", '"\\a"'),
                      ("vertical-tab", '"\\v"'), ("octal", '"\\0"'), ("upper-n", '"\\N"'),
                      ("three-digits", '"\\u123"'), ("braces", '"\\u{41}"'), ("upper-u", '"\\U00000041"'),
                      ("plus-in-digits", '"\\u+041"'), ("space-in-digits", '"\\u 041"'), ("not-hex", '"\\u00g1"'),
                      ("escaped-newline", '"\\\n"'), ("full-width-hex", '"\\u00\uff11\uff11"')):
        c("A2.9/no-such-escape-" + slug, bad)

    c("A2.10/raw-control/+", '"\\u001f"', '"\\u001f"')
    c("A2.10/raw-control/-", '"\x1f"')
    c("A2.10/lowercase-hex", '"\\u001F\\u000B\\u001a"', '"\\u001f\\u000b\\u001a"')
    everything = "".join(chr(i) for i in range(32))
    c("A2.10/every-control", '"' + "".join("\\u%04X" % i for i in range(32)) + '"', write(everything))
    c("A2.10/raw-nul", '"\0"')
    c("A2.10/raw-tab", '"\t"')
    c("A2.10/raw-carriage-return", '"\r"')
    c("A2.10/raw-control-in-key", '{"\x01":1}')
    c("A2.10/nul-escaped", '"a\\u0000b"', '"a\\u0000b"')

    for slug, spelled, literal in (
            ("slash", "\\/\\u002f/", "///"), ("delete", "\\u007f\u007f", "\u007f\u007f"),
            ("c1-control", "\\u0085\\u009f", "\u0085\u009f"), ("line-separators", "\\u2028\\u2029", "\u2028\u2029"),
            ("latin", "\\u00e9\\u00DF", "\u00e9\u00df"), ("letter", "\\u0041\\u007A", "Az"),
            ("astral", "\\ud83d\\ude00", "\U0001f600"), ("astral-upper-hex", "\\uD83D\\uDE00", "\U0001f600"),
            ("first-astral", "\\ud800\\udc00", "\U00010000"), ("last-astral", "\\udbff\\udfff", "\U0010ffff"),
            ("noncharacters", "\\ufffe\\uffff\\ufdd0", "\ufffe\uffff\ufdd0"), ("inner-bom", "\\ufeff", "\ufeff"),
            ("html-characters", "\\u003c\\u003e\\u0026'", "<>&'"), ("bidi-control", "\\u202e", "\u202e")):
        c("A2.11/literal-" + slug, '"%s"' % spelled, '"%s"' % literal)
    c("A2.11/no-normal-form", '"e\u0301 \u00e9 \ufb01 \u212b"', '"e\u0301 \u00e9 \ufb01 \u212b"')
    c("A2.11/escapes-in-key", '{"\\u002f\\u00e9\\/":1}', '{"/\u00e9/":1}')


def not_unicode(book):
    c = book.canonical
    c("A2.12/half-a-pair/+", '"\\ud83d\\ude00"', '"\U0001f600"')
    c("A2.12/half-a-pair/-", '"\\ud83d"')
    c("A2.12/bytes/+", b'"\xc3\xa9"', '"\u00e9"')
    c("A2.12/bytes/-", b'"\xc3"')
    for slug, bad in (("low-alone", "\\ude00"), ("high-then-letter", "\\ud83dx"), ("high-then-escape", "\\ud83d\\n"),
                      ("high-then-bmp", "\\ud83d\\u0041"), ("low-then-high", "\\ude00\\ud83d"),
                      ("high-high-low", "\\ud83d\\ud83d\\ude00"), ("pair-then-low", "\\ud83d\\ude00\\ude00"),
                      ("high-at-end-cut", "\\ud83d\\u"), ("high-then-low-raw-u", "\\ud83dude00")):
        c("A2.12/lone-surrogate-" + slug, '"%s"' % bad)
    c("A2.12/lone-surrogate-in-key", '{"\\udc00":1}')
    for slug, bad in (("ff", b"\xff"), ("lone-continuation", b"\x80"), ("overlong-slash", b"\xc0\xaf"),
                      ("overlong-three", b"\xe0\x80\xaf"), ("overlong-four", b"\xf0\x80\x80\xaf"),
                      ("encoded-surrogate", b"\xed\xa0\x80"), ("encoded-pair", b"\xed\xa0\xbd\xed\xb8\x80"),
                      ("above-the-last", b"\xf4\x90\x80\x80"), ("cut-three", b"\xe2\x82"),
                      ("five-bytes", b"\xf8\x88\x80\x80\x80"),
                      ("latin-1", b"caf\xe9")):
        c("A2.12/invalid-bytes-" + slug, b'"' + bad + b'"')
    c("A2.12/invalid-bytes-in-key", b'{"\xff":1}')
    c("A2.12/invalid-bytes-after-value", b"1\xff")


def bounds(book):
    c = book.canonical

    def arrays(n, inside=""):
        return "[" * n + inside + "]" * n

    def nested(n):
        return '{"a":' * (n - 1) + "{}" + "}" * (n - 1)

    c("B5.5/arrays/+", arrays(32), arrays(32))
    c("B5.5/arrays/-", arrays(33))
    c("B5.5/objects/+", nested(32), nested(32))
    c("B5.5/objects/-", nested(33))
    c("B5.5/scalar-at-the-bottom", arrays(32, "1"), arrays(32, "1"))
    mixed = '[{"a":' * 16 + "1" + "}]" * 16
    c("B5.5/mixed", mixed, mixed)
    c("B5.5/mixed-one-more", '[{"a":' * 16 + "[]" + "}]" * 16)
    wide = "[" + ",".join([arrays(31)] * 40) + "]"
    c("B5.5/nesting-is-not-a-total", wide, wide)
    c("B5.5/last-branch-too-deep", "[" + ",".join([arrays(31)] * 3 + [arrays(32)]) + "]")
    c("B5.5/brackets-in-a-string", '"' + "[" * 100 + '"', '"' + "[" * 100 + '"')
    c("B5.5/open-twenty-thousand", "[" * 20000)
    c("B5.5/open-objects-four-thousand", '{"a":' * 4000)

    c("B5.6/size/+", " " * (MIB - 1) + "1", "1")
    c("B5.6/size/-", " " * MIB + "1")
