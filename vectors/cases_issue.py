"""Making grants: what the issuer writes, and that it refuses what a verifier would never accept (A3, A9, B5)."""

from book import NOT_OK
from canonical import LARGEST, Raw, digest, loose, trailing_bit
from cases_proposal import consent
from tokens import (AGENT, IAT, OTHER_PRINCIPAL, PRINCIPAL, PROPOSAL, SECOND, SERVICE, STRANGER, THIRD, Token, chain,
                    cost, extend, limit,
                    proposal, root)

I64_MAX, I64_MIN = 2**63 - 1, -2**63
BAD_CAVEATS = (
    ("null", None), ("number", 5), ("text", "exp"), ("array", []), ("empty", {}), ("two-keys", {"exp": 1, "nbf": 0}),
    ("unknown", {"note": 1}),
    ("upper", {"EXP": 1}), ("to-string", {"toString": 1}), ("proto", {"__proto__": {}}), ("empty-key", {"": 1}),
    ("svc-text", {"svc": SERVICE}),
    ("svc-of-number", {"svc": [1]}), ("svc-null", {"svc": None}), ("verbs-object", {"verbs": {}}),
    ("verbs-of-null", {"verbs": ["ASK", None]}),
    ("can-of-array", {"can": [["shop.*"]]}), ("can-true", {"can": True}), ("exp-text", {"exp": "1"}),
    ("exp-null", {"exp": None}), ("exp-fraction", {"exp": 1.5}),
    ("exp-too-large", {"exp": LARGEST + 1}), ("nbf-too-small", {"nbf": -LARGEST - 1}), ("nbf-array", {"nbf": [0]}),
    ("only-number", {"only": 1}),
    ("only-null", {"only": None}), ("per-number", {"per": 5000}), ("per-without-max", {"per": {"currency": "USD"}}),
    ("per-without-currency", {"per": {"max": 1}}),
    ("per-also-note", {"per": dict(limit(1), note="")}), ("per-negative", {"per": limit(-1)}),
    ("per-too-large", {"per": limit(LARGEST + 1)}),
    ("per-max-text", {"per": limit("1")}), ("spend-null", {"spend": None}), ("spend-negative", {"spend": limit(-1)}),
    ("spend-fraction", {"spend": limit(0.5)}),
    ("spend-currency-null", {"spend": limit(1, None)}), ("spend-also-min", {"spend": dict(limit(1), min=0)}),
    ("risk-upper", {"risk": "HIGH"}), ("risk-none", {"risk": "none"}),
    ("risk-to-string", {"risk": "toString"}), ("risk-number", {"risk": 1}), ("risk-null", {"risk": None}))
GOOD_CAVEATS = (
    ("svc-empty", {"svc": []}), ("svc", {"svc": ["", SERVICE]}), ("verbs-empty", {"verbs": []}),
    ("verbs-unknown", {"verbs": ["PAY"]}), ("can-empty", {"can": []}),
    ("can-empty-pattern", {"can": [""]}), ("can-unicode", {"can": ["caf\u00e9\U0001f600*", "a\"\\\n*"]}),
    ("exp-zero", {"exp": 0}), ("exp-negative", {"exp": -LARGEST}),
    ("nbf-largest", {"nbf": LARGEST}), ("only-empty", {"only": ""}), ("only-any-text", {"only": "no hash"}),
    ("per-zero", {"per": limit(0)}), ("per-largest", {"per": limit(LARGEST)}),
    ("spend-empty-currency", {"spend": limit(1, "")}), ("risk-low", {"risk": "low"}),
    ("risk-medium", {"risk": "medium"}), ("risk-high", {"risk": "high"}))


def issue(book, name, token=None, caveats=(), seed=PRINCIPAL.seed, sub=AGENT.text, iat=IAT, nonce="n1"):
    book.add(name, "issue", NOT_OK if token is None else {"ok": True, "token": token.text}, seed=seed, sub=sub,
             caveats=list(caveats), iat=iat, nonce=nonce)


def delegate(book, name, start, token=None, seed=SECOND.seed, sub=AGENT.text, caveats=(), iat=IAT):
    book.add(name, "delegate", NOT_OK if token is None else {"ok": True, "token": token.text},
             token=start.text if isinstance(start, Token) else start,
             seed=seed, sub=sub, caveats=list(caveats), iat=iat)


def cases(book):
    book.topic("issue")
    roots(book)
    issue_bounds(book)
    book.topic("delegate")
    delegations(book)
    bad_chains(book)
    book.topic("consent-grants")
    consents(book)


def roots(book):
    known = [{"svc": [SERVICE]}, {"can": ["shop.*"]}, {"exp": 1790003600}, {"spend": limit(5000)}, {"per": limit(3000)},
             {"risk": "medium"}]
    token = root(known)
    assert token.ids == ["wJ_VZU1Z3VYBFmYOLYgx6IU0-93Cu73vFjWYxBP1Bd8"]
    issue(book, "A3.15/known-answer", token, known)
    issue(book, "A3.15/seed/+", root())
    issue(book, "A3.15/seed/-", seed=PRINCIPAL.seed[:-1])
    for slug, seed in (("empty", ""), ("padded", PRINCIPAL.seed + "="), ("trailing-bits", trailing_bit(PRINCIPAL.seed)),
                       ("key", PRINCIPAL.text), ("space", PRINCIPAL.seed + " ")):
        issue(book, "A3.15/seed-" + slug, seed=seed)
    issue(book, "A3.16/sub/+", root())
    issue(book, "A3.16/sub/-", sub=AGENT.text + "=")
    issue(book, "A3.16/sub-is-the-issuer", root(sub=PRINCIPAL), sub=PRINCIPAL.text)
    issue(book, "A3.16/sub-is-a-seed", sub=AGENT.seed)
    issue(book, "A3.17/well-formed/+", root([{"exp": 1}]), [{"exp": 1}])
    issue(book, "A3.17/well-formed/-", caveats=[{"exp": 1.5}])
    issue(book, "A3.17/limit/+", root([{"per": limit(0)}]), [{"per": limit(0)}])
    issue(book, "A3.17/limit/-", caveats=[{"per": limit(-1)}])
    for slug, caveat in BAD_CAVEATS:
        issue(book, "A3.17/bad-" + slug, caveats=[{"exp": 1}, caveat])
    for slug, caveat in GOOD_CAVEATS:
        issue(book, "A3.17/good-" + slug, root([caveat]), [caveat])
    issue(book, "A3.17/order-is-kept", root([{"nbf": 0}, {"exp": 1}, {"exp": 1}]), [{"nbf": 0}, {"exp": 1}, {"exp": 1}])
    for slug, iat in (("largest", LARGEST), ("smallest", -LARGEST)):
        issue(book, "A3.18/%s/+" % slug, root(iat=iat), iat=iat)
        issue(book, "A3.18/%s/-" % slug, iat=iat + 1 if iat > 0 else iat - 1)
    issue(book, "A3.18/zero", root(iat=0), iat=0)
    issue(book, "A3.18/i64-max", iat=I64_MAX)
    issue(book, "A3.18/i64-min", iat=I64_MIN)
    for slug, nonce in (("empty", ""), ("escapes", "\"\\\n\u0000/\u007f\u2028"), ("astral", "\U0001f600"),
                        ("decomposed", "e\u0301")):
        issue(book, "A3.10/issued-nonce-" + slug, root(nonce=nonce), nonce=nonce)
    by_other = root(iss=OTHER_PRINCIPAL, sub=STRANGER)
    issue(book, "A3.15/by-another", by_other, seed=OTHER_PRINCIPAL.seed, sub=STRANGER.text)


def issue_bounds(book):
    many = [{"nbf": i} for i in range(65)]
    issue(book, "B5.3/issued/+", root(many[:64]), many[:64])
    issue(book, "B5.3/issued/-", caveats=many)
    room = 65536 - len(root(nonce="").text)
    nonces = ("n" * (room * 3 // 4 + i) for i in range(-3, 4))
    nonce = next(n for n in nonces if len(root(nonce=n).text) == 65536)
    issue(book, "B5.1/issued/+", root(nonce=nonce), nonce=nonce)
    issue(book, "B5.1/issued/-", nonce=nonce + "n")


def delegations(book):
    start = root([{"exp": 1}], sub=SECOND)
    plain = extend(start, SECOND, AGENT)
    delegate(book, "A3.13/by-the-holder/+", start, plain)
    delegate(book, "A3.13/by-the-holder/-", start, seed=AGENT.seed)
    delegate(book, "A3.13/by-the-principal", start, seed=PRINCIPAL.seed)
    delegate(book, "A3.13/by-a-stranger", start, seed=STRANGER.seed)
    caveats = [{"can": ["shop.order"]}, {"spend": limit(100)}]
    delegate(book, "A3.13/narrower", start, extend(start, SECOND, AGENT, caveats, iat=7), caveats=caveats, iat=7)
    delegate(book, "A3.13/to-itself", start, extend(start, SECOND, SECOND), sub=SECOND.text)
    third = extend(extend(start, SECOND, THIRD), THIRD, AGENT)
    delegate(book, "A3.13/twice", extend(start, SECOND, THIRD), third, seed=THIRD.seed)
    delegate(book, "A3.13/by-the-holder-before-the-last", extend(start, SECOND, THIRD))
    own = root(sub=PRINCIPAL)
    delegate(book, "A3.13/principal-who-holds", own, extend(own, PRINCIPAL, AGENT), seed=PRINCIPAL.seed)
    delegate(book, "A3.15/delegating-seed/+", start, plain)
    delegate(book, "A3.15/delegating-seed/-", start, seed=SECOND.seed + "=")
    delegate(book, "A3.16/delegated-sub/+", start, plain)
    delegate(book, "A3.16/delegated-sub/-", start, sub=AGENT.text[:-1])
    delegate(book, "A3.16/delegated-sub-empty", start, sub="")
    delegate(book, "A3.17/delegated/+", start, extend(start, SECOND, AGENT, [{"nbf": 0}]), caveats=[{"nbf": 0}])
    delegate(book, "A3.17/delegated/-", start, caveats=[{"nbf": "0"}])
    for slug, caveat in BAD_CAVEATS[::3]:
        delegate(book, "A3.17/delegated-bad-" + slug, start, caveats=[caveat])
    for slug, caveat in BAD_CAVEATS:
        if "fraction" not in slug and "too-" not in slug:
            delegate(book, "A3.20/start-with-" + slug, root([caveat], sub=SECOND))
    delegate(book, "A3.20/every-block/+", start, plain)
    delegate(book, "A3.20/every-block/-", root([{"expires": 1}], sub=SECOND))
    delegate(book, "A3.20/middle-block", extend(extend(root(sub=SECOND), SECOND, THIRD, [{}]), THIRD, SECOND))
    for slug, iat in (("largest", LARGEST), ("smallest", -LARGEST)):
        delegate(book, "A3.18/delegated-%s/+" % slug, start, extend(start, SECOND, AGENT, iat=iat), iat=iat)
        delegate(book, "A3.18/delegated-%s/-" % slug, start, iat=iat + 1 if iat > 0 else iat - 1)
    many = [{"nbf": i} for i in range(65)]
    delegate(book, "B5.3/delegated/+", start, extend(start, SECOND, AGENT, many[:64]), caveats=many[:64])
    delegate(book, "B5.3/delegated/-", start, caveats=many)
    fifteen, sixteen = chain(15), chain(16)
    delegate(book, "B5.2/delegated/+", fifteen, extend(fifteen, AGENT, SECOND), seed=AGENT.seed, sub=SECOND.text)
    delegate(book, "B5.2/delegated/-", sixteen, seed=AGENT.seed, sub=SECOND.text)
    block = len(plain.text) - len(start.text)
    room = 65536 - len(root(sub=SECOND, nonce="").text) - block

    def long(extra):
        return root(sub=SECOND, nonce="n" * (room * 3 // 4 + extra))

    size = next(i for i in range(-8, 9) if len(extend(long(i), SECOND, AGENT).text) == 65536)
    delegate(book, "B5.1/delegated/+", long(size), extend(long(size), SECOND, AGENT))
    delegate(book, "B5.1/delegated/-", long(size + 1))
    expired = root([{"exp": 0}, {"svc": []}], sub=SECOND)
    delegate(book, "A3.20/a-failing-caveat-is-no-hindrance", expired, extend(expired, SECOND, AGENT))


def bad_chains(book):
    start = root(sub=SECOND)
    plain = extend(start, SECOND, AGENT)
    delegate(book, "A3.19/signature/+", start, plain)
    delegate(book, "A3.19/signature/-", root(sub=SECOND, signer=STRANGER))
    two = extend(start, SECOND, THIRD)
    for slug, bad, seed in (("empty", "", SECOND), ("prefix-alone", "pg1.", SECOND), ("cut", start.text[:-1], SECOND),
                            ("space", start.text + " ", SECOND),
                            ("loose-payload", start.with_block(0, spelled=loose(start.blocks[0][2])), SECOND),
                            ("without-root", two.part(1), THIRD),
                            ("reversed", two.part(1, 0), SECOND),
                            ("wrong-link", extend(start, SECOND, THIRD, prev=digest("x")), THIRD),
                            ("wrong-signer", extend(start, PRINCIPAL, THIRD), THIRD),
                            ("unknown-field", root(sub=SECOND, change={"note": ""}), SECOND),
                            ("no-nonce", root(sub=SECOND, drop=["nonce"]), SECOND),
                            ("sub-is-no-key", root(sub=SECOND, change={"sub": SECOND.text + "="}), SECOND),
                            ("caveats-over", root([{"nbf": i} for i in range(65)], sub=SECOND), SECOND),
                            ("caveat-fraction", root([{"exp": Raw("1.5")}], sub=SECOND), SECOND)):
        delegate(book, "A3.19/chain-" + slug, bad, seed=seed.seed)


def consents(book):
    consent(book, "A9.4/exactly-these-caveats", PROPOSAL)
    consent(book, "A9.4/proposal/+", PROPOSAL)
    consent(book, "A9.4/proposal/-", proposal(drop=["expires"]), good=False)
    consent(book, "A9.4/other-service", PROPOSAL, service="\u00e9.example")
    consent(book, "A9.4/empty-service", PROPOSAL, service="")
    consent(book, "A9.4/odd-texts", proposal(capability="a\"\n\u2028", id="", expires=-LARGEST))
    consent(book, "A9.4/hash-and-data-left-out", proposal(hash="x", data=Raw("1e999")), meant=PROPOSAL)
    consent(book, "A9.4/costly-and-risky", proposal(cost=cost(LARGEST), risk="high", undo=None))
    consent(book, "A3.15/consenting-seed/+", PROPOSAL)
    consent(book, "A3.15/consenting-seed/-", PROPOSAL, good=False, seed=PRINCIPAL.seed + "=")
    consent(book, "A3.15/consenting-seed-empty", PROPOSAL, good=False, seed="")
    consent(book, "A3.16/consented-agent/+", PROPOSAL)
    consent(book, "A3.16/consented-agent/-", PROPOSAL, good=False, agent=AGENT.text[8:])
    consent(book, "A3.16/consented-agent-empty", PROPOSAL, good=False, agent="")
    for slug, iat in (("largest", LARGEST), ("smallest", -LARGEST)):
        consent(book, "A3.18/consented-%s/+" % slug, PROPOSAL, iat=iat)
        consent(book, "A3.18/consented-%s/-" % slug, PROPOSAL, iat=iat + 1 if iat > 0 else iat - 1, good=False)
    consent(book, "A3.10/consented-nonce-empty", PROPOSAL, nonce="")
    consent(book, "A3.10/consented-nonce-odd", PROPOSAL, nonce="\"\u2028\U0001f600")
    consent(book, "B5.1/consented/+", PROPOSAL, service="s" * 36000)
    consent(book, "B5.1/consented/-", PROPOSAL, service="s" * 49000, good=False)
