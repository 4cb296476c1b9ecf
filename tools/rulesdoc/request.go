package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"countersign/internal/iso20022/code"
	"countersign/internal/rulebook"
)

// writeRequests writes the rules of recalls, returns and resolutions.
func writeRequests(page io.Writer) {
	fmt.Fprint(page, `
## Recalls, returns and resolutions

`+"`{details}`"+` is RecallDetails, ReturnDetails or ResolutionDetails. Deadlines are checked at the request and at its approval.

`)
	fmt.Fprintf(page, heads, "remedy")
	writeRules(page, rulebook.RTransactionRules(), false)
}

// longList is a list of which only the usual reasons get a line of their own.
const longList = 50

// writeReasons writes the lists of reasons, both schemes side by side.
func writeReasons(page io.Writer) {
	fmt.Fprint(page, `
The originator is the bank, by BIC, or the customer, by name. For each scheme: lines of additional information, of at most 105 characters; a
dash where it lacks the reason.
`)
	for _, list := range []struct {
		title string
		of    func(rulebook.Scheme) []rulebook.Reason
	}{
		{"Reasons of a recall (camt.056)", rulebook.RecallReasons},
		{"Reasons of a return (pacs.004)", rulebook.ReturnReasons},
		{"Reasons to refuse a recall (camt.029)", rulebook.ResolutionReasons},
	} {
		fmt.Fprintf(page, "\n### %s\n\n| Reasons | Originator | sic-inst | sct-inst |\n|---|---|---|---|\n", list.title)
		writeReasonList(page, list.of(rulebook.SchemeSIC), list.of(rulebook.SchemeSCT))
	}
	fmt.Fprint(page, `
In sct-inst, the refusal of a recall for fraud (FRAD) or for a wrong account (AC03) may have up to ten lines with any reason but LEGL.
`)
}

// writeReasonList writes a list with one row for the reasons of the same originator and the same lines of information.
func writeReasonList(page io.Writer, swiss, european []rulebook.Reason) {
	var further, rows []string
	reasons := map[string][]string{}
	add := func(reason rulebook.Reason, swiss, european *rulebook.Reason) {
		originator := "bank"
		if reason.Originator == rulebook.OriginatorCustomer {
			originator = "customer"
		}
		row := fmt.Sprintf("%s | %s | %s |", originator, lines(swiss), lines(european))
		if reasons[row] == nil {
			rows = append(rows, row)
		}
		reasons[row] = append(reasons[row], reason.Code+" "+strings.TrimSuffix(escape(reason.Text.String()), "."))
	}
	for _, reason := range swiss {
		other := reasonOf(european, reason.Code)
		switch {
		case len(swiss) <= longList || reason.Usual || reason.Information.Required > 0 || other != nil:
			add(reason, &reason, other)
		default:
			further = append(further, reason.Code)
		}
	}
	for _, reason := range european {
		if reasonOf(swiss, reason.Code) == nil {
			add(reason, nil, &reason)
		}
	}
	for _, row := range rows {
		fmt.Fprintf(page, "| %s | %s\n", strings.Join(reasons[row], "<br>"), row)
	}
	if len(further) > 0 {
		fmt.Fprintf(page, "\nAlso in sic-inst, as ISO has them: %s.\n", strings.Join(further, ", "))
	}
	fmt.Fprintf(page, "\nSources: sic-inst: %s. sct-inst: %s.\n", sources(swiss), sources(european))
}

// reasonOf finds a reason by its code; nil if the list lacks it.
func reasonOf(list []rulebook.Reason, code string) *rulebook.Reason {
	at := slices.IndexFunc(list, func(r rulebook.Reason) bool { return r.Code == code })
	if at < 0 {
		return nil
	}
	return &list[at]
}

// sources names each source of a list once.
func sources(list []rulebook.Reason) string {
	var named []string
	for _, reason := range list {
		for part := range strings.SplitSeq(source(rulebook.Rule{Source: reason.Source}), "; ") {
			if !slices.Contains(named, part) {
				named = append(named, part)
			}
		}
	}
	return strings.Join(named, "; ")
}

// lines describes the additional information that a scheme allows with a reason; a dash if the scheme lacks the reason.
func lines(reason *rulebook.Reason) string {
	if reason == nil {
		return "–"
	}
	limits := reason.Information
	if limits.Allowed == 0 {
		return "none"
	}
	text := strconv.Itoa(limits.Allowed)
	if limits.Required > 0 {
		text = strconv.Itoa(limits.Required) + " to " + text
	}
	if limits.Prefix != "" {
		text += ", each of " + strconv.Itoa(limits.Length) + " characters after `" + limits.Prefix + "`"
	}
	return text
}

// exampleDay is a Tuesday; the days after hold Good Friday, Easter Monday and the month's end.
var exampleDay = time.Date(2026, time.March, 31, 0, 0, 0, 0, time.UTC)

// writeDeadlines writes the deadlines. The examples are computed, so they cannot differ from the program.
func writeDeadlines(page io.Writer) {
	day := exampleDay.Format(time.DateOnly)
	fmt.Fprintf(page, `
## Deadlines

Banking days are those of TARGET in sct-inst, of the Swiss banks in sic-inst, without the day of the event. Example: the last day for an event
on %s.

| What | Scheme | Limit | Example |
|---|---|---|---|
`, day)
	none := rulebook.Settings{}
	recall := func(scheme rulebook.Scheme, reason string) string {
		return shown(rulebook.RecallDeadline(scheme, reason, exampleDay, none))
	}
	returned := func(scheme rulebook.Scheme, reason string) string {
		return shown(rulebook.ReturnWindow(scheme, reason, exampleDay, none))
	}
	answer := func(scheme rulebook.Scheme) string {
		return shown(rulebook.AnswerBy(scheme, exampleDay, none), true)
	}
	for _, row := range [][4]string{
		{"Recall for DUPL or TECH", "sct-inst", "10 banking days after settlement", recall(rulebook.SchemeSCT, "DUPL")},
		{"Recall for any other reason", "sct-inst", "13 months after settlement", recall(rulebook.SchemeSCT, "FRAD")},
		{"Recall", "sic-inst", "none published (setting)", recall(rulebook.SchemeSIC, "DUPL")},
		{"Answer to a recall", "both", "15 banking days after receipt (setting)", answer(rulebook.SchemeSCT)},
		{"Return without a recall", "sct-inst", "3 banking days after settlement", returned(rulebook.SchemeSCT, "AC04")},
		{"Return without a recall", "sic-inst", "none published (setting)", returned(rulebook.SchemeSIC, "AC04")},
		{"Return after a recall", "both", "none", returned(rulebook.SchemeSCT, rulebook.ReturnAfterRecall)},
	} {
		fmt.Fprintf(page, "| %s | %s | %s | %s |\n", row[0], row[1], row[2], row[3])
	}
}

func shown(last time.Time, limited bool) string {
	if !limited {
		return "no limit"
	}
	return last.Format(time.DateOnly)
}

// writeDates writes from when on rules hold, and how old the lists are.
func writeDates(page io.Writer) {
	end := func(scheme rulebook.Scheme) string {
		return rulebook.Settings{}.UnstructuredEnd(scheme).Format(time.DateOnly)
	}
	fmt.Fprintf(page, `
## Dates and lists

Unstructured addresses are refused (`+"`address-unstructured`"+`; setting) from %s on in sic-inst, from %s on in sct-inst. A country of SEPA is
reached (`+"`creditor-account-sepa`"+`) from its day in `+"`internal/account/data/sepa.tsv`"+` on; the README beside it has the origin of the
lists. External code sets are those that ISO published in %s, until [others are imported](operations.md#code-sets-and-calendars).
`, end(rulebook.SchemeSIC), end(rulebook.SchemeSCT), code.Published)
}
