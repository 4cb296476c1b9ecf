package orderform

import (
	"countersign/internal/i18n"
	"countersign/internal/qrbill"
	"countersign/internal/rulebook"
)

// OfBill turns a QR-bill into the answers of the form. Each note is a sentence about a value that the payer has to add, or that a payment
// does not carry. Error: *qrbill.Error for a bill that no scheme here can pay.
func OfBill(bill qrbill.Bill) (scheme rulebook.Scheme, values Values, notes []i18n.Text, err error) {
	scheme = rulebook.SchemeSIC
	if bill.Currency == "EUR" {
		scheme = rulebook.SchemeSCT
	}
	if scheme == rulebook.SchemeSCT && bill.Kind == qrbill.ReferenceQR {
		return "", Values{}, nil, &qrbill.Error{Text: "Pay this bill in another way, because SEPA instant payments cannot contain a QR " +
			"reference."}
	}
	c := bill.Creditor
	values = Values{
		CreditorName: c.Name, CreditorIBAN: bill.IBAN, AddressKind: AddressStructured, Street: c.Street, BuildingNumber: c.BuildingNumber,
		Postcode: c.Postcode, Town: c.Town, Country: c.Country, Amount: bill.Amount, RemittanceKind: RemittanceNone,
		RemittanceText: bill.Message,
	}
	switch {
	case bill.Kind == qrbill.ReferenceQR:
		values.RemittanceKind, values.QRReference = RemittanceQR, bill.Reference
	case bill.Kind == qrbill.ReferenceCreditor:
		values.RemittanceKind, values.CreditorReference = RemittanceReference, bill.Reference
	case bill.Message != "":
		values.RemittanceKind = RemittanceText
	}
	if c.Combined {
		notes = append(notes, "Enter the creditor's address, because the bill has unstructured address lines, which banks no longer accept.")
	}
	if bill.Amount == "" {
		notes = append(notes, "Enter the amount, because the bill does not show an amount.")
	}
	if scheme == rulebook.SchemeSCT && bill.Message != "" && values.RemittanceKind != RemittanceText {
		values.RemittanceText = ""
		notes = append(notes, i18n.Text("The message on the bill will not be sent because the payment already has a reference. Message: %s").
			With(bill.Message))
	}
	if bill.Information != "" {
		notes = append(notes, i18n.Text("This billing information is not sent: %s").With(bill.Information))
	}
	return scheme, values, notes, nil
}
