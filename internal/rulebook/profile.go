package rulebook

import (
	"countersign/internal/charset"
	"countersign/internal/money"
)

// Profile holds the differences between the schemes as plain data.
type Profile struct {
	// Currency is the only currency of the scheme.
	Currency money.Currency
	// NameLength is the most characters a party's name may have.
	NameLength int
	// ServiceLevel is the code SvcLvl/Cd must have; empty where none is asked for.
	ServiceLevel string
	// ClearingSystem is the code of ClrSys in interbank messages (ExternalCashClearingSystem1); empty where the scheme has none.
	ClearingSystem string
	// Interbank is the character set every bank of the scheme takes. Users may enter the Swiss Latin set in both schemes; what goes beyond
	// Interbank is transliterated before sending.
	Interbank charset.Set
	// ForwardUETR puts the UETR into interbank messages.
	ForwardUETR bool
}

// Profile is the data of the scheme; false for a scheme that does not exist.
func (s Scheme) Profile() (Profile, bool) {
	switch s {
	case SchemeSIC:
		return Profile{
			Currency: money.CHF, NameLength: 140, ClearingSystem: "SIP", Interbank: charset.SwissLatin, ForwardUETR: true,
		}, true
	case SchemeSCT:
		return Profile{
			Currency: money.EUR, NameLength: 70, ServiceLevel: "SEPA", Interbank: charset.EPCBasic,
		}, true
	default:
		return Profile{}, false
	}
}

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
