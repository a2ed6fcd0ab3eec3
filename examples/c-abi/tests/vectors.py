#!/usr/bin/env python3
"""Every conformance case through the library: `vectors.py LIBRARY ANSWERS FILE...` writes the answers of pg_case_answer to ANSWERS, a
line each, and compares what the real calls say with what the cases expect, for all operations that there are calls for."""

import base64
import ctypes as c
import json
import sys

import parley_grants as pg
from parley_grants import Refused, TEXT, view

LIB = None
MOST = c.c_size_t(-1).value


def text_of(fields, name):
    """A text under test, or bytes in its place; None when it is missing or null."""
    if name + "_b64" in fields:
        return base64.b64decode(fields[name + "_b64"])
    text = fields.get(name)
    return None if text is None else text.encode()


def is_int(number):
    return isinstance(number, int) and -2**63 <= number < 2**63


def or_not_ok(answer):
    """A call that refuses its input answers `{"ok":false}`; any other error is none that a case may have."""
    try:
        return answer()
    except Refused as refused:
        if refused.code != pg.ERROR_INPUT:
            raise
        return {"ok": False}


def canonical(case):
    return {"ok": True, "canonical": LIB.text(LIB.canonicalize, view(text_of(case, "json")), TEXT, None)}


def proposal_hash(case):
    return {"ok": True, "hash": LIB.text(LIB.proposal_hash, view(text_of(case, "proposal")), TEXT, None)}


def proof(case):
    texts = [view(text_of(case, "proof"))] + [view(case[name]) for name in ("aud", "verb", "target")]
    try:
        LIB.text(LIB.proof_check_unbound, *texts, case["now"], TEXT)
        return {"ok": True}
    except Refused as refused:
        if refused.code != pg.ERROR_INPUT:
            raise
        return {"ok": False, "code": "unauthorized"}


class Seed:
    def __init__(self, case):
        self.handle = LIB.handle(LIB.seed_read, view(case["seed"]))

    def __enter__(self):
        return self.handle

    def __exit__(self, *_):
        LIB.seed_free(self.handle)


def key(case):
    with Seed(case) as seed:
        return {"ok": True, "public": LIB.text(LIB.seed_public, seed, TEXT)}


def caveats_of(case):
    caveats = [view(json.dumps(caveat)) for caveat in case["caveats"]]
    return pg.array(pg.Bytes, caveats), len(caveats)


def issue(case):
    if not is_int(case["iat"]):
        return {"ok": False}
    with Seed(case) as seed:
        call = (seed, view(case["sub"]), *caveats_of(case), case["iat"], view(case["nonce"]))
        return {"ok": True, "token": LIB.text(LIB.issue, *call, TEXT, None)}


def issuer_of(token):
    """The principal that a token names: who hands a grant on trusts it already."""
    try:
        encoded = token.removeprefix("pg1.")
        return json.loads(base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4)))[0]["p"]["iss"]
    except (ValueError, KeyError, IndexError, TypeError):
        return None


def delegate(case):
    if not is_int(case["iat"]):
        return {"ok": False}
    verifier = new_verifier("any", [issuer_of(case["token"])])
    try:
        grant = c.c_void_p()
        code = LIB.verifier_verify(verifier, view(case["token"]), c.byref(grant), None)
        if code != pg.OK:
            raise Refused(code)
        try:
            with Seed(case) as seed:
                call = (grant, seed, view(case["sub"]), *caveats_of(case), case["iat"])
                return {"ok": True, "token": LIB.text(LIB.delegate, *call, TEXT, None)}
        finally:
            LIB.grant_free(grant)
    finally:
        LIB.verifier_free(verifier)


def consent(case):
    if not is_int(case["iat"]):
        return {"ok": False}
    with Seed(case) as seed:
        call = (seed, view(case["agent"]), view(text_of(case, "proposal")), view(case["service"]), case["iat"])
        return {"ok": True, "token": LIB.text(LIB.consent, *call, view(case["nonce"]), TEXT, None)}


def sign_proof(case):
    if not is_int(case["ts"]):
        return {"ok": False}
    with Seed(case) as seed:
        texts = [view(case[name]) for name in ("aud", "verb", "target")]
        signed = json.loads(LIB.text(LIB.sign_proof, seed, *texts, case["ts"], TEXT, None))
        return {"ok": True, "proof": {name: signed[name] for name in ("key", "ts", "sig")}}


def is_key(text):
    return isinstance(text, str) and LIB.key_check(view(text)) == pg.OK


def new_verifier(service, trusted):
    keys = [view(text) for text in trusted if is_key(text)]
    settings = pg.Settings(view(service), pg.array(pg.Bytes, keys), len(keys), None, 0, None)
    return LIB.handle(LIB.verifier_new, c.byref(settings))


def claimed(proof_text):
    """The key that a proof says it is of."""
    try:
        key = json.loads(proof_text)["key"]
    except (ValueError, KeyError, TypeError):
        return ""
    return key if isinstance(key, str) else ""


def origin(holder, principal):
    kind = pg.ANONYMOUS if holder is None else pg.WITHOUT_GRANT if principal is None else pg.WITH_GRANT
    return pg.Origin(kind, view(holder or ""), view(principal or ""))


def committed(holder, principal, capability, hash):
    kind = pg.WITHOUT_PRINCIPAL if principal is None else pg.WITH_PRINCIPAL
    return pg.Committed(kind, view(holder or ""), view(principal or ""), view(capability), view(hash))


def reservation(name):
    """The cases have empty names too, which no service may have."""
    id = pg.Id()
    assert LIB.reservation_of(view("#" + name), c.byref(id)) == pg.OK
    return id


def authorize(verifier, case, name, reserve):
    """The answer to a request, by the call for it, with whatever reserves."""
    tokens = [pg.Presentable(None, view(token)) for token in case["grants"]]
    proof_text = text_of(case, "proof")
    shown = (pg.NONE, view(b"")) if proof_text is None else (pg.PROOF, view(proof_text))
    presented = pg.Presented(pg.array(pg.Presentable, tokens), len(tokens), *shown, case["now"])
    id = reservation(name)
    decision, pending = c.c_void_p(), c.c_void_p()
    try:
        asked = (verifier, c.byref(presented))
        code = call(asked, case["request"], proof_text, (c.byref(id), c.byref(pending)), c.byref(decision))
        while code == pg.PENDING:
            demand = pg.Demand()
            assert LIB.pending_demand(pending, c.byref(demand)) == pg.OK
            assert decision.value is None
            code = LIB.pending_answer(pending, reserve(demand), c.byref(decision))
        return told(code, decision)
    finally:
        LIB.decision_free(decision)
        LIB.pending_free(pending)


def call(asked, request, proof_text, commit, decision):
    verb, capability = request["verb"], view(request.get("capability", ""))
    if verb == "ASK":
        return LIB.ask(*asked, capability, decision)
    if verb == "INTENT" and "auto" not in request:
        return LIB.intent(*asked, capability, decision)
    if verb == "INTENT":
        proposal, frame = text_of(request, "proposal"), view(request["auto"])
        if proposal is None:
            return LIB.auto_intent(*asked, capability, frame, decision)
        whose = origin(claimed(proof_text or b""), request["principal"])
        return LIB.auto_commit(*asked, view(proposal), capability, frame, c.byref(whose), *commit, decision)
    if verb == "COMMIT":
        proposal, recorded = text_of(request, "proposal"), request["origin"]
        # One that is not well-formed was never committed.
        if request.get("replay") and LIB.proposal_check(view(proposal), None) == pg.OK:
            hash = LIB.text(LIB.proposal_hash, view(proposal), TEXT, None)
            of = committed(recorded["holder"], recorded["principal"], json.loads(proposal)["capability"], hash)
            return LIB.replay(*asked, view(request["hash"]), c.byref(of), decision)
        whose = origin(recorded["holder"], recorded["principal"])
        return LIB.commit(*asked, view(proposal), view(request["hash"]), c.byref(whose), *commit, decision)
    if verb == "UNDO":
        of = committed("", request["principal"], request["capability"], "")
        return LIB.undo(*asked, view(request["receipt"]), c.byref(of), decision)
    owner = request["owner"]
    whose = pg.Owner(pg.ANYONE if owner is None else pg.KEY, view(owner or ""))
    return LIB.expand(*asked, view(request["handle"]), c.byref(whose), decision)


def part(call, decision):
    try:
        return LIB.text(call, decision, TEXT)
    except Refused as refused:
        assert refused.code == pg.ABSENT
        return None


def told(code, decision):
    assert LIB.decision_code(decision) == code
    answer = {"decision": LIB.name(code)}
    if code == pg.CONSENT_REQUIRED:
        request = json.loads(part(LIB.decision_consent, decision))
        names = ("proposal", "hash", "service", "capability", "principal", "summary", "expires")
        answer["consent"] = {name: request[name] for name in names}
        assert len(request) == len(names)
    # There is a log of every refusal, and of nothing else.
    assert (part(LIB.decision_log, decision) is None) == (code == pg.ALLOWED)
    if code == pg.ALLOWED:
        issuer, index, id = part(LIB.decision_issuer, decision), c.c_size_t(), pg.Id()
        if issuer is not None:
            answer["iss"] = issuer
        answer["holder"] = part(LIB.decision_holder, decision)
        if LIB.decision_grant(decision, c.byref(index), c.byref(id)) == pg.OK:
            answer["grant"] = index.value
    return answer


def authorize_alone(case):
    spent = case.get("spent") or {}

    def reserve(demand):
        for line in demand.lines[:demand.line_count]:
            if spent.get(LIB.text(LIB.id_write, c.byref(line.block), TEXT), 0) + demand.amount > line.max:
                return pg.EXCEEDED
        return pg.RESERVED

    verifier = new_verifier(case["service"], case["trusted"])
    try:
        return authorize(verifier, case, "", reserve)
    finally:
        LIB.verifier_free(verifier)


class World:
    def __init__(self, case):
        self.verifier = new_verifier(case["service"], case["trusted"])
        self.ledger = LIB.handle(LIB.ledger_new, c.byref(pg.LedgerBounds(MOST, MOST, MOST, MOST)))
        self.claims = LIB.handle(LIB.claims_new, MOST)
        self.tickets = []

    def end(self):
        LIB.verifier_free(self.verifier)
        LIB.ledger_free(self.ledger)
        LIB.claims_free(self.claims)

    def step(self, step):
        do, ticket = step["do"], None
        id = pg.Id()
        if do == "authorize":
            answer = authorize(self.verifier, step, step["id"], lambda demand: LIB.ledger_reserve(self.ledger, c.byref(demand)))
        elif do in ("settle", "release"):
            id = reservation(step["id"])
            close = LIB.ledger_settle if do == "settle" else LIB.ledger_release
            answer = {"ok": close(self.ledger, c.byref(id)) == pg.CLOSED}
        elif do == "spent":
            total = c.c_uint64()
            if LIB.id_read(view(step["block"]), c.byref(id)) == pg.OK:
                assert LIB.ledger_total(self.ledger, c.byref(id), c.byref(total)) == pg.OK
            answer = {"spent": total.value}
        elif do == "claim":
            claim, first = claim_of(step["of"], step["now"]), pg.Ticket()
            code = LIB.claims_claim(self.claims, claim, step["now"], c.byref(first))
            LIB.claim_free(claim)
            ticket = first if code == pg.FIRST else None
            answer = {"claim": LIB.name(code)}
        else:
            end = LIB.claims_finish if do == "finish" else LIB.claims_abandon
            index = step["step"]
            held = self.tickets[index] if 0 <= index < len(self.tickets) else None
            answer = {"ok": held is not None and end(self.claims, c.byref(held)) == pg.CLOSED}
        self.tickets.append(ticket)
        return answer


def claim_of(of, now):
    if "auto" in of:
        key, frame, time = of["auto"], of["frame"], of["ts"]
        if is_key(key):
            return LIB.handle(LIB.claim_for_auto, view(key), view(frame), now, time)
        until = min(max(now, time) + 900, 2**63 - 1)
        return LIB.handle(LIB.claim_for_other, view("auto"), view(f"{len(key.encode())}:{key}{frame}"), until)
    if "consent" in of:
        key, hash = of["consent"], of["hash"]
        if is_key(key):
            return LIB.handle(LIB.claim_for_consent, view(key), view(hash), of["exp"])
        return LIB.handle(LIB.claim_for_other, view("consent"), view(f"{len(key.encode())}:{key}{hash}"), of["exp"])
    return LIB.handle(LIB.claim_for_commit, view(of["commit"]), of["until"])


def flow(case):
    world = World(case)
    try:
        return {"steps": [world.step(step) for step in case["steps"]]}
    finally:
        world.end()


REAL = {
    "canonical": canonical, "hash": proposal_hash, "proof": proof, "key": key, "issue": issue, "delegate": delegate,
    "consent": consent, "sign_proof": sign_proof, "authorize": authorize_alone, "flow": flow,
}


def main(library, answers, *files):
    global LIB
    LIB = pg.Library(library)
    passed = failed = real = 0
    with open(answers, "w", encoding="utf-8", newline="\n") as out:
        for file in files:
            with open(file, "rb") as lines:
                cases = [line.strip() for line in lines.read().split(b"\n")]
            for line in cases:
                if not line or line.startswith(b"#"):
                    continue
                case = json.loads(line)
                answer = LIB.text(LIB.case_answer, view(line), TEXT)
                out.write(answer + "\n")
                right = json.loads(answer) == case["expect"]
                if case["op"] in REAL:
                    real += 1
                    said = or_not_ok(lambda: REAL[case["op"]](case))
                    if said != case["expect"]:
                        right = False
                        print(f"{case['name']}: expected {case['expect']}, the calls say {said}")
                passed, failed = passed + right, failed + (not right)
    print(f"python: {passed} passed, {failed} failed, {real} of them through the real calls")
    return 1 if failed or not real else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
