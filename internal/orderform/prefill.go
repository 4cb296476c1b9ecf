package orderform

import (
	"bytes"
	"slices"
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
	info, tx, single := document.SinglePayment()
	if !single || account == nil {
		return false
	}
	copied, copiedInfo, copiedTx := deepEnough(document, info, tx)
	rebuilt := Order{Scheme: scheme, Values: ValuesOf(document, time.Time{}), Account: account}.Build()
	if len(rebuilt.Problems) > 0 || len(rebuilt.Transliterated) > 0 {
		return false
	}
	newInfo, newTx, _ := rebuilt.Document.SinglePayment()
	// Identifiers, times, sums and what follows from the account are made anew by every version.
	copied.GroupHeader = rebuilt.Document.GroupHeader
	copiedInfo.PaymentInformationID, copiedInfo.RequestedExecutionDate = newInfo.PaymentInformationID, newInfo.RequestedExecutionDate
	copiedInfo.NumberOfTransactions, copiedInfo.ControlSum, copiedInfo.BatchBooking = "", nil, nil
	copiedInfo.Debtor.Name, copiedInfo.Debtor.PostalAddress = newInfo.Debtor.Name, newInfo.Debtor.PostalAddress
	copiedInfo.DebtorAgent, copiedInfo.ChargeBearer = newInfo.DebtorAgent, newInfo.ChargeBearer
	copiedTx.PaymentID.InstructionID = newTx.PaymentID.InstructionID
	copiedTx.ChargeBearer = ""
	dropIssuer(copiedTx)
	if copiedTx.Amount.InstructedAmount != nil && newTx.Amount.InstructedAmount != nil &&
		copiedTx.Amount.InstructedAmount.Equal(*newTx.Amount.InstructedAmount) {
		copiedTx.Amount = newTx.Amount
	}
	return sameBytes(copied, rebuilt.Document)
}

// deepEnough copies a document as deep as FitsForm changes it.
func deepEnough(
	document *iso20022.CustomerCreditTransferInitiation, info *iso20022.PaymentInstruction30, tx *iso20022.CreditTransferTransaction34,
) (*iso20022.CustomerCreditTransferInitiation, *iso20022.PaymentInstruction30, *iso20022.CreditTransferTransaction34) {
	copied := *document
	copied.PaymentInformation = []iso20022.PaymentInstruction30{*info}
	copied.PaymentInformation[0].CreditTransferTransactionInformation = []iso20022.CreditTransferTransaction34{*tx}
	copiedInfo, copiedTx, _ := copied.SinglePayment()
	return &copied, copiedInfo, copiedTx
}

// dropIssuer takes the issuer of a creditor reference out: it is ISO for every one of them.
func dropIssuer(tx *iso20022.CreditTransferTransaction34) {
	if tx.RemittanceInformation == nil || len(tx.RemittanceInformation.Structured) != 1 {
		return
	}
	entry := tx.RemittanceInformation.Structured[0]
	if entry.CreditorReferenceInformation == nil || entry.CreditorReferenceInformation.Type == nil {
		return
	}
	kind := *entry.CreditorReferenceInformation.Type
	kind.Issuer = ""
	reference := *entry.CreditorReferenceInformation
	reference.Type = &kind
	entry.CreditorReferenceInformation = &reference
	info := *tx.RemittanceInformation
	info.Structured = slices.Clone(info.Structured)
	info.Structured[0] = entry
	tx.RemittanceInformation = &info
}

func sameBytes(a, b iso20022.Document) bool {
	left, errLeft := codec.EncodeXML(a)
	right, errRight := codec.EncodeXML(b)
	return errLeft == nil && errRight == nil && bytes.Equal(left, right)
}
