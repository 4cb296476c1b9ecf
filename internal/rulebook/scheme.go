package rulebook

// Scheme is one of the two instant payment schemes, spelled as in the wire contract.
type Scheme string

// The schemes.
const (
	SchemeSIC Scheme = "sic-inst" // Swiss instant payments, CHF
	SchemeSCT Scheme = "sct-inst" // SEPA instant credit transfer, EUR
)

// Schemes returns both schemes.
func Schemes() []Scheme {
	return []Scheme{SchemeSIC, SchemeSCT}
}
