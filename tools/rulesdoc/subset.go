package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"countersign/internal/rulebook"
)

// writeSubset lists the places of rule swiss-subset.
func writeSubset(page io.Writer) {
	places := slices.Clone(rulebook.SwissSubset())
	for at := range places {
		places[at] = strings.Replace(places[at], "PmtInf/CdtTrfTxInf/", "…/", 1)
	}
	fmt.Fprintf(page, `
### Elements that Swiss payment orders lack

Rule `+"`swiss-subset`"+` refuses these elements in sic-inst, with all below them; `+"`DbtrAgt/FinInstnId/Othr`"+` may be NOTPROVIDED.
`+"`…`"+` is `+"`PmtInf/CdtTrfTxInf`"+`. Elements below one that another rule refuses as a whole are not listed: %s.
`, joined(places))
}

// joined writes places as a list; neighbours in one parent share its path: A/{B,C}.
func joined(places []string) string {
	var list []string
	for at := 0; at < len(places); {
		parent := func(place string) string { return place[:strings.LastIndex(place, "/")+1] }
		end := at + 1
		for end < len(places) && parent(places[end]) == parent(places[at]) && parent(places[at]) != "" {
			end++
		}
		text := places[at]
		if end > at+1 {
			var names []string
			for _, place := range places[at:end] {
				names = append(names, place[len(parent(place)):])
			}
			text = parent(places[at]) + "{" + strings.Join(names, ",") + "}"
		}
		list = append(list, "`"+text+"`")
		at = end
	}
	return strings.Join(list, ", ")
}
