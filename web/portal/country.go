package portal

import (
	"slices"
	"sync"

	"countersign/internal/account"
	"countersign/internal/i18n"
	"countersign/views/ui"
)

// Countries returns the country options of an address in a language, by name; the first option is no country.
func Countries(in i18n.Language) []ui.Option { return countries()[in] }

var countries = sync.OnceValue(func() map[i18n.Language][]ui.Option {
	all := map[i18n.Language][]ui.Option{}
	for _, in := range i18n.Languages() {
		options := []ui.Option{{Label: "Choose a country"}}
		for first := 'A'; first <= 'Z'; first++ {
			for second := 'A'; second <= 'Z'; second++ {
				code := string(first) + string(second)
				if account.CountryExists(code) {
					options = append(options, ui.Option{Value: code, Label: i18n.Country(code)})
				}
			}
		}
		compare := in.Less()
		slices.SortStableFunc(options[1:], func(a, b ui.Option) int { return compare(in.Say(a.Label), in.Say(b.Label)) })
		all[in] = options
	}
	return all
})
