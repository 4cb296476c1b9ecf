package i18n

import (
	"sync"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
)

// Country is the name of a country, known by its code of two letters.
func Country(code string) Text { return Text(regionMark + code) }

// names are the names of countries in each language.
var names = sync.OnceValue(func() map[Language]display.Namer {
	all := map[Language]display.Namer{}
	for _, l := range Languages() {
		all[l] = display.Regions(language.Make(string(l)))
	}
	return all
})

// country is the name of a country, or its code when the country is unknown.
func (l Language) country(code string) string {
	if l == program {
		l = English
	}
	region, err := language.ParseRegion(code)
	if err != nil || names()[l] == nil {
		return code
	}
	return names()[l].Name(region)
}

// Less is the order in which this language sorts words: é stands with e, ö with o.
func (l Language) Less() func(a, b string) int {
	return collate.New(language.Make(string(l))).CompareString
}
