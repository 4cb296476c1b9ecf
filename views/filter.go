package views

import (
	"net/url"

	"github.com/a-h/templ"

	"countersign/internal/i18n"
	"countersign/views/ui"
)

// Orders are the orders of the queue.
var Orders = []ui.Option{
	{Value: "", Label: "Oldest first"},
	{Value: "newest", Label: "Newest first"},
	{Value: "largest", Label: "Largest amount first"},
	{Value: "smallest", Label: "Smallest amount first"},
	{Value: "expiry", Label: "Earliest expiry first"},
}

// ListOrders are the orders of the other lists beside newest first.
var ListOrders = []string{"oldest", "largest", "smallest", "state"}

// sortLink is the link that sorts by a column: first one way, and when it is sorted so, the other.
func sortLink(current string, urlOf func(order string) string, label i18n.Text, first, second string) ui.Sort {
	link := ui.Sort{Label: label, URL: urlOf(first)}
	switch current {
	case first:
		link.URL, link.Direction = urlOf(second), "descending"
		if first == second {
			link.URL, link.Direction = urlOf(""), "ascending"
		}
	case second:
		link.Direction = "ascending"
	}
	return link
}

// Ages are the options for the least wait.
var Ages = []ui.Option{
	{Value: "", Label: "Any"},
	{Value: "15m", Label: "15 minutes or more"},
	{Value: "1h", Label: "1 hour or more"},
	{Value: "4h", Label: "4 hours or more"},
	{Value: "1d", Label: "1 day or more"},
}

// The flags the queue can be narrowed to.
const (
	FlagAmended = "amended"
	FlagBegun   = "begun"
	FlagEnding  = "ending"
	// The marks of the verification of payees.
	FlagOtherName   = "other-name"
	FlagNameDiffers = "name-differs"
	FlagUnverified  = "name-not-verified"
)

// Flags are the marks the queue can be narrowed to.
var Flags = []ui.Option{
	{Value: "", Label: "Any"},
	{Value: FlagAmended, Label: "Amended"},
	{Value: FlagBegun, Label: "Approved once, more approvals needed"},
	{Value: FlagEnding, Label: "Expires within 4 hours"},
	{Value: FlagOtherName, Label: "Different name"},
	{Value: FlagNameDiffers, Label: "Similar name"},
	{Value: FlagUnverified, Label: "Name not verified"},
}

// Filter is the filter form of a list, sent by GET.
type Filter struct {
	Action     string // "/queue", "/payments" or "/incoming"
	Tab        string // sent along as tab; empty for none
	Scheme     string
	Currency   string
	AmountFrom string
	AmountTo   string
	Maker      string
	State      string
	States     []ui.Option // offered states; no state field when empty
	Kind       string
	Kinds      []ui.Option // offered kinds; no kind field when empty
	From       string      // first day, of the making
	To         string      // last day
	Since      string      // first day in the present state
	Dated      bool        // the fields for days are offered
	Queued     bool        // age, flags and order are offered, which the queue alone has
	Made       string      // MadeLastDay or ApprovedLastDay; the field is there when it is set
	Age        string      // made at least so long ago; a value of Ages
	Flag       string      // a value of Flags
	Sort       string      // a value of Orders in the queue, of ListOrders in other lists; "" for the usual order
	Direction  string
	Directions []ui.Option // offered directions; no direction field when empty
	Text       string
	Active     int    // number of filters set, the text not counted
	ClearURL   string // the same list without filters
	SaveURL    string // where this is saved under a name; empty for nothing to save
}

func (f Filter) schemes() ui.Choice {
	return ui.Choice{ID: "scheme", Label: "Scheme", Value: f.Scheme, Options: []ui.Option{
		{Value: "", Label: "Any"}, {Value: "sic-inst", Label: "SIC"}, {Value: "sct-inst", Label: "SEPA"},
	}}
}

func (f Filter) currencies() ui.Choice {
	return ui.Choice{ID: "currency", Label: "Currency", Value: f.Currency, Options: []ui.Option{
		{Value: "", Label: "Any"}, {Value: "CHF", Label: "CHF"}, {Value: "EUR", Label: "EUR"},
	}}
}

func (f Filter) amount(id string, label i18n.Text, value string, problems []ui.Problem) ui.Field {
	return ui.Field{ID: id, Label: label, Value: value, InputMode: "decimal", Problem: ui.ProblemOf(problems, id)}
}

func (f Filter) day(id string, label i18n.Text, value string, problems []ui.Problem) ui.Field {
	return ui.Field{ID: id, Label: label, Value: value, Hint: "For example, 20.11.2026", Problem: ui.ProblemOf(problems, id)}
}

// The words for days that fields accept in any language of the portal.
const (
	Today     i18n.Text = "Today"
	Yesterday i18n.Text = "Yesterday"
	WeekAgo   i18n.Text = "A week ago"
)

// dayPresets are the periods that a click chooses, up to today where no last day is named.
var dayPresets = []struct{ label, from, to i18n.Text }{
	{Today, Today, Today}, {Yesterday, Yesterday, Yesterday}, {"Last 7 days", WeekAgo, Today},
}

// filtered is the filter as values of an address.
func (f Filter) filtered() url.Values {
	values := url.Values{}
	for _, field := range f.Fields() {
		if *field.Value != "" {
			values.Set(field.Name, *field.Value)
		}
	}
	return values
}

// within is the address of a list with the days of a preset.
func within(path string, values url.Values, from, to string) templ.SafeURL {
	values.Set("from", from)
	values.Set("to", to)
	return templ.SafeURL(path + "?" + values.Encode())
}

func (f Filter) label() i18n.Text {
	if f.Active == 0 {
		return "Filters"
	}
	return i18n.Text("Filters (%d)").With(f.Active)
}

// The periods of a list: the payments counted by the dashboard's charts, and the approved ones among them.
const (
	MadeLastDay     = "24h"
	ApprovedLastDay = "24h-approved"
)

func (f Filter) mades() ui.Choice {
	return ui.Choice{ID: "made", Label: "Created", Value: f.Made, Options: []ui.Option{
		{Label: "Any time"},
		{Value: MadeLastDay, Label: "Payments from the last 24 hours"},
		{Value: ApprovedLastDay, Label: "Approved payments from the last 24 hours"},
	}}
}

// order is the order in words: "Oldest first".
func (f Filter) order() i18n.Text {
	for _, order := range Orders {
		if order.Value == f.Sort {
			return order.Label
		}
	}
	return "Oldest first"
}

// FilterField is a field of a filter by the name under which it is sent.
type FilterField struct {
	Name  string
	Value *string
}

// Fields are the fields of the filter.
func (f *Filter) Fields() []FilterField {
	return []FilterField{
		{"tab", &f.Tab},
		{"scheme", &f.Scheme},
		{"currency", &f.Currency},
		{"amountFrom", &f.AmountFrom},
		{"amountTo", &f.AmountTo},
		{"maker", &f.Maker},
		{"state", &f.State},
		{"kind", &f.Kind},
		{"direction", &f.Direction},
		{"from", &f.From},
		{"to", &f.To},
		{"since", &f.Since},
		{"age", &f.Age},
		{"made", &f.Made},
		{"flag", &f.Flag},
		{"sort", &f.Sort},
		{"text", &f.Text},
	}
}
