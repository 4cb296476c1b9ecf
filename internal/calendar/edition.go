package calendar

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Edition is a calendar of clearing days as a clearing publishes it: which days of a scheme are open and which closed. On a day that it
// does not list, the calendar of the program counts. It never changes.
type Edition struct {
	day  time.Time
	days map[string]map[date]bool // by scheme; true for open
}

// date is a day without time and place.
type date struct {
	year  int
	month time.Month
	day   int
}

func dateOf(day time.Time) date {
	year, month, dayOfMonth := day.Date()
	return date{year, month, dayOfMonth}
}

// String is the day as editions write it: 2026-11-22.
func (d date) String() string { return fmt.Sprintf("%04d-%02d-%02d", d.year, d.month, d.day) }

// The most a file of clearing days may be, and list.
const (
	MaxBytes = 4 << 20
	maxDays  = 20_000
)

// The words of the form, and the separator of its fields.
const (
	open      = "open"
	closed    = "closed"
	separator = ';'
)

// FormError says that a file is no calendar. Its text names the remedy.
type FormError struct {
	Line int // from 1; 0 for the file as a whole
	Text string
}

func (e *FormError) Error() string {
	if e.Line == 0 {
		return e.Text
	}
	return fmt.Sprintf("line %d: %s", e.Line, e.Text)
}

// Day is the day the edition is of, midnight UTC.
func (e *Edition) Day() time.Time { return e.day }

// Len returns the number of days it lists.
func (e *Edition) Len() (days int) {
	for _, of := range e.days {
		days += len(of)
	}
	return days
}

// Schemes are those of which it lists days, in alphabetical order.
func (e *Edition) Schemes() []string { return slices.Sorted(maps.Keys(e.days)) }

// Over is a calendar in which the days that the edition lists for a scheme are as it says; a nil edition lists none.
func (e *Edition) Over(rule Calendar, scheme string) Calendar {
	if e != nil {
		rule.listed = e.days[scheme]
	}
	return rule
}

// Merge combines editions, the oldest first: the last edition that lists a day counts. It returns nil for none.
func Merge(editions ...*Edition) *Edition {
	var merged *Edition
	for _, edition := range editions {
		if merged == nil {
			merged = &Edition{days: map[string]map[date]bool{}}
		}
		merged.day = edition.day
		for scheme, days := range edition.days {
			all := maps.Clone(merged.days[scheme])
			if all == nil {
				all = make(map[date]bool, len(days))
			}
			maps.Copy(all, days)
			merged.days[scheme] = all
		}
	}
	return merged
}

// Parse reads a calendar of a scheme or of several:
//
//	edition;2026-11-20
//	day;scheme;clearing
//	2026-12-24;sic-inst;closed
//	2026-12-26;sic-inst;open
//
// A day is listed once for a scheme. Lines that begin with # are remarks. Error: *FormError.
func Parse(content []byte) (*Edition, error) {
	if len(content) > MaxBytes || !utf8.Valid(content) {
		return nil, &FormError{Text: fmt.Sprintf("the file is larger than %d MiB, or no UTF-8", MaxBytes>>20)}
	}
	rows := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(content, []byte("\ufeff"))))
	rows.Comma, rows.Comment, rows.FieldsPerRecord = separator, '#', -1
	first, err := rows.Read()
	if err != nil || len(first) != 2 || first[0] != "edition" {
		return nil, &FormError{Line: 1, Text: "begin with the day the calendar is of: edition;2026-11-20"}
	}
	day, err := time.Parse(time.DateOnly, first[1])
	if err != nil {
		return nil, &FormError{Line: 1, Text: "write the day the calendar is of as year, month and day: edition;2026-11-20"}
	}
	names, err := rows.Read()
	if err != nil || !slices.Equal(names, []string{"day", "scheme", "clearing"}) {
		return nil, &FormError{Line: 2, Text: "name the columns: day;scheme;clearing"}
	}
	made := &Edition{day: day, days: map[string]map[date]bool{}}
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return made.checked()
		}
		var malformed *csv.ParseError
		if errors.As(err, &malformed) { // a row that cannot be read has no fields, and no place of one
			return nil, &FormError{Line: malformed.Line, Text: malformed.Err.Error()}
		}
		if err != nil {
			return nil, &FormError{Text: err.Error()}
		}
		line, _ := rows.FieldPos(0)
		err = made.addRow(row)
		if err != nil {
			return nil, &FormError{Line: line, Text: err.Error()}
		}
	}
}

func (e *Edition) addRow(row []string) error {
	if len(row) != 3 {
		return errors.New("give 3 fields: day;scheme;clearing")
	}
	day, err := time.Parse(time.DateOnly, row[0])
	if err != nil {
		return errors.New("write the day as year, month and day, such as 2026-12-24")
	}
	if row[2] != open && row[2] != closed {
		return errors.New("write open or closed in the last field")
	}
	return e.add(row[1], day, row[2] == open)
}

func (e *Edition) add(scheme string, day time.Time, isOpen bool) error {
	if scheme != "sic-inst" && scheme != "sct-inst" {
		return errors.New("write sic-inst or sct-inst as the scheme")
	}
	if e.days[scheme] == nil {
		e.days[scheme] = map[date]bool{}
	}
	if _, twice := e.days[scheme][dateOf(day)]; twice {
		return fmt.Errorf("list %s once for %s", dateOf(day), scheme)
	}
	if e.Len() == maxDays {
		return fmt.Errorf("list at most %d days", maxDays)
	}
	e.days[scheme][dateOf(day)] = isOpen
	return nil
}

// maxClosed limits the consecutive closed days of a calendar: a longer run would postpone deadlines without end.
const maxClosed = 30

// checked refuses a calendar that lists nothing, or closes a scheme for too long. Weekends that it does not list are closed.
func (e *Edition) checked() (*Edition, error) {
	if len(e.days) == 0 {
		return nil, &FormError{Text: "the file lists no day"}
	}
	for scheme, days := range e.days {
		for day, isOpen := range days {
			end := time.Date(day.year, day.month, day.day, 0, 0, 0, 0, time.UTC)
			for count := 1; !isOpen; count++ {
				end = end.AddDate(0, 0, 1)
				next, listed := days[dateOf(end)]
				if next || !listed && !isWeekend(end) {
					break
				}
				if count == maxClosed {
					return nil, &FormError{Text: fmt.Sprintf("%s is closed for more than %d days from %s on", scheme, maxClosed, day)}
				}
			}
		}
	}
	return e, nil
}

// IsClearingDays reports whether a file begins like the clearing day calendar of SIX.
func IsClearingDays(content []byte) bool {
	return bytes.HasPrefix(bytes.TrimSpace(bytes.TrimPrefix(content, []byte("\ufeff"))), []byte("{"))
}

// ParseClearingDays reads the clearing day calendar of SIX (version 1, JSON) as that of Swiss instant payments: a day is open when it is
// its own clearing day. service selects the service by its name in the file. The date of the edition is that of the file. The error names
// the remedy.
func ParseClearingDays(content []byte, service string) (*Edition, error) {
	var file struct {
		MetaData struct {
			CreatedStamp string `json:"createdStamp"`
		} `json:"metaData"`
		Entries []struct {
			CalendarDay string `json:"calendarDay"`
			Services    []struct {
				ServiceIdentification string `json:"serviceIdentification"`
				ClearingDay           string `json:"clearingDay"`
			} `json:"services"`
		} `json:"entries"`
	}
	err := errors.New("it is too large")
	if len(content) <= MaxBytes {
		err = json.Unmarshal(bytes.TrimPrefix(content, []byte("\ufeff")), &file)
	}
	if err != nil {
		return nil, fmt.Errorf("read the clearing day calendar of SIX: %w", err)
	}
	made, err := time.Parse(time.DateOnly, file.MetaData.CreatedStamp[:min(len(file.MetaData.CreatedStamp), len(time.DateOnly))])
	if err != nil {
		return nil, errors.New("the file does not say when it was made (metaData, createdStamp): take the calendar of SIX, version 1")
	}
	edition, services := &Edition{day: made, days: map[string]map[date]bool{}}, map[string]bool{}
	for _, entry := range file.Entries {
		day, err := time.Parse(time.DateOnly, entry.CalendarDay)
		if err != nil {
			return nil, fmt.Errorf("the entry %.20q is no day: take the calendar of SIX, version 1", entry.CalendarDay)
		}
		for _, one := range entry.Services {
			services[one.ServiceIdentification] = true
			if one.ServiceIdentification != service {
				continue
			}
			err = edition.add("sic-inst", day, one.ClearingDay == entry.CalendarDay)
			if err != nil {
				return nil, err
			}
		}
	}
	if len(edition.days) == 0 {
		known := strings.Join(slices.Sorted(maps.Keys(services)), ", ")
		return nil, fmt.Errorf("say whose days count with --service; the file has those of %s", known)
	}
	return edition.checked()
}

// Content is the edition in the form that Parse reads, by scheme and day.
func (e *Edition) Content() []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "edition;%s\nday;scheme;clearing\n", e.day.Format(time.DateOnly))
	for _, scheme := range e.Schemes() {
		var lines []string
		for day, isOpen := range e.days[scheme] {
			word := closed
			if isOpen {
				word = open
			}
			lines = append(lines, fmt.Sprintf("%s;%s;%s\n", day, scheme, word))
		}
		slices.Sort(lines)
		out.WriteString(strings.Join(lines, ""))
	}
	return out.Bytes()
}
