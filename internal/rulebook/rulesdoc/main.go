// Command rulesdoc writes the rules as a page for readers: the table for payment orders, the Swiss subset, what of an order is carried on,
// what is asked of incoming payments, the rules, reasons and deadlines of recalls, returns and resolutions, and the dates of the data the
// rules rest on.
//
// The page is made from the tables of this program alone, so the same program gives the same bytes.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"

	"countersign/internal/rulebook"
)

func main() {
	output := flag.String("output", "docs/rules.md", "file to write")
	flag.Parse()
	err := os.WriteFile(*output, page(), 0o644)
	if err != nil {
		fmt.Fprintln(os.Stderr, "rulesdoc:", err)
		os.Exit(1)
	}
}

const introduction = `# Rules

<!-- Made by rulesdoc from the tables in internal/rulebook; do not edit. -->

## Payment orders

What is asked of a payment order (pain.001.001.09) before it is accepted, and again before it is released. A
finding names the rule, the element (an RFC 6901 pointer), the ISO 20022 reason code and what to do. All findings
come at once, in document order. Elements are given below ` + "`/Document/CstmrCdtTrfInitn`" + `; ` +
	"`{party}`, `{agent}` and `{level}`" + `
stand for each place where a party, a bank or the payment type information may be.

Sources: SPS = SIX, Swiss Payment Standards 2025, Implementation Guidelines for credit transfer 2.2, with section;
SPS BR = its Business Rules 3.2; EPC = rulebook and guidelines of the European Payments Council for SEPA credit
transfers; ISO = the ISO 20022 schema or the ISO standard named.
`

// page returns the whole document: the rules for orders, the Swiss subset, the mapping, incoming payments,
// R-transactions, and the dates.
func page() []byte {
	var document bytes.Buffer
	document.WriteString(introduction)
	sections := []struct {
		title    string
		selected func(rulebook.Rule) bool
	}{
		{"Both schemes", func(r rulebook.Rule) bool { return r.Scheme == "" && r.Check != nil }},
		{"sic-inst only", func(r rulebook.Rule) bool { return r.Scheme == rulebook.SchemeSIC && r.Check != nil }},
		{"sct-inst only", func(r rulebook.Rule) bool { return r.Scheme == rulebook.SchemeSCT && r.Check != nil }},
		{"Checked elsewhere", func(r rulebook.Rule) bool { return r.Check == nil }},
	}
	for _, section := range sections {
		fmt.Fprintf(&document, "\n### %s\n\n| Rule | Element | Code | What to do | Source |\n|---|---|---|---|---|\n", section.title)
		for _, rule := range rulebook.Rules() {
			if section.selected(rule) {
				document.WriteString(row(rule))
			}
		}
	}
	writeSubset(&document)
	writeCarriage(&document)
	writeIncoming(&document)
	writeRequests(&document)
	writeReasons(&document)
	writeDeadlines(&document)
	writeDates(&document)
	return document.Bytes()
}

func row(rule rulebook.Rule) string {
	element := strings.TrimPrefix(rule.Element, "/Document/CstmrCdtTrfInitn")
	if element == "" {
		element = "/"
	}
	source := rule.Source
	if rule.CheckedBy != "" {
		source += "; held by `" + rule.CheckedBy + "`"
	}
	return fmt.Sprintf("| `%s` | `%s` | %s | %s | %s |\n", rule.ID, element, rule.Code, escape(rule.Text), escape(source))
}

// escape keeps a bar in a text from ending its column.
func escape(text string) string {
	return strings.ReplaceAll(text, "|", `\|`)
}
