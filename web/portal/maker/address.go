package maker

import (
	"slices"
	"strings"
	"sync"

	"countersign/internal/account"
	"countersign/internal/rulebook"
	"countersign/views/ui"
	"countersign/web/portal/page"
)

// countries are the options of the address, by name.
var countries = sync.OnceValue(func() []ui.Option {
	options := []ui.Option{{Label: "Choose a country"}}
	for first := 'A'; first <= 'Z'; first++ {
		for second := 'A'; second <= 'Z'; second++ {
			code := string(first) + string(second)
			if account.CountryExists(code) {
				options = append(options, ui.Option{Value: code, Label: page.CountryName(code)})
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
