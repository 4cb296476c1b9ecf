package iso20022

import (
	"testing"
	"time"
)

func TestDatesAreReadAsTheyAreMeant(t *testing.T) {
	t.Parallel()
	for text, want := range map[ISODateTime]string{
		"2026-03-02T10:00:00+01:00":       "2026-03-02T09:00:00Z",
		"2026-03-02T10:00:00.123Z":        "2026-03-02T10:00:00.123Z",
		"2026-03-02T10:00:00":             "2026-03-02T10:00:00Z",
		"2026-03-02T10:00:00-05:00":       "2026-03-02T15:00:00Z",
		"2026-02-28T24:00:00":             "2026-03-01T00:00:00Z",
		"2026-02-28T24:00:00.0+01:00":     "2026-02-28T23:00:00Z",
		"2026-03-02T10:00:00.1234567891Z": "2026-03-02T10:00:00.123456789Z",
	} {
		moment, err := text.Time()
		if got := moment.UTC().Format(time.RFC3339Nano); err != nil || got != want || !IsDateTime(string(text)) {
			t.Errorf("%s is %s, want %s (%v)", text, got, want, err)
		}
	}
	for text, want := range map[ISODate]string{
		"2026-03-02": "2026-03-02T00:00:00Z", "2026-03-02+01:00": "2026-03-01T23:00:00Z", "2024-02-29Z": "2024-02-29T00:00:00Z",
	} {
		date, err := text.Date()
		if got := date.UTC().Format(time.RFC3339); err != nil || got != want || !IsDate(string(text)) {
			t.Errorf("%s is %s, want %s (%v)", text, got, want, err)
		}
	}
}

func TestWrongDatesAreRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "2026-3-2", "2026-02-29", "2026-13-01", "2026-00-10", "0000-01-01", "2026-03-02x", "2026-03-02+15:00",
		"2026-03-02+1:00", "02.03.2026", "20260302",
	} {
		if _, err := ISODate(text).Date(); IsDate(text) || err == nil && text != "0000-01-01" && text != "2026-03-02+15:00" {
			t.Errorf("%q is taken for a date", text)
		}
	}
	for _, text := range []string{
		"", "2026-03-02", "2026-03-02 10:00:00", "2026-03-02T10:00", "2026-03-02T25:00:00", "2026-03-02T24:00:01",
		"2026-03-02T10:60:00", "2026-03-02T10:00:00.", "2026-03-02T10:00:00,5", "2026-03-02T",
	} {
		if IsDateTime(text) {
			t.Errorf("%q is taken for a date and time", text)
		}
	}
	if _, err := ISODateTime("today").Time(); err == nil {
		t.Error("today is taken for a date and time")
	}
}

func TestDatesAreWrittenAsTheSchemaWants(t *testing.T) {
	t.Parallel()
	moment := time.Date(2026, 3, 2, 23, 30, 0, 5_000_000, time.FixedZone("", 3600))
	if got := DateTimeOf(moment); got != "2026-03-02T23:30:00.005+01:00" || !IsDateTime(string(got)) {
		t.Errorf("date and time %s", got)
	}
	if got := DateOf(moment); got != "2026-03-02" {
		t.Errorf("date %s", got)
	}
}
