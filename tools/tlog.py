"""Signed trees of hashes: Ed25519 (RFC 8032), inclusion proofs (RFC 9162) and signed checkpoints (C2SP), with Python's standard library."""
import base64
import datetime
import hashlib
import json
import re

# The curve -x^2 + y^2 = 1 + d x^2 y^2 over the field of 2^255 - 19, and the order of its base point.
P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
ROOT = pow(2, (P - 1) // 4, P)


def check(holds, why):
    if not holds:
        raise ValueError(why)


def digest(data):
    return hashlib.sha256(data).digest()


def b64(text):
    data = base64.b64decode(text, validate=True)
    check(base64.b64encode(data).decode() == text, "base64 is not canonical")
    return data


def unique(pairs):
    check(len(dict(pairs)) == len(pairs), "a member twice")
    return dict(pairs)


def refuse(name):
    raise ValueError(name + " is no JSON")


def parse(data):
    value = json.loads(data, object_pairs_hook=unique, parse_constant=refuse)
    dump(value).encode()  # half of a surrogate pair is no text
    return value


def dump(value, order=True):
    return json.dumps(value, sort_keys=order, ensure_ascii=False, separators=(",", ":"))


def number(value):
    check(type(value) is int and -(2**63) <= value < 2**63, "no number of 64 bits")
    return value


def text(value):
    check(type(value) is str, "no text")
    return True


def instant(value):
    """The microseconds of a time as the gateway writes it, in UTC and as short as it can be."""
    found = re.fullmatch(r"([0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2})(?:\.([0-9]{0,8}[1-9]))?Z", value)
    check(found, "no time")
    at = datetime.datetime.strptime(found[1], "%Y-%m-%dT%H:%M:%S") - datetime.datetime(1970, 1, 1)
    return (at.days * 86400 + at.seconds) * 10**6 + int((found[2] or "").ljust(9, "0")) / 1000


def point(encoded):
    """The point that 32 bytes stand for, in extended coordinates."""
    y = int.from_bytes(encoded, "little") & (1 << 255) - 1
    square = (y * y - 1) * pow(D * y * y + 1, -1, P)
    x = pow(square, (P + 3) // 8, P) * (1 if pow(square, (P - 1) // 4, P) == 1 else ROOT) % P
    check(y < P and (x * x - square) % P == 0, "a point is not on the curve")
    x = P - x if x & 1 != encoded[31] >> 7 else x
    return x, y, 1, x * y % P


def add(a, b):
    m, n = (a[1] - a[0]) * (b[1] - b[0]), (a[1] + a[0]) * (b[1] + b[0])
    o, p = 2 * a[3] * b[3] * D, 2 * a[2] * b[2]
    e, f, g, h = (n - m) % P, (p - o) % P, (p + o) % P, (n + m) % P
    return e * f % P, g * h % P, f * g % P, e * h % P


def times(factor, a):
    half = times(factor >> 1, add(a, a)) if factor else (0, 1, 1, 0)
    return add(half, a) if factor & 1 else half


def signed(key, text, signature):
    """Whether the key made the signature of the text."""
    check(len(key) == 32 and len(signature) == 64, "a key or a signature has another length")
    s = int.from_bytes(signature[32:], "little")
    k = int.from_bytes(hashlib.sha512(signature[:32] + key + text).digest(), "little") % L
    base = point((4 * pow(5, -1, P) % P).to_bytes(32, "little"))
    left, right = times(s, base), add(point(signature[:32]), times(k, point(key)))
    return s < L and all((left[i] * right[2] - right[i] * left[2]) % P == 0 for i in (0, 1))


def root(leaf, index, size, proof):
    """The root that the proof leads to from a leaf: RFC 9162 section 2.1.3.2."""
    node, last = digest(b"\0" + leaf), size - 1
    check(0 <= index <= last, "a leaf is outside of the tree")
    for other in map(b64, proof):
        check(last > 0, "a proof is too long")
        if index & 1 or index == last:
            node = digest(b"\1" + other + node)
            while not index & 1 and index:
                index, last = index >> 1, last >> 1
        else:
            node = digest(b"\1" + node + other)
        index, last = index >> 1, last >> 1
    check(last == 0, "a proof is too short")
    return node


def proven(leaf, index, size, proof, top):
    check(type(proof) is list, "no proof")
    return root(leaf, index, size, proof) == top


def leaves(rows, size, top):
    """The leaves of rows, each proven to be in the tree, in its order."""
    after = -1
    for row in rows:
        check(row.keys() == {"index", "leaf", "proof"} and after < number(row["index"]) < size, "a row is not in its place")
        check(proven(row["leaf"].encode(), row["index"], size, row["proof"], top), "a row is not in the tree")
        after = row["index"]
        yield row["leaf"]


def checkpoint(note, public, origin, trusted):
    """Number of leaves and root of a signed note, and None in place of a key trusts the one that is there."""
    name, keyhash, key = public.split("+", 2)
    raw = b64(key)
    check(name == origin and raw[:1] == b"\1" and trusted in (None, raw[1:]), "the key is another one")
    check(digest((name + "\n").encode() + raw)[:4].hex() == keyhash, "the key is damaged")
    text, _, line = note.partition("\n\n")
    lines, signature = text.split("\n"), line.removesuffix("\n").split(" ")
    check(len(lines) == 5 and lines[0] == origin and line.count("\n") == 1 and signature[:-1] == ["\u2014", name], "another checkpoint")
    value = b64(signature[2])
    check(value[:4].hex() == keyhash and signed(raw[1:], (text + "\n").encode(), value[4:]), "the signature does not fit")
    size, changes = (int(line) for line in (lines[1], lines[4].removeprefix("head ")))
    instant(lines[3].removeprefix("time "))
    check(lines[1:2] + lines[3:] == [str(size), lines[3], f"head {changes}"] and lines[3].startswith("time "), "another checkpoint")
    check(0 <= size < 2**63 and 0 <= changes < 2**63 and len(b64(lines[2])) == 32 and name.split() == [name], "another checkpoint")
    return size, b64(lines[2])
