package account

import (
	_ "embed"
	"strings"
	"sync"
	"time"
)

//go:embed data/sepa.tsv
var sepaTable string

// InSEPA reports whether SEPA instant payments can reach accounts of the country on the day.
func InSEPA(country string, day time.Time) bool {
	from, found := sepaCountries()[country]
	return found && from <= day.Format(time.DateOnly)
}

// sepaCountries is the first day ("2008-01-28") by country. Days written this way sort as text.
var sepaCountries = sync.OnceValue(func() map[string]string {
	list := map[string]string{}
	for line := range tableLines(sepaTable) {
		country, from, _ := strings.Cut(line, "\t")
		list[country] = from
	}
	return list
})
