package auditlog

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"

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

// PayeeResult is the result of a verification of payee: MTCH, CMTC, NMTC, NOAP, LATE or WAIVED, and with a close match the account's name.
type PayeeResult struct {
	Result string `json:"payee"`
	Name   string `json:"payeeName"`
}

// proving takes the rows of a bundle one after the other.
type proving struct {
	bundle Bundle
	proven Proven
	moves  []Event
	rights rights
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
		err = json.Unmarshal(data, &event, json.RejectUnknownMembers(true))
		p.proven.Events = append(p.proven.Events, event)
		if event.Move != nil {
			p.moves = append(p.moves, event)
		}
	case layouts[KindDocument]:
		var document Document
		err = json.Unmarshal(data, &document, json.RejectUnknownMembers(true))
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
	return p.proven, nil
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
		note(right, shown)
	}
	if event.Version == nil {
		return nil
	}
	// Who wrote this version is the last of its makers. The others wrote those before, and may have lost the role since.
	if makers := event.Version.Makers; len(makers) > 0 {
		note(p.rights.held(makers[len(makers)-1], string(identity.RoleMaker), event.At))
	}
	var found PayeeResult
	err := json.Unmarshal([]byte(event.Detail), &found)
	if err == nil && found.Result != "" {
		p.proven.Payees[event.Version.Number] = found
	}
	return err
}

// contents holds the bytes of each document against the digests in its leaf.
func (p *proving) contents() error {
	if len(p.bundle.Contents) != len(p.proven.Documents) {
		return errors.New("there are more documents than contents, or fewer")
	}
	seen := make(map[string]bool)
	for _, content := range p.bundle.Contents {
		document, there := p.proven.Documents[content.DocumentID]
		if !there || seen[content.DocumentID] {
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

// version takes up the content a move began or amended, and holds the move's digest against that of its version.
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
		return errors.New("somebody decided what they wrote")
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
