"""Tells story.txt against a running server, without a line of the project: its own canonical JSON, grants, proofs, consent.

    client.py ADDRESS REVOKED-FILE
"""

import base64
import hashlib
import http.client
import json
import os
import sys

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

SHOP, NOW = "shop.example", 1_790_000_000


def b64url(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def canonical(value):
    """Members by code point, no white space, integers only, nothing escaped that need not be."""
    if isinstance(value, float):
        raise ValueError("only integers have a canonical form")
    if isinstance(value, dict):
        return "{%s}" % ",".join(canonical(name) + ":" + canonical(value[name]) for name in sorted(value))
    if isinstance(value, list):
        return "[%s]" % ",".join(map(canonical, value))
    return json.dumps(value, ensure_ascii=False)


def digest(text):
    return b64url(hashlib.sha256(text.encode()).digest())


def proposal_hash(proposal):
    return digest(canonical({name: value for name, value in proposal.items() if name not in ("hash", "data")}))


class Key:
    def __init__(self, byte):
        self.private = Ed25519PrivateKey.from_private_bytes(bytes([byte]) * 32)
        self.public = "ed25519:" + b64url(self.private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw))

    def sign(self, value):
        return b64url(self.private.sign(canonical(value).encode()))

    def block(self, payload):
        return {"p": payload, "s": self.sign(payload)}

    def grant(self, subject, caveats, nonce):
        payload = {"iss": self.public, "sub": subject.public, "caveats": caveats, "iat": NOW, "nonce": nonce}
        return token([self.block(payload)])

    def delegate(self, grant, subject, caveats):
        blocks = blocks_of(grant)
        payload = {"prev": digest(blocks[-1]["s"]), "sub": subject.public, "caveats": caveats, "iat": NOW}
        return token(blocks + [self.block(payload)])

    def proof(self, verb, target):
        signed = {"aud": SHOP, "verb": verb, "target": target, "ts": NOW}
        return {"key": self.public, "ts": NOW, "sig": self.sign(signed)}


def token(blocks):
    return "pg1." + b64url(canonical(blocks).encode())


def blocks_of(grant):
    text = grant.removeprefix("pg1.")
    return json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))


def block_ids(grant):
    return [digest(block["s"]) for block in blocks_of(grant)]


def consent_of(human, agent, proposal, nonce):
    caveats = [
        {"svc": [SHOP]},
        {"verbs": ["COMMIT"]},
        {"can": [proposal["capability"]]},
        {"only": proposal_hash(proposal)},
        {"exp": proposal["expires"]},
    ]
    return human.grant(agent, caveats, nonce)


def mismatch(request, proposal, human):
    """The first member of a consent request that is not what was really received (A9.5), or None."""
    expected = [
        ("proposal", proposal["id"]),
        ("hash", proposal_hash(proposal)),
        ("service", SHOP),
        ("capability", proposal["capability"]),
        ("principal", human.public),
        ("summary", proposal["summary"]),
        ("expires", proposal["expires"]),
    ]
    if sorted(request) != sorted(name for name, _ in expected):
        return "the members"
    return next((name for name, value in expected if request[name] != value), None)


class Story:
    def __init__(self, address, revoked):
        self.address, self.revoked, self.chapters, self.frames = address, revoked, 0, 0

    def chapter(self, title):
        self.chapters += 1
        print(f"\n{self.chapters}. {title}" if self.chapters > 1 else f"{self.chapters}. {title}")

    def exchange(self, who, method, path, body=None):
        host, port = self.address.rsplit(":", 1)
        connection = http.client.HTTPConnection(host, int(port), timeout=30)
        connection.request(method, path, body)
        response = connection.getresponse()
        lines = response.read().decode().splitlines()
        connection.close()
        said = f" (request {digest(body)})" if body else ""
        print(f"   {who}: {method} {path}{said}")
        for line in lines:
            print(f"   -> {response.status} {line}")
        return response.status, lines

    def send(self, who, path, verb, grants=(), proof=None, frame_id=None, **more):
        if frame_id is None:
            self.frames += 1
            frame_id = f"f-{self.frames}"
        frame = {"parley": 1, "id": frame_id, "verb": verb, **more}
        if grants:
            frame["grants"] = list(grants)
        if proof:
            frame["proof"] = proof
        status, lines = self.exchange(who, "POST", path, canonical(frame))
        last = json.loads(lines[-1])
        assert last["re"] == frame_id, "the last line answers the frame"
        assert all("event" in json.loads(line) for line in lines[:-1])
        return status, last

    def intent(self, who, key, grants, path, capability, order):
        return self.send(who, path, "INTENT", grants, key.proof("INTENT", capability), order=order)

    def commit(self, who, key, grants, proposal):
        hash_ = proposal_hash(proposal)
        proof = key.proof("COMMIT", hash_)
        return self.send(who, "/order/commit", "COMMIT", grants, proof, proposal=proposal["id"], hash=hash_)

    def undo(self, who, key, grants, receipt):
        return self.send(who, "/order/undo", "UNDO", grants, key.proof("UNDO", receipt), receipt=receipt)

    def auto(self, who, key, grants, frame_id, order):
        proof = key.proof("INTENT", f"auto:shop.order:{frame_id}")
        return self.send(who, "/order/intent", "INTENT", grants, proof, frame_id, order=order, auto=True)

    def revoke(self, text):
        """A list replaces another by a rename: who reads finds the one or the other."""
        with open(self.revoked + ".new", "w") as file:
            file.write(text + "# end\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(self.revoked + ".new", self.revoked)


def main():
    story = Story(sys.argv[1], sys.argv[2])
    human, agent, helper, stranger = Key(1), Key(2), Key(3), Key(4)

    story.chapter("Anybody may ask who the shop is, and what it serves")
    story.exchange("anybody", "GET", "/.well-known/parley")
    story.send("anybody", "/hello", "HELLO")
    story.send("agent", "/hello", "HELLO", proof=agent.proof("HELLO", SHOP))

    story.chapter("The human signs a policy; the agent reads the menu, and the rest of it by its handle")
    policy = [
        {"svc": [SHOP]},
        {"can": ["shop.*"]},
        {"exp": NOW + 86_400},
        {"per": {"max": 3_000, "currency": "EUR"}},
        {"spend": {"max": 10_000, "currency": "EUR"}},
        {"risk": "low"},
    ]
    grants = [human.grant(agent, policy, "a policy")]
    print(f"   human: grants {block_ids(grants[0])[0]}")
    _, menu = story.send("agent", "/menu/ask", "ASK", grants, agent.proof("ASK", "shop.menu"))
    handle = menu["more"]
    for who, key in ("agent", agent), ("helper", helper):
        story.send(who, "/expand", "EXPAND", proof=key.proof("EXPAND", handle), handle=handle)

    story.chapter("Without a grant")
    story.send("anybody", "/gift/intent", "INTENT", order="cups")
    story.intent("agent", agent, [], "/order/intent", "shop.order", "cups")
    story.send("anybody", "/order/intent", "INTENT", order="beans")

    story.chapter("An order within the policy; its answer was lost, so it is sent again")
    _, offers = story.intent("agent", agent, grants, "/order/intent", "shop.order", "cups")
    cups = offers["proposals"][0]
    _, first = story.commit("agent", agent, grants, cups)
    _, again = story.commit("agent", agent, grants, cups)
    assert again["receipt"] == first["receipt"]

    story.chapter("An order beyond the policy: the human is asked, and says yes to just this")
    _, offers = story.intent("agent", agent, grants, "/order/intent", "shop.order", "machine")
    machine = offers["proposals"][0]
    status, asked = story.commit("agent", agent, grants, machine)
    assert (status, asked["kind"]) == (402, "consent_required")
    print(f"   agent: compared with the cups: another {mismatch(asked['consent'], cups, human)}")
    assert mismatch(asked["consent"], machine, human) is None
    print(f"   human: consents to {proposal_hash(machine)}")
    both = grants + [consent_of(human, agent, machine, "one machine")]
    _, first = story.commit("agent", agent, both, machine)
    _, again = story.commit("agent", agent, both, machine)
    assert again["receipt"] == first["receipt"]
    _, offers = story.intent("agent", agent, grants, "/order/intent", "shop.order", "machine")
    status, _ = story.commit("agent", agent, both, offers["proposals"][0])
    assert status == 402

    story.chapter("An undo, once more, and one of what there is not")
    story.undo("agent", agent, grants, first["receipt"])
    story.undo("agent", agent, grants, first["receipt"])
    story.undo("agent", agent, grants, "r-unknown")

    story.chapter("A narrower grant for a helper")
    narrower = [{"can": ["shop.order"]}, {"spend": {"max": 2_000, "currency": "EUR"}}]
    helped = [agent.delegate(grants[0], helper, narrower)]
    print(f"   agent: hands on {block_ids(helped[0])[1]}")
    for _ in range(2):
        _, offers = story.intent("helper", helper, helped, "/order/intent", "shop.order", "cups")
        story.commit("helper", helper, helped, offers["proposals"][0])
    story.intent("helper", helper, helped, "/gift/intent", "shop.gift", "cups")

    story.chapter("Somebody else's grant, somebody else's proposal, another hash")
    story.intent("stranger", stranger, grants, "/order/intent", "shop.order", "cups")
    _, offers = story.intent("agent", agent, grants, "/order/intent", "shop.order", "beans")
    beans = offers["proposals"][0]
    story.commit("helper", helper, helped, beans)
    story.commit("helper", helper, helped, {**beans, "id": "p-unknown"})
    proof = agent.proof("COMMIT", proposal_hash(cups))
    more = {"proposal": beans["id"], "hash": proposal_hash(cups)}
    story.send("agent", "/order/commit", "COMMIT", grants, proof, **more)

    story.chapter("In one round trip, where that needs nobody's consent; a repeat gets the first answer")
    for frame_id, order in ("auto-1", "cups"), ("auto-1", "cups"), ("auto-2", "machine"), ("auto-2", "machine"):
        story.auto("agent", agent, grants, frame_id, order)

    story.chapter("The helper's block is revoked. Then, for a moment, everything is")
    story.revoke(block_ids(helped[0])[1] + "\n")
    story.intent("helper", helper, helped, "/order/intent", "shop.order", "filter")
    story.commit("agent", agent, grants, cups)
    story.revoke("everything\n")
    story.commit("agent", agent, grants, cups)
    story.revoke("# nothing\n")
    story.commit("agent", agent, grants, cups)


main()
