package portal

import (
	"errors"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"

	"countersign/internal/account"
	"countersign/internal/identity"
	"countersign/internal/money"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/views"
	"countersign/views/ui"
)

// filter is what an address says about a list: which part of it, and from which entry on.
type filter struct {
	view    views.Filter
	after   uuid.UUID // the last entry of the page before; zero for the first page
	current uuid.UUID // the open entry, which the list marks

	scheme     rulebook.Scheme // "" for both
	impossible bool            // no message can be of this scheme and currency
	amountFrom int64
	amountTo   int64
	problems   []ui.Problem
}

// readFilter reads the filter of an address. What cannot be read is named in problems and does not narrow the list.
func readFilter(query url.Values, action string) filter {
	get := func(name string) string { return searchable(query.Get(name)) }
	f := filter{view: views.Filter{
		Action: action, Tab: get("tab"), Scheme: get("scheme"), Currency: get("currency"), AmountFrom: get("amountFrom"),
		AmountTo: get("amountTo"), Maker: get("maker"), State: get("state"), Text: get("text"),
		Kind: get("kind"), Direction: get("direction"),
	}}
	if f.view.Text == "" {
		f.view.Text = get("q")
	}
	f.after, _ = uuid.Parse(query.Get("after"))
	f.scheme, f.impossible = schemeFor(f.view.Scheme, f.view.Currency)
	f.amountFrom = f.amount("amountFrom", f.view.AmountFrom)
	f.amountTo = f.amount("amountTo", f.view.AmountTo)
	for _, set := range []string{
		f.view.Scheme, f.view.Currency, f.view.AmountFrom, f.view.AmountTo, f.view.Maker, f.view.State, f.view.Kind, f.view.Direction,
	} {
		if set != "" {
			f.view.Active++
		}
	}
	f.view.ClearURL = action
	if f.view.Tab != "" {
		f.view.ClearURL += "?tab=" + url.QueryEscape(f.view.Tab)
	}
	return f
}

// searchable is a text without what no stored text holds: null characters and bytes that are no UTF-8.
func searchable(text string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "")
}

// schemeFor is the scheme that a scheme and a currency leave; each scheme has one currency.
func schemeFor(scheme, currency string) (only rulebook.Scheme, impossible bool) {
	if scheme == "" && currency == "" {
		return "", false
	}
	for _, s := range rulebook.Schemes() {
		profile, _ := s.Profile()
		if (scheme == "" || scheme == string(s)) && (currency == "" || currency == string(profile.Currency)) {
			return s, false
		}
	}
	return "", true
}

// amount reads a limit in minor units; both currencies have the same.
func (f *filter) amount(name, typed string) int64 {
	if strings.TrimSpace(typed) == "" {
		return 0
	}
	amount, err := money.ParseInput(money.CHF, typed)
	var wrong *money.Error
	if errors.As(err, &wrong) {
		f.problems = append(f.problems, ui.Problem{Field: name, Text: wrong.Text, Code: wrong.Code})
	}
	return amount.Minor()
}

// query is the filter as the end of an address, with its question mark; "" when there is none. A page is kept, as Back returns to it.
func (f filter) query(changes ...string) string {
	values := url.Values{}
	set := func(name, value string) {
		if value != "" {
			values.Set(name, value)
		}
	}
	set("tab", f.view.Tab)
	set("scheme", f.view.Scheme)
	set("currency", f.view.Currency)
	set("amountFrom", f.view.AmountFrom)
	set("amountTo", f.view.AmountTo)
	set("maker", f.view.Maker)
	set("state", f.view.State)
	set("kind", f.view.Kind)
	set("direction", f.view.Direction)
	set("text", f.view.Text)
	if f.after != uuid.Nil {
		set("after", f.after.String())
	}
	for i := 0; i+1 < len(changes); i += 2 {
		values.Del(changes[i])
		set(changes[i], changes[i+1])
	}
	if len(values) == 0 {
		return ""
	}
	return "?" + values.Encode()
}

// pages are the links of a list. more says whether there is a next page, last is the last entry of this one.
func (f filter) pages(path string, more bool, last uuid.UUID) ui.Pages {
	pages := ui.Pages{NextLabel: "Next page"}
	if f.after != uuid.Nil {
		pages.FirstURL = path + f.query("after", "")
	}
	if more {
		pages.NextURL = path + f.query("after", last.String())
	}
	return pages
}

// kind is the kind asked for if it is one of the given, else "".
func (f filter) kind(known []payment.Kind) string {
	if slices.Contains(known, payment.Kind(f.view.Kind)) {
		return f.view.Kind
	}
	return ""
}

// direction is the direction asked for if there is such a one, else "".
func (f filter) direction() string {
	switch payment.Direction(f.view.Direction) {
	case payment.DirectionIn, payment.DirectionOut:
		return f.view.Direction
	}
	return ""
}

// maker is the name as accounts are stored.
func (f filter) maker() string {
	if f.view.Maker == "" {
		return ""
	}
	return identity.NormaliseName(f.view.Maker)
}

// searched is what a search text may mean.
type searched struct {
	iban   string
	minor  int64 // an amount in minor units
	global payment.GlobalID
	id     uuid.UUID
	text   string // as typed, without space around it
}

// readSearch finds out what somebody looks for. One text may mean several things.
func readSearch(typed string) searched {
	s := searched{text: strings.TrimSpace(typed)}
	iban, err := account.ParseInput(s.text)
	if err == nil {
		s.iban = iban.String()
	}
	amount, err := money.ParseInput(money.CHF, s.text)
	if err == nil {
		s.minor = amount.Minor()
	}
	s.global, _ = payment.ParseGlobalID(s.text) // "" when it is none
	s.id, _ = uuid.Parse(s.text)                // zero when it is none
	return s
}

// nothingMatches is what a list says when its filters leave nothing of what it lists.
func (f filter) nothingMatches(listed string) ui.Empty {
	return ui.Empty{
		Icon: "search", Title: "Nothing matches", Text: "No " + listed + " matches what you look for.",
		LinkLabel: "Clear filters", LinkURL: f.view.ClearURL,
	}
}
