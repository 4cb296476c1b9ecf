package rulebook_test

import (
	"testing"
	"time"

	"countersign/internal/rulebook"
)

func day(text string) time.Time {
	at, err := time.Parse(time.DateOnly, text)
	if err != nil {
		panic(err)
	}
	return at
}

func TestRecallDeadline(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name, reason, settled, want string
	}{
		{"ten banking days over two weekends", "DUPL", "2026-03-02", "2026-03-16"},
		{"settled on a Saturday", "TECH", "2026-03-07", "2026-03-20"},
		{"over Easter: Good Friday and Easter Monday do not count", "DUPL", "2026-03-30", "2026-04-15"},
		{"over the year's end: 25 and 26 December and 1 January do not count", "TECH", "2026-12-21", "2027-01-06"},
		{"1 May does not count", "DUPL", "2026-04-27", "2026-05-12"},
		{"thirteen months", "FRAD", "2026-03-02", "2027-04-02"},
		{"thirteen months from the last of January", "CUST", "2026-01-31", "2027-02-28"},
		{"the same into a leap year", "AM09", "2027-01-31", "2028-02-29"},
		{"thirteen months from a leap day", "AC03", "2028-02-29", "2029-03-29"},
		{"thirteen months over two years' ends", "CUST", "2026-12-31", "2028-01-31"},
	}
	for _, test := range cases {
		last, limited := rulebook.RecallDeadline(rulebook.SchemeSCT, test.reason, day(test.settled), rulebook.Settings{})
		if !limited || !last.Equal(day(test.want)) {
			t.Errorf("%s: %s, %v; want %s", test.name, last.Format(time.DateOnly), limited, test.want)
		}
	}
	_, limited := rulebook.RecallDeadline(rulebook.SchemeSIC, "DUPL", day("2020-01-03"), rulebook.Settings{})
	if limited {
		t.Error("Swiss recalls have a limit without a setting")
	}
	last, limited := rulebook.RecallDeadline(rulebook.SchemeSIC, "DUPL", day("2026-12-30"), rulebook.Settings{SICRecallDays: 2})
	if !limited || !last.Equal(day("2027-01-04")) { // 1 January is a Friday; the 2nd a Saturday
		t.Errorf("Swiss setting: %s, %v", last.Format(time.DateOnly), limited)
	}
}

func TestAnswerBy(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name           string
		scheme         rulebook.Scheme
		settings       rulebook.Settings
		received, want string
	}{
		{"TARGET", rulebook.SchemeSCT, rulebook.Settings{}, "2026-03-02", "2026-03-23"},
		{"TARGET over Easter", rulebook.SchemeSCT, rulebook.Settings{}, "2026-03-27", "2026-04-21"},
		{"Swiss over Ascension and Whit Monday", rulebook.SchemeSIC, rulebook.Settings{}, "2026-05-11", "2026-06-03"},
		{"Swiss over the year's end, 2 January included", rulebook.SchemeSIC, rulebook.Settings{}, "2028-12-22", "2029-01-18"},
		{"TARGET, a setting", rulebook.SchemeSCT, rulebook.Settings{SCTAnswerDays: 10}, "2026-03-02", "2026-03-16"},
		{"Swiss, a setting", rulebook.SchemeSIC, rulebook.Settings{SICAnswerDays: 1}, "2026-07-31", "2026-08-03"},
	}
	for _, test := range cases {
		got := rulebook.AnswerBy(test.scheme, day(test.received), test.settings)
		if !got.Equal(day(test.want)) {
			t.Errorf("%s: %s, want %s", test.name, got.Format(time.DateOnly), test.want)
		}
	}
}

func TestReturnWindow(t *testing.T) {
	t.Parallel()
	last, limited := rulebook.ReturnWindow(rulebook.SchemeSCT, "AC04", day("2026-04-02"), rulebook.Settings{})
	if !limited || !last.Equal(day("2026-04-09")) {
		t.Errorf("three TARGET days over Easter: %s, %v", last.Format(time.DateOnly), limited)
	}
	_, limited = rulebook.ReturnWindow(rulebook.SchemeSCT, "FOCR", day("2026-04-02"), rulebook.Settings{})
	if limited {
		t.Error("the answer to a recall has a window")
	}
	_, limited = rulebook.ReturnWindow(rulebook.SchemeSIC, "AC04", day("2026-04-02"), rulebook.Settings{})
	if limited {
		t.Error("Swiss returns have a window without a setting")
	}
	last, limited = rulebook.ReturnWindow(rulebook.SchemeSIC, "AC04", day("2026-04-02"), rulebook.Settings{SICReturnDays: 1})
	if !limited || !last.Equal(day("2026-04-07")) {
		t.Errorf("Swiss setting: %s, %v", last.Format(time.DateOnly), limited)
	}
}
