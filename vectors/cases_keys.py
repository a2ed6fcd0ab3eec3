"""Text forms of keys and seeds (A1) and the strict reading of keys and signatures (B2)."""

import ed25519
from book import NOT_OK, OK, UNAUTHORIZED, granted
from canonical import b64url, trailing_bit, unb64url
from tokens import AGENT, CAPABILITY, IAT, NOW, PRINCIPAL, SECOND, Key, OddKey, extend, key, proof, root

ODD_Y = [y for y in range(19) if ed25519.recover_x(y, 0) is not None]
OFF_CURVE = [y for y in range(2, 40) if ed25519.recover_x(y, 0) is None][:3]


def mixed(number, torsion, **more):
    """The key of seed `number` plus a point of small order: canonical, not of small order, not in the prime group."""
    honest = key(number)
    point = ed25519.add(ed25519.base(honest.scalar), ed25519.TORSION[torsion])
    return OddKey(ed25519.compress(point), honest.scalar, **more)


def cases(book):
    book.topic("keys")
    seeds(book)
    key_texts(book)
    strict_keys(book)
    book.topic("signatures")
    small_order_signers(book)
    strict_proofs(book)
    strict_blocks(book)


def seed_case(book, name, seed, public=None):
    book.add(name, "key", NOT_OK if public is None else {"ok": True, "public": public}, seed=seed)


def seeds(book):
    zero = b64url(bytes(32))
    both = Key(bytes([0xfb, 0xef, 0xff] * 10 + [0xfb, 0xff]))
    assert "-" in both.seed and "_" in both.seed
    seed_case(book, "A1.1/alphabet/+", both.seed, both.text)
    seed_case(book, "A1.1/alphabet/-", both.seed.replace("-", "+").replace("_", "/"))
    seed_case(book, "A1.1/padding/+", zero, "ed25519:O2onvM62pC1io6jQKm8Nc2UyFXcd4kOmOsBIoYtZ2ik")
    seed_case(book, "A1.1/padding/-", zero + "=")
    seed_case(book, "A1.1/trailing-bits/+", AGENT.seed, AGENT.text)
    seed_case(book, "A1.1/trailing-bits/-", trailing_bit(AGENT.seed))
    for slug, bad in (("space-before", " " + zero), ("space-after", zero + " "), ("newline-after", zero + "\n"),
                      ("space-inside", zero[:9] + " " + zero[9:]), ("newline-inside", zero[:9] + "\n" + zero[9:]),
                      ("dot-inside", zero[:9] + "." + zero[10:]), ("accent-inside", zero[:9] + "\u00e9" + zero[10:]),
                      ("other-trailing-bit", zero[:-1] + "C"), ("both-trailing-bits", zero[:-1] + "D"),
                      ("percent-twenty", zero[:9] + "%20" + zero[12:]), ("nul-after", zero + "\0")):
        seed_case(book, "A1.1/" + slug, bad)
    seed_case(book, "A1.4/length/+", b64url(bytes([7] * 32)), key(7).text)
    seed_case(book, "A1.4/length/-", b64url(bytes([7] * 31)))
    for slug, bad in (("thirty-three-bytes", b64url(bytes([7] * 33))), ("empty", ""),
                      ("sixty-four-bytes", b64url(bytes(64))),
                      ("hexadecimal", "07" * 32), ("with-key-prefix", "ed25519:" + zero),
                      ("forty-two-letters", "A" * 42),
                      ("forty-four-letters", "A" * 44), ("forty-five-letters", "A" * 45)):
        seed_case(book, "A1.4/seed-" + slug, bad)
    for number in (1, 2, 3, 255):
        seed_case(book, "A1.4/seed-of-%d" % number, key(number).seed, key(number).text)


def issue(book, name, sub, token=None):
    book.add(name, "issue", NOT_OK if token is None else {"ok": True, "token": token.text},
             seed=PRINCIPAL.seed, sub=sub, caveats=[], iat=IAT, nonce="n1")


def key_texts(book):
    good = AGENT.text
    issue(book, "A1.2/prefix/+", good, root())
    issue(book, "A1.2/prefix/-", good[8:])
    for slug, bad in (("upper-prefix", "ED25519:" + good[8:]), ("other-prefix", "ed448:" + good[8:]),
                      ("two-prefixes", "ed25519:" + good),
                      ("no-colon", "ed25519" + good[8:]), ("space-after-colon", "ed25519: " + good[8:]), ("empty", ""),
                      ("prefix-alone", "ed25519:"), ("padded", good + "="), ("space-after", good + " "),
                      ("trailing-bits", trailing_bit(good)), ("short", "ed25519:" + b64url(AGENT.raw[:31])),
                      ("long", "ed25519:" + b64url(AGENT.raw + b"\0")), ("hexadecimal", "ed25519:" + AGENT.raw.hex())):
        issue(book, "A1.2/key-" + slug, bad)

    whole = proof("ASK", CAPABILITY)
    book.proof("A1.3/signature-length/+", whole, OK)
    book.proof("A1.3/signature-length/-", dict(whole, sig=whole["sig"][:-2]), UNAUTHORIZED)
    raw = bytes(range(64))
    for slug, sig in (("empty", ""), ("padded", whole["sig"] + "=="), ("trailing-bits", trailing_bit(whole["sig"])),
                      ("space-after", whole["sig"] + " "), ("newline-inside",
                                                            whole["sig"][:9] + "\n" + whole["sig"][9:]),
                      ("sixty-five-bytes", b64url(raw + b"\0")), ("thirty-two-bytes", b64url(raw[:32])),
                      ("with-key-prefix", "ed25519:" + whole["sig"]), ("hexadecimal", raw.hex())):
        book.proof("A1.3/signature-" + slug, dict(whole, sig=sig), UNAUTHORIZED)
    dashed = next(p for p in (proof("ASK", CAPABILITY,
                                    ts=NOW - i) for i in range(99)) if "-" in p["sig"] and "_" in p["sig"])
    book.proof("A1.3/signature-other-alphabet",
               dict(dashed, sig=dashed["sig"].replace("-", "+").replace("_", "/")), UNAUTHORIZED)

    ask = book.ask
    token = root()
    ask("A1.5/trusted/+", token, granted(token), trusted=[PRINCIPAL])
    ask("A1.5/trusted/-", token, UNAUTHORIZED, trusted=[PRINCIPAL.text + "="])
    ask("A1.5/proof-key/+", token, granted(token), proof_key=AGENT)
    ask("A1.5/proof-key/-", token, UNAUTHORIZED, proof_key=trailing_bit(AGENT.text))
    ask("A1.5/no-key-beside-a-key", token, granted(token), trusted=["", "nobody", PRINCIPAL, "ed25519:"])
    for slug, text in (("empty", ""), ("upper-prefix", "ED25519:" + PRINCIPAL.text[8:]), ("star", "*"),
                       ("no-prefix", PRINCIPAL.text[8:]), ("space", PRINCIPAL.text + " "),
                       ("trailing-bits", trailing_bit(PRINCIPAL.text))):
        ask("A1.5/trusted-" + slug, token, UNAUTHORIZED, trusted=[text])
    for slug, text in (("empty", ""), ("no-prefix", AGENT.text[8:]), ("padded", AGENT.text + "="), ("star", "*")):
        ask("A1.5/proof-key-" + slug, token, UNAUTHORIZED, proof_key=text)


def strict_keys(book):
    """Keys that only a lenient reader takes, read as a grant's `sub` by the issuer and by the verifier."""
    def both(name, raw, sign=None):
        text = "ed25519:" + b64url(raw)
        token = root(change={"sub": text})
        issue(book, name + (sign or ""), text, token if sign == "/+" else None)
        if sign != "/+":
            book.ask(name + "-as-holder", token, UNAUTHORIZED, proof_key=text)

    def pair(name, raw):
        both(name, AGENT.raw, "/+")
        both(name, raw, "/-")

    pair("B2.1/y-not-reduced", ed25519.encode(ed25519.P + 3, 0))
    for y in ODD_Y[2:]:
        both("B2.1/y-is-p-plus-%d" % y, ed25519.encode(ed25519.P + y, y & 1))
    pair("B2.2/signed-zero", ed25519.encode(1, 1))
    both("B2.2/signed-zero-order-2", ed25519.encode(ed25519.P - 1, 1))
    pair("B2.3/small-order", ed25519.SMALL_ORDER["order-8-a"])
    for slug, raw in {**ed25519.SMALL_ORDER, **ed25519.SMALL_ORDER_ODD}.items():
        both("B2.3/key-" + slug, raw)
    pair("B2.4/off-the-curve", ed25519.encode(OFF_CURVE[0], 0))
    for y in OFF_CURVE[1:]:
        both("B2.4/off-the-curve-y-%d" % y, ed25519.encode(y, 1))
    both("B2.4/all-ones", b"\xff" * 32)
    for torsion in (1, 2, 4):
        odd = mixed(2, torsion)
        issue(book, "B2.3/mixed-order-is-not-small-%d" % torsion, odd.text, root(sub=odd))
        book.ask("B2.3/mixed-order-is-not-small-%d-as-holder" % torsion, root(sub=odd), granted(root(sub=odd)),
                 proof_key=odd)


def small_order_signers(book):
    """Keys of small order, with signatures that a lenient verifier takes: as prover, root, middle of a chain."""
    good = root()
    for slug, raw in {**ed25519.SMALL_ORDER, **ed25519.SMALL_ORDER_ODD}.items():
        odd = OddKey(raw)
        given = proof("ASK", CAPABILITY, by=odd)
        book.proof("B2.3/proof-by-" + slug, given, UNAUTHORIZED)
        forged = root(iss=odd)
        book.ask("B2.3/root-by-" + slug, forged, UNAUTHORIZED, trusted=[odd, PRINCIPAL])
    book.proof("B2.3/proof/+", proof("ASK", CAPABILITY), OK)
    book.proof("B2.3/proof/-", proof("ASK", CAPABILITY, by=OddKey(ed25519.SMALL_ORDER["order-4-a"])), UNAUTHORIZED)
    nobody = OddKey(ed25519.SMALL_ORDER["order-1"])
    book.ask("B2.3/root/+", good, granted(good), trusted=[PRINCIPAL, nobody])
    book.ask("B2.3/root/-", root(iss=nobody), UNAUTHORIZED, trusted=[PRINCIPAL, nobody])
    through = extend(root(sub=SECOND), SECOND, AGENT)
    book.ask("B2.3/middle/+", through, granted(through))
    book.ask("B2.3/middle/-", extend(root(sub=nobody), nobody, AGENT), UNAUTHORIZED)


def parts(sig):
    raw = unb64url(sig)
    return raw[:32], int.from_bytes(raw[32:], "little")


def joined(commitment, scalar):
    return b64url(commitment + scalar.to_bytes(32, "little"))


def bent(sig):
    """Other texts beside a good signature: slug -> (clause, signature)."""
    commitment, scalar = parts(sig)
    flipped = bytearray(commitment)
    flipped[31] ^= 0x80
    return {
        "s-plus-l": ("B2.5", joined(commitment, scalar + ed25519.L)),
        "s-plus-two-l": ("B2.5", joined(commitment, scalar + 2 * ed25519.L)),
        "s-plus-eight-l": ("B2.5", joined(commitment, scalar + 8 * ed25519.L)),
        "s-with-high-bit": ("B2.5", joined(commitment, scalar | 1 << 255)),
        "s-is-l": ("B2.5", joined(commitment, ed25519.L)),
        "s-all-ones": ("B2.5", joined(commitment, 2**256 - 1)),
        "s-is-zero": ("B2.8", joined(commitment, 0)),
        "s-plus-one": ("B2.8", joined(commitment, (scalar + 1) % ed25519.L)),
        "s-negated": ("B2.8", joined(commitment, ed25519.L - scalar)),
        "r-sign-flipped": ("B2.8", joined(bytes(flipped), scalar)),
        "r-off-the-curve": ("B2.6", joined(ed25519.encode(OFF_CURVE[0], 0), scalar)),
        "r-y-not-reduced": ("B2.6", joined(ed25519.encode(ed25519.P + 3, 0), scalar)),
        "all-zero": ("B2.7", b64url(bytes(64))),
        "all-ones": ("B2.5", b64url(b"\xff" * 64)),
        "halves-exchanged": ("B2.8", b64url(scalar.to_bytes(32, "little") + commitment)),
    }


def odd_ones():
    """Signers that are honest but for R: slug -> (clause, signer)."""
    a = AGENT
    found = {}
    for slug, raw in ed25519.SMALL_ORDER_ODD.items():
        exact = slug.startswith("order-1")
        found["r-" + slug] = ("B2.6", OddKey(a.raw, a.scalar, exact, [raw]))
    for slug, raw in ed25519.SMALL_ORDER.items():
        found["r-" + slug] = ("B2.7", OddKey(a.raw, a.scalar, slug == "order-1", [raw]))
    found["cofactored-only"] = ("B2.8", OddKey(a.raw, a.scalar, exact=False))
    return found


def strict_proofs(book):
    good = proof("ASK", CAPABILITY)
    for slug, (clause, sig) in bent(good["sig"]).items():
        book.proof("%s/proof-%s" % (clause, slug), dict(good, sig=sig), UNAUTHORIZED)
    for slug, (clause, signer) in odd_ones().items():
        book.proof("%s/proof-%s" % (clause, slug), proof("ASK", CAPABILITY, by=signer), UNAUTHORIZED)
    for clause, slug, bad in (
            ("B2.5", "s-and-s-plus-l", dict(good, sig=bent(good["sig"])["s-plus-l"][1])),
            ("B2.6", "signed-zero-r", proof("ASK", CAPABILITY, by=odd_ones()["r-order-1-signed-zero"][1])),
            ("B2.7", "small-order-r", proof("ASK", CAPABILITY, by=odd_ones()["r-order-1"][1])),
            ("B2.8", "cofactored", proof("ASK", CAPABILITY, by=odd_ones()["cofactored-only"][1]))):
        book.proof("%s/%s/+" % (clause, slug), good, OK)
        book.proof("%s/%s/-" % (clause, slug), bad, UNAUTHORIZED)
    for torsion in (1, 2, 4):
        strong, weak = mixed(2, torsion), mixed(2, torsion, exact=False)
        name = "B2.8/mixed-order-key-%d" % torsion
        book.proof(name + "/+", proof("ASK", CAPABILITY, by=strong), OK)
        book.proof(name + "/-", proof("ASK", CAPABILITY, by=weak), UNAUTHORIZED)
    # A mixed-order key can also satisfy the exact equation with an R of small order that is not the identity.
    odd = mixed(2, 1, commitments=list(ed25519.SMALL_ORDER.values())[1:])
    given = None
    ts = NOW
    while given is None:
        try:
            given = proof("ASK", CAPABILITY, ts=ts, by=odd)
        except ValueError:
            ts -= 1
    book.proof("B2.7/proof-small-order-r-of-a-mixed-order-key", given, UNAUTHORIZED)


def strict_blocks(book):
    """The same in the blocks of a grant, where another spelling of a signature would be another block id."""
    good = root()
    for slug, (clause, sig) in bent(good.blocks[0][1]).items():
        book.ask("%s/root-%s" % (clause, slug), good.with_block(0, sig=sig), UNAUTHORIZED)
    book.ask("B2.5/block/+", good, granted(good))
    book.ask("B2.5/block/-", good.with_block(0, sig=bent(good.blocks[0][1])["s-plus-l"][1]), UNAUTHORIZED)
    chained = extend(root(sub=AGENT), AGENT, SECOND)
    book.ask("B2.5/last-block/+", chained, granted(chained), proof_key=SECOND)
    book.ask("B2.5/last-block/-", chained.with_block(1, sig=bent(chained.blocks[1][1])["s-plus-l"][1]), UNAUTHORIZED,
             proof_key=SECOND)
    for slug, (clause, signer) in odd_ones().items():
        book.ask("%s/delegation-%s" % (clause, slug), extend(root(sub=AGENT), signer, SECOND), UNAUTHORIZED,
                 proof_key=SECOND)
    shifted = good.with_block(0, sig=bent(good.blocks[0][1])["s-plus-l"][1])
    book.ask("B2.5/re-spelled-root-with-its-own-link", extend(shifted, AGENT, SECOND), UNAUTHORIZED, proof_key=SECOND)
    for torsion in (1, 4):
        strong, weak = mixed(1, torsion), mixed(1, torsion, exact=False)
        name = "B2.8/mixed-order-root-%d" % torsion
        token = root(iss=strong)
        book.ask(name + "/+", token, granted(token), trusted=[strong])
        book.ask(name + "/-", root(iss=weak), UNAUTHORIZED, trusted=[strong])
