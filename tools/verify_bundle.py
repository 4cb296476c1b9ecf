#!/usr/bin/env python3
"""Proves bundles with Python's standard library alone, as docs/bundle.md has it: verify_bundle.py [--key PUBLIC_KEY_IN_BASE64] FILE..."""
import base64, hashlib, json, sys
# Ed25519, RFC 8032: the curve -x^2 + y^2 = 1 + d x^2 y^2 over the field of 2^255 - 19.
P, L = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
D, ROOT = -121665 * pow(121666, -1, P) % P, pow(2, (P - 1) // 4, P)
def point(encoded):
    y = int.from_bytes(encoded, "little") & (1 << 255) - 1
    xx = (y * y - 1) * pow(D * y * y + 1, -1, P)
    x = pow(xx, (P + 3) // 8, P) * (1 if pow(xx, (P - 1) // 4, P) == 1 else ROOT) % P
    check(y < P and (x * x - xx) % P == 0, "a point is not on the curve")
    x = P - x if x & 1 != encoded[31] >> 7 else x
    return x, y, 1, x * y % P
def add(a, b):
    m, n, o, p = (a[1] - a[0]) * (b[1] - b[0]), (a[1] + a[0]) * (b[1] + b[0]), 2 * a[3] * b[3] * D, 2 * a[2] * b[2]
    e, f, g, h = (n - m) % P, (p - o) % P, (p + o) % P, (n + m) % P
    return e * f % P, g * h % P, f * g % P, e * h % P
def times(factor, a):
    half = times(factor >> 1, add(a, a)) if factor else (0, 1, 1, 0)
    return add(half, a) if factor & 1 else half
def signed(key, text, signature):
    s = int.from_bytes(signature[32:], "little")
    k = int.from_bytes(hashlib.sha512(signature[:32] + key + text).digest(), "little") % L
    base = point((4 * pow(5, -1, P) % P).to_bytes(32, "little"))
    left, right = times(s, base), add(point(signature[:32]), times(k, point(key)))
    return len(signature) == 64 and s < L and all((left[i] * right[2] - right[i] * left[2]) % P == 0 for i in (0, 1))
def check(holds, why):
    if not holds:
        raise ValueError(why)
digest = lambda data: hashlib.sha256(data).digest()
def b64(text):
    data = base64.b64decode(text, validate=True)
    check(base64.b64encode(data).decode() == text, "base64 is not canonical")
    return data
def root(leaf, index, size, proof):  # RFC 9162 section 2.1.3.2
    node, last = digest(b"\0" + leaf), size - 1
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
def checkpoint(bundle, trusted):
    name, keyhash, key = bundle["publicKey"].split("+", 2)
    raw, origin = b64(key), "countersign/" + bundle["realm"]
    check(name == origin and raw[:1] == b"\1" and len(raw) == 33 and trusted in (None, raw[1:]), "the key is another one")
    check(digest((name + "\n").encode() + raw)[:4].hex() == keyhash, "the key is damaged")
    text, _, line = bundle["checkpoint"].partition("\n\n")
    lines, signature = text.split("\n"), line.removesuffix("\n").split(" ")
    check(len(lines) == 4 and lines[0] == origin and line.count("\n") == 1 and signature[:-1] == ["\u2014", name], "another checkpoint")
    value = b64(signature[2])
    check(value[:4].hex() == keyhash and signed(raw[1:], (text + "\n").encode(), value[4:]), "the signature does not fit")
    return int(lines[1]), b64(lines[2])
def verify(file, trusted):
    line, _, rest = file.partition(b"\n")
    check(rest.decode() == hashlib.sha256(line).hexdigest() + "\n", "the file is damaged")
    bundle = json.loads(line)
    again = json.dumps(bundle, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()
    check(again == line and bundle.keys() == {*"format realm messageId checkpoint publicKey rows contents".split()}, "no bundle")
    check(bundle["format"] == "countersign bundle 1", "another format")
    (size, top), after, documents, moves = checkpoint(bundle, trusted), -1, {}, {}
    for row in bundle["rows"]:
        check(row.keys() == {"index", "leaf", "proof"} and after < row["index"] < size, "a row is not in its place")
        check(root(row["leaf"].encode(), row["index"], size, row["proof"]) == top, "a row is not in the tree")
        after, leaf = row["index"], json.loads(row["leaf"])
        check((leaf["realm"], leaf["messageId"]) == (bundle["realm"], bundle["messageId"]), "a leaf of something else")
        check(leaf["layout"] in ("countersign document 1", "countersign event 1"), "an unknown layout")
        if "documentId" in leaf:
            documents[leaf["documentId"]] = leaf
        elif "move" in leaf:
            moves[leaf["move"]["sequence"]] = leaf
    check(sorted(c["documentId"] for c in bundle["contents"]) == sorted(documents), "a content is missing, or one too many")
    for c in bundle["contents"]:
        leaf = documents[c["documentId"]]
        check(c.keys() <= {"documentId", "content", "source"} and digest(b64(c["content"])).hex() == leaf["contentHash"], "another content")
        check(("source" in c and digest(b64(c["source"])).hex()) == leaf.get("sourceHash", False), "another source")
    decisions(moves, documents)
def decisions(moves, documents):
    state, versions, approved = "None", {}, {}
    check(moves and sorted(moves) == list(range(1, len(moves) + 1)), "a move is missing")
    for _, leaf in sorted(moves.items()):
        move, decision = leaf["move"], leaf.get("decision")
        check(move["from"] == state, "a move does not follow the one before")
        state = move["to"]
        if "version" in leaf:
            v = versions[leaf["version"]["number"]] = leaf["version"]
            check(documents[v["documentId"]]["contentHash"] == v["contentHash"] and v["number"] == move["version"], "another version")
        v = versions[move["version"]]
        check(leaf.get("contentHash") == v["contentHash"], "a move about another content")
        check((decision is not None) == (move["action"] in ("approve", "reject")), "a decision is missing, or one too many")
        if decision:
            people, person = approved.setdefault(v["number"], []), decision["checkerPerson"]
            said = [decision[name] for name in ("action", "version", "contentHash", "makers", "checkerPerson")]
            check(said == [move["action"], v["number"], v["contentHash"], v["makers"], move.get("actorPerson")], "another decision")
            check(person not in v["makers"] + people, "somebody decided what they wrote, or twice")
            people += [person] * (move["action"] == "approve")
            check(move["to"] != "Approved" or len(people) >= v["approvalsRequired"], "fewer approvals than asked for")
def verdict(name, trusted):
    try:
        verify(open(name, "rb").read(), trusted)
        return "proven"
    except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        return "refused: " + repr(error)
keyed = sys.argv[1] == "--key"
verdicts = [verdict(name, b64(sys.argv[2]) if keyed else None) for name in sys.argv[3 if keyed else 1:]]
print("\n".join(verdicts))
sys.exit(0 if set(verdicts) == {"proven"} else 1)
