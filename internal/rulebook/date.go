package rulebook

import (
	"strings"
	"time"

	"countersign/internal/calendar"
	"countersign/internal/iso20022"
)

// RuleDateMissing is the rule that an order names its execution date.
const RuleDateMissing = "execution-date-missing"

const dateElement = documentPointer + "/PmtInf/0/ReqdExctnDt"

var dateRules = []Rule{
	{
		ID: RuleDateMissing, Element: dateElement, Code: "DT01", level: levelInformation,
		Text:   "Enter today's date or a later date as the execution date.",
		Source: "SPS 4.2", broken: func(i *inspection) bool {
			_, _, found := i.executionDate()
			return !found
		},
	},
	{
		ID: "execution-date-past", Element: dateElement, Code: "CH04", level: levelInformation,
		Text:   "Enter today's date or a later date as the execution date. The date you entered is in the past.",
		Source: "SPS 4.2", Check: func(i *inspection) { i.checkExecutionDate(-1) },
	},
	{
		ID: "execution-date-future", Element: dateElement, Code: "CH03", level: levelInformation,
		Text:   "Enter an execution date that is no more than one year ahead.",
		Source: "SPS 4.2", Check: func(i *inspection) { i.checkExecutionDate(1) },
	},
}

// MaxAhead is the number of days that an execution date may lie ahead.
const MaxAhead = 365

// ExecutionDay is the requested execution date of a payment information, at midnight UTC; zero for none, and for one with a time.
func ExecutionDay(info *iso20022.PaymentInstruction30) time.Time {
	day, _ := dateOf(info.RequestedExecutionDate)
	return day
}

// IsLater reports whether a payment information asks for a later day than today.
func IsLater(info *iso20022.PaymentInstruction30, today time.Time) bool {
	day := ExecutionDay(info)
	return !day.IsZero() && calendar.Compare(day, today) > 0
}

// dateOf reads a date without a time. The zone a schema date may carry does not move it to another day.
func dateOf(asked iso20022.DateAndDateTime2Choice) (time.Time, bool) {
	day, err := time.Parse(time.DateOnly, string(asked.Date[:min(len(asked.Date), len(time.DateOnly))]))
	return day, err == nil
}

// checkExecutionDate reports a date before today (-1), or one too far ahead or a time after now (+1).
func (i *inspection) checkExecutionDate(side int) {
	requested, below, found := i.executionDate()
	if !found {
		return
	}
	today := i.input.Today
	timed := below == "/DtTm" && (calendar.Compare(requested, today) > 0 || !i.input.Now.IsZero() && requested.After(i.input.Now))
	switch {
	case side < 0 && calendar.Compare(requested, today) < 0, side > 0 && calendar.Compare(requested, today.AddDate(0, 0, MaxAhead)) > 0:
		i.report("/ReqdExctnDt" + below)
	case side > 0 && timed:
		i.reportText("/ReqdExctnDt"+below,
			"Leave the time out, or enter a time that is not in the future. A payment for a later day is sent at the start of that day.")
	}
}

// executionDate reads the requested date or time, as it reads on the calendar of Today.
func (i *inspection) executionDate() (requested time.Time, below string, found bool) {
	asked := i.information.RequestedExecutionDate
	if asked.Date != "" {
		date, given := dateOf(asked)
		return date, "/Dt", given
	}
	moment, err := asked.DateTime.Time()
	if asked.DateTime == "" || err != nil {
		return time.Time{}, "", false
	}
	zone := i.input.Today.Location()
	if !hasOffset(string(asked.DateTime)) {
		year, month, day := moment.Date()
		hour, minute, second := moment.Clock()
		return time.Date(year, month, day, hour, minute, second, moment.Nanosecond(), zone), "/DtTm", true
	}
	return moment.In(zone), "/DtTm", true
}

// hasOffset reports whether a date and time names its zone; without one it is local time.
func hasOffset(text string) bool {
	_, clock, _ := strings.Cut(text, "T")
	return strings.ContainsAny(clock, "Z+-")
}
