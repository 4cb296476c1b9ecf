package calendar_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"countersign/internal/calendar"
)

func day(t *testing.T, text string) time.Time {
	t.Helper()
	parsed, err := time.Parse(time.DateOnly, text)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func TestIsBankingDay(t *testing.T) {
	t.Parallel()
	cases := []struct {
		day           string
		target, swiss bool
	}{
		{"2026-01-01", false, false},
		{"2026-01-02", true, false},
		{"2026-04-02", true, true},
		{"2026-04-03", false, false}, // Good Friday
		{"2026-04-06", false, false}, // Easter Monday
		{"2026-05-01", false, false},
		{"2026-05-14", true, false}, // Ascension
		{"2026-05-25", true, false}, // Whit Monday
		{"2025-08-01", true, false},
		{"2026-11-20", true, true},
		{"2026-11-21", false, false}, // Saturday
		{"2026-11-22", false, false}, // Sunday
		{"2024-12-24", true, true},
		{"2024-12-25", false, false},
		{"2024-12-26", false, false},
		{"2024-12-31", true, true},
		{"2024-03-29", false, false}, // Good Friday in March
		{"2038-04-23", false, false}, // latest Easter: 25 April
		{"2285-03-23", false, false}, // earliest Easter Monday
	}
	for _, test := range cases {
		target := calendar.TARGET().IsBankingDay(day(t, test.day))
		swiss := calendar.SwissBank().IsBankingDay(day(t, test.day))
		if target != test.target || swiss != test.swiss {
			t.Errorf("%s: TARGET %v, Swiss %v; want %v, %v", test.day, target, swiss, test.target, test.swiss)
		}
	}
}

// Known Easter Sundays: the Monday after is a holiday, the Tuesday after is not.
func TestEasterMoves(t *testing.T) {
	t.Parallel()
	for _, sunday := range []string{
		"1954-04-18", "1981-04-19", "2049-04-18", "2076-04-19", // years of the exceptions
		"2000-04-23", "2008-03-23", "2011-04-24", "2019-04-21", "2020-04-12", "2021-04-04", "2022-04-17",
		"2023-04-09", "2024-03-31", "2025-04-20", "2026-04-05", "2027-03-28", "2028-04-16", "2029-04-01", "2030-04-21", "2100-03-28",
	} {
		easter := day(t, sunday)
		for offset, want := range map[int]bool{-3: true, -2: false, 1: false, 2: true} {
			other := easter.AddDate(0, 0, offset)
			if calendar.TARGET().IsBankingDay(other) != want {
				t.Errorf("%s is a banking day: %v", other.Format(time.DateOnly), !want)
			}
		}
	}
}

func TestAddBankingDays(t *testing.T) {
	t.Parallel()
	cases := []struct {
		from  string
		count int
		want  string
	}{
		{"2026-11-20", 0, "2026-11-20"},
		{"2026-11-21", 0, "2026-11-21"},
		{"2026-11-20", 1, "2026-11-23"},
		{"2026-11-20", 10, "2026-12-04"},
		{"2026-04-02", 1, "2026-04-07"},
		{"2025-12-24", 1, "2025-12-29"},
		{"2025-12-31", 1, "2026-01-02"},
		{"2026-01-02", -1, "2025-12-31"},
		{"2026-04-07", -1, "2026-04-02"},
		{"2026-12-18", 15, "2027-01-12"},
	}
	for _, test := range cases {
		got := calendar.TARGET().AddBankingDays(day(t, test.from), test.count)
		if !got.Equal(day(t, test.want)) {
			t.Errorf("%s + %d = %s, want %s", test.from, test.count, got.Format(time.DateOnly), test.want)
		}
	}
}

func TestAddMonthsStaysInTheMonth(t *testing.T) {
	t.Parallel()
	cases := []struct {
		from   string
		months int
		want   string
	}{
		{"2026-01-31", 13, "2027-02-28"},
		{"2027-01-31", 13, "2028-02-29"},
		{"2026-03-31", 1, "2026-04-30"},
		{"2026-12-15", 1, "2027-01-15"},
		{"2026-05-31", -3, "2026-02-28"},
		{"2026-01-10", -1, "2025-12-10"},
		{"2024-02-29", 12, "2025-02-28"},
	}
	for _, test := range cases {
		got := calendar.AddMonths(day(t, test.from), test.months)
		if !got.Equal(day(t, test.want)) {
			t.Errorf("%s + %d months = %s, want %s", test.from, test.months, got.Format(time.DateOnly), test.want)
		}
	}
}

// The date counts as it is read in the place of the time, on days when the clocks change too.
func TestDatesAreReadInTheirLocation(t *testing.T) {
	t.Parallel()
	zurich, err := time.LoadLocation("Europe/Zurich")
	if err != nil {
		t.Fatal(err)
	}
	lateFriday := time.Date(2026, time.March, 27, 23, 30, 0, 0, zurich)
	next := calendar.SwissBank().AddBankingDays(lateFriday, 1)
	want := time.Date(2026, time.March, 30, 0, 0, 0, 0, zurich)
	if !next.Equal(want) {
		t.Errorf("next banking day %s, want %s", next, want)
	}
	newYear := time.Date(2026, time.December, 31, 23, 30, 0, 0, time.UTC)
	if calendar.Compare(newYear, newYear.In(zurich)) != -1 {
		t.Error("31 December in UTC is 1 January in Zurich")
	}
}

func TestBankingDaysThereAndBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		swiss := calendar.SwissBank()
		start := time.Date(rapid.IntRange(2000, 2100).Draw(t, "year"), 1, rapid.IntRange(1, 366).Draw(t, "day"), 0, 0, 0, 0, time.UTC)
		count := rapid.IntRange(1, 40).Draw(t, "count")
		end := swiss.AddBankingDays(start, count)
		if !swiss.IsBankingDay(end) || !end.After(start) {
			t.Fatalf("%s + %d = %s", start, count, end)
		}
		between := 0
		for day := start.AddDate(0, 0, 1); !day.After(end); day = day.AddDate(0, 0, 1) {
			if swiss.IsBankingDay(day) {
				between++
			}
		}
		if between != count {
			t.Fatalf("%d banking days from %s to %s, want %d", between, start, end, count)
		}
	})
}
