package administration

import (
	"cmp"
	"strings"
	"time"

	"countersign/internal/account"
	"countersign/internal/charset"
)

const nounBeneficiary = "beneficiary"

// Beneficiary is a creditor that two people of payments agreed on: whoever pays it picks it and types neither name nor account.
type Beneficiary struct {
	ID             string
	Name           string // 1 to 140 characters
	IBAN           string // without spaces
	Street         string
	BuildingNumber string
	AddressLine1   string
	AddressLine2   string
	Postcode       string
	Town           string
	Country        string // two letters; "" without an address
	Status         string // StatusInForce or StatusRemoved
	AddedAt        time.Time
	// AccountChangedAt is when its account became another one, EarlierIBAN the account before; zero while it never did.
	AccountChangedAt time.Time
	EarlierIBAN      string
}

// StatusRemoved is that of a beneficiary nobody picks any more.
const StatusRemoved = "removed"

// beneficiaryFields are those of a beneficiary that may change, under the names of the payment form.
var beneficiaryFields = []string{
	"creditorName", "creditorIban", "street", "buildingNumber", "addressLine1", "addressLine2", "postcode", "town", "country",
}

// Values are the fields of the beneficiary.
func (b Beneficiary) Values() Values {
	return Values{
		"beneficiaryId": b.ID, "creditorName": b.Name, "creditorIban": b.IBAN, "street": b.Street, "buildingNumber": b.BuildingNumber,
		"addressLine1": b.AddressLine1, "addressLine2": b.AddressLine2, "postcode": b.Postcode, "town": b.Town, "country": b.Country,
		"status": b.Status,
	}.Compact()
}

// BeneficiaryOf reads a beneficiary from its fields. Typographic characters are written plainly. Error: payment.FieldError.
func BeneficiaryOf(values Values, prefix string) (Beneficiary, error) {
	f := &findings{prefix: prefix}
	text := func(field string, least, most int) string {
		plain := charset.PlainTypography(strings.TrimSpace(values[field]))
		f.text(field, plain, least, most)
		if refused, _, found := charset.SwissLatin.FirstRefused(plain); found && refused >= ' ' {
			f.add(field, codeFormat, "Write %s without the character “%c”: banks cannot carry it.", label(field), refused)
		}
		return plain
	}
	// The lengths are those of the payment order (SPS 2025, PostalAddress24; Max140Text for the name, of which SEPA takes 70).
	b := Beneficiary{
		ID: values["beneficiaryId"], Name: text("creditorName", 1, 140), Street: text("street", 0, 70),
		BuildingNumber: text("buildingNumber", 0, 16), AddressLine1: text("addressLine1", 0, 70), AddressLine2: text("addressLine2", 0, 70),
		Postcode: text("postcode", 0, 16), Town: text("town", 0, 35), Country: strings.TrimSpace(values["country"]),
		Status: cmp.Or(values["status"], StatusInForce),
	}
	iban, err := account.ParseInput(values["creditorIban"])
	f.account("creditorIban", err)
	b.IBAN = iban.String()
	f.address(b)
	return b, f.err()
}

// address checks what the parts of an address say together (SPS 3.11): in fields or in lines, with town and country of their own.
func (f *findings) address(b Beneficiary) {
	lines := b.AddressLine1 + b.AddressLine2
	if b.Street+b.BuildingNumber+lines+b.Postcode+b.Town == "" {
		return
	}
	if lines != "" && b.Street+b.BuildingNumber != "" {
		f.add("addressLine1", codeFormat, "Write the street either in its own fields or in address lines.")
	}
	if b.Town == "" {
		f.add("town", codeMissing, "Enter the town of the address.")
	}
	if !account.CountryExists(b.Country) {
		f.add("country", codeMissing, "Choose the country of the address.")
	}
}

// afterBeneficiary is what a beneficiary would be.
func (r Request) afterBeneficiary(known Facts) (Values, error) {
	if r.Kind != KindBeneficiaryCreate && known.Before["status"] == StatusRemoved {
		return nil, refuse("/subject", codeFormat, "Name a beneficiary in force: this one was removed.")
	}
	if r.Kind == KindBeneficiaryRemove {
		return known.Before.with(Values{"status": StatusRemoved}), nil
	}
	f := &findings{prefix: valuesPrefix}
	b, err := BeneficiaryOf(r.Values, valuesPrefix)
	f.join(err)
	if known.AccountTaken {
		f.add("creditorIban", "AM05", "Name another IBAN: a beneficiary has this account. Change that one instead.")
	}
	b.ID = cmp.Or(known.Before["beneficiaryId"], r.ID.String())
	return b.Values(), f.err()
}
