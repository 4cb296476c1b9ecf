package orderform

import (
	"golang.org/x/text/unicode/norm"

	"countersign/internal/charset"
	"countersign/internal/iso20022"
	"countersign/internal/rulebook"
)

// transliterate writes the creditor and the message of a document in the characters that every bank of the scheme accepts, and lists its
// changes. It runs before the maker checks the answers, so that maker, checker and clearing see the same text. Characters outside the set
// that users may enter are left for a rule of the scheme to refuse. Typographic signs of office programs, such as ’ and –, are written as
// typed.
func transliterate(scheme rulebook.Scheme, document *iso20022.CustomerCreditTransferInitiation) []Change {
	profile, _ := scheme.Profile()
	var changes []Change
	rewrite := func(name string, text *string, limit int) {
		plain := charset.PlainTypography(*text)
		_, _, foreign := charset.SwissLatin.FirstRefused(plain)
		if foreign {
			*text = plain // the rule names what nothing can be written for
			return
		}
		after, _ := profile.Interbank.TransliterateWithin(plain, limit)
		if after != norm.NFC.String(*text) { // composed alone, it looks the same
			changes = append(changes, Change{Field: name, Before: *text, After: after})
		}
		*text = after
	}
	for i := range document.PaymentInformation {
		for j := range document.PaymentInformation[i].CreditTransferTransactionInformation {
			tx := &document.PaymentInformation[i].CreditTransferTransactionInformation[j]
			if tx.Creditor != nil {
				rewrite("Name", &tx.Creditor.Name, profile.NameLength)
				rewriteAddress(tx.Creditor.PostalAddress, rewrite)
			}
			rewriteMessages(tx.RemittanceInformation, rewrite)
		}
	}
	return changes
}

func rewriteMessages(info *iso20022.RemittanceInformation16, rewrite func(string, *string, int)) {
	if info == nil {
		return
	}
	for i := range info.Unstructured {
		rewrite("Message", &info.Unstructured[i], 140)
	}
	for i := range info.Structured {
		for j := range info.Structured[i].AdditionalRemittanceInformation {
			rewrite("Message", &info.Structured[i].AdditionalRemittanceInformation[j], 140)
		}
	}
}

func rewriteAddress(address *iso20022.PostalAddress24, rewrite func(string, *string, int)) {
	if address == nil {
		return
	}
	rewrite("Street", &address.StreetName, 70)
	rewrite("Number", &address.BuildingNumber, 16)
	for i := range address.AddressLine {
		rewrite("Address line", &address.AddressLine[i], 70)
	}
	rewrite("Postcode", &address.PostCode, 16)
	rewrite("Town", &address.TownName, 35)
}
