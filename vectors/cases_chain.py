"""Chains: how blocks hang together, who signs them, and every way to pull them apart (A3, A6)."""

import hashlib

from book import CONSENT, FORBIDDEN, UNAUTHORIZED, granted
from canonical import LARGEST, b64url, digest, trailing_bit, unb64url
from tokens import (AGENT, NOW, OTHER_PRINCIPAL, PRINCIPAL, SECOND, SERVICE, STRANGER, THIRD, Token, cost, extend, key,
                    limit,
                    root)


def cases(book):
    book.topic("chain")
    links(book)
    signers(book)
    surgery(book)
    trust(book)
    ids(book)
    narrowing(book)


def refused(book, name, token, **more):
    book.ask(name, token, UNAUTHORIZED, **more)


def pair(book, name, good, bad, **more):
    book.ask(name + "/+", good, granted(good), **more)
    refused(book, name + "/-", bad, **more)


def links(book):
    start = root(sub=SECOND)
    payload, sig, _ = start.blocks[0]

    def linked(prev):
        return extend(start, SECOND, AGENT, prev=prev)

    good = extend(start, SECOND, AGENT)
    pair(book, "A3.8/link", good, linked(digest(sig + " ")))
    other = root(sub=SECOND, nonce="n2")
    for slug, prev in (("of-the-payload", digest(payload)), ("of-the-raw-signature",
        b64url(hashlib.sha256(unb64url(sig)).digest())), ("the-signature-itself", sig),
                       ("of-another-root", other.ids[0]), ("empty", ""), ("padded", start.ids[0] + "="),
                       ("trailing-bits", trailing_bit(start.ids[0])), ("hexadecimal", unb64url(start.ids[0]).hex()),
                       ("space-after", start.ids[0] + " "), ("other-case", start.ids[0].swapcase()),
                       ("own-block", good.ids[1])):
        refused(book, "A3.8/link-" + slug, linked(prev))
    third = extend(extend(root(sub=SECOND), SECOND, THIRD), THIRD, AGENT)
    skipping = extend(extend(root(sub=SECOND), SECOND, THIRD), THIRD, AGENT, prev=start.ids[0])
    pair(book, "A3.8/link-to-the-block-before", third, skipping)


def signers(book):
    start = root(sub=SECOND)
    good = extend(start, SECOND, AGENT)
    pair(book, "A3.7/signed-by-the-holder-before", good, extend(start, PRINCIPAL, AGENT))
    for slug, signer in (("the-new-holder", AGENT), ("a-stranger", STRANGER), ("a-second-principal", OTHER_PRINCIPAL)):
        refused(book, "A3.7/signed-by-" + slug, extend(start, signer, AGENT), trusted=[PRINCIPAL, OTHER_PRINCIPAL])
    two = extend(good, AGENT, THIRD)
    pair(book, "A3.7/third-block", two, extend(good, SECOND, THIRD), proof_key=THIRD)
    itself = extend(root(), AGENT, AGENT)
    book.ask("A3.13/a-holder-may-hand-on-to-itself", itself, granted(itself))
    circle = extend(extend(root(sub=SECOND), SECOND, AGENT), AGENT, SECOND)
    book.ask("A3.13/a-holder-may-come-back", circle, granted(circle), proof_key=SECOND)
    own = root(sub=PRINCIPAL)
    book.ask("A3.12/a-principal-may-hold", own, granted(own), proof_key=PRINCIPAL)
    pair(book, "A3.3/last-signature", good, good.with_block(1, sig=start.blocks[0][1]))
    pair(book, "A3.3/first-signature", good, good.with_block(0, sig=good.blocks[1][1]))
    _, first, _ = good.blocks[0]
    refused(book, "A3.3/signatures-exchanged", good.with_block(0, sig=good.blocks[1][1]).with_block(1, sig=first))
    # The last payload changed after it was signed: more reach, other key, other link.
    narrow = extend(start, SECOND, AGENT, [{"can": ["shop.browse"]}])
    meant = narrow.blocks[1][2]
    pair(book, "A3.3/payload-intact", good, narrow.with_block(1, payload=dict(meant, caveats=[])))
    refused(book, "A3.3/sub-replaced", narrow.with_block(1, payload=dict(meant, sub=STRANGER.text)), proof_key=STRANGER)
    refused(book, "A3.3/iat-replaced", narrow.with_block(1, payload=dict(meant, iat=0)))
    meant = start.blocks[0][2]
    wide = root([{"exp": 0}], sub=SECOND)
    refused(book, "A3.3/root-caveat-dropped", extend(wide, SECOND, AGENT).with_block(0, payload=meant))


def surgery(book):
    start = root(sub=SECOND)
    a = extend(start, SECOND, THIRD, [{"verbs": ["ASK"]}])
    b = extend(a, THIRD, AGENT)
    pair(book, "A6.1/whole-chain", b, b.part(0, 2))
    for slug, order in (("without-root", (1, 2)), ("last-alone", (2,)), ("reversed", (2, 1, 0)),
                        ("last-two-swapped", (0, 2, 1)),
                        ("root-twice", (0, 0, 1, 2)), ("root-last", (1, 2, 0)), ("middle-twice", (0, 1, 1, 2)),
                        ("last-twice", (0, 1, 2, 2))):
        refused(book, "A6.1/" + slug, b.part(*order))
    refused(book, "A6.1/cut-before-the-end", b.part(0, 1))
    book.ask("A6.1/cut-before-the-end-by-its-holder", a, granted(a), proof_key=THIRD)
    other = root(sub=SECOND, nonce="n2")
    pair(book, "A6.1/spliced-root", extend(start, SECOND, AGENT),
         Token(other.blocks + extend(start, SECOND, AGENT).blocks[1:]))
    narrow = root([{"exp": 0}], sub=SECOND)
    refused(book, "A6.1/wider-root-of-the-same-keys", Token(start.blocks + extend(narrow, SECOND, AGENT).blocks[1:]))
    refused(book, "A6.1/tail-of-another-chain", Token(a.blocks + extend(extend(other, SECOND, THIRD), THIRD,
        AGENT).blocks[2:]))
    second_root = root(iss=SECOND)
    refused(book, "A6.1/root-in-the-middle", Token(start.blocks + second_root.blocks))
    refused(book, "A6.1/root-after-a-delegation", Token(a.blocks + root(iss=THIRD).blocks))
    refused(book, "A6.1/two-good-roots", Token(root().blocks + root(nonce="n2").blocks))
    refused(book, "A6.1/delegation-as-root", extend(Token(), PRINCIPAL, AGENT, prev=""))
    refused(book, "A6.1/delegation-alone", extend(start, SECOND, AGENT).part(1), trusted=[PRINCIPAL, SECOND])
    refused(book, "A6.1/both-kinds-of-fields-first", root(change={"prev": ""}))
    refused(book, "A6.1/both-kinds-of-fields-second", extend(start, SECOND, AGENT,
        change={"iss": SECOND.text, "nonce": "n"}))


def trust(book):
    token = root()
    ask = book.ask
    ask("A6.2/trusted/+", token, granted(token), trusted=[PRINCIPAL])
    ask("A6.2/trusted/-", token, UNAUTHORIZED, trusted=[OTHER_PRINCIPAL])
    ask("A6.2/trusts-nobody", token, UNAUTHORIZED, trusted=[])
    ask("A6.2/trusted-among-many", token, granted(token), trusted=[OTHER_PRINCIPAL, PRINCIPAL, key(7)])
    ask("A6.2/trusting-the-holder-is-not-enough", token, UNAUTHORIZED, trusted=[AGENT])
    passed = extend(root(iss=STRANGER, sub=PRINCIPAL), PRINCIPAL, AGENT)
    ask("A6.2/trusted-in-the-middle-is-not-enough", passed, UNAUTHORIZED)
    own = root(iss=AGENT)
    ask("A6.2/self-issued", own, UNAUTHORIZED)
    ask("A6.2/untrusted-beats-failing-caveat", root([{"exp": 0}]), UNAUTHORIZED, trusted=[OTHER_PRINCIPAL])
    ask("A6.3/holder/+", token, granted(token), proof_key=AGENT)
    ask("A6.3/holder/-", token, UNAUTHORIZED, proof_key=SECOND)
    ask("A6.3/the-principal-is-not-the-holder", token, UNAUTHORIZED, proof_key=PRINCIPAL)
    ask("A6.3/wrong-holder-beats-failing-caveat", root([{"exp": 0}]), UNAUTHORIZED, proof_key=SECOND)
    chained = extend(root(sub=SECOND), SECOND, AGENT)
    ask("A3.12/last-sub/+", chained, granted(chained), proof_key=AGENT)
    ask("A3.12/last-sub/-", chained, UNAUTHORIZED, proof_key=SECOND)
    ask("A6.1/bad-signature-beats-failing-caveat", root([{"exp": 0}], signer=STRANGER), UNAUTHORIZED)
    ask("A6.1/right-but-failing-caveat", root([{"exp": 0}]), FORBIDDEN)


def ids(book):
    token = extend(root([{"spend": limit(5000)}], sub=SECOND), SECOND, AGENT)
    grant = book.grant
    grant("A3.11/counted-under-the-block/+", token, granted(token, [0]), spent={token.ids[0]: 2500})
    grant("A3.11/counted-under-the-block/-", token, CONSENT, spent={token.ids[0]: 2501})
    for slug, other in (("of-the-payload", digest(token.blocks[0][0])), ("of-the-other-block", token.ids[1]),
                        ("the-signature-itself", token.blocks[0][1]), ("of-the-token", digest(token.text)),
                        ("empty", "")):
        grant("A3.11/not-counted-under-id-" + slug, token, granted(token, [0]), spent={other: LARGEST})
    again = root([{"spend": limit(5000)}], nonce="n2")
    grant("A3.11/another-nonce-is-another-grant", again, granted(again, [0]), spent={token.ids[0]: 5000})
    deep = extend(extend(root([{"spend": limit(9000)}], sub=SECOND), SECOND, THIRD), THIRD, AGENT,
                  [{"spend": limit(5000)}])
    grant("A6.12/spend-blocks-in-chain-order", deep, granted(deep, [0, 2]))
    plain = extend(root([{"per": limit(9000)}], sub=SECOND), SECOND, AGENT)
    grant("A6.12/no-spend-block", plain, granted(plain, []))
    grant("A6.12/no-cost-no-spend-blocks", deep, granted(deep, []), proposal={"hash": "h", "cost": None, "risk": "low"})
    grant("A6.12/a-cost-of-zero-is-a-cost", deep, granted(deep, [0, 2]),
          proposal={"hash": "h", "cost": cost(0), "risk": "low"})
    book.ask("A6.12/not-a-commit", deep, granted(deep, []))
    grant("A6.12/an-ask-with-a-proposal", deep, granted(deep, []), verb="ASK")
    grant("A6.12/spend-blocks/+", deep, granted(deep, [0, 2]), spent={deep.ids[2]: 2500})
    grant("A6.12/spend-blocks/-", deep, CONSENT, spent={deep.ids[2]: 2501})


def narrowing(book):
    """Caveats of every block bind, wherever they stand; none can undo an earlier one."""
    wide = extend(root([{"can": ["shop.*"]}], sub=SECOND), SECOND, AGENT, [{"can": ["*"]}])
    book.ask("A3.14/caveats-add-up/+", wide, granted(wide), capability="shop.order")
    book.ask("A3.14/caveats-add-up/-", wide, FORBIDDEN, capability="cal.add")
    late = extend(root([{"exp": NOW}], sub=SECOND), SECOND, AGENT, [{"exp": NOW + 1000}])
    book.ask("A3.14/a-later-exp-mends-nothing", late, FORBIDDEN)
    rich = extend(root([{"per": limit(100)}], sub=SECOND), SECOND, AGENT, [{"per": limit(9000)}])
    book.grant("A3.14/a-larger-limit-mends-nothing", rich, CONSENT)
    three = [[{"svc": [SERVICE]}], [{"verbs": ["ASK"]}], [{"can": ["shop.order"]}]]
    bad = [[{"svc": ["x"]}], [{"verbs": ["UNDO"]}], [{"can": ["shop"]}]]
    for i, where in enumerate(("root", "middle", "last")):
        def made(caveats):
            return extend(extend(root(caveats[0], sub=SECOND), SECOND, THIRD, caveats[1]), THIRD, AGENT, caveats[2])
        good, failing = made(three), made(three[:i] + [bad[i]] + three[i + 1:])
        book.ask("A4.2/every-block-%s/+" % where, good, granted(good))
        book.ask("A4.2/every-block-%s/-" % where, failing, FORBIDDEN)
    rows = [{"svc": [SERVICE]}, {"verbs": ["ASK"]}, {"exp": NOW + 1}]
    for i in range(3):
        good, failing = root(rows), root(rows[:i] + [{"nbf": NOW + 1}] + rows[i:])
        book.ask("A4.2/every-caveat-at-%d/+" % i, good, granted(good))
        book.ask("A4.2/every-caveat-at-%d/-" % i, failing, FORBIDDEN)
    twice = root([{"svc": [SERVICE, "a"]}, {"svc": ["b"]}])
    book.ask("A4.2/the-same-caveat-twice-binds-twice", twice, FORBIDDEN)
    both = root([{"svc": [SERVICE, "a"]}, {"svc": ["b", SERVICE]}])
    book.ask("A4.2/the-same-caveat-twice-both-satisfied", both, granted(both))
    elsewhere = root([{"unknown": 1}], sub=SECOND)
    book.ask("A4.2/unknown-in-an-early-block", extend(elsewhere, SECOND, AGENT), FORBIDDEN)
