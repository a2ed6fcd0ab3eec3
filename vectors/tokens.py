"""Keys, grant tokens, proofs and proposals, and every bent form of them that a case may want."""

import ed25519
from canonical import b64url, digest, write

NOW = 1790000000
IAT = 1789999900
EXP = 1790003600
SERVICE = "shop.example"
CAPABILITY = "shop.order"


class Key:
    """An honest key from a seed."""

    def __init__(self, seed):
        self.seed_bytes = seed
        self.raw = ed25519.public(seed)
        self.seed = b64url(seed)
        self.text = "ed25519:" + b64url(self.raw)
        self.scalar = ed25519.expand(seed)[0]

    def sign(self, message):
        return b64url(ed25519.sign(self.seed_bytes, self.raw, message.encode("utf-8")))


class OddKey:
    """A key of any 32 bytes that read as scalar*B plus torsion, and its signatures."""

    def __init__(self, raw, scalar=0, exact=True, commitments=None):
        self.raw = raw
        self.text = "ed25519:" + b64url(raw)
        self.scalar, self.exact, self.commitments = scalar, exact, commitments

    def sign(self, message):
        signature = ed25519.sign_as(
            self.scalar, self.raw, message.encode("utf-8"), self.exact, self.commitments)
        if signature is None:
            raise ValueError("no such signature for this message")
        return b64url(signature)


_KEYS = {}


def key(number):
    """The key whose seed is 32 times the byte `number`."""
    if number not in _KEYS:
        _KEYS[number] = Key(bytes([number]) * 32)
    return _KEYS[number]


PRINCIPAL, AGENT, OTHER_PRINCIPAL, SECOND, THIRD, STRANGER = (key(n) for n in (1, 2, 3, 4, 5, 9))


class Token:
    """A chain of blocks: the text of each payload, its signature, and what the payload meant."""

    def __init__(self, blocks=()):
        self.blocks = list(blocks)

    @property
    def text(self):
        return pack("[" + ",".join('{"p":%s,"s":"%s"}' % (p, s) for p, s, _ in self.blocks) + "]")

    @property
    def ids(self):
        return [digest(s) for _, s, _ in self.blocks]

    @property
    def iss(self):
        return self.blocks[0][2]["iss"]

    @property
    def holder(self):
        return self.blocks[-1][2]["sub"]

    def part(self, *indexes):
        """The chain of just these blocks, in this order, nothing signed again."""
        return Token([self.blocks[i] for i in indexes])

    def with_block(self, index, payload=None, sig=None, spelled=None):
        """One block changed; what was not given stays."""
        text, old, meant = self.blocks[index]
        if payload is not None:
            text, meant = write(payload), payload
        if spelled is not None:
            text = spelled
        blocks = list(self.blocks)
        blocks[index] = (text, old if sig is None else sig, meant)
        return Token(blocks)


def pack(text):
    return "pg1." + b64url(text.encode("utf-8") if isinstance(text, str) else text)


def altered(payload, change, drop):
    payload = dict(payload, **(change or {}))
    for name in drop:
        del payload[name]
    return payload


def sealed(token, payload, signer):
    text = write(payload)
    return Token(token.blocks + [(text, signer.sign(text), payload)])


def root(caveats=(), sub=AGENT, iss=PRINCIPAL, iat=IAT, nonce="n1", signer=None, change=None, drop=()):
    payload = {"iss": iss.text, "sub": sub.text, "caveats": list(caveats), "iat": iat, "nonce": nonce}
    return sealed(Token(), altered(payload, change, drop), signer or iss)


def extend(token, signer, sub, caveats=(), iat=IAT, prev=None, change=None, drop=()):
    """A delegation by `signer`; `prev` is the true one unless given."""
    payload = {"prev": prev if prev is not None else token.ids[-1], "sub": sub.text,
               "caveats": list(caveats), "iat": iat}
    return sealed(token, altered(payload, change, drop), signer)


def chain(length, caveats=()):
    """A chain of `length` blocks from PRINCIPAL that ends at AGENT; the last block has the caveats."""
    holders = [key(100 + i) for i in range(length - 1)] + [AGENT]
    token = root(caveats if length == 1 else (), sub=holders[0])
    for i in range(1, length):
        token = extend(token, holders[i - 1], holders[i], caveats if i == length - 1 else ())
    return token


def signed_text(aud, verb, target, ts):
    return write({"aud": aud, "verb": verb, "target": target, "ts": ts})


def proof(verb, target, aud=SERVICE, ts=NOW, by=AGENT):
    """A proof as a dict; write() or loose() makes its text."""
    return {"key": by.text, "ts": ts, "sig": by.sign(signed_text(aud, verb, target, ts))}


def cost(amount, currency="USD"):
    return {"amount": amount, "currency": currency}


def limit(maximum, currency="USD"):
    return {"max": maximum, "currency": currency}


PROPOSAL = {
    "id": "p-1", "capability": CAPABILITY, "summary": "Two bags of coffee",
    "effects": [{"op": "create", "target": "order"}], "cost": cost(2500), "risk": "low",
    "undo": {"window": 600}, "expires": NOW + 600,
}


def proposal(drop=(), **change):
    return altered(PROPOSAL, change, drop)


def own_hash(value):
    """The hash of a proposal that is a dict."""
    return digest(write({name: item for name, item in value.items() if name not in ("hash", "data")}))
