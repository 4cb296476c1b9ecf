package views

import "countersign/views/ui"

// SavedViewLimit is the number of characters the name of a saved view may have.
const SavedViewLimit = 40

// SavedViews is the page of saved views. It sends name, shared (yes) and act (save or remove).
type SavedViews struct {
	Shell       Shell
	Query       string   // what would be saved, with its question mark; "" for nothing
	Words       []string // the same in words
	Name        string   // as typed
	Shared      bool
	Views       []SavedView
	Changed     string // the view whose change was refused
	ChangedName string
	Problems    []ui.Problem
}

// SavedView is what somebody narrows the queue to, under a name.
type SavedView struct {
	ID     string
	Name   string
	URL    string
	Words  []string
	Shared bool
	Own    bool
	Owner  string // of somebody else's
}

func (m SavedViews) name() ui.Field {
	return ui.Field{ID: "name", Label: "Name", Value: m.Name, Width: "w-20", Limit: SavedViewLimit, Problem: problemOf(m.Problems, "name")}
}

func (m SavedViews) nameOf(view SavedView) ui.Field {
	field := ui.Field{ID: "name-" + view.ID, Name: "name", Label: "Name", Value: view.Name, Width: "w-20"}
	field.Problem = problemOf(m.Problems, field.ID)
	if m.Changed == view.ID {
		field.Value = m.ChangedName
	}
	return field
}
