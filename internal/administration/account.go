package administration

import (
	"errors"
	"strings"

	"countersign/internal/account"
	"countersign/internal/rulebook"
)

// Account is a debtor account with its holder as the bank knows it.
type Account struct {
	IBAN           string
	Scheme         string
	Currency       string
	HolderName     string
	HolderStreet   string
	HolderBuilding string
	HolderPostcode string
	HolderTown     string
	HolderCountry  string
	AgentBIC       string
	AgentIID       string // "" outside Switzerland and Liechtenstein
	Receives       bool   // payments to the account come in for this realm
	Status         string
}

// Values are the fields of the account.
func (a Account) Values() Values {
	return Values{
		"iban": a.IBAN, "scheme": a.Scheme, "currency": a.Currency, "holderName": a.HolderName, "holderStreet": a.HolderStreet,
		"holderBuilding": a.HolderBuilding, "holderPostcode": a.HolderPostcode, "holderTown": a.HolderTown, "holderCountry": a.HolderCountry,
		"agentBic": a.AgentBIC, "agentIid": a.AgentIID, "receives": yes(a.Receives), "status": a.Status,
	}.Compact()
}

// currencies are those of the schemes.
var currencies = map[string]string{string(rulebook.SchemeSIC): "CHF", string(rulebook.SchemeSCT): "EUR"}

// AccountOf reads an account from its fields. A currency that is not given is the scheme's. Error: payment.FieldError.
func AccountOf(values Values, prefix string) (Account, error) {
	f := &findings{prefix: prefix}
	text := func(field string) string { return strings.TrimSpace(values[field]) }
	a := Account{
		IBAN: values["iban"], Scheme: values["scheme"], Currency: values["currency"], HolderName: text("holderName"),
		HolderStreet: text("holderStreet"), HolderBuilding: text("holderBuilding"), HolderPostcode: text("holderPostcode"),
		HolderTown: text("holderTown"), HolderCountry: values["holderCountry"], AgentBIC: values["agentBic"], AgentIID: values["agentIid"],
		Receives: f.yesNo("receives", values["receives"]), Status: values["status"],
	}
	f.bank(&a)
	// The lengths are those of the interbank documents that name the debtor (SPS 2025, PostalAddress24; Max70Text for the name).
	f.text("holderName", a.HolderName, 1, 70)
	f.text("holderStreet", a.HolderStreet, 0, 70)
	f.text("holderBuilding", a.HolderBuilding, 0, 16)
	f.text("holderPostcode", a.HolderPostcode, 0, 16)
	f.text("holderTown", a.HolderTown, 1, 35)
	if !account.CountryExists(a.HolderCountry) {
		f.add("holderCountry", codeFormat, "Give the holder's country by its two-letter code, such as CH.")
	}
	return a, f.err()
}

// bank checks what the bank says of an account, and writes it as it is stored.
func (f *findings) bank(a *Account) {
	iban, err := account.ParseInput(a.IBAN)
	f.account("iban", err)
	a.IBAN = iban.String()
	f.oneOf("scheme", a.Scheme, schemes()...)
	currency, known := currencies[a.Scheme]
	switch {
	case a.Scheme == "":
		f.add("scheme", codeMissing, "Choose the scheme: %s.", strings.Join(schemes(), ", "))
	case a.Currency == "":
		a.Currency = currency
	case known && a.Currency != currency:
		f.add("currency", codeUnknown, "An account of %s is held in %s.", a.Scheme, currency)
	}
	bic, err := account.ParseBIC(a.AgentBIC)
	f.account("agentBic", err)
	a.AgentBIC = bic.String()
	if a.AgentIID == "" {
		return
	}
	iid, err := account.ParseIID(a.AgentIID)
	f.account("agentIid", err)
	a.AgentIID = iid.Short()
}

// account adds what the rules of account numbers and bank codes say.
func (f *findings) account(field string, err error) {
	var refused *account.Error
	if errors.As(err, &refused) {
		f.add(field, refused.Code, "%s", refused.Text)
	}
}

func schemes() []string {
	var names []string
	for _, scheme := range rulebook.Schemes() {
		names = append(names, string(scheme))
	}
	return names
}
