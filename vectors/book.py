"""The book of cases: collects them by topic and checks what the reader of the files will rely on."""

import json
import re

from canonical import b64, write
from tokens import AGENT, CAPABILITY, NOW, PRINCIPAL, SERVICE, Token, cost, proof

NAME = re.compile(r"^([ABC][0-9]+\.[0-9]+)/([a-z0-9]+(?:-[a-z0-9]+)*)(?:/([+-]))?$")
ROW = re.compile(r"^\| ([ABC][0-9]+\.[0-9]+) \|")
ABSENT = object()
HASH = "q83vASNFZ4mrze8BI0VniavN7wEjRWeJq83vASNFZ4k"

OK = {"ok": True}
NOT_OK = {"ok": False}
REVIEW, CONFLICT, EXPIRED = ({"decision": word} for word in ("review", "conflict", "expired"))


def no(code):
    return {"ok": False, "code": code}


UNAUTHORIZED, FORBIDDEN, CONSENT = (no(c) for c in ("unauthorized", "forbidden", "consent_required"))


def decided(word):
    return {"decision": word}


def granted(token, spend=()):
    """The answer of `grant` to a token that passes; `spend` are the indexes of its spending blocks."""
    return {"ok": True, "id": token.ids[0], "iss": token.iss, "holder": token.holder,
            "spend": [token.ids[i] for i in spend]}


def allowed(token, index=0):
    return {"decision": "allowed", "iss": token.iss, "holder": token.holder, "grant": index}


def asked(text_proposal, digest, principal, service=SERVICE):
    """The consent request for a proposal that is a dict."""
    p = text_proposal
    return {"decision": "consent_required", "consent": {
        "proposal": p["id"], "hash": digest, "service": service, "capability": p["capability"],
        "principal": principal.text, "summary": p["summary"], "expires": p["expires"]}}


class Book:
    def __init__(self):
        self.topics = {}
        self.current = None
        self.names = {}

    def topic(self, name):
        self.current = self.topics.setdefault(name, [])

    def add(self, name, op, expect, **fields):
        assert NAME.match(name), name
        assert name not in self.names, "twice: " + name
        case = dict(name=name, op=op, **fields)
        case["expect"] = expect
        self.names[name] = case
        self.current.append(case)

    def canonical(self, name, text, expect=None):
        """`text` is a string or bytes; `expect` the canonical text, None for a refusal."""
        self.add(name, "canonical", NOT_OK if expect is None else {"ok": True, "canonical": expect},
                 **text_field("json", text))

    def hash(self, name, text, expect=None):
        self.add(name, "hash", NOT_OK if expect is None else {"ok": True, "hash": expect},
                 **text_field("proposal", text))

    def grant(self, name, token, expect, trusted=(PRINCIPAL,), proof_key=AGENT, **ctx):
        """A `grant` case; a COMMIT within everything's bounds unless `ctx` says otherwise."""
        full = {"service": SERVICE, "verb": "COMMIT", "capability": CAPABILITY, "now": NOW,
                "proposal": {"hash": HASH, "cost": cost(2500), "risk": "low"}}
        full.update(ctx)
        full = {name: value for name, value in full.items() if value is not ABSENT}
        self.add(name, "grant", expect, token=token.text if isinstance(token, Token) else token,
                 trusted=[k if isinstance(k, str) else k.text for k in trusted],
                 proofKey=proof_key if isinstance(proof_key, str) else proof_key.text, ctx=full)

    def ask(self, name, token, expect, verb="ASK", **more):
        """A `grant` case for a request without a proposal."""
        self.grant(name, token, expect, verb=verb, proposal=ABSENT, **more)

    def proof(self, name, text, expect, aud=SERVICE, verb="ASK", target=CAPABILITY, now=NOW):
        text = write(text) if isinstance(text, dict) else text
        self.add(name, "proof", expect, **text_field("proof", text), aud=aud, verb=verb, target=target, now=now)

    def authorize(self, name, request, expect, grants=(), given=ABSENT, by=AGENT, trusted=(PRINCIPAL,),
                  service=SERVICE, now=NOW, spent=None):
        """An `authorize` case; the proof is `by`'s for this very request at `now` unless `given`."""
        fields = dict(service=service, trusted=[k if isinstance(k, str) else k.text for k in trusted],
                      **presented(request, grants, given, by, service, now))
        if spent is not None:
            fields["spent"] = spent
        self.add(name, "authorize", expect, **fields)

    def flow(self, name, *steps, trusted=(PRINCIPAL,), service=SERVICE):
        """A `flow` case; each step is a pair: what is done, and the answer to it."""
        self.add(name, "flow", {"steps": [answer for _, answer in steps]}, service=service,
                 trusted=[k.text for k in trusted], steps=[step for step, _ in steps])

    def fork(self, name, before, plus, minus, **more):
        """A pair of flows that begin alike; `plus` and `minus` are the lists of steps that follow."""
        self.flow(name + "/+", *before, *plus, **more)
        self.flow(name + "/-", *before, *minus, **more)

    def files(self):
        return {topic + ".jsonl": "".join(
            json.dumps(case, ensure_ascii=True, separators=(",", ":")) + "\n" for case in cases)
            for topic, cases in self.topics.items()}

    def faults(self, readme):
        """What breaks a rule of the pairs, as sentences; `readme` holds the table of clauses."""
        clauses = []
        for line in readme.split("\n## Not shown")[0].splitlines():
            found = ROW.match(line)
            if found:
                clauses.append(found.group(1))
        faults = ["clause %s is listed twice" % c for c in sorted(set(clauses)) if clauses.count(c) > 1]
        paired = set()
        for name, case in self.names.items():
            clause, slug, sign = NAME.match(name).groups()
            if clause not in clauses:
                faults.append("%s names no clause of the table" % name)
            if case["op"] == "flow":
                faults += ["%s: %s" % (name, fault) for fault in flow_faults(case)]
            if sign is None:
                continue
            paired.add(clause)
            if success(case) is not (sign == "+"):
                faults.append("%s expects the wrong side" % name)
            other = self.names.get("%s/%s/%s" % (clause, slug, "-" if sign == "+" else "+"))
            if other is None:
                faults.append("%s has no other half" % name)
            elif sign == "+":
                steps = distance(case, other)
                if case["op"] != other["op"] or steps > 1:
                    faults.append("%s is %d steps from its other half" % (name, steps))
                if case == dict(other, name=name, expect=case["expect"]):
                    faults.append("%s is the same question as its other half" % name)
        return faults + ["clause %s has no pair" % c for c in clauses if c not in paired]


def text_field(name, text):
    """A field that holds text under test: a string as it is, bytes in base64."""
    if isinstance(text, bytes):
        return {name + "_b64": b64(text)}
    return {name: text}


def target_of(request):
    verb = request["verb"]
    if verb == "COMMIT":
        return request["hash"]
    if verb == "UNDO":
        return request["receipt"]
    if verb == "EXPAND":
        return request["handle"]
    if "auto" in request:
        return "auto:%s:%s" % (request["capability"], request["auto"])
    return request["capability"]


def presented(request, grants, given, by, service, now):
    """What a request comes with; the proof is `by`'s for it at `now` unless `given`."""
    if given is ABSENT:
        given = write(proof(request["verb"], target_of(request), aud=service, ts=now, by=by))
    return dict(now=now, grants=[g.text if isinstance(g, Token) else g for g in grants],
                **text_field("proof", given), request=request)


def success(case):
    """Whether what a case expects is a success or a refusal; None if it is neither. A flow has its last answer."""
    expect = case["expect"]
    if case["op"] == "flow":
        expect = expect["steps"][-1]
    if "ok" in expect:
        return expect["ok"]
    if "claim" in expect:
        return expect["claim"] == "first"
    if "delivery" in expect:
        return expect.get("route") is not None
    return expect["decision"] == "allowed" if "decision" in expect else None


ANSWERS = {"authorize": ("decision",), "settle": ("ok",), "release": ("ok",), "spent": ("spent",),
           "claim": ("claim",), "finish": ("ok",), "abandon": ("ok",)}


def flow_faults(case):
    """What makes a flow no case: answers that fit no step, names of reservations that are not told apart."""
    steps, answers = case["steps"], case["expect"]["steps"]
    if len(steps) != len(answers):
        return ["%d steps and %d answers" % (len(steps), len(answers))]
    faults = ["the answer to step %d is of another kind" % i for i, (step, answer) in enumerate(zip(steps, answers))
              if tuple(answer)[:1] != ANSWERS.get(step["do"])]
    ids = [step["id"] for step in steps if step["do"] == "authorize"]
    return faults + ["two requests are called %s" % i for i in sorted(set(ids)) if ids.count(i) > 1]


def leaves(value, path=()):
    """Every scalar (and empty array or object) of a value by its path; `x_b64` shares the path of `x`. No proofs."""
    if isinstance(value, (dict, list)) and value:
        found = {}
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        for name, item in pairs:
            step = name[:-4] if isinstance(name, str) and name.endswith("_b64") else name
            if step == "proof":
                continue
            found.update(leaves(item, path + (step,)))
        return found
    return {path: (type(value).__name__, str(value))}


def distance(one, two):
    """In how many leaves two cases differ, apart from name, expect and every proof."""
    skip = ("name", "expect")
    a, b = ({k: v for k, v in case.items() if k not in skip} for case in (one, two))
    a, b = leaves(a), leaves(b)
    return sum(1 for path in set(a) | set(b) if a.get(path) != b.get(path))
