package administration

import (
	"slices"
	"time"

	"countersign/internal/account"
	"countersign/internal/rulebook"
)

// Check tells what of an account that is to be debited cannot be: the scheme carries no payment from there, a QR-IBAN takes payments in and
// none out (SPS 2025, 3.16), or the bank is not the one that the IBAN names. Accounts that are there are not held to it before they change.
// Error: payment.FieldError; prefix leads the pointers of its findings.
func (a Account) Check(prefix string) error {
	f := &findings{prefix: prefix}
	iban, err := account.Parse(a.IBAN)
	if err != nil {
		return nil // AccountOf told it
	}
	switch rulebook.Scheme(a.Scheme) {
	case rulebook.SchemeSIC:
		if !iban.InSwissClearing() {
			f.add("iban", codeFormat, "Name an account in Switzerland or Liechtenstein: %s debits no other.", a.Scheme)
		}
	case rulebook.SchemeSCT:
		// Whatever the day: an account may be entered before its country takes part.
		if !account.InSEPA(iban.Country(), time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)) {
			f.add("iban", codeFormat, "Name an account in a country of SEPA: %s debits no other.", a.Scheme)
		}
	}
	if iban.IsQR() {
		f.add("iban", codeFormat, "Name the IBAN of the account itself: this is a QR-IBAN, which takes payments in and none out.")
	}
	f.keeps(iban, a)
	return f.err()
}

// CheckBank is Check of what can change of an account: which bank keeps it. Error: payment.FieldError.
func (a Account) CheckBank(prefix string) error {
	f := &findings{prefix: prefix}
	iban, err := account.Parse(a.IBAN)
	if err == nil {
		f.keeps(iban, a)
	}
	return f.err()
}

// keeps checks that the bank is the one of the IBAN: its number stands in a Swiss one, its country in each.
func (f *findings) keeps(iban account.IBAN, a Account) {
	bic, err := account.ParseBIC(a.AgentBIC)
	if err == nil && bic.Country() != iban.Country() && !slices.Contains(territories[iban.Country()], bic.Country()) {
		f.add("agentBic", codeFormat, "Enter the BIC of the bank that keeps the account: this one is of %s, the IBAN of %s.",
			bic.Country(), iban.Country())
	}
	if a.AgentIID == "" {
		return
	}
	iid, swiss := iban.IID()
	switch {
	case !swiss:
		f.add("agentIid", codeFormat, "Leave %s out: banks of Switzerland and Liechtenstein alone have one.", label("agentIid"))
	case iid.Short() != a.AgentIID:
		f.add("agentIid", codeFormat, "Enter %s that stands in the IBAN, which is %s, or leave it out.", label("agentIid"), iid.Short())
	}
}

// territories have codes of their own in BICs, and the IBANs of another country (IBAN registry, "country code includes").
var territories = map[string][]string{
	"FI": {"AX"}, "FR": {"BL", "GF", "GP", "MF", "MQ", "NC", "PF", "PM", "RE", "TF", "WF", "YT"}, "GB": {"GG", "IM", "JE"},
}
