"""The library through ctypes: just what the header says, with a `free` for each handle."""

import ctypes as c


class Bytes(c.Structure):
    _fields_ = [("data", c.c_char_p), ("length", c.c_size_t)]


class Id(c.Structure):
    _fields_ = [("bytes", c.c_uint8 * 32)]


class Ticket(c.Structure):
    _fields_ = [("key", Id), ("turn", c.c_uint64)]


class Presentable(c.Structure):
    _fields_ = [("kept", c.c_void_p), ("token", Bytes)]


class Presented(c.Structure):
    _fields_ = [("grants", c.POINTER(Presentable)), ("grant_count", c.c_size_t), ("possession", c.c_uint32),
                ("possessed", Bytes), ("now", c.c_int64)]


class Origin(c.Structure):
    _fields_ = [("kind", c.c_uint32), ("holder", Bytes), ("principal", Bytes)]


class Committed(c.Structure):
    _fields_ = [("kind", c.c_uint32), ("holder", Bytes), ("principal", Bytes), ("capability", Bytes), ("hash", Bytes)]


class Owner(c.Structure):
    _fields_ = [("kind", c.c_uint32), ("key", Bytes)]


class SpendLine(c.Structure):
    _fields_ = [("block", Id), ("max", c.c_uint64), ("forgets", c.c_uint32), ("forget_after", c.c_int64)]


class Demand(c.Structure):
    _fields_ = [("id", Id), ("proposal", Bytes), ("grant", Id), ("amount", c.c_uint64), ("now", c.c_int64),
                ("lines", c.POINTER(SpendLine)), ("line_count", c.c_size_t)]


class LedgerBounds(c.Structure):
    _fields_ = [(name, c.c_size_t) for name in ("grants", "blocks_per_grant", "held_per_grant", "ended")]


class Settings(c.Structure):
    _fields_ = [("service", Bytes), ("principals", c.POINTER(Bytes)), ("principal_count", c.c_size_t),
                ("revoked", c.POINTER(Id)), ("revoked_count", c.c_size_t), ("limits", c.c_void_p)]


OK, ERROR_INPUT, ABSENT, ALLOWED, CONSENT_REQUIRED, PENDING = 0, 8, 9, 100, 103, 110
RESERVED, EXCEEDED, CLOSED, FIRST = 120, 121, 130, 140
NONE, PROOF = 11, 12
ANONYMOUS, WITHOUT_GRANT, WITH_GRANT = 21, 22, 23
WITHOUT_PRINCIPAL, WITH_PRINCIPAL = 31, 32
ANYONE, KEY = 41, 42

HANDLE, TEXT = c.c_void_p, c.POINTER(c.c_void_p)
I64, U32, SIZE, P = c.c_int64, c.c_uint32, c.c_size_t, c.POINTER
# The arguments of each function that answers with a code.
SIGNATURES = {
    "canonicalize": (Bytes, TEXT, TEXT), "proposal_hash": (Bytes, TEXT, TEXT), "proposal_check": (Bytes, TEXT),
    "key_check": (Bytes,),
    "proof_check_unbound": (Bytes, Bytes, Bytes, Bytes, I64, TEXT), "reservation_of": (Bytes, P(Id)),
    "id_read": (Bytes, P(Id)), "id_write": (P(Id), TEXT),
    "verifier_new": (P(Settings), TEXT), "verifier_verify": (HANDLE, Bytes, TEXT, TEXT),
    "ask": (HANDLE, P(Presented), Bytes, TEXT), "intent": (HANDLE, P(Presented), Bytes, TEXT),
    "auto_intent": (HANDLE, P(Presented), Bytes, Bytes, TEXT), "undo": (HANDLE, P(Presented), Bytes, P(Committed), TEXT),
    "expand": (HANDLE, P(Presented), Bytes, P(Owner), TEXT), "replay": (HANDLE, P(Presented), Bytes, P(Committed), TEXT),
    "commit": (HANDLE, P(Presented), Bytes, Bytes, P(Origin), P(Id), TEXT, TEXT),
    "auto_commit": (HANDLE, P(Presented), Bytes, Bytes, Bytes, P(Origin), P(Id), TEXT, TEXT),
    "pending_demand": (HANDLE, P(Demand)), "pending_answer": (HANDLE, U32, TEXT),
    "decision_code": (HANDLE,), "decision_consent": (HANDLE, TEXT), "decision_holder": (HANDLE, TEXT),
    "decision_issuer": (HANDLE, TEXT), "decision_log": (HANDLE, TEXT), "decision_grant": (HANDLE, P(SIZE), P(Id)),
    "ledger_new": (P(LedgerBounds), TEXT), "ledger_reserve": (HANDLE, P(Demand)), "ledger_settle": (HANDLE, P(Id)),
    "ledger_release": (HANDLE, P(Id)), "ledger_total": (HANDLE, P(Id), P(c.c_uint64)),
    "claims_new": (SIZE, TEXT), "claims_claim": (HANDLE, HANDLE, I64, P(Ticket)),
    "claims_finish": (HANDLE, P(Ticket)), "claims_abandon": (HANDLE, P(Ticket)),
    "claim_for_commit": (Bytes, I64, TEXT), "claim_for_auto": (Bytes, Bytes, I64, I64, TEXT),
    "claim_for_consent": (Bytes, Bytes, I64, TEXT), "claim_for_other": (Bytes, Bytes, I64, TEXT),
    "seed_read": (Bytes, TEXT), "seed_public": (HANDLE, TEXT),
    "issue": (HANDLE, Bytes, P(Bytes), SIZE, I64, Bytes, TEXT, TEXT),
    "delegate": (HANDLE, HANDLE, Bytes, P(Bytes), SIZE, I64, TEXT, TEXT),
    "consent": (HANDLE, Bytes, Bytes, Bytes, I64, Bytes, TEXT, TEXT),
    "sign_proof": (HANDLE, Bytes, Bytes, Bytes, I64, TEXT, TEXT),
    "case_answer": (Bytes, TEXT),
}


class Refused(Exception):
    """A call did not do what it is for; `code` says why."""

    def __init__(self, code):
        super().__init__(code)
        self.code = code


class Library:
    def __init__(self, path):
        library = c.CDLL(path)
        for name, arguments in SIGNATURES.items():
            function = getattr(library, f"pg_{name}")
            function.argtypes, function.restype = arguments, c.c_uint32
            setattr(self, name, function)
        for kind in ("text", "verifier", "grant", "decision", "pending", "ledger", "claims", "claim", "seed"):
            function = getattr(library, f"pg_{kind}_free")
            function.argtypes, function.restype = (HANDLE,), None
            setattr(self, f"{kind}_free", function)
        self.text_bytes, self.code_name = library.pg_text_bytes, library.pg_code_name
        self.text_bytes.argtypes, self.text_bytes.restype = (HANDLE,), Bytes
        self.code_name.argtypes, self.code_name.restype = (U32,), Bytes

    def name(self, code):
        return raw(self.code_name(code)).decode()

    def text(self, call, *arguments):
        """The text that a call makes, whose place is the argument `TEXT`."""
        place = HANDLE()
        code = call(*[c.byref(place) if argument is TEXT else argument for argument in arguments])
        try:
            if code != OK:
                raise Refused(code)
            return raw(self.text_bytes(place)).decode()
        finally:
            self.text_free(place)

    def handle(self, call, *arguments):
        """The handle that a call makes, as its last argument."""
        place = HANDLE()
        code = call(*arguments, c.byref(place))
        if code != OK:
            raise Refused(code)
        return place


def raw(view):
    """A copy of the bytes that a view is of."""
    return c.string_at(c.cast(c.c_char_p.from_buffer(view), c.c_void_p), view.length) if view.length else b""


def view(text):
    """A view of a text or of bytes. ctypes keeps the bytes alive with the structure."""
    data = text.encode() if isinstance(text, str) else text
    return Bytes(data, len(data))


def array(kind, items):
    return (kind * len(items))(*items)
