"""INTENT with auto, with and without the question about its first proposal (A5, A8, B8)."""

from book import REVIEW, allowed, decided
from canonical import LARGEST, Raw, digest, loose, write
from tokens import (AGENT, CAPABILITY, NOW, OTHER_PRINCIPAL, PRINCIPAL, PROPOSAL, SECOND, STRANGER, cost, extend, limit,
                    own_hash, proof,
                    proposal, root)

UNAUTH, FORBID = decided("unauthorized"), decided("forbidden")
PLAIN = own_hash(PROPOSAL)


def auto(frame="f1", capability=CAPABILITY):
    return {"verb": "INTENT", "capability": capability, "auto": frame}


def question(plan=PROPOSAL, principal=None, frame="f1", capability=CAPABILITY):
    text = plan if isinstance(plan, str) else write(plan)
    who = principal if principal is None or isinstance(principal, str) else principal.text
    return dict(auto(frame, capability), proposal=text, principal=who)


def cases(book):
    book.topic("auto")
    plain(book)
    asked_first(book)
    colons(book)
    proposals(book)
    conditions(book)
    grants(book)


def plain(book):
    """Without a proposal it is an INTENT whose proof names the frame."""
    a = book.authorize
    free = root()
    a("A5.5/target/+", auto(), allowed(free), [free])
    a("A5.5/target/-", auto(), UNAUTH, [free], given=write(proof("INTENT", "auto:shop.order:f2")))
    for slug, target in (("plain-intent", CAPABILITY), ("no-frame", "auto:shop.order"), ("no-prefix", "shop.order:f1"),
                         ("frame-alone", "f1"),
                         ("upper-prefix", "AUTO:shop.order:f1"), ("other-capability", "auto:shop.orders:f1"),
                         ("turned", "auto:f1:shop.order"), ("empty-frame", "auto:shop.order:")):
        a("A5.5/proof-of-" + slug, auto(), UNAUTH, [free], given=write(proof("INTENT", target)))
    a("A5.5/proof-of-a-commit", auto(), UNAUTH, [free], given=write(proof("COMMIT", "auto:shop.order:f1")))
    a("A5.5/an-auto-proof-is-no-plain-intent", {"verb": "INTENT", "capability": CAPABILITY}, UNAUTH, [free],
      given=write(proof("INTENT", "auto:shop.order:f1")))
    for slug, frame in (("colon", "f:1"), ("escapes", "f\"\\\n"), ("astral", "\U0001f600"), ("empty", "")):
        a("A5.5/frame-with-" + slug, auto(frame), allowed(free), [free])
    a("A6.11/auto-proof/+", auto(), allowed(free), [free])
    a("A6.11/auto-proof/-", auto(), UNAUTH, [free], given=None)
    a("A6.11/auto-without-grants", auto(), UNAUTH, [])
    only = root([{"verbs": ["INTENT"]}, {"per": limit(0)}])
    a("A8.15/without-a-proposal-it-is-an-intent", auto(), allowed(only), [only])
    a("A8.15/without-a-proposal-no-commit-is-asked", auto(), FORBID, [root([{"verbs": ["COMMIT"]}])])
    a("A8.15/an-intent/+", auto(), allowed(only), [only])
    a("A8.15/an-intent/-", auto(), FORBID, [root([{"verbs": ["ASK"]}, {"per": limit(0)}])])


def asked_first(book):
    a = book.authorize
    free = root()
    q = question()
    a("A8.16/proof-over-the-frame/+", q, allowed(free), [free])
    a("A8.16/proof-over-the-frame/-", q, UNAUTH, [free], given=write(proof("INTENT", "auto:shop.order:f2")))
    a("A8.16/no-proof", q, UNAUTH, [free], given=None)
    a("A8.16/proof-over-the-hash", q, UNAUTH, [free], given=write(proof("COMMIT", PLAIN)))
    a("A8.16/proof-over-the-capability", q, UNAUTH, [free], given=write(proof("INTENT", CAPABILITY)))
    a("A8.16/old-proof", q, UNAUTH, [free], given=write(proof("INTENT", "auto:shop.order:f1", ts=NOW - 301)))
    a("A8.16/proof-before-the-proposal", question("{}"), UNAUTH, [free], given=None)
    a("A8.16/proof-before-review", question(proposal(undo=None)), UNAUTH, [], given=None)
    a("A8.16/seventeen-grants-first", q, UNAUTH, [free] * 17)
    a("A8.16/seventeen-grants-before-the-proposal", question("{}"), UNAUTH, [free] * 17)
    a("B5.8/auto/+", q, allowed(free, 15), ["x"] * 15 + [free])
    a("B5.8/auto/-", q, UNAUTH, ["x"] * 15 + [free, free])


def colons(book):
    a = book.authorize
    free = root()
    a("B8.2/colon/+", auto(capability="a.b"), allowed(free), [free])
    a("B8.2/colon/-", auto(capability="a:b"), FORBID, [free])
    for slug, capability in (("first", ":a"), ("last", "a:"), ("alone", ":"), ("two", "a::b"), ("auto", "auto:x"),
                             ("upper-auto", "AUTO:x")):
        a("B8.2/colon-" + slug, auto(capability=capability), FORBID, [free])
    a("B8.2/full-width-colon-is-another-letter", auto(capability="a\uff1ab"), allowed(free), [free])
    a("B8.2/with-a-proposal", question(proposal(capability="a:b"), capability="a:b"), FORBID, [free])
    a("B8.2/frame-may-have-one", question(frame="f:1"), allowed(free), [free])
    a("B8.3/auto-before-the-proof", auto(capability="a:b"), FORBID, [free], given=None)
    a("B8.3/auto-before-seventeen-grants", auto(capability="a:b"), FORBID, [free] * 17)
    a("B8.3/auto-question-before-the-proof", question(capability="a:b"), FORBID, [], given=None)
    # The same proof text for a frame "b:c" of "a" and a frame "c" of "a:b": only the first may use it.
    same = write(proof("INTENT", "auto:a:b:c"))
    a("B8.2/one-text-one-request/+", auto("b:c", "a"), allowed(free), [free], given=same)
    a("B8.2/one-text-one-request/-", auto("b:c", "a:b"), FORBID, [free], given=write(proof("INTENT", "auto:a:b:b:c")))
    a("B8.2/the-other-reading", auto("c", "a:b"), FORBID, [free], given=same)


def proposals(book):
    a = book.authorize
    free = root()
    good = write(PROPOSAL)
    a("A8.17/well-formed/+", question(), allowed(free), [free])
    a("A8.17/well-formed/-", question(proposal(risk="none")), FORBID, [free])
    a("A8.17/that-very-capability/+", question(capability=CAPABILITY), allowed(free), [free])
    a("A8.17/that-very-capability/-", question(capability="shop.browse"), FORBID, [free])
    for slug, capability in (("other-case", "Shop.order"), ("longer", "shop.order.now"), ("star", "shop.*"),
                             ("empty", "")):
        a("A8.17/capability-" + slug, question(capability=capability), FORBID, [free])
    for slug, text in (("empty", ""), ("empty-object", "{}"), ("array", "[" + good + "]"), ("cut", good[:-1]),
                       ("no-cost", write(proposal(drop=["cost"]))),
                       ("no-undo", write(proposal(drop=["undo"]))), ("fraction", write(proposal(x=Raw("0.5")))),
                       ("repeated", good[:-1] + ',"id":""}'),
                       ("negative-cost", write(proposal(cost=cost(-1)))),
                       ("negative-window", write(proposal(undo={"window": -1}))),
                       ("window-text", write(proposal(undo={"window": "600"}))),
                       ("undo-also-note", write(proposal(undo={"window": 600, "note": ""}))),
                       ("hash-number", write(proposal(hash=1))),
                       ("repeated-in-data", write(proposal(data=Raw('{"a":1,"a":1}'))))):
        a("A8.17/proposal-" + slug, question(text), FORBID, [free])
    a("A8.17/before-review", question(proposal(risk="none", undo=None)), FORBID, [])
    a("A8.17/capability-before-review", question(proposal(undo=None), capability="shop.browse"), FORBID, [])
    a("A8.17/any-spelling", question(" " + loose(PROPOSAL)), allowed(free), [free])
    a("A8.17/data-and-hash", question(proposal(hash="", data=Raw("1e999"))), allowed(free), [free])


def conditions(book):
    a = book.authorize
    free = root()
    a("A8.18/undo/+", question(proposal(undo={"window": 1})), allowed(free), [free])
    a("A8.18/undo/-", question(proposal(undo={"window": 0})), REVIEW, [free])
    a("A8.18/no-undo", question(proposal(undo=None)), REVIEW, [free])
    a("A8.18/largest-window", question(proposal(undo={"window": LARGEST})), allowed(free), [free])
    a("A8.19/expires/+", question(proposal(expires=NOW + 1)), allowed(free), [free])
    a("A8.19/expires/-", question(proposal(expires=NOW)), REVIEW, [free])
    a("A8.19/by-now/+", question(), allowed(free), [free], now=NOW + 599)
    a("A8.19/by-now/-", question(), REVIEW, [free], now=NOW + 600)
    a("A8.19/negative", question(proposal(expires=-1)), REVIEW, [free])


def grants(book):
    a = book.authorize
    free, q = root(), question()
    per, spend, risk = root([{"per": limit(2500)}]), root([{"spend": limit(2500)}]), root([{"risk": "low"}])
    a("A8.20/outright-per/+", q, allowed(per), [per])
    a("A8.20/outright-per/-", q, REVIEW, [root([{"per": limit(2499)}])])
    a("A8.20/outright-spend/+", q, allowed(spend), [spend], spent={spend.ids[0]: 0})
    a("A8.20/outright-spend/-", q, REVIEW, [spend], spent={spend.ids[0]: 1})
    a("A8.20/outright-risk/+", question(proposal(risk="low")), allowed(risk), [risk])
    a("A8.20/outright-risk/-", question(proposal(risk="medium")), REVIEW, [risk])
    a("A8.20/a-commit/+", q, allowed(root([{"verbs": ["COMMIT"]}])), [root([{"verbs": ["COMMIT"]}])])
    a("A8.20/a-commit/-", q, REVIEW, [root([{"verbs": ["INTENT"]}])])
    only = root([{"only": PLAIN}])
    a("A8.20/only/+", q, allowed(only), [only])
    a("A8.20/only/-", q, REVIEW, [root([{"only": digest("x")}])])
    for slug, caveat in (("exp", {"exp": NOW}), ("nbf", {"nbf": NOW + 1}), ("svc", {"svc": ["x"]}),
                         ("can", {"can": ["shop.browse"]}), ("unknown", {"note": 1}),
                         ("malformed", {"per": {"max": 9000, "currency": "USD", "note": ""}}),
                         ("negative-limit", {"spend": limit(-1)})):
        a("A8.20/hard-" + slug, q, REVIEW, [root([caveat])])
    a("A8.20/soft-beside-hard", q, REVIEW, [root([{"per": limit(1)}]), root([{"exp": 0}])])
    a("A8.20/second-allows", q, allowed(free, 1), [root([{"per": limit(1)}]), free])
    a("A8.21/no-grants", q, REVIEW, [])
    a("A8.21/bad-signature/+", q, allowed(free), [free])
    a("A8.21/bad-signature/-", q, REVIEW, [root(signer=STRANGER)])
    a("A8.21/nonsense", q, REVIEW, ["x", "pg1.", ""])
    a("A8.21/untrusted", q, REVIEW, [free], trusted=[OTHER_PRINCIPAL])
    a("A8.21/another-holder", q, REVIEW, [root(sub=SECOND)])
    a("A8.21/another-prover", q, REVIEW, [free], by=SECOND)
    both = [PRINCIPAL, OTHER_PRINCIPAL]
    other = root(iss=OTHER_PRINCIPAL)
    a("A8.22/principal/+", question(principal=PRINCIPAL), allowed(free), [free], trusted=both)
    a("A8.22/principal/-", question(principal=OTHER_PRINCIPAL), REVIEW, [free], trusted=both)
    a("A8.22/second-grant", question(principal=PRINCIPAL), allowed(free, 1), [other, free], trusted=both)
    a("A8.22/none-was-set", question(), allowed(other), [other], trusted=both)
    a("A1.5/auto-principal-is-no-key", question(principal=PRINCIPAL.text + "="), REVIEW, [free])
    a("A1.5/auto-principal-is-empty", question(principal=""), REVIEW, [free])
    # A cost of null satisfies every limit; a cost of 0 in another currency none (A4).
    for name in ("per", "spend"):
        token = root([{name: limit(0)}])
        a("A4.19/%s-null/+" % name, question(proposal(cost=None)), allowed(token), [token])
        a("A4.19/%s-null/-" % name, question(proposal(cost=cost(0, "EUR"))), REVIEW, [token])
    chained = extend(root([{"spend": limit(2500)}], sub=SECOND), SECOND, AGENT, [{"spend": limit(2500)}])
    a("A8.20/every-block/+", q, allowed(chained), [chained], spent={chained.ids[0]: 0, chained.ids[1]: 0})
    a("A8.20/every-block/-", q, REVIEW, [chained], spent={chained.ids[0]: 0, chained.ids[1]: 1})
    sly = write(proposal(data={"cost": None})).replace('"data"', '"d\\u0061ta"')
    a("B4.4/auto-not-from-data", question(sly), REVIEW, [root([{"per": limit(1)}])])
