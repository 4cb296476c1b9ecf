package simulator

import (
	"countersign/internal/iso20022"
	"countersign/internal/money"
)

// original names the payment (or return) of a document, in the form that an answer repeats.
type original struct {
	messageID     string
	messageName   string
	instructionID string
	endToEndID    string
	transactionID string
	uetr          string
	acceptedAt    iso20022.ISODateTime
}

// subject holds the values of an incoming document that the clearing acts on.
type subject struct {
	original original
	amount   money.Amount // of a payment or return; of a recall, where it says it
	status   string       // what a status document says
	reason   string       // the reason code in it
	effect   string       // what its effect is counted by, within its message name; "" counts each message id
}

// subjectOf reads one document of a scheme. This clearing takes one transaction a document.
func subjectOf(scheme scheme, document iso20022.Document) (subject, *refusal) {
	switch document := document.(type) {
	case *iso20022.FIToFICustomerCreditTransfer:
		return subjectOfPayment(scheme, document)
	case *iso20022.FIToFIPaymentStatusRequest:
		return subjectOfInquiry(document)
	case *iso20022.FIToFIPaymentStatusReport:
		return subjectOfReport(document)
	case *iso20022.PaymentReturn:
		return subjectOfReturn(scheme, document)
	case *iso20022.FIToFIPaymentCancellationRequest:
		return subjectOfRecall(scheme, document)
	case *iso20022.ResolutionOfInvestigation:
		return subjectOfResolution(document)
	case *iso20022.Receipt:
		return subjectOfReceipt(document)
	default:
		return subject{}, invalid("Send messages between banks: " + string(document.MessageName()) + " is for customers.")
	}
}

func subjectOfPayment(scheme scheme, document *iso20022.FIToFICustomerCreditTransfer) (subject, *refusal) {
	header := document.GroupHeader
	if len(document.CreditTransferTransactionInformation) != 1 || header.NumberOfTransactions != "1" {
		return subject{}, invalid("Send exactly one transaction in a pacs.008, with NbOfTxs 1.")
	}
	transaction := document.CreditTransferTransactionInformation[0]
	if transaction.PaymentID.TransactionID == "" {
		return subject{}, invalid("Enter a TxId: it identifies the payment.")
	}
	amount, refused := amountOf(scheme, transaction.InterbankSettlementAmount)
	if refused != nil {
		return subject{}, refused
	}
	if total := header.TotalInterbankSettlementAmount; total != nil && !total.Equal(transaction.InterbankSettlementAmount) {
		return subject{}, invalid("Enter the amount of the transaction in TtlIntrBkSttlmAmt too, or leave it out.")
	}
	return subject{
		original: original{
			messageID:     header.MessageID,
			messageName:   string(iso20022.Pacs008V08),
			instructionID: transaction.PaymentID.InstructionID,
			endToEndID:    transaction.PaymentID.EndToEndID,
			transactionID: transaction.PaymentID.TransactionID,
			uetr:          transaction.PaymentID.UETR,
			acceptedAt:    transaction.AcceptanceDateTime,
		},
		amount: amount,
		effect: transaction.PaymentID.TransactionID,
	}, nil
}

func subjectOfInquiry(document *iso20022.FIToFIPaymentStatusRequest) (subject, *refusal) {
	if len(document.TransactionInformation) != 1 || document.TransactionInformation[0].OriginalTransactionID == "" {
		return subject{}, invalid("Ask for exactly one transaction in a pacs.028, with its OrgnlTxId.")
	}
	asked := document.TransactionInformation[0]
	about := original{
		instructionID: asked.OriginalInstructionID,
		endToEndID:    asked.OriginalEndToEndID,
		transactionID: asked.OriginalTransactionID,
		uetr:          asked.OriginalUETR,
		acceptedAt:    asked.AcceptanceDateTime,
	}
	if len(document.OriginalGroupInformation) > 0 {
		group := document.OriginalGroupInformation[0]
		about.messageID, about.messageName = group.OriginalMessageID, group.OriginalMessageNameID
	}
	if group := asked.OriginalGroupInformation; group != nil {
		about.messageID, about.messageName = group.OriginalMessageID, group.OriginalMessageNameID
	}
	return subject{original: about}, nil
}

func subjectOfReport(document *iso20022.FIToFIPaymentStatusReport) (subject, *refusal) {
	if len(document.TransactionInformationAndStatus) != 1 {
		return subject{}, invalid("Report on exactly one transaction in a pacs.002.")
	}
	report := document.TransactionInformationAndStatus[0]
	if report.OriginalTransactionID == "" || report.TransactionStatus == "" {
		return subject{}, invalid("Enter OrgnlTxId and TxSts in the pacs.002.")
	}
	about := original{
		instructionID: report.OriginalInstructionID,
		endToEndID:    report.OriginalEndToEndID,
		transactionID: report.OriginalTransactionID,
		uetr:          report.OriginalUETR,
		acceptedAt:    report.AcceptanceDateTime,
	}
	if len(document.OriginalGroupInformationAndStatus) > 0 {
		group := document.OriginalGroupInformationAndStatus[0]
		about.messageID, about.messageName = group.OriginalMessageID, group.OriginalMessageNameID
	}
	result := subject{original: about, status: report.TransactionStatus}
	result.effect = definitionOf(about.messageName) + "/" + report.OriginalTransactionID
	if len(report.StatusReasonInformation) > 0 && report.StatusReasonInformation[0].Reason != nil {
		result.reason = report.StatusReasonInformation[0].Reason.Code
	}
	return result, nil
}

// amountOf is an amount in the currency of the scheme.
func amountOf(scheme scheme, amount iso20022.Amount) (money.Amount, *refusal) {
	if amount.Currency != string(scheme.currency) {
		return money.Amount{}, invalid("Send amounts in " + string(scheme.currency) + ": " + scheme.name + " settles nothing else.")
	}
	settled, err := money.FromDecimal(scheme.currency, amount.Value)
	if err != nil {
		return money.Amount{}, invalid("Correct the settlement amount. " + err.Error())
	}
	return settled, nil
}

// definitionOf completes the name of a message definition, of which some banks write only the first part: pacs.008 for pacs.008.001.08.
func definitionOf(name string) string {
	const length = len("pacs.008")
	if len(name) > length {
		return name[:length]
	}
	return name
}

func subjectOfReturn(scheme scheme, document *iso20022.PaymentReturn) (subject, *refusal) {
	if len(document.TransactionInformation) != 1 || document.TransactionInformation[0].OriginalTransactionID == "" {
		return subject{}, invalid("Return exactly one transaction in a pacs.004, with its OrgnlTxId.")
	}
	returned := document.TransactionInformation[0]
	amount, refused := amountOf(scheme, returned.ReturnedInterbankSettlementAmount)
	if refused != nil {
		return subject{}, refused
	}
	result := subject{
		original: original{
			messageID:     document.GroupHeader.MessageID,
			messageName:   string(iso20022.Pacs004V09),
			instructionID: returned.OriginalInstructionID,
			endToEndID:    returned.OriginalEndToEndID,
			transactionID: returned.OriginalTransactionID,
			uetr:          returned.OriginalUETR,
		},
		amount: amount,
		effect: returned.OriginalTransactionID,
	}
	if len(returned.ReturnReasonInformation) > 0 && returned.ReturnReasonInformation[0].Reason != nil {
		result.reason = returned.ReturnReasonInformation[0].Reason.Code
	}
	return result, nil
}

func subjectOfRecall(scheme scheme, document *iso20022.FIToFIPaymentCancellationRequest) (subject, *refusal) {
	if len(document.Underlying) != 1 || len(document.Underlying[0].TransactionInformation) != 1 {
		return subject{}, invalid("Recall exactly one transaction in a camt.056.")
	}
	recalled := document.Underlying[0].TransactionInformation[0]
	if recalled.OriginalTransactionID == "" || recalled.CancellationID == "" {
		return subject{}, invalid("Enter CxlId and OrgnlTxId in the camt.056.")
	}
	result := subject{
		original: original{
			instructionID: recalled.OriginalInstructionID,
			endToEndID:    recalled.OriginalEndToEndID,
			transactionID: recalled.OriginalTransactionID,
			uetr:          recalled.OriginalUETR,
		},
		effect: recalled.OriginalTransactionID,
	}
	if group := recalled.OriginalGroupInformation; group != nil {
		result.original.messageID, result.original.messageName = group.OriginalMessageID, group.OriginalMessageNameID
	}
	if len(recalled.CancellationReasonInformation) > 0 && recalled.CancellationReasonInformation[0].Reason != nil {
		result.reason = recalled.CancellationReasonInformation[0].Reason.Code
	}
	if recalled.OriginalInterbankSettlementAmount == nil {
		return result, nil
	}
	amount, refused := amountOf(scheme, *recalled.OriginalInterbankSettlementAmount)
	if refused != nil {
		return subject{}, refused
	}
	result.amount = amount
	return result, nil
}

func subjectOfResolution(document *iso20022.ResolutionOfInvestigation) (subject, *refusal) {
	if len(document.CancellationDetails) != 1 || len(document.CancellationDetails[0].TransactionInformationAndStatus) != 1 {
		return subject{}, invalid("Answer the recall of exactly one transaction in a camt.029.")
	}
	answered := document.CancellationDetails[0].TransactionInformationAndStatus[0]
	if answered.OriginalTransactionID == "" || answered.TransactionCancellationStatus == "" {
		return subject{}, invalid("Enter OrgnlTxId and TxCxlSts in the camt.029.")
	}
	result := subject{
		original: original{
			instructionID: answered.OriginalInstructionID,
			endToEndID:    answered.OriginalEndToEndID,
			transactionID: answered.OriginalTransactionID,
			uetr:          answered.OriginalUETR,
		},
		status: answered.TransactionCancellationStatus,
		effect: answered.OriginalTransactionID,
	}
	if len(answered.CancellationStatusReasonInformation) > 0 && answered.CancellationStatusReasonInformation[0].Reason != nil {
		result.reason = answered.CancellationStatusReasonInformation[0].Reason.Code
	}
	return result, nil
}

func subjectOfReceipt(document *iso20022.Receipt) (subject, *refusal) {
	if len(document.ReceiptDetails) != 1 || len(document.ReceiptDetails[0].RequestHandling) != 1 {
		return subject{}, invalid("Acknowledge exactly one message in a camt.025.")
	}
	details := document.ReceiptDetails[0]
	return subject{
		original: original{messageID: details.OriginalMessageID.MessageID, messageName: details.OriginalMessageID.MessageNameID},
		status:   details.RequestHandling[0].StatusCode,
		effect:   details.OriginalMessageID.MessageID,
	}, nil
}
