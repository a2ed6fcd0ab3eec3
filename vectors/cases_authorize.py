"""Whole requests: the proof first, then one or several grants (A5, A6, B5, B8, B10)."""

from book import allowed, asked, decided
from canonical import digest, loose, write
from tokens import (AGENT, CAPABILITY, NOW, OTHER_PRINCIPAL, PRINCIPAL, PROPOSAL, SECOND, SERVICE, STRANGER,
                    extend, limit, own_hash, proof, root)

UNAUTH, FORBID = decided("unauthorized"), decided("forbidden")
PLAIN = own_hash(PROPOSAL)
I64_MAX, I64_MIN = 2**63 - 1, -2**63
ANYONE = {"decision": "allowed", "holder": None}


def asking(verb="ASK", capability=CAPABILITY):
    return {"verb": verb, "capability": capability}


def committing(plan=PROPOSAL, sent=None, holder=AGENT, principal=None, replay=None, text=None):
    def text_of(key):
        return key if key is None or isinstance(key, str) else key.text
    request = {"verb": "COMMIT", "proposal": text or write(plan), "hash": own_hash(plan) if sent is None else sent,
               "origin": {"holder": text_of(holder), "principal": text_of(principal)}}
    if replay is not None:
        request["replay"] = replay
    return request


def undoing(capability=CAPABILITY, principal=PRINCIPAL, receipt="r-1"):
    return {"verb": "UNDO", "receipt": receipt, "capability": capability,
            "principal": principal if isinstance(principal, str) else principal.text}


def expanding(owner=None, handle="h-1"):
    return {"verb": "EXPAND", "handle": handle, "owner": owner if owner is None or isinstance(owner,
        str) else owner.text}


def cases(book):
    book.topic("authorize")
    proofs(book)
    several(book)


def proofs(book):
    a = book.authorize
    free = root()
    for verb in ("ASK", "INTENT"):
        low = verb.lower()
        a("A6.11/%s-proof/+" % low, asking(verb), allowed(free), [free])
        a("A6.11/%s-proof/-" % low, asking(verb), UNAUTH, [free], given=None)
        a("A6.11/%s-no-grants" % low, asking(verb), UNAUTH, [])
        a("A5.4/%s/+" % low, asking(verb), allowed(free), [free])
        a("A5.4/%s/-" % low, asking(verb), UNAUTH, [free], given=write(proof(verb, CAPABILITY + "s")))
        a("A5.4/%s-of-the-other-verb" % low, asking(verb), UNAUTH, [free],
          given=write(proof("INTENT" if verb == "ASK" else "ASK", CAPABILITY)))
        a("A5.2/%s-for-another-service" % low, asking(verb), UNAUTH, [free],
          given=write(proof(verb, CAPABILITY, aud="cal.example")))
    ask = write(proof("ASK", CAPABILITY))
    for slug, text in (("empty", ""), ("null-text", "null"), ("cut", ask[:-1]), ("array", "[" + ask + "]"),
                       ("extra-member", ask[:-1] + ',"x":1}'),
                       ("old", write(proof("ASK", CAPABILITY, ts=NOW - 301))),
                       ("early", write(proof("ASK", CAPABILITY, ts=NOW + 301))),
                       ("of-a-stranger", write(proof("ASK", CAPABILITY, by=STRANGER))),
                       ("of-the-principal", write(proof("ASK", CAPABILITY, by=PRINCIPAL))),
                       ("without-audience", write(dict(proof("ASK", CAPABILITY),
                                                       sig=AGENT.sign(write({"target": CAPABILITY, "ts": NOW,
                                                           "verb": "ASK"}))))),
                       ("invalid-bytes", ask.encode() + b"\xff")):
        a("A6.11/proof-" + slug, asking(), UNAUTH, [free], given=text)
    a("A5.10/loose-proof", asking(), allowed(free), [free], given=" " + loose(proof("ASK", CAPABILITY)) + "\n")
    a("A5.3/as-old-as-can-be", asking(), allowed(free), [free], given=write(proof("ASK", CAPABILITY, ts=NOW - 300)))
    a("A5.3/as-early-as-can-be", asking(), allowed(free), [free], given=write(proof("ASK", CAPABILITY, ts=NOW + 300)))
    for slug, now in (("max", I64_MAX), ("min", I64_MIN)):
        a("A5.3/now-i64-" + slug, asking(), UNAUTH, [free], given=ask, now=now)
    token = root([{"verbs": ["ASK"]}, {"can": ["shop.*"]}, {"svc": [SERVICE]}])
    a("A6.4/verb/+", asking("ASK"), allowed(token), [token])
    a("A6.4/verb/-", asking("INTENT"), FORBID, [token])
    a("A6.4/service/+", asking(), allowed(token), [token], service=SERVICE)
    a("A6.4/service/-", asking(), FORBID, [token], service="cal.example")
    a("A6.4/capability/+", asking("ASK", "shop.browse"), allowed(token), [token])
    a("A6.4/capability/-", asking("ASK", "cal.browse"), FORBID, [token])
    chained = extend(root(sub=SECOND), SECOND, AGENT)
    a("A6.3/proven-key/+", asking(), allowed(chained), [chained], by=AGENT)
    a("A6.3/proven-key/-", asking(), UNAUTH, [chained], by=SECOND)
    a("A6.2/trusted-principal/+", asking(), allowed(free), [free], trusted=[PRINCIPAL])
    a("A6.2/trusted-principal/-", asking(), UNAUTH, [free], trusted=[SECOND])
    a("A4.7/in-a-request/+", asking(), allowed(root([{"exp": NOW + 1}])), [root([{"exp": NOW + 1}])])
    a("A4.7/in-a-request/-", asking(), FORBID, [root([{"exp": NOW}])])
    for name, caveat in (("per", {"per": limit(0)}), ("spend", {"spend": limit(0)}), ("risk", {"risk": "low"}),
                         ("only", {"only": "x"})):
        token = root([caveat])
        a("A4.14/%s-in-an-intent" % name, asking("INTENT"), allowed(token), [token])
    star = root([{"can": ["*"]}])
    for verb in ("ASK", "INTENT"):
        a("B8.1/%s/+" % verb.lower(), asking(verb, "auto.x"), allowed(star), [star])
        a("B8.1/%s/-" % verb.lower(), asking(verb, "auto:x"), FORBID, [star])
        a("B8.3/%s-before-the-proof" % verb.lower(), asking(verb, "auto:x"), FORBID, [star], given=None)
        a("B8.3/%s-before-the-grants" % verb.lower(), asking(verb, "auto:x"), FORBID, [])
        a("B8.3/%s-before-seventeen-grants" % verb.lower(), asking(verb, "auto:x"), FORBID, [star] * 17)
        a("B8.2/%s-without-auto-may-have-a-colon" % verb.lower(), asking(verb, "a:b"), allowed(star), [star])
    # The text of an auto INTENT's proof, replayed as a plain INTENT's.
    replayed = write(proof("INTENT", "auto:shop.order:f1"))
    a("B8.1/an-auto-proof-as-a-plain-one", asking("INTENT", "auto:shop.order:f1"), FORBID, [star], given=replayed)
    a("B8.3/first/+", asking("ASK", "autos:x"), allowed(star), [star])
    a("B8.3/first/-", asking("ASK", "auto:x"), FORBID, [star], given=None)
    a("B10.1/class-alone/+", asking(), allowed(star), [star])
    a("B10.1/class-alone/-", asking(), FORBID, [root([{"can": ["x"]}, {"exp": 0}, {"note": "why"}])])


def several(book):
    a = book.authorize
    good, hard, bad = root(), root([{"exp": 0}]), root(signer=STRANGER)
    soft = root([{"per": limit(1)}])
    other_soft = root([{"risk": "low"}, {"spend": limit(1)}], iss=OTHER_PRINCIPAL)
    foreign = root(sub=SECOND)
    both = [PRINCIPAL, OTHER_PRINCIPAL]
    consent = asked(PROPOSAL, PLAIN, PRINCIPAL)
    c = committing()
    a("A6.7/by-itself/+", asking(), allowed(good, 1), [hard, good])
    a("A6.7/by-itself/-", asking(), FORBID, [hard, root([{"verbs": ["COMMIT"]}])])
    verbs, can = root([{"verbs": ["ASK"]}, {"can": ["cal.*"]}]), root([{"verbs": ["INTENT"]}, {"can": ["shop.*"]}])
    a("A6.7/never-added-up", asking(), FORBID, [verbs, can])
    halves = [root([{"per": limit(1250)}]), root([{"per": limit(1250)}], nonce="n2")]
    a("A6.7/amounts-never-added-up", c, consent, halves)
    a("A6.7/soft-of-one-hard-of-another", c, consent, [root([{"exp": 0}]), root([{"per": limit(1)}])])
    for slug, tokens, expect in (
            ("hard-then-soft", [hard, soft], consent), ("soft-then-hard", [soft, hard], consent),
            ("bad-then-hard", [bad, hard], FORBID),
            ("hard-then-bad", [hard, bad], FORBID), ("bad-then-soft", [bad, soft], consent),
            ("soft-then-bad", [soft, bad], consent),
            ("bad-alone", [bad], UNAUTH), ("bad-twice", [bad, "pg1."], UNAUTH),
            ("all-three", [bad, hard, soft], consent),
            ("foreign-and-hard", [foreign, hard], FORBID), ("foreign-alone", [foreign], UNAUTH)):
        a("A6.8/" + slug, c, expect, tokens)
    a("A6.8/any-allows/+", c, allowed(good, 2), [bad, hard, good])
    a("A6.8/any-allows/-", c, consent, [bad, hard, soft])
    a("A6.9/first-that-allows", c, allowed(good, 0), [good, root(nonce="n2")])
    a("A6.9/second-of-three", c, allowed(good, 1), [soft, good, root(nonce="n2")])
    a("A6.9/index-beside-a-third/+", c, allowed(good, 1), [soft, good, hard])
    a("A6.9/index-beside-a-third/-", c, consent, [soft, bad, hard])
    a("A6.9/after-nonsense", c, allowed(good, 3), ["", "x", "pg1.", good])
    a("A6.9/the-same-twice", c, allowed(good, 0), [good, good])
    a("A6.10/first-principal-asked", c, asked(PROPOSAL, PLAIN, OTHER_PRINCIPAL), [other_soft, soft], trusted=both)
    a("A6.10/first-principal-asked-turned", c, asked(PROPOSAL, PLAIN, PRINCIPAL), [soft, other_soft], trusted=both)
    hard_other = root([{"exp": 0}], iss=OTHER_PRINCIPAL)
    a("A6.10/not-of-the-hard-one", c, consent, [hard_other, soft], trusted=both)
    allowing = root(iss=OTHER_PRINCIPAL)
    a("A6.10/asked/+", c, allowed(allowing, 1), [soft, allowing], trusted=both)
    a("A6.10/asked/-", c, asked(PROPOSAL, PLAIN, PRINCIPAL), [soft, other_soft], trusted=both)
    filler = ["x"] * 15
    a("B5.4/sixteen/+", asking(), allowed(good, 15), filler + [good])
    a("B5.4/sixteen/-", asking(), UNAUTH, filler + [good, "x"])
    a("B5.4/seventeen-good", asking(), UNAUTH, [root(nonce=str(i)) for i in range(17)])
    a("B5.4/seventeen-in-a-commit", c, UNAUTH, [good] * 17)
    a("B5.4/seventeen-in-an-undo", undoing(), UNAUTH, [good] * 17)
    stranger = committing(holder=SECOND)
    a("B5.8/before-the-holder", stranger, UNAUTH, [good] * 17)
    a("B5.8/before-a-conflict", committing(sent=digest("x")), UNAUTH, [good] * 17)
    a("B5.8/before-expiry", c, UNAUTH, [good] * 17, now=NOW + 600)
    a("B5.8/grants-first/+", c, allowed(good, 0), [good] * 16)
    a("B5.8/grants-first/-", c, UNAUTH, [good] * 17, given=None)
