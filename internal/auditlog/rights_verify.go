package auditlog

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"countersign/internal/identity"
)

// Right is the right under which a person made or decided a message, with its origin.
type Right struct {
	Role, Person, Account string
	User, Grant           string    // ids of the account and the grant
	At                    time.Time // since when
	// Change brought it: Requester asked for it and Decider approved it, both by name. "" for a right from the operator of the gateway.
	Change, Requester, Decider string
}

// told is an event about rights, with its rights.
type told struct {
	Event
	rights Rights
}

// rights collects the rows of a bundle about rights.
type rights struct {
	requests, approvals map[string]Event // by the change they are about
	told                []told
	granted             map[string]Right // by the grant
	ended               map[string]time.Time
}

func newRights() rights {
	return rights{requests: map[string]Event{}, approvals: map[string]Event{}, granted: map[string]Right{}, ended: map[string]time.Time{}}
}

// take reads one leaf.
func (r *rights) take(realm string, data []byte) error {
	event, err := parseEvent(data)
	if err != nil || event.Layout != layouts[KindEvent] || event.Realm != realm || event.MessageID != "" || event.Move != nil {
		return errors.New("the leaf is none of the rights in this realm")
	}
	var said Rights
	if event.Event == EventUserRights {
		said, err = ParseRights(event.Detail)
	} else {
		said.Change, err = parseChange(event.Detail)
	}
	if err != nil {
		return errors.New("the detail of the leaf cannot be read")
	}
	known := map[string]map[string]Event{EventChangeRequest: r.requests, EventChangeApprove: r.approvals}[event.Event]
	switch {
	case event.Event == EventUserRights:
		r.told = append(r.told, told{event, said})
	case known == nil || said.Change == "":
		return errors.New("the leaf tells of no right: " + event.Event)
	case known[said.Change].Event != "":
		return errors.New("a change is asked for or approved twice: " + said.Change)
	default:
		known[said.Change] = event
	}
	return nil
}

// conclude compares the rights with the changes that gave them, and those with their contents.
func (r *rights) conclude(changes []ChangeContent) error {
	contents := map[string][]byte{}
	for _, c := range changes {
		contents[c.ChangeID] = c.Content
	}
	if len(contents) != len(changes) || len(changes) != len(r.requests) || len(changes) != len(r.approvals) {
		return errors.New("a change lacks its request, its approval or its content, or one is too many")
	}
	for _, t := range r.told {
		err := r.byWhom(t, contents)
		if err != nil {
			return fmt.Errorf("the rights of %s: %w", t.rights.Subject, err)
		}
		for _, one := range t.rights.Granted {
			if _, twice := r.granted[one.Grant]; twice {
				return errors.New("a right is given twice: " + one.Grant)
			}
			r.granted[one.Grant] = Right{
				Role: one.Role, Person: t.rights.Person, Account: t.rights.Subject, User: t.rights.User, Grant: one.Grant, At: t.At,
				Change:    t.rights.Change,
				Requester: r.requests[t.rights.Change].ActorName, Decider: r.approvals[t.rights.Change].ActorName,
			}
		}
		for _, one := range t.rights.Ended {
			r.ended[one.Grant] = t.At
		}
	}
	return nil
}

// byWhom compares rights with the change that gave them: two different people, who both gained nothing by it, decided the same content.
func (r *rights) byWhom(t told, contents map[string][]byte) error {
	if t.rights.Change == "" {
		if t.ActorPerson != "" || t.Channel != string(identity.ChannelOperator) {
			return errors.New("they come from no change and not from the operator")
		}
		return nil
	}
	request, approval, content := r.requests[t.rights.Change], r.approvals[t.rights.Change], contents[t.rights.Change]
	switch {
	case request.ActorPerson == "" || approval.ActorPerson == "" || content == nil:
		return errors.New("the change that brought them is not in the bundle")
	case !approval.At.Equal(t.At) || approval.ActorPerson != t.ActorPerson:
		return errors.New("another change brought them")
	case request.ActorPerson == approval.ActorPerson || slices.Contains([]string{request.ActorPerson, approval.ActorPerson}, t.rights.Person):
		return errors.New("one person asked and approved, or gained by it")
	case !digests(content, approval.ContentHash) || !bytes.Equal(request.ContentHash, approval.ContentHash):
		return errors.New("the change says something else than was approved")
	}
	return nil
}

// of finds the right of a decision at a time. shown is false when the bundle does not hold the right.
func (r *rights) of(d *Decision, at time.Time) (right Right, shown bool, err error) {
	right, shown = r.granted[d.GrantID]
	end, ended := r.ended[d.GrantID]
	switch {
	case shown && (right.Role != d.Role || right.Person != d.CheckerPerson || right.At.Format(time.RFC3339Nano) != d.GrantedAt):
		err = errors.New("the right it was made under is another one")
	case ended && end.Before(at):
		err = errors.New("the right it was made under had ended")
	}
	return right, shown, err
}

// AuditRight is a role that an account was given or lost, with its grant.
type AuditRight struct {
	Grant string `json:"grant"` // its id
	Role  string `json:"role"`
}

// Rights lists the granted and ended rights of an account.
type Rights struct {
	Change  string       `json:"change,omitempty"` // that brought it; "" where the operator did
	Subject string       `json:"subject"`          // the name of the account
	User    string       `json:"user"`             // its id
	Person  string       `json:"person"`           // whose it is
	Granted []AuditRight `json:"granted,omitempty"`
	Ended   []AuditRight `json:"ended,omitempty"`
}

// None reports whether no right changed.
func (r Rights) None() bool { return len(r.Granted)+len(r.Ended) == 0 }

// RightsDetail is the canonical text of the rights: one JSON object with the keys change, subject, user, person, granted and ended, in this
// order; empty ones are left out.
func RightsDetail(r Rights) string {
	return detailOf(r)
}

// ParseRights reads the text of RightsDetail, in its one form.
func ParseRights(detail string) (Rights, error) {
	var r Rights
	err := json.Unmarshal([]byte(detail), &r)
	if err == nil && RightsDetail(r) != detail {
		err = errors.New("the detail has another form")
	}
	return r, err
}

// changeStep is the detail of a step of a change.
type changeStep struct {
	Change  string `json:"change"`
	Kind    string `json:"kind"`
	Subject string `json:"subject"`
	Reason  string `json:"reason"`
}

// parseChange reads the text of ChangeDetail, in its one form, and returns the id of the change.
func parseChange(detail string) (string, error) {
	var s changeStep
	err := json.Unmarshal([]byte(detail), &s)
	if err == nil && ChangeDetail(s.Change, s.Kind, Subject{Name: s.Subject, Reason: s.Reason}) != detail {
		err = errors.New("the detail has another form")
	}
	return s.Change, err
}
