package views

import (
	"strings"
	"time"

	"countersign/internal/i18n"
	"countersign/internal/payment"
	"countersign/views/ui"
)

// List is a page that lists messages; its heading is the title of the page.
type List struct {
	Layout   Layout
	New      ui.Step // the button beside the heading; none without an address
	Discard  ui.Step // leads to the question whether to delete all rows; none without an address
	Tabs     []ui.Tab
	Filter   *Filter // nil for a list without one
	Part     string  // id of the part that the filter replaces
	Problems []ui.Problem
	Entries  ui.Entries
	Pages    ui.Pages
	Empty    ui.Empty
	// ExportURL is the address of the whole list as a table for a spreadsheet; "" for a list without one.
	ExportURL string
}

// DiscardPath is the address of the question whether to delete drafts, and of their deletion. It takes draft, a key.
const DiscardPath = "/mine/discard"

// Discard is the question whether to delete the listed drafts.
type Discard struct {
	Layout  Layout
	Draft   string // as the form sends it
	Label   i18n.Text
	Entries ui.Entries
	BackURL string
}

// Entry is a message as lists show it, without its facts and its state.
func Entry(m payment.Message, now time.Time) ui.Entry {
	name, _ := Facing(m)
	return ui.Entry{
		ID: m.InternalID.String(), URL: PaymentURL(m.InternalID), Reference: string(m.GlobalID), Amount: ui.AmountOf(m.Summary.Amount),
		Toward: Toward(m), Name: i18n.Data(name), Purpose: Purpose(m), At: m.CreatedAt, Now: now,
	}
}

// PaymentEntry is a message in the list of payments.
func PaymentEntry(m payment.Message, now time.Time) ui.Entry {
	entry, by := Entry(m, now), ui.Fact{}
	if m.MakerLogin != "" {
		by.Text = i18n.Text("by %s").With(m.MakerLogin)
	}
	name, account := Facing(m)
	other := ui.Fact{}
	switch {
	case name != m.Summary.DebtorName && m.Summary.DebtorName != "":
		other.Text = i18n.Text("from %s").With(m.Summary.DebtorName)
	case name != m.Summary.CreditorName && m.Summary.CreditorName != "":
		other.Text = i18n.Text("to %s").With(m.Summary.CreditorName)
	}
	entry.Facts = ui.Facts(ui.KindFact(m.Kind), ui.AccountFact(account), ui.SchemeFact(m.Scheme), other, by)
	entry.States = StatesOf(m)
	return entry
}

// IncomingEntry is a payment in the list of incoming payments.
func IncomingEntry(m payment.Message, now time.Time) ui.Entry {
	entry, credited := Entry(m, now), ui.AccountFact(m.Summary.CreditorAccount)
	credited.Text = i18n.Text("to %s").With(credited.Text)
	credited.Title = i18n.Data(m.Summary.CreditorName + ", " + ui.GroupFours(m.Summary.CreditorAccount))
	entry.Toward, entry.Facts, entry.States = "", ui.Facts(credited, ui.SchemeFact(m.Scheme)), StatesOf(m)
	return entry
}

// StatesOf returns the states that a list shows of a message.
func StatesOf(m payment.Message) []string {
	if second := FollowUp(m); second != "" {
		return []string{string(m.State), second}
	}
	return []string{string(m.State)}
}

// Sorted are the entries of a list with links that sort it. In the order of age its caption is newest.
func Sorted(newest, other i18n.Text, heads ui.Heads, current string, urlOf func(order string) string) ui.Entries {
	if urlOf != nil {
		heads.AmountSorts = []ui.Sort{sortLink(current, urlOf, "Amount", "largest", "smallest")}
		heads.WhenSorts = []ui.Sort{sortLink(current, urlOf, heads.When, "", "oldest")}
		heads.StateSorts = []ui.Sort{sortLink(current, urlOf, heads.State, "state", "state")}
	}
	if current != "" {
		newest = other
	}
	return ui.Entries{Caption: newest, Heads: heads}
}

// withFormat is the address of an export in a format.
func withFormat(address, format string) string {
	if strings.Contains(address, "?") {
		return address + "&format=" + format
	}
	return address + "?format=" + format
}
