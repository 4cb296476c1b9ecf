#!/usr/bin/env python3
"""Proves bundles and archives as docs/bundle.md has it, with Python's standard library:
verify_bundle.py [--key PUBLIC_KEY_IN_BASE64] [--data-keys FILE] FILE..., where FILE has lines of a payment's id and its data key as digits."""
import argparse
import base64
import datetime
import hmac
import re
import sys
import zlib
import zoneinfo

sys.dont_write_bytecode = True
from aes import counter_mode
from tlog import b64, check, checkpoint, digest, dump, instant, leaves, number, parse, proven, text

MEMBERS = {*"format realm messageId checkpoint publicKey rows contents rights changes grants".split()}
ACTOR = "actorName:text actorPerson?:text actorUser?:text at:instant channel:text clientId?:text "
SHAPES = {
    "countersign event 1": ACTOR + "contentHash?:digits decision?:decision detail:text event:text eventId:uuid layout:text messageId?:text "
    "move?:move outcome:text realm:text requestId?:text sourceAddress?:text version?:version",
    "countersign document 1": "contentHash:digits createdAt:instant direction:text documentId:uuid layout:text messageId?:text name:text "
    "realm:text reference:text scheme:text sourceHash?:digits sourceType?:text",
    "move": ACTOR + "action:text from:text kind:text reason?:text sequence:number to:text version:number",
    "version": "amount:text approvalsRequired:number contentHash:digits currency:text documentId:text makers:texts number:number",
    "decision": "action:text channel:text checkerPerson:text checkerUser:text clientId:text contentHash:digits decidedAt:instant "
    "factorUse?:text grantId?:text grantedAt?:text makers:texts ordinal:number reason?:text remark?:text role?:text version:number",
}


def fits(value, kind):
    """Whether a value has a kind: each member is there or may be left out, and none is one that is left out when empty."""
    if kind in SHAPES:
        members = dict(member.split(":") for member in SHAPES[kind].split())
        wanted = {name.rstrip("?"): (of, name.endswith("?")) for name, of in members.items()}
        check(type(value) is dict and value.keys() <= wanted.keys(), "an unknown member")
        for name, (of, optional) in wanted.items():
            if name in value or not optional:
                fits(value[name], of)
                check(not optional or value[name] != "", "a member that is empty")
    elif kind == "texts":
        check(type(value) is list, "no list")
        [text(one) for one in value]
    elif kind in ("number", "instant"):
        {"number": number, "instant": instant}[kind](value)
    else:
        text(value)
        forms = {"digits": (len(value) // 2 * 2,), "uuid": (8, 4, 4, 4, 12)}
        parts = value.split("-") if kind == "uuid" else [value]
        check(kind == "text" or [*map(len, parts)] == [*forms[kind]] and not set("".join(parts)) - set("0123456789abcdef"), "not " + kind)


def belongs(data, realm, message):
    leaf = parse(data)
    check(dump(leaf) == data and leaf["layout"] in ("countersign event 1", "countersign document 1"), "a leaf of another form")
    fits(leaf, leaf["layout"])
    check((leaf["realm"], leaf.get("messageId", "")) == (realm, message), "a leaf of something else")
    return leaf


HEAD = b"\x1f\x8b\x08\0\0\0\0\0\0\xff"


def archive(file, trusted):
    """Proves an archive: a header, for each message its payment, its bundle and its closed contents, and an end, as lines of a gzip file."""
    unpack = zlib.decompressobj(wbits=31)
    data = unpack.decompress(file)
    check(unpack.eof and not unpack.unused_data, "the archive is cut, or something follows it")
    lines = data.split(b"\n")
    header, messages = parse(lines[0].decode()), lines[1:-2]
    check(dump(header).encode() == lines[0] and header.keys() == {*"checkpoint format month publicKey realm until".split()}, "no header")
    check(header["format"] == "countersign archive 1" and re.fullmatch("[0-9]{4}-(0[1-9]|1[0-2])", header["month"]), "no archive")
    year, month = map(int, header["month"].split("-"))
    end = datetime.datetime(year + month // 12, month % 12 + 1, 1, tzinfo=zoneinfo.ZoneInfo("Europe/Zurich")).astimezone(datetime.timezone.utc)
    check(header["until"] == end.strftime("%Y-%m-%dT%H:%M:%SZ"), "another end of the month")
    over = digest(data[: -len(lines[-2]) - 1]).hex()
    check(messages and lines[-1] == b"" and lines[-2].decode() == f"end {len(messages) // 4} {over}" and len(messages) % 4 == 0, "no end")
    after, shown, of, opened = "", 0, 0, 0
    for payment, line, its, closed in zip(*(messages[i::4] for i in range(4))):
        b, key = parse(line.decode()), data_keys.get(payment.decode())
        place = payment.decode() + " " + b["messageId"]
        check(after < place and len(payment) == 36, "a message is not in its place")
        after = place
        check(all(b[name] == header[name] for name in ("realm", "checkpoint", "publicKey")), "a message of another archive")
        check(b["contents"] == [], "contents in clear")
        contents = key and unpacked(zlib.decompress(unsealed(key, b64(closed.decode())), wbits=-15))
        opened += key is not None
        said = re.fullmatch("proven, ([0-9]+) of ([0-9]+) rights shown", verify(line + b"\n" + its + b"\n", trusted, contents))
        shown, of = shown + int(said[1]), of + int(said[2])
        moves = (leaf["move"]["at"] for leaf in map(parse, (row["leaf"] for row in b["rows"])) if "move" in leaf)
        check(all(instant(at) < instant(header["until"]) for at in moves), "a move after the end of the month")
    return f"proven, {len(messages) // 4} messages, {shown} of {of} rights shown, contents of {opened}"


def unsealed(key, sealed):
    """Decrypts AES-256-GCM. The digests of the contents, which are proven next, are stronger than its tag."""
    return counter_mode(key, sealed[:12], sealed[12:-16])


def unpacked(data):
    """The contents of a line of JSON, which has the numbers of their bytes, and of the bytes after it."""
    line, _, data = data.partition(b"\n")
    contents = parse(line.decode())
    for c in contents:
        for name in ("content", "source"):
            size = number(c.get(name, 0))
            check(0 <= size <= len(data) and (size > 0 or name not in c or name == "content"), "a content is cut")
            if name in c:
                c[name], data = base64.b64encode(data[:size]).decode(), data[size:]
    check(data == b"", "something follows the contents")
    return contents


def verify(file, trusted, contents=()):
    """Proves a bundle: contents are its own for (), and those of an archive else; without any (None) the digests alone are proven."""
    if file.startswith(HEAD):
        return archive(file, trusted)
    line, _, rest = file.partition(b"\n")
    check(rest.decode() == digest(line).hex() + "\n", "the file is damaged")
    b = parse(line.decode())
    lists = [b.get(name) for name in ("rows", "contents", "rights", "changes", "grants")]
    check(dump(b).encode() == line and b.keys() == MEMBERS and b["format"] == "countersign bundle 1", "no bundle")
    check(all(type(each) is list for each in lists), "no list")
    contents = b["contents"] if contents == () else contents
    tree = checkpoint(b["checkpoint"], b["publicKey"], "countersign/" + b["realm"], trusted)
    granted, ended = rights([belongs(leaf, b["realm"], "") for leaf in leaves(b["rights"], *tree)], b["changes"])
    documents, moves = {}, []
    for leaf in [belongs(leaf, b["realm"], b["messageId"]) for leaf in leaves(b["rows"], *tree)]:
        if "documentId" in leaf:
            documents[leaf["documentId"]] = leaf
        elif "move" in leaf:
            moves.append(leaf)
    moves.sort(key=lambda leaf: leaf["move"]["sequence"])
    held = in_force(moves, b["grants"], b["realm"])
    if contents is not None:
        opened(contents, documents, [leaf for leaf in moves if "version" in leaf])
    return decisions(moves, documents, granted, ended, held)


def opened(contents, documents, brought):
    """Proves the contents of all documents, and the names of payees' accounts beside the versions that were brought."""
    check(type(contents) is list and sorted(c["documentId"] for c in contents) == sorted(documents), "a content is missing, or one too many")
    details = [(leaf["version"]["documentId"], parse(leaf["detail"])) for leaf in brought]
    names = {document: said.get("payeeNameHash") or "" for document, said in details if said.get("payee")}
    for c in contents:
        leaf, source, name, content = documents[c["documentId"]], c.get("source", ""), c.get("payeeName", ""), b64(c["content"])
        check(c.keys() <= {"documentId", "content", "payeeName", "source"} and digest(content).hex() == leaf["contentHash"], "another content")
        check("" not in (c.get("source", "-"), c.get("payeeName", "-")), "a member that is empty")
        check(not leaf.get("sourceHash", "") + source or digest(b64(source)).hex() == leaf.get("sourceHash"), "another source")
        check((hmac.new(content, name.encode(), "sha256").hexdigest() if name else "") == names.get(c["documentId"], ""), "another name")


def written(said, names):
    """The one form of a detail: as Go writes JSON, with the members in this order."""
    line = dump({name: said[name] for name in names.split() if name in said}, False)
    for character in "<>&\u2028\u2029":
        line = line.replace(character, "\\u%04x" % ord(character))
    return line


def rights(rows, changes):
    granted, ended, told, steps = {}, {}, [], {"change.request": {}, "change.approve": {}}
    for leaf in rows:
        said = parse(leaf["detail"])
        check("documentId" not in leaf and "move" not in leaf and type(said) is dict, "a leaf that tells of no right")
        lists = [said.get(name, [0]) for name in ("granted", "ended")]
        [text(value) for name, value in said.items() if name not in ("granted", "ended")]
        check([] not in lists and "" not in (said.get("change", "-"), said.get("reason", "-")), "a member that is empty")
        if leaf["event"] == "user.rights":
            check({"subject", "user", "person"} <= said.keys(), "a member is missing")
            for right in said.get("granted", []) + said.get("ended", []):
                check([*right] == ["grant", "role"] and all(map(text, right.values())), "a right of another form")
            check(leaf["detail"] == written(said, "change subject user person granted ended"), "another form")
            told.append((said, leaf))
        else:
            check({"change", "kind", "subject"} <= said.keys() and said["change"] not in steps[leaf["event"]], "a change twice")
            check(leaf["detail"] == written(said, "change kind subject reason"), "another form")
            steps[leaf["event"]][said["change"]] = leaf
    asked, approved = steps.values()
    check(all(c.keys() == {"changeId", "content"} for c in changes), "an unknown member of a change")
    contents = {c["changeId"]: digest(b64(c["content"])).hex() for c in changes}
    check(len(asked) == len(approved) == len(changes) == len(contents), "changes in part")
    for said, leaf in told:
        if "change" in said:
            a, b, content = (of[said["change"]] for of in (asked, approved, contents))
            check(len({a["actorPerson"], b["actorPerson"], said["person"]}) == 3, "one person asked and approved, or gained by it")
            check((b["at"], b["actorPerson"]) == (leaf["at"], leaf.get("actorPerson")), "another change")
            check(content == b.get("contentHash") == a.get("contentHash"), "a change says something else")
        else:
            check("actorPerson" not in leaf and leaf["channel"] == "operator", "rights from nowhere")
        for right in said.get("granted", []):
            check(right["grant"] not in granted, "a right is given twice")
            granted[right["grant"]] = (right["role"], said["person"], leaf["at"], said["user"])
        ended.update({right["grant"]: leaf["at"].rstrip("Z") for right in said.get("ended", [])})
    return granted, ended


def head_of(leaf):
    """Number, rows and root of the head that a move names: None for none."""
    said = parse(leaf["detail"]) if "version" in leaf or "decision" in leaf else None
    check(said is None or type(said) is dict, "a detail of another form")
    said = {name: value for name, value in (said or {}).items() if value is not None}
    [text(said[name]) for name in ("payee", "payeeNameHash") if name in said]
    if "head" not in said:
        return None
    check(type(said["head"]) is dict, "a head of another form")
    head = {name: value for name, value in said["head"].items() if value is not None}
    top = head.get("root", "")
    check(len(top) == 64 and not set(top) - set("0123456789abcdefABCDEF"), "a root of another form")
    return number(head.get("number", 0)), number(head.get("rows", 0)), bytes.fromhex(top)


def in_force(moves, grants, realm):
    """The grants that the bundle shows in force: account, role and time, by the number of a head and the grant."""
    heads, held, after = {}, {}, (-(2**63), -1)
    for head in filter(None, map(head_of, moves)):
        check(heads.setdefault(head[0], head) == head, "a head in two forms")
    for row in grants:
        check(row.keys() == {"head", "index", "proof", "record"}, "an unknown member of a grant")
        place = number(row["head"]), number(row["index"])
        check(after < place, "grants in another order")
        after, (_, size, top), record = place, heads[row["head"]], b64(row["record"])
        check(proven(record, row["index"], size, row["proof"], top), "a grant is not in the master data")
        fields = []
        while record:
            end = 4 + int.from_bytes(record[:4], "big")
            check(4 <= len(record) and end <= len(record), "a record is damaged")
            fields, record = fields + [record[4:end]], record[end:]
        check(fields[:3] == [b"countersign master data 1", b"user_role", b"\1" + realm.encode()], "a record of something else")
        check(all(field[:1] == b"\1" for field in fields[3:8]) and [*map(len, fields[3:5] + fields[7:])] == [17, 17, 9, 0], "no grant in force")
        names = [f"{b[1:5].hex()}-{b[5:7].hex()}-{b[7:9].hex()}-{b[9:11].hex()}-{b[11:].hex()}" for b in fields[3:5]]
        held[row["head"], names[0]] = names[1], fields[6][1:], int.from_bytes(fields[7][1:], "big", signed=True)
    return held


def decisions(moves, documents, granted, ended, held):
    def force(leaf, grant):
        role, _, since, user = granted[grant]
        head = head_of(leaf)
        return head is not None and held.get((head[0], grant)) == (user, role.encode(), instant(since))

    state, versions, approved, shown = "None", {}, {}, []
    check(moves and [leaf["move"]["sequence"] for leaf in moves] == [*range(1, len(moves) + 1)], "a move is missing")
    for leaf in moves:
        move, decision, at = leaf["move"], leaf.get("decision"), leaf["at"].rstrip("Z")
        check(move["from"] == state, "a move does not follow the one before")
        state = move["to"]
        if "version" in leaf:
            v = versions[leaf["version"]["number"]] = leaf["version"]
            check(documents[v["documentId"]]["contentHash"] == v["contentHash"] and v["number"] == move["version"], "another version")
        v = versions[move["version"]]
        check(leaf.get("contentHash", "") == v["contentHash"], "a move about another content")
        check((decision is not None) == (move["action"] in ("approve", "reject")), "a decision is missing, or one too many")
        if decision:
            people, person, grant = approved.setdefault(v["number"], []), decision["checkerPerson"], decision.get("grantId", "")
            said = [decision[name] for name in ("action", "version", "contentHash", "makers", "checkerPerson")]
            check(said == [move["action"], v["number"], v["contentHash"], v["makers"], move.get("actorPerson")], "another decision")
            check(person not in v["makers"] + people, "a person decided about a content that the same person made, or twice")
            people += [person] * (move["action"] == "approve")
            check(move["to"] != "Approved" or len(people) >= v["approvalsRequired"], "fewer approvals than asked for")
            right = (decision.get("role", ""), person, decision.get("grantedAt", ""))
            check(grant not in granted or granted[grant][:3] == right, "another right")
            check(at <= ended.get(grant, "~"), "a right that had ended")
            shown.append(grant in granted and force(leaf, grant))
        for person in leaf["version"]["makers"][-1:] if "version" in leaf else []:  # who wrote it; the others wrote the versions before
            shown.append(any(right[:2] == ("maker", person) and force(leaf, grant) for grant, right in granted.items()))
    return f"proven, {sum(shown)} of {len(shown)} rights shown"


def verdict(name, trusted):
    try:
        return verify(open(name, "rb").read(), trusted)
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError, zlib.error) as error:
        return "refused: " + repr(error)


arguments = argparse.ArgumentParser()
arguments.add_argument("--key", type=b64)
arguments.add_argument("--data-keys", type=argparse.FileType())
arguments.add_argument("names", nargs="+")
asked = arguments.parse_args()
names, trusted = asked.names, asked.key
data_keys = {payment: bytes.fromhex(key) for payment, key in map(str.split, asked.data_keys or ())}
print(*(verdicts := [verdict(name, trusted) for name in names]), sep="\n")
sys.exit(any(not said.startswith("proven") for said in verdicts))
