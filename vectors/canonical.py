"""The canonical JSON form and base64url, and ways to leave them on purpose."""

import base64
import hashlib

LARGEST = 2**53 - 1
SHORT = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


class Raw:
    """A piece of JSON text that is written as it stands, whatever it is."""

    def __init__(self, text):
        self.text = text


class Members:
    """An object written in the order given, keys repeated if they are."""

    def __init__(self, *pairs):
        self.pairs = pairs


def string(text):
    out = []
    for char in text:
        if char in SHORT:
            out.append(SHORT[char])
        elif char < " ":
            out.append("\\u%04x" % ord(char))
        else:
            out.append(char)
    return '"' + "".join(out) + '"'


def write(value):
    """The canonical text of a value; only Raw and Members inside it can make it anything else."""
    if isinstance(value, Raw):
        return value.text
    if value is None:
        return "null"
    if value is True:
        return "true"
    if value is False:
        return "false"
    if isinstance(value, int):
        if abs(value) > LARGEST:
            raise ValueError("no canonical form: %d" % value)
        return str(value)
    if isinstance(value, str):
        return string(value)
    if isinstance(value, (list, tuple)):
        return "[" + ",".join(write(item) for item in value) + "]"
    if isinstance(value, Members):
        pairs = value.pairs
    elif isinstance(value, dict):
        pairs = sorted(value.items(), key=lambda pair: [ord(char) for char in pair[0]])
    else:
        raise TypeError(type(value))
    return "{" + ",".join(string(key) + ":" + write(item) for key, item in pairs) + "}"


def loose(value):
    """The same value with its members in the order of the dict: well-formed JSON, rarely canonical."""
    if isinstance(value, dict):
        return "{" + ",".join(string(key) + ":" + loose(item) for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(loose(item) for item in value) + "]"
    return write(value)


def b64url(data):
    return base64.urlsafe_b64encode(data).decode("ascii").rstrip("=")


def unb64url(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def b64(data):
    return base64.b64encode(data).decode("ascii")


def digest(text):
    """b64url(sha256(utf8 of text)): the id of a block, the link to it, the hash of a proposal."""
    return b64url(hashlib.sha256(text.encode("utf-8")).digest())


ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"


def trailing_bit(text):
    """The same bytes spelled with a non-zero trailing bit (the length must leave some bits over)."""
    assert len(text) % 4 in (2, 3)
    return text[:-1] + ALPHABET[ALPHABET.index(text[-1]) | 1]
