package portal

import (
	"slices"
	"strings"
	"sync"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"countersign/internal/account"
	"countersign/internal/rulebook"
	"countersign/views/ui"
)

// countryName is the English name of a country, or its code when the country is unknown.
func countryName(code string) string {
	region, err := language.ParseRegion(code)
	if err != nil {
		return code
	}
	return display.English.Regions().Name(region)
}

// countries are the options of the address, by name.
var countries = sync.OnceValue(func() []ui.Option {
	options := []ui.Option{{Label: "Choose a country"}}
	for first := 'A'; first <= 'Z'; first++ {
		for second := 'A'; second <= 'Z'; second++ {
			code := string(first) + string(second)
			if account.CountryExists(code) {
				options = append(options, ui.Option{Value: code, Label: countryName(code)})
			}
		}
	}
	slices.SortStableFunc(options[1:], func(a, b ui.Option) int { return strings.Compare(a.Label, b.Label) })
	return options
})

// homeCountry is the country a new form offers: most Swiss instant payments stay there.
func homeCountry(scheme rulebook.Scheme) string {
	if scheme == rulebook.SchemeSIC {
		return "CH"
	}
	return ""
}
