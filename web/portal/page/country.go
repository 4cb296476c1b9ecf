package page

import (
	"slices"
	"sync"

	"countersign/internal/account"
	"countersign/internal/language"
	"countersign/views/ui"
)

// Countries are the options of an address in a language, by name; the first one chooses none.
func Countries(in language.Language) []ui.Option { return countries()[in] }

var countries = sync.OnceValue(func() map[language.Language][]ui.Option {
	all := map[language.Language][]ui.Option{}
	for _, in := range language.Languages() {
		options := []ui.Option{{Label: "Choose a country"}}
		for first := 'A'; first <= 'Z'; first++ {
			for second := 'A'; second <= 'Z'; second++ {
				code := string(first) + string(second)
				if account.CountryExists(code) {
					options = append(options, ui.Option{Value: code, Label: language.Country(code)})
				}
			}
		}
		compare := in.Less()
		slices.SortStableFunc(options[1:], func(a, b ui.Option) int { return compare(in.Say(a.Label), in.Say(b.Label)) })
		all[in] = options
	}
	return all
})
