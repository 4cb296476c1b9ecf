package administration

import (
	"errors"
	"slices"
	"strings"
	"time"

	"countersign/internal/account"
	"countersign/internal/rulebook"
)

// Account is a debtor account with its holder as the bank knows it.
type Account struct {
	IBAN           string `field:"iban"`
	Scheme         string `field:"scheme"`
	Currency       string `field:"currency"`
	HolderName     string `field:"holderName"`
	HolderStreet   string `field:"holderStreet"`
	HolderBuilding string `field:"holderBuilding"`
	HolderPostcode string `field:"holderPostcode"`
	HolderTown     string `field:"holderTown"`
	HolderCountry  string `field:"holderCountry"`
	AgentBIC       string `field:"agentBic"`
	AgentIID       string `field:"agentIid"` // "" outside Switzerland and Liechtenstein
	Receives       bool   `field:"receives"` // payments to the account come in for this realm
	QRIBAN         string `field:"qrIban"`   // payments with a QR reference come in for the account by this number too; "" for none
	Status         string `field:"status"`
}

// The kinds of changes of accounts.
const (
	KindAccountCreate Kind = "account.create"
	KindAccountUpdate Kind = "account.update"
	KindAccountClose  Kind = "account.close"
)

// accountFields are the fields of an account that may change.
var accountFields = []string{
	"holderName", "holderStreet", "holderBuilding", "holderPostcode", "holderTown", "holderCountry", "agentBic", "agentIid",
}

// The lengths are those of the interbank documents that name the debtor (SPS 2025, PostalAddress24; Max70Text for the name).
var accountNoun = Noun{
	Name: "account", Plural: "accounts", Key: "iban",
	Fields: []Field{
		{Key: "iban", Label: "IBAN", Type: TypeIBAN, Hint: "With or without spaces", Required: true},
		{Key: "scheme", Label: "Scheme", Options: schemes},
		{Key: "currency", Label: "Currency"},
		{Key: "receives", Label: "Receipt of payments", Type: TypeYesNo},
		{Key: "qrIban", Label: "QR-IBAN", Type: TypeIBAN, Hint: "For payments with a QR reference. The QR-IBAN cannot be changed later"},
		{Key: "holderName", Label: "Holder's name", Min: 1, Max: 70, Required: true},
		{Key: "holderStreet", Label: "Holder's street", Max: 70},
		{Key: "holderBuilding", Label: "Holder's building number", Max: 16},
		{Key: "holderPostcode", Label: "Holder's postcode", Max: 16},
		{Key: "holderTown", Label: "Holder's town", Min: 1, Max: 35, Required: true},
		{Key: "holderCountry", Label: "Holder's country", Type: TypeCountry, Hint: "Two-letter country code, such as CH", Required: true},
		{Key: "agentBic", Label: "BIC of the bank that holds the account", Type: TypeBIC, Required: true},
		{Key: "agentIid", Label: "Bank code (IID)"},
		statusField,
	},
	Actions: []Action{
		{
			Kind: KindAccountCreate, Fields: append([]string{"iban", "scheme", "currency", "receives", "qrIban"}, accountFields...),
			Label: "New debtor account", Heading: "Add a debtor account", Words: "Once the account is approved, payments can be made from it.",
		},
		{
			Kind: KindAccountUpdate, Fields: append([]string{"qrIban"}, accountFields...),
			Clears: append([]string{"qrIban"}, accountFields...), Filled: true,
			Label: "Change", Heading: "Change the account %s", Words: "Payments show the account holder's details as entered in this form.",
		},
		{
			Kind: KindAccountClose, Status: StatusClosed,
			Label: "Close", Heading: "Close the account %s", Words: "The account can never be used for payments again.",
		},
	},
}

// Values are the fields of the account.
func (a Account) Values() Values { return ValuesOf(a) }

// PaidBy lists the numbers that payments to the account come in by: its IBAN and its QR-IBAN.
func (a Account) PaidBy() []string {
	switch {
	case !a.Receives:
		return nil
	case a.QRIBAN == "":
		return []string{a.IBAN}
	}
	return []string{a.IBAN, a.QRIBAN}
}

// currencies maps the schemes to their currencies.
var currencies = map[string]string{string(rulebook.SchemeSIC): "CHF", string(rulebook.SchemeSCT): "EUR"}

// AccountOf reads an account from its fields. A currency that is not given is the scheme's. Error: iso20022.FieldError.
func AccountOf(values Values, prefix string) (Account, error) {
	f, a := &findings{prefix: prefix}, Account{}
	Fill(&a, values)
	f.bank(&a)
	f.check(&accountNoun, values)
	if !account.CountryExists(a.HolderCountry) {
		f.add("holderCountry", codeFormat, "Enter the holder's country as a two-letter code, such as CH.")
	}
	return a, f.err()
}

// bank checks the bank of an account and returns it in the stored form.
func (f *findings) bank(a *Account) {
	iban, err := account.ParseInput(a.IBAN)
	f.account("iban", err)
	a.IBAN = iban.String()
	currency, known := currencies[a.Scheme]
	switch {
	case a.Scheme == "":
		f.add("scheme", codeMissing, "Choose the scheme: %s.", strings.Join(schemes, ", "))
	case a.Currency == "":
		a.Currency = currency
	case known && a.Currency != currency:
		f.add("currency", codeUnknown, "Accounts for %s payments must be held in %s.", a.Scheme, currency)
	}
	f.qrIBAN(a, iban)
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

// qrIBAN checks the QR-IBAN of an account and converts it to its stored form.
func (f *findings) qrIBAN(a *Account, of account.IBAN) {
	if a.QRIBAN == "" {
		return
	}
	qr, err := account.ParseInput(a.QRIBAN)
	f.account("qrIban", err)
	a.QRIBAN = qr.String()
	switch {
	case err != nil:
	case !qr.IsQR():
		f.add("qrIban", codeFormat, "Enter a QR-IBAN. The bank number in a QR-IBAN is between 30000 and 31999.")
	case !of.InSwissClearing():
		f.add("qrIban", codeFormat, "Leave the QR-IBAN empty. Only accounts in Switzerland and Liechtenstein have a QR-IBAN.")
	case !a.Receives:
		f.add("qrIban", codeFormat, "Leave the QR-IBAN empty. The realm receives no payments for this account.")
	}
}

// account adds the findings of the rules for account numbers and bank codes.
func (f *findings) account(field string, err error) {
	var refused *account.Error
	if errors.As(err, &refused) {
		f.add(field, refused.Code, refused.Text)
	}
}

// schemes are the schemes of accounts and policies.
var schemes = func() []string {
	var names []string
	for _, scheme := range rulebook.Schemes() {
		names = append(names, string(scheme))
	}
	return names
}()

// AccountNumbers are the facts about the numbers of an account.
type AccountNumbers struct {
	ReceivedElsewhere bool // another realm receives payments for the account
	QRTaken           bool // payments to the QR-IBAN come in for another account, or another realm
}

func (r Request) afterAccount(known Facts) (Values, error) {
	numbers, _ := known.Own.(AccountNumbers)
	f := &findings{prefix: valuesPrefix}
	values := known.Before.with(nil)
	if r.Kind == KindAccountCreate {
		values = Values{}
		if known.Found {
			f.add("iban", "AM05", "Enter another IBAN. The realm already has an account with this IBAN.")
		}
		if numbers.ReceivedElsewhere && r.Values["receives"] == Yes {
			f.add("receives", codeFormat, "Choose “No” for “Receipt of payments”. Another realm already receives the payments for this account.")
		}
	} else if values["status"] == StatusClosed {
		return nil, refuse("/subject", codeFormat, "Choose an open account. The account you chose is permanently closed.")
	}
	for name, text := range r.Values {
		values[name] = text
	}
	a, err := AccountOf(values.Compact(), valuesPrefix)
	f.join(err)
	switch kept := known.Before["qrIban"]; {
	case r.Kind == KindAccountUpdate && kept != "" && a.QRIBAN != kept:
		f.add("qrIban", codeFormat, "Leave the QR-IBAN as it is. The QR-IBAN of an account cannot be changed.")
	case numbers.QRTaken:
		f.add("qrIban", "AM05", "Enter another QR-IBAN. This QR-IBAN already belongs to another account.")
	}
	check := a.CheckBank
	if r.Kind == KindAccountCreate {
		check = a.Check
	}
	f.join(check(valuesPrefix))
	a.Status = StatusOpen
	return a.Values(), f.err()
}

// Check refuses a debtor account from which the scheme carries no payment, a QR-IBAN (it only receives: SPS 2025, 3.16), and a bank other
// than the one that the IBAN names. Existing accounts are checked only when they change. Error: iso20022.FieldError; prefix precedes the
// pointers of its findings.
func (a Account) Check(prefix string) error {
	f := &findings{prefix: prefix}
	iban, err := account.Parse(a.IBAN)
	if err != nil {
		return nil // AccountOf told it
	}
	switch rulebook.Scheme(a.Scheme) {
	case rulebook.SchemeSIC:
		if !iban.InSwissClearing() {
			f.add("iban", codeFormat, "Enter an account in Switzerland or Liechtenstein, because %s cannot debit accounts in other "+
				"countries.", a.Scheme)
		}
	case rulebook.SchemeSCT:
		// Whatever the day: an account may be entered before its country takes part.
		if !account.InSEPA(iban.Country(), time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)) {
			f.add("iban", codeFormat, "Enter an account in a SEPA country, because %s cannot debit accounts in other countries.", a.Scheme)
		}
	}
	if iban.IsQR() {
		f.add("iban", codeFormat, "Enter the IBAN of the account instead of its QR-IBAN. A QR-IBAN can only receive payments.")
	}
	f.keeps(iban, a)
	return f.err()
}

// CheckBank checks the part of an account that can change: its bank. Error: iso20022.FieldError.
func (a Account) CheckBank(prefix string) error {
	f := &findings{prefix: prefix}
	iban, err := account.Parse(a.IBAN)
	if err == nil {
		f.keeps(iban, a)
	}
	return f.err()
}

// keeps checks that the bank is the one of the IBAN: a Swiss IBAN has its number, every IBAN its country.
func (f *findings) keeps(iban account.IBAN, a Account) {
	bic, err := account.ParseBIC(a.AgentBIC)
	if err == nil && bic.Country() != iban.Country() && !slices.Contains(territories[iban.Country()], bic.Country()) {
		f.add("agentBic", codeFormat, "Enter the BIC of the bank that holds the account. The BIC you entered is from %s, but the IBAN is from "+
			"%s.",
			bic.Country(), iban.Country())
	}
	if a.AgentIID == "" {
		return
	}
	iid, swiss := iban.IID()
	switch {
	case !swiss:
		f.add("agentIid", codeFormat, "Leave %s empty. Only banks in Switzerland and Liechtenstein have an IID.", label("agentIid"))
	case iid.Short() != a.AgentIID:
		f.add("agentIid", codeFormat, "Enter %s as in the IBAN (%s), or leave the field empty.", label("agentIid"), iid.Short())
	}
}

// territories have codes of their own in BICs, and the IBANs of another country (IBAN registry, "country code includes").
var territories = map[string][]string{
	"FI": {"AX"}, "FR": {"BL", "GF", "GP", "MF", "MQ", "NC", "PF", "PM", "RE", "TF", "WF", "YT"}, "GB": {"GG", "IM", "JE"},
}
