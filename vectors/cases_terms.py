"""What the caller says of the request and its proposal, once the token is right (A6, B4, B8)."""

from book import ABSENT, FORBIDDEN, HASH, UNAUTHORIZED, granted
from canonical import LARGEST
from tokens import SECOND, cost, limit, root


def cases(book):
    book.topic("terms")
    plan = {"hash": HASH, "cost": cost(2500), "risk": "low"}
    free = root()
    book.grant("A6.14/commit-with-proposal", free, granted(free), proposal=plan, verb="COMMIT")
    for verb in ("HELLO", "ASK", "INTENT", "UNDO", "EXPAND"):
        book.ask("A6.14/none-for-" + verb.lower(), free, granted(free), verb=verb)
    book.grant("A6.14/verb-without-one/+", free, granted(free), proposal=ABSENT, verb="INTENT")
    book.grant("A6.14/verb-without-one/-", free, FORBIDDEN, proposal=ABSENT, verb="COMMIT")
    book.grant("A6.14/commit-without-proposal", root([{"only": HASH}]), FORBIDDEN, proposal=ABSENT)
    for slug, bad in (("number", 2500), ("text", "2500 USD"), ("true", True), ("array", [2500, "USD"]), ("empty", {}),
                      ("without-amount", {"currency": "USD"}),
                      ("without-currency", {"amount": 2500}), ("also-note", dict(cost(2500), note="")),
                      ("amount-text", cost("2500")), ("amount-null", cost(None)),
                      ("amount-fraction", cost(0.5)), ("amount-too-large", cost(LARGEST + 1)),
                      ("amount-negative", cost(-1)), ("amount-array", cost([1])),
                      ("currency-null", cost(1, None)), ("currency-number", cost(1, 840)),
                      ("max-for-amount", limit(1))):
        book.grant("A6.15/cost-" + slug, free, FORBIDDEN, proposal=dict(plan, cost=bad))
    book.grant("A6.15/cost-absent", free, FORBIDDEN, proposal={"hash": HASH, "risk": "low"})
    book.grant("A6.15/cost-exact/+", free, granted(free), proposal=plan)
    book.grant("A6.15/cost-exact/-", free, FORBIDDEN, proposal=dict(plan, cost=dict(cost(2500), note="")))
    book.grant("A6.15/cost-of-null", free, granted(free), proposal=dict(plan, cost=None))
    book.grant("B4.2/cost-amount/+", free, granted(free), proposal=dict(plan, cost=cost(0)))
    book.grant("B4.2/cost-amount/-", free, FORBIDDEN, proposal=dict(plan, cost=cost(-1)))
    negative = root([{"spend": limit(5000)}])
    book.grant("B4.2/a-negative-cost-frees-nothing", negative, FORBIDDEN, proposal=dict(plan, cost=cost(-2500)),
               spent={negative.ids[0]: 5000})
    book.grant("A6.16/risk/+", free, granted(free), proposal=dict(plan, risk="high"))
    book.grant("A6.16/risk/-", free, FORBIDDEN, proposal=dict(plan, risk="High"))
    for slug, risk in (("empty", ""), ("none", "none"), ("to-string", "toString"), ("proto", "__proto__"),
                       ("space", "low "), ("upper", "LOW")):
        book.grant("A6.16/risk-" + slug, free, FORBIDDEN, proposal=dict(plan, risk=risk))
        book.grant("A6.16/risk-%s-under-a-caveat" % slug, root([{"risk": "high"}]), FORBIDDEN,
                   proposal=dict(plan, risk=risk))
    for slug, verb in (("lower", "ask"), ("unknown", "PAY"), ("empty", ""), ("space", "ASK "),
                       ("host-name", "toString")):
        book.ask("A6.13/verb-" + slug, free, FORBIDDEN, verb=verb)
        book.ask("A6.13/verb-%s-listed" % slug, root([{"verbs": [verb]}]), FORBIDDEN, verb=verb)
    book.ask("A6.13/verb/+", free, granted(free), verb="HELLO")
    book.ask("A6.13/verb/-", free, FORBIDDEN, verb="hello")
    wrong = dict(trusted=[SECOND])
    book.ask("A6.13/untrusted-first", free, UNAUTHORIZED, verb="PAY", **wrong)
    book.grant("A6.14/untrusted-first", free, UNAUTHORIZED, proposal=ABSENT, **wrong)
    book.grant("A6.15/untrusted-first", free, UNAUTHORIZED, proposal=dict(plan, cost=1), **wrong)
    book.grant("A6.16/untrusted-first", free, UNAUTHORIZED, proposal=dict(plan, risk="x"), **wrong)
    book.ask("B8.1/untrusted-first", free, UNAUTHORIZED, capability="auto:x", **wrong)
    book.grant("A6.15/beats-soft", root([{"per": limit(1)}]), FORBIDDEN, proposal=dict(plan, cost=cost(-1)))
    book.ask("B8.1/capability/+", free, granted(free), capability="autos:x")
    book.ask("B8.1/capability/-", free, FORBIDDEN, capability="auto:x")
    star = root([{"can": ["*", "auto:*", "auto:x"]}])
    for verb in ("HELLO", "ASK", "INTENT", "UNDO", "EXPAND"):
        book.ask("B8.1/granted-for-" + verb.lower(), star, FORBIDDEN, verb=verb, capability="auto:x")
    book.grant("B8.1/granted-for-commit", star, FORBIDDEN, capability="auto:x")
    book.ask("B8.1/nothing-after-the-colon", star, FORBIDDEN, capability="auto:")
    for capability in ("auto", "Auto:x", "auto.x", "x.auto:y", " auto:x"):
        slug = {"Auto:x": "upper", " auto:x": "space", "auto": "alone", "auto.x": "dot",
                "x.auto:y": "inside"}[capability]
        book.ask("B8.1/not-reserved-" + slug, free, granted(free), capability=capability)
