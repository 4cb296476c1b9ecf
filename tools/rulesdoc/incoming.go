package main

import (
	"fmt"
	"io"
	"time"

	"countersign/internal/i18n"
	"countersign/internal/rulebook"
)

// writeIncoming writes the rules of incoming payments.
func writeIncoming(page io.Writer) {
	fmt.Fprintf(page, `
## Incoming payments

The first rule in this order that a pacs.008 breaks gives the reason of the refusing pacs.002; `+"`…` is `CdtTrfTxInf`"+`. Amounts that cannot
be booked (zero, more than two decimals, other currency) are refused before, with the codes above. A payment is late %s (sic-inst) or %s
(sct-inst) after its acceptance: the time-out less the way back of the clearing profile. Another bank's clock may be %d s ahead.

Accepted, though a usage guideline refuses it: an address in free lines, a debtor without account, a name longer than the scheme's, an
instructed agent of another bank, a settlement day up to 7 days away or none, an amount ordered in another currency, several structured
references.

`, rulebook.Settings{}.IncomingWithin(rulebook.SchemeSIC, time.Time{}), rulebook.Settings{}.IncomingWithin(rulebook.SchemeSCT, time.Time{}),
		rulebook.ClockTolerance/time.Second)
	fmt.Fprintf(page, heads, "text sent to the other bank")
	writeRules(page, incomingRules(), true)
}

// incomingRules returns the rules of incoming payments in the form of the others.
func incomingRules() []rulebook.Rule {
	var rules []rulebook.Rule
	for _, r := range rulebook.IncomingRules() {
		rules = append(rules, rulebook.Rule{
			ID: r.ID, Scheme: r.Scheme, Element: r.Element, Code: r.Code, Text: i18n.Data(r.Text),
			Source: r.Source,
		})
	}
	return rules
}
