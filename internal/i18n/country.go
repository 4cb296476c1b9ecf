package i18n

import (
	"strings"
	"sync"

	"golang.org/x/text/collate"
	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
	"golang.org/x/text/message"
	"golang.org/x/text/number"
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

// DecimalSign is the decimal sign in the country of a reader of this language: that of the first accepted tag of the language with a
// country, else that of Switzerland (CLDR: a comma in fr-CH, a point in de-CH and it-CH).
func (l Language) DecimalSign(accept string) string {
	home := language.Make(string(l) + "-CH")
	if l == English { // en-CH inherits the comma of the continent, which no spreadsheet in Switzerland has
		home = language.English
	}
	tags, _, _ := language.ParseAcceptLanguage(accept) // none of a header that cannot be read
	for _, tag := range tags {
		base, _ := tag.Base()
		if region, sure := tag.Region(); base.String() == string(l) && sure == language.Exact && region.String() != "CH" {
			home = tag
			break
		}
	}
	return strings.Trim(message.NewPrinter(home).Sprint(number.Decimal(0.5)), "05")
}
