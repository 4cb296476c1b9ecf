#!/usr/bin/env python3
"""Proves bundles as docs/bundle.md has it, with Python's standard library: verify_bundle.py [--key PUBLIC_KEY_IN_BASE64] FILE..."""
import json, sys

sys.dont_write_bytecode = True
from tlog import b64, check, checkpoint, digest, leaves

MEMBERS = {*"format realm messageId checkpoint publicKey rows contents".split()}
LAYOUTS = {"countersign document 1", "countersign event 1"}
FORMATS = {"countersign bundle 1": set(), "countersign bundle 2": {"rights", "changes"}}


def verify(file, trusted):
    line, _, rest = file.partition(b"\n")
    check(rest.decode() == digest(line).hex() + "\n", "the file is damaged")
    b = json.loads(line)
    again = json.dumps(b, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()
    check(again == line and MEMBERS <= b.keys() <= MEMBERS | FORMATS[b["format"]] and [] not in b.values(), "no bundle")
    tree = checkpoint(b["checkpoint"], b["publicKey"], "countersign/" + b["realm"], trusted)
    given = rights([belongs(leaf, b["realm"], None) for leaf in leaves(b.get("rights", []), *tree)], b.get("changes", []))
    documents, moves = {}, {}
    for leaf in leaves(b["rows"], *tree):
        if "documentId" in belongs(leaf, b["realm"], b["messageId"]):
            documents[leaf["documentId"]] = leaf
        elif "move" in leaf:
            moves[leaf["move"]["sequence"]] = leaf
    check(sorted(c["documentId"] for c in b["contents"]) == sorted(documents), "a content is missing, or one too many")
    for c in b["contents"]:
        leaf = documents[c["documentId"]]
        check(c.keys() <= {"documentId", "content", "source"} and digest(b64(c["content"])).hex() == leaf["contentHash"], "another content")
        check(("source" in c and digest(b64(c["source"])).hex()) == leaf.get("sourceHash", False), "another source")
    return decisions(moves, documents, *given)


def belongs(leaf, realm, message):
    check(leaf["layout"] in LAYOUTS and (leaf["realm"], leaf.get("messageId")) == (realm, message), "a leaf of something else")
    return leaf


def rights(rows, changes):
    granted, ended, told = {}, {}, {"user.rights": [], "change.request": [], "change.approve": []}
    for leaf in rows:
        told[leaf["event"]].append((json.loads(leaf["detail"]), leaf))
    asked, approved = ({s["change"]: l for s, l in told["change." + step]} for step in ("request", "approve"))
    contents = {c["changeId"]: digest(b64(c["content"])).hex() for c in changes}
    check(all(c.keys() == {"changeId", "content"} for c in changes), "an unknown member of a change")
    check(len(asked) == len(approved) == len(changes) == len(contents) == (len(rows) - len(told["user.rights"])) / 2, "changes in part")
    for said, leaf in told["user.rights"]:
        if "change" in said:
            a, b, content = (of[said["change"]] for of in (asked, approved, contents))
            check(len({a["actorPerson"], b["actorPerson"], said["person"]}) == 3, "one person asked and approved, or gained by it")
            check((b["at"], b["actorPerson"]) == (leaf["at"], leaf["actorPerson"]), "another change")
            check(content == b["contentHash"] == a.get("contentHash", content), "a change says something else")
        else:
            check("actorPerson" not in leaf and leaf["channel"] == "operator", "rights from nowhere")
        for right in said.get("granted", []):
            check(right["grant"] not in granted, "a right is given twice")
            granted[right["grant"]] = (right["role"], said["person"], leaf["at"])
        ended.update({right["grant"]: leaf["at"].rstrip("Z") for right in said.get("ended", [])})
    return granted, ended


def decisions(moves, documents, granted, ended):
    state, versions, approved, shown = "None", {}, {}, []
    check(moves and sorted(moves) == list(range(1, len(moves) + 1)), "a move is missing")
    for _, leaf in sorted(moves.items()):
        move, decision, at = leaf["move"], leaf.get("decision"), leaf["at"].rstrip("Z")
        check(move["from"] == state, "a move does not follow the one before")
        state = move["to"]
        if "version" in leaf:
            v = versions[leaf["version"]["number"]] = leaf["version"]
            check(documents[v["documentId"]]["contentHash"] == v["contentHash"] and v["number"] == move["version"], "another version")
            for person in v["makers"][-1:]:  # who wrote it; the others wrote the versions before
                held = [(grant, since) for grant, (*of, since) in granted.items() if of == ["maker", person]]
                shown.append(any(since.rstrip("Z") <= at < ended.get(grant, "9") for grant, since in held))
        v = versions[move["version"]]
        check(leaf.get("contentHash") == v["contentHash"], "a move about another content")
        check((decision is not None) == (move["action"] in ("approve", "reject")), "a decision is missing, or one too many")
        if decision:
            people, person, grant = approved.setdefault(v["number"], []), decision["checkerPerson"], decision.get("grantId")
            said = [decision[name] for name in ("action", "version", "contentHash", "makers", "checkerPerson")]
            check(said == [move["action"], v["number"], v["contentHash"], v["makers"], move.get("actorPerson")], "another decision")
            check(person not in v["makers"] + people, "somebody decided what they wrote, or twice")
            right = (decision.get("role"), person, decision.get("grantedAt"))
            check(granted.get(grant, right) == right and at <= ended.get(grant, "9"), "another right, or one that had ended")
            shown.append(grant in granted)
            people += [person] * (move["action"] == "approve")
            check(move["to"] != "Approved" or len(people) >= v["approvalsRequired"], "fewer approvals than asked for")
    return f"proven, {sum(shown)} of {len(shown)} rights shown"


def verdict(name, trusted):
    try:
        return verify(open(name, "rb").read(), trusted)
    except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        return "refused: " + repr(error)


names, trusted = (sys.argv[3:], b64(sys.argv[2])) if sys.argv[1] == "--key" else (sys.argv[1:], None)
print(*(verdicts := [verdict(name, trusted) for name in names]), sep="\n")
sys.exit(any(not said.startswith("proven") for said in verdicts))
