// Command rulesdoc writes the rules as a page for readers: the table for payment orders, the Swiss subset, the mapping of elements, the
// checks of incoming payments, the rules, reasons and deadlines of recalls, returns and resolutions, and the dates of the reference data.
//
// The page depends only on the tables in the program, so that the same program writes the same bytes.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
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

These rules hold for a payment order (pain.001.001.09) before it is accepted, and again before it is released. A finding names the rule, the
element (an RFC 6901 pointer), the ISO 20022 reason code and what to do. All findings are returned at once, in document order. Elements are
below ` + "`/Document/CstmrCdtTrfInitn`" + "; `…` stands for `/PmtInf/0/CdtTrfTxInf/0`, and `{party}`, `{agent}` and `{level}`" + ` stand for
each place of a party, a bank or the payment type information. A rule for one scheme names the scheme beside its element.

Sources: SPS = SIX, Swiss Payment Standards, with the sections of the Implementation Guidelines for credit transfer 2.2 (2025); SPS BR = its
Business Rules 3.2. Of SPS 2026 (in force since 14 November 2026) the ends of unstructured addresses and of pain.001.001.03 are in. EPC =
rulebook SCT Inst 2025 v1.1 and guidelines EPC122-16 (2025) of the European Payments Council as vendors describe them, else EPC115-06 (2019)
for the same element. ISO = the ISO 20022 schema, code list or the ISO standard named; gateway = the interface contract of this gateway.
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
		{"Checked by the rule table", func(r rulebook.Rule) bool { return r.Check != nil }},
		{"Checked elsewhere in the gateway", func(r rulebook.Rule) bool { return r.Check == nil }},
	}
	for _, section := range sections {
		fmt.Fprintf(&document, "\n### %s\n\n| Rule and element | Code | What to do | Source |\n|---|---|---|---|\n", section.title)
		writeRules(&document, slices.DeleteFunc(rulebook.Rules(), func(r rulebook.Rule) bool { return !section.selected(r) }))
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

// writeRules writes rules as rows of a table. Rules with the same code, text and source share a row.
// The scheme of a rule for one scheme stands beside its element.
func writeRules(page io.Writer, rules []rulebook.Rule) {
	for len(rules) > 0 {
		first := rules[0]
		scheme := ""
		if first.Scheme != "" {
			scheme = " (" + string(first.Scheme) + ")"
		}
		same := func(r rulebook.Rule) bool {
			return r.Scheme == first.Scheme && r.Code == first.Code && r.Text == first.Text && r.Source == first.Source
		}
		var names []string
		for _, rule := range rules {
			if same(rule) {
				names = append(names, "`"+rule.ID+"` `"+short(rule.Element)+"`"+scheme)
			}
		}
		rules = slices.DeleteFunc(slices.Clone(rules), same)
		fmt.Fprintf(page, "| %s | %s | %s | %s |\n", strings.Join(names, "<br>"), first.Code, escape(first.Text.String()), escape(source(first)))
	}
}

// short abbreviates the pointer of an element as the introduction says.
func short(element string) string {
	element = strings.TrimPrefix(element, "/Document/CstmrCdtTrfInitn")
	if element == "" {
		return "/"
	}
	return strings.Replace(element, "/PmtInf/0/CdtTrfTxInf/0/", "…/", 1)
}

// source abbreviates the source of a rule as the introduction says: the code list of ISO needs no code beside the rule's own.
func source(rule rulebook.Rule) string {
	text := strings.ReplaceAll(rule.Source, "Interface contract of this gateway", "gateway")
	text = strings.ReplaceAll(text, "This gateway:", "gateway:")
	if text == "ISO, "+rule.Code {
		return "ISO"
	}
	return strings.TrimSuffix(text, "; ISO, "+rule.Code)
}

// escape keeps a bar in a text from ending its column.
func escape(text string) string {
	return strings.ReplaceAll(text, "|", `\|`)
}
