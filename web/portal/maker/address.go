package maker

import "countersign/internal/rulebook"

// homeCountry is the country a new form offers: most Swiss instant payments stay there.
func homeCountry(scheme rulebook.Scheme) string {
	if scheme == rulebook.SchemeSIC {
		return "CH"
	}
	return ""
}
