"""Ed25519 in plain Python, for making signatures and keys, good ones and odd ones.

It is written for this generator alone: it is neither constant-time nor meant to protect a key. Points are
extended twisted Edwards coordinates (X, Y, Z, T) with x = X/Z, y = Y/Z and x*y = T/Z.
"""

import hashlib

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
SQRT_MINUS_ONE = pow(2, (P - 1) // 4, P)
IDENTITY = (0, 1, 1, 0)


def add(p, q):
    a = (p[1] - p[0]) * (q[1] - q[0]) % P
    b = (p[1] + p[0]) * (q[1] + q[0]) % P
    c = 2 * p[3] * q[3] * D % P
    d = 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % P, g * h % P, f * g % P, e * h % P)


def negate(p):
    return (-p[0] % P, p[1], p[2], -p[3] % P)


def multiply(scalar, point):
    """scalar * point for any non-negative scalar, which is not reduced (so torsion keeps its part)."""
    result = IDENTITY
    while scalar:
        if scalar & 1:
            result = add(result, point)
        point = add(point, point)
        scalar >>= 1
    return result


def same(p, q):
    return (p[0] * q[2] - q[0] * p[2]) % P == 0 and (p[1] * q[2] - q[1] * p[2]) % P == 0


def recover_x(y, sign):
    """The x of parity `sign` that goes with y (taken modulo p), or None when the curve has none."""
    xx = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(xx, (P + 3) // 8, P)
    if (x * x - xx) % P:
        x = x * SQRT_MINUS_ONE % P
    if (x * x - xx) % P:
        return None
    return P - x if x & 1 != sign and x else x


def encode(y, sign):
    """32 bytes from any y below 2^255 and a sign bit: also spellings that no point should have."""
    return (y | sign << 255).to_bytes(32, "little")


def compress(p):
    inverse = pow(p[2], P - 2, P)
    return encode(p[1] * inverse % P, p[0] * inverse % P & 1)


def decompress(data):
    """The point that a lenient reader sees in 32 bytes (y >= p and a signed zero allowed), or None."""
    number = int.from_bytes(data, "little")
    y, sign = number & (2**255 - 1), number >> 255
    x = recover_x(y % P, sign)
    return None if x is None else (x, y % P, 1, x * y % P)


BASE = decompress(encode(4 * pow(5, P - 2, P) % P, 0))


def _table():
    rows, power = [], BASE
    for _ in range(64):
        row = [IDENTITY]
        for _ in range(15):
            row.append(add(row[-1], power))
        rows.append(row)
        power = add(row[-1], power)
    return rows


_ROWS = _table()


def base(scalar):
    """scalar * B by table, four bits at a time."""
    scalar %= L
    result = IDENTITY
    for row in _ROWS:
        if scalar & 15:
            result = add(result, row[scalar & 15])
        scalar >>= 4
    return result


def number(*parts):
    return int.from_bytes(hashlib.sha512(b"".join(parts)).digest(), "little")


def expand(seed):
    """(secret scalar, prefix) of a 32-byte seed."""
    digest = hashlib.sha512(seed).digest()
    scalar = int.from_bytes(digest[:32], "little")
    return (scalar & ((1 << 254) - 8)) | 1 << 254, digest[32:]


def public(seed):
    return compress(base(expand(seed)[0]))


def sign(seed, public_key, message):
    scalar, prefix = expand(seed)
    nonce = number(prefix, message) % L
    commitment = compress(base(nonce))
    challenge = number(commitment, public_key, message) % L
    return commitment + ((nonce + challenge * scalar) % L).to_bytes(32, "little")


def cofactorless(public_key, message, signature):
    """Whether S*B = R + k*A, read as leniently as can be: what an odd signature made here must satisfy."""
    return _difference(public_key, message, signature)[0]


def cofactored(public_key, message, signature):
    """Whether 8*(S*B) = 8*(R + k*A), the weaker equation of batch verifiers."""
    return _difference(public_key, message, signature)[1]


def _difference(public_key, message, signature):
    a, r = decompress(public_key), decompress(signature[:32])
    if a is None or r is None:
        return False, False
    challenge = number(signature[:32], public_key, message) % L
    rest = add(base(int.from_bytes(signature[32:], "little")), negate(add(r, multiply(challenge, a))))
    return same(rest, IDENTITY), same(multiply(8, rest), IDENTITY)


def _torsion():
    """The eight points of small order, as multiples 0..7 of one of order 8."""
    y = 3
    while True:
        x = recover_x(y, 0)
        if x is not None:
            generator = multiply(L, (x, y, 1, x * y % P))
            if not same(multiply(4, generator), IDENTITY):
                return [multiply(i, generator) for i in range(8)]
        y += 1


TORSION = _torsion()

# Every 32-byte text that a lenient reader takes for a point of small order: name -> bytes.
SMALL_ORDER = {"order-%s" % name: compress(TORSION[i]) for i, name in enumerate(
    ["1", "8-a", "4-a", "8-b", "2", "8-c", "4-b", "8-d"])}
SMALL_ORDER_ODD = {
    "order-1-signed-zero": encode(1, 1),
    "order-1-y-plus-p": encode(P + 1, 0),
    "order-1-y-plus-p-signed": encode(P + 1, 1),
    "order-2-signed-zero": encode(P - 1, 1),
    "order-4-y-is-p": encode(P, 0),
    "order-4-y-is-p-signed": encode(P, 1),
}


def sign_as(scalar, public_key, message, exact=True, commitments=None):
    """A signature by any 32 bytes that read as `scalar`*B plus torsion (pure torsion when scalar is 0).

    With `exact` it satisfies the cofactorless equation, without it only the cofactored one. `commitments`
    gives spellings of points of small order to use as R (nonce 0). None when no candidate does.
    """
    if commitments is None:
        candidates = []
        for attempt in range(256):
            nonce = number(b"odd", bytes([attempt]), public_key, message) % L
            candidates.append((nonce, attempt % 8))
    else:
        candidates = [(0, spelling) for spelling in commitments]
    for nonce, extra in candidates:
        commitment = extra if commitments else compress(add(base(nonce), TORSION[extra]))
        challenge = number(commitment, public_key, message) % L
        signature = commitment + ((nonce + challenge * scalar) % L).to_bytes(32, "little")
        strong, weak = _difference(public_key, message, signature)
        if strong if exact else weak and not strong:
            return signature
    return None
