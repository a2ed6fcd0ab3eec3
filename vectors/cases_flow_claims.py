"""What a store of claims remembers: who was first, until when, and what became of it (A8, A9)."""

from canonical import digest
from cases_authorize import asking
from cases_flow import (PROPOSAL, abandon, authorize, claim, commit, finish, of_auto, of_commit, of_consent, release,
                        settle, spent)
from tokens import AGENT, NOW, PRINCIPAL, SECOND, limit, own_hash, root

I64_MAX, I64_MIN = 2**63 - 1, -2**63
PLAIN = own_hash(PROPOSAL)
OTHER = digest("x")
FIRST, BUSY, DONE = "first", "in_progress", "done"
KINDS = (("auto", of_auto, NOW + 900), ("consent", of_consent, NOW + 600), ("commit", of_commit, NOW + 600))


def cases(book):
    book.topic("flow")
    places(book)
    tickets(book)
    abandoned(book)
    ended(book)
    auto(book)
    until(book)
    kinds(book)
    clocks(book)


def others(of):
    """Claims that differ from `of()` in one text."""
    if of is of_auto:
        return [("key", of(key=SECOND)), ("frame", of(frame="f2"))]
    if of is of_consent:
        return [("key", of(key=SECOND)), ("hash", of(digest=OTHER))]
    return [("hash", of(digest=OTHER))]


def places(book):
    """A8.37: one is first; the others learn how far it is."""
    f, fork = book.flow, book.fork
    for kind, of, _ in KINDS:
        for slug, other in others(of):
            fork("A8.37/%s-another-%s" % (kind, slug), [claim(of(), FIRST)], [claim(other, FIRST)],
                 [claim(of(), BUSY)])
            fork("A8.37/%s-done-another-%s" % (kind, slug), [claim(of(), FIRST), finish(0)], [claim(other, FIRST)],
                 [claim(of(), DONE)])
        f("A8.37/%s-over-and-over" % kind, claim(of(), FIRST), claim(of(), BUSY), claim(of(), BUSY), finish(0),
          claim(of(), DONE), claim(of(), DONE))
        f("A8.37/%s-others-in-between" % kind, claim(of(), FIRST), *[claim(other, FIRST) for _, other in others(of)],
          claim(of(), BUSY), finish(0), *[claim(other, BUSY) for _, other in others(of)], claim(of(), DONE), finish(1),
          claim(others(of)[0][1], DONE))
    frames = ["", " ", "f1", "F1", "f1 ", " f1", "f1\x00", "f", "1", "f:1", "f1\n", "\u00e9", "e\u0301", "\U0001f600",
              "\uff46\uff11", "f\"1", "f\\1"]
    f("A8.37/frames-are-exact-texts", *[claim(of_auto(frame=frame), FIRST) for frame in frames],
      *[claim(of_auto(frame=frame), BUSY) for frame in frames])
    hashes = ["", PLAIN, PLAIN + "=", PLAIN[:-1], PLAIN.swapcase(), " " + PLAIN, "x", "X"]
    for kind, of in (("consent", of_consent), ("commit", of_commit)):
        f("A8.37/%s-hashes-are-exact-texts" % kind, *[claim(of(digest=text), FIRST) for text in hashes],
          *[claim(of(digest=text), BUSY) for text in hashes])
    many = 150
    f("A8.37/many", *[claim(of_auto(frame=str(i)), FIRST) for i in range(many)],
      *[finish(i) for i in range(0, many, 2)],
      *[claim(of_auto(frame=str(i)), BUSY if i % 2 else DONE) for i in range(many)])


def tickets(book):
    """A8.38: finish and abandon are for the claim that was first, and once."""
    f, fork = book.flow, book.fork
    for kind, of, end in KINDS:
        two = [claim(of(), FIRST), claim(others(of)[0][1], FIRST)]
        for slug, do in (("finish", finish), ("abandon", abandon)):
            fork("A8.38/%s-%s-twice" % (kind, slug), [*two, do(0)], [do(1)], [do(0, False)])
            fork("A8.38/%s-%s-not-first" % (kind, slug), [claim(of(), FIRST), claim(of(), BUSY)], [do(0)],
                 [do(1, False)])
        fork("A8.38/%s-abandon-after-finish" % kind, [*two, finish(0)], [abandon(1)], [abandon(0, False)])
        fork("A8.38/%s-finish-after-abandon" % kind, [*two, abandon(0)], [finish(1)], [finish(0, False)])
        fork("A8.38/%s-answered-done" % kind, [*two, finish(0), claim(of(), DONE)], [finish(1)], [finish(3, False)])
        f("A8.38/%s-done-stays-done" % kind, claim(of(), FIRST), finish(0), abandon(0, False), claim(of(), DONE),
          abandon(3, False), finish(3, False), claim(of(), DONE, end - 1))
        f("A8.38/%s-the-second-cannot-end-it" % kind, claim(of(), FIRST), claim(of(), BUSY), finish(1, False),
          claim(of(), BUSY), abandon(1, False), claim(of(), BUSY), abandon(3, False), finish(0), claim(of(), DONE))
    c = claim(of_commit(), FIRST)
    g = root([{"spend": limit(9000)}])
    for slug, do in (("finish", finish), ("abandon", abandon)):
        fork("A8.38/%s-out-of-range" % slug, [c], [do(0)], [do(2, False)])
        fork("A8.38/%s-itself" % slug, [c], [do(0)], [do(1, False)])
        fork("A8.38/%s-far-out-of-range" % slug, [c], [do(0)], [do(2**53 - 1, False)])
        fork("A8.38/%s-of-a-commit" % slug, [commit("a", [g], 0), c], [do(1)], [do(0, False)])
        fork("A8.38/%s-of-an-ask" % slug, [c, authorize("a", asking(), 0, [g])], [do(0)], [do(1, False)])
        fork("A8.38/%s-of-a-settle" % slug, [commit("a", [g], 0), settle("a"), c], [do(2)], [do(1, False)])
        fork("A8.38/%s-of-a-release" % slug, [commit("a", [g], 0), release("a"), c], [do(2)], [do(1, False)])
        fork("A8.38/%s-of-a-total" % slug, [c, spent(g, 0, 0)], [do(0)], [do(1, False)])
        other = claim(of_commit(OTHER), FIRST)
        fork("A8.38/%s-of-a-finish" % slug, [c, finish(0), other], [do(2)], [do(1, False)])
        fork("A8.38/%s-of-an-abandon" % slug, [c, abandon(0), other], [do(2)], [do(1, False)])
        f("A8.38/%s-of-a-later-step" % slug, do(1, False), c, claim(of_commit(), BUSY), do(4, False), other,
          claim(of_commit(OTHER), BUSY), do(1), do(4))
        f("A8.38/%s-before-anything" % slug, do(0, False), do(0, False), do(7, False))
    f("A8.38/each-by-itself", c, claim(of_commit(OTHER), FIRST), claim(of_consent(), FIRST), abandon(1), finish(2),
      claim(of_commit(), BUSY), claim(of_commit(OTHER), FIRST), claim(of_consent(), DONE), finish(1, False), finish(6),
      finish(0))


def abandoned(book):
    """A8.39: as if it had never been claimed."""
    f, fork = book.flow, book.fork
    for kind, of, end in KINDS:
        one = claim(of(), FIRST)
        fork("A8.39/%s-again" % kind, [one], [abandon(0), one], [finish(0), claim(of(), DONE)])
        for slug, do in (("finish", finish), ("abandon", abandon)):
            fork("A8.39/%s-%s-by-the-old-one" % (kind, slug), [one, abandon(0), one], [do(2)], [do(0, False)])
        f("A8.39/%s-old-one-changes-nothing" % kind, one, abandon(0), one, finish(0, False), claim(of(), BUSY),
          abandon(0, False), claim(of(), BUSY), finish(2), claim(of(), DONE), abandon(0, False), claim(of(), DONE))
        f("A8.39/%s-again-and-again" % kind, one, abandon(0), one, abandon(0, False), abandon(2), one, finish(2, False),
          finish(0, False), claim(of(), BUSY), finish(5), claim(of(), DONE))
    f("A8.39/a-new-end", claim(of_commit(until=NOW + 10), FIRST), abandon(0), claim(of_commit(until=NOW + 20), FIRST),
      claim(of_commit(until=NOW + 10), BUSY, NOW + 15), claim(of_commit(), FIRST, NOW + 20))
    f("A8.39/an-earlier-end", claim(of_commit(until=NOW + 20), FIRST), abandon(0), claim(of_commit(until=NOW + 10),
      FIRST), claim(of_commit(), FIRST, NOW + 10))
    fork("A8.39/auto-a-new-end", [claim(of_auto(ts=NOW + 300), FIRST), abandon(0), claim(of_auto(), FIRST, NOW + 100)],
         [claim(of_auto(), FIRST, NOW + 1000)], [claim(of_auto(), BUSY, NOW + 999)])
    f("A8.39/only-its-own", claim(of_commit(), FIRST), claim(of_commit(OTHER), FIRST), claim(of_auto(), FIRST),
      claim(of_consent(), FIRST), abandon(0), claim(of_commit(OTHER), BUSY), claim(of_auto(), BUSY),
      claim(of_consent(), BUSY), claim(of_commit(), FIRST))


def ended(book):
    """A8.40: at its end a claim is over, whatever became of it, and the place is free."""
    f, fork = book.flow, book.fork
    for kind, of, end in KINDS:
        one, late = claim(of(), FIRST), {"auto": of_auto(ts=end), "consent": of_consent(exp=end + 600),
                                         "commit": of_commit(until=end + 600)}[kind]
        fork("A8.40/%s-in-progress" % kind, [one], [claim(of(), FIRST, end)], [claim(of(), BUSY, end - 1)])
        fork("A8.40/%s-done" % kind, [one, finish(0)], [claim(of(), FIRST, end)], [claim(of(), DONE, end - 1)])
        f("A8.40/%s-long-after" % kind, one, finish(0), claim(of(), FIRST, end + 10**9))
        for slug, do in (("finish", finish), ("abandon", abandon)):
            fork("A8.40/%s-%s-after-another-took-it" % (kind, slug), [one, claim(late, FIRST, end)], [do(1)],
                 [do(0, False)])
        f("A8.40/%s-the-old-one-changes-nothing" % kind, one, claim(late, FIRST, end), finish(0, False),
          claim(late, BUSY, end), abandon(0, False), claim(late, BUSY, end), finish(1), claim(late, DONE, end),
          finish(0, False), abandon(0, False), claim(late, DONE, end))
        f("A8.40/%s-old-and-done" % kind, one, finish(0), claim(late, FIRST, end), finish(0, False), abandon(0, False),
          claim(late, BUSY, end), abandon(2), claim(late, FIRST, end))
        f("A8.40/%s-an-earlier-clock" % kind, one, claim(of(), BUSY, NOW - 10**6), claim(of(), BUSY, NOW), finish(0),
          claim(of(), DONE, NOW - 10**6))
    f("A8.40/taken-three-times", claim(of_commit(until=NOW + 10), FIRST),
      claim(of_commit(until=NOW + 20), FIRST, NOW + 10), claim(of_commit(until=NOW + 30), FIRST, NOW + 20),
      finish(0, False), finish(1, False), claim(of_commit(until=0), BUSY, NOW + 29), finish(2),
      claim(of_commit(until=0), DONE, NOW + 29), claim(of_commit(), FIRST, NOW + 30))


def auto(book):
    """A8.27: 900 seconds from the later of now and ts."""
    f, fork = book.flow, book.fork
    for slug, ts, end in (("now", NOW, 900), ("ts-before", NOW - 300, 900), ("ts-after", NOW + 300, 1200),
                          ("ts-one-after", NOW + 1, 901), ("ts-one-before", NOW - 1, 900), ("ts-0", 0, 900),
                          ("ts-negative", -5, 900), ("ts-far-ahead", NOW + 10**9, 10**9 + 900)):
        one = claim(of_auto(ts=ts), FIRST)
        fork("A8.27/" + slug, [one], [claim(of_auto(), FIRST, NOW + end)], [claim(of_auto(), BUSY, NOW + end - 1)])
    later = NOW + 1200
    fork("A8.27/by-its-ts", [], [claim(of_auto(ts=NOW + 300), FIRST), claim(of_auto(ts=later), FIRST, later)],
         [claim(of_auto(ts=NOW + 301), FIRST), claim(of_auto(ts=later), BUSY, later)])
    fork("A8.27/by-its-arrival", [], [claim(of_auto(ts=NOW), FIRST, NOW + 300), claim(of_auto(ts=later), FIRST, later)],
         [claim(of_auto(ts=NOW), FIRST, NOW + 301), claim(of_auto(ts=later), BUSY, later)])
    fork("A8.27/a-newer-proof", [claim(of_auto(), FIRST)], [claim(of_auto(frame="f2", ts=NOW + 60), FIRST, NOW + 60)],
         [claim(of_auto(frame="f1", ts=NOW + 60), BUSY, NOW + 60)])
    f("A8.27/a-repeat-gets-the-first-answer", claim(of_auto(), FIRST), claim(of_auto(), BUSY, NOW + 1), finish(0),
      claim(of_auto(), DONE, NOW + 2), claim(of_auto(ts=NOW + 299), DONE, NOW + 299),
      claim(of_auto(ts=NOW - 299), DONE, NOW + 1), claim(of_auto(), DONE, NOW + 899))


def until(book):
    """A8.41 and A9.7: commits until a time of the service's own, consents until they expire."""
    f, fork = book.flow, book.fork
    for clause, of, end in (("A8.41", of_commit, "until"), ("A9.7", of_consent, "exp")):
        def at(time, answer, now=NOW, of=of, end=end):
            return claim(of(**{end: time}), answer, now)
        fork(clause + "/its-end", [], [at(NOW + 60, FIRST), at(NOW + 99, FIRST, NOW + 60)],
             [at(NOW + 61, FIRST), at(NOW + 99, BUSY, NOW + 60)])
        fork(clause + "/by-the-clock", [at(NOW + 1, FIRST)], [at(NOW + 9, FIRST, NOW + 1)], [at(NOW + 9, BUSY, NOW)])
        fork(clause + "/never-alive", [], [at(NOW, FIRST), at(NOW + 9, FIRST)], [at(NOW + 1, FIRST), at(NOW + 9, BUSY)])
        f(clause + "/in-the-past", at(NOW - 1, FIRST), at(NOW - 1, FIRST), at(0, FIRST), at(-1, FIRST),
          at(NOW + 1, FIRST), at(NOW - 1, BUSY), at(NOW - 1, FIRST, NOW + 1), at(NOW + 9, FIRST, NOW + 1),
          finish(0, False), abandon(4, False), at(0, BUSY, NOW + 1), finish(7), at(0, DONE, NOW + 1))
        f(clause + "/another-end-is-the-same-claim", at(NOW + 60, FIRST), at(NOW + 61, BUSY), at(0, BUSY),
          at(I64_MAX, BUSY), finish(0), at(NOW + 61, DONE), at(0, DONE))
        f(clause + "/not-900-seconds", at(NOW + 5000, FIRST), at(NOW + 5000, BUSY, NOW + 4999),
          at(NOW + 9000, FIRST, NOW + 5000))
    fork("A9.7/used-once", [claim(of_consent(), FIRST)], [abandon(0), claim(of_consent(), FIRST)],
         [finish(0), claim(of_consent(), DONE)])


def kinds(book):
    """A8.42: the kinds never meet, whatever their texts."""
    f, fork = book.flow, book.fork
    for slug, text in (("x", "x"), ("empty", ""), ("hash", PLAIN), ("key", AGENT.text)):
        same = [claim(of_auto(frame=text), FIRST), claim(of_consent(digest=text), FIRST)]
        fork("A8.42/" + slug, same, [claim(of_commit(text), FIRST), claim(of_commit(text + "+"), FIRST)],
             [claim(of_commit(text), FIRST), claim(of_commit(text), BUSY)])
        f("A8.42/%s-turned" % slug, claim(of_commit(text), FIRST), claim(of_consent(digest=text), FIRST),
          claim(of_auto(frame=text), FIRST), claim(of_commit(text), BUSY), claim(of_consent(digest=text), BUSY),
          claim(of_auto(frame=text), BUSY))
        f("A8.42/%s-ends-alone" % slug, *same, claim(of_commit(text), FIRST), finish(0),
          claim(of_auto(frame=text), DONE), claim(of_consent(digest=text), BUSY), claim(of_commit(text), BUSY),
          abandon(1), claim(of_consent(digest=text), FIRST), claim(of_auto(frame=text), DONE),
          claim(of_commit(text), BUSY), finish(2), claim(of_consent(digest=text), BUSY))
    key = AGENT.text
    joined = [key + "f1", key + ":f1", key + "\x00f1", "auto:" + key + ":f1", "consent:" + key + ":f1", "auto",
              "commit", "consent", "auto:shop.order:f1", "[\"auto\",\"%s\",\"f1\"]" % key, key + PLAIN,
              key + ":" + PLAIN, "commit:" + PLAIN, "f1", PLAIN]
    f("A8.42/joined-texts", claim(of_auto(), FIRST), claim(of_consent(digest="f1"), FIRST),
      claim(of_consent(), FIRST), *[claim(of_commit(text), FIRST) for text in joined], claim(of_auto(), BUSY),
      claim(of_consent(), BUSY), *[claim(of_commit(text), BUSY) for text in joined])
    f("A8.42/joined-frames", *[claim(of_auto(frame=text), FIRST) for text in joined],
      *[claim(of_consent(digest=text), FIRST) for text in joined],
      *[claim(of_auto(frame=text), BUSY) for text in joined], *[claim(of_consent(digest=text), BUSY)
                                                                for text in joined])
    f("A8.42/keys-and-texts-shifted", claim(of_auto(AGENT, SECOND.text), FIRST),
      claim(of_auto(SECOND, AGENT.text), FIRST),
      claim(of_consent(AGENT, SECOND.text), FIRST), claim(of_consent(SECOND, AGENT.text), FIRST),
      claim(of_consent(PRINCIPAL, AGENT.text), FIRST), claim(of_auto(AGENT, SECOND.text), BUSY),
      claim(of_consent(SECOND, AGENT.text), BUSY))


def clocks(book):
    """A8.40: no value of the clock overflows."""
    f, fork = book.flow, book.fork
    low, high = I64_MIN, I64_MAX
    fork("A8.40/auto-ends-with-the-clock", [],
         [claim(of_auto(ts=0), FIRST, high - 900), claim(of_auto(ts=0), FIRST, high)],
         [claim(of_auto(ts=0), FIRST, high - 899), claim(of_auto(ts=0), BUSY, high)])
    fork("A8.40/auto-ts-ends-with-the-clock", [], [claim(of_auto(ts=high - 900), FIRST), claim(of_auto(), FIRST, high)],
         [claim(of_auto(ts=high - 899), FIRST), claim(of_auto(), BUSY, high)])
    fork("A8.40/auto-first-of-all-times", [claim(of_auto(ts=low), FIRST, low)],
         [claim(of_auto(ts=low), FIRST, low + 900)], [claim(of_auto(ts=low), BUSY, low + 899)])
    f("A8.40/auto-last-of-all-times", claim(of_auto(ts=high), FIRST, high), claim(of_auto(ts=high), BUSY, high),
      claim(of_auto(ts=low), BUSY, low), finish(0), claim(of_auto(ts=high), DONE, high),
      claim(of_auto(ts=0), DONE, 0))
    f("A8.40/auto-ts-last-of-all-times", claim(of_auto(ts=high), FIRST, low), claim(of_auto(ts=0), BUSY, 0),
      claim(of_auto(ts=high), BUSY, high), abandon(0), claim(of_auto(ts=low), FIRST, low),
      claim(of_auto(ts=low), FIRST, high))
    f("A8.40/auto-from-first-to-last", claim(of_auto(ts=low), FIRST, low), claim(of_auto(ts=low), FIRST, high),
      finish(0, False), finish(1), claim(of_auto(ts=high), DONE, high))
    for kind, of, end in (("consent", of_consent, "exp"), ("commit", of_commit, "until")):
        def at(time, answer, now, of=of, end=end):
            return claim(of(**{end: time}), answer, now)
        fork("A8.40/%s-last-of-all-times" % kind, [at(high, FIRST, low)], [at(high, FIRST, high)],
             [at(high, BUSY, high - 1)])
        fork("A8.40/%s-first-of-all-times" % kind, [], [at(low, FIRST, low), at(high, FIRST, low)],
             [at(low + 1, FIRST, low), at(high, BUSY, low)])
        f("A8.40/%s-over-before-it-began" % kind, at(low, FIRST, low), at(low, FIRST, 0), at(low, FIRST, 0),
          at(high, FIRST, 0), at(low, BUSY, 0), at(low, BUSY, low), finish(0, False), finish(3),
          at(low, DONE, high - 1), at(low, FIRST, high), at(low, FIRST, high))
        f("A8.40/%s-beyond-2-53" % kind, at(2**53 + 1, FIRST, 2**53), at(2**53 + 1, BUSY, 2**53),
          at(high, FIRST, 2**53 + 1), at(high, BUSY, 2**62 + 1))
