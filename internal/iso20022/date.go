package iso20022

import (
	"fmt"
	"strings"
	"time"
)

// ISODate is a date as it stands in a document, such as 2026-03-02; XML Schema allows an offset after it.
type ISODate string

// ISODateTime is a moment as it stands in a document, such as 2026-03-02T10:00:00.123+01:00.
type ISODateTime string

// ISOTime is a time of day as it stands in a document, such as 10:00:00+01:00.
type ISOTime string

// DateOf is the date of a moment in its own location.
func DateOf(t time.Time) ISODate {
	return ISODate(t.Format(time.DateOnly))
}

// DateTimeOf is a moment with milliseconds and offset.
func DateTimeOf(t time.Time) ISODateTime {
	return ISODateTime(t.Format("2006-01-02T15:04:05.000Z07:00"))
}

// Date is midnight at the start of the date, at its offset or in UTC when it has none. The error names the text.
func (d ISODate) Date() (time.Time, error) {
	layout := time.DateOnly
	if len(d) > len(layout) {
		layout += "Z07:00"
	}
	date, err := time.Parse(layout, string(d))
	if err != nil {
		return time.Time{}, fmt.Errorf("read date %q: %w", string(d), err)
	}
	return date, nil
}

// Time is the moment; a time without offset is read as UTC. Digits beyond nanoseconds are cut. The error names the text.
func (d ISODateTime) Time() (time.Time, error) {
	text, nextDay := string(d), false
	if before, after, found := strings.Cut(text, "T24:00:00"); found {
		text, nextDay = before+"T00:00:00"+after, true
	}
	layout := "2006-01-02T15:04:05"
	if clock := strings.IndexByte(text, 'T'); clock >= 0 && strings.ContainsAny(text[clock:], "Z+-") {
		layout += "Z07:00"
	}
	moment, err := time.Parse(layout, text)
	if err != nil {
		return time.Time{}, fmt.Errorf("read date and time %q: %w", string(d), err)
	}
	if nextDay {
		moment = moment.AddDate(0, 0, 1)
	}
	return moment, nil
}
