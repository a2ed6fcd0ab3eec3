"""What a ledger counts: what is reserved, for whom, how it ends, and what is left (A4, A6, A8, A9, B4, B6).

PROPOSAL costs 2500 USD throughout.
"""

import ed25519
from book import CONFLICT, EXPIRED, REVIEW
from canonical import LARGEST, b64url, digest, unb64url, write
from cases_authorize import ANYONE, FORBID, UNAUTH, asking, expanding, undoing
from cases_flow import (ASKED, BOTH, FREE, abandon, agreed, authorize, auto, claim, commit, finish, of_commit, priced,
                        release, settle, spent, spents)
from cases_proposal import consent_grant
from tokens import (AGENT, CAPABILITY, EXP, NOW, OTHER_PRINCIPAL, PRINCIPAL, PROPOSAL, SECOND, STRANGER, THIRD, OddKey,
                    extend, key, limit, own_hash, proof, proposal, root)


def spending(maximum, currency="USD", **more):
    """A root to the agent with one limit."""
    return root([{"spend": limit(maximum, currency)}], **more)


def shared(maximum=5000, **more):
    """A root to SECOND with one limit, who hands it on."""
    return root([{"spend": limit(maximum)}], sub=SECOND, **more)


def cases(book):
    book.topic("flow")
    every_block(book)
    one_after_another(book)
    ends(book)
    undone(book)
    replayed(book)
    once(book)
    nothing(book)
    refused(book)
    other_verbs(book)
    auto_questions(book)
    next_grant(book)
    blocks(book)
    roots(book)
    currencies(book)
    twice_in_a_block(book)
    largest(book)
    consented(book)


def every_block(book):
    """A8.23: against every block with a limit of the grant that allows, and nothing else."""
    f, fork = book.flow, book.fork
    g = spending(5000)
    f("A8.23/one-block", spent(g, 0, 0), commit("a", [g], 0), spent(g, 0, 2500))
    top = shared(9000)
    leaf = agreed(top, AGENT, [{"spend": limit(3000)}])
    f("A8.23/two-blocks", commit("a", [leaf], 0), *spents(leaf, 2500, 2500))
    middle = extend(extend(root([{"per": limit(9000)}], sub=SECOND), SECOND, THIRD, [{"spend": limit(9000)}]),
                    THIRD, AGENT, [{"risk": "high"}])
    f("A8.23/only-blocks-with-a-limit", commit("a", [middle], 0), *spents(middle, 0, 2500, 0))
    ends_only = extend(extend(shared(9000), SECOND, THIRD), THIRD, AGENT, [{"spend": limit(9000)}])
    f("A8.23/first-and-last", commit("a", [ends_only], 0), settle("a"), *spents(ends_only, 2500, 0, 2500))
    per = root([{"per": limit(2500)}, {"risk": "low"}])
    f("A8.23/per-and-risk-count-nothing", commit("a", [per], 0), commit("b", [per], 0), commit("c", [per], 0),
      spent(per, 0, 0))
    tight = shared(4999)
    fork("A8.23/first-block-is-charged", [commit("a", [agreed(tight, AGENT, [{"spend": limit(9000)}])], 0)],
         [commit("b", [agreed(shared(4999, nonce="n2"), AGENT, [{"spend": limit(9000)}])], 0)],
         [commit("b", [agreed(tight, AGENT, [{"spend": limit(9000)}])], ASKED)])
    loose = shared(9000)
    fork("A8.23/last-block-is-charged", [commit("a", [agreed(loose, AGENT, [{"spend": limit(4999)}])], 0)],
         [commit("b", [agreed(loose, AGENT, [{"spend": limit(4999)}], iat=NOW)], 0)],
         [commit("b", [agreed(loose, AGENT, [{"spend": limit(4999)}])], ASKED)])
    other = spending(2500, nonce="n2")
    f("A8.23/others-presented-are-not-charged", commit("a", [g, other, leaf], 0), spent(g, 0, 2500),
      spent(other, 0, 0), *spents(leaf, 0, 0))
    f("A8.23/presented-twice-is-charged-once", commit("a", [g, g], 0), spent(g, 0, 2500))
    tight = agreed(shared(9000), AGENT, [{"spend": limit(2499)}])
    f("A8.23/all-blocks-or-none", commit("a", [tight], ASKED), *spents(tight, 0, 0), settle("a", False))
    topped = agreed(shared(2499), AGENT, [{"spend": limit(9000)}])
    f("A8.23/all-blocks-or-none-turned", commit("a", [topped], ASKED), *spents(topped, 0, 0), release("a", False))
    sixteen = root([{"spend": limit(5000)}], sub=key(100))
    for i in range(15):
        sixteen = extend(sixteen, key(100 + i), key(101 + i) if i < 14 else AGENT, [{"spend": limit(5000 + i)}])
    f("A8.23/sixteen-blocks", commit("a", [sixteen], 0), *spents(sixteen, *[2500] * 16), commit("b", [sixteen], 0),
      *spents(sixteen, *[5000] * 16), commit("c", [sixteen], ASKED), release("a"), *spents(sixteen, *[2500] * 16),
      settle("b"), *spents(sixteen, *[2500] * 16))
    # The last of the sixteen alone has no room: the first fifteen are not charged either.
    last = sixteen.part(*range(15))
    last = extend(last, key(114), AGENT, [{"spend": limit(2499)}])
    f("A8.23/sixteenth-block-has-no-room", commit("a", [last], ASKED), *spents(last, *[0] * 16))


def one_after_another(book):
    """A8.28: totals of what is held and what is settled, at their bounds."""
    f, fork = book.flow, book.fork
    g = spending(5000)
    last = commit("b", [g], 0), commit("b", [g], ASKED)
    for slug, between in (("held", []), ("settled", [settle("a")])):
        fork("A8.28/%s-counts" % slug, [], [auto("a", [g], 0, priced(2500)), *between, last[0]],
             [auto("a", [g], 0, priced(2501)), *between, last[1]])
    fork("A8.28/both-count", [commit("s", [g], 0, priced(1000)), settle("s")],
         [auto("a", [g], 0, priced(1500)), last[0]], [auto("a", [g], 0, priced(1501)), last[1]])
    fork("A8.28/exactly-the-limit", [commit("a", [g], 0)],
         [auto("b", [g], 0, priced(2500))], [auto("b", [g], REVIEW, priced(2501))])
    fork("A8.28/alone", [spent(g, 0, 0)], [auto("a", [g], 0, priced(5000))], [auto("a", [g], REVIEW, priced(5001))])
    f("A8.28/exactly-the-limit-in-a-commit", commit("a", [g], 0), commit("b", [g], 0), spent(g, 0, 5000),
      commit("c", [g], ASKED, priced(1)), spent(g, 0, 5000))
    f("A8.28/one-over-in-a-commit", commit("a", [g], 0), commit("b", [g], ASKED, priced(2501)), spent(g, 0, 2500),
      commit("c", [g], 0, priced(2500)), spent(g, 0, 5000))
    fork("A8.28/nothing-fits-in-what-is-full", [commit("a", [g], 0, priced(5000)), settle("a")],
         [auto("b", [g], 0, priced(0))], [auto("b", [g], REVIEW, priced(1))])
    zero = spending(0)
    fork("A8.28/limit-of-0", [], [auto("a", [zero], 0, priced(0))], [auto("a", [zero], REVIEW, priced(1))])
    f("A8.28/settling-changes-no-total", commit("a", [g], 0), spent(g, 0, 2500), settle("a"), spent(g, 0, 2500))
    f("A8.28/many-small", *[commit("a%d" % i, [g], 0, priced(500)) for i in range(10)], spent(g, 0, 5000),
      commit("b", [g], ASKED, priced(1)), release("a3"), spent(g, 0, 4500), commit("c", [g], 0, priced(500)),
      commit("d", [g], ASKED, priced(1)))
    f("A8.28/a-smaller-one-still-fits", commit("a", [g], 0, priced(3000)), commit("b", [g], ASKED),
      commit("c", [g], 0, priced(2000)), spent(g, 0, 5000))
    f("A8.28/unknown-blocks", spent("", None, 0), spent("x", None, 0), spent(digest("x"), None, 0),
      spent(PRINCIPAL.text, None, 0), spent(g, 0, 0), commit("a", [g], 0), spent(digest("x"), None, 0),
      spent(g.ids[0] + "=", None, 0), spent(g.ids[0].swapcase(), None, 0), spent(g, 0, 2500))
    f("A8.28/no-steps")
    far = 10**9
    late = proposal(expires=NOW + 2 * far)
    f("A8.28/totals-do-not-age", commit("a", [g], 0, late), settle("a"), commit("b", [g], 0, late, now=NOW + far),
      commit("c", [g], ASKED, late, now=NOW + far), spent(g, 0, 5000), commit("d", [g], ASKED, late, now=NOW))
    f("A8.28/the-ledger-knows-no-proposals", commit("a", [g], 0), settle("a"), commit("b", [g], 0), spent(g, 0, 5000))


def ends(book):
    """A8.24: released gives back, settled keeps."""
    f, fork = book.flow, book.fork
    g = spending(2500)
    fork("A8.24/execution-failed", [commit("a", [g], 0)], [release("a"), commit("b", [g], 0)],
         [settle("a"), commit("b", [g], ASKED)])
    fork("A8.24/auto-execution-failed", [auto("a", [g], 0)], [release("a"), auto("b", [g], 0)],
         [settle("a"), auto("b", [g], REVIEW)])
    chained = agreed(shared(2500), AGENT, [{"spend": limit(9000)}])
    fork("A8.24/every-block", [commit("a", [chained], 0)], [release("a"), commit("b", [chained], 0)],
         [settle("a"), commit("b", [chained], ASKED)])
    f("A8.24/gives-back-in-every-block", commit("a", [chained], 0), *spents(chained, 2500, 2500), release("a"),
      *spents(chained, 0, 0))
    f("A8.24/gives-back-its-own-amount", commit("a", [spending(9000)], 0, priced(1000)),
      commit("b", [spending(9000)], 0, priced(2000)), commit("c", [spending(9000)], 0, priced(4000)), release("b"),
      spent(spending(9000), 0, 5000), settle("a"), spent(spending(9000), 0, 5000), release("c"),
      spent(spending(9000), 0, 1000))
    f("A8.24/gives-back-after-the-grant-ended", commit("a", [root([{"spend": limit(2500)}, {"exp": EXP}])], 0),
      commit("b", [root([{"spend": limit(2500)}, {"exp": EXP}])], FORBID, proposal(expires=EXP + 60), now=EXP),
      release("a"), spent(root([{"spend": limit(2500)}, {"exp": EXP}]), 0, 0))
    f("A8.24/kept-until-it-ends", commit("a", [g], 0), commit("b", [g], ASKED, now=NOW + 599), spent(g, 0, 2500),
      release("a"), commit("c", [g], 0, now=NOW + 599))
    f("A8.24/again-and-again", commit("a", [g], 0), release("a"), commit("b", [g], 0), release("b"),
      commit("c", [g], 0), settle("c"), commit("d", [g], ASKED), release("d", False), spent(g, 0, 2500))
    f("A8.24/only-in-its-own-blocks", commit("a", [g], 0), commit("b", [chained], 0), release("a"), spent(g, 0, 0),
      *spents(chained, 2500, 2500))


def undone(book):
    """A8.25: UNDO changes no total."""
    f, fork = book.flow, book.fork
    g = spending(2500)
    undo = authorize("u", undoing(), 0, [g])
    fork("A8.25/undo", [commit("a", [g], 0)], [release("a"), undo, commit("b", [g], 0)],
         [settle("a"), undo, commit("b", [g], ASKED)])
    f("A8.25/total-unchanged", commit("a", [g], 0), settle("a"), spent(g, 0, 2500), undo, spent(g, 0, 2500))
    f("A8.25/while-it-is-held", commit("a", [g], 0), undo, spent(g, 0, 2500), settle("a"), spent(g, 0, 2500))
    f("A8.25/is-not-bound-by-the-limit", commit("a", [g], 0), settle("a"), undo, commit("b", [g], ASKED))
    f("A8.25/refused-undo", commit("a", [g], 0), settle("a"),
      authorize("u", undoing("cal.add"), FORBID, [root([{"can": ["shop.*"]}])]), spent(g, 0, 2500))


def replayed(book):
    """A8.26, A8.7: a replay reserves nothing, and no limit binds it."""
    f, fork = book.flow, book.fork
    g = spending(2500)
    fork("A8.26/reserves-nothing", [], [commit("a", [g], 0, replay=True), commit("b", [g], 0)],
         [commit("a", [g], 0), commit("b", [g], ASKED)])
    fork("A8.26/holds-nothing", [], [commit("a", [g], 0), settle("a")],
         [commit("a", [g], 0, replay=True), settle("a", False)])
    fork("A8.26/nothing-to-release", [commit("a", [g], 0), commit("r", [g], 0, replay=True)], [release("a")],
         [release("r", False)])
    fork("A8.7/limit-used-up", [commit("a", [g], 0), settle("a")], [commit("b", [g], 0, replay=True)],
         [commit("b", [g], ASKED)])
    fork("A8.7/limit-held", [commit("a", [g], 0)], [commit("b", [g], 0, replay=True)], [commit("b", [g], ASKED)])
    f("A8.26/total-unchanged", commit("a", [g], 0), settle("a"), commit("b", [g], 0, replay=True), spent(g, 0, 2500),
      commit("c", [g], 0, replay=True), spent(g, 0, 2500), release("b", False), settle("c", False), spent(g, 0, 2500))
    fresh = spending(9000, nonce="n2")
    f("A8.26/first-grant-though-used-up", commit("a", [g], 0), commit("b", [g, fresh], 1),
      commit("c", [g, fresh], 0, replay=True), spent(g, 0, 2500), spent(fresh, 0, 2500))
    f("A8.26/with-a-grant-that-never-had-room", commit("a", [spending(1)], 0, replay=True), spent(spending(1), 0, 0),
      settle("a", False))
    tiny = root([{"spend": limit(1)}, {"per": limit(1, "EUR")}, {"risk": "low"}])
    f("A8.7/no-limit-of-any-kind", commit("a", [tiny], ASKED, priced(LARGEST, risk="high")),
      commit("b", [tiny], 0, priced(LARGEST, risk="high"), replay=True), spent(tiny, 0, 0))
    f("A8.26/refused-replay", commit("a", [g], 0), settle("a"),
      commit("b", [root([{"spend": limit(2500)}, {"exp": NOW}])], FORBID, replay=True), release("b", False),
      spent(g, 0, 2500))
    f("A8.26/after-it-expired", commit("a", [g], 0), settle("a"), commit("b", [g], 0, replay=True, now=NOW + 600),
      commit("c", [g], EXPIRED, now=NOW + 600), spent(g, 0, 2500))
    f("A8.26/of-an-auto-commit", auto("a", [g], 0), settle("a"), commit("b", [g], 0, replay=True), settle("b", False),
      spent(g, 0, 2500))


def once(book):
    """A8.29: a reservation ends once."""
    f, fork = book.flow, book.fork
    g = spending(9000)
    two = [commit("a", [g], 0), commit("b", [g], 0)]
    fork("A8.29/settle-twice", [*two, settle("a")], [settle("b")], [settle("a", False)])
    fork("A8.29/release-twice", [*two, release("a")], [release("b")], [release("a", False)])
    fork("A8.29/release-after-settle", [*two, settle("a")], [release("b")], [release("a", False)])
    fork("A8.29/settle-after-release", [*two, release("a")], [settle("b")], [settle("a", False)])
    fork("A8.29/settle-unknown", two, [settle("a")], [settle("c", False)])
    fork("A8.29/release-unknown", two, [release("a")], [release("c", False)])
    fork("A8.29/auto-settle-twice", [auto("a", [g], 0), commit("b", [g], 0), settle("a")], [settle("b")],
         [settle("a", False)])
    for slug, name in (("empty", ""), ("longer", "a "), ("other-case", "A"), ("block", g.ids[0]), ("hash",
                       own_hash(PROPOSAL)), ("composed", "\u00e9")):
        f("A8.29/not-by-" + slug, commit("a", [g], 0), commit("e\u0301", [g], 0), settle(name, False),
          release(name, False), spent(g, 0, 5000), settle("a"), release("e\u0301"), spent(g, 0, 2500))
    f("A8.29/odd-names", *[commit(name, [g], 0, priced(1)) for name in ("", "\x00", "\u2028\"\\", "\U0001f600")],
      spent(g, 0, 4), release("\x00"), settle("\u2028\"\\"), release(""), settle("\U0001f600"), release("", False),
      spent(g, 0, 2))
    f("A8.29/release-twice-gives-back-once", *two, release("a"), release("a", False), spent(g, 0, 2500),
      release("a", False), spent(g, 0, 2500))
    f("A8.29/release-after-settle-gives-nothing-back", *two, settle("a"), release("a", False), spent(g, 0, 5000))
    f("A8.29/settle-after-release-takes-nothing-back", *two, release("a"), settle("a", False), spent(g, 0, 2500))
    f("A8.29/before-it-is-held", settle("a", False), release("a", False), *two, spent(g, 0, 5000), settle("a"),
      release("b"), spent(g, 0, 2500))
    f("A8.29/each-by-itself", *two, commit("c", [g], 0), release("b"), settle("c"), settle("a"), release("c", False),
      release("b", False), settle("a", False), spent(g, 0, 5000))
    f("A8.29/after-hours", commit("a", [g], 0), commit("b", [g], EXPIRED, now=NOW + 7200), settle("a"),
      release("b", False), spent(g, 0, 2500))
    f("A8.29/claims-are-something-else", commit("a", [g], 0), claim(of_commit(), "first"), finish(0, False),
      abandon(0, False), spent(g, 0, 2500), finish(1), spent(g, 0, 2500), release("a"), spent(g, 0, 0),
      claim(of_commit(), "done"))


def nothing(book):
    """A8.30: a reservation of nothing."""
    f, fork = book.flow, book.fork
    g, free = spending(2500), root()
    zero = priced(0)
    for slug, grant, plan in (("no-cost", g, FREE), ("no-limit", free, PROPOSAL), ("neither", free, FREE),
                              ("cost-of-0", g, zero)):
        held = [commit("a", [grant], 0, plan), commit("b", [grant], 0, plan)]
        fork("A8.30/%s-settled-once" % slug, [*held, settle("a")], [settle("b")], [settle("a", False)])
        fork("A8.30/%s-released-once" % slug, [*held, release("a")], [release("b")], [release("a", False)])
        f("A8.30/%s-counts-nothing" % slug, *held, spent(grant, 0, 0), settle("a"), spent(grant, 0, 0), release("b"),
          spent(grant, 0, 0))
    f("A8.30/no-cost-though-used-up", commit("a", [g], 0), settle("a"), commit("b", [g], 0, FREE), settle("b"),
      spent(g, 0, 2500), commit("c", [g], ASKED))
    f("A8.30/auto-without-a-cost", auto("a", [g], 0, FREE), settle("a"), auto("b", [g], 0), spent(g, 0, 2500))
    none = root([{"spend": limit(0)}, {"per": limit(0)}])
    f("A8.30/no-cost-under-a-limit-of-0", commit("a", [none], 0, FREE), spent(none, 0, 0), release("a"),
      release("a", False))


def refused(book):
    """A8.31: what is not allowed holds nothing."""
    f, fork = book.flow, book.fork
    g = spending(2500)
    held, full = commit("b", [g], 0), commit("b", [g], ASKED)
    fork("A8.31/expired", [], [commit("a", [g], EXPIRED, now=NOW + 600), held],
         [commit("a", [g], 0, now=NOW + 599), full])
    fork("A8.31/conflict", [], [commit("a", [g], CONFLICT, sent=digest("x")), held], [commit("a", [g], 0), full])
    fork("A8.31/holder", [], [commit("a", [g], FORBID, holder=SECOND), held], [commit("a", [g], 0), full])
    fork("A8.31/principal", [], [commit("a", [g], FORBID, principal=OTHER_PRINCIPAL), held],
         [commit("a", [g], 0, principal=PRINCIPAL), full])
    fork("A8.31/proof", [], [commit("a", [g], UNAUTH, given=None), held], [commit("a", [g], 0), full])
    top = shared(2500)
    leaf = agreed(top, AGENT)
    held, full = commit("b", [leaf], 0), commit("b", [leaf], ASKED)
    fork("A8.31/consent", [], [commit("a", [agreed(top, AGENT, [{"per": limit(2499)}])], ASKED), held],
         [commit("a", [agreed(top, AGENT, [{"per": limit(2500)}])], 0), full])
    fork("A8.31/hard", [], [commit("a", [agreed(top, AGENT, [{"exp": NOW}])], FORBID), held],
         [commit("a", [agreed(top, AGENT, [{"exp": NOW + 1}])], 0), full])
    fork("A8.31/bad-signature", [], [commit("a", [agreed(top, AGENT, by=STRANGER)], UNAUTH), held],
         [commit("a", [leaf], 0), full])
    for slug, step in (("expired", commit("a", [g], EXPIRED, now=NOW + 600)),
                       ("conflict", commit("a", [g], CONFLICT, sent=digest("x"))),
                       ("holder", commit("a", [g], FORBID, holder=None)),
                       ("no-proof", commit("a", [g], UNAUTH, given=None)), ("no-grants", commit("a", [], UNAUTH)),
                       ("seventeen-grants", commit("a", [g] * 17, UNAUTH)),
                       ("malformed", commit("a", [g], FORBID, text=write(proposal(risk="none")))),
                       ("over-the-limit", commit("a", [g], ASKED, priced(2501)))):
        f("A8.31/%s-has-nothing-to-end" % slug, step, spent(g, 0, 0), settle("a", False), release("a", False),
          spent(g, 0, 0), commit("b", [g], 0), spent(g, 0, 2500))


def other_verbs(book):
    """A8.32: no other request reserves."""
    f, fork = book.flow, book.fork
    g = spending(2500)
    intent_auto = {"verb": "INTENT", "capability": CAPABILITY, "auto": "f1"}
    for slug, step in (("ask", authorize("v", asking("ASK"), 0, [g])),
                       ("intent", authorize("v", asking("INTENT"), 0, [g])),
                       ("intent-with-auto", authorize("v", intent_auto, 0, [g])),
                       ("undo", authorize("v", undoing(), 0, [g])),
                       ("expand", authorize("v", expanding(), ANYONE, [g])),
                       ("expand-owned", authorize("v", expanding(AGENT), {"decision": "allowed", "holder": AGENT.text},
                                                  [g]))):
        fork("A8.32/%s-holds-nothing" % slug, [step, commit("a", [g], 0)], [settle("a")], [settle("v", False)])
        f("A8.32/%s-changes-no-total" % slug, step, spent(g, 0, 0), commit("a", [g], 0), release("v", False),
          spent(g, 0, 2500))


def auto_questions(book):
    """A8.33: the auto question reserves when it is allowed, and only then."""
    f, fork = book.flow, book.fork
    g = spending(2500)
    window = proposal(undo={"window": 1}), proposal(undo={"window": 0})
    fork("A8.33/holds-when-allowed", [], [auto("a", [g], 0, window[0]), settle("a")],
         [auto("a", [g], REVIEW, window[1]), settle("a", False)])
    fork("A8.33/review-holds-nothing", [], [auto("a", [g], REVIEW, window[1]), commit("b", [g], 0)],
         [auto("a", [g], 0, window[0]), commit("b", [g], ASKED)])
    fork("A8.33/over-the-limit-holds-nothing", [], [auto("a", [g], REVIEW, priced(2501)), commit("b", [g], 0)],
         [auto("a", [g], 0, priced(2500)), commit("b", [g], ASKED)])
    fork("A8.33/is-bound-by-what-a-commit-holds", [], [commit("a", [g], EXPIRED, now=NOW + 600), auto("b", [g], 0)],
         [commit("a", [g], 0, now=NOW + 599), auto("b", [g], REVIEW)])
    fork("A8.33/released", [auto("a", [g], 0)], [release("a")], [release("b", False)])
    chained = agreed(shared(5000), AGENT, [{"spend": limit(4000)}])
    f("A8.33/every-block", auto("a", [chained], 0), *spents(chained, 2500, 2500), auto("b", [chained], REVIEW),
      *spents(chained, 2500, 2500), auto("c", [chained], 0, priced(1500)), *spents(chained, 4000, 4000), release("a"),
      settle("b", False), settle("c"), *spents(chained, 1500, 1500))
    second = spending(2500, nonce="n2")
    f("A8.33/next-grant", auto("a", [g, second], 0), auto("b", [g, second], 1), auto("c", [g, second], REVIEW),
      spent(g, 0, 2500), spent(second, 0, 2500), release("a"), auto("d", [g, second], 0))
    f("A8.33/of-the-principal-alone", auto("a", [g], 0, principal=PRINCIPAL),
      auto("b", [g, root(iss=OTHER_PRINCIPAL)], REVIEW, principal=PRINCIPAL),
      auto("c", [g, root(iss=OTHER_PRINCIPAL)], 1), spent(g, 0, 2500), trusted=BOTH)
    f("A8.33/forbidden-and-unauthorized", auto("a", [g], FORBID, proposal(risk="none")),
      auto("b", [g], UNAUTH, given=write(proof("INTENT", CAPABILITY))), auto("c", [], REVIEW),
      auto("d", [g], REVIEW, now=NOW + 600), settle("a", False), settle("b", False), settle("c", False),
      settle("d", False), spent(g, 0, 0))
    f("A8.33/reviewed-and-then-committed", auto("a", [g], REVIEW, window[1]), commit("b", [g], 0, window[1]),
      settle("b"), settle("a", False), spent(g, 0, 2500))
    f("A8.33/frames-are-not-compared", auto("a", [spending(9000)], 0), auto("b", [spending(9000)], 0),
      spent(spending(9000), 0, 5000))


def next_grant(book):
    """A8.34: when one grant has no room the next is tried."""
    f, fork = book.flow, book.fork
    one, two, three = (spending(2500, nonce=n) for n in ("n1", "n2", "n3"))
    all_three = [one, two, three]
    f("A8.34/one-by-one", commit("a", all_three, 0), commit("b", all_three, 1), commit("c", all_three, 2),
      commit("d", all_three, ASKED), spent(one, 0, 2500), spent(two, 0, 2500), spent(three, 0, 2500))
    f("A8.34/back-to-the-first", commit("a", all_three, 0), commit("b", all_three, 1), release("a"),
      commit("c", all_three, 0), commit("d", all_three, 2))
    f("A8.34/by-what-fits", commit("a", all_three, 0, priced(2000)), commit("b", all_three, 0, priced(500)),
      commit("c", all_three, 1, priced(2400)), commit("d", all_three, 1, priced(100)),
      commit("e", all_three, 2, priced(1)), spent(one, 0, 2500), spent(two, 0, 2500), spent(three, 0, 1))
    f("A8.34/never-added-up", commit("a", all_three, 0, priced(1000)), commit("b", all_three, 1, priced(2000)),
      commit("c", all_three, 2, priced(2500)), commit("d", all_three, ASKED, priced(1600)), spent(one, 0, 1000),
      spent(two, 0, 2000), spent(three, 0, 2500))
    fork("A8.34/room-in-the-second", [commit("a", [one], 0)], [commit("b", [one, two], 1)],
         [commit("b", [one, one], ASKED)])
    fork("A8.34/a-shared-root-is-no-room", [commit("a", [agreed(shared(2500), AGENT)], 0)],
         [commit("b", [agreed(shared(2500), AGENT), agreed(shared(2500, nonce="n2"), AGENT)], 1)],
         [commit("b", [agreed(shared(2500), AGENT), agreed(shared(2500), AGENT, iat=NOW)], ASKED)])
    other = root([{"spend": limit(2500)}], iss=OTHER_PRINCIPAL)
    fork("A8.5/room-under-another-principal", [commit("a", [one], 0)], [commit("b", [one, other], 1, principal=None)],
         [commit("b", [one, other], ASKED, principal=PRINCIPAL)], trusted=BOTH)
    f("A6.10/first-without-room-is-asked", commit("a", [one], 0), commit("b", [other], 0),
      commit("c", [one, other], ASKED), commit("d", [other, one], asked_of_the_other()), trusted=BOTH)
    f("A6.10/not-one-that-may-not", commit("a", [one], 0), commit("b", [other], 0),
      commit("c", [other, one], ASKED, principal=PRINCIPAL), trusted=BOTH)
    per = root([{"per": limit(1)}], iss=OTHER_PRINCIPAL)
    f("A6.10/without-room-or-too-much-alike", commit("a", [one], 0), commit("b", [one, per], ASKED),
      commit("c", [per, one], asked_of_the_other()), trusted=BOTH)
    f("A8.34/past-the-bad-and-the-forbidden", commit("a", [one], 0),
      commit("b", ["pg1.", root(signer=STRANGER), root([{"exp": 0}]), one, two], 4), spent(two, 0, 2500))
    f("A8.34/sixteen-grants", *[commit("a%d" % i, sixteen_roots(), i) for i in range(16)],
      commit("b", sixteen_roots(), ASKED), release("a7"), commit("c", sixteen_roots(), 7))
    hard = root([{"spend": limit(2500)}, {"exp": NOW + 1}])
    f("A6.6/no-room-and-too-late", commit("a", [hard], 0), commit("b", [hard], FORBID, now=NOW + 1),
      commit("c", [hard], ASKED), spent(hard, 0, 2500))
    fork("A8.34/asked-when-none-is-left", [commit("a", [one, two], 0)], [commit("b", [one, two], 1)],
         [commit("b", [one, root([{"spend": limit(2499)}])], ASKED)])
    f("A8.34/limits-of-both-kinds", commit("a", [root([{"spend": limit(5000)}, {"per": limit(2500)}])], 0),
      commit("b", [root([{"spend": limit(5000)}, {"per": limit(2500)}])], ASKED, priced(2501)),
      commit("c", [root([{"spend": limit(5000)}, {"per": limit(2500)}])], 0),
      commit("d", [root([{"spend": limit(5000)}, {"per": limit(2500)}])], ASKED, priced(1)))


def asked_of_the_other():
    return {"decision": "consent_required", "consent": {
        "proposal": "p-1", "hash": own_hash(PROPOSAL), "service": "shop.example", "capability": "shop.order",
        "principal": OTHER_PRINCIPAL.text, "summary": "Two bags of coffee", "expires": NOW + 600}}


def sixteen_roots():
    return [spending(2500, nonce=str(i)) for i in range(16)]


def blocks(book):
    """A8.35: a total for each block; chains that share a block share its total."""
    f, fork = book.flow, book.fork
    top = shared(5000)
    mine, hers = agreed(top, AGENT, [{"spend": limit(3000)}]), agreed(top, THIRD, [{"spend": limit(3000)}])
    f("A8.35/siblings", commit("a", [mine], 0), commit("b", [hers], 0, by=THIRD), *spents(mine, 5000, 2500),
      *spents(hers, 5000, 2500), commit("c", [mine], ASKED, priced(1)), commit("d", [hers], ASKED, priced(1), by=THIRD),
      release("b"), *spents(mine, 2500, 2500), *spents(hers, 2500, 0), commit("e", [mine], ASKED, priced(501)),
      commit("f", [mine], 0, priced(500)), commit("g", [hers], ASKED, priced(2001), by=THIRD),
      commit("h", [hers], 0, priced(2000), by=THIRD), *spents(mine, 5000, 3000), *spents(hers, 5000, 2000))
    fork("A8.35/sibling-has-its-own", [commit("a", [mine], 0)], [commit("b", [agreed(top, AGENT, [{"spend": limit(
        3000)}], iat=NOW)], 0)], [commit("b", [mine], ASKED)])
    loose = shared(2500)
    fork("A8.35/root-is-shared", [commit("a", [agreed(loose, THIRD)], 0, by=THIRD)],
         [commit("b", [agreed(shared(2500, nonce="n2"), AGENT)], 0)], [commit("b", [agreed(loose, AGENT)], ASKED)])
    f("A8.35/by-the-root-holder-itself", commit("a", [top], 0, by=SECOND), *spents(mine, 2500, 0),
      commit("b", [mine], 0), commit("c", [top], ASKED, priced(1), by=SECOND), *spents(mine, 5000, 2500))
    # Narrower and narrower: SECOND hands on to THIRD, THIRD to the agent; each level binds all below it.
    third = agreed(shared(9000), THIRD, [{"spend": limit(6000)}])
    deep = [extend(third, THIRD, AGENT, [{"spend": limit(4000)}], iat=i) for i in (1, 2)]
    f("A8.35/three-levels", commit("a", [deep[0]], 0), *spents(deep[0], 2500, 2500, 2500),
      *spents(deep[1], 2500, 2500, 0),
      commit("b", [deep[1]], 0), *spents(deep[1], 5000, 5000, 2500), commit("c", deep, ASKED, priced(1001)),
      commit("d", deep, 0, priced(1000)), commit("e", [third], ASKED, priced(1), by=THIRD),
      commit("f", [agreed(shared(9000), THIRD)], 0, priced(3000), by=THIRD), *spents(deep[0], 9000, 6000, 3500),
      commit("g", [shared(9000)], ASKED, priced(1), by=SECOND))
    fork("A8.35/middle-is-shared", [commit("a", [deep[0]], 0, priced(3501))],
         [commit("b", [extend(agreed(shared(9000), THIRD, [{"spend": limit(6000)}], iat=3), THIRD, AGENT)], 0)],
         [commit("b", [deep[1]], ASKED)])
    # A block made anew starts at 0, whatever its caveats say; what stands above it goes on.
    again = agreed(top, AGENT, [{"spend": limit(3000)}], iat=NOW)
    f("A8.35/handed-on-anew", commit("a", [mine], 0), commit("b", [mine], ASKED, priced(501)),
      commit("c", [again], 0, priced(501)), *spents(again, 3001, 501), commit("d", [again], ASKED, priced(2000)),
      commit("e", [again], 0, priced(1999)), *spents(again, 5000, 2500), *spents(mine, 5000, 2500))
    # The agent hands its own grant to itself, again and again: the block that was there before still counts.
    self_made = [extend(mine, AGENT, AGENT, [{"spend": limit(3000)}], iat=i) for i in (1, 2)]
    f("A8.35/handed-to-oneself", commit("a", [self_made[0]], 0), *spents(self_made[0], 2500, 2500, 2500),
      commit("b", [self_made[1]], ASKED, priced(501)), commit("c", [self_made[1]], 0, priced(500)),
      *spents(self_made[1], 3000, 3000, 500))
    fork("A8.35/no-way-out-by-handing-on", [commit("a", [mine], 0)],
         [commit("b", [extend(again, AGENT, AGENT, [{"spend": limit(9000)}])], 0)],
         [commit("b", [extend(mine, AGENT, AGENT, [{"spend": limit(9000)}])], ASKED)])
    fork("A8.35/a-wider-block-widens-nothing", [commit("a", [mine], 0, priced(500))],
         [auto("b", [extend(mine, AGENT, AGENT, [{"spend": limit(9000)}])], 0, priced(2500))],
         [auto("b", [extend(mine, AGENT, AGENT, [{"spend": limit(9000)}])], REVIEW, priced(2501))])
    # The same payload signed once more, with another commitment: a good signature, and so another block.
    resigned = agreed(top, AGENT, [{"spend": limit(3000)}], by=OddKey(SECOND.raw, SECOND.scalar))
    assert resigned.blocks[1][0] == mine.blocks[1][0] and resigned.ids[1] != mine.ids[1]
    f("A8.35/signed-anew", commit("a", [mine], 0), commit("b", [mine], ASKED), commit("c", [resigned], 0),
      *spents(mine, 5000, 2500), *spents(resigned, 5000, 2500), commit("d", [resigned], ASKED, priced(1)))
    # The same signature spelled in another way is none: no fresh total is to be had by spelling.
    sig = unb64url(mine.blocks[1][1])
    shifted = b64url(sig[:32] + (int.from_bytes(sig[32:], "little") + ed25519.L).to_bytes(32, "little"))
    fork("B2.5/no-fresh-total", [commit("a", [mine], 0)], [commit("b", [resigned], 0)],
         [commit("b", [mine.with_block(1, sig=shifted)], UNAUTH)])
    f("B1.1/no-fresh-total-by-spelling", commit("a", [mine], 0), commit("b", [mine.text + "="], UNAUTH),
      commit("c", [mine.text + "\n"], UNAUTH), *spents(mine, 2500, 2500))


def roots(book):
    """A8.36: grants of their own roots are independent."""
    f, fork = book.flow, book.fork
    one = spending(2500)
    fork("A8.36/another-nonce", [commit("a", [one], 0)], [commit("b", [spending(2500, nonce="n2")], 0)],
         [commit("b", [one], ASKED)])
    fork("A8.36/another-time", [commit("a", [one], 0)], [commit("b", [spending(2500, iat=NOW)], 0)],
         [commit("b", [one], ASKED)])
    resigned = spending(2500, signer=OddKey(PRINCIPAL.raw, PRINCIPAL.scalar))
    fork("A8.36/signed-anew", [commit("a", [one], 0)], [commit("b", [resigned], 0)], [commit("b", [one], ASKED)])
    other = spending(2500, iss=OTHER_PRINCIPAL)
    f("A8.36/two-principals", commit("a", [one], 0), spent(one, 0, 2500), spent(other, 0, 0), commit("b", [other], 0),
      settle("a"), release("b"), spent(one, 0, 2500), spent(other, 0, 0), trusted=BOTH)
    to_third = spending(2500, sub=THIRD)
    f("A8.36/two-agents", commit("a", [one], 0), commit("b", [to_third], 0, by=THIRD), commit("c", [one], ASKED),
      commit("d", [to_third], ASKED, by=THIRD))
    f("A8.36/one-proposal-under-two-roots", commit("a", [one], 0), commit("b", [spending(9000, nonce="n2")], 0),
      release("a"), spent(one, 0, 0), spent(spending(9000, nonce="n2"), 0, 2500))


def currencies(book):
    """A4.17, A4.18 with totals: another currency is never converted, counted or mixed in."""
    f, fork = book.flow, book.fork
    usd, eur = spending(2500), spending(2500, "EUR", nonce="n2")
    euros = priced(2500, "EUR")
    f("A4.18/totals-are-not-touched", commit("a", [usd], ASKED, euros), spent(usd, 0, 0),
      commit("b", [usd], ASKED, priced(0, "EUR")), settle("a", False), settle("b", False), spent(usd, 0, 0))
    f("A4.18/each-by-its-own-grant", commit("a", [usd, eur], 0), commit("b", [usd, eur], 1, euros),
      spent(usd, 0, 2500), spent(eur, 0, 2500), commit("c", [usd, eur], ASKED, euros),
      commit("d", [usd, eur], ASKED), release("b"), commit("e", [usd, eur], ASKED), commit("f", [usd, eur], 1, euros))
    f("A4.18/auto-question", auto("a", [usd], REVIEW, euros), auto("b", [usd], REVIEW, priced(0, "EUR")),
      settle("a", False), settle("b", False), spent(usd, 0, 0), auto("c", [usd, eur], 1, euros), spent(eur, 0, 2500))
    fork("A4.18/of-the-last-grant", [commit("a", [usd], 0)], [commit("b", [usd, eur], 1, euros)],
         [commit("b", [usd, spending(9000, nonce="n2")], ASKED, euros)])
    mixed = agreed(shared(9000), AGENT, [{"spend": limit(9000, "EUR")}])
    f("A4.18/two-currencies-in-a-chain", commit("a", [mixed], ASKED), commit("b", [mixed], ASKED, euros),
      commit("c", [mixed], 0, FREE), settle("c"), *spents(mixed, 0, 0))
    f("A4.17/totals-of-exact-texts", commit("a", [spending(9000, "usd")], ASKED),
      commit("b", [spending(9000, "usd")], 0, priced(1, "usd")), spent(spending(9000, "usd"), 0, 1))


def twice_in_a_block(book):
    """B6: two limits in a block."""
    f, fork = book.flow, book.fork
    same = root([{"spend": limit(5000)}] * 2)
    fork("B6.2/totals", [], [auto("a", [same], 0, priced(2500)), commit("b", [same], 0)],
         [auto("a", [same], 0, priced(2501)), commit("b", [same], ASKED)])
    f("B6.2/counted-once", commit("a", [same], 0), spent(same, 0, 2500), commit("b", [same], 0), spent(same, 0, 5000),
      release("a"), spent(same, 0, 2500), settle("b"), spent(same, 0, 2500))
    lots = agreed(root([{"spend": limit(9000)}] * 64, sub=SECOND), AGENT, [{"spend": limit(5000)}] * 64)
    f("B6.2/counted-once-of-sixty-four", commit("a", [lots], 0), *spents(lots, 2500, 2500), commit("b", [lots], 0),
      *spents(lots, 5000, 5000), commit("c", [lots], ASKED, priced(1)), release("a"), *spents(lots, 2500, 2500))
    for slug, maxima in (("first", (4000, 9000)), ("last", (9000, 4000))):
        token = root([{"spend": limit(maximum)} for maximum in maxima])
        fork("B6.1/lower-%s-binds" % slug, [commit("a", [token], 0)], [auto("b", [token], 0, priced(1500))],
             [auto("b", [token], REVIEW, priced(1501))])
    never = root([{"spend": limit(9000)}, {"spend": limit(9000, "EUR")}])
    f("B6.1/of-two-currencies", commit("a", [never], ASKED), commit("b", [never], ASKED, priced(1, "EUR")),
      commit("c", [never], 0, FREE), spent(never, 0, 0), settle("c"))


def largest(book):
    """B4.3: totals at 2^53 - 1."""
    f, fork = book.flow, book.fork
    g = spending(LARGEST)
    fork("B4.3/total", [], [auto("a", [g], 0, priced(LARGEST - 2500)), commit("b", [g], 0)],
         [auto("a", [g], 0, priced(LARGEST - 2499)), commit("b", [g], ASKED)])
    fork("B4.3/one-more", [commit("a", [g], 0, priced(LARGEST - 1)), settle("a")],
         [auto("b", [g], 0, priced(1))], [auto("b", [g], REVIEW, priced(2))])
    f("B4.3/largest-twice", commit("a", [g], 0, priced(LARGEST)), spent(g, 0, LARGEST),
      commit("b", [g], ASKED, priced(LARGEST)), spent(g, 0, LARGEST), commit("c", [g], ASKED, priced(1)),
      commit("d", [g], 0, priced(0)), commit("e", [g], 0, FREE), release("a"), spent(g, 0, 0),
      commit("f", [g], 0, priced(LARGEST)), settle("f"), spent(g, 0, LARGEST))
    twice = root([{"spend": limit(LARGEST)}] * 2)
    f("B4.3/largest-with-two-limits", commit("a", [twice], 0, priced(LARGEST)), spent(twice, 0, LARGEST),
      commit("b", [twice], ASKED, priced(LARGEST)), spent(twice, 0, LARGEST))
    chained = agreed(shared(LARGEST), AGENT, [{"spend": limit(LARGEST)}])
    sibling = agreed(shared(LARGEST), AGENT, [{"spend": limit(LARGEST)}], iat=NOW)
    f("B4.3/largest-in-two-blocks", commit("a", [chained], 0, priced(LARGEST)), *spents(chained, LARGEST, LARGEST),
      commit("b", [chained, sibling], ASKED, priced(LARGEST)), *spents(sibling, LARGEST, 0), release("a"),
      *spents(chained, 0, 0))
    apart = spending(LARGEST, nonce="n2")
    f("B4.3/largest-under-two-roots", commit("a", [g, apart], 0, priced(LARGEST)),
      commit("b", [g, apart], 1, priced(LARGEST)), spent(g, 0, LARGEST), spent(apart, 0, LARGEST),
      commit("c", [g, apart], ASKED, priced(LARGEST)))
    f("B4.3/largest-without-a-limit", commit("a", [root()], 0, priced(LARGEST)),
      commit("b", [root()], 0, priced(LARGEST)),
      settle("a"), settle("b"), spent(root(), 0, 0))


def consented(book):
    """A9.8: a yes for one proposal goes past limits that are used up, and is charged to no block."""
    f, fork = book.flow, book.fork
    g, yes = spending(2500), consent_grant(PROPOSAL)
    fork("A9.8/past-the-limit", [commit("a", [g], 0), settle("a")], [commit("b", [g, yes], 1)],
         [commit("b", [g, consent_grant(proposal(id="p-2"))], ASKED)])
    f("A9.8/charged-to-no-block", commit("a", [g], 0), settle("a"), commit("b", [g], ASKED), commit("c", [g, yes], 1),
      spent(g, 0, 2500), spent(yes, 0, 0), settle("c"), settle("c", False), spent(g, 0, 2500), spent(yes, 0, 0))
    f("A9.8/presented-first", commit("a", [yes, g], 0), spent(yes, 0, 0), spent(g, 0, 0), settle("a"),
      commit("b", [g], 0), spent(g, 0, 2500))
    f("A9.8/not-used-while-there-is-room", commit("a", [g, yes], 0), spent(g, 0, 2500), release("a"), spent(g, 0, 0))
    f("A9.8/released", commit("a", [g], 0), commit("b", [g, yes], 1), release("b"), release("b", False),
      spent(g, 0, 2500), commit("c", [g], ASKED))
    costly = priced(LARGEST, id="p-9", risk="high", undo=None)
    f("A9.8/larger-than-the-limit-ever-was", commit("a", [g], ASKED, costly),
      commit("b", [g, consent_grant(costly)], 1, costly), settle("b"), spent(g, 0, 0), commit("c", [g], 0))
    f("A9.8/until-it-expires", commit("a", [g], 0), settle("a"), commit("b", [g, yes], 1, now=NOW + 599),
      commit("c", [g, yes], EXPIRED, now=NOW + 600), commit("d", [g, yes], 0, replay=True, now=NOW + 600),
      commit("e", [yes], FORBID, replay=True, now=NOW + 600), spent(g, 0, 2500))
    f("A9.8/auto-is-not-asked", commit("a", [g], 0), auto("b", [g], REVIEW), auto("c", [g, yes], 1), settle("c"),
      spent(g, 0, 2500))
