"""UNDO, EXPAND, and the consent that a soft failure leads to (A5, A8, A9)."""

from book import FORBIDDEN, UNAUTHORIZED, allowed, asked, granted
from canonical import LARGEST, digest, write
from cases_authorize import ANYONE, FORBID, PLAIN, UNAUTH, committing, expanding, undoing
from cases_proposal import consent_grant
from tokens import (AGENT, CAPABILITY, NOW, OTHER_PRINCIPAL, PRINCIPAL, PROPOSAL, SECOND, SERVICE, cost, extend,
                    limit, own_hash, proof, proposal, root)


def cases(book):
    book.topic("undo-expand")
    undo(book)
    expand(book)
    book.topic("consent")
    consent(book)


def undo(book):
    a = book.authorize
    token = root([{"can": ["shop.*"]}])
    a("A5.7/receipt/+", undoing(), allowed(token), [token])
    a("A5.7/receipt/-", undoing(), UNAUTH, [token], given=write(proof("UNDO", "r-2")))
    a("A5.7/not-the-capability", undoing(), UNAUTH, [token], given=write(proof("UNDO", CAPABILITY)))
    a("A5.7/not-of-a-commit", undoing(), UNAUTH, [token], given=write(proof("COMMIT", "r-1")))
    a("A5.7/odd-receipt", undoing(receipt="r\"\n\u2028"), allowed(token), [token])
    a("A8.11/capability/+", undoing("shop.order"), allowed(token), [token])
    a("A8.11/capability/-", undoing("cal.add"), FORBID, [token])
    both = [PRINCIPAL, OTHER_PRINCIPAL]
    a("A8.12/principal/+", undoing(principal=PRINCIPAL), allowed(token), [token], trusted=both)
    a("A8.12/principal/-", undoing(principal=OTHER_PRINCIPAL), FORBID, [token], trusted=both)
    other = root(iss=OTHER_PRINCIPAL)
    a("A8.12/second-grant", undoing(), allowed(token, 1), [other, token], trusted=both)
    a("A8.12/untrusted-stays-unauthorized", undoing(), UNAUTH, [other])
    a("A1.5/undo-principal-is-no-key", undoing(principal="x"), FORBID, [token])
    a("A1.5/undo-principal-is-padded", undoing(principal=PRINCIPAL.text + "="), FORBID, [token])
    delegated = extend(root(sub=SECOND), SECOND, AGENT)
    a("A8.12/another-holder-of-the-principal", undoing(), allowed(delegated), [delegated])
    a("A6.11/undo-proof/+", undoing(), allowed(token), [token])
    a("A6.11/undo-proof/-", undoing(), UNAUTH, [token], given=None)
    a("A6.11/undo-without-grants", undoing(), UNAUTH, [])
    verbs = root([{"verbs": ["COMMIT"]}])
    a("A4.4/undo-is-not-commit", undoing(), FORBID, [verbs])
    poor = root([{"per": limit(0)}, {"spend": limit(0)}, {"risk": "low"}, {"only": "x"}])
    a("A4.14/undo-is-not-limited", undoing(), allowed(poor), [poor], spent={poor.ids[0]: 9})
    a("B8.1/undo/+", undoing("autos:x"), allowed(root()), [root()])
    a("B8.1/undo/-", undoing("auto:x"), FORBID, [root()])
    a("B8.3/undo-before-the-proof", undoing("auto:x"), FORBID, [root()], given=None)
    a("B8.2/undo-may-have-a-colon", undoing("a:b"), allowed(root()), [root()])
    soft = root([{"exp": NOW}])
    a("A6.4/undo-expired", undoing(), FORBID, [soft])


def expand(book):
    a = book.authorize
    mine = {"decision": "allowed", "holder": AGENT.text}
    a("A8.13/anyone", expanding(), ANYONE, [], given=None)
    a("A8.13/owner/+", expanding(None), ANYONE, [])
    a("A8.13/owner/-", expanding(SECOND), FORBID, [])
    a("A8.13/anyone-with-a-proof", expanding(), ANYONE, [])
    a("A8.13/anyone-with-a-bad-proof", expanding(), ANYONE, [], given="x")
    a("A8.14/same-key/+", expanding(AGENT), mine, [])
    a("A8.14/same-key/-", expanding(SECOND), FORBID, [])
    a("A8.14/proof/+", expanding(AGENT), mine, [])
    a("A8.14/proof/-", expanding(AGENT), UNAUTH, [], given=None)
    a("A5.8/handle/+", expanding(AGENT), mine, [])
    a("A5.8/handle/-", expanding(AGENT), UNAUTH, [], given=write(proof("EXPAND", "h-2")))
    a("A5.8/not-of-an-ask", expanding(AGENT), UNAUTH, [], given=write(proof("ASK", "h-1")))
    a("A5.8/odd-handle", expanding(AGENT, "h\"\n\u2028/"), mine, [])
    a("A5.8/empty-handle", expanding(AGENT, ""), mine, [])
    a("A5.3/expand-old", expanding(AGENT), UNAUTH, [], given=write(proof("EXPAND", "h-1", ts=NOW - 301)))
    a("A8.14/a-grant-is-no-help", expanding(SECOND), FORBID, [root(iss=SECOND)], trusted=[SECOND, PRINCIPAL])
    a("A8.14/the-principal-is-not-the-key", expanding(AGENT), FORBID, [root()], by=PRINCIPAL)
    a("A8.14/proof-before-the-key", expanding(SECOND), UNAUTH, [], given=None)
    a("A8.14/grants-are-not-looked-at", expanding(AGENT), mine, ["x", "", root([{"exp": 0}])])
    a("A8.14/seventeen-grants-are-not-looked-at", expanding(AGENT), mine, ["x"] * 17)
    a("A8.13/seventeen-grants-are-not-looked-at", expanding(), ANYONE, ["x"] * 17, given=None)
    a("A1.5/owner-is-no-key", expanding(AGENT.text + "="), FORBID, [])
    a("A1.5/owner-is-empty", expanding(""), FORBID, [])
    a("A1.5/owner-is-no-key-and-no-proof", expanding(""), UNAUTH, [], given=None)
    a("A8.14/nobody-need-be-trusted", expanding(AGENT), mine, [], trusted=[])


def consent(book):
    a = book.authorize
    soft, wide = root([{"per": limit(1)}]), root([{"per": limit(9000)}])
    odd = proposal(id="p\"\u2028", capability="shop.\u00e9", summary="Caf\u00e9 \U0001f600\n", expires=LARGEST)
    a("A9.1/request/+", committing(), allowed(wide), [wide])
    a("A9.1/request/-", committing(), asked(PROPOSAL, PLAIN, PRINCIPAL), [soft])
    a("A9.1/odd-texts", committing(odd), asked(odd, own_hash(odd), PRINCIPAL), [soft])
    a("A9.1/empty-texts", committing(proposal(id="", summary="")),
      asked(proposal(id="", summary=""), own_hash(proposal(id="", summary="")), PRINCIPAL), [soft])
    plan = proposal(hash=digest("x"), data=[1], note="n")
    a("A9.1/true-hash", committing(plan), asked(plan, own_hash(plan), PRINCIPAL), [soft])
    a("A9.1/service-asked", committing(), asked(PROPOSAL, PLAIN, PRINCIPAL, "\u00e9.example"), [soft],
      service="\u00e9.example")
    passed = extend(root([{"risk": "low"}], sub=SECOND), SECOND, AGENT, [{"spend": limit(1)}])
    a("A9.1/principal-of-the-chain", committing(), asked(PROPOSAL, PLAIN, PRINCIPAL), [passed])
    yes = consent_grant(PROPOSAL)
    a("A9.2/after-the-yes", committing(), allowed(yes, 1), [soft, yes])
    a("A9.2/yes-to-another/+", committing(), allowed(yes), [yes])
    a("A9.2/yes-to-another/-", committing(), FORBID, [consent_grant(proposal(id="p-2"))])
    a("A9.2/yes-to-another-beside-the-soft-one", committing(), asked(PROPOSAL, PLAIN, PRINCIPAL),
      [soft, consent_grant(proposal(id="p-2"))])
    a("A9.2/yes-for-another-agent", committing(), UNAUTH, [consent_grant(PROPOSAL, sub=SECOND)])
    a("A9.2/yes-has-no-limit", committing(proposal(cost=cost(LARGEST), risk="high")),
      allowed(consent_grant(proposal(cost=cost(LARGEST), risk="high"))),
      [consent_grant(proposal(cost=cost(LARGEST), risk="high"))])
    plan = {"hash": PLAIN, "cost": cost(2500), "risk": "low"}
    g = book.grant
    g("A9.3/only-this-proposal/+", yes, granted(yes), proposal=plan)
    g("A9.3/only-this-proposal/-", yes, FORBIDDEN, proposal=dict(plan, hash=digest("x")))
    g("A9.3/only-this-service/+", yes, granted(yes), proposal=plan, service=SERVICE)
    g("A9.3/only-this-service/-", yes, FORBIDDEN, proposal=plan, service="cal.example")
    g("A9.3/only-this-capability/+", yes, granted(yes), proposal=plan, capability=CAPABILITY)
    g("A9.3/only-this-capability/-", yes, FORBIDDEN, proposal=plan, capability="shop.orders")
    g("A9.3/only-a-commit/+", yes, granted(yes), proposal=plan, verb="COMMIT")
    g("A9.3/only-a-commit/-", yes, FORBIDDEN, proposal=plan, verb="INTENT")
    g("A9.3/only-until-it-expires/+", yes, granted(yes), proposal=plan, now=NOW + 599)
    g("A9.3/only-until-it-expires/-", yes, FORBIDDEN, proposal=plan, now=NOW + 600)
    g("A9.3/only-by-the-agent/+", yes, granted(yes), proposal=plan, proof_key=AGENT)
    g("A9.3/only-by-the-agent/-", yes, UNAUTHORIZED, proposal=plan, proof_key=SECOND)
