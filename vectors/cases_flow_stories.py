"""Whole exchanges: claims and the ledger side by side, as a service uses them (A8, A9)."""

from book import REVIEW
from canonical import loose, write
from cases_authorize import FORBID, undoing
from cases_flow import (ASKED, PROPOSAL, abandon, agreed, authorize, auto, claim, commit, finish, of_auto, of_commit,
                        of_consent, priced, release, settle, spent, spents)
from cases_proposal import consent_grant
from tokens import AGENT, NOW, SECOND, THIRD, limit, own_hash, proof, root


def cases(book):
    book.topic("flow")
    f = book.flow
    g = root([{"spend": limit(5000)}])
    f("A8.27/auto-commit-and-its-repeat", claim(of_auto(), "first"), auto("a", [g], 0),
      claim(of_commit(until=NOW + 86400), "first"), settle("a"), finish(0), finish(2), spent(g, 0, 2500),
      claim(of_auto(), "done", NOW + 30), commit("r", [g], 0, replay=True, now=NOW + 30), spent(g, 0, 2500))
    f("A8.27/auto-commit-that-failed", claim(of_auto(), "first"), auto("a", [g], 0), claim(of_auto(), "in_progress"),
      release("a"), abandon(0), spent(g, 0, 0), claim(of_auto(), "first", NOW + 5), auto("b", [g], 0, now=NOW + 5),
      settle("b"), finish(6), spent(g, 0, 2500))
    costly = priced(5001)
    f("A8.33/review-then-consent-then-commit", claim(of_auto(), "first"), auto("a", [g], REVIEW, costly), finish(0),
      commit("b", [g], ASKED, costly), claim(of_consent(digest=own_hash(costly)), "first"),
      commit("c", [g, consent_grant(costly)], 1, costly), settle("c"), finish(4),
      claim(of_consent(digest=own_hash(costly)), "done"), spent(g, 0, 0))
    f("A8.24/failed-and-tried-again", claim(of_commit(), "first"), commit("a", [g], 0), release("a"), abandon(0),
      claim(of_commit(), "first"), commit("b", [g], 0), settle("b"), finish(4), claim(of_commit(), "done"),
      commit("c", [g], 0, replay=True), spent(g, 0, 2500))
    top = root([{"spend": limit(6000)}, {"can": ["shop.*"]}], sub=SECOND)
    mine, hers = agreed(top, AGENT, [{"spend": limit(5000)}]), agreed(top, THIRD, [{"spend": limit(5000)}])
    f("A8.35/two-sub-agents-and-an-undo", commit("a", [mine], 0), commit("b", [hers], 0, by=THIRD), settle("a"),
      settle("b"), commit("c", [mine], ASKED, priced(1001)), authorize("u", undoing(), 0, [hers], by=THIRD),
      commit("d", [mine], ASKED, priced(1001)), commit("e", [mine], 0, priced(1000)), *spents(mine, 6000, 3500),
      *spents(hers, 6000, 2500))
    f("A8.28/other-spellings", commit("a", [g], 0, text=" " + loose(PROPOSAL) + "\n"),
      commit("b", [g], 0, given=loose(proof("COMMIT", own_hash(PROPOSAL)))), commit("c", [g], ASKED, priced(1)),
      spent(g, 0, 5000))
    # Amount and currency are those of the bytes that were hashed, also in what is counted.
    sly = dict(priced(2500), data={"cost": None, "amount": 1}, x={"cost": {"amount": 1, "currency": "USD"}})
    f("B4.4/counted-from-the-hashed-bytes", commit("a", [g], 0, sly), spent(g, 0, 2500), commit("b", [g], 0, sly),
      commit("c", [g], ASKED, sly), spent(g, 0, 5000))
    twice = write(PROPOSAL)[:-1] + ',"cost":null}'
    f("B4.4/not-of-a-second-cost", commit("a", [g], FORBID, text=twice), spent(g, 0, 0), settle("a", False))
