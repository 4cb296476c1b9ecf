package entry

import (
	"fmt"

	"countersign/internal/iso20022"
	"countersign/internal/rulebook"
)

// File is a payment order read from an uploaded file.
type File struct {
	BuiltOrder
	Findings []iso20022.Finding
}

// ReadFile reads a pain.001.001.09, or a pain.001.001.03 that can be carried over without loss. Document is nil when it is neither.
func ReadFile(content []byte) File {
	var f File
	read, found := iso20022.DecodeXML(content)
	f.Findings = found
	switch document := read.(type) {
	case *iso20022.CustomerCreditTransferInitiation:
		f.Document = document
	case *iso20022.CustomerCreditTransferInitiationV03:
		var carried []iso20022.Finding
		f.Document, carried = iso20022.Upgrade(document)
		if len(found) == 0 {
			f.Findings = carried
		}
	case nil:
	default:
		f.Findings = append(f.Findings, iso20022.Finding{
			Pointer: "/Document", Code: "FF01", Text: "Send a payment order: this file is a " + string(read.MessageName()) + ".",
		})
	}
	if f.Document == nil {
		return f
	}
	count := 0
	for _, info := range f.Document.PaymentInformation {
		count += len(info.CreditTransferTransactionInformation)
	}
	if count != 1 {
		f.Findings = append(f.Findings, iso20022.Finding{
			Pointer: "/Document/CstmrCdtTrfInitn/PmtInf", Code: "AM18",
			Text: fmt.Sprintf("The file holds %d payments. Send one file for each payment.", count),
		})
		f.Document = nil
		return f
	}
	if len(f.Findings) == 0 {
		f.Transliterated = transliterate(f.Scheme(), f.Document)
	}
	return f
}

// Scheme is the one whose currency the file pays in; a file in another currency is refused by the rules of either.
func (f File) Scheme() rulebook.Scheme {
	_, tx, single := f.Document.SinglePayment()
	if !single || tx.Amount.InstructedAmount == nil {
		return rulebook.SchemeSIC
	}
	for _, scheme := range rulebook.Schemes() {
		profile, _ := scheme.Profile()
		if string(profile.Currency) == tx.Amount.InstructedAmount.Currency {
			return scheme
		}
	}
	return rulebook.SchemeSIC
}
