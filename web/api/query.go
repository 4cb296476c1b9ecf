package api

import (
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"countersign/internal/calendar"
	"countersign/internal/i18n"
	"countersign/internal/money"
	"countersign/internal/payment"
	"countersign/web/request"
)

// maxFilter is the longest value of a filter, in characters: no field that is searched is longer.
const maxFilter = 140

// Sizes of pages (interface contract, section 6), and the limit of numbered pages. Cursors have no limit.
const (
	defaultPageSize = 15
	maxPageSize     = 100
	maxSkip         = 10_000
)

// query reads the parameters of a list and collects their problems.
type query struct {
	values url.Values
	found  []payment.Finding
}

// openQuery refuses parameters that are not known, that come twice, that no stored text can equal, or that are blank and so would narrow
// nothing. Those in many may come again.
func openQuery(c echo.Context, known, many []string) *query {
	q := &query{values: url.Values{}}
	given, err := url.ParseQuery(c.Request().URL.RawQuery)
	if err != nil {
		q.refuse("", "FF01", "Correct the query string: it cannot be read.")
		return q
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		list := given[name]
		switch {
		case !slices.Contains(known, name):
			q.refuse(Shown(strings.ToValidUTF8(name, "?")), "CH17", "Remove this parameter: it is not known here.")
		case len(list) > 1 && !slices.Contains(many, name):
			q.refuse(name, "FF01", "Send "+name+" only once.")
		case slices.ContainsFunc(list, unsearchable):
			q.refuse(name, "FF01", "Enter "+name+" as 1 to 140 printable characters, or leave it out.")
		default:
			q.values[name] = list
		}
	}
	return q
}

func unsearchable(value string) bool {
	unprintable := strings.ContainsFunc(value, func(r rune) bool { return unicode.IsControl(r) })
	return strings.TrimSpace(value) == "" || utf8.RuneCountInString(value) > maxFilter || !utf8.ValidString(value) || unprintable
}

func (q *query) refuse(name, code, text string) {
	q.found = append(q.found, payment.Finding{Pointer: name, Code: code, Text: i18n.Data(text)})
}

// err is everything that was found wrong, or nil.
func (q *query) err() error {
	if len(q.found) == 0 {
		return nil
	}
	return request.FieldsProblem(q.found...)
}

func (q *query) text(name string) string { return q.values.Get(name) }

// texts reads a parameter that may come several times, at most so often.
func (q *query) texts(name string, most int) []string {
	if len(q.values[name]) > most {
		q.refuse(name, "FF01", "Send "+name+" at most "+strconv.Itoa(most)+" times.")
		return nil
	}
	return q.values[name]
}

// oneOf reads a value of a fixed list.
func (q *query) oneOf(name string, allowed ...string) string {
	value := q.values.Get(name)
	if value != "" && !slices.Contains(allowed, value) {
		q.refuse(name, "CH16", "Enter one of "+strings.Join(allowed, ", ")+" in "+name+".")
		return ""
	}
	return value
}

// account reads an IBAN, with or without spaces.
func (q *query) account(name string) string {
	return strings.ToUpper(strings.ReplaceAll(q.values.Get(name), " ", ""))
}

// endToEndID reads the end-to-end id, which may be spelled in two ways, but not in both at once.
func (q *query) endToEndID() string {
	id, other := q.text("endToEndId"), q.text("endToendId")
	if id != "" && other != "" {
		q.refuse("endToendId", "CH17", "Send endToEndId in one spelling only.")
	}
	return id + other
}

// endToEndIDs is endToEndID as a list; nil for none.
func (q *query) endToEndIDs() []string {
	if id := q.endToEndID(); id != "" {
		return []string{id}
	}
	return nil
}

// states reads the names of states.
func (q *query) states(name string) []payment.State {
	var states []payment.State
	for _, value := range q.values[name] {
		state := payment.State(value)
		if !slices.Contains(payment.States(), state) {
			q.refuse(name, "CH16", "Enter a state as transactions show it, such as Approval Pending.")
			continue
		}
		states = append(states, state)
	}
	return states
}

// edge selects the end of a day for a date without a time.
type edge bool

const (
	dayStart edge = false
	dayEnd   edge = true
)

// time reads a time with offset, or a date in UTC.
func (q *query) time(name string, at edge) time.Time {
	value := q.values.Get(name)
	if value == "" {
		return time.Time{}
	}
	moment, err := calendar.ParseDay(time.RFC3339, value, time.UTC)
	if err == nil {
		return moment.UTC()
	}
	day, err := calendar.ParseDay(time.DateOnly, value, time.UTC)
	if err != nil {
		q.refuse(name, "DT01", "Enter "+name+" as a date (2026-11-20) or a time with offset (2026-11-20T10:00:00Z).")
		return time.Time{}
	}
	if at == dayEnd {
		return day.AddDate(0, 0, 1).Add(-time.Microsecond)
	}
	return day
}

// amount reads a decimal amount as minor units. Both currencies have two decimals, so it needs none of them; 0 narrows nothing.
func (q *query) amount(name string) int64 {
	value := q.values.Get(name)
	if value == "" {
		return 0
	}
	amount, err := money.Parse(money.CHF, value)
	if err != nil {
		q.refuse(name, "AM12", "Enter "+name+" as an amount above zero with at most two decimals, such as 199.95.")
		return 0
	}
	return amount.Minor()
}

// pageParameters are the parameters of every list.
var pageParameters = []string{"currentPage", "pageSize", "after", "order", "changedSince"}

// paging is the requested page of a list.
type paging struct {
	number       int // 0 after a cursor
	size         int
	after        uuid.UUID
	oldestFirst  bool
	changedSince time.Time // zero for no bound
}

// paging reads the page. A cursor and a number of a page exclude each other.
func (q *query) paging() paging {
	p := paging{
		oldestFirst: q.oneOf("order", "desc", "asc") == "asc", changedSince: q.time("changedSince", dayStart),
		number: q.count("currentPage", 1, maxSkip), size: q.count("pageSize", defaultPageSize, maxPageSize),
	}
	after := q.values.Get("after")
	if after == "" {
		if (p.number-1)*p.size > maxSkip {
			q.refuse("currentPage", "FF01", "Go on with after: numbered pages end after 10,000 entries.")
		}
		return p
	}
	id, err := parseID(after)
	if err != nil {
		q.refuse("after", "FF01", "Enter the next of the page before as after.")
	}
	if q.values.Has("currentPage") {
		q.refuse("currentPage", "CH17", "Remove currentPage: after says where the page begins.")
	}
	p.number, p.after = 0, id
	return p
}

// count reads a whole number from 1 to most.
func (q *query) count(name string, without, most int) int {
	value := q.values.Get(name)
	if value == "" {
		return without
	}
	number, err := strconv.Atoi(value)
	if err != nil || number < 1 || number > most {
		q.refuse(name, "FF01", "Enter "+name+" as a number from 1 to "+strconv.Itoa(most)+".")
		return without
	}
	return number
}

// skip returns the number of entries before the page.
func (p paging) skip() int {
	if p.number == 0 {
		return 0
	}
	return (p.number - 1) * p.size
}

// maxStride limits the entries of one read on the way to a numbered page.
const maxStride = 1_000

// walk reads a page by the keys of the entries before it, and one entry more. A cursor leads to the page at once; for a numbered page
// everything before it is read, which is why numbered pages are limited.
func walk[E any](p paging, key func(E) uuid.UUID, read func(from uuid.UUID, size int32) ([]E, error)) ([]E, error) {
	from := p.after
	for left := p.skip(); left > 0; {
		stride := min(left, maxStride)
		passed, err := read(from, int32(stride))
		if err != nil || len(passed) < stride {
			return nil, err
		}
		from, left = key(passed[stride-1]), left-stride
	}
	return read(from, p.ask())
}

// ask returns the number of entries to read: one more than the page holds shows whether there is another page.
func (p paging) ask() int32 {
	return int32(p.size + 1) //nolint:gosec // at most maxStride + 1
}

// cut returns the entries of the page, and the page with the cursor of the next one when there is one.
func cut[E any](list []E, p paging, key func(E) uuid.UUID) ([]E, Page) {
	page := Page{CurrentPage: p.number, PageSize: p.size}
	if len(list) > p.size {
		list = list[:p.size]
		page.Next = key(list[len(list)-1]).String()
	}
	return list, page
}
