package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"countersign/internal/interbank"
	"countersign/internal/rulebook"
)

// fate is the treatment that several elements of an order share in one scheme or in both.
type fate struct {
	fate     interbank.Fate
	scheme   string
	how      string
	elements []string
}

// writeCarriage writes the treatment of each element of an order.
func writeCarriage(page io.Writer) {
	fmt.Fprint(page, `
## From the order to the interbank document

A row covers the elements below its own; an element without a row is refused (`+"`"+rulebook.RuleNotForwarded+"`"+`). Texts are written in the
characters of the scheme; identifiers stay. The check page, `+"`notes`"+` and `+"`countersign validate`"+` list elements that are not forwarded.
`+"`{header}`"+` is the header or the transaction of the pacs.008; `+"`…`"+` is `+"`PmtInf/CdtTrfTxInf`"+` in the order and
`+"`CdtTrfTxInf`"+` in the pacs.008. A pain.001.001.03 is first converted to pain.001.001.09; elements without a place there are refused. In SEPA an e-mail address (`+"`Prxy/Id`"+`) and a link (`+"`ElctrncAdr`"+`) may have any ASCII character; a creditor reference (SCOR)
whose issuer is not ISO is sent unchecked, with a note if its check digits are wrong. Where ä, ö, ü and ß would make a text too long, one
letter stands for each. The portal writes typographic signs and decomposed letters plainly; JSON and the command line refuse them. An empty
cell repeats the one above.

| Treatment | Scheme | Elements | Explanation |
|---|---|---|---|
`)
	var above fate
	for _, row := range fates() {
		treatment, scheme := string(row.fate), row.scheme
		if row.fate == above.fate {
			treatment = ""
			if row.scheme == above.scheme {
				scheme = ""
			}
		}
		above = row
		fmt.Fprintf(page, "| %s | %s | %s | %s |\n", treatment, scheme, joined(row.elements), escape(row.how))
	}
}

// fates groups the elements by treatment, scheme and explanation, in the order of the message.
func fates() []fate {
	both := make(map[string]string)
	var rows []interbank.Row
	for _, scheme := range rulebook.Schemes() {
		for _, row := range interbank.Rows(scheme) {
			key := entry(row) + row.How()
			if both[key] != "" {
				both[key] = "both"
				continue
			}
			both[key] = string(scheme)
			rows = append(rows, row)
		}
	}
	var grouped []fate
	for _, row := range rows {
		one := fate{row.Fate, both[entry(row)+row.How()], row.How(), nil}
		at := slices.IndexFunc(grouped, func(f fate) bool { return f.fate == one.fate && f.scheme == one.scheme && f.how == one.how })
		if at < 0 {
			grouped, at = append(grouped, one), len(grouped)
		}
		grouped[at].elements = append(grouped[at].elements, entry(row))
	}
	order := []interbank.Fate{interbank.Carried, interbank.Kept, interbank.NotForwarded, interbank.Refused}
	slices.SortStableFunc(grouped, func(a, b fate) int { return slices.Index(order, a.fate) - slices.Index(order, b.fate) })
	return grouped
}

// entry names an element of the order and, when it is carried to another path, its path in the pacs.008.
func entry(row interbank.Row) string {
	from := strings.Replace(row.Place, "PmtInf/CdtTrfTxInf/", "…/", 1)
	to := strings.Replace(row.To, "CdtTrfTxInf/", "…/", 1)
	if row.Fate != interbank.Carried || from == to {
		return from
	}
	return from + "` → `" + to
}
