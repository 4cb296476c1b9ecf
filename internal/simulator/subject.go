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
