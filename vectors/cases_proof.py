"""Proofs of possession: shape, signed text, window, targets (A5, exact fields of B3, text bound of B5)."""

from book import NOT_OK, OK, UNAUTHORIZED
from canonical import LARGEST, Members, Raw, loose, string, write
from tokens import AGENT, CAPABILITY, NOW, SECOND, SERVICE, proof, signed_text

I64_MAX, I64_MIN = 2**63 - 1, -2**63
VERBS = ("HELLO", "ASK", "INTENT", "COMMIT", "UNDO", "EXPAND")


def cases(book):
    book.topic("proof")
    shape(book)
    spelling(book)
    signed(book)
    window(book)
    bounds(book)
    made(book)


def shape(book):
    p = book.proof
    good = proof("ASK", CAPABILITY)
    for member in ("key", "ts", "sig"):
        p("A5.1/missing-%s/+" % member, good, OK)
        p("A5.1/missing-%s/-" % member, {k: v for k, v in good.items() if k != member}, UNAUTHORIZED)
        for slug, bad in (("null", None), ("true", True), ("array", [good[member]]), ("object", {"v": good[member]})):
            p("A5.1/%s-is-%s" % (member, slug), dict(good, **{member: bad}), UNAUTHORIZED)
    for member in ("key", "sig"):
        p("A5.1/%s-is-number" % member, dict(good, **{member: 7}), UNAUTHORIZED)
    p("A5.1/ts-is-string", dict(good, ts=str(NOW)), UNAUTHORIZED)
    p("A5.1/ts-string-now-zero", dict(proof("ASK", CAPABILITY, ts=0), ts="0"), UNAUTHORIZED, now=0)
    for slug, text in (("null", "null"), ("number", "1"), ("string", string(write(good))), ("array", "[]"),
                       ("array-of-proof", "[" + write(good) + "]"), ("empty-object", "{}"), ("true", "true"),
                       ("empty", ""), ("cut", write(good)[:-1]), ("two", write(good) * 2),
                       ("array-of-values", write([good["key"], good["ts"], good["sig"]]))):
        p("A5.1/text-is-" + slug, text, UNAUTHORIZED)
    for member, extra in (("extra", 1), ("aud", SERVICE), ("verb", "ASK"), ("target", CAPABILITY), ("exp", NOW + 300),
                          ("nonce", ""), ("note", None), ("Key", good["key"]), ("", "")):
        p("B3.4/proof-also-%s" % (member.replace("Key", "upper-key") or "empty"), dict(good, **{member: extra}),
          UNAUTHORIZED)
    p("B3.4/unknown-in-proof/+", good, OK)
    p("B3.4/unknown-in-proof/-", dict(good, note="x"), UNAUTHORIZED)


def spelling(book):
    p = book.proof
    good = proof("ASK", CAPABILITY)
    p("A5.10/repeated-key/+", loose(good), OK)
    p("A5.10/repeated-key/-", write(Members(*good.items(), ("ts", NOW))), UNAUTHORIZED)
    p("A5.10/white-space", "\r\n { \"sig\" :\t%s ,\n\"ts\": %d , \"key\":%s }\n " % (string(good["sig"]), NOW,
        string(good["key"])), OK)
    p("A5.10/escaped-names-and-values", "{\"\\u006bey\":\"\\u0065d25519:%s\",\"\\u0074s\":%d,\"sig\":%s}"
      % (good["key"][8:], NOW, string(good["sig"])), OK)
    p("A5.10/bytes", write(good).encode(), OK)
    p("A5.10/repeated-key-escaped", write(Members(*good.items(), ("ts", NOW))).replace('"ts"', '"\\u0074s"', 1),
      UNAUTHORIZED)
    p("A5.10/repeated-signature", write(Members(*good.items(), ("sig", good["sig"]))), UNAUTHORIZED)
    for slug, text in (("one-decimal", "%d.0" % NOW), ("exponent", "179e7"), ("leading-zero", "0%d" % NOW),
                       ("plus", "+%d" % NOW)):
        p("A5.10/ts-spelled-" + slug, write(dict(good, ts=Raw(text))), UNAUTHORIZED)
    p("A5.10/ts-fraction", write(dict(good, ts=Raw("%d.5" % NOW))), UNAUTHORIZED)
    p("A5.10/ts-minus-zero", write(dict(proof("ASK", CAPABILITY, ts=0), ts=Raw("-0"))), UNAUTHORIZED, now=0)
    p("A5.10/byte-order-mark", "\ufeff" + write(good), UNAUTHORIZED)
    p("A5.10/trailing-comma", write(good)[:-1] + ",}", UNAUTHORIZED)
    p("A5.10/trailing-garbage", write(good) + "]", UNAUTHORIZED)
    p("A5.10/invalid-bytes", write(good).encode() + b"\xff", UNAUTHORIZED)
    p("A5.10/single-quotes", write(good).replace('"', "'"), UNAUTHORIZED)


def signed(book):
    p = book.proof
    good = proof("ASK", CAPABILITY)
    known = proof("COMMIT", "abc", aud="cal.example.com")
    assert known["sig"] == "sFOOC1BWcGs0vubIEO-pGnF6GUQisyMj2WJOuAinJnVWMoVBcLOrU2YT8fU7qCMoowzdH4eRyTR5IAZdXaA8Ag"
    p("A5.2/known-answer", known, OK, aud="cal.example.com", verb="COMMIT", target="abc")
    p("A5.2/audience/+", good, OK)
    p("A5.2/audience/-", good, UNAUTHORIZED, aud="shop.example.com")
    p("A5.2/verb/+", good, OK)
    p("A5.2/verb/-", good, UNAUTHORIZED, verb="INTENT")
    p("A5.2/target/+", good, OK)
    p("A5.2/target/-", good, UNAUTHORIZED, target="shop.orders")
    p("A5.2/time/+", good, OK)
    p("A5.2/time/-", dict(good, ts=NOW - 1), UNAUTHORIZED)
    p("A5.2/key/+", good, OK)
    p("A5.2/key/-", dict(good, key=SECOND.text), UNAUTHORIZED)
    for slug, text in (("quote", 'a"b'), ("backslash", "a\\b"), ("newline", "a\nb"), ("control", "a\x01\x1fb"),
                       ("slash", "a/b"),
                       ("delete", "a\u007fb"), ("line-separator", "a\u2028b"), ("astral", "a\U0001f600b"),
                       ("accent", "caf\u00e9"), ("decomposed", "cafe\u0301"), ("empty", ""), ("space", " "),
                       ("nul", "a\0b"),
                       ("looks-like-json", '","ts":1,"verb":"COMMIT"}')):
        p("A5.2/target-with-" + slug, proof("ASK", text), OK, target=text)
        p("A5.2/audience-with-" + slug, proof("ASK", CAPABILITY, aud=text), OK, aud=text)
    p("A5.2/target-other-normal-form", proof("ASK", "caf\u00e9"), UNAUTHORIZED, target="cafe\u0301")
    p("A5.2/target-other-case", proof("ASK", "Shop.order"), UNAUTHORIZED)
    p("A5.2/audience-other-case", proof("ASK", CAPABILITY, aud="Shop.example"), UNAUTHORIZED)
    p("A5.2/target-with-space-after", proof("ASK", CAPABILITY + " "), UNAUTHORIZED)
    for slug, text in (
            ("in-other-order", loose({"aud": SERVICE, "verb": "ASK", "target": CAPABILITY, "ts": NOW})),
            ("with-spaces", '{"aud": "%s", "target": "%s", "ts": %d, "verb": "ASK"}' % (SERVICE, CAPABILITY, NOW)),
            ("without-verb", write({"aud": SERVICE, "target": CAPABILITY, "ts": NOW})),
            ("with-key", write({"aud": SERVICE, "key": AGENT.text, "target": CAPABILITY, "ts": NOW, "verb": "ASK"})),
            ("with-ts-as-text", write({"aud": SERVICE, "target": CAPABILITY, "ts": str(NOW), "verb": "ASK"})),
            ("of-the-target-alone", CAPABILITY), ("empty", "")):
        p("A5.2/signature-over-text-" + slug, dict(good, sig=AGENT.sign(text)), UNAUTHORIZED)
    text = "a/\u2028"
    escaped = signed_text(SERVICE, "ASK", text, NOW).replace("/", "\\/").replace("\u2028", "\\u2028")
    p("A5.2/signature-over-other-escapes", dict(good, sig=AGENT.sign(escaped)), UNAUTHORIZED, target=text)
    for verb in VERBS:
        p("A5.9/verb-%s" % verb.lower(), proof(verb, "t"), OK, verb=verb, target="t")
    p("A5.9/spelled-so/+", proof("HELLO", ""), OK, verb="HELLO", target="")
    p("A5.9/spelled-so/-", proof("Hello", ""), UNAUTHORIZED, verb="Hello", target="")
    for slug, verb in (("lower", "commit"), ("empty", ""), ("space", "COMMIT "), ("unknown", "DELETE"), ("star", "*"),
                       ("host-name", "toString"), ("plural", "ASKS"), ("cyrillic", "\u0410SK")):
        p("A5.9/no-verb-" + slug, proof(verb, "t"), UNAUTHORIZED, verb=verb, target="t")


def window(book):
    p = book.proof
    good = proof("ASK", CAPABILITY)
    p("A5.3/old/+", good, OK, now=NOW + 300)
    p("A5.3/old/-", good, UNAUTHORIZED, now=NOW + 301)
    p("A5.3/early/+", good, OK, now=NOW - 300)
    p("A5.3/early/-", good, UNAUTHORIZED, now=NOW - 301)
    p("A5.3/half-way", good, OK, now=NOW + 150)
    for slug, ts in (("largest", LARGEST), ("smallest", -LARGEST), ("zero", 0), ("minus-one", -1)):
        at = proof("ASK", CAPABILITY, ts=ts)
        p("A5.3/ts-%s/+" % slug, at, OK, now=ts - 300)
        p("A5.3/ts-%s/-" % slug, at, UNAUTHORIZED, now=ts + 301)
        p("A5.3/ts-%s-now-i64-max" % slug, at, UNAUTHORIZED, now=I64_MAX)
        p("A5.3/ts-%s-now-i64-min" % slug, at, UNAUTHORIZED, now=I64_MIN)
    p("A5.3/milliseconds", proof("ASK", CAPABILITY, ts=NOW * 1000), UNAUTHORIZED)
    for slug, ts, now in (("over-the-largest", LARGEST + 1, LARGEST), ("i64-max", I64_MAX, I64_MAX),
                          ("i64-min", I64_MIN, I64_MIN),
                          ("wraps-around", 2**64 + NOW, NOW), ("under-the-smallest", -LARGEST - 1, -LARGEST)):
        text = '{"aud":"%s","target":"%s","ts":%d,"verb":"ASK"}' % (SERVICE, CAPABILITY, ts)
        given = Members(("key", AGENT.text), ("sig", AGENT.sign(text)), ("ts", Raw(str(ts))))
        p("A5.3/no-such-ts-" + slug, write(given), UNAUTHORIZED, now=now)


def filled(size, verb="ASK", unit="t", ts=NOW):
    """A target that makes the signed text `size` bytes long."""
    room = size - len(signed_text(SERVICE, verb, "", ts).encode())
    cost = len(write(unit).encode()) - 2
    return unit * (room // cost) + "t" * (room % cost)


def bounds(book):
    p = book.proof
    full, over = filled(65536), filled(65537)
    assert len(signed_text(SERVICE, "ASK", full, NOW)) == 65536
    p("B5.7/signed-text/+", proof("ASK", full), OK, target=full)
    p("B5.7/signed-text/-", proof("ASK", over), UNAUTHORIZED, target=over)
    escaped = filled(65537, unit="\n")
    p("B5.7/escapes-count", proof("ASK", escaped), UNAUTHORIZED, target=escaped)
    wide = filled(65537, unit="\u20ac")
    p("B5.7/bytes-count-not-letters", proof("ASK", wide), UNAUTHORIZED, target=wide)
    p("B5.5/proof-too-deep", dict(proof("ASK", CAPABILITY), x=Raw("[" * 40 + "]" * 40)), UNAUTHORIZED)


def sign(book, name, verb, target, good=True, seed=None, aud=SERVICE, ts=NOW, by=AGENT):
    expect = {"ok": True, "proof": proof(verb, target, aud, ts, by)} if good else NOT_OK
    book.add(name, "sign_proof", expect, seed=by.seed if seed is None else seed, aud=aud, verb=verb, target=target,
             ts=ts)


def made(book):
    sign(book, "A5.11/known-answer", "COMMIT", "abc", aud="cal.example.com")
    for verb in VERBS:
        sign(book, "A5.11/verb-" + verb.lower(), verb, "t", by=SECOND)
    sign(book, "A5.11/verb/+", "COMMIT", "t")
    sign(book, "A5.11/verb/-", "commit", "t", good=False)
    sign(book, "A5.11/no-verb-empty", "", "t", good=False)
    sign(book, "A5.11/no-verb-unknown", "PAY", "t", good=False)
    sign(book, "A5.11/seed/+", "ASK", "t")
    sign(book, "A5.11/seed/-", "ASK", "t", good=False, seed=AGENT.seed + "=")
    sign(book, "A5.11/no-seed-empty", "ASK", "t", good=False, seed="")
    sign(book, "A5.11/no-seed-key", "ASK", "t", good=False, seed=AGENT.text)
    sign(book, "A5.11/ts-largest/+", "ASK", "t", ts=LARGEST)
    sign(book, "A5.11/ts-largest/-", "ASK", "t", ts=LARGEST + 1, good=False)
    sign(book, "A5.11/ts-smallest/+", "ASK", "t", ts=-LARGEST)
    sign(book, "A5.11/ts-smallest/-", "ASK", "t", ts=-LARGEST - 1, good=False)
    sign(book, "A5.11/no-ts-i64-max", "ASK", "t", ts=I64_MAX, good=False)
    sign(book, "A5.11/no-ts-i64-min", "ASK", "t", ts=I64_MIN, good=False)
    sign(book, "A5.11/ts-zero", "ASK", "t", ts=0)
    sign(book, "A5.11/text-with-escapes", "UNDO", "r\"\\\n\u0001/\u007f\u2028\U0001f600", aud="\u00e9")
    sign(book, "A5.11/empty-texts", "EXPAND", "", aud="")
    sign(book, "B5.7/made-text/+", "ASK", filled(65536))
    sign(book, "B5.7/made-text/-", "ASK", filled(65537), good=False)
