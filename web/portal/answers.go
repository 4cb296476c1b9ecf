package portal

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"countersign/internal/rulebook"
	"countersign/internal/store"
	"countersign/views"
)

// answers is what a maker typed, as it is kept in a draft.
type answers struct {
	Values views.PaymentValues
	// Wish is a recall, return or resolution; nil for a payment.
	Wish *wish `json:",omitempty"`
}

// field is one answer under the name of its form field. Its label is how a change of it is called; without one it is only about the
// form itself.
type field struct {
	name  string
	label string
	value *string
}

// fields are all answers of the payment form. Nothing else of a form is read.
func fields(values *views.PaymentValues) []field {
	return []field{
		{"debtorAccount", "Debtor account", &values.DebtorAccount},
		{"creditorName", "Creditor name", &values.CreditorName},
		{"creditorIban", "Creditor IBAN", &values.CreditorIBAN},
		{"addressKind", "", &values.AddressKind},
		{"street", "Street", &values.Street},
		{"buildingNumber", "Number", &values.BuildingNumber},
		{"addressLine1", "Address line 1", &values.AddressLine1},
		{"addressLine2", "Address line 2", &values.AddressLine2},
		{"postcode", "Postcode", &values.Postcode},
		{"town", "Town", &values.Town},
		{"country", "Country", &values.Country},
		{"amount", "Amount", &values.Amount},
		{"remittanceKind", "", &values.RemittanceKind},
		{"qrReference", "QR reference", &values.QRReference},
		{"creditorReference", "Creditor reference", &values.CreditorReference},
		{"remittanceText", "Message", &values.RemittanceText},
		{"endToEndId", "End-to-end ID", &values.EndToEndID},
		{"amendReason", "", &values.AmendReason},
	}
}

// readAnswers takes the answers of a form as they were typed. Line ends, which browsers write in two characters, become one.
func readAnswers(form url.Values) views.PaymentValues {
	var values views.PaymentValues
	for _, f := range fields(&values) {
		*f.value = strings.ReplaceAll(form.Get(f.name), "\r\n", "\n")
	}
	return values
}

// encode writes the answers for a draft.
func (a answers) encode() ([]byte, error) {
	content, err := json.Marshal(a)
	if err != nil {
		return nil, fmt.Errorf("write the answers: %w", err)
	}
	return content, nil
}

// answersOf reads the answers of a draft; a draft of a file has none.
func answersOf(draft store.Draft) (answers, error) {
	var a answers
	if len(draft.Answers) == 0 {
		return a, nil
	}
	err := json.Unmarshal(draft.Answers, &a)
	if err != nil {
		return answers{}, fmt.Errorf("read the answers: %w", err)
	}
	return a, nil
}

// schemeOf reads a scheme; anything else is the first one.
func schemeOf(text string) rulebook.Scheme {
	for _, scheme := range rulebook.Schemes() {
		if string(scheme) == text {
			return scheme
		}
	}
	return rulebook.SchemeSIC
}
