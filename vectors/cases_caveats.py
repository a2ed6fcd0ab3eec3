"""Every caveat: satisfied, failed at its boundary, in each wrong shape, for every verb (A4, B3, B4, B6)."""

from book import CONSENT, FORBIDDEN, HASH, UNAUTHORIZED, granted
from canonical import LARGEST, Raw, digest
from tokens import AGENT, CAPABILITY, EXP, NOW, SECOND, SERVICE, cost, extend, limit, root

I64_MAX, I64_MIN = 2**63 - 1, -2**63


def cases(book):
    book.topic("caveats")
    hard(book)
    patterns(book)
    soft(book)
    risks(book)
    classes(book)
    spending(book)
    book.topic("caveat-shapes")
    not_caveats(book)
    shapes(book)
    limits(book)


def ask(book, name, caveats, good, verb="ASK", **more):
    token = root(caveats)
    book.ask(name, token, granted(token) if good else FORBIDDEN, verb=verb, **more)


def commit(book, name, caveats, expect, **terms):
    """A COMMIT; `expect` is a list of spending blocks when the grant passes."""
    token = root(caveats)
    ctx = {k: terms.pop(k) for k in ("spent", "now", "verb", "capability", "service") if k in terms}
    plan = dict({"hash": HASH, "cost": cost(2500), "risk": "low"}, **terms)
    if "spent" in ctx:
        ctx["spent"] = {token.ids[0]: ctx["spent"]}
    book.grant(name, token, granted(token, expect) if isinstance(expect, list) else expect, proposal=plan, **ctx)


def hard(book):
    ask(book, "A4.3/service/+", [{"svc": ["a", SERVICE]}], True)
    ask(book, "A4.3/service/-", [{"svc": ["a", SERVICE + "."]}], False)
    for slug, listed in (("other-case", ["Shop.example"]), ("prefix", ["shop"]), ("longer", ["shop.example.com"]),
                         ("star", ["*"]),
                         ("star-after-prefix", ["shop.*"]), ("empty-text", [""]), ("nothing", []),
                         ("space", [" " + SERVICE])):
        ask(book, "A4.3/svc-%s" % slug, [{"svc": listed}], False)
    ask(book, "A4.3/svc-repeated", [{"svc": [SERVICE, SERVICE]}], True)
    ask(book, "A4.3/svc-unicode", [{"svc": ["\u00e9\U0001f600"]}], True, service="\u00e9\U0001f600")
    ask(book, "A4.3/svc-other-normal-form", [{"svc": ["e\u0301"]}], False, service="\u00e9")

    ask(book, "A4.4/verb/+", [{"verbs": ["ASK", "INTENT"]}], True)
    ask(book, "A4.4/verb/-", [{"verbs": ["COMMIT", "INTENT"]}], False)
    for verb in ("HELLO", "INTENT", "UNDO", "EXPAND"):
        ask(book, "A4.4/%s/+" % verb.lower(), [{"verbs": [verb]}], True, verb=verb)
        ask(book, "A4.4/%s/-" % verb.lower(), [{"verbs": ["ASK"]}], False, verb=verb)
    commit(book, "A4.4/commit/+", [{"verbs": ["COMMIT"]}], [])
    commit(book, "A4.4/commit/-", [{"verbs": ["ASK", "INTENT", "UNDO"]}], FORBIDDEN)
    for slug, listed in (("nothing", []), ("star", ["*"]), ("lower", ["ask"]), ("unknown", ["PAY"]),
                         ("space", ["ASK "]), ("joined", ["ASK,INTENT"])):
        ask(book, "A4.4/verbs-" + slug, [{"verbs": listed}], False)
    ask(book, "A4.4/verbs-unknown-beside-known", [{"verbs": ["PAY", "ASK", ""]}], True)

    ask(book, "A4.7/exp-boundary/+", [{"exp": NOW + 1}], True)
    ask(book, "A4.7/exp-boundary/-", [{"exp": NOW}], False)
    ask(book, "A4.7/exp-by-now/+", [{"exp": EXP}], True, now=EXP - 1)
    ask(book, "A4.7/exp-by-now/-", [{"exp": EXP}], False, now=EXP)
    ask(book, "A4.7/exp-zero", [{"exp": 0}], False)
    ask(book, "A4.7/exp-negative", [{"exp": -1}], True, now=-2)
    ask(book, "A4.7/exp-negative-reached", [{"exp": -1}], False, now=-1)
    ask(book, "A4.7/exp-largest", [{"exp": LARGEST}], True)
    ask(book, "A4.7/exp-now-i64-max", [{"exp": LARGEST}], False, now=I64_MAX)
    ask(book, "A4.7/exp-now-i64-min", [{"exp": -LARGEST}], True, now=I64_MIN)
    ask(book, "A4.7/exp-milliseconds", [{"exp": NOW * 1000}], True)
    ask(book, "A4.8/nbf-boundary/+", [{"nbf": NOW}], True)
    ask(book, "A4.8/nbf-boundary/-", [{"nbf": NOW + 1}], False)
    ask(book, "A4.8/nbf-by-now/+", [{"nbf": EXP}], True, now=EXP)
    ask(book, "A4.8/nbf-by-now/-", [{"nbf": EXP}], False, now=EXP - 1)
    ask(book, "A4.8/nbf-negative", [{"nbf": -5}], True)
    ask(book, "A4.8/nbf-now-i64-max", [{"nbf": LARGEST}], True, now=I64_MAX)
    ask(book, "A4.8/nbf-now-i64-min", [{"nbf": -LARGEST}], False, now=I64_MIN)
    for caveat in ({"exp": NOW}, {"nbf": NOW + 1}, {"svc": []}, {"can": []}, {"verbs": []}):
        (name, _), = caveat.items()
        commit(book, "A4.20/hard-for-commit-" + name, [caveat], FORBIDDEN)

    commit(book, "A4.9/only/+", [{"only": HASH}], [])
    commit(book, "A4.9/only/-", [{"only": digest("another")}], FORBIDDEN)
    commit(book, "A4.9/only-by-proposal/+", [{"only": HASH}], [])
    commit(book, "A4.9/only-by-proposal/-", [{"only": HASH}], FORBIDDEN, hash=digest("another"))
    for slug, text in (("empty", ""), ("padded", HASH + "="), ("other-case", HASH.swapcase()), ("prefix", HASH[:-1]),
                       ("star", "*"), ("space", HASH + " ")):
        commit(book, "A4.9/only-" + slug, [{"only": text}], FORBIDDEN)
    commit(book, "A4.9/only-two-hashes", [{"only": HASH}, {"only": digest("another")}], FORBIDDEN)


def patterns(book):
    ask(book, "A4.5/equal/+", [{"can": ["shop.browse", CAPABILITY]}], True)
    ask(book, "A4.5/equal/-", [{"can": ["shop.browse", CAPABILITY + "s"]}], False)
    for slug, listed, capability in (
            ("prefix-is-no-match", ["shop"], "shop.order"), ("longer-is-no-match", ["shop.order.now"], "shop.order"),
            ("other-case", ["Shop.order"], "shop.order"),
            ("empty-pattern", [""], "shop.order"), ("nothing", [], "shop.order"),
            ("question-mark", ["shop.orde?"], "shop.order"),
            ("regular-expression", ["shop..*r"], "shop.order"), ("dot-is-a-dot", ["shop.order"], "shopxorder"),
            ("space", ["shop.order "], "shop.order"),
            ("other-normal-form", ["caf\u00e9"], "cafe\u0301"), ("brackets", ["shop.[a-z]*"], "shop.order"),
            ("slash-star", ["shop/*"], "shop.order")):
        ask(book, "A4.5/can-" + slug, [{"can": listed}], False, capability=capability)
    for slug, pattern in (("colon", "a:b"), ("unicode", "caf\u00e9.\U0001f600"), ("escapes", "a\"\\\n\u0001b"),
                          ("spaces", "make tea")):
        ask(book, "A4.5/can-equal-" + slug, [{"can": [pattern]}], True, capability=pattern)

    ask(book, "A4.6/prefix/+", [{"can": ["shop.*"]}], True, capability="shop.order")
    ask(book, "A4.6/prefix/-", [{"can": ["shop.*"]}], False, capability="shop-order")
    ask(book, "A4.6/only-the-last-star/+", [{"can": ["a*b*"]}], True, capability="a*bc")
    ask(book, "A4.6/only-the-last-star/-", [{"can": ["a*b*"]}], False, capability="axbc")
    ask(book, "A4.6/star-in-the-middle/+", [{"can": ["a*b"]}], True, capability="a*b")
    ask(book, "A4.6/star-in-the-middle/-", [{"can": ["a*b"]}], False, capability="axb")
    ask(book, "A4.6/star-first/+", [{"can": ["*.order"]}], True, capability="*.order")
    ask(book, "A4.6/star-first/-", [{"can": ["*.order"]}], False, capability="shop.order")
    for slug, pattern, capability in (
            ("everything", "*", "shop.order"), ("nothing-after-the-prefix", "shop.order*", "shop.order"),
            ("prefix-alone", "shop.*", "shop."),
            ("deeper", "shop.*", "shop.order.now"), ("two-stars", "**", "*x"), ("two-stars-alone", "**", "**"),
            ("star-itself", "shop.*", "shop.*"),
            ("one-star-itself", "**", "*"), ("unicode", "caf\u00e9*", "caf\u00e9s"),
            ("astral", "\U0001f600*", "\U0001f600x"), ("escapes", "a\"\\\n*", "a\"\\\nb"),
            ("no-case-folding-needed", "SHOP.*", "SHOP.order"), ("anything-after", "shop.*", "shop.\u0000\"\\")):
        ask(book, "A4.6/star-%s" % slug, [{"can": [pattern]}], True, capability=capability)
    for slug, pattern, capability in (
            ("in-the-middle-is-no-prefix", "a*b", "a*c"), ("first-is-no-prefix", "*.order", "*.ordex"),
            ("two-stars-no-match", "**", "x"), ("case", "Shop.*", "shop.order"),
            ("decomposed", "caf\u00e9*", "cafe\u0301s"),
            ("prefix-too-long", "shop.order.*", "shop.order"), ("only-at-the-end", "*r", "shop.order"),
            ("escaped", "shop.\\*", "shop.order"),
            ("half-a-letter", "\u00e9*", "e\u0301"), ("space-after", "shop.* ", "shop.order"),
            ("full-width", "shop.\uff0a", "shop.order")):
        ask(book, "A4.6/star-%s" % slug, [{"can": [pattern]}], False, capability=capability)
    ask(book, "A4.6/one-of-many", [{"can": ["x", "y*", "shop.*"]}], True)


def soft(book):
    for name, clause, blocks in (("per", "A4.10", []), ("spend", "A4.11", [0])):
        commit(book, "%s/boundary/+" % clause, [{name: limit(2500)}], blocks)
        commit(book, "%s/boundary/-" % clause, [{name: limit(2499)}], CONSENT)
        commit(book, "%s/amount/+" % clause, [{name: limit(5000)}], blocks, cost=cost(5000))
        commit(book, "%s/amount/-" % clause, [{name: limit(5000)}], CONSENT, cost=cost(5001))
        commit(book, "%s/largest-amount" % clause, [{name: limit(LARGEST)}], blocks, cost=cost(LARGEST))
        commit(book, "%s/largest-amount-over" % clause, [{name: limit(LARGEST - 1)}], CONSENT, cost=cost(LARGEST))
        commit(book, "%s/zero-of-zero" % clause, [{name: limit(0)}], blocks, cost=cost(0))
        commit(book, "%s/one-of-zero" % clause, [{name: limit(0)}], CONSENT, cost=cost(1))
        commit(book, "A4.19/%s-free" % name, [{name: limit(0)}], [], cost=None)
        commit(book, "A4.19/%s-free-for-any-currency" % name, [{name: limit(0, "EUR")}], [], cost=None)
        commit(book, "A4.17/%s-exactly/+" % name, [{name: limit(5000, "USD")}], blocks)
        commit(book, "A4.17/%s-exactly/-" % name, [{name: limit(5000, "usd")}], CONSENT)
        for slug, currency in (("other", "EUR"), ("space", "USD "), ("longer", "USDT"), ("empty", ""),
                               ("look-alike", "U\u0405D")):
            commit(book, "A4.17/%s-%s" % (name, slug), [{name: limit(5000, currency)}], CONSENT)
        commit(book, "A4.17/%s-any-text" % name, [{name: limit(5000, "")}], blocks, cost=cost(1, ""))
        commit(book, "A4.18/%s-zero/+" % name, [{name: limit(5000)}], blocks, cost=cost(0, "USD"))
        commit(book, "A4.18/%s-zero/-" % name, [{name: limit(5000)}], CONSENT, cost=cost(0, "EUR"))
    commit(book, "A4.17/no-limit-any-currency", [], [], cost=cost(LARGEST, "\u20bf"))


def risks(book):
    levels = ("low", "medium", "high")
    for i, most in enumerate(levels):
        for j, risk in enumerate(levels):
            commit(book, "A4.13/%s-within-%s" % (risk, most), [{"risk": most}], [] if j <= i else CONSENT, risk=risk)
    commit(book, "A4.13/low/+", [{"risk": "low"}], [], risk="low")
    commit(book, "A4.13/low/-", [{"risk": "low"}], CONSENT, risk="medium")
    commit(book, "A4.13/medium/+", [{"risk": "medium"}], [], risk="medium")
    commit(book, "A4.13/medium/-", [{"risk": "medium"}], CONSENT, risk="high")
    commit(book, "A4.13/high/+", [{"risk": "high"}], [], risk="high")
    commit(book, "A4.13/high/-", [{"risk": "medium"}], CONSENT, risk="high")


def classes(book):
    """Hard and soft together; and soft caveats where nothing is committed."""
    commit(book, "A4.20/soft/+", [{"per": limit(2500)}, {"exp": EXP}], [])
    commit(book, "A4.20/soft/-", [{"per": limit(2400)}, {"exp": EXP}], CONSENT)
    commit(book, "A6.4/hard/+", [{"exp": NOW + 1}], [])
    commit(book, "A6.4/hard/-", [{"exp": NOW}], FORBIDDEN)
    commit(book, "A6.5/three-soft/+", [{"per": limit(2500)}, {"spend": limit(2500)}, {"risk": "low"}], [0])
    commit(book, "A6.5/three-soft/-", [{"per": limit(1)}, {"spend": limit(1, "EUR")}, {"risk": "low"}], CONSENT)
    for i, caveats in enumerate(([{"per": limit(1)}, {"exp": 0}], [{"exp": 0}, {"per": limit(1)}],
                                 [{"per": limit(1)}, {"spend": limit(1)}, {"x": 1}],
                                 [{"risk": "none"}, {"per": limit(1)}], [{"per": limit(1)}, {}],
                                 [{"spend": limit(1)}, {"only": ""}])):
        commit(book, "A6.6/hard-among-soft-%d" % (i + 1), caveats, FORBIDDEN)
    commit(book, "A6.6/hard-beats-soft/+", [{"nbf": NOW}, {"per": limit(2500)}], [])
    commit(book, "A6.6/hard-beats-soft/-", [{"nbf": NOW + 1}, {"per": limit(1)}], FORBIDDEN)
    split = extend(root([{"per": limit(1)}], sub=SECOND), SECOND, AGENT, [{"svc": []}])
    book.grant("A6.6/hard-in-a-later-block", split, FORBIDDEN)
    split = extend(root([{"svc": []}], sub=SECOND), SECOND, AGENT, [{"per": limit(1)}])
    book.grant("A6.6/hard-in-an-earlier-block", split, FORBIDDEN)
    for name, caveat in (("only", {"only": "x"}), ("per", {"per": limit(0)}), ("spend", {"spend": limit(0)}),
                         ("risk", {"risk": "low"})):
        token = root([caveat])
        plan = {"hash": HASH, "cost": cost(2500), "risk": "high"}
        book.grant("A4.14/%s/+" % name, token, granted(token), verb="ASK", proposal=plan)
        book.grant("A4.14/%s/-" % name, token, FORBIDDEN if name == "only" else CONSENT, verb="COMMIT", proposal=plan)
        for verb in ("HELLO", "INTENT", "UNDO", "EXPAND"):
            ask(book, "A4.14/%s-for-%s" % (name, verb.lower()), [caveat], True, verb=verb)


def spending(book):
    commit(book, "A4.12/already-counted/+", [{"spend": limit(5000)}], [0], spent=2500)
    commit(book, "A4.12/already-counted/-", [{"spend": limit(5000)}], CONSENT, spent=2501)
    commit(book, "A4.12/limit-counts-only-for-spend", [{"per": limit(2500)}], [], spent=LARGEST)
    commit(book, "A4.12/zero-on-a-full-limit", [{"spend": limit(5000)}], [0], spent=5000, cost=cost(0))
    commit(book, "A4.12/zero-on-an-overdrawn-limit", [{"spend": limit(5000)}], CONSENT, spent=5001, cost=cost(0))
    commit(book, "A4.12/nothing-on-an-overdrawn-limit", [{"spend": limit(5000)}], [], spent=5001, cost=None)
    commit(book, "A4.12/not-counted-for-an-ask", [{"spend": limit(5000)}], [], spent=LARGEST, verb="ASK")
    commit(book, "B4.3/sum/+", [{"spend": limit(LARGEST)}], [0], spent=LARGEST - 2500)
    commit(book, "B4.3/sum/-", [{"spend": limit(LARGEST)}], CONSENT, spent=LARGEST - 2499)
    commit(book, "B4.3/largest-of-all", [{"spend": limit(LARGEST)}], CONSENT, spent=LARGEST, cost=cost(LARGEST))
    two = extend(root([{"spend": limit(5000)}], sub=SECOND), SECOND, AGENT, [{"spend": limit(3000)}])
    a, b = two.ids
    book.grant("A4.12/each-block-its-own-total/+", two, granted(two, [0, 1]), spent={a: 2500, b: 500})
    book.grant("A4.12/each-block-its-own-total/-", two, CONSENT, spent={a: 2500, b: 501})
    book.grant("A4.12/the-root-is-full", two, CONSENT, spent={a: 2501, b: 0})
    book.grant("A4.12/totals-exchanged", two, CONSENT, spent={a: 500, b: 2500})
    commit(book, "B6.1/both-bind/+", [{"spend": limit(5000)}, {"spend": limit(3000)}], [0], spent=500)
    commit(book, "B6.1/both-bind/-", [{"spend": limit(5000)}, {"spend": limit(3000)}], CONSENT, spent=501)
    commit(book, "B6.1/both-bind-other-order", [{"spend": limit(3000)}, {"spend": limit(5000)}], CONSENT, spent=501)
    commit(book, "B6.1/two-currencies-never-both", [{"spend": limit(5000)}, {"spend": limit(5000, "EUR")}], CONSENT)
    commit(book, "B6.2/once/+", [{"spend": limit(2500)}, {"spend": limit(2500)}], [0])
    commit(book, "B6.2/once/-", [{"spend": limit(2500)}, {"spend": limit(2499)}], CONSENT)
    commit(book, "B6.2/three-in-a-block", [{"spend": limit(2500)}] * 3, [0])
    twice = extend(root([{"spend": limit(2500)}] * 2, sub=SECOND), SECOND, AGENT, [{"spend": limit(2500)}] * 2)
    book.grant("B6.2/two-in-each-of-two-blocks", twice, granted(twice, [0, 1]))


def each_verb(book, name, caveat, expect):
    token = root([caveat])
    book.grant(name + "-commit", token, expect)
    book.ask(name + "-ask", token, expect)


def not_caveats(book):
    for slug, item in (("null", None), ("true", True), ("number", 5), ("string", "exp"), ("array", ["exp", EXP]),
                       ("empty-array", []),
                       ("empty-object", {}), ("two-keys", {"exp": EXP, "svc": [SERVICE]}),
                       ("two-keys-one-unknown", {"exp": EXP, "note": 1}),
                       ("nested", {"caveat": {"exp": EXP}}), ("array-of-caveat", [{"exp": EXP}])):
        each_verb(book, "A4.1/" + slug, item, FORBIDDEN)
    ask(book, "A4.1/one-key/+", [{"exp": EXP}], True)
    ask(book, "A4.1/one-key/-", [{"exp": EXP, "nbf": 0}], False)
    commit(book, "A4.1/one-key-commit/+", [{"per": limit(5000)}], [])
    commit(book, "A4.1/one-key-commit/-", [{"per": limit(5000), "risk": "high"}], FORBIDDEN)
    ask(book, "A4.15/known/+", [{"exp": EXP}], True)
    ask(book, "A4.15/known/-", [{"expires": EXP}], False)
    commit(book, "A4.15/known-commit/+", [{"per": limit(5000)}], [])
    commit(book, "A4.15/known-commit/-", [{"limit": limit(5000)}], FORBIDDEN)
    for slug, name in (("upper", "EXP"), ("space", "exp "), ("empty", ""), ("proto", "__proto__"),
                       ("to-string", "toString"), ("constructor", "constructor"),
                       ("has-own-property", "hasOwnProperty"), ("plural", "risks"), ("singular", "verb"),
                       ("nul", "exp\0"), ("cyrillic", "\u0435xp"),
                       ("zero-width", "exp\u200b")):
        for kind, value in (("integer", EXP), ("null", None), ("array", [SERVICE])):
            if kind == "integer" or slug in ("proto", "empty"):
                each_verb(book, "A4.15/key-%s-%s" % (slug, kind), {name: value}, FORBIDDEN)


GOOD = {"svc": [SERVICE], "verbs": ["ASK", "COMMIT"], "can": [CAPABILITY], "exp": EXP, "nbf": 0, "only": HASH,
        "per": limit(5000),
        "spend": limit(5000), "risk": "high"}
GENERAL = (("null", None), ("true", True), ("false", False), ("number", EXP), ("string", "x"), ("array-empty", []),
           ("array-of-number", [EXP]), ("object", {}))


def shapes(book):
    for name, good in GOOD.items():
        listed, integer = name in ("svc", "verbs", "can"), name in ("exp", "nbf")
        for slug, value in GENERAL:
            fits = "array-empty" if listed else "number" if integer else "string" if name == "only" else None
            if slug != fits:
                each_verb(book, "A4.16/%s-%s" % (name, slug), {name: value}, FORBIDDEN)
        if listed:
            more = [("one-text", good[0]), ("object-of-it", {"0": good[0]}), ("null-beside", good + [None]),
                    ("number-beside", [1] + good),
                    ("array-beside", good + [[]]), ("array-of-it", [good]), ("bool-beside", good + [True]),
                    ("object-beside", [{}] + good)]
        elif integer:
            more = [("digits", str(good)), ("empty-text", ""), ("array-of-it", [good]), ("object-of-it", {"at": good})]
        elif name == "only":
            more = [("array-of-it", [good]), ("object-of-it", {"hash": good}), ("zero", 0)]
        elif name == "risk":
            more = [("title", "High"), ("upper", "HIGH"), ("none", "none"), ("empty", ""), ("space", "high "),
                    ("to-string", "toString"), ("proto", "__proto__"),
                    ("constructor", "constructor"), ("level", 2), ("array-of-it", [good]),
                    ("object-of-it", {"max": good}), ("critical", "critical")]
        else:
            more = [("array-of-it", [good]), ("text", "5000 USD"), ("pair", [5000, "USD"])]
        for slug, value in more:
            each_verb(book, "A4.16/%s-%s" % (name, slug), {name: value}, FORBIDDEN)
        bad = {"exp": str(EXP), "nbf": "0", "only": [HASH], "risk": "toString"}.get(name,
            good + [None] if listed else dict(limit(5000), max="5000"))
        ask(book, "A4.16/%s-ask/+" % name, [{name: good}], True)
        ask(book, "A4.16/%s-ask/-" % name, [{name: bad}], False)
        commit(book, "A4.16/%s-commit/+" % name, [{name: good}], [0] if name == "spend" else [])
        commit(book, "A4.16/%s-commit/-" % name, [{name: bad}], FORBIDDEN)
    for name in ("exp", "nbf"):
        for slug, text in (("fraction", "1.5"), ("one-decimal", "%d.0" % EXP), ("exponent", "1e3"),
                           ("too-large", str(LARGEST + 1)), ("too-small", str(-LARGEST - 1)),
                           ("minus-zero", "-0"), ("huge", "1e999")):
            each_verb(book, "A4.16/%s-is-no-canonical-%s" % (name, slug), {name: Raw(text)}, UNAUTHORIZED)


def limits(book):
    for name in ("per", "spend"):
        for slug, value in (
                ("without-max", {"currency": "USD"}), ("without-currency", {"max": 5000}),
                ("max-text", {"max": "5000", "currency": "USD"}),
                ("max-null", {"max": None, "currency": "USD"}), ("max-array", {"max": [5000], "currency": "USD"}),
                ("max-true", {"max": True, "currency": "USD"}),
                ("max-object", {"max": {}, "currency": "USD"}), ("currency-null", {"max": 5000, "currency": None}),
                ("currency-number", {"max": 5000, "currency": 840}),
                ("currency-array", {"max": 5000, "currency": ["USD"]}),
                ("currency-object", {"max": 5000, "currency": {}}),
                ("amount-for-max", {"amount": 5000, "currency": "USD"}),
                ("upper-names", {"Max": 5000, "Currency": "USD"})):
            each_verb(book, "A4.16/%s-%s" % (name, slug), {name: value}, FORBIDDEN)
        for slug, extra in (("note", {"note": ""}), ("min", {"min": 0}), ("null", {"until": None}),
                            ("proto", {"__proto__": {}}), ("per-day", {"window": 86400})):
            each_verb(book, "B3.3/%s-also-%s" % (name, slug), {name: dict(limit(5000), **extra)}, FORBIDDEN)
        for slug, value in (("minus-one", -1), ("smallest", -LARGEST)):
            each_verb(book, "B4.1/%s-max-%s" % (name, slug), {name: limit(value)}, FORBIDDEN)
        for slug, text in (("too-large", str(LARGEST + 1)), ("fraction", "5000.5"), ("one-decimal", "5000.0"),
                           ("exponent", "5e3"), ("minus-zero", "-0"), ("huge", "1e999")):
            each_verb(book, "A4.16/%s-max-is-no-canonical-%s" % (name, slug),
                      {name: Raw('{"currency":"USD","max":%s}' % text)}, UNAUTHORIZED)
        ask(book, "B3.3/%s-ask/+" % name, [{name: limit(5000)}], True)
        ask(book, "B3.3/%s-ask/-" % name, [{name: dict(limit(5000), note="")}], False)
        blocks = [0] if name == "spend" else []
        commit(book, "B3.3/%s-commit/+" % name, [{name: limit(5000)}], blocks)
        commit(book, "B3.3/%s-commit/-" % name, [{name: dict(limit(5000), note="")}], FORBIDDEN)
        ask(book, "B4.1/%s-max/+" % name, [{name: limit(0)}], True)
        ask(book, "B4.1/%s-max/-" % name, [{name: limit(-1)}], False)
        commit(book, "B4.1/%s-max-for-nothing" % name, [{name: limit(-1)}], FORBIDDEN, cost=None)
