package page

import (
	"slices"
	"strings"
	"sync"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"countersign/internal/account"
	text "countersign/internal/language"
	"countersign/views/ui"
)

// CountryName is the English name of a country, or its code when the country is unknown.
func CountryName(code string) string {
	region, err := language.ParseRegion(code)
	if err != nil {
		return code
	}
	return display.English.Regions().Name(region)
}

// Countries are the options of an address, by name; the first one chooses none.
var Countries = sync.OnceValue(func() []ui.Option {
	options := []ui.Option{{Label: "Choose a country"}}
	for first := 'A'; first <= 'Z'; first++ {
		for second := 'A'; second <= 'Z'; second++ {
			code := string(first) + string(second)
			if account.CountryExists(code) {
				options = append(options, ui.Option{Value: code, Label: text.Data(CountryName(code))})
			}
		}
	}
	slices.SortStableFunc(options[1:], func(a, b ui.Option) int { return strings.Compare(string(a.Label), string(b.Label)) })
	return options
})
