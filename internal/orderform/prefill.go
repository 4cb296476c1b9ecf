package orderform

import (
	"slices"
	"strings"
	"time"

	"countersign/internal/iso20022"
	"countersign/internal/iso20022/codec"
	"countersign/internal/money"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
)

// ValuesOf fills the form from a document with one payment, as far as the form has fields for it, with the execution date if that is later
// than today.
func ValuesOf(document *iso20022.CustomerCreditTransferInitiation, today time.Time) Values {
	values := Values{AddressKind: AddressStructured, RemittanceKind: RemittanceNone}
	info, tx, single := document.SinglePayment()
	if !single {
		return values
	}
	if rulebook.IsLater(info, today) {
		values.ExecutionDate = rulebook.ExecutionDay(info).Format("02.01.2006")
	}
	values.DebtorAccount, values.EndToEndID = info.DebtorAccount.ID.IBAN, tx.PaymentID.EndToEndID
	if tx.Amount.InstructedAmount != nil {
		amount, err := money.FromDecimal(money.Currency(tx.Amount.InstructedAmount.Currency), tx.Amount.InstructedAmount.Value)
		if err == nil {
			values.Amount = amount.Swiss()
		}
	}
	if tx.CreditorAccount != nil {
		values.CreditorIBAN = tx.CreditorAccount.ID.IBAN
	}
	if tx.Creditor != nil {
		values.CreditorName = tx.Creditor.Name
		fillAddress(&values, tx.Creditor.PostalAddress)
	}
	fillRemittance(&values, tx.RemittanceInformation)
	return values
}

func fillAddress(values *Values, address *iso20022.PostalAddress24) {
	if address == nil {
		return
	}
	values.Street, values.BuildingNumber = address.StreetName, address.BuildingNumber
	values.Postcode, values.Town, values.Country = address.PostCode, address.TownName, address.Country
	if len(address.AddressLine) > 0 {
		values.AddressKind, values.AddressLine1 = AddressHybrid, address.AddressLine[0]
	}
	if len(address.AddressLine) > 1 {
		values.AddressLine2 = address.AddressLine[1]
	}
}

func fillRemittance(values *Values, info *iso20022.RemittanceInformation16) {
	kind, text := RemittanceOf(info)
	values.RemittanceKind = kind
	if info != nil && len(info.Structured) == 1 && len(info.Structured[0].AdditionalRemittanceInformation) == 1 {
		values.RemittanceText = info.Structured[0].AdditionalRemittanceInformation[0]
	}
	switch kind {
	case RemittanceQR:
		values.QRReference = text
	case RemittanceReference:
		values.CreditorReference = text
	case RemittanceText:
		values.RemittanceText = text
	}
}

// RemittanceOf returns the purpose of a payment: the kind in the form and the reference or text.
func RemittanceOf(info *iso20022.RemittanceInformation16) (kind, text string) {
	if info == nil {
		return RemittanceNone, ""
	}
	if reference := info.CreditorReference(); reference != nil {
		if reference.Type != nil && reference.Type.CodeOrProprietary.Proprietary != "" {
			return RemittanceQR, reference.Reference
		}
		return RemittanceReference, reference.Reference
	}
	if len(info.Unstructured) > 0 {
		return RemittanceText, info.Unstructured[0]
	}
	return RemittanceNone, ""
}

// FitsForm reports whether the form has a field for every element of a document. Any other document must be amended by its sender, because
// an amendment in the form would lose elements.
func FitsForm(scheme rulebook.Scheme, document *iso20022.CustomerCreditTransferInitiation, account *payment.DebtorAccount) bool {
	_, tx, single := document.SinglePayment()
	if !single || account == nil {
		return false
	}
	rebuilt := Order{Scheme: scheme, Values: ValuesOf(document, time.Time{}), Account: account}.Build()
	if len(rebuilt.Problems) > 0 || len(rebuilt.Transliterated) > 0 {
		return false
	}
	_, newTx, _ := rebuilt.Document.SinglePayment()
	amount, newAmount := tx.Amount.InstructedAmount, newTx.Amount.InstructedAmount
	before, err := codec.EncodeXML(document)
	if err != nil || amount == nil || newAmount == nil || !amount.Equal(*newAmount) {
		return false
	}
	after, err := codec.EncodeXML(rebuilt.Document)
	return err == nil && slices.Equal(lasting(before), lasting(after))
}

// remade begin the elements that every version makes anew: identifiers, times, sums and what follows from the account. The amount may be
// written with more digits, so it is compared by its value.
var remade = []string{
	"GrpHdr/", "PmtInf/PmtInfId", "PmtInf/ReqdExctnDt/", "PmtInf/NbOfTxs", "PmtInf/CtrlSum", "PmtInf/BtchBookg", "PmtInf/Dbtr/Nm",
	"PmtInf/Dbtr/PstlAdr/", "PmtInf/DbtrAgt/", "PmtInf/ChrgBr", "PmtInf/CdtTrfTxInf/PmtId/InstrId", "PmtInf/CdtTrfTxInf/ChrgBr",
	"PmtInf/CdtTrfTxInf/Amt/InstdAmt",
}

// lasting are the elements of a document that are not made anew. The issuer of a creditor reference is ISO for every one of them.
func lasting(content []byte) []Loss {
	return slices.DeleteFunc(leaves(content), func(leaf Loss) bool {
		begins := func(place string) bool { return strings.HasPrefix(leaf.Element, place) }
		return slices.ContainsFunc(remade, begins) || strings.HasSuffix(leaf.Element, "/CdtrRefInf/Tp/Issr")
	})
}
