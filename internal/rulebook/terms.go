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
	Limit    money.Amount `yaml:"-"`        // the largest payment, where the settings name none
	Calendar string       `yaml:"calendar"` // CalendarTARGET or CalendarZurich
	// CategoryPurposes and Purposes are the only codes taken; none for all of the code sets in force.
	CategoryPurposes []string `yaml:"categoryPurposes"`
	Purposes         []string `yaml:"purposes"`
	// RecallReasons, ReturnReasons and ResolutionReasons are the only reasons that may be given, in the order of a form, by their codes: those
	// of the scheme, or others of ISO.
	RecallReasons     []string `yaml:"recallReasons"`
	ReturnReasons     []string `yaml:"returnReasons"`
	ResolutionReasons []string `yaml:"resolutionReasons"`
	// TimeOut is the time from the acceptance by the debtor's bank until clearing must have our answer to an incoming payment, such as "7s".
	// WayBack is the part of it that the answer needs to get there.
	TimeOut time.Duration `yaml:"timeOut"`
	WayBack time.Duration `yaml:"wayBack"`
	// AcceptanceTime is the rule for an incoming payment without an acceptance time.
	AcceptanceTime AcceptanceTime `yaml:"acceptanceTime"`
	// Settlement says when an incoming payment that we accepted is booked.
	Settlement Settlement `yaml:"settlement"`
	// UnknownRecall names the one to answer the recall of a payment that never came.
	UnknownRecall UnknownRecall `yaml:"unknownRecall"`
	// UniqueDays is for how many days a bank keeps the ids of its messages and payments unique.
	UniqueDays int `yaml:"uniqueDays"`
}

// Settlement is the moment from which an incoming payment counts as settled.
type Settlement string

// The moments.
const (
	SettlementByAnswer  Settlement = "answer"    // with our positive answer: clearing sends no confirmation
	SettlementConfirmed Settlement = "confirmed" // when clearing confirms it (pacs.002)
)

// SettlementConfirmed reports whether the clearing of a scheme confirms the settlement of incoming payments. Without a profile it does not.
func (s Settings) SettlementConfirmed(scheme Scheme, day time.Time) bool {
	return s.TermsOn(scheme, day).Settlement == SettlementConfirmed
}

// UnknownRecall is the one who answers the recall of a payment that never came.
type UnknownRecall string

// The ones who answer.
const (
	UnknownRecallRefused  UnknownRecall = "refuse" // the gateway, with NOOR
	UnknownRecallByPerson UnknownRecall = "person" // an operator, who finds it in quarantine
)

// UnknownRecallByPerson reports whether an operator answers the recall of a payment that never came; by default the gateway refuses it.
func (s Settings) UnknownRecallByPerson(scheme Scheme, day time.Time) bool {
	return s.TermsOn(scheme, day).UnknownRecall == UnknownRecallByPerson
}

// AcceptanceTime is the rule of a clearing for an incoming payment without an acceptance time (AccptncDtTm).
type AcceptanceTime string

// The rules.
const (
	AcceptanceRequired   AcceptanceTime = "required" // the payment is refused
	AcceptanceOfCreation AcceptanceTime = "creation" // the creation time of the message counts
	AcceptanceOptional   AcceptanceTime = "optional" // the payment has no time limit
)

// defaultUniqueDays is longer than the 13 months in which a payment may be recalled.
const defaultUniqueDays = 400

// UniqueFor is the period in which a bank uses an id of a message or payment once (ISO pacs.008, MsgId and TxId: "unique for a pre-agreed
// period").
func (s Settings) UniqueFor(scheme Scheme, day time.Time) time.Duration {
	days := s.TermsOn(scheme, day).UniqueDays
	if days == 0 {
		days = defaultUniqueDays
	}
	return time.Duration(days) * 24 * time.Hour
}

// The times that the schemes set for the answer to an incoming payment.
const (
	timeOutSCT     = 7 * time.Second  // EPC SCT Inst rulebook 2025 v1.1, 4.2.3
	timeOutSIC     = 10 * time.Second // SIC IP
	defaultWayBack = 500 * time.Millisecond
)

// IncomingWithin is the age from which an incoming payment is refused, counted from its acceptance by the debtor's bank: the time-out of
// the clearing less the way back.
func (s Settings) IncomingWithin(scheme Scheme, day time.Time) time.Duration {
	terms := s.TermsOn(scheme, day)
	if terms.TimeOut == 0 {
		terms.TimeOut = timeOutSCT
		if scheme == SchemeSIC {
			terms.TimeOut = timeOutSIC
		}
	}
	if terms.WayBack == 0 {
		terms.WayBack = defaultWayBack
	}
	return terms.TimeOut - terms.WayBack
}

// AcceptanceTime returns the rule for an incoming payment without an acceptance time; by default such a payment is refused in SCT Inst, and
// the creation time of its message counts in SIC.
func (s Settings) AcceptanceTime(scheme Scheme, day time.Time) AcceptanceTime {
	if given := s.TermsOn(scheme, day).AcceptanceTime; given != "" {
		return given
	}
	if scheme == SchemeSIC {
		return AcceptanceOfCreation
	}
	return AcceptanceRequired
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
