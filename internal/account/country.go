package account

import (
	_ "embed"
	"strings"
	"sync"
	"time"
)

// countries are the officially assigned two-letter codes of ISO 3166-1, and XK, which ISO leaves to its users and payment systems use for
// Kosovo.
const countries = "AD AE AF AG AI AL AM AO AQ AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL BM BN BO BQ BR BS BT BV BW BY BZ " +
	"CA CC CD CF CG CH CI CK CL CM CN CO CR CU CV CW CX CY CZ DE DJ DK DM DO DZ EC EE EG EH ER ES ET FI FJ FK FM FO FR " +
	"GA GB GD GE GF GG GH GI GL GM GN GP GQ GR GS GT GU GW GY HK HM HN HR HT HU ID IE IL IM IN IO IQ IR IS IT JE JM JO JP " +
	"KE KG KH KI KM KN KP KR KW KY KZ LA LB LC LI LK LR LS LT LU LV LY MA MC MD ME MF MG MH MK ML MM MN MO MP MQ MR MS MT MU MV MW MX MY MZ " +
	"NA NC NE NF NG NI NL NO NP NR NU NZ OM PA PE PF PG PH PK PL PM PN PR PS PT PW PY QA RE RO RS RU RW " +
	"SA SB SC SD SE SG SH SI SJ SK SL SM SN SO SR SS ST SV SX SY SZ TC TD TF TG TH TJ TK TL TM TN TO TR TT TV TW TZ " +
	"UA UG UM US UY UZ VA VC VE VG VI VN VU WF WS XK YE YT ZA ZM ZW"

// CountryExists reports whether code is the two-letter code of a country.
func CountryExists(code string) bool {
	return len(code) == 2 && isCapital(code[0]) && isCapital(code[1]) && strings.Contains(countries, code)
}

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

// leiLength is the length of every LEI.
const leiLength = 20

// IsLEI reports whether a text is a legal entity identifier with right check digits (ISO 17442): 18 capital letters or digits and two
// digits, with the remainder 1 by MOD 97-10.
func IsLEI(text string) bool {
	return len(text) == leiLength && onlyDigitsAndCapitals(text) && allDigits(text[leiLength-2:]) && mod97(text) == 1
}
