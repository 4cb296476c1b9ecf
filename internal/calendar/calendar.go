// Package calendar knows banking business days and the date arithmetic of deadlines. It has no clock: days are passed in.
//
// Only the year, month and day of a time count, as read in its own location. Results are midnight of a day in the location of the argument.
package calendar

import (
	"errors"
	"time"
)

// MonthDay is a holiday on the same date each year.
type MonthDay struct {
	Month time.Month
	Day   int
}

// Calendar says on which days a payment system works. Saturdays and Sundays are no banking days. The two calendars of this package are
// starting values: a deployment may add to the lists.
type Calendar struct {
	// Fixed are the holidays on a fixed date.
	Fixed []MonthDay
	// Easter are the holidays that move with Easter, in days after Easter Sunday (Good Friday is -2).
	Easter []int
	// listed are the days in an edition of a clearing; true for open.
	listed map[date]bool
}

// firstYear is the first year of a day that somebody enters: an earlier one is a mistake, and the year 0 is none in XML.
const firstYear = 1900

// ParseDay is time.ParseInLocation for a day or time that a person or a program enters. It fails for years before 1900.
func ParseDay(layout, text string, in *time.Location) (time.Time, error) {
	at, err := time.ParseInLocation(layout, text, in)
	if err == nil && at.Year() < firstYear {
		return time.Time{}, errors.New("enter a year from 1900 on")
	}
	return at, err
}

// Written is the date of the two calendars built into this package. An Edition holds later decisions of a clearing.
const Written = "2026-11-22"

// TARGET is the calendar of euro payments: closed on 1 January, Good Friday, Easter Monday, 1 May, 25 and 26 December (European Central
// Bank, T2 long-term calendar of 2000, unchanged since).
func TARGET() Calendar {
	return Calendar{
		Fixed:  []MonthDay{{time.January, 1}, {time.May, 1}, {time.December, 25}, {time.December, 26}},
		Easter: []int{-2, 1},
	}
}

// SwissBank is the calendar of Swiss franc payments on SIC: 1 and 2 January, Good Friday, Easter Monday, 1 May, Ascension, Whit Monday, 1
// August, 25 and 26 December. These are the bank holidays of Zurich, where SIC is run; that 1 May counts is taken from the calendar of the
// Swiss exchange and not confirmed for SIC.
func SwissBank() Calendar {
	return Calendar{
		Fixed: []MonthDay{
			{time.January, 1}, {time.January, 2}, {time.May, 1}, {time.August, 1}, {time.December, 25}, {time.December, 26},
		},
		Easter: []int{-2, 1, 39, 50},
	}
}

// IsBankingDay reports whether the system works on the day.
func (c Calendar) IsBankingDay(day time.Time) bool {
	if open, listed := c.listed[dateOf(day)]; listed {
		return open
	}
	if isWeekend(day) {
		return false
	}
	year, month, dayOfMonth := day.Date()
	for _, holiday := range c.Fixed {
		if holiday.Month == month && holiday.Day == dayOfMonth {
			return false
		}
	}
	easterMonth, easterDay := easter(year)
	for _, offset := range c.Easter {
		moved := time.Date(year, easterMonth, easterDay+offset, 0, 0, 0, 0, time.UTC)
		if moved.Month() == month && moved.Day() == dayOfMonth {
			return false
		}
	}
	return true
}

func isWeekend(day time.Time) bool {
	return day.Weekday() == time.Saturday || day.Weekday() == time.Sunday
}

// AddBankingDays is the count-th banking day after the day, which itself is not counted; a negative count goes back. Zero gives the day
// itself, be it a banking day or not.
func (c Calendar) AddBankingDays(day time.Time, count int) time.Time {
	step := 1
	if count < 0 {
		step, count = -1, -count
	}
	result := midnight(day)
	for count > 0 {
		result = addDays(result, step)
		if c.IsBankingDay(result) {
			count--
		}
	}
	return result
}

// AddMonths is the same date some months later, or the last day of that month where it is shorter: 13 months after 31 January is 28
// February (29 in a leap year). Months may be negative.
func AddMonths(day time.Time, months int) time.Time {
	year, month, date := day.Date()
	first := time.Date(year, month+time.Month(months), 1, 0, 0, 0, 0, day.Location())
	last := addDays(time.Date(first.Year(), first.Month()+1, 1, 0, 0, 0, 0, day.Location()), -1)
	return addDays(first, min(date, last.Day())-1)
}

// Compare orders two days: -1 when a is before b, 0 on the same date, +1 after. Each date is read in its own location.
func Compare(a, b time.Time) int {
	yearA, monthA, dayA := a.Date()
	yearB, monthB, dayB := b.Date()
	utcA := time.Date(yearA, monthA, dayA, 0, 0, 0, 0, time.UTC)
	return utcA.Compare(time.Date(yearB, monthB, dayB, 0, 0, 0, 0, time.UTC))
}

// midnight is the start of the day in its location.
func midnight(day time.Time) time.Time {
	return addDays(day, 0)
}

// addDays goes by dates, not by 24 hours, so that a change of the clocks does not matter.
func addDays(day time.Time, days int) time.Time {
	year, month, date := day.Date()
	return time.Date(year, month, date+days, 0, 0, 0, 0, day.Location())
}

// easter is the month and day of Easter Sunday in the Gregorian calendar, by the method of Meeus, Jones and Butcher.
func easter(year int) (time.Month, int) {
	golden := year % 19
	century, yearOfCentury := year/100, year%100
	leapCenturies, centuryRest := century/4, century%4
	correction := (century + 8) / 25
	moonCorrection := (century - correction + 1) / 3
	epact := (19*golden + century - leapCenturies - moonCorrection + 15) % 30
	leapYears, yearRest := yearOfCentury/4, yearOfCentury%4
	toSunday := (32 + 2*centuryRest + 2*leapYears - epact - yearRest) % 7
	late := (golden + 11*epact + 22*toSunday) / 451
	sum := epact + toSunday - 7*late + 114
	return time.Month(sum / 31), sum%31 + 1
}
