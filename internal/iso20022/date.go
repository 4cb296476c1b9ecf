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

// IsDate reports whether a text is an xs:date with a year of four digits.
func IsDate(text string) bool {
	return len(text) >= 10 && isCalendarDay(text[:10]) && isOffset(text[10:])
}

// IsDateTime reports whether a text is an xs:dateTime with a year of four digits.
func IsDateTime(text string) bool {
	return len(text) > 11 && text[10] == 'T' && isCalendarDay(text[:10]) && isTime(text[11:])
}

// isTime reports whether a text is an xs:time; 24:00:00 is the end of the day.
func isTime(text string) bool {
	if len(text) < 8 || text[2] != ':' || text[5] != ':' {
		return false
	}
	hour, minute, second := twoDigits(text[0:2]), twoDigits(text[3:5]), twoDigits(text[6:8])
	rest, fraction := cutFraction(text[8:])
	if rest == "." || minute < 0 || minute > 59 || second < 0 || second > 59 {
		return false
	}
	midnight := hour == 24 && minute == 0 && second == 0 && strings.Trim(fraction, "0") == ""
	return (hour >= 0 && hour < 24 || midnight) && isOffset(rest)
}

// cutFraction takes a fraction of a second off the front; a dot without digits comes back as ".".
func cutFraction(text string) (rest, fraction string) {
	if text == "" || text[0] != '.' {
		return text, ""
	}
	end := 1
	for end < len(text) && text[end] >= '0' && text[end] <= '9' {
		end++
	}
	if end == 1 {
		return ".", ""
	}
	return text[end:], text[1:end]
}

func isCalendarDay(text string) bool {
	if text[4] != '-' || text[7] != '-' {
		return false
	}
	century, year := twoDigits(text[0:2]), twoDigits(text[2:4])
	month, day := twoDigits(text[5:7]), twoDigits(text[8:10])
	if century < 0 || year < 0 || century+year == 0 || month < 1 || month > 12 || day < 1 {
		return false
	}
	return day <= time.Date(century*100+year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

// isOffset reports whether a text is empty, Z, or hours and minutes up to 14:00.
func isOffset(text string) bool {
	if text == "" || text == "Z" {
		return true
	}
	if len(text) != 6 || text[0] != '+' && text[0] != '-' || text[3] != ':' {
		return false
	}
	hour, minute := twoDigits(text[1:3]), twoDigits(text[4:6])
	return hour >= 0 && minute >= 0 && minute < 60 && (hour < 14 || hour == 14 && minute == 0)
}

// twoDigits reads two digits, or returns -1.
func twoDigits(text string) int {
	tens, ones := text[0]-'0', text[1]-'0'
	if tens > 9 || ones > 9 {
		return -1
	}
	return int(tens)*10 + int(ones)
}
