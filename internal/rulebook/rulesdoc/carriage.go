package main

import (
	"fmt"
	"io"

	"countersign/internal/interbank"
	"countersign/internal/rulebook"
)

// writeCarriage writes what becomes of each element of an order in each scheme.
func writeCarriage(page io.Writer) {
	fmt.Fprint(page, `
## From the order to the interbank document

What becomes of each element of a payment order (pain.001) on its way into the pacs.008. A row speaks of all below its element, save for
what has a row of its own; elements that no row names are refused by the rules above. Texts are written in the characters of the scheme,
identifiers never changed. What is not forwarded is told on the check page of the portal, in `+"`notes`"+` of the JSON answer and by
`+"`countersign validate`"+`; nothing of an order is lost without a word. `+"`{header}`"+` is the header or the transaction of the pacs.008.
An order in pain.001.001.03 first becomes one in pain.001.001.09, and what has no place there is refused.
`)
	for _, scheme := range rulebook.Schemes() {
		fmt.Fprintf(page, "\n### %s\n\n| pain.001 | pacs.008 | How |\n|---|---|---|\n", scheme)
		for _, row := range interbank.Rows(scheme) {
			to := string(row.Fate)
			if row.Fate == interbank.Carried {
				to = "`" + row.To + "`"
			}
			if row.Fate == interbank.Refused {
				to = "refused: `" + rulebook.RuleNotForwarded + "`"
			}
			fmt.Fprintf(page, "| `%s` | %s | %s |\n", row.Place, to, escape(row.How()))
		}
	}
}
