package main

import (
	"fmt"
	"io"
	"time"

	"countersign/internal/rulebook"
)

// writeIncoming writes the rules of incoming payments.
func writeIncoming(page io.Writer) {
	fmt.Fprintf(page, `
## Incoming payments

The first rule a pacs.008 of another bank breaks, in this order, is the reason of the pacs.002 that refuses it. An amount that cannot be
booked (zero, more than two decimals, a currency that is not offered) is refused before them, with the codes of the amount rules above.
The clock starts at the acceptance time and runs %d s; another bank's clock may be %d s ahead.

| Rule | Scheme | Element | Code | What the other bank is told | Source |
|---|---|---|---|---|---|
`, rulebook.IncomingWithin/time.Second, rulebook.ClockTolerance/time.Second)
	for _, rule := range rulebook.IncomingRules() {
		scheme := string(rule.Scheme)
		if scheme == "" {
			scheme = "both"
		}
		fmt.Fprintf(
			page,
			"| `%s` | %s | `%s` | %s | %s | %s |\n",
			rule.ID, scheme, rule.Element, rule.Code, escape(rule.Text), escape(rule.Source),
		)
	}
}
