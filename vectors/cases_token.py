"""One token text: its only spelling (B1), its exact fields (A3, B3) and its bounds (B5)."""

from book import FORBIDDEN, UNAUTHORIZED, granted
from canonical import LARGEST, Raw, digest, loose, trailing_bit, unb64url, write
from tokens import (AGENT, IAT, NOW, OTHER_PRINCIPAL, PRINCIPAL, SECOND, SERVICE, Token, chain, extend, key, limit,
                    pack, proof, root)


def cases(book):
    book.topic("token")
    known(book)
    base64(book)
    spelling(book)
    resigned(book)
    blocks(book)
    root_fields(book)
    delegation_fields(book)
    bounds(book)


def refused(book, name, token, **more):
    book.ask(name, token, UNAUTHORIZED, **more)


def pair(book, name, good, bad, **more):
    book.ask(name + "/+", good, granted(good), **more)
    refused(book, name + "/-", bad, **more)


def known(book):
    token = root([{"svc": [SERVICE]}, {"can": ["shop.*"]}, {"exp": 1790003600}, {"spend": limit(5000)},
                  {"per": limit(3000)},
                  {"risk": "medium"}])
    assert token.ids == ["wJ_VZU1Z3VYBFmYOLYgx6IU0-93Cu73vFjWYxBP1Bd8"]
    book.grant("A3.11/known-answer", token, granted(token, [0]))
    plain = root()
    book.ask("A3.1/no-caveats", plain, granted(plain))


def base64(book):
    token = root()
    text = token.text
    assert len(text) % 4 in (2, 3), "the trailing bits need a length that leaves some"
    pair(book, "A3.1/prefix", token, text[4:])
    for slug, bad in (("other-version", "pg2." + text[4:]), ("upper-prefix", "PG1." + text[4:]),
                      ("no-dot", "pg1" + text[4:]),
                      ("two-prefixes", "pg1." + text), ("prefix-alone", "pg1."), ("empty", ""),
                      ("colon", "pg1:" + text[4:]),
                      ("json-itself", unb64url(text[4:]).decode()), ("two-tokens", text + "." + text[4:]),
                      ("third-part", text + ".x"), ("space-after-prefix", "pg1. " + text[4:])):
        refused(book, "A3.1/" + slug, bad)
    pair(book, "B1.2/padding", token, text + "=" * (-len(text[4:]) % 4))
    pair(book, "B1.2/trailing-bits", token, trailing_bit(text))
    pair(book, "B1.2/white-space-after", token, text + " ")
    candidates = (root(nonce="\u00ff\u00fe>>??%d" % i) for i in range(99))
    dashed = next(t for t in candidates if "-" in t.text[4:] and "_" in t.text[4:])
    pair(book, "B1.2/alphabet", dashed, dashed.text.replace("-", "+").replace("_", "/"))
    for slug, bad in (("newline-after", text + "\n"), ("space-before", " " + text),
                      ("newline-inside", text[:40] + "\n" + text[40:]),
                      ("one-letter-short", text[:-1]), ("one-letter-more", text + "A"),
                      ("dot-inside", text[:40] + "." + text[41:]),
                      ("nul-after", text + "\0"), ("accent-inside", text[:40] + "\u00e9" + text[41:]),
                      ("cut-in-half", text[:len(text) // 2])):
        refused(book, "B1.2/" + slug, bad)
    # One letter of the body changed, at the front, in the middle and near the end.
    for at in (4, 6, len(text) // 2, len(text) - 4):
        refused(book, "B1.2/letter-%d-changed" % at, text[:at] + ("A" if text[at] != "A" else "B") + text[at + 1:])


def spelling(book):
    """The JSON around intact signatures, spelled otherwise: the signature is over the canonical payload throughout."""
    token = root([{"svc": [SERVICE]}, {"exp": NOW + 60}], nonce="a/\u00e9")
    payload, sig, meant = token.blocks[0]
    whole = unb64url(token.text[4:]).decode()
    pair(book, "B1.1/white-space", token, pack(whole.replace('"},"s"', '"}, "s"')))
    pair(book, "B1.1/unsorted-block", token, pack('[{"s":"%s","p":%s}]' % (sig, payload)))
    pair(book, "B1.1/unsorted-payload", token, token.with_block(0, spelled=loose(meant)))
    pair(book, "B1.1/other-escape", token, token.with_block(0, spelled=payload.replace("/\u00e9", "\\/\u00e9")))
    pair(book, "B1.1/number-with-fraction", token, token.with_block(0,
        spelled=payload.replace('"iat":%d' % IAT, '"iat":%d.0' % IAT)))
    pair(book, "B1.1/repeated-key", token, token.with_block(0,
                                                            spelled=payload.replace('"iat":', '"iat":%d,"iat":' % IAT)))
    pair(book, "B1.1/byte-order-mark", token, pack("\ufeff" + whole))
    for slug, text in (
            ("space-first", " " + whole), ("newline-last", whole + "\n"), ("space-after-bracket", "[ " + whole[1:]),
            ("tab-in-payload", whole.replace('"iat":', '"iat":\t')), ("trailing-garbage", whole + "x"),
            ("second-array", whole + whole),
            ("trailing-comma", whole[:-1] + ",]"), ("nul-last", whole + "\0"),
            ("escaped-letter", whole.replace('"iat"', '"i\\u0061t"')),
            ("escaped-accent", whole.replace("\u00e9", "\\u00e9")),
            ("upper-escape", whole.replace("\u00e9", "\\u00E9")),
            ("exponent", whole.replace('"iat":%d' % IAT, '"iat":%de0' % IAT)),
            ("leading-zero", whole.replace('"iat":', '"iat":0')),
            ("repeated-block-key", whole.replace('"s":"', '"s":"","s":"')),
            ("repeated-payload", whole.replace('{"p":', '{"p":{},"p":')),
            ("repeated-caveat-key", whole.replace('{"exp":', '{"exp":1,"exp":')),
            ("other-normal-form", whole.replace("\u00e9", "e\u0301")),
            ("single-quotes", whole.replace('"', "'")), ("not-closed", whole[:-1])):
        assert text != whole
        refused(book, "B1.1/" + slug, pack(text))
    refused(book, "B1.1/invalid-bytes", pack(whole.encode().replace(b"\xc3\xa9", b"\xc3")))
    refused(book, "B1.1/utf-16", pack(whole.encode("utf-16-le")))
    lone = write({"caveats": [], "iat": IAT, "iss": PRINCIPAL.text, "nonce": "X", "sub": AGENT.text}).replace('"X"',
        '"\\ud800"')
    refused(book, "B1.1/lone-surrogate", Token([(lone, PRINCIPAL.sign(lone), meant)]))


def resigned(book):
    """Odd payload text that the principal really signed, byte for byte: still refused."""
    def with_text(text, signer=PRINCIPAL):
        return Token([(text, signer.sign(text), {"iss": PRINCIPAL.text, "sub": AGENT.text})])

    meant = {"iss": PRINCIPAL.text, "sub": AGENT.text, "caveats": [{"exp": NOW + 60}], "iat": 7, "nonce": "a/"}
    good = write(meant)
    for slug, text in (("unsorted", loose(meant)), ("space", good.replace(",", ", ", 1)),
                       ("escape", good.replace("a/", "a\\/")),
                       ("fraction", good.replace('"iat":7', '"iat":7.0')),
                       ("exponent", good.replace('"iat":7', '"iat":7e0')),
                       ("minus-zero", good.replace('"iat":7', '"iat":-0')),
                       ("repeated-key", good.replace('"iat":7', '"iat":7,"iat":7')),
                       ("number-too-large", good.replace('"iat":7', '"iat":%d' % (LARGEST + 1))),
                       ("caveat-fraction", good.replace(str(NOW + 60), "%d.0" % (NOW + 60))),
                       ("newline-last", good + "\n")):
        pair(book, "B1.3/signed-" + slug, with_text(good), with_text(text))
    astral = {"\uff61": 1, "\U0001f600": 2}
    sixteen = '{"\U0001f600":2,"\uff61":1}'
    book.ask("B1.3/sorted-by-code-point-unknown-caveat", root([{"x": astral}]), FORBIDDEN)
    refused(book, "B1.3/sorted-by-code-unit", root([{"x": Raw(sixteen)}]))


def blocks(book):
    token = root()
    payload, sig, _ = token.blocks[0]

    def of(text):
        return pack(text % {"p": payload, "s": sig})

    one = '{"p":%(p)s,"s":"%(s)s"}'
    pair(book, "A3.2/not-empty", token, pack("[]"))
    for slug, text in (("object", one), ("nested", "[[" + one + "]]"), ("null", "null"), ("string", '"x"'),
                       ("number", "1"),
                       ("array-of-null", "[null]"), ("array-of-text", '["x"]'), ("with-null", "[" + one + ",null]"),
                       ("with-empty-object", "[" + one + ",{}]"), ("payload-alone", "[%(p)s]"),
                       ("block-as-array", '[[%(p)s,"%(s)s"]]'),
                       ("with-empty-array", "[" + one + ",[]]")):
        refused(book, "A3.2/blocks-" + slug, of(text))
    for slug, text in (("without-p", '[{"s":"%(s)s"}]'), ("without-s", '[{"p":%(p)s}]'),
                       ("p-is-text", '[{"p":"x","s":"%(s)s"}]'),
                       ("p-is-null", '[{"p":null,"s":"%(s)s"}]'), ("p-is-array", '[{"p":[%(p)s],"s":"%(s)s"}]'),
                       ("s-is-null", '[{"p":%(p)s,"s":null}]'), ("s-is-number", '[{"p":%(p)s,"s":1}]'),
                       ("s-is-array", '[{"p":%(p)s,"s":["%(s)s"]}]'), ("upper-names", '[{"P":%(p)s,"S":"%(s)s"}]'),
                       ("p-empty-object", '[{"p":{},"s":"%(s)s"}]')):
        refused(book, "A3.2/block-" + slug, of(text))
    pair(book, "B3.2/unknown-in-block", token, of('[{"p":%(p)s,"s":"%(s)s","t":1}]'))
    refused(book, "B3.2/block-also-null", of('[{"a":null,"p":%(p)s,"s":"%(s)s"}]'))
    refused(book, "B3.2/block-also-key", of('[{"key":"%s","p":%%(p)s,"s":"%%(s)s"}]' % PRINCIPAL.text))
    for slug, other in (("empty", ""), ("padded", sig + "=="), ("trailing-bits", trailing_bit(sig)),
                        ("short", sig[:-2]), ("long", sig + "AA"),
                        ("space", sig + " "), ("with-prefix", "ed25519:" + sig),
                        ("other-alphabet", sig.replace("-", "+").replace("_", "/"))):
        if other != sig:
            refused(book, "A3.3/signature-" + slug, token.with_block(0, sig=other))
    pair(book, "A3.3/one-bit", token, token.with_block(0, sig=("A" if sig[0] != "A" else "B") + sig[1:]))
    for slug, text in (("unsorted", loose({"iss": PRINCIPAL.text, "sub": AGENT.text, "caveats": [], "iat": IAT,
                                           "nonce": "n1"})),
                       ("blocks", "[" + payload + "]"), ("hash-of-it", digest(payload)), ("nothing", "")):
        refused(book, "A3.3/signed-text-" + slug, token.with_block(0, sig=PRINCIPAL.sign(text)))


WRONG = (("null", None), ("true", True), ("number", 5), ("string", "x"), ("array", []), ("object", {}))


def wrong_types(book, label, name, kind, make):
    for slug, value in WRONG:
        if kind != slug:
            refused(book, "%s-is-%s" % (label, slug), make(change={name: value}))


def root_fields(book):
    good = root()
    for name, kind in (("iss", None), ("sub", None), ("caveats", "array"), ("iat", "number"), ("nonce", "string")):
        pair(book, "A3.4/root-without-" + name, good, root(drop=[name]))
        wrong_types(book, "A3.4/root-" + name, name, kind, root)
    pair(book, "A3.5/signed-by-iss", good, root(signer=AGENT))
    refused(book, "A3.5/signed-by-stranger", root(signer=key(9)))
    refused(book, "A3.5/iss-of-another", root(change={"iss": OTHER_PRINCIPAL.text}),
            trusted=[PRINCIPAL, OTHER_PRINCIPAL])
    pair(book, "B3.1/unknown-in-root", good, root(change={"note": ""}))
    for name, value in (("prev", good.ids[0]), ("exp", NOW + 60), ("aud", SERVICE), ("verb", "ASK"), ("__proto__", {}),
                        ("Nonce", "n1"),
                        ("key", PRINCIPAL.text), ("", None), ("toString", 1)):
        slug = {"__proto__": "proto", "Nonce": "upper-nonce", "": "empty", "toString": "to-string"}.get(name, name)
        refused(book, "B3.1/root-also-" + slug, root(change={name: value}))
    for slug, text in (("trailing-bits", trailing_bit(PRINCIPAL.text)), ("no-prefix", PRINCIPAL.text[8:]),
                       ("padded", PRINCIPAL.text + "=")):
        refused(book, "A3.4/iss-spelled-" + slug, root(change={"iss": text}), trusted=[PRINCIPAL, text])
    for slug, text in (("trailing-bits", trailing_bit(AGENT.text)), ("no-prefix", AGENT.text[8:]), ("empty", "")):
        refused(book, "A3.4/sub-spelled-" + slug, root(change={"sub": text}), proof_key=text)
    for slug, iat in (("zero", 0), ("minus-one", -1), ("largest", LARGEST), ("smallest", -LARGEST),
                      ("later-than-now", NOW + 10**6)):
        token = root(iat=iat)
        book.ask("A3.9/iat-" + slug, token, granted(token))
    pair(book, "A3.9/any-integer", root(iat=LARGEST), root(change={"iat": Raw(str(LARGEST + 1))}))
    refused(book, "A3.9/iat-fraction", root(change={"iat": Raw("1.5")}))
    refused(book, "A3.9/iat-below", root(change={"iat": Raw(str(-LARGEST - 1))}))
    pair(book, "A3.10/any-string", root(nonce=""), root(change={"nonce": 1}))
    for slug, nonce in (("escapes", "\"\\\n\x00/"), ("astral", "\U0001f600"), ("long", "n" * 5000),
                        ("json", '{"iss":1}')):
        token = root(nonce=nonce)
        book.ask("A3.10/nonce-" + slug, token, granted(token))


def delegation_fields(book):
    start = root(sub=SECOND)

    def made(**more):
        return extend(start, SECOND, AGENT, **more)

    good = made()
    for name, kind in (("prev", None), ("sub", None), ("caveats", "array"), ("iat", "number")):
        pair(book, "A3.6/delegation-without-" + name, good, made(drop=[name]))
        wrong_types(book, "A3.6/delegation-" + name, name, kind, made)
    pair(book, "B3.1/unknown-in-delegation", good, made(change={"note": ""}))
    for name, value in (("nonce", "n1"), ("iss", SECOND.text), ("exp", NOW + 60), ("verb", "ASK"), ("Prev", "")):
        refused(book, "B3.1/delegation-also-" + name.replace("Prev", "upper-prev"), made(change={name: value}))
    for slug, iat in (("zero", 0), ("before-the-root", IAT - 10**6), ("largest", LARGEST), ("smallest", -LARGEST)):
        token = made(iat=iat)
        book.ask("A3.9/delegated-iat-" + slug, token, granted(token))
    # A proof's text and a block's text are never each other: neither has the other's fields.
    given = proof("ASK", "t")
    text = write({"aud": SERVICE, "target": "t", "ts": NOW, "verb": "ASK"})
    refused(book, "B3.5/proof-text-as-root", Token([(text, given["sig"], {})]))
    refused(book, "B3.5/proof-text-as-delegation", Token(root().blocks + [(text, given["sig"], {})]), proof_key=SECOND)
    pair(book, "B3.5/apart", good, start.part(0).with_block(0, spelled=text, sig=SECOND.sign(text)))


def bounds(book):
    def filled(size):
        room = size - len(root(nonce="").text)
        return next(t for t in (root(nonce="n" * (room * 3 // 4 + i)) for i in range(-3, 4)) if len(t.text) == size)

    full, over = filled(65536), filled(65538)
    pair(book, "B5.1/whole-text", full, over)
    refused(book, "B5.1/one-letter-over", full.text + "A")
    pair(book, "B5.2/blocks", chain(16), chain(17))
    for length in range(2, 16):
        token = chain(length)
        book.ask("A3.7/chain-of-%d" % length, token, granted(token))
    token = chain(16, [{"spend": limit(5000)}])
    book.grant("B5.2/sixteen-with-caveat", token, granted(token, [15]))
    refused(book, "B5.2/seventeen-by-the-way", chain(17), trusted=[key(3)])
    good, bad = root([{"nbf": i} for i in range(64)]), root([{"nbf": i} for i in range(65)])
    pair(book, "B5.3/caveats", good, bad)
    start = root([{"nbf": i} for i in range(64)], sub=SECOND)
    good, bad = (extend(start, SECOND, AGENT, [{"nbf": i} for i in range(n)]) for n in (64, 65))
    pair(book, "B5.3/caveats-of-a-delegation", good, bad)
    refused(book, "B5.3/over-beats-a-failing-caveat", root([{"exp": 0}] * 65))
    # blocks, block, payload, caveats, caveat are five levels: 27 more is the last that may stand.
    book.ask("B5.5/unknown-caveat-at-depth-32", root([{"x": Raw("[" * 27 + "]" * 27)}]), FORBIDDEN)
    refused(book, "B5.5/unknown-caveat-at-depth-33", root([{"x": Raw("[" * 28 + "]" * 28)}]))
    refused(book, "B5.5/token-of-brackets", pack("[" * 20000))
    refused(book, "B5.5/token-of-closed-brackets", pack("[" * 10000 + "]" * 10000))
