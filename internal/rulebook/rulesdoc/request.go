package main

import (
	"fmt"
	"io"
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

Findings point into the request: `+"`{details}`"+` stands for RecallDetails, ReturnDetails or ResolutionDetails. Deadlines are checked when
the request is made and again when it is approved.

| Rule | Scheme | Element | Code | What to do | Source |
|---|---|---|---|---|---|
`)
	for _, rule := range rulebook.RTransactionRules() {
		fmt.Fprintf(
			page,
			"| `%s` | %s | `%s` | %s | %s | %s |\n",
			rule.ID, schemeOf(rule), rule.Element, rule.Code, escape(rule.Text), escape(rule.Source),
		)
	}
}

func schemeOf(rule rulebook.Rule) string {
	if rule.Scheme == "" {
		return "both"
	}
	return string(rule.Scheme)
}

// longList is a list of which only the usual reasons get a line of their own.
const longList = 50

// writeReasons writes the lists of reasons of each scheme.
func writeReasons(page io.Writer) {
	lists := []struct {
		title string
		of    func(rulebook.Scheme) []rulebook.Reason
	}{
		{"Reasons of a recall (camt.056)", rulebook.RecallReasons},
		{"Reasons of a return (pacs.004)", rulebook.ReturnReasons},
		{"Reasons to refuse a recall (camt.029)", rulebook.ResolutionReasons},
	}
	for _, list := range lists {
		for _, scheme := range rulebook.Schemes() {
			fmt.Fprintf(
				page, "\n### %s, %s\n\n| Code | Meaning | Originator | Additional information | Source |\n|---|---|---|---|---|\n", list.title, scheme,
			)
			reasons := list.of(scheme)
			var further []string
			for _, reason := range reasons {
				if len(reasons) > longList && !reason.Usual && reason.Information.Required == 0 {
					further = append(further, reason.Code)
					continue
				}
				fmt.Fprintf(
					page, "| %s | %s | %s | %s | %s |\n", reason.Code, escape(reason.Text), originator(reason), lines(reason), escape(reason.Source),
				)
			}
			if len(further) > 0 {
				fmt.Fprintf(page, "\nAlso taken, with the meaning of the ISO list: %s.\n", strings.Join(further, ", "))
			}
		}
	}
	fmt.Fprint(page, `
In sct-inst, the refusal of a recall for fraud (FRAD) or for a wrong account (AC03) may carry up to ten lines with any reason but LEGL.
`)
}

func originator(reason rulebook.Reason) string {
	if reason.Originator == rulebook.OriginatorCustomer {
		return "customer, by name"
	}
	return "bank, by BIC"
}

// lines describes the amount of additional information that a reason allows.
func lines(reason rulebook.Reason) string {
	limits := reason.Information
	if limits.Allowed == 0 {
		return "none"
	}
	text := "at most " + strconv.Itoa(limits.Allowed) + " × " + strconv.Itoa(limits.Length) + " characters"
	if limits.Required > 0 {
		text += ", at least " + strconv.Itoa(limits.Required)
	}
	if limits.Prefix != "" {
		text += " after `" + limits.Prefix + "`"
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

Days are banking days: of TARGET in sct-inst, of the Swiss banks in sic-inst. The day of the event is not counted. The last column is
the last day for an event on %s, before Easter.

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
	for _, row := range [][4]string{
		{"Recall for DUPL or TECH", "sct-inst", "10 banking days after settlement", recall(rulebook.SchemeSCT, "DUPL")},
		{"Recall for any other reason", "sct-inst", "13 months after settlement", recall(rulebook.SchemeSCT, "FRAD")},
		{"Recall", "sic-inst", "a setting; none published", recall(rulebook.SchemeSIC, "DUPL")},
		{
			"Answer to a recall", "sct-inst", "15 banking days after receipt, or a setting",
			shown(rulebook.AnswerBy(rulebook.SchemeSCT, exampleDay, none), true),
		},
		{
			"Answer to a recall", "sic-inst", "15 banking days after receipt, or a setting",
			shown(rulebook.AnswerBy(rulebook.SchemeSIC, exampleDay, none), true),
		},
		{"Return without a recall", "sct-inst", "3 banking days after settlement", returned(rulebook.SchemeSCT, "AC04")},
		{"Return without a recall", "sic-inst", "a setting; none published", returned(rulebook.SchemeSIC, "AC04")},
		{"Return that answers a recall", "both", "none", returned(rulebook.SchemeSCT, rulebook.ReturnAfterRecall)},
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
	fmt.Fprint(page, "\n## Dates and lists\n\n| What | From |\n|---|---|\n")
	for _, scheme := range rulebook.Schemes() {
		end := rulebook.Settings{}.UnstructuredEnd(scheme)
		fmt.Fprintf(
			page,
			"| %s refuses unstructured addresses (`address-unstructured`), or a setting | %s |\n",
			scheme, end.Format(time.DateOnly),
		)
	}
	fmt.Fprintf(
		page,
		"| A country's accounts are reached in sct-inst (`creditor-account-sepa`) | its day in `internal/account/data/sepa.tsv` |\n"+
			"\nThe external code sets are those ISO published in %s:\n\n| Set | Codes |\n|---|---|\n",
		code.Published,
	)
	for _, set := range code.Sets() {
		fmt.Fprintf(page, "| %s | %d |\n", set.Name(), len(set.All()))
	}
	fmt.Fprint(page, "\nOrigin of the IBAN registry, the bank list and the SEPA countries: `internal/account/data/README.md`.\n")
}
