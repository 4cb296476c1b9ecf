package auditlog

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"
	"golang.org/x/mod/sumdb/tlog"

	"countersign/internal/identity"
)

// Proven holds the facts that a bundle proves.
type Proven struct {
	Checkpoint Checkpoint
	Events     []Event // in the order of the tree; with a move or without, for what was refused
	Documents  map[string]Document
	// Rights are the rights under which the makers and deciders acted. Unshown counts the makers and deciders whose right is not in the
	// bundle.
	Rights  []Right
	Unshown int
	// Payees are the results of the verifications of payee, by version.
	Payees map[int]PayeeResult
}

// PayeeResult is the result of a verification of payee: MTCH, CMTC, NMTC, NOAP, LATE or WAIVED, and with a close match the account's name,
// which is empty without the contents, and its digest.
type PayeeResult struct {
	Result   string `json:"payee"`
	Name     string `json:"-"`
	NameHash string `json:"payeeNameHash"`
}

// proving collects the rows of a bundle.
type proving struct {
	bundle Bundle
	opened bool            // with the contents of its documents
	named  map[string]bool // the documents beside whose content is the name of a payee's account, which was proven
	proven Proven
	moves  []Event
	rights rights
	heads  map[int64]Head       // by their numbers, of the moves
	held   map[heldGrant]record // the grants in force under a head
}

// stepDetail is the detail of a move.
type stepDetail struct {
	PayeeResult
	Head *Head `json:"head"`
}

// heldGrant names a grant under a head.
type heldGrant struct {
	head  int64
	grant string
}

// record is a grant in force in the master data.
type record struct {
	user, role string
	at         time.Time
}

// take reads one leaf.
func (p *proving) take(data []byte) error {
	var of struct {
		Layout    string `json:"layout"`
		Realm     string `json:"realm"`
		MessageID string `json:"messageId"`
	}
	err := json.Unmarshal(data, &of)
	if err != nil || of.Realm != p.bundle.Realm || of.MessageID != p.bundle.MessageID {
		return errors.New("the leaf is of another realm or message")
	}
	switch of.Layout {
	case layouts[KindEvent]:
		var event Event
		event, err = parseEvent(data)
		p.proven.Events = append(p.proven.Events, event)
		if event.Move != nil {
			p.moves = append(p.moves, event)
		}
	case layouts[KindDocument]:
		var document Document
		document, err = parseDocument(data)
		p.proven.Documents[document.DocumentID.String()] = document
	default:
		err = errors.New("the layout of the leaf is unknown: " + of.Layout)
	}
	return err
}

// conclude compares the rows of the bundle with each other: the documents' bytes, the moves, the decisions.
func (p *proving) conclude() (Proven, error) {
	err := p.contents()
	if err != nil {
		return Proven{}, err
	}
	slices.SortFunc(p.moves, func(a, b Event) int { return a.Move.Sequence - b.Move.Sequence })
	versions := make(map[int]Version)
	approved := make(map[int][]string) // by version, the people
	state := "None"
	for i, event := range p.moves {
		move := event.Move
		if move.Sequence != i+1 || move.From != state {
			return Proven{}, fmt.Errorf("move %d is missing, or does not follow the one before", i+1)
		}
		state = move.To
		err = p.version(event, versions)
		if err != nil {
			return Proven{}, fmt.Errorf("move %d: %w", move.Sequence, err)
		}
		err = decision(event, versions, approved)
		if err == nil {
			err = p.underRights(event)
		}
		if err != nil {
			return Proven{}, fmt.Errorf("move %d: %w", move.Sequence, err)
		}
	}
	if len(p.moves) == 0 {
		return Proven{}, errors.New("no move of the message is in the bundle")
	}
	if slices.ContainsFunc(p.bundle.Contents, func(c Content) bool { return c.PayeeName != "" && !p.named[c.DocumentID] }) {
		return Proven{}, errors.New("there is the name of a payee's account that no version has")
	}
	return p.proven, nil
}

// grants proves the rows of grants under the heads of the moves.
func (p *proving) grants() error {
	p.heads, p.held = map[int64]Head{}, map[heldGrant]record{}
	for _, event := range p.moves {
		said, err := detailOfStep(event)
		if err != nil {
			return fmt.Errorf("the detail of move %d: %w", event.Move.Sequence, err)
		}
		if said.Head == nil {
			continue
		}
		known, there := p.heads[said.Head.Number]
		if there && (known.Rows != said.Head.Rows || !bytes.Equal(known.Root, said.Head.Root)) || len(said.Head.Root) != sha256.Size {
			return fmt.Errorf("head %d stands there in two forms", said.Head.Number)
		}
		p.heads[said.Head.Number] = *said.Head
	}
	var last GrantRow
	for i, g := range p.bundle.Grants {
		if i > 0 && (g.Head < last.Head || g.Head == last.Head && g.Index <= last.Index) {
			return errors.New("the grants are not in their order")
		}
		last = g
		head, there := p.heads[g.Head]
		if !there || g.Proof == nil || tlog.CheckRecord(g.Proof, head.Rows, Hash(head.Root), g.Index, tlog.RecordHash(g.Record)) != nil {
			return fmt.Errorf("row %d is not in the master data under head %d", g.Index, g.Head)
		}
		grant, r, fits := grantIn(g.Record, p.bundle.Realm)
		if !fits {
			return fmt.Errorf("row %d under head %d is no grant in force", g.Index, g.Head)
		}
		p.held[heldGrant{g.Head, grant}] = r
	}
	return nil
}

// detailOfStep reads the detail of a move that brought a version or a decision.
func detailOfStep(event Event) (said stepDetail, err error) {
	if event.Version != nil || event.Decision != nil {
		err = json.Unmarshal([]byte(event.Detail), &said)
	}
	return said, err
}

// grantIn reads the record of a grant that has not ended: the form, the table, the realm and the columns of user_role. A column begins with
// the byte 1; an empty one is NULL.
func grantIn(data []byte, realm string) (grant string, r record, fits bool) {
	var fields [][]byte
	for len(data) >= 4 {
		size := uint64(binary.BigEndian.Uint32(data))
		if size > uint64(len(data)-4) { //nolint:gosec // a length
			return "", record{}, false
		}
		fields, data = append(fields, data[4:4+size]), data[4+size:]
	}
	if len(data) > 0 || len(fields) != 9 || string(fields[0]) != "countersign master data 1" || string(fields[1]) != "user_role" ||
		string(fields[2]) != "\x01"+realm || len(fields[3]) != 17 || len(fields[4]) != 17 || len(fields[7]) != 9 || len(fields[8]) != 0 {
		return "", record{}, false
	}
	for _, column := range fields[3:8] {
		if len(column) == 0 || column[0] != 1 {
			return "", record{}, false
		}
	}
	at := time.UnixMicro(int64(binary.BigEndian.Uint64(fields[7][1:]))).UTC() //nolint:gosec // the same 64 bits
	return uuid.UUID(fields[3][1:]).String(), record{uuid.UUID(fields[4][1:]).String(), string(fields[6][1:]), at}, true
}

// inForce reports whether a right was in force under the head of a move.
func (p *proving) inForce(event Event, right Right) bool {
	said, err := detailOfStep(event)
	if err != nil || said.Head == nil {
		return false
	}
	r, there := p.held[heldGrant{said.Head.Number, right.Grant}]
	return there && r.user == right.User && r.role == right.Role && r.at.Equal(right.At)
}

// underRights finds the rights of the people who made the version of a move or decided it, and the result of the verification of payee.
func (p *proving) underRights(event Event) error {
	note := func(right Right, shown bool) {
		if !shown {
			p.proven.Unshown++
		} else if !slices.Contains(p.proven.Rights, right) {
			p.proven.Rights = append(p.proven.Rights, right)
		}
	}
	if event.Decision != nil {
		right, shown, err := p.rights.of(event.Decision, event.At)
		if err != nil {
			return err
		}
		note(right, shown && p.inForce(event, right))
	}
	if event.Version == nil {
		return nil
	}
	// Who wrote this version is the last of its makers. The others wrote those before, and may have lost the role since.
	if makers := event.Version.Makers; len(makers) > 0 {
		note(p.heldBy(makers[len(makers)-1], event))
	}
	said, err := detailOfStep(event)
	if err == nil && said.Result != "" {
		said.Name, err = p.payeeName(event.Version.DocumentID, said.NameHash)
		p.proven.Payees[event.Version.Number] = said.PayeeResult
	}
	return err
}

// payeeName compares the name beside the content of a version with its digest.
func (p *proving) payeeName(document, hash string) (string, error) {
	at := slices.IndexFunc(p.bundle.Contents, func(c Content) bool { return c.DocumentID == document })
	if at < 0 {
		return "", nil // the contents were not opened
	}
	found := p.bundle.Contents[at]
	p.named[document] = true
	if PayeeNameHash(found.Content, found.PayeeName) != hash {
		return "", errors.New("the name of the payee's account is missing, or another one")
	}
	return found.PayeeName, nil
}

// heldBy finds the right of a maker under the head of a move.
func (p *proving) heldBy(person string, event Event) (Right, bool) {
	for _, grant := range slices.Sorted(maps.Keys(p.rights.granted)) {
		right := p.rights.granted[grant]
		if right.Person == person && right.Role == string(identity.RoleMaker) && p.inForce(event, right) {
			return right, true
		}
	}
	return Right{}, false
}

// contents compares the bytes of each document with the digest in its leaf.
func (p *proving) contents() error {
	if !p.opened {
		return nil
	}
	if len(p.bundle.Contents) != len(p.proven.Documents) {
		return errors.New("there are more documents than contents, or fewer")
	}
	seen := make(map[string]bool)
	for _, content := range p.bundle.Contents {
		document, there := p.proven.Documents[content.DocumentID]
		if !there || seen[content.DocumentID] || content.Content == nil {
			return fmt.Errorf("the content of %s belongs to no document", content.DocumentID)
		}
		seen[content.DocumentID] = true
		if !digests(content.Content, document.ContentHash) || len(document.SourceHash)+len(content.Source) > 0 &&
			!digests(content.Source, document.SourceHash) {
			return fmt.Errorf("the content of %s is not the one of its digest", content.DocumentID)
		}
	}
	return nil
}

func digests(content []byte, hash Text) bool {
	digest := sha256.Sum256(content)
	return bytes.Equal(digest[:], hash)
}

// version adds the content that a move began or amended, and compares the move's digest with that of its version.
func (p *proving) version(event Event, versions map[int]Version) error {
	if v := event.Version; v != nil {
		document, there := p.proven.Documents[v.DocumentID]
		if !there || !bytes.Equal(document.ContentHash, v.ContentHash) || v.Number != event.Move.Version {
			return errors.New("the content of the version is missing, or another one")
		}
		versions[v.Number] = *v
	}
	v, there := versions[event.Move.Version]
	if !there || !bytes.Equal(event.ContentHash, v.ContentHash) {
		return errors.New("it is about another content than the version has")
	}
	return nil
}

// decision compares a decision with its version: no maker decides, nobody decides twice, and nothing is approved with fewer approvals than
// required.
func decision(event Event, versions map[int]Version, approved map[int][]string) error {
	move, d := event.Move, event.Decision
	if move.Action != "approve" && move.Action != "reject" {
		if d != nil {
			return errors.New("a decision stands at a move that is none")
		}
		return nil
	}
	v := versions[move.Version]
	switch {
	case d == nil || d.Action != move.Action || d.Version != move.Version || d.CheckerPerson != move.ActorPerson:
		return errors.New("the decision is missing, or another one")
	case !bytes.Equal(d.ContentHash, v.ContentHash) || !slices.Equal(d.Makers, v.Makers):
		return errors.New("the decision is about another content")
	case d.CheckerPerson == "" || slices.Contains(v.Makers, d.CheckerPerson):
		return errors.New("a person decided about a content that the same person made")
	case slices.Contains(approved[v.Number], d.CheckerPerson):
		return errors.New("somebody decided twice")
	}
	if d.Action == "approve" {
		approved[v.Number] = append(approved[v.Number], d.CheckerPerson)
		if move.To == "Approved" && len(approved[v.Number]) < v.ApprovalsRequired {
			return errors.New("it was approved with fewer approvals than asked for")
		}
	}
	return nil
}
