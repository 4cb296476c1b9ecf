package views

import "countersign/views/ui"

// AuditTrail lists what was done and what was refused in the realm. Its filters are sent by GET under the names from, to, actor and event.
type AuditTrail struct {
	Shell    Shell
	From     string // dates as typed: 2026-11-20
	To       string
	Actor    string
	Event    string
	Filtered bool
	Rows     []AuditTrailRow
	Pages    ui.Pages
	Empty    ui.Empty // shown when there are no rows
	Problems []ui.Problem
}

// AuditTrailRow is one event and, where it is about a message the person may read, the way to it.
type AuditTrailRow struct {
	AuditEntry
	URL string // of the message; empty for none
}

func (m AuditTrail) field(id, label, value, hint string) ui.Field {
	return ui.Field{ID: id, Label: label, Value: value, Hint: hint, Problem: problemOf(m.Problems, id), Optional: true}
}
