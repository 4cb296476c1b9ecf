package administration

import (
	"cmp"
	"strings"
	"time"

	"countersign/internal/account"
	"countersign/internal/charset"
	"countersign/internal/identity"
)

// Beneficiary is a creditor that two people of payments agreed on: a maker picks it and types neither name nor account.
type Beneficiary struct {
	ID             string `field:"beneficiaryId"`
	Name           string `field:"creditorName"` // 1 to 140 characters
	IBAN           string `field:"creditorIban"` // without spaces
	Street         string `field:"street"`
	BuildingNumber string `field:"buildingNumber"`
	AddressLine1   string `field:"addressLine1"`
	AddressLine2   string `field:"addressLine2"`
	Postcode       string `field:"postcode"`
	Town           string `field:"town"`
	Country        string `field:"country"` // two letters; "" without an address
	Status         string `field:"status"`  // StatusInForce or StatusRemoved
	AddedAt        time.Time
	// AccountChangedAt is when its account became another one, EarlierIBAN the account before; zero while it never did.
	AccountChangedAt time.Time
	EarlierIBAN      string
}

// StatusRemoved is the status of a removed beneficiary.
const StatusRemoved = "removed"

// beneficiaryFields are the fields of a beneficiary that may change, under the names of the payment form.
var beneficiaryFields = []string{
	"creditorName", "creditorIban", "street", "buildingNumber", "addressLine1", "addressLine2", "postcode", "town", "country",
}

// The kinds of changes of beneficiaries.
const (
	KindBeneficiaryCreate Kind = "beneficiary.create"
	KindBeneficiaryUpdate Kind = "beneficiary.update"
	KindBeneficiaryRemove Kind = "beneficiary.remove"
)

// The lengths are those of the payment order (SPS 2025, PostalAddress24; Max140Text for the name, of which SEPA takes 70).
var beneficiaryNoun = Noun{
	Name: "beneficiary", Key: "beneficiaryId", Maker: identity.RoleMaker, Checker: identity.RoleChecker,
	Fields: []Field{
		{Key: "creditorName", Label: "Name", Min: 1, Max: 140, Required: true},
		{Key: "creditorIban", Label: "IBAN", Type: TypeIBAN, Required: true},
		{Key: "street", Label: "Street", Max: 70},
		{Key: "buildingNumber", Label: "Building number", Max: 16},
		{Key: "addressLine1", Label: "First address line", Max: 70},
		{Key: "addressLine2", Label: "Second address line", Max: 70},
		{Key: "postcode", Label: "Postcode", Max: 16},
		{Key: "town", Label: "Town", Max: 35, Hint: "Required if you enter an address", Required: true},
		{Key: "country", Label: "Country", Type: TypeCountry},
		statusField,
		{Key: "beneficiaryId", Label: "Beneficiary", Hidden: true},
	},
	Actions: []Action{
		{Kind: KindBeneficiaryCreate, Fields: beneficiaryFields, Clears: beneficiaryFields},
		{Kind: KindBeneficiaryUpdate, Fields: beneficiaryFields, Clears: beneficiaryFields, Filled: true},
		{Kind: KindBeneficiaryRemove, Status: StatusRemoved},
	},
}

// Values are the fields of the beneficiary.
func (b Beneficiary) Values() Values { return ValuesOf(b) }

// BeneficiaryOf reads a beneficiary from its fields. Typographic characters are written plainly. Error: iso20022.FieldError.
func BeneficiaryOf(values Values, prefix string) (Beneficiary, error) {
	f, b := &findings{prefix: prefix}, Beneficiary{}
	plain := Values{}
	for key, text := range values {
		plain[key] = charset.PlainTypography(strings.TrimSpace(text))
	}
	Fill(&b, plain)
	b.Status = cmp.Or(b.Status, StatusInForce)
	f.check(&beneficiaryNoun, plain)
	for _, field := range beneficiaryNoun.Fields {
		refused, _, found := charset.SwissLatin.FirstRefused(plain[field.Key])
		if found && refused >= ' ' && field.Max > 0 {
			f.add(field.Key, codeFormat, "Enter %s without the character “%s”. Banks cannot transmit this "+
				"character.", label(field.Key), string(refused))
		}
	}
	iban, err := account.ParseInput(values["creditorIban"])
	f.account("creditorIban", err)
	b.IBAN = iban.String()
	f.address(b)
	return b, f.err()
}

// address checks the parts of an address together (SPS 3.11): either fields or lines, the latter with a town and a country.
func (f *findings) address(b Beneficiary) {
	lines := b.AddressLine1 + b.AddressLine2
	if b.Street+b.BuildingNumber+lines+b.Postcode+b.Town == "" {
		return
	}
	if lines != "" && b.Street+b.BuildingNumber != "" {
		f.add("addressLine1", codeFormat, "Enter the street either in its own fields or in the address lines, not in both.")
	}
	if b.Town == "" {
		f.add("town", codeMissing, "Enter the town of the address.")
	}
	if !account.CountryExists(b.Country) {
		f.add("country", codeMissing, "Choose the country of the address.")
	}
}

// BeneficiaryAccount are the facts about the account of a beneficiary.
type BeneficiaryAccount struct{ Taken bool } // by another beneficiary

// afterBeneficiary returns a beneficiary with the change applied.
func (r Request) afterBeneficiary(known Facts) (Values, error) {
	f := &findings{prefix: valuesPrefix}
	b, err := BeneficiaryOf(r.Values, valuesPrefix)
	f.join(err)
	if known.Own == (BeneficiaryAccount{Taken: true}) {
		f.add("creditorIban", "AM05", "Another beneficiary already has this IBAN. Change that beneficiary, or enter another IBAN.")
	}
	b.ID = cmp.Or(known.Before["beneficiaryId"], r.ID.String())
	return b.Values(), f.err()
}
