package ui

import (
	"context"
	"time"

	"countersign/internal/i18n"
)

// Tab is one view of the same list or object, a real link.
type Tab struct {
	ID      string // of the count, which is brought up to date in place; may be empty
	Label   i18n.Text
	URL     string
	Title   i18n.Text // what is behind it; may be empty
	Count   string    // shown beside the label when not empty
	Current bool
}

// Columns are the heads of a table.
type Columns []i18n.Text

// Pages are the links of a list that is read by cursor: there is no page number and no total.
type Pages struct {
	FirstURL    string    // empty on the first page
	PreviousURL string    // empty on the first two pages, and where it is not known
	NextURL     string    // empty on the last page
	NextLabel   i18n.Text // "Next page"
}

// Event is one step in the life of a message.
type Event struct {
	At      time.Time
	Title   i18n.Text // "Approved"
	Actor   i18n.Text // "checker1", "Clearing"
	Channel i18n.Text // "Portal", "API demo-backoffice"; may be empty
	Note    i18n.Text // reason or explanation; may be empty
	NoteIn  string    // the language of the note, where it is another than that of the page: "en" for the words of ISO's code lists
	Took    i18n.Text // time since the step before: "2 min 11 s"; may be empty
	State   string    // state reached, for the icon; may be empty
	URL     string    // the document behind the step; may be empty
}

// Row is one line of a summary list.
type Row struct {
	Term       i18n.Text
	Value      string      // data, the same in every language
	Text       i18n.Text   // in place of Value, where it is words
	Details    []i18n.Text // further lines of the value
	Copy       string      // what a copy button copies; none when empty
	Numeric    bool        // tabular figures, as for account numbers
	ChangeURL  string      // link back to the form; none when empty
	ChangeName i18n.Text   // what is changed, for the link's full name: "creditor name"
	URL        string      // the value is a link when not empty
}

// Empty explains an empty list and offers a next action.
type Empty struct {
	Icon      string
	Title     i18n.Text
	Text      i18n.Text
	LinkLabel i18n.Text
	LinkURL   string
}

// said is the value in the language of the page, with each of its characters.
func (r Row) said(ctx context.Context) string {
	if r.Text != "" {
		return say(ctx, r.Text)
	}
	return i18n.Legible(r.Value)
}
