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

The first rule that a pacs.008 of another bank breaks, in this order, gives the reason of the pacs.002 that refuses the payment. An amount that
cannot be booked (zero, more than two decimals, a currency that is not offered) is refused before these rules, with the codes of the amount
rules above. An incoming payment is refused from %s (sic-inst) or %s (sct-inst) after its acceptance on: the time-out of the clearing less the
way back, both in the clearing profile. The clock of another bank may be %d s ahead.

Taken, though a usage guideline refuses it at the debtor's bank, because the money is the payee's: an address in free lines, a debtor without
account, a name longer than the scheme's, an instructed agent of another bank, a settlement day up to 7 days away or none, an amount ordered in
another currency, several structured references.

| Rule and element | Code | Text sent to the other bank | Source |
|---|---|---|---|
`, rulebook.Settings{}.IncomingWithin(rulebook.SchemeSIC, time.Time{}), rulebook.Settings{}.IncomingWithin(rulebook.SchemeSCT, time.Time{}),
		rulebook.ClockTolerance/time.Second)
	writeRules(page, incomingRules())
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
