"""Proposals: which are well-formed and what their hash covers (A7, and canonical JSON seen through a hash)."""

from book import CONFLICT, NOT_OK, allowed, decided
from canonical import LARGEST, Members, Raw, digest, loose, string, write
from tokens import AGENT, IAT, PRINCIPAL, PROPOSAL, SERVICE, cost, own_hash, proposal, root

FORBID = decided("forbidden")


def cases(book):
    book.topic("hash")
    hashed(book)
    data(book)
    sent_hash(book)
    book.topic("proposal")
    shapes(book)
    terms(book)
    spelling(book)


def consent(book, name, plan, good=True, service=SERVICE, seed=PRINCIPAL.seed, agent=AGENT.text, iat=IAT, nonce="n1",
            meant=None):
    """A `consent` case; `plan` is a dict or a text, `meant` the dict behind a text."""
    expect = NOT_OK
    if good:
        p = meant or plan
        expect = {"ok": True, "token": consent_grant(p, service, nonce, iat).text}
    book.add(name, "consent", expect, seed=seed, agent=agent, proposal=plan if isinstance(plan, str) else write(plan),
             service=service, iat=iat, nonce=nonce)


def consent_grant(plan, service=SERVICE, nonce="n1", iat=IAT, sub=AGENT):
    """The one grant that a yes to this proposal is."""
    return root([{"svc": [service]}, {"verbs": ["COMMIT"]}, {"can": [plan["capability"]]}, {"only": own_hash(plan)},
                 {"exp": plan["expires"]}], sub=sub, nonce=nonce, iat=iat)


def commit(book, name, text, sent, expect):
    """An `authorize` of a COMMIT by the right agent with a grant without caveats."""
    book.authorize(name, {"verb": "COMMIT", "proposal": text, "hash": sent,
                          "origin": {"holder": AGENT.text, "principal": None}},
                   expect, grants=[root()])


def hashed(book):
    h = book.hash
    plain = own_hash(PROPOSAL)
    h("A7.12/plain", write(PROPOSAL), plain)
    h("A7.12/any-order", loose(PROPOSAL), plain)
    h("A7.12/white-space-and-escapes", "\n" + loose(PROPOSAL).replace(",", " ,\t").replace("shop", "\\u0073hop") + " ",
      plain)
    h("A7.12/bytes", write(PROPOSAL).encode(), plain)
    h("A7.12/hash-is-left-out", write(dict(PROPOSAL, hash="x")), plain)
    h("A7.12/data-is-left-out", write(dict(PROPOSAL, data={"a": [1, None]})), plain)
    h("A7.12/both-left-out", write(dict(PROPOSAL, data=1, hash=plain)), plain)
    h("A7.12/escaped-names-are-left-out-too", write(PROPOSAL)[:-1] + ',"d\\u0061ta":1,"h\\u0061sh":""}', plain)
    h("A7.12/inner-ones-stay", write(dict(PROPOSAL, x={"hash": "x", "data": 1})),
      own_hash(dict(PROPOSAL, x={"hash": "x", "data": 1})))
    h("A7.12/upper-ones-stay", write(dict(PROPOSAL, Hash="x", Data=1)), own_hash(dict(PROPOSAL, Hash="x", Data=1)))
    h("A7.11/further-members-count", write(dict(PROPOSAL, note="x")), own_hash(dict(PROPOSAL, note="x")))
    h("A7.11/further-null-counts", write(dict(PROPOSAL, note=None)), own_hash(dict(PROPOSAL, note=None)))
    h("A7.13/no-shape/+", "{}", digest("{}"))
    h("A7.13/no-shape/-", "[]")
    h("A7.13/only-data", '{"data":1.5}', digest("{}"))
    h("A7.13/hash-of-any-type", '{"hash":[1]}', digest("{}"))
    h("A7.13/any-object", '{"cost":"free","id":[]}', digest('{"cost":"free","id":[]}'))
    for slug, text in (("null", "null"), ("number", "1"), ("string", '"{}"'), ("array-of-object", "[{}]"),
                       ("empty", ""), ("two", "{}{}"), ("true", "true")):
        h("A7.13/not-" + slug, text)
    for slug, text in (("fraction", '{"a":1.5}'), ("one-decimal", '{"a":1.0}'), ("exponent", '{"a":1e3}'),
                       ("minus-zero", '{"a":-0}'), ("too-large", '{"a":9007199254740992}'),
                       ("inner-fraction", '{"a":{"b":[0.5]}}'), ("inner-data-fraction", '{"a":{"data":0.5}}'),
                       ("hash-fraction", '{"hash":1.5}'),
                       ("lone-surrogate", '{"a":"\\ud800"}'), ("repeated", '{"a":1,"a":1}'),
                       ("repeated-hash", '{"hash":"","hash":""}'),
                       ("deep", '{"a":' + "[" * 32 + "]" * 32 + "}"), ("trailing-garbage", "{}x"),
                       ("byte-order-mark", "\ufeff{}")):
        h("A7.13/canonical-" + slug, text)
    h("A7.13/canonical/+", '{"a":1}', digest('{"a":1}'))
    h("A7.13/canonical/-", '{"a":1.0}')
    h("A7.13/invalid-bytes", b'{"a":"\xff"}')
    h("A7.13/depth-of-32", '{"a":' + "[" * 31 + "]" * 31 + "}", digest('{"a":' + "[" * 31 + "]" * 31 + "}"))


def data(book):
    h = book.hash
    none = digest("{}")
    for slug, text in (("fraction", "1.5"), ("huge", "1e999"), ("tiny", "-1E-999"), ("minus-zero", "-0"),
                       ("one-decimal", "1.0"), ("too-large", "9007199254740992"),
                       ("four-hundred-digits", "9" * 400), ("null", "null"), ("string", '"x\\u0000"'),
                       ("array", "[1.5,{}]"), ("object", '{"b":1e5,"a":[0.1]}'),
                       ("inner-hash-and-data", '{"hash":1.5,"data":{"data":1.5}}'),
                       ("long-fraction", "0." + "1" * 400)):
        h("A7.10/data-" + slug, '{"data":%s}' % text, none)
    h("A7.10/depth/+", '{"data":' + "[" * 31 + "]" * 31 + "}", none)
    h("A7.10/depth/-", '{"data":' + "[" * 32 + "]" * 32 + "}")
    h("A7.10/repeated-inside/+", '{"data":{"a":1,"b":2}}', none)
    h("A7.10/repeated-inside/-", '{"data":{"a":1,"\\u0061":2}}')
    h("A7.10/not-json-inside/+", '{"data":[10]}', none)
    h("A7.10/not-json-inside/-", '{"data":[01]}')
    for slug, text in (("repeated-deep", '{"data":[[{"x":{"k":1,"k":1}}]]}'), ("data-twice", '{"data":1,"data":1}'),
                       ("data-twice-escaped", '{"data":1,"d\\u0061ta":1}'),
                       ("nan", '{"data":NaN}'), ("plus", '{"data":+1}'), ("dot-first", '{"data":.5}'),
                       ("dot-last", '{"data":5.}'), ("no-exponent", '{"data":1e}'),
                       ("minus", '{"data":-}'), ("hexadecimal", '{"data":0x1}'), ("raw-newline", '{"data":"\n"}'),
                       ("lone-surrogate", '{"data":"\\ud800"}'),
                       ("open", '{"data":[}'), ("bad-escape", '{"data":"\\x"}'), ("comma", '{"data":[1,]}')):
        h("A7.10/no-data-" + slug, text)
    h("A7.10/invalid-bytes", b'{"data":"\xff"}')
    # The same bytes of `data` may change at will: the hash, and so the right to commit, stays.
    good = own_hash(PROPOSAL)
    text = write(dict(PROPOSAL, data=Raw('{"price":1e999}')))
    commit(book, "A7.10/data-plays-no-part", text, good, allowed(root()))
    commit(book, "A7.10/data-with-terms-plays-no-part", write(dict(PROPOSAL, data=dict(PROPOSAL, cost=None, risk="x"))),
           good, allowed(root()))


def sent_hash(book):
    """The canonical form seen through the hash that an agent sends: any other form is a conflict."""
    def pair(name, plan, other):
        commit(book, name + "/+", write(plan), own_hash(plan), allowed(root()))
        commit(book, name + "/-", write(plan), digest(other), CONFLICT)

    def changed(plan, old, new):
        text = write(plan)
        assert old in text, old
        return text.replace(old, new)

    plan = proposal(x={"\uff61": 1, "\U0001f600": 2})
    pair("A2.4/code-points-not-code-units", plan, write(dict(plan, x=Members(("\U0001f600", 2), ("\uff61", 1)))))
    plan = proposal(x={"b": 1, "a": 2})
    pair("A2.4/sorted", plan, write(dict(plan, x=Members(("b", 1), ("a", 2)))))
    plan = proposal(x=[2, 1])
    pair("A2.6/arrays-are-not-sorted", plan, changed(plan, "[2,1]", "[1,2]"))
    plan = proposal(summary="a\nb\t\"")
    pair("A2.9/short-escapes", plan, changed(plan, "\\n", "\\u000a"))
    plan = proposal(summary="a\x1fb")
    pair("A2.10/lowercase-hex", plan, changed(plan, "\\u001f", "\\u001F"))
    plan = proposal(summary="a\u2028b")
    pair("A2.11/line-separator", plan, changed(plan, "\u2028", "\\u2028"))
    plan = proposal(summary="a/b")
    pair("A2.11/slash", plan, changed(plan, "a/b", "a\\/b"))
    plan = proposal(summary="a\u007fb")
    pair("A2.11/delete", plan, changed(plan, "\u007f", "\\u007f"))
    plan = proposal(summary="a\U0001f600b")
    pair("A2.11/astral", plan, changed(plan, "\U0001f600", "\\ud83d\\ude00"))
    plan = proposal(summary="caf\u00e9")
    pair("A2.11/no-normal-form-in-hash", plan, changed(plan, "\u00e9", "e\u0301"))
    pair("A2.2/no-white-space-in-hash", PROPOSAL, write(PROPOSAL).replace(",", ", "))
    plan = proposal(note="x")
    pair("A7.11/further-members", plan, write(PROPOSAL))
    plan = proposal(effects=[{"op": "pay", "target": "t", "detail": {"to": "x"}}])
    pair("A7.11/members-of-effects", plan, write(dict(plan, effects=[{"op": "pay", "target": "t"}])))
    pair("A7.12/hash-and-data-left-out", proposal(data=[1], hash="x"), write(proposal(data=[1], hash="x")))
    pair("A7.12/of-the-canonical-text", PROPOSAL, loose(PROPOSAL))
    pair("A7.9/its-own-hash-member", proposal(hash="x"), write(proposal(hash="x")))


def both(book, clause, slug, plan, own=True):
    """A malformed proposal, refused to the consenting side and to the committing one (who sends its true hash)."""
    text = plan if isinstance(plan, str) else write(plan)
    consent(book, "%s/%s" % (clause, slug), text, good=False)
    commit(book, "%s/commit-%s" % (clause, slug), text, own_hash(plan) if own else own_hash(PROPOSAL), FORBID)


def pair(book, name, good, bad):
    consent(book, name + "/+", good)
    consent(book, name + "/-", bad, good=False)


TYPES = (("null", None), ("true", True), ("number", 5), ("string", "x"), ("array", []), ("object", {}))


def shapes(book):
    for name, clause, kinds in (("id", "A7.2", ["string"]), ("capability", "A7.2", ["string"]),
                                ("summary", "A7.2", ["string"]), ("effects", "A7.3", ["array"]),
                                ("cost", "A7.5", ["null"]), ("risk", "A7.6", []), ("undo", "A7.7", ["null"]),
                                ("expires", "A7.8", ["number"])):
        pair(book, "%s/missing-%s" % (clause, name), PROPOSAL, proposal(drop=[name]))
        both(book, clause, "no-" + name, proposal(drop=[name]))
        for slug, value in TYPES:
            if slug not in kinds:
                both(book, clause, "%s-is-%s" % (name, slug), proposal(**{name: value}))
    for slug, value in (("empty", ""), ("escapes", "\"\\\n\u0000"), ("astral", "\U0001f600")):
        for name in ("id", "summary"):
            consent(book, "A7.2/%s-%s" % (name, slug), proposal(**{name: value}))
    for slug, name in (("upper", "Id"), ("space", "id ")):
        both(book, "A7.2", "id-spelled-" + slug, dict(proposal(drop=["id"]), **{name: "p-1"}))

    effect = {"op": "create", "target": "order"}
    pair(book, "A7.3/op", proposal(effects=[effect]), proposal(effects=[{"op": 1, "target": "order"}]))
    pair(book, "A7.3/target", proposal(effects=[effect]), proposal(effects=[{"op": "create"}]))
    consent(book, "A7.3/none-at-all", proposal(effects=[]))
    consent(book, "A7.3/many", proposal(effects=[dict(effect, target=str(i)) for i in range(40)]))
    for slug, bad in (("null", None), ("number", 1), ("text", "create order"), ("array", ["create", "order"]),
                      ("empty", {}), ("without-op", {"target": "t"}),
                      ("op-null", {"op": None, "target": "t"}), ("target-number", {"op": "o", "target": 1}),
                      ("target-array", {"op": "o", "target": ["t"]}), ("nested", [effect])):
        both(book, "A7.3", "effect-" + slug, proposal(effects=[effect, bad]))
    both(book, "A7.3", "one-effect-alone", proposal(effects=effect))
    pair(book, "A7.4/other-members", proposal(effects=[dict(effect, detail=1)]),
         proposal(effects=[dict(effect, detail=Raw("1.5"))]))
    for name in ("field", "from", "to", "detail", "unknown"):
        for slug, value in (("null", None), ("number", -5), ("text", "x"), ("array", [1, "a"]),
                            ("object", {"b": {"a": None}}), ("true", True)):
            if slug in ("null", "object") or name == "detail":
                consent(book, "A7.4/effect-%s-%s" % (name, slug), proposal(effects=[dict(effect, **{name: value})]))
    for slug, text in (("fraction", "0.5"), ("too-large", "9007199254740992"), ("minus-zero", "-0"),
                       ("repeated", '{"a":1,"a":2}')):
        both(book, "A7.4", "effect-from-" + slug, write(proposal(effects=[{"op": "o", "target": "t",
            "from": Raw(text)}])), own=False)
    both(book, "A7.4", "effect-repeated-op", write(PROPOSAL).replace('"op":', '"op":"create","op":'), own=False)


def terms(book):
    for slug, value in (("empty", {}), ("without-amount", {"currency": "USD"}), ("without-currency", {"amount": 1}),
                        ("also-note", dict(cost(1), note="")),
                        ("also-tax", dict(cost(1), tax=0)), ("amount-text", cost("1")), ("amount-null", cost(None)),
                        ("amount-array", cost([1])), ("amount-true", cost(True)),
                        ("currency-null", cost(1, None)), ("currency-number", cost(1, 840)),
                        ("currency-array", cost(1, ["USD"])), ("max-for-amount", {"max": 1, "currency": "USD"}),
                        ("array-of-it", [cost(1)]), ("upper-names", {"Amount": 1, "Currency": "USD"}),
                        ("false", False)):
        both(book, "A7.5", "cost-" + slug, proposal(cost=value))
    pair(book, "A7.5/exactly-two", proposal(cost=cost(1)), proposal(cost=dict(cost(1), note="")))
    for slug, text in (("fraction", "0.5"), ("one-decimal", "1.0"), ("exponent", "1e2"), ("minus-zero", "-0"),
                       ("too-large", str(LARGEST + 1)), ("huge", "1e999")):
        both(book, "A7.5", "cost-amount-is-no-canonical-" + slug, write(proposal(cost=cost(Raw(text)))), own=False)
    for slug, value in (("null", None), ("zero", cost(0)), ("largest", cost(LARGEST)), ("empty-currency", cost(1, "")),
                        ("any-currency", cost(1, "\u20bf"))):
        consent(book, "A7.5/cost-of-" + slug, proposal(cost=value))
    pair(book, "B4.2/amount", proposal(cost=cost(0)), proposal(cost=cost(-1)))
    both(book, "B4.2", "proposal-amount-smallest", proposal(cost=cost(-LARGEST)))
    for risk in ("low", "medium", "high"):
        consent(book, "A7.6/risk-" + risk, proposal(risk=risk))
    pair(book, "A7.6/one-of-three", proposal(risk="high"), proposal(risk="HIGH"))
    for slug, value in (("empty", ""), ("none", "none"), ("to-string", "toString"), ("proto", "__proto__"),
                        ("space", "low "), ("title", "Low"), ("array-of-it", ["low"]),
                        ("level", 0), ("object-of-it", {"level": "low"})):
        both(book, "A7.6", "risk-" + slug, proposal(risk=value))
    for slug, value in (("empty", {}), ("also-note", {"window": 60, "note": ""}), ("window-null", {"window": None}),
                        ("window-text", {"window": "60"}), ("window-true", {"window": True}),
                        ("window-negative", {"window": -1}), ("window-smallest", {"window": -LARGEST}),
                        ("window-array", {"window": [60]}), ("seconds", {"seconds": 60}),
                        ("array-of-it", [{"window": 60}]), ("number-alone", 60), ("false", False)):
        both(book, "A7.7", "undo-" + slug, proposal(undo=value))
    for slug, text in (("fraction", "0.5"), ("one-decimal", "60.0"), ("too-large", str(LARGEST + 1)),
                       ("huge", "1e999")):
        both(book, "A7.7", "undo-window-is-no-canonical-" + slug, write(proposal(undo={"window": Raw(text)})),
             own=False)
    for slug, value in (("null", None), ("zero", {"window": 0}), ("largest", {"window": LARGEST})):
        consent(book, "A7.7/undo-of-" + slug, proposal(undo=value))
    pair(book, "A7.7/window", proposal(undo={"window": 0}), proposal(undo={"window": -1}))
    pair(book, "A7.7/exactly-window", proposal(undo={"window": 60}), proposal(undo={"window": 60, "note": ""}))
    pair(book, "A7.8/integer", proposal(expires=LARGEST), proposal(expires=Raw(str(LARGEST + 1))))
    for slug, value in (("zero", 0), ("negative", -1), ("smallest", -LARGEST)):
        consent(book, "A7.8/expires-" + slug, proposal(expires=value))
    for slug, text in (("fraction", "1790000600.5"), ("one-decimal", "1790000600.0"), ("exponent", "179e7"),
                       ("huge", "1e999")):
        both(book, "A7.8", "expires-is-no-canonical-" + slug, write(proposal(expires=Raw(text))), own=False)
    both(book, "A7.8", "expires-digits", proposal(expires="1790000600"))
    pair(book, "A7.9/string", proposal(hash=""), proposal(hash=1))
    for slug, value in (("null", None), ("array", []), ("object", {}), ("true", True)):
        both(book, "A7.9", "hash-is-" + slug, proposal(hash=value))
    consent(book, "A7.9/a-wrong-hash-plays-no-part", proposal(hash=own_hash(proposal(id="p-2"))))
    consent(book, "A7.9/the-right-hash-plays-no-part", proposal(hash=own_hash(PROPOSAL)))
    pair_text(book, "A7.10/any-number", proposal(data=Raw("1e999")), proposal(data=Raw("1e")))
    both(book, "A7.10", "repeated-in-data", write(proposal(data=Raw('{"a":1,"a":1}'))), own=False)
    both(book, "A7.10", "deep-in-data", write(proposal(data=Raw("[" * 32 + "]" * 32))), own=False)
    pair(book, "A7.11/canonical-members", proposal(x=1), proposal(x=Raw("1.0")))
    both(book, "A7.11", "further-member-huge", write(proposal(x=Raw("1e999"))), own=False)
    both(book, "A7.11", "further-member-deep", write(proposal(x=Raw("[" * 32 + "]" * 32))), own=False)
    both(book, "A7.11", "further-member-fraction-in-inner-data", write(proposal(x={"data": Raw("0.5")})), own=False)
    consent(book, "A7.11/further-members-of-all-kinds", proposal(x=None, y=[{"a": True}], z={"hash": 1, "data": 2},
        toString="x", **{"": 1, "__proto__": {}}))
    pair(book, "A7.14/not-auto", proposal(capability="autos:x"), proposal(capability="auto:x"))
    both(book, "A7.14", "auto-colon-alone", proposal(capability="auto:"))
    both(book, "A7.14", "auto-colon-escaped", write(proposal(capability="auto:x")).replace("auto:", "\\u0061uto:"),
         own=False)
    for slug, capability in (("colon-inside", "a:b"), ("upper", "AUTO:x"), ("auto-alone", "auto"), ("star", "shop.*"),
                             ("empty", "")):
        consent(book, "A7.14/capability-" + slug, proposal(capability=capability))


def pair_text(book, name, good, bad):
    consent(book, name + "/+", write(good), meant=PROPOSAL)
    consent(book, name + "/-", write(bad), good=False)


def spelling(book):
    text = write(PROPOSAL)
    pair_text(book, "A7.1/repeated-key", Raw(text), Raw(text[:-1] + ',"\\u0069d":"p-1"}'))
    consent(book, "A7.1/any-order-and-space", " " + loose(PROPOSAL).replace(",", " ,\n"), meant=PROPOSAL)
    consent(book, "A7.1/any-escapes", text.replace("shop", "\\u0073\\u0068op").replace('"id"', '"\\u0069d"'),
            meant=PROPOSAL)
    for slug, bad in (("empty", ""), ("null", "null"), ("array", "[" + text + "]"), ("string", string(text)),
                      ("number", "1"), ("cut", text[:-1]), ("two", text + text),
                      ("byte-order-mark", "\ufeff" + text), ("trailing-comma", text[:-1] + ",}"),
                      ("repeated-cost", text.replace('"cost":', '"cost":null,"cost":')),
                      ("repeated-amount", text.replace('"amount":', '"amount":0,"amount":')),
                      ("single-quotes", text.replace('"', "'")),
                      ("lone-surrogate", text.replace("Two", "\\ud800")), ("empty-object", "{}")):
        both(book, "A7.1", "text-" + slug, bad, own=False)
    commit(book, "A7.15/well-formed/+", text, own_hash(PROPOSAL), allowed(root()))
    commit(book, "A7.15/well-formed/-", text.replace('"risk":"low"', '"risk":"none"'), own_hash(PROPOSAL), FORBID)
    commit(book, "A7.15/cost-member-less", text.replace('"cost"', '"price"'), own_hash(PROPOSAL), FORBID)
    commit(book, "A7.1/commit-any-spelling", " " + loose(PROPOSAL) + "\n", own_hash(PROPOSAL), allowed(root()))
