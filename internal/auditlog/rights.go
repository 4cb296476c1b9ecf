package auditlog

import (
	"errors"

	"github.com/go-json-experiment/json"
)

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
