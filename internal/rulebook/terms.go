package rulebook

import (
	"slices"
	"time"

	"countersign/internal/calendar"
	"countersign/internal/money"
)

// Terms are a clearing's restrictions beyond the document format, part of its profile (internal/profile). Zero fields
// mean the scheme's defaults.
type Terms struct {
	Limit    money.Amount // the largest payment, where the settings name none
	Calendar string       // CalendarTARGET or CalendarZurich
	// CategoryPurposes and Purposes are the only codes taken; none for all of the code sets in force.
	CategoryPurposes, Purposes []string
	// RecallReasons, ReturnReasons and ResolutionReasons are the only reasons that may be given, in the order of a form.
	RecallReasons, ReturnReasons, ResolutionReasons []string
}

// The calendars that deadlines are counted by.
const (
	CalendarTARGET = "target" // of euro payments
	CalendarZurich = "zurich" // the bank holidays of Zurich
)

// TermsOn are the terms of the clearing of a scheme on a day, as the day reads in its own location.
func (s Settings) TermsOn(scheme Scheme, day time.Time) Terms {
	if s.Terms == nil {
		return Terms{}
	}
	return s.Terms(string(scheme), day)
}

// BankingDays returns the calendar for a scheme's deadlines from a day on: that of the clearing's terms, else TARGET
// for euro and Zurich for Swiss francs, with published changes of single days.
func (s Settings) BankingDays(scheme Scheme, from time.Time) calendar.Calendar {
	name := s.TermsOn(scheme, from).Calendar
	rule := calendar.TARGET()
	if name == CalendarZurich || name == "" && scheme == SchemeSIC {
		rule = calendar.SwissBank()
	}
	if held := s.Published.editions(); held != nil {
		return held.days.Over(rule, string(scheme))
	}
	return rule
}

// takes reports whether a list of codes takes one; an empty list takes all.
func takes(list []string, code string) bool { return len(list) == 0 || slices.Contains(list, code) }
