"""The steps of a flow. Each function makes a pair: what is done, and the answer to it as stated by the caller."""

from book import ABSENT, allowed, asked, presented
from canonical import write
from cases_authorize import committing
from tokens import AGENT, NOW, OTHER_PRINCIPAL, PRINCIPAL, PROPOSAL, SECOND, SERVICE, cost, extend, own_hash, proposal

BOTH = (PRINCIPAL, OTHER_PRINCIPAL)
ASKED = "asked"


def priced(amount, currency="USD", **more):
    return proposal(cost=cost(amount, currency), **more)


FREE = proposal(cost=None)


def agreed(root_token, sub, caveats=(), by=SECOND, **more):
    """A delegation by SECOND, to whom most roots of shared chains are issued."""
    return extend(root_token, by, sub, caveats, **more)


def authorize(name, request, answer, grants, now=NOW, by=AGENT, given=ABSENT, service=SERVICE):
    """`answer` is the index of the grant that allows, ASKED for a request of PRINCIPAL's consent, or the answer."""
    if answer == ASKED:
        plan = request["meant"]
        answer = asked(plan, own_hash(plan), PRINCIPAL, service)
    elif isinstance(answer, int):
        answer = allowed(grants[answer], answer)
    request = {member: value for member, value in request.items() if member != "meant"}
    return dict({"do": "authorize", "id": name}, **presented(request, grants, given, by, service, now)), answer


def commit(name, grants, answer, plan=PROPOSAL, by=AGENT, now=NOW, given=ABSENT, service=SERVICE, **request):
    """A COMMIT of `plan` by the agent that it was made for, unless `request` says otherwise."""
    request = committing(plan, **dict({"holder": by}, **request))
    return authorize(name, dict(request, meant=plan), answer, grants, now, by, given, service)


def auto(name, grants, answer, plan=PROPOSAL, principal=None, frame="f1", **more):
    """The question whether `plan`, the first proposal of an INTENT with auto, may be committed."""
    request = {"verb": "INTENT", "capability": plan["capability"], "auto": frame, "proposal": write(plan),
               "principal": principal and principal.text}
    return authorize(name, request, answer, grants, **more)


def settle(name, ok=True):
    return {"do": "settle", "id": name}, {"ok": ok}


def release(name, ok=True):
    return {"do": "release", "id": name}, {"ok": ok}


def spent(token, block, amount):
    return {"do": "spent", "block": token if block is None else token.ids[block]}, {"spent": amount}


def spents(token, *amounts):
    """The totals of all blocks of a token."""
    assert len(amounts) == len(token.ids)
    return [spent(token, block, amount) for block, amount in enumerate(amounts)]


def claim(of, answer, now=NOW):
    return {"do": "claim", "now": now, "of": of}, {"claim": answer}


def of_auto(key=AGENT, frame="f1", ts=NOW):
    return {"auto": key.text, "frame": frame, "ts": ts}


def of_consent(key=AGENT, digest=own_hash(PROPOSAL), exp=NOW + 600):
    return {"consent": key.text, "hash": digest, "exp": exp}


def of_commit(digest=own_hash(PROPOSAL), until=NOW + 600):
    return {"commit": digest, "until": until}


def finish(step, ok=True):
    return {"do": "finish", "step": step}, {"ok": ok}


def abandon(step, ok=True):
    return {"do": "abandon", "step": step}, {"ok": ok}
