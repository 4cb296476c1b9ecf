package orderform

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
)

// Values are the answers of the payment form as they were typed. A draft stores them as JSON.
type Values struct {
	DebtorAccount     string // debtorAccount
	CreditorName      string // creditorName
	CreditorIBAN      string // creditorIban
	AddressKind       string // addressKind: AddressStructured or AddressHybrid
	Street            string // street
	BuildingNumber    string // buildingNumber
	AddressLine1      string // addressLine1, hybrid only
	AddressLine2      string // addressLine2, hybrid only
	Postcode          string // postcode
	Town              string // town
	Country           string // country
	Amount            string // amount
	ExecutionDate     string // executionDate: as 2026-12-24 or 24.12.2026; empty for today
	RemittanceKind    string // remittanceKind: RemittanceNone, RemittanceQR, RemittanceReference or RemittanceText
	QRReference       string // qrReference
	CreditorReference string // creditorReference
	RemittanceText    string // remittanceText
	EndToEndID        string // endToEndId
	AmendReason       string // amendReason
	Basis             string // basis: what the form was filled from, as BasisPayment or BasisTemplate and its id; empty for nothing
}

// What a form can be filled from.
const (
	BasisPayment  = "payment "
	BasisTemplate = "template "
)

// Field is one answer under the name of its form field. Label names the field in a list of changes; a field without one is not listed.
type Field struct {
	Name  string
	Label string
	Value *string
}

// Fields are all answers of the payment form, in its order. Nothing else of a form is read.
func (v *Values) Fields() []Field {
	return []Field{
		{"creditorIban", "Creditor IBAN", &v.CreditorIBAN},
		{"creditorName", "Creditor name", &v.CreditorName},
		{"amount", "Amount", &v.Amount},
		{"debtorAccount", "Debtor account", &v.DebtorAccount},
		{"executionDate", "Execution date", &v.ExecutionDate},
		{"remittanceKind", "", &v.RemittanceKind},
		{"qrReference", "QR reference", &v.QRReference},
		{"creditorReference", "Creditor reference", &v.CreditorReference},
		{"remittanceText", "Message", &v.RemittanceText},
		{"addressKind", "", &v.AddressKind},
		{"street", "Street", &v.Street},
		{"buildingNumber", "Number", &v.BuildingNumber},
		{"addressLine1", "Address line 1", &v.AddressLine1},
		{"addressLine2", "Address line 2", &v.AddressLine2},
		{"postcode", "Postcode", &v.Postcode},
		{"town", "Town", &v.Town},
		{"country", "Country", &v.Country},
		{"endToEndId", "End-to-end ID", &v.EndToEndID},
		{"amendReason", "", &v.AmendReason},
		{"basis", "", &v.Basis},
	}
}

// ReadForm takes the answers of a form as they were typed. Line ends, which browsers write in two characters, become one.
func ReadForm(form url.Values) Values {
	var values Values
	for _, f := range values.Fields() {
		*f.Value = strings.ReplaceAll(form.Get(f.Name), "\r\n", "\n")
	}
	return values
}

// kept is the JSON form of the answers in a draft.
type kept struct{ Values Values }

// Encode writes the answers for a draft.
func (v Values) Encode() ([]byte, error) {
	content, err := json.Marshal(kept{v})
	if err != nil {
		return nil, fmt.Errorf("write the answers: %w", err)
	}
	return content, nil
}

// DecodeValues reads the answers of a draft; none are the zero Values.
func DecodeValues(content []byte) (Values, error) {
	var k kept
	if len(content) == 0 {
		return k.Values, nil
	}
	err := json.Unmarshal(content, &k)
	if err != nil {
		return Values{}, fmt.Errorf("read the answers: %w", err)
	}
	return k.Values, nil
}
