package views

import (
	"countersign/internal/i18n"
	"countersign/views/ui"
)

// TemplateNameLimit limits the characters in the name of a template.
const TemplateNameLimit = 60

// Templates lists the payments that are entered again and again. POST SaveURL (name, shared) keeps a new one; POST /templates/{id} (name,
// shared, act=save or act=remove) changes one.
type Templates struct {
	Shell       Shell
	SaveURL     string    // "" when there is nothing to save
	Saved       i18n.Text // what would be saved, in words
	Name        string    // as typed
	Shared      bool
	Templates   []Template
	Changed     string // the template whose change was refused
	ChangedName string
	Problems    []ui.Problem
}

// Template is one of them.
type Template struct {
	ID     string
	Name   string
	URL    string    // the form with it; "" for one that cannot be read
	Words  i18n.Text // creditor and amount
	Shared bool
	Own    bool
	Owner  string // of somebody else's
}

func (m Templates) name() ui.Field {
	return ui.Field{
		ID: "name", Label: "Name", Value: m.Name, Width: "w-20", Limit: TemplateNameLimit, Problem: ui.ProblemOf(m.Problems, "name"),
	}
}

func (m Templates) nameOf(t Template) ui.Field {
	field := ui.Field{ID: "name-" + t.ID, Name: "name", Label: "Name", Value: t.Name, Width: "w-20"}
	field.Problem = ui.ProblemOf(m.Problems, field.ID)
	if m.Changed == t.ID {
		field.Value = m.ChangedName
	}
	return field
}
