package rulebook

import (
	"strings"
	"time"

	"countersign/internal/calendar"
)

// RuleDateMissing is the rule that an order names its execution date.
const RuleDateMissing = "execution-date-missing"

const dateElement = documentPointer + "/PmtInf/0/ReqdExctnDt"

var dateRules = []Rule{
	{
		ID: RuleDateMissing, Element: dateElement, Code: "DT01", level: levelInformation,
		Text:   "Enter today as requested execution date.",
		Source: "SPS 4.2", Check: checkExecutionDateMissing,
	},
	{
		ID: "execution-date-past", Element: dateElement, Code: "CH04", level: levelInformation,
		Text:   "Enter today as requested execution date: the date given is over.",
		Source: "SPS 4.2", Check: func(i *inspection) { i.checkExecutionDate(-1) },
	},
	{
		ID: "execution-date-future", Element: dateElement, Code: "CH03", level: levelInformation,
		Text:   "Enter today as requested execution date: instant payments are executed at once.",
		Source: "SPS 4.2", Check: func(i *inspection) { i.checkExecutionDate(1) },
	},
}

func checkExecutionDateMissing(i *inspection) {
	_, _, found := i.executionDate()
	if !found {
		i.report("/ReqdExctnDt")
	}
}

// checkExecutionDate reports a date before (-1) or after (+1) today, or a time after now.
func (i *inspection) checkExecutionDate(side int) {
	requested, below, found := i.executionDate()
	if !found {
		return
	}
	difference := calendar.Compare(requested, i.input.Today)
	later := below == "/DtTm" && !i.input.Now.IsZero() && requested.After(i.input.Now)
	if difference == 0 && later {
		difference = 1
	}
	switch {
	case difference != side:
	case calendar.Compare(requested, i.input.Today) == 0:
		i.reportText("/ReqdExctnDt"+below, "Leave the time out, or enter one that has come: instant payments are executed at once.")
	default:
		i.report("/ReqdExctnDt" + below)
	}
}

// executionDate reads the requested date or time, as it reads on the calendar of Today.
func (i *inspection) executionDate() (requested time.Time, below string, found bool) {
	asked := i.information.RequestedExecutionDate
	if asked.Date != "" {
		// The zone a schema date may carry does not move it to another day.
		date, err := time.Parse(time.DateOnly, string(asked.Date[:min(len(asked.Date), len(time.DateOnly))]))
		return date, "/Dt", err == nil
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
