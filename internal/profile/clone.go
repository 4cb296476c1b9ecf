package profile

import (
	"slices"

	"countersign/internal/iso20022"
)

// clone returns a copy of a document in which profiles may change headers, transactions, the names of originals and the copies of
// payments. The rest is shared and must not be changed.
func clone(document iso20022.Document) iso20022.Document {
	switch d := document.(type) {
	case *iso20022.FIToFICustomerCreditTransfer:
		of := *d
		of.CreditTransferTransactionInformation = slices.Clone(d.CreditTransferTransactionInformation)
		return &of
	case *iso20022.PaymentReturn:
		of := *d
		of.TransactionInformation = slices.Clone(d.TransactionInformation)
		for i := range of.TransactionInformation {
			t := &of.TransactionInformation[i]
			t.OriginalGroupInformation, t.OriginalTransactionReference = own(t.OriginalGroupInformation), own(t.OriginalTransactionReference)
			t.ChargesInformation, t.ReturnChain = slices.Clone(t.ChargesInformation), own(t.ReturnChain)
		}
		return &of
	case *iso20022.FIToFIPaymentStatusReport:
		of := *d
		of.OriginalGroupInformationAndStatus = slices.Clone(d.OriginalGroupInformationAndStatus)
		of.TransactionInformationAndStatus = slices.Clone(d.TransactionInformationAndStatus)
		for i := range of.TransactionInformationAndStatus {
			t := &of.TransactionInformationAndStatus[i]
			t.OriginalGroupInformation, t.OriginalTransactionReference = own(t.OriginalGroupInformation), own(t.OriginalTransactionReference)
		}
		return &of
	case *iso20022.FIToFIPaymentCancellationRequest:
		return cloneRecall(d)
	case *iso20022.ResolutionOfInvestigation:
		return cloneResolution(d)
	case *iso20022.FIToFIPaymentStatusRequest:
		of := *d
		of.OriginalGroupInformation = slices.Clone(d.OriginalGroupInformation)
		of.TransactionInformation = slices.Clone(d.TransactionInformation)
		for i := range of.TransactionInformation {
			of.TransactionInformation[i].OriginalGroupInformation = own(of.TransactionInformation[i].OriginalGroupInformation)
		}
		return &of
	case *iso20022.Receipt:
		of := *d
		of.ReceiptDetails = slices.Clone(d.ReceiptDetails)
		return &of
	}
	return document
}

func cloneRecall(d *iso20022.FIToFIPaymentCancellationRequest) *iso20022.FIToFIPaymentCancellationRequest {
	of := *d
	of.Underlying = slices.Clone(d.Underlying)
	for i := range of.Underlying {
		of.Underlying[i].TransactionInformation = slices.Clone(of.Underlying[i].TransactionInformation)
		for k := range of.Underlying[i].TransactionInformation {
			t := &of.Underlying[i].TransactionInformation[k]
			t.OriginalGroupInformation, t.OriginalTransactionReference = own(t.OriginalGroupInformation), own(t.OriginalTransactionReference)
		}
	}
	return &of
}

func cloneResolution(d *iso20022.ResolutionOfInvestigation) *iso20022.ResolutionOfInvestigation {
	of := *d
	of.CancellationDetails = slices.Clone(d.CancellationDetails)
	for i := range of.CancellationDetails {
		details := &of.CancellationDetails[i]
		details.TransactionInformationAndStatus = slices.Clone(details.TransactionInformationAndStatus)
		for k := range details.TransactionInformationAndStatus {
			t := &details.TransactionInformationAndStatus[k]
			t.OriginalGroupInformation, t.OriginalTransactionReference = own(t.OriginalGroupInformation), own(t.OriginalTransactionReference)
		}
	}
	return &of
}

// own returns a pointer to a copy of the value; nil stays nil.
func own[T any](of *T) *T {
	if of == nil {
		return nil
	}
	mine := *of
	return &mine
}
