package portal

import (
	"cmp"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/internal/calendar"
	"countersign/internal/i18n"
	"countersign/internal/identity"
	"countersign/internal/money"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store"
	"countersign/views"
	"countersign/views/ui"
)

// Filter is the filter and the page position of a list, read from its address.
type Filter struct {
	View    views.Filter
	After   uuid.UUID // the last entry of the page before; zero for the first page
	Place   string    // further sort key of that entry; "" in the order of age
	Trail   []string  // starting entry of each earlier page, as in the address
	Current uuid.UUID // the open entry, which the list marks
	Size    int32     // messages read at a time by an export; 0 for a page of the list

	Scheme     rulebook.Scheme // "" for both
	Impossible bool            // no message can be of this scheme and currency
	AmountFrom int64
	AmountTo   int64
	Problems   []ui.Problem
}

// ReadFilter reads the filter of an address. What cannot be read is named in problems and does not narrow the list.
func ReadFilter(query url.Values, action string) Filter {
	f := Filter{View: views.Filter{Action: action}}
	for _, field := range f.View.Fields() {
		*field.Value = Searchable(query.Get(field.Name))
		if *field.Value != "" && field.Name != "tab" && field.Name != "sort" && field.Name != "text" {
			f.View.Active++
		}
	}
	if f.View.Text == "" {
		f.View.Text = Searchable(query.Get("q"))
	}
	after, place, _ := strings.Cut(query.Get("after"), "~")
	f.After, _ = uuid.Parse(after)
	f.Place = Searchable(place)
	f.Trail = readTrail(query.Get("trail"))
	f.Scheme, f.Impossible = schemeFor(f.View.Scheme, f.View.Currency)
	f.AmountFrom = f.amount("amountFrom", f.View.AmountFrom)
	f.AmountTo = f.amount("amountTo", f.View.AmountTo)
	f.View.ClearURL = action
	if f.View.Tab != "" {
		f.View.ClearURL += "?tab=" + url.QueryEscape(f.View.Tab)
	}
	return f
}

// Searchable removes characters that no stored text has: null characters and invalid UTF-8.
func Searchable(text string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", ""), "")
}

// schemeFor combines the filters for scheme and currency; each scheme has one currency. impossible means that no scheme matches both.
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

// SchemeOf parses a scheme; unknown text means sic-inst.
func SchemeOf(text string) rulebook.Scheme {
	for _, scheme := range rulebook.Schemes() {
		if string(scheme) == text {
			return scheme
		}
	}
	return rulebook.SchemeSIC
}

// amount reads a limit in minor units; both currencies have the same.
func (f *Filter) amount(name, typed string) int64 {
	if strings.TrimSpace(typed) == "" {
		return 0
	}
	amount, err := money.ParseInput(money.CHF, typed)
	var wrong *money.Error
	if errors.As(err, &wrong) {
		f.Problems = append(f.Problems, ui.Problem{Field: name, Text: wrong.Text, Code: wrong.Code})
	}
	return amount.Minor()
}

// Day reads a day: 20.11.2026, 20/11/2026, 2026-11-20, "20.11.", "20.11", "20/11" or "20 November" of the last twelve months, or a word
// such as "today" in any language of the portal. It begins at midnight in the time zone of now. Without its last dot, a month has two
// digits: 12.5 is an amount.
func Day(typed string, now time.Time) (day time.Time, known bool) {
	typed = inDigits(strings.ReplaceAll(strings.TrimSpace(typed), "’", "'"))
	for ago, word := range map[int]i18n.Text{0: views.Today, 1: views.Yesterday, 7: views.WeekAgo} {
		if labelled(typed, word) {
			return time.Date(now.Year(), now.Month(), now.Day()-ago, 0, 0, 0, 0, now.Location()), true
		}
	}
	for _, layout := range []string{time.DateOnly, "2.1.2006", "2/1/2006"} {
		day, err := calendar.ParseDay(layout, typed, now.Location())
		if err == nil {
			return day, true
		}
	}
	for _, layout := range []string{"2.1. 2006", "2.01 2006", "2/1 2006"} {
		day, err := time.ParseInLocation(layout, typed+" "+strconv.Itoa(now.Year()), now.Location())
		if err == nil && day.After(now) {
			day = day.AddDate(-1, 0, 0)
		}
		if err == nil {
			return day, true
		}
	}
	return time.Time{}, false
}

// months are the names of the months in the languages of the portal.
var months = [...][]string{
	{"january", "januar", "janvier", "gennaio"},
	{"february", "februar", "février", "fevrier", "febbraio"},
	{"march", "märz", "maerz", "mars", "marzo"},
	{"april", "avril", "aprile"},
	{"may", "mai", "maggio"},
	{"june", "juni", "juin", "giugno"},
	{"july", "juli", "juillet", "luglio"},
	{"august", "août", "aout", "agosto"},
	{"september", "septembre", "settembre"},
	{"october", "oktober", "octobre", "ottobre"},
	{"november", "novembre"},
	{"december", "dezember", "décembre", "decembre", "dicembre"},
}

// monthOf returns the month that a word of three letters or more begins the name of, from 1; 0 for none or several.
func monthOf(word string) int {
	found := 0
	for i, names := range months {
		if len(word) >= 3 && slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(name, word) }) {
			if found > 0 {
				return 0
			}
			found = i + 1
		}
	}
	return found
}

// inDigits writes a day with the name of its month as "30.11." or "30.11.2026": "30 November", "Nov 30, 2026", "1er novembre". Any other
// text stays as it is.
func inDigits(typed string) string {
	var numbers []string
	month := 0
	for _, word := range strings.FieldsFunc(strings.ToLower(typed), func(r rune) bool { return r == ' ' || r == '.' || r == ',' }) {
		word = strings.TrimSuffix(word, "er") // 1er
		if named := monthOf(word); named > 0 && month == 0 {
			month = named
		} else {
			numbers = append(numbers, word)
		}
	}
	if month == 0 || len(numbers) == 0 || len(numbers) > 2 {
		return typed
	}
	return numbers[0] + "." + strconv.Itoa(month) + "." + strings.Join(numbers[1:], "")
}

// NoDay is the code of a finding about text that is not a day.
const NoDay = "DT01"

// dayOf reads a day of a filter in the time zone of now; zero for none. An invalid day is added to the problems and narrows nothing.
func dayOf(problems *[]ui.Problem, name, typed string, now time.Time) time.Time {
	day, known := Day(typed, now)
	if typed != "" && !known {
		*problems = append(*problems, ui.Problem{Field: name, Text: "Enter a date such as 20.11.2026.", Code: NoDay})
	}
	return day
}

// Days reads the days of the filter in the time zone of now: made from the first, made up to and including the second, in its
// state since the third. A zero time does not narrow the list. An invalid day is added to the problems.
func (f *Filter) Days(now time.Time) (from, before, since time.Time) {
	from, before = dayOf(&f.Problems, "from", f.View.From, now), dayOf(&f.Problems, "to", f.View.To, now)
	since = dayOf(&f.Problems, "since", f.View.Since, now)
	if !before.IsZero() {
		before = before.AddDate(0, 0, 1)
	}
	return from, before, since
}

// Query returns the filter as a query string with its question mark; "" for none. The position of the page stays: links back lead to it.
func (f Filter) Query(changes ...string) string {
	values := url.Values{}
	set := func(name, value string) {
		if value != "" {
			values.Set(name, value)
		}
	}
	for _, field := range f.View.Fields() {
		set(field.Name, *field.Value)
	}
	if f.After != uuid.Nil {
		set("after", f.after())
		set("trail", strings.Join(f.Trail, ","))
	}
	for i := 0; i+1 < len(changes); i += 2 {
		values.Del(changes[i])
		set(changes[i], changes[i+1])
	}
	if values.Get("after") == "" {
		values.Del("trail") // it leads to the first page
	}
	if len(values) == 0 {
		return ""
	}
	return "?" + values.Encode()
}

// maxTrail limits the earlier pages in the address of a page. Beyond it the link back leads to the first page.
const maxTrail = 10

// readTrail parses the starts of the earlier pages; an unreadable trail is empty.
func readTrail(text string) []string {
	if text == "" || len(text) > maxTrail*maxPlace {
		return nil
	}
	trail := strings.Split(Searchable(text), ",")
	for _, place := range trail {
		after, _, _ := strings.Cut(place, "~")
		_, err := uuid.Parse(after)
		if err != nil {
			return nil
		}
	}
	return trail[max(0, len(trail)-maxTrail):]
}

// maxPlace is the most characters a place has: a key, and an amount or a state.
const maxPlace = 80

// Pages returns the links of a list. more reports a next page; behind is this filter after the last entry of this page.
func (f Filter) Pages(path string, more bool, behind Filter) ui.Pages {
	pages := ui.Pages{NextLabel: "Next page"}
	if f.After != uuid.Nil {
		pages.FirstURL = path + f.Query("after", "")
		behind.Trail = slices.Concat(f.Trail, []string{f.after()})
		behind.Trail = behind.Trail[max(0, len(behind.Trail)-maxTrail):]
	}
	if last := len(f.Trail) - 1; last >= 0 && f.After != uuid.Nil {
		pages.PreviousURL = path + f.Query("after", f.Trail[last], "trail", strings.Join(f.Trail[:last], ","))
	}
	if more {
		pages.NextURL = path + behind.Query()
	}
	return pages
}

// PagesOf returns the links of a list of messages. next is the start of the next page; zero for none. A page that is not full can have a
// next one, because one read scans a limited number of messages.
func (f Filter) PagesOf(path string, list []payment.Message, next store.ListPlace) ui.Pages {
	pages := f.Pages(path, next.MessageID != uuid.Nil, f.goingOn(next))
	if len(list) < ListPage {
		pages.NextLabel = "Show earlier entries"
	}
	return pages
}

// NotYet returns the empty-list text when no scanned message matches and older messages remain.
func (f Filter) NotYet(path string, next store.ListPlace) ui.Empty {
	f = f.goingOn(next)
	return ui.Empty{
		Icon: "search", Title: "Nothing found so far", Text: "None of the newest messages match your search. Older messages have not been " +
			"searched yet.",
		LinkLabel: "Show earlier entries", LinkURL: path + f.Query(),
	}
}

// after returns the position at which the list continues.
func (f Filter) after() string {
	if f.Place == "" {
		return f.After.String()
	}
	return f.After.String() + "~" + f.Place
}

// Kind returns the kind in the filter if it is one of the given ones, else "".
func (f Filter) Kind(known []payment.Kind) string {
	if slices.Contains(known, payment.Kind(f.View.Kind)) {
		return f.View.Kind
	}
	return ""
}

// Direction returns the direction in the filter if it is valid, else "".
func (f Filter) Direction() string {
	switch payment.Direction(f.View.Direction) {
	case payment.DirectionIn, payment.DirectionOut:
		return f.View.Direction
	}
	return ""
}

// Maker returns the name of the maker as accounts store it.
func (f Filter) Maker() string {
	if f.View.Maker == "" {
		return ""
	}
	return identity.NormaliseName(f.View.Maker)
}

// NothingMatches returns the empty-list text of a filtered list, such as "No payment matches your search."
func (f Filter) NothingMatches(said i18n.Text) ui.Empty {
	return ui.Empty{
		Icon: "search", Title: "No results", Text: said,
		LinkLabel: "Clear filters", LinkURL: f.View.ClearURL,
	}
}

// anyOf are the options of a filter: any, and each value under its label.
func anyOf[T ~string](label func(T) i18n.Text, values ...T) []ui.Option {
	options := []ui.Option{{Label: "Any"}}
	for _, value := range values {
		options = append(options, ui.Option{Value: string(value), Label: label(value)})
	}
	return options
}

// ListPage limits the messages on one page of a list other than the queue.
const ListPage = 50

// Listed reads one page of messages in the order of the filter, and the start of the next page; zero for none. An unsupported order is
// removed from the filter.
func (v *Request) Listed(f *Filter, ask store.Filter) (list []payment.Message, next store.ListPlace, err error) {
	ask.PageSize, ask.Before = cmp.Or(f.Size, ListPage), f.After
	if by := f.listSort(); by != store.ListNewest {
		list, next, sorted, err := v.Config.Reader.Sorted(v.Context(), v.By.Realm, ask, by, f.listPlace(by))
		if err != nil || sorted {
			return list, next, err
		}
	}
	if f.View.Sort != "" {
		f.View.Sort, f.Place = "", ""
	}
	list, next.MessageID, err = v.Config.Reader.Page(v.Context(), v.By.Realm, ask)
	return list, next, err
}
