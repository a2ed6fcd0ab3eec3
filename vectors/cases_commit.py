"""The rules around COMMIT: hash, expiry, holder, principal, order of steps, replay, money (A8, B4)."""

from book import CONFLICT, EXPIRED, allowed, asked
from canonical import LARGEST, digest, loose, trailing_bit, write
from cases_authorize import FORBID, PLAIN, UNAUTH, committing
from tokens import (AGENT, CAPABILITY, NOW, OTHER_PRINCIPAL, PRINCIPAL, PROPOSAL, SECOND, STRANGER, cost, extend,
                    limit, own_hash, proof, proposal, root)


def cases(book):
    book.topic("commit")
    commit(book)
    order(book)
    replay(book)
    money(book)


def commit(book):
    a = book.authorize
    free = root()
    c = committing()
    a("A5.6/hash-as-sent/+", c, allowed(free), [free])
    a("A5.6/hash-as-sent/-", c, UNAUTH, [free], given=write(proof("COMMIT", digest("x"))))
    a("A5.6/proof-over-the-true-hash", committing(sent=digest("x")), UNAUTH, [free],
      given=write(proof("COMMIT", PLAIN)))
    a("A5.6/proof-of-an-intent", c, UNAUTH, [free], given=write(proof("INTENT", PLAIN)))
    a("A5.6/proof-over-the-capability", c, UNAUTH, [free], given=write(proof("COMMIT", CAPABILITY)))
    a("A8.1/hash/+", c, allowed(free), [free])
    a("A8.1/hash/-", committing(sent=digest("x")), CONFLICT, [free])
    for slug, sent in (("empty", ""), ("padded", PLAIN + "="), ("trailing-bits", trailing_bit(PLAIN)),
                       ("space", PLAIN + " "), ("other-case", PLAIN.swapcase()),
                       ("prefix", PLAIN[:-1]), ("of-the-loose-text", digest(loose(PROPOSAL))),
                       ("of-another-proposal", own_hash(proposal(id="p-2")))):
        a("A8.1/conflict-" + slug, committing(sent=sent), CONFLICT, [free])
    cheap = proposal(cost=cost(1))
    a("A8.1/terms-changed-after-the-offer", committing(cheap, sent=PLAIN), CONFLICT, [free])
    a("A8.1/own-hash-member-is-not-it", committing(proposal(hash=digest("x")), sent=digest("x")), CONFLICT, [free])
    a("A8.3/expires/+", c, allowed(free), [free], now=NOW + 599)
    a("A8.3/expires/-", c, EXPIRED, [free], now=NOW + 600)
    a("A8.3/long-ago", c, EXPIRED, [free], now=NOW + 10**7)
    a("A8.3/negative-expiry", committing(proposal(expires=-5)), EXPIRED, [free])
    a("A8.3/largest-expiry", committing(proposal(expires=LARGEST)), allowed(free), [free])
    a("A8.4/holder/+", committing(holder=AGENT), allowed(free), [free])
    a("A8.4/holder/-", committing(holder=SECOND), FORBID, [free])
    passed = extend(free, AGENT, SECOND)
    a("A8.4/the-chain-is-no-help", committing(holder=AGENT), FORBID, [passed], by=SECOND)
    a("A8.4/the-principal-is-no-help", committing(holder=AGENT), FORBID, [root(sub=PRINCIPAL)], by=PRINCIPAL)
    a("A8.6/anonymous/+", committing(holder=AGENT), allowed(free), [free])
    a("A8.6/anonymous/-", committing(holder=None), FORBID, [free])
    a("A8.6/anonymous-without-a-proof", committing(holder=None), UNAUTH, [free], given=None)
    a("A1.5/origin-holder-is-no-key", committing(holder=AGENT.text + "="), FORBID, [free])
    a("A1.5/origin-holder-is-empty", committing(holder=""), FORBID, [free])
    a("A1.5/origin-principal-is-no-key", committing(principal=PRINCIPAL.text[8:]), FORBID, [free])
    a("A1.5/origin-principal-is-empty", committing(principal=""), FORBID, [free])
    both = [PRINCIPAL, OTHER_PRINCIPAL]
    other = root(iss=OTHER_PRINCIPAL)
    a("A8.5/principal/+", committing(principal=PRINCIPAL), allowed(free), [free], trusted=both)
    a("A8.5/principal/-", committing(principal=OTHER_PRINCIPAL), FORBID, [free], trusted=both)
    a("A8.5/none-was-set", committing(), allowed(other), [other], trusted=both)
    a("A8.5/second-grant-of-the-principal", committing(principal=PRINCIPAL), allowed(free, 1), [other, free],
      trusted=both)
    soft = root([{"per": limit(1)}], iss=OTHER_PRINCIPAL)
    a("A8.5/no-consent-from-another", committing(principal=PRINCIPAL), FORBID, [soft], trusted=both)
    a("A8.5/consent-from-the-right-one", committing(principal=OTHER_PRINCIPAL), asked(PROPOSAL, PLAIN, OTHER_PRINCIPAL),
      [soft], trusted=both)
    a("A8.5/untrusted-stays-unauthorized", committing(principal=PRINCIPAL), UNAUTH, [other])
    a("A8.5/wrong-holder-stays-unauthorized", committing(principal=PRINCIPAL), UNAUTH,
      [root(iss=OTHER_PRINCIPAL, sub=SECOND)], trusted=both)
    a("A8.5/bad-signature-stays-unauthorized", committing(principal=PRINCIPAL), UNAUTH,
      [root(iss=OTHER_PRINCIPAL, signer=STRANGER)], trusted=both)
    narrow = root([{"can": ["shop.browse"]}])
    a("A4.5/of-the-proposal", c, FORBID, [narrow])
    only = root([{"only": PLAIN}])
    a("A4.9/of-the-proposal", c, allowed(only), [only])
    a("A4.9/of-another-proposal", c, FORBID, [root([{"only": digest("x")}])])
    a("A6.11/commit-proof/+", c, allowed(free), [free])
    a("A6.11/commit-proof/-", c, UNAUTH, [free], given=None)
    a("A6.11/commit-without-grants", c, UNAUTH, [])
    over = write(proposal(data="")).replace('"data":""', '"data":"%s"' % ("a" * (1 << 20)))
    a("B5.6/proposal-over", committing(text=over), FORBID, [free])


def order(book):
    """Two things wrong at once: the earlier step decides (A8.2)."""
    a = book.authorize
    free, hard = root(), root([{"exp": 0}])
    wrong = digest("x")
    bad = write(proposal(risk="none"))
    a("A8.2/only-the-agent-is-told/+", committing(), allowed(free), [free])
    a("A8.2/only-the-agent-is-told/-", committing(holder=SECOND), FORBID, [free])
    a("A8.2/holder-before-conflict", committing(holder=SECOND, sent=wrong), FORBID, [free])
    a("A8.2/holder-before-expiry", committing(holder=SECOND), FORBID, [free], now=NOW + 600)
    a("A8.2/holder-before-the-proposal", committing(holder=SECOND, text=bad), FORBID, [free])
    a("A8.2/proof-before-holder", committing(holder=SECOND), UNAUTH, [free], given=None)
    a("A8.2/proof-before-conflict", committing(sent=wrong), UNAUTH, [free], given=None)
    a("A8.2/proof-before-expiry", committing(), UNAUTH, [free], given=write(proof("COMMIT", "x", ts=NOW + 600)),
      now=NOW + 600)
    a("A8.2/proof-before-the-proposal", committing(text=bad), UNAUTH, [free], given=None)
    a("A8.2/proposal-before-conflict", committing(text=bad, sent=wrong), FORBID, [free])
    a("A8.2/proposal-before-grants", committing(text=bad, sent=digest(bad)), FORBID, [])
    a("A8.2/conflict-before-expiry", committing(sent=wrong), CONFLICT, [free], now=NOW + 600)
    a("A8.2/conflict-before-grants", committing(sent=wrong), CONFLICT, [hard])
    a("A8.2/conflict-before-no-grants", committing(sent=wrong), CONFLICT, [])
    a("A8.2/expiry-before-grants", committing(), EXPIRED, [hard], now=NOW + 600)
    a("A8.2/expiry-before-no-grants", committing(), EXPIRED, [], now=NOW + 600)
    a("A8.2/expiry-before-a-bad-grant", committing(), EXPIRED, ["x"], now=NOW + 600)
    a("A8.2/conflict-before-the-principal", committing(sent=wrong, principal=OTHER_PRINCIPAL), CONFLICT, [free])
    a("A8.2/no-holder-before-conflict", committing(holder=None, sent=wrong), FORBID, [free])
    a("A8.2/no-holder-before-expiry", committing(holder=None), FORBID, [free], now=NOW + 600)


def replay(book):
    a = book.authorize
    soft = root([{"per": limit(1)}, {"spend": limit(1)}])
    free = root()
    a("A8.7/not-evaluated-again/+", committing(replay=True), allowed(soft), [soft])
    a("A8.7/not-evaluated-again/-", committing(), asked(PROPOSAL, PLAIN, PRINCIPAL), [soft])
    risky = proposal(risk="high")
    tame = root([{"risk": "low"}])
    a("A8.7/risk-not-again/+", committing(risky, replay=True), allowed(tame), [tame])
    a("A8.7/risk-not-again/-", committing(risky), asked(risky, own_hash(risky), PRINCIPAL), [tame])
    spent = root([{"spend": limit(5000)}])
    a("A8.7/spend-not-again/+", committing(replay=True), allowed(spent), [spent], spent={spent.ids[0]: 5000})
    a("A8.7/spend-not-again/-", committing(), asked(PROPOSAL, PLAIN, PRINCIPAL), [spent], spent={spent.ids[0]: 5000})
    currency = root([{"per": limit(9000, "EUR")}])
    a("A8.7/currency-not-again", committing(replay=True), allowed(currency), [currency])
    a("A8.10/no-expiry/+", committing(replay=True), allowed(free), [free], now=NOW + 600)
    a("A8.10/no-expiry/-", committing(), EXPIRED, [free], now=NOW + 600)
    a("A8.10/long-after", committing(replay=True), allowed(free), [free], now=NOW + 10**8)
    a("A8.8/same-key/+", committing(replay=True, holder=AGENT), allowed(free), [free])
    a("A8.8/same-key/-", committing(replay=True, holder=SECOND), FORBID, [free])
    both = [PRINCIPAL, OTHER_PRINCIPAL]
    a("A8.8/same-principal/+", committing(replay=True, principal=PRINCIPAL), allowed(free), [free], trusted=both)
    a("A8.8/same-principal/-", committing(replay=True, principal=OTHER_PRINCIPAL), FORBID, [free], trusted=both)
    for slug, caveat in (("exp", {"exp": NOW}), ("nbf", {"nbf": NOW + 1}), ("svc", {"svc": ["x"]}),
                         ("verbs", {"verbs": ["ASK"]}), ("can", {"can": ["shop.browse"]}),
                         ("only", {"only": digest("x")}), ("unknown", {"note": 1}), ("empty", {})):
        a("A8.8/hard-%s/+" % slug, committing(replay=True), allowed(free), [free])
        a("A8.8/hard-%s/-" % slug, committing(replay=True), FORBID, [root([caveat])])
    a("A8.8/conflict", committing(replay=True, sent=digest("x")), CONFLICT, [free])
    a("A8.8/anonymous", committing(replay=True, holder=None), FORBID, [free])
    a("A8.8/no-proof", committing(replay=True), UNAUTH, [free], given=None)
    a("A8.8/no-grants", committing(replay=True), UNAUTH, [])
    a("A8.8/malformed-proposal", committing(replay=True, text=write(proposal(risk="none"))), FORBID, [free])
    a("A8.8/proof-of-the-first-time-is-too-old", committing(replay=True), UNAUTH, [free],
      given=write(proof("COMMIT", PLAIN)), now=NOW + 301)
    for slug, caveat in (("per", {"per": dict(limit(9000), note="")}), ("spend", {"spend": limit(-1)}),
                         ("risk", {"risk": "none"}), ("per-null", {"per": None}),
                         ("spend-text", {"spend": "5000 USD"}), ("risk-to-string", {"risk": "toString"})):
        a("A8.9/malformed-%s" % slug, committing(replay=True), FORBID, [root([caveat])])
    a("A8.9/well-formed/+", committing(replay=True), allowed(soft), [soft])
    a("A8.9/well-formed/-", committing(replay=True), FORBID, [root([{"per": limit(-1)}, {"spend": limit(1)}])])


def money(book):
    a = book.authorize
    for name in ("per", "spend"):
        good, short = root([{name: limit(2500)}]), root([{name: limit(2499)}])
        a("B4.4/%s-of-the-hashed-bytes/+" % name, committing(), allowed(good), [good])
        a("B4.4/%s-of-the-hashed-bytes/-" % name, committing(), asked(PROPOSAL, PLAIN, PRINCIPAL), [short])
        sly = proposal(data={"cost": None, "amount": 1, "risk": "low"}, x={"cost": cost(1)})
        a("B4.4/%s-not-from-data" % name, committing(sly), asked(sly, own_hash(sly), PRINCIPAL), [short])
    token = root([{"spend": limit(5000)}])
    a("A4.12/in-a-commit/+", committing(), allowed(token), [token], spent={token.ids[0]: 2500})
    a("A4.12/in-a-commit/-", committing(), asked(PROPOSAL, PLAIN, PRINCIPAL), [token], spent={token.ids[0]: 2501})
    second = root([{"spend": limit(5000)}], nonce="n2")
    a("A4.12/the-next-grant-has-room", committing(), allowed(second, 1), [token, second], spent={token.ids[0]: 5000})
    free = proposal(cost=None)
    none = root([{"spend": limit(0)}, {"per": limit(0)}])
    a("A4.19/free", committing(free), allowed(none), [none], spent={none.ids[0]: 5000})
    zero = proposal(cost=cost(0, "EUR"))
    a("A4.18/zero-in-another-currency", committing(zero), asked(zero, own_hash(zero), PRINCIPAL), [none])
