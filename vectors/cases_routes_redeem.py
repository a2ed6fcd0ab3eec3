"""Redemptions of a route: first ones, replays, and everything else, which is refused alike (C1, C2, C3, C4)."""

import hashlib

from canonical import b64url, digest
from cases_routes_deliver import ANSWERER, ASKER, I64_MAX, I64_MIN, LINEAGE, ROOM, WEEK, scope
from tokens import NOW

REFUSED = {"ok": False}
EXPIRES = NOW + WEEK
KEY, BODY = "key-1", "yes"
SESSION = scope("agent-b", "s1")
# The digests of FIPS 180 for nothing and for "abc".
assert digest("") == b64url(bytes.fromhex("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"))
assert digest("abc") == b64url(bytes.fromhex("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"))
# What is wrong with an attempt or its record, one thing each, and refuses a first redemption.
WRONGS = (("revoked", {"state": "revoked"}), ("room", {"attempt_room": "room-2"}), ("agent", {"scope": ASKER}),
          ("session", {"scope": SESSION}), ("authority", {"authority": False}), ("older", {"generation": 2}),
          ("newer", {"generation": 4}), ("expired", {"expires": NOW}), ("paused", {"platform_paused": True}),
          ("not-reactive", {"room_reactive": False}), ("hop-zero", {"hop": 0}), ("hop-above", {"hop": 17}))
# What does not matter to a replay, by what it changes.
MOOT = (("expired", {"expires": NOW}), ("long-expired", {"expires": I64_MIN}), ("paused", {"platform_paused": True}),
        ("not-reactive", {"room_reactive": False}), ("older", {"generation": 2}), ("newer", {"generation": 4}),
        ("everything", {"expires": NOW - 1, "platform_paused": True, "room_reactive": False, "generation": 2}))
# What is not quite "agent-b", "room-1" or "key-1".
ALIKE = (("upper", str.upper), ("space-after", lambda text: text + " "), ("space-before", lambda text: " " + text),
         ("zero", lambda text: text + "\x00"), ("shorter", lambda text: text[:-1]), ("longer", lambda text: text + "1"),
         ("empty", lambda text: ""), ("full-width", lambda text: chr(ord(text[0]) + 0xfee0) + text[1:]))


def first(hop=1, target=ASKER):
    return {"ok": True, "hop": hop, "target": target}


def replay(receipt="receipt-1"):
    return {"ok": True, "receipt": receipt}


def used(key=KEY, body=BODY, receipt="receipt-1"):
    """The state of a route that was consumed."""
    data = body if isinstance(body, bytes) else body.encode("utf-8")
    return {"key": key, "body_sha256": b64url(hashlib.sha256(data).digest()), "receipt": receipt}


def redeem(book, name, expect, now=NOW, **changes):
    """An open route of hop 1 across principals, redeemed as it should be, but for `changes`. `room` and `generation`
    are those of the record; `attempt_room` and `current` those of the attempt and of the room now."""
    full = dict(room=ROOM, recipient=ANSWERER, target=ASKER, generation=3, hop=1, lineage=LINEAGE, expires=EXPIRES,
                cross_principal=True, state="open", attempt_room=ROOM, scope=ANSWERER, authority=True, key=KEY,
                body=BODY, platform_paused=False, room_reactive=True, current=3, known=True)
    assert set(changes) <= set(full), changes
    full.update(changes)
    route = {name: full[name] for name in ("room", "recipient", "target", "generation", "hop", "lineage", "expires",
                                           "cross_principal", "state")}
    attempt = {name: full[name] for name in ("scope", "authority", "key", "body")}
    book.add(name, "redeem", expect, now=now, route=route if full["known"] else None,
             attempt=dict(room=full["attempt_room"], **attempt), controls={
                 "platform_paused": full["platform_paused"], "room_reactive": full["room_reactive"],
                 "generation": full["current"]})


def both(book, name, plus, kept=None, **change):
    """A pair: as `kept` says with the answer `plus`, and with `change` on top of it refused."""
    kept = kept or {}
    redeem(book, name + "/+", plus, **kept)
    redeem(book, name + "/-", REFUSED, **dict(kept, **change))


def cases(book):
    book.topic("redeem")
    bound(book)
    hops(book)
    needs(book)
    clocks(book)
    replays(book)
    digests(book)
    alike(book)
    controls(book)


def bound(book):
    """C1: what the route is bound to, as it is redeemed."""
    both(book, "C1.3/authority", first(), authority=False)
    both(book, "C1.3/another-agent", first(), scope=scope("agent-c"))
    both(book, "C1.3/author", first(), scope=ASKER)
    both(book, "C1.6/another-room", first(), attempt_room="room-2")
    both(book, "C1.6/odd-room", first(), {"room": 'r"\\\u2028', "attempt_room": 'r"\\\u2028'},
         attempt_room='r"\\\u2029')
    both(book, "C1.6/empty-room", first(), {"room": "", "attempt_room": ""}, attempt_room=" ")
    agent, two = ANSWERER, scope("agent-b", "s2")
    both(book, "C1.7/agent-by-a-session", first(), scope=SESSION)
    both(book, "C1.7/agent-by-an-empty-session", first(), scope=scope("agent-b", ""))
    both(book, "C1.7/session-by-the-agent", first(), {"recipient": SESSION, "scope": SESSION}, scope=agent)
    both(book, "C1.7/session-by-another", first(), {"recipient": SESSION, "scope": SESSION}, scope=two)
    both(book, "C1.7/session-of-another-agent", first(), {"recipient": SESSION, "scope": SESSION},
         scope=scope("agent-c", "s1"))
    both(book, "C1.7/empty-session-by-the-agent", first(), {"recipient": scope("agent-b", ""),
                                                           "scope": scope("agent-b", "")}, scope=agent)
    odd = scope('b"\u2028', '\\"\u2029\n')
    both(book, "C1.7/odd-texts", first(), {"recipient": odd, "scope": odd}, scope=scope('b"\u2028', '\\"\u2028\n'))
    redeem(book, "C1.7/parts-do-not-run-together", REFUSED, recipient=SESSION, scope=scope("agent-bs1", ""))
    for slug, target in (("agent", ASKER), ("session", scope("agent-a", "s1")), ("empty-session", scope("agent-a", "")),
                         ("odd", scope('a"\u2028\U0001f600', "\\\n"))):
        both(book, "C1.8/to-" + slug, first(target=target), {"target": target}, state="revoked")
    redeem(book, "C1.8/to-a-session-from-a-session", first(target=scope("agent-a", "s1")), recipient=SESSION,
           scope=SESSION, target=scope("agent-a", "s1"))
    both(book, "C1.9/moved-on", first(), current=4)
    both(book, "C1.12/room", first(), {"room_reactive": False, "cross_principal": False}, cross_principal=True)
    kept = {"recipient": SESSION, "scope": SESSION, "target": scope("agent-a", "s9"), "hop": 4}
    answer = first(4, scope("agent-a", "s9"))
    for slug, change in (("recipient", {"scope": scope("agent-b", "s3")}), ("room", {"attempt_room": "lobby"}),
                         ("generation", {"current": 5}), ("authority", {"authority": False}),
                         ("expiry", {"now": EXPIRES})):
        both(book, "C1.15/" + slug, answer, kept, **change)
    both(book, "C1.15/once", replay(), dict(kept, state=used()), key="key-2")


def hops(book):
    """C1.10 and C2: the hop of a route, through a whole lineage and outside it."""
    for hop in range(1, 17):
        there = hop % 2 == 1
        to, of = (ASKER, ANSWERER) if there else (ANSWERER, ASKER)
        redeem(book, "C2.4/answer-%d" % hop, first(hop, to), hop=hop, target=to, recipient=of, scope=of)
    both(book, "C1.10/lowest", first(1), {"hop": 1}, hop=0)
    both(book, "C1.10/highest", first(16), {"hop": 16}, hop=17)
    both(book, "C1.10/inside", first(3), {"hop": 3, "cross_principal": False}, hop=-3)
    for slug, hop in (("minus-one", -1), ("minus-sixteen", -16), ("lowest-of-all", I64_MIN),
                      ("highest-of-all", I64_MAX), ("byte-1", 257), ("word-1", 2**32 + 1), ("eighteen", 18)):
        redeem(book, "C1.10/" + slug, REFUSED, hop=hop)
    both(book, "C2.4/no-seventeenth", first(16), {"hop": 16}, hop=17)
    both(book, "C2.2/hop-9", first(9), {"hop": 9}, state="revoked")
    both(book, "C2.2/hop-16", first(16), {"hop": 16}, authority=False)
    for slug, hop in (("zero", 0), ("above", 17), ("below", -1)):
        redeem(book, "C1.10/consumed-" + slug, REFUSED, hop=hop, state=used())
    both(book, "C1.10/replay", replay(), {"hop": 16, "state": used()}, hop=17)


def needs(book):
    """C3.1 to C3.8 and C3.13: each thing that a first redemption needs, alone and together with others."""
    both(book, "C3.1/open", first(), state="revoked")
    redeem(book, "C3.1/no-record", REFUSED, known=False)
    redeem(book, "C3.1/no-record-inside-a-session", REFUSED, known=False, scope=SESSION)
    redeem(book, "C3.1/consumed", REFUSED, state=used("key-0"))
    redeem(book, "C3.1/consumed-with-another-body-too", REFUSED, state=used("key-0", "no"))
    both(book, "C3.2/room", first(), {"cross_principal": False}, attempt_room="room-2")
    both(book, "C3.3/scope", first(), {"cross_principal": False}, scope=scope("agent-c"))
    both(book, "C3.3/session", first(), {"cross_principal": False}, scope=SESSION)
    both(book, "C3.4/authority", first(), {"cross_principal": False}, authority=False)
    for slug, generation in (("zero", 0), ("three", 3), ("seven", 7), ("highest", I64_MAX)):
        kept = {"generation": generation, "current": generation}
        if generation:
            both(book, "C3.5/%s-and-older" % slug, first(), kept, generation=generation - 1)
        if generation < I64_MAX:
            both(book, "C3.5/%s-and-newer" % slug, first(), kept, generation=generation + 1)
    redeem(book, "C3.5/first-and-last", REFUSED, generation=0, current=I64_MAX)
    redeem(book, "C3.5/last-and-first", REFUSED, generation=I64_MAX, current=0)
    redeem(book, "C3.5/word", REFUSED, generation=2**32 + 3)
    both(book, "C3.5/within-a-principal", first(), {"cross_principal": False}, generation=2)
    both(book, "C3.7/across", first(), platform_paused=True)
    both(book, "C3.7/inside", first(), {"cross_principal": False}, platform_paused=True)
    both(book, "C3.8/across", first(), room_reactive=False)
    both(book, "C3.8/inside", first(), {"cross_principal": False, "room_reactive": False}, cross_principal=True)
    redeem(book, "C3.7/inside-and-not-reactive", REFUSED, cross_principal=False, platform_paused=True,
           room_reactive=False)
    for slug, change in WRONGS:
        both(book, "C3.13/%s-alone" % slug, first(6), {"hop": 6}, **change)
    for index, (slug, change) in enumerate(WRONGS):
        other, more = WRONGS[(index + 1) % len(WRONGS)]
        redeem(book, "C3.13/%s-and-%s" % (slug, other), REFUSED, **dict(change, **more))
    everything = dict(state="revoked", attempt_room="room-2", scope=ASKER, authority=False, generation=2, expires=NOW,
                      platform_paused=True, room_reactive=False, hop=0)
    redeem(book, "C3.13/everything", REFUSED, **everything)
    redeem(book, "C3.13/everything-and-no-record", REFUSED, known=False, **everything)
    redeem(book, "C3.13/everything-and-consumed", REFUSED, **dict(everything, state=used()))
    for slug, change in WRONGS[1:]:
        redeem(book, "C3.13/revoked-and-%s-too" % slug, REFUSED, **dict(change, state="revoked"))


def clocks(book):
    """C3.6: before the expiry, at it and after it, anywhere on the clock."""
    both(book, "C3.6/last-second", first(), {"expires": NOW + 1}, expires=NOW)
    both(book, "C3.6/by-the-clock", first(), {"now": EXPIRES - 1}, now=EXPIRES)
    both(book, "C3.6/inside", first(), {"cross_principal": False, "now": EXPIRES - 1}, now=EXPIRES)
    both(book, "C3.6/lowest", first(), {"now": I64_MIN, "expires": I64_MIN + 1}, expires=I64_MIN)
    both(book, "C3.6/highest", first(), {"now": I64_MAX - 1, "expires": I64_MAX}, now=I64_MAX)
    both(book, "C3.6/below-zero", first(), {"now": -2, "expires": -1}, now=-1)
    both(book, "C3.6/around-zero", first(), {"now": -1, "expires": 0}, now=0)
    redeem(book, "C3.6/a-second-after", REFUSED, expires=NOW - 1)
    redeem(book, "C3.6/whole-clock", first(), now=I64_MIN, expires=I64_MAX)
    redeem(book, "C3.6/whole-clock-after", REFUSED, now=I64_MAX, expires=I64_MIN)


def replays(book):
    """C3.11 and C3.12: who gets the receipt again, and what does not matter to it."""
    kept = {"state": used()}
    for slug, change in (("key", {"key": "key-2"}), ("empty-key", {"key": ""}), ("body", {"body": "no"}),
                         ("body-of-one-byte-more", {"body": "yes\n"}), ("body-of-one-byte-less", {"body": "ye"}),
                         ("body-of-one-other-byte", {"body": "yet"}), ("empty-body", {"body": ""}),
                         ("body-in-upper-case", {"body": "Yes"}), ("room", {"attempt_room": "room-2"}),
                         ("agent", {"scope": scope("agent-c")}), ("author", {"scope": ASKER}),
                         ("session", {"scope": SESSION}), ("authority", {"authority": False})):
        both(book, "C3.11/" + slug, replay(), kept, **change)
    session = dict(kept, recipient=SESSION, scope=SESSION)
    both(book, "C3.11/session-by-the-agent", replay(), session, scope=ANSWERER)
    both(book, "C3.11/session-by-another", replay(), session, scope=scope("agent-b", "s2"))
    both(book, "C3.11/inside", replay(), dict(kept, cross_principal=False), key="key-2")
    for slug, text in (("another", "receipt-2"), ("empty", ""), ("odd", 'r"\\\u2028\n\U0001f600\x00')):
        both(book, "C3.11/receipt-" + slug, replay(text), {"state": used(receipt=text)}, authority=False)
    redeem(book, "C3.11/key-and-body-exchanged", REFUSED, state=used("a", "b"), key="b", body="a")
    redeem(book, "C3.11/key-and-body-run-together", REFUSED, state=used("ab", "c"), key="a", body="bc")
    redeem(book, "C3.11/key-that-is-the-receipt", REFUSED, state=used(), key="receipt-1")
    redeem(book, "C3.11/body-that-is-the-digest", REFUSED, state=used(), body=digest(BODY))
    for slug, change in MOOT:
        both(book, "C3.12/" + slug, replay(), dict(change, state=used()), key="key-2")
        both(book, "C3.12/%s-another-body" % slug, replay(), dict(change, state=used()), body="yes ")
    for slug, change in MOOT:
        redeem(book, "C3.12/%s-without-authority" % slug, REFUSED, state=used(), **dict(change, authority=False))
        redeem(book, "C3.12/%s-another-scope" % slug, REFUSED, state=used(), **dict(change, scope=SESSION))
        redeem(book, "C3.12/%s-another-room" % slug, REFUSED, state=used(), **dict(change, attempt_room="room-2"))
    both(book, "C3.12/latest-clock", replay(), {"state": used(), "now": I64_MAX}, key="key-2")
    redeem(book, "C3.12/lowest-clock", replay(), state=used(), now=I64_MIN)
    redeem(book, "C3.12/inside-while-paused", replay(), state=used(), cross_principal=False, platform_paused=True)


def digests(book):
    """C3.9: key and body as the bytes of their UTF-8, whatever they are."""
    for slug, body in (("empty", ""), ("abc", "abc"), ("zero", "\x00"), ("latin", "\u00e9"), ("cjk", "\u8def"),
                       ("beyond", "\U0001f600"), ("line-separator", "\u2028"), ("escapes", '"\\/\b\f\n\r\t'),
                       ("bom", "\ufeffyes"), ("long", "0123456789abcdef" * 512)):
        redeem(book, "C3.9/first-" + slug, first(), body=body)
        both(book, "C3.9/body-" + slug, replay(), {"state": used(body=body), "body": body}, body=body + "x")
    redeem(book, "C3.9/body-composed", REFUSED, state=used(body="\u00e9"), body="e\u0301")
    redeem(book, "C3.9/body-decomposed", REFUSED, state=used(body="e\u0301"), body="\u00e9")
    redeem(book, "C3.9/body-in-latin-1", REFUSED, state=used(body="\u00e9".encode("latin-1")), body="\u00e9")
    redeem(book, "C3.9/body-in-utf-16", REFUSED, state=used(body="yes".encode("utf-16-le")))
    redeem(book, "C3.9/body-in-cesu-8", REFUSED, state=used(body=b"\xed\xa0\xbd\xed\xb8\x80"), body="\U0001f600")
    redeem(book, "C3.9/body-as-its-json", REFUSED, state=used(body='"yes"'))
    # What a record has in place of a digest is that of no body.
    for slug, text in (("nothing", ""), ("padded", digest(BODY) + "="), ("shorter", digest(BODY)[:-1]),
                       ("hexadecimal", hashlib.sha256(BODY.encode()).hexdigest()),
                       ("swapped", digest(BODY).swapcase())):
        redeem(book, "C3.9/digest-" + slug, REFUSED, state=dict(used(), body_sha256=text))
    for slug, key in (("empty", ""), ("zero", "\x00"), ("latin", "\u00e9"), ("beyond", "\U0001f600"),
                      ("line-separator", "\u2028"), ("escapes", '"\\/\b\f\n\r\t'), ("long", "k" * 255)):
        redeem(book, "C3.9/first-key-" + slug, first(), key=key)
        both(book, "C3.9/key-" + slug, replay(), {"state": used(key), "key": key}, key=key + "x")
    redeem(book, "C3.9/key-composed", REFUSED, state=used("\u00e9"), key="e\u0301")
    redeem(book, "C3.9/key-decomposed", REFUSED, state=used("e\u0301"), key="\u00e9")
    redeem(book, "C3.9/both-empty", replay(), state=used("", ""), key="", body="")


def alike(book):
    """C3.13: texts that look alike are others."""
    for slug, change in ALIKE:
        redeem(book, "C3.13/agent-" + slug, REFUSED, scope=scope(change("agent-b")))
        redeem(book, "C3.13/session-name-" + slug, REFUSED, recipient=SESSION, scope=scope("agent-b", change("s1")))
        redeem(book, "C3.13/room-" + slug, REFUSED, attempt_room=change(ROOM))
        redeem(book, "C3.13/key-" + slug, REFUSED, state=used(), key=change(KEY))


def controls(book):
    """C4: what a pause and a policy do to a redemption."""
    both(book, "C4.1/redemption", first(2), {"hop": 2}, platform_paused=True)
    both(book, "C4.1/policy", first(2), {"hop": 2}, room_reactive=False)
    both(book, "C4.2/redemption", first(16), {"hop": 16}, platform_paused=True)
    both(book, "C4.2/redemption-inside", first(16), {"hop": 16, "cross_principal": False}, platform_paused=True)
    both(book, "C4.3/after-the-pause", first(), {"now": EXPIRES - 1}, platform_paused=True)
    both(book, "C4.3/expired-during-the-pause", first(), {"now": EXPIRES - 1}, now=EXPIRES)
    both(book, "C4.5/older", first(), {"current": 4, "generation": 4}, generation=3)
    both(book, "C4.5/inside", first(), {"current": 4, "generation": 4, "cross_principal": False}, current=5)
    redeem(book, "C4.5/reactive-once-more", REFUSED, generation=3, current=5, room_reactive=True)
    for paused in (False, True):
        for reactive in (True, False):
            slug = "%s-%s" % ("paused" if paused else "on", "room" if reactive else "no-room")
            given = dict(platform_paused=paused, room_reactive=reactive, hop=5)
            redeem(book, "C4.1/across-" + slug, first(5) if not paused and reactive else REFUSED, **given)
            redeem(book, "C4.1/inside-" + slug, REFUSED if paused else first(5), cross_principal=False, **given)
            redeem(book, "C4.1/replay-" + slug, replay(), state=used(), **given)
