package main

import (
	"fmt"
	"io"

	"countersign/internal/rulebook"
)

// writeSubset lists the places of rule swiss-subset.
func writeSubset(page io.Writer) {
	fmt.Fprint(page, "\n### Places that Swiss payment orders have not\n\nRule `swiss-subset` refuses these in sic-inst, with all below them; "+
		"`DbtrAgt/FinInstnId/Othr` may say NOTPROVIDED. Places below\nan element that another rule refuses whole are not listed.\n\n")
	for _, place := range rulebook.SwissSubset() {
		fmt.Fprintf(page, "- `%s`\n", place)
	}
}
