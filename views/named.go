package views

import (
	"countersign/internal/i18n"
	"countersign/views/ui"
)

// NamedList is a page of entries that a person saves under names: saved views of the queue, or templates. POST SaveURL (name, shared)
// stores a new entry; POST {URL}/{id} (name, shared, act=save or act=remove) changes one.
type NamedList struct {
	Layout   Layout
	Title    i18n.Text
	Place    Place
	Back     ui.Step
	URL      string
	PayURL   string     // where ticked entries are paid together; "" for entries that are no payments
	SaveURL  string     // "" when there is nothing to save
	Saved    i18n.Text  // what would be saved, in words
	Words    NamedWords // of this kind of list
	Limit    int        // characters of a name
	Name     string     // as typed
	Shared   bool       // as ticked
	Entries  []NamedEntry
	Search   ui.Field // of templates
	Changed  string   // the entry whose change was refused
	Typed    string   // the name typed for it
	Problems []ui.Problem
}

// NamedWords are the words that differ between such lists.
type NamedWords struct{ Heading, Save, How, Sharing i18n.Text }

// NamedEntry is an entry of such a list.
type NamedEntry struct {
	ID     string
	Name   string
	URL    string    // where it is used; "" for one that cannot be read
	Words  i18n.Text // what it holds; of a template, its creditor
	Shared bool
	Own    bool
	Owner  string // of somebody else's

	// Of a template only.
	Account string
	Amount  ui.Amount
	Paid    i18n.Text // the last payment to the account
}

func (m NamedList) name() ui.Field {
	return ui.Field{ID: "name", Label: "Name", Value: m.Name, Width: "w-20", Limit: m.Limit, Problem: ui.ProblemOf(m.Problems, "name")}
}

func (m NamedList) nameOf(entry NamedEntry) ui.Field {
	field := ui.Field{ID: "name-" + entry.ID, Name: "name", Label: "Name", Value: entry.Name, Width: "w-20"}
	field.Problem = ui.ProblemOf(m.Problems, field.ID)
	if m.Changed == entry.ID {
		field.Value = m.Typed
	}
	return field
}

// together reports whether templates can be ticked and paid together: there is more than one.
func (m NamedList) together() bool {
	usable := 0
	for _, entry := range m.Entries {
		if entry.URL != "" {
			usable++
		}
	}
	return usable > 1
}

func (m NamedList) none() ui.Empty {
	if m.Search.Value != "" {
		return ui.Empty{Icon: "copy", Title: "No template has this name or creditor", LinkLabel: "Show all", LinkURL: m.URL}
	}
	return ui.Empty{Icon: "copy", Title: "No templates yet", Text: m.Words.How, LinkLabel: "New payment", LinkURL: "/payments/new"}
}
