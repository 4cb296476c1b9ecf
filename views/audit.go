package views

import (
	"time"

	"countersign/internal/i18n"
	"countersign/views/ui"
)

// AuditTrail lists the actions and refusals of the realm. Its filters are sent by GET under the names from, to, actor and event.
type AuditTrail struct {
	Layout   Layout
	From     string // dates as typed: 20.11.2026
	To       string
	Actor    string
	Event    string
	Events   []ui.Option // that the trail can be narrowed to
	Filtered bool
	Seal     AuditSeal
	TableURL string             // the events of this search for a spreadsheet; "" while it cannot be read
	Verified *AuditVerification // what a verification came to; nil where none was asked for
	Rows     []AuditEntry
	Pages    ui.Pages
	Empty    ui.Empty // shown when there are no rows
	Problems []ui.Problem
}

// AuditSeal is the state of the sealing of the realm's trail.
type AuditSeal struct {
	Rows   int64     // how many rows the newest checkpoint proves; 0 for none
	Signed time.Time // when it was signed
	Root   string    // the root of the tree under it
	Words  i18n.Text // how the sealing stands: "sealed", "not sealed: ..."
}

// AuditVerification is the result of a verification of the trail.
type AuditVerification struct {
	At       time.Time
	Took     i18n.Text
	Sentence i18n.Text
	Failed   bool
	Found    []i18n.Text // what does not fit
}

// look returns how the notice of the result looks.
func (v AuditVerification) look() (tone ui.Tone, icon string, title i18n.Text) {
	switch {
	case len(v.Found) > 0:
		return ui.ToneBad, "circle-x", "Verification failed: the audit trail has been altered"
	case v.Failed:
		return ui.ToneWaiting, "info", "The audit trail was not fully verified"
	}
	return ui.ToneGood, "circle-check", "Verification passed: the audit trail is unchanged"
}

func (m AuditTrail) field(id string, label i18n.Text, value string, hint i18n.Text) ui.Field {
	return ui.Field{ID: id, Label: label, Value: value, Hint: hint, Problem: ui.ProblemOf(m.Problems, id), Optional: true}
}
