package calendar_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"countersign/internal/calendar"
)

const edition = `edition;2026-11-20
day;scheme;clearing
# open on a Saturday, closed on a day the rule calls open
2026-12-26;sic-inst;open
2026-12-24;sic-inst;closed
2027-05-13;sct-inst;closed
`

func TestAnEditionOfAClearingCountsOverTheRule(t *testing.T) {
	t.Parallel()
	read, err := calendar.Parse([]byte("\ufeff" + strings.ReplaceAll(edition, "\n", "\r\n")))
	if err != nil || read.Len() != 3 || !read.Day().Equal(day(t, "2026-11-20")) || fmt.Sprint(read.Schemes()) != "[sct-inst sic-inst]" {
		t.Fatalf("%v: %d days of %v", err, read.Len(), read.Day())
	}
	swiss, target := read.Over(calendar.SwissBank(), "sic-inst"), read.Over(calendar.TARGET(), "sct-inst")
	for text, want := range map[string][2]bool{
		"2026-12-24": {false, true}, "2026-12-25": {false, false}, "2026-12-26": {true, false}, "2027-05-13": {true, false},
		"2026-12-23": {true, true},
	} {
		at := day(t, text).Add(23 * time.Hour).In(time.FixedZone("", -3600)) // the date as it is read where it is
		if got := [2]bool{swiss.IsBankingDay(at), target.IsBankingDay(at)}; got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
	if last := swiss.AddBankingDays(day(t, "2026-12-23"), 1); !last.Equal(day(t, "2026-12-26")) {
		t.Errorf("the day after 23 December is %s", last)
	}
	if !calendar.SwissBank().IsBankingDay(day(t, "2026-12-24")) || (*calendar.Edition)(nil).Over(calendar.SwissBank(), "sic-inst").
		IsBankingDay(day(t, "2026-12-26")) {
		t.Error("without an edition the rule counts")
	}
}

func TestOfSeveralEditionsTheLastCountsForEachDay(t *testing.T) {
	t.Parallel()
	older, err := calendar.Parse([]byte(edition))
	newer, err2 := calendar.Parse([]byte("edition;2026-12-01\nday;scheme;clearing\n2026-12-24;sic-inst;open\n"))
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	both := calendar.Merge(older, newer)
	swiss := both.Over(calendar.SwissBank(), "sic-inst")
	if !swiss.IsBankingDay(day(t, "2026-12-24")) || !swiss.IsBankingDay(day(t, "2026-12-26")) || both.Len() != 3 || older.Len() != 3 ||
		older.Over(calendar.SwissBank(), "sic-inst").IsBankingDay(day(t, "2026-12-24")) {
		t.Errorf("together they say\n%s", both.Content())
	}
	if calendar.Merge() != nil {
		t.Error("no edition is one")
	}
}

func TestAFileThatIsNoCalendarSaysWhere(t *testing.T) {
	t.Parallel()
	const head = "edition;2026-11-20\nday;scheme;clearing\n"
	var closed strings.Builder
	for at := day(t, "2027-01-01"); at.Before(day(t, "2027-02-10")); at = at.AddDate(0, 0, 1) {
		fmt.Fprintf(&closed, "%s;sic-inst;closed\n", at.Format(time.DateOnly))
	}
	for name, test := range map[string]struct {
		content string
		line    int
		says    string
	}{
		"empty":      {"", 1, "begin with the day"},
		"no day":     {"edition;today\n", 1, "year, month and day"},
		"no columns": {"edition;2026-11-20\n2026-12-24;sic-inst;open\n", 2, "name the columns"},
		"no days":    {head, 0, "lists no day"},
		"fields":     {head + "2026-12-24;sic-inst\n", 3, "give 3 fields"},
		"date":       {head + "24.12.2026;sic-inst;open\n", 3, "write the day"},
		"word":       {head + "2026-12-24;sic-inst;yes\n", 3, "open or closed"},
		"scheme":     {head + "2026-12-24;sic;open\n", 3, "sic-inst or sct-inst"},
		"twice":      {head + "2026-12-24;sic-inst;open\n2026-12-24;sct-inst;open\n2026-12-24;sic-inst;open\n", 5, "once"},
		"closed":     {head + closed.String(), 0, "closed for more than 30 days"},
		"not UTF-8":  {head + "\xe4", 0, "UTF-8"},
		"too large":  {head + strings.Repeat("#", calendar.MaxBytes), 0, "larger"},
	} {
		_, err := calendar.Parse([]byte(test.content))
		var refused *calendar.FormError
		if !errors.As(err, &refused) || refused.Line != test.line || !strings.Contains(refused.Text, test.says) {
			t.Errorf("%s: %v, want line %d and %q", name, err, test.line, test.says)
		}
	}
}

// The fields are those of the public interface of SIX (clearing day calendar, version 1); the days and names of services are made up.
const clearingDays = `{"metaData": {"createdStamp": "2026-11-20T04:00:00+01:00"}, "entries": [
  {"calendarDay": "2026-12-24", "dayOfWeek": "THURSDAY", "services": [
    {"serviceIdentification": "ONE", "serviceDescription": "x", "clearingDay": "2026-12-28"},
    {"serviceIdentification": "TWO", "serviceDescription": "x", "clearingDay": "2026-12-24"}]},
  {"calendarDay": "2026-12-28", "dayOfWeek": "MONDAY", "services": [
    {"serviceIdentification": "ONE", "serviceDescription": "x", "clearingDay": "2026-12-28"}]}]}`

func TestTheClearingDayCalendarOfSIXIsRead(t *testing.T) {
	t.Parallel()
	if !calendar.IsClearingDays([]byte("\ufeff"+clearingDays)) || calendar.IsClearingDays([]byte(edition)) {
		t.Error("the calendar of SIX is not told from the form of our own")
	}
	read, err := calendar.ParseClearingDays([]byte(clearingDays), "ONE")
	if err != nil {
		t.Fatal(err)
	}
	const want = "edition;2026-11-20\nday;scheme;clearing\n2026-12-24;sic-inst;closed\n2026-12-28;sic-inst;open\n"
	if got := string(read.Content()); got != want {
		t.Errorf("read as\n%s", got)
	}
	for name, test := range map[string]struct{ content, says string }{
		"service": {strings.ReplaceAll(clearingDays, `"ONE"`, `"SIX"`), "the file has those of SIX, TWO"},
		"no time": {`{"entries": []}`, "when it was made"},
		"no day":  {strings.Replace(clearingDays, `"2026-12-28", "dayOfWeek"`, `"tomorrow", "dayOfWeek"`, 1), "is no day"},
		"twice":   {strings.Replace(clearingDays, `"2026-12-28", "dayOfWeek"`, `"2026-12-24", "dayOfWeek"`, 1), "once"},
		"no JSON": {`{`, "read the clearing day calendar"},
	} {
		_, err := calendar.ParseClearingDays([]byte(test.content), "ONE")
		if err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %v, want %q", name, err, test.says)
		}
	}
}

func FuzzParseEdition(f *testing.F) {
	f.Add([]byte(edition))
	f.Add([]byte(clearingDays))
	f.Fuzz(func(t *testing.T, content []byte) {
		read, err := calendar.Parse(content)
		if err != nil {
			read, err = calendar.ParseClearingDays(content, "ONE")
		}
		if err != nil {
			return
		}
		again, err := calendar.Parse(read.Content())
		if err != nil || !bytes.Equal(again.Content(), read.Content()) {
			t.Fatalf("%v\n%s", err, read.Content())
		}
	})
}

// TestWeekendsBelongToTheDaysACalendarIsClosed: they stand in no calendar, and a scheme that is closed from Monday to Friday has no banking
// day for as long.
func TestWeekendsBelongToTheDaysACalendarIsClosed(t *testing.T) {
	t.Parallel()
	closedUntil := func(last string) error {
		content := "edition;2026-11-20\nday;scheme;clearing\n"
		for at := day(t, "2027-01-04"); !at.After(day(t, last)); at = at.AddDate(0, 0, 1) {
			if weekday := at.Weekday(); weekday != time.Saturday && weekday != time.Sunday {
				content += at.Format(time.DateOnly) + ";sct-inst;closed\n"
			}
		}
		_, err := calendar.Parse([]byte(content))
		return err
	}
	if err := closedUntil("2027-02-02"); err != nil {
		t.Errorf("30 days are refused: %v", err)
	}
	if err := closedUntil("2027-02-03"); err == nil || !strings.Contains(err.Error(), "closed for more than 30 days from 2027-01-04 on") {
		t.Errorf("31 days without a banking day: %v", err)
	}
}
