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
	"regexp"
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

These rules hold for a payment order (pain.001.001.09) when it is made and at its release. Elements (RFC 6901 pointers) are below
` + "`/Document/CstmrCdtTrfInitn`; `…` is `/PmtInf/0/CdtTrfTxInf/0`; `{party}`, `{agent}` and `{level}`" + ` are each place of a
party, a bank or the payment type information. Where no remedy stands, remove the element, or with a rule ` + "`…-missing`" + ` enter it.

| Source | Is |
|---|---|
| SPS | SIX, Swiss Payment Standards: sections of the Implementation Guidelines for credit transfer 2.2 (2025), without number the one of the element (4.1 to 4.3); of SPS 2026 the ends of unstructured addresses and of pain.001.001.03 |
| SPS BR | Business Rules 3.2 |
| EPC | rulebook SCT Inst 2025 v1.1 and guidelines EPC122-16 (2025) as vendors describe them, else EPC115-06 pacs.008 (2019) for the same element; reason codes: Guidance on Reason Codes for SCT Inst R-transactions v7.0 (October 2025) |
| ISO | schema or code list of ISO 20022, or the standard named |
| gateway | interface contract of this gateway |
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
		fmt.Fprintf(&document, "\n### %s\n\n"+heads, section.title, "remedy")
		writeRules(&document, slices.DeleteFunc(rulebook.Rules(), func(r rulebook.Rule) bool { return !section.selected(r) }), false)
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

// heads are the columns of writeRules.
const heads = "| Code | Source | Rule, element and %s |\n|---|---|---|\n"

// writeRules writes rules as rows of a table. Rules with the same code and source share a row, and of these, rules with the same text share
// the text. The scheme of a rule for one scheme follows its element. With inOrder only neighbours share, so that the rules keep their order.
func writeRules(page io.Writer, rules []rulebook.Rule, inOrder bool) {
	type row struct{ code, source, text string }
	lines := map[row][]string{}
	var texts []row
	for _, rule := range rules {
		line := row{rule.Code, source(rule), remedy(rule)}
		if lines[line] == nil {
			texts = append(texts, line)
		}
		name := "`" + rule.ID + "` `" + short(rule.Element) + "`"
		if rule.Scheme != "" {
			name += " (" + string(rule.Scheme) + ")"
		}
		lines[line] = append(lines[line], name)
	}
	for len(texts) > 0 {
		first := texts[0]
		same := func(line row) bool { return line.code == first.code && line.source == first.source }
		var parts []string
		var others []row
		for at, line := range texts {
			if !same(line) || inOrder && len(others) > 0 {
				others = append(others, texts[at])
				continue
			}
			part := strings.Join(lines[line], ", ")
			if line.text != "" {
				part += ": " + escape(line.text)
			}
			parts = append(parts, part)
		}
		texts = others
		fmt.Fprintf(page, "| %s | %s | %s |\n", first.code, escape(first.source), strings.Join(parts, "<br>"))
	}
}

// evident are remedies that the introduction gives once for all rules.
var evident = regexp.MustCompile(`^(Remove|Enter) the [a-z' ]*\.$`)

// remedy returns the text of a rule; none if the introduction says the same.
func remedy(rule rulebook.Rule) string {
	text := rule.Text.String()
	if evident.MatchString(text) && !strings.Contains(text, " and ") && strings.HasPrefix(text, "Enter") == strings.HasSuffix(rule.ID, "-missing") {
		return ""
	}
	return text
}

// short abbreviates the pointer of an element as the introduction says.
func short(element string) string {
	element = strings.TrimPrefix(element, "/Document/CstmrCdtTrfInitn")
	if element == "" {
		return "/"
	}
	return strings.Replace(strings.Replace(element, "/PmtInf/0/CdtTrfTxInf/0/", "…/", 1), "CdtTrfTxInf/", "…/", 1)
}

var (
	guidance    = regexp.MustCompile(`EPC, Guidance on Reason Codes for SCT Inst R-transactions v7\.0( \(October 2025\))?`)
	ownSection  = regexp.MustCompile(`,? 4\.[123]( to 4\.3)?\b`)
	sameElement = regexp.MustCompile(`EPC115-06 \([^)]*\)`)
)

// source abbreviates the source of a rule as the introduction says: the code list of ISO needs no code beside the rule's own.
func source(rule rulebook.Rule) string {
	parts := strings.Split(rule.Source, "; ")
	for at, part := range parts {
		if strings.HasPrefix(part, "SPS ") {
			parts[at] = ownSection.ReplaceAllString(part, "")
		}
	}
	text := strings.ReplaceAll(strings.Join(parts, "; "), "Interface contract of this gateway", "gateway")
	text = strings.ReplaceAll(text, "This gateway:", "gateway:")
	text = sameElement.ReplaceAllString(strings.ReplaceAll(text, "EPC115-06 pacs.008", "EPC115-06"), "EPC115-06")
	text = guidance.ReplaceAllString(text, "EPC reason codes")
	text = strings.ReplaceAll(text, "EPC SCT Inst rulebook 2025", "EPC rulebook")
	text = strings.ReplaceAll(text, "EPC rulebook 2025", "EPC rulebook")
	if text == "ISO, "+rule.Code {
		return "ISO"
	}
	return strings.TrimSuffix(text, "; ISO, "+rule.Code)
}

// escape keeps a bar in a text from ending its column.
func escape(text string) string {
	return strings.ReplaceAll(text, "|", `\|`)
}
