package auditlog

import "encoding/json"

// AuditRight is a role that somebody was given or lost, by the grant of it.
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

// None reports whether nothing became of them.
func (r Rights) None() bool { return len(r.Granted)+len(r.Ended) == 0 }

// RightsDetail is the canonical text of it: one JSON object with the keys change, subject, user, person, granted and ended, in this order;
// without those that say nothing.
func RightsDetail(r Rights) string {
	return detailOf(r)
}

// ParseRights reads the text of RightsDetail.
func ParseRights(detail string) (Rights, error) {
	var r Rights
	err := json.Unmarshal([]byte(detail), &r)
	return r, err
}
