#!/usr/bin/env python3
"""Makes requests.txt, the requests whose memory is measured: `requests.py`, or with `--check` says whether it is so.

A line is NAME DECISION VERB PROOF TOKENS, then the capability, or for a COMMIT the proposal and its hash; tabs between, and a
space between tokens.
"""

import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "vectors"))

from canonical import b64url, write  # noqa: E402
from tokens import (AGENT, CAPABILITY, EXP, SERVICE, key, limit, own_hash, pack, proof, proposal, root,  # noqa: E402
                    extend)


def grant(blocks):
    """Six caveats in the root, two in each delegation."""
    holders = [key(100 + at) for at in range(blocks - 1)] + [AGENT]
    token = root([{"svc": [SERVICE]}, {"can": ["shop.*"]}, {"exp": EXP}, {"per": limit(3000)},
                  {"spend": limit(10000)}, {"risk": "low"}], sub=holders[0])
    for before, holder in zip(holders, holders[1:]):
        token = extend(token, before, holder, [{"exp": EXP - 60}, {"per": limit(2500)}])
    return token.text


def filled(make, end):
    """The longest of make(1), make(2), ... that is not longer than `end` bytes."""
    low, high = 1, end
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if len(make(middle)) <= end else (low, middle - 1)
    return make(low)


def plain_ask(name, token, said="allowed"):
    return [name, said, "ASK", write(proof("ASK", CAPABILITY)), token, CAPABILITY]


def commit(name, token, offered, text=None):
    text = write(offered) if text is None else text
    hashed = own_hash(offered)
    return [name, "allowed", "COMMIT", write(proof("COMMIT", hashed)), token, text, hashed]


# What fills a small machine's memory best, up to the limits of measure.rs.
TOKEN, JSON, GRANTS = 3072, 1024, 2


def hostile():
    """Texts that are cheap to send and dear to keep, as many as may be sent with one request."""
    def ask(name, said, token):
        return plain_ask(name, " ".join([token] * GRANTS), said)

    def caveats(items):
        return root(items).text

    def services(length):
        return {"svc": [SERVICE] + [""] * (length - 1)}

    # Lists whose room has just doubled, and a last one that doubles beside the others.
    for length in (5, 9, 17, 33, 65, 129, 257, 513):
        yield ask("lists of %d services" % length, "allowed", filled(
            lambda n: caveats([services(length)] * (n // length) + [services(n % length + 1)]), TOKEN))
    for last in (129, 257, 513):
        yield ask("lists, the last of %d services" % last, "allowed", filled(
            lambda n: caveats([services(65)] * (n // 65) + [services(n % 65 + 1), services(last)]), TOKEN))
    yield ask("many services", "allowed", filled(lambda n: caveats([{"svc": [SERVICE] + [""] * n}]), TOKEN))
    yield ask("many caveats", "allowed", filled(lambda n: caveats([{"exp": EXP}] * min(n, 64)), TOKEN))
    yield ask("many unknown caveats", "refused",
              filled(lambda n: caveats([{}] * min(n, 64) + [{"x": "y" * n}]), TOKEN))
    yield ask("one long text", "refused", filled(lambda n: caveats([{"svc": ["s" * n]}]), TOKEN))
    yield ask("no signatures", "refused",
              filled(lambda n: pack("[" + ",".join(['{"p":{},"s":""}'] * n) + "]"), TOKEN))
    yield ask("brackets", "refused", filled(lambda n: pack("[" * n), TOKEN))
    yield ask("characters that are escaped", "refused",
              filled(lambda n: pack('[{"p":"' + "\\u0001" * n + '"}]'), TOKEN))
    plain = grant(4)
    yield commit("many members", plain, *longest(lambda n: proposal(data={str(i): i for i in range(n)})))
    yield commit("many effects", plain, *longest(lambda n: proposal(effects=[{"op": "", "target": ""}] * n)))
    yield commit("a long summary", plain, *longest(lambda n: proposal(summary="\n" * n)))
    yield commit("many numbers, 512 bytes", plain, *longest(lambda n: proposal(data=[0] * n), 512))


def longest(make, end=JSON):
    """The longest of the proposals make(1), make(2), ... that is not longer than `end` bytes, and its text."""
    text = filled(lambda n: write(make(n)), end)
    return json.loads(text), text


def lines():
    yield plain_ask("ask, 1 block", grant(1))
    yield plain_ask("ask, 4 blocks", grant(4))
    yield plain_ask("ask, 16 blocks", grant(16))
    # Without a space, so that it can stand in a command line.
    coffee = proposal(summary="Coffee")
    yield commit("commit, 1 block", grant(1), coffee)
    yield commit("commit, 4 blocks", grant(4), coffee)
    yield commit("commit, 16 blocks", grant(16), coffee)
    yield from hostile()


def main():
    text = "".join("\t".join(line) + "\n" for line in lines())
    path = HERE / "requests.txt"
    if sys.argv[1:] == ["--check"]:
        if path.read_text() != text:
            sys.exit("requests.txt is not what requests.py makes")
    else:
        path.write_text(text)


if __name__ == "__main__":
    main()
