package main

import (
	"fmt"
	"io"
	"strings"

	"countersign/internal/rulebook"
)

// writeSubset lists the places of rule swiss-subset.
func writeSubset(page io.Writer) {
	fmt.Fprintf(page,
		"\n### Elements that Swiss payment orders lack\n\nRule `swiss-subset` refuses these elements in sic-inst, with all below them; "+
			"`DbtrAgt/FinInstnId/Othr` may be NOTPROVIDED. `…`\nstands for `PmtInf/CdtTrfTxInf`. Elements below one that another rule refuses as a whole are "+
			"not listed: `%s`.\n", strings.ReplaceAll(strings.Join(rulebook.SwissSubset(), "`, `"), "PmtInf/CdtTrfTxInf/", "…/"))
}
