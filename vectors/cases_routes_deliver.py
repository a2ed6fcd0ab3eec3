"""What becomes of a delivery: a turn with a route or without, held, or none (C1, C2, C4)."""

from tokens import NOW

I64_MAX, I64_MIN = 2**63 - 1, -2**63
WEEK = 7 * 24 * 3600
ROOM, LINEAGE = "room-1", "lineage-1"
NONE, HELD = {"delivery": "none"}, {"delivery": "held"}
WITHOUT = {"delivery": "turn", "route": None, "remaining": 0}
MESSAGE = ("room", "kind", "hop", "lineage", "author", "recipient", "cross_principal", "admitted", "moderated", "alive",
           "duplicate", "retention_end")
CONTROLS = ("platform_paused", "room_reactive", "generation", "posture")
# Every gate that a single change can close, by what it changes.
GATES = (("broadcast", {"kind": "broadcast"}), ("unaddressed", {"kind": "unaddressed"}), ("not-admitted",
         {"admitted": False}), ("not-moderated", {"moderated": False}), ("not-alive", {"alive": False}),
         ("duplicate", {"duplicate": True}), ("hop-below", {"hop": -1}))
STOPS = (("paused", {"platform_paused": True}), ("not-reactive", {"room_reactive": False}),
         ("manual", {"posture": "manual"}))


def scope(agent, session=None):
    return {"agent": agent, "session": session}


ASKER, ANSWERER = scope("agent-a"), scope("agent-b")


def turn(hop, remaining, recipient=ANSWERER, target=ASKER, room=ROOM, generation=3, lineage=LINEAGE,
         expires=NOW + WEEK):
    """The turn with a route of that hop."""
    return {"delivery": "turn", "route": {
        "room": room, "recipient": recipient, "target": target, "generation": generation, "hop": hop,
        "lineage": lineage, "expires": expires}, "remaining": remaining}


def deliver(book, name, expect, now=NOW, **changes):
    """A direct message of hop 0 across principals that every gate lets through, but for `changes`."""
    full = dict(room=ROOM, kind="direct", hop=0, lineage=LINEAGE, author=ASKER, recipient=ANSWERER,
                cross_principal=True, admitted=True, moderated=True, alive=True, duplicate=False,
                retention_end=NOW + 30 * 24 * 3600, platform_paused=False, room_reactive=True, generation=3,
                posture="reactive")
    assert set(changes) <= set(full), changes
    full.update(changes)
    book.add(name, "deliver", expect, now=now, delivery={name: full[name] for name in MESSAGE},
             controls={name: full[name] for name in CONTROLS})


def cases(book):
    book.topic("deliver")
    bound(book)
    expiry(book)
    hops(book)
    gates(book)
    controls(book)
    postures(book)


def both(book, name, plus, minus, kept=None, **change):
    """A pair: as `kept` says with the answer `plus`, and with `change` on top of it with the answer `minus`."""
    kept = kept or {}
    deliver(book, name + "/+", plus, **kept)
    deliver(book, name + "/-", minus, **dict(kept, **change))


def bound(book):
    """What the route is bound to, as it is handed out."""
    first = turn(1, 16)
    both(book, "C1.6/room-of-the-message", turn(1, 16, room="room-2"), NONE, {"room": "room-2"}, admitted=False)
    deliver(book, "C1.6/odd-room", turn(1, 16, room='r"\\\u2028\n\U0001f600'), room='r"\\\u2028\n\U0001f600')
    deliver(book, "C1.6/empty-room", turn(1, 16, room=""), room="")
    for slug, session in (("agent", None), ("session", "s1"), ("empty-session", ""),
                          ("session-like-an-agent", "agent-b")):
        to = scope("agent-b", session)
        both(book, "C1.7/to-" + slug, turn(1, 16, recipient=to), HELD, {"recipient": to}, posture="manual")
        by = scope("agent-a", session)
        both(book, "C1.8/by-" + slug, turn(1, 16, target=by), HELD, {"author": by}, posture="manual")
    one, two = scope("agent-a", "s1"), scope("agent-b", "s2")
    deliver(book, "C1.8/session-to-session", turn(1, 16, recipient=two, target=one), author=one, recipient=two)
    deliver(book, "C1.8/same-name-of-session", turn(1, 16, recipient=scope("agent-b", "s1"), target=one), author=one,
            recipient=scope("agent-b", "s1"))
    odd = scope('a"\u2028', "\\s\u0000")
    deliver(book, "C1.8/odd-texts", turn(1, 16, target=odd), author=odd)
    deliver(book, "C1.7/odd-texts", turn(1, 16, recipient=odd), recipient=odd)
    for slug, generation in (("zero", 0), ("one", 1), ("largest", I64_MAX)):
        deliver(book, "C1.9/generation-" + slug, turn(1, 16, generation=generation), generation=generation)
    deliver(book, "C1.10/one-more", turn(8, 9), hop=7)
    for slug, lineage in (("another", "lineage-2"), ("empty", ""), ("odd", '"\u2028\\\u00e9')):
        both(book, "C1.11/" + slug, turn(16, 1, lineage=lineage), WITHOUT, {"hop": 15, "lineage": lineage}, hop=16)
    both(book, "C1.12/another-principal", first, HELD, {"room_reactive": True}, room_reactive=False)
    both(book, "C1.12/same-principal", first, HELD, {"room_reactive": False, "cross_principal": False},
         cross_principal=True)


def expiry(book):
    """C1.13 and C1.14: the earlier of seven days and the end of the retention, and no route that is over."""
    for slug, seconds in (("a-second-before", WEEK - 1), ("equal", WEEK)):
        deliver(book, "C1.14/retention-" + slug, turn(1, 16, expires=NOW + seconds), retention_end=NOW + seconds)
    deliver(book, "C1.13/retention-a-second-after", turn(1, 16, expires=NOW + WEEK), retention_end=NOW + WEEK + 1)
    deliver(book, "C1.13/retention-without-end", turn(1, 16, expires=NOW + WEEK), retention_end=I64_MAX)
    end = NOW + WEEK + 1
    both(book, "C1.13/week", turn(1, 16, expires=NOW + WEEK), WITHOUT, {"now": NOW, "retention_end": end}, now=end)
    both(book, "C1.14/last-second", turn(1, 16, expires=NOW + 1), WITHOUT, {"retention_end": NOW + 1},
         retention_end=NOW)
    for slug, end in (("a-second-ago", NOW - 1), ("a-week-ago", NOW - WEEK), ("zero", 0), ("lowest", I64_MIN)):
        deliver(book, "C1.14/over-" + slug, WITHOUT, retention_end=end)
    # No sum leaves the range of the clock.
    for slug, now, end, expires in (
            ("week-fits", I64_MAX - WEEK, I64_MAX, I64_MAX), ("week-fits-and-more", I64_MAX - WEEK - 1, I64_MAX,
                                                              I64_MAX - 1),
            ("week-does-not-fit", I64_MAX - WEEK + 1, I64_MAX, I64_MAX), ("second-left", I64_MAX - 1, I64_MAX, I64_MAX),
            ("late-and-short", I64_MAX - 5, I64_MAX - 3, I64_MAX - 3), ("lowest-clock", I64_MIN, I64_MAX,
                                                                       I64_MIN + WEEK),
            ("lowest-clock-short", I64_MIN, I64_MIN + 1, I64_MIN + 1), ("zero-clock", 0, I64_MAX, WEEK),
            ("negative-clock", -WEEK, I64_MAX, 0), ("negative-end", -5, -1, -1)):
        deliver(book, "C1.13/" + slug, turn(1, 16, expires=expires), now=now, retention_end=end)
    for slug, now, end in (("latest-clock", I64_MAX, I64_MAX), ("latest-clock-and-past", I64_MAX, I64_MIN),
                           ("lowest-both", I64_MIN, I64_MIN), ("latest-clock-second-ago", I64_MAX, I64_MAX - 1)):
        deliver(book, "C1.13/" + slug, WITHOUT, now=now, retention_end=end)


def hops(book):
    """C2: a whole lineage, and what is left of it."""
    for hop in range(16):
        deliver(book, "C2.3/hop-%d" % hop, turn(hop + 1, 16 - hop), hop=hop)
    deliver(book, "C2.3/hop-16", WITHOUT, hop=16)
    deliver(book, "C2.3/hop-17", NONE, hop=17)
    both(book, "C2.3/last-route", turn(16, 1), WITHOUT, {"hop": 15}, hop=16)
    both(book, "C2.3/within-a-principal", turn(16, 1), WITHOUT, {"hop": 15, "cross_principal": False}, hop=16)
    both(book, "C2.1/first", turn(1, 16), NONE, {"hop": 0}, hop=-1)
    both(book, "C2.4/answer-to-the-fifteenth", turn(16, 1), NONE, {"hop": 15}, hop=17)
    both(book, "C2.5/over-already", turn(3, 14, expires=NOW + 1), WITHOUT, {"hop": 2, "retention_end": NOW + 1},
         retention_end=NOW)
    both(book, "C2.5/one", turn(16, 1), WITHOUT, {"hop": 15}, hop=16)
    both(book, "C2.5/two", turn(15, 2), WITHOUT, {"hop": 14}, hop=16)
    deliver(book, "C2.5/last-and-over-already", WITHOUT, hop=16, retention_end=NOW)
    deliver(book, "C2.5/last-but-one-and-over-already", WITHOUT, hop=15, retention_end=NOW)
    both(book, "C2.7/another-lineage", turn(1, 16, lineage="lineage-2"), WITHOUT, {"lineage": "lineage-2"}, hop=16)
    deliver(book, "C2.7/back-to-the-asker", turn(1, 16, recipient=ASKER, target=ANSWERER, lineage="lineage-2"),
            author=ANSWERER, recipient=ASKER, lineage="lineage-2")
    for kind in ("broadcast", "unaddressed"):
        both(book, "C2.8/" + kind, turn(1, 16), NONE, kind=kind)
    both(book, "C2.8/to-itself", turn(1, 16), NONE, recipient=ASKER)
    for slug, hop in (("far-below", -16), ("lowest", I64_MIN), ("lowest-but-one", I64_MIN + 1), ("seventeen", 17),
                      ("thirty-two", 32), ("byte-16", 256 + 16), ("byte-0", 256), ("word-0", 2**32),
                      ("word-1", 2**32 + 1), ("word-16", 2**32 + 16), ("highest", I64_MAX),
                      ("highest-but-one", I64_MAX - 1)):
        deliver(book, "C4.10/hop-" + slug, NONE, hop=hop)


def gates(book):
    """C4.10 to C4.12: each gate, each with each control, and several at once."""
    for slug, change in GATES:
        both(book, "C4.10/" + slug, turn(1, 16), NONE, **change)
        both(book, "C4.10/%s-within-a-principal" % slug, turn(1, 16), NONE, {"cross_principal": False}, **change)
    closed = GATES + (("same-agent", {"author": ANSWERER}), ("hop-above", {"hop": 17}))
    for slug, change in closed:
        for stop, control in STOPS:
            deliver(book, "C4.12/%s-and-%s" % (slug, stop), NONE, **dict(change, **control))
    for slug, change in closed:
        deliver(book, "C4.12/%s-and-every-control" % slug, NONE, platform_paused=True, room_reactive=False,
                posture="manual", **change)
        deliver(book, "C4.12/%s-and-over-already" % slug, NONE, retention_end=NOW, **change)
    inside = {"cross_principal": False, "platform_paused": True, "room_reactive": False}
    both(book, "C4.12/inside", turn(1, 16), NONE, inside, duplicate=True)
    everything = dict(kind="broadcast", hop=17, author=ANSWERER, admitted=False, moderated=False, alive=False,
                      duplicate=True)
    deliver(book, "C4.10/all-closed", NONE, **everything)
    for slug, change in (("direct", {"kind": "direct"}), ("hop", {"hop": 16}), ("another-agent", {"author": ASKER}),
                         ("admitted", {"admitted": True}), ("moderated", {"moderated": True}),
                         ("alive", {"alive": True}), ("no-duplicate", {"duplicate": False})):
        deliver(book, "C4.10/all-closed-but-" + slug, NONE, **dict(everything, **change))
    deliver(book, "C4.12/all-closed-and-every-control", NONE, platform_paused=True, room_reactive=False,
            posture="manual", **everything)
    deliver(book, "C4.10/not-admitted-and-last", NONE, hop=16, admitted=False)
    # One agent in any scope, and agents that only look like it.
    for slug, by, to in (("as-such", None, None), ("one-session", "s1", "s1"), ("another-session", "s1", "s2"),
                         ("agent-to-session", None, "s1"), ("session-to-agent", "s1", None),
                         ("empty-session", "", None)):
        kept = {"author": scope("agent-a", by), "recipient": scope("agent-b", to)}
        both(book, "C4.11/" + slug, turn(1, 16, recipient=kept["recipient"], target=kept["author"]), NONE, kept,
             recipient=scope("agent-a", to))
        deliver(book, "C4.11/%s-within-a-principal" % slug, NONE, author=scope("agent-a", by),
                recipient=scope("agent-a", to), cross_principal=False)
    for slug, name in (("upper", "Agent-a"), ("space", "agent-a "), ("zero", "agent-a\x00"), ("prefix", "agent-"),
                       ("longer", "agent-ab"), ("empty", ""), ("full-width", "agent-\uff41"),
                       ("accent", "agent-a\u0301")):
        deliver(book, "C4.11/another-" + slug, turn(1, 16, recipient=scope(name)), recipient=scope(name))
    deliver(book, "C4.11/not-normalised", turn(1, 16, recipient=scope("e\u0301"), target=scope("\u00e9")),
            author=scope("\u00e9"), recipient=scope("e\u0301"))
    deliver(book, "C4.11/session-named-as-the-agent", turn(1, 16, recipient=scope("agent-b", "agent-a")),
            recipient=scope("agent-b", "agent-a"))


def controls(book):
    """C4.1 to C4.6, C4.13, C4.14 and C4.17: the whole table of controls, and what is no control."""
    first, inside = turn(1, 16), {"cross_principal": False}
    both(book, "C4.1/delivery", first, HELD, platform_paused=True)
    both(book, "C4.2/delivery", first, HELD, {"platform_paused": True, "cross_principal": False}, cross_principal=True)
    both(book, "C4.4/delivery", first, HELD, room_reactive=False)
    both(book, "C4.4/inside", first, HELD, {"room_reactive": False, "cross_principal": False}, cross_principal=True)
    both(book, "C4.5/policy-itself", turn(1, 16, generation=4), HELD, {"generation": 4}, room_reactive=False)
    both(book, "C4.6/across", first, HELD, posture="manual")
    both(book, "C4.6/inside", first, HELD, inside, posture="manual")
    for paused in (False, True):
        for reactive in (True, False):
            for posture in ("reactive", "manual"):
                slug = "%s-%s-%s" % ("paused" if paused else "on", "room" if reactive else "no-room", posture)
                given = dict(platform_paused=paused, room_reactive=reactive, posture=posture)
                goes = not paused and reactive and posture == "reactive"
                deliver(book, "C4.14/across-" + slug, first if goes else HELD, **given)
                goes = posture == "reactive"
                deliver(book, "C4.14/inside-" + slug, first if goes else HELD, cross_principal=False, **given)
    for slug, control in STOPS:
        both(book, "C4.14/" + slug, turn(8, 9), HELD, {"hop": 7}, **control)
        deliver(book, "C4.14/%s-and-last" % slug, HELD, hop=16, **control)
        deliver(book, "C4.14/%s-and-over-already" % slug, HELD, retention_end=NOW, **control)
    both(book, "C4.13/last", turn(16, 1), WITHOUT, {"hop": 15}, hop=16)
    both(book, "C4.13/over-already", first, WITHOUT, retention_end=NOW)
    for slug, control in STOPS[:2]:
        deliver(book, "C4.13/last-inside-while-" + slug, WITHOUT, hop=16, cross_principal=False, **control)
    both(book, "C4.17/resumed", turn(3, 14, generation=4), HELD, {"hop": 2, "generation": 4}, platform_paused=True)
    deliver(book, "C4.17/held-before-the-change", HELD, hop=2, generation=3, room_reactive=False)
    deliver(book, "C4.17/held-after-the-change", HELD, hop=2, generation=4, room_reactive=False)
    later = NOW + 1000
    deliver(book, "C4.17/later", turn(3, 14, generation=5, expires=later + WEEK), now=later, hop=2, generation=5)
    deliver(book, "C4.17/never-acted-on-in-time", WITHOUT, now=NOW + 31 * 24 * 3600, hop=2, generation=5)
    deliver(book, "C4.17/expired-while-held", NONE, now=later, hop=2, alive=False)


def postures(book):
    """C4.8 and C4.9: by `to` and `by` alone; each of the twelve questions once."""
    book.topic("posture")

    def ask(name, from_, to, by, granted):
        book.add(name, "posture", {"ok": True, "posture": to} if granted else {"ok": False}, **{
            "from": from_, "to": to, "by": by})

    for was in ("reactive", "manual"):
        ask("C4.8/agent-from-%s/+" % was, was, "manual", "agent", True)
        ask("C4.8/agent-from-%s/-" % was, was, "manual", "other", False)
        ask("C4.8/owner-from-%s" % was, was, "manual", "owner", True)
        ask("C4.9/owner-from-%s/+" % was, was, "reactive", "owner", True)
        ask("C4.9/owner-from-%s/-" % was, was, "reactive", "agent", False)
        ask("C4.9/other-from-%s" % was, was, "reactive", "other", False)
