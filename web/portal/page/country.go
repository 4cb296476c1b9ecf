package page

import (
	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
)

// CountryName is the English name of a country, or its code when the country is unknown.
func CountryName(code string) string {
	region, err := language.ParseRegion(code)
	if err != nil {
		return code
	}
	return display.English.Regions().Name(region)
}
