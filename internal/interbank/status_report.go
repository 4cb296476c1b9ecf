package interbank

import (
	"fmt"
	"time"

	"countersign/internal/iso20022"
	"countersign/internal/rulebook"
	"countersign/internal/rulebook/rtransactionrule"
)

// StatusReportInput is what a pacs.002 is made of.
type StatusReportInput struct {
	Scheme rulebook.Scheme
	// About is what came in: a pacs.008 or pacs.004.
	About iso20022.Document
	// Code is the reason of a refusal (ExternalStatusReason1Code); "" accepts.
	Code string
	// Information explains the refusal, lines of at most 105 characters.
	Information []string
	// Reference is the MsgId, StatusID the id of the answer.
	Reference, StatusID string
	At                  time.Time
}

// The statuses of our answers.
const (
	statusAccepted = "ACCP"
	statusRejected = "RJCT"
)

// StatusReport makes the pacs.002 that accepts (ACCP) or refuses (RJCT) an incoming payment or return. It names the transaction by the
// ids of the payment, in both cases; the message it answers is OrgnlMsgId.
//
// It fails with ErrScheme, ErrTransactions, ErrIncomplete, or ErrKind for any other document.
func StatusReport(in StatusReportInput) (*iso20022.FIToFIPaymentStatusReport, error) {
	c, err := conventionOf(in.Scheme)
	if err != nil {
		return nil, fmt.Errorf("make pacs.002: %w", err)
	}
	about, err := answered(in.About)
	if err != nil {
		return nil, fmt.Errorf("make pacs.002: %w", err)
	}
	status := iso20022.PaymentTransaction110{
		StatusID: in.StatusID, OriginalInstructionID: about.instructionID, OriginalEndToEndID: about.endToEndID,
		OriginalTransactionID: about.transactionID, OriginalUETR: c.uetr(about.uetr), TransactionStatus: statusAccepted,
		AcceptanceDateTime: about.acceptedAt,
	}
	if in.Code != "" {
		status.TransactionStatus = statusRejected
		status.StatusReasonInformation = []iso20022.StatusReasonInformation12{{
			Reason:                &iso20022.StatusReason6Choice{Code: in.Code},
			AdditionalInformation: c.lines(in.Information, rtransactionrule.InformationLength),
		}}
	}
	return &iso20022.FIToFIPaymentStatusReport{
		GroupHeader: iso20022.GroupHeader91{MessageID: in.Reference, CreationDateTime: dateTime(in.At)},
		OriginalGroupInformationAndStatus: []iso20022.OriginalGroupHeader17{{
			OriginalMessageID: about.messageID, OriginalMessageNameID: c.nameOf(about.messageName),
		}},
		TransactionInformationAndStatus: []iso20022.PaymentTransaction110{status},
	}, nil
}

// answered is what a pacs.002 repeats of the document it is about.
func answered(about iso20022.Document) (original, error) {
	switch document := about.(type) {
	case *iso20022.FIToFICustomerCreditTransfer:
		return originalOf(document)
	case *iso20022.PaymentReturn:
		transaction, err := returnOf(document)
		if err != nil {
			return original{}, err
		}
		return original{
			messageID: document.GroupHeader.MessageID, messageName: document.MessageName(),
			instructionID: transaction.OriginalInstructionID, endToEndID: transaction.OriginalEndToEndID,
			transactionID: transaction.OriginalTransactionID, uetr: transaction.OriginalUETR,
		}, nil
	default:
		return original{}, fmt.Errorf("a pacs.002 answers a pacs.008 or pacs.004: %w", ErrKind)
	}
}

// returnOf is the one transaction of a pacs.004.
func returnOf(document *iso20022.PaymentReturn) (*iso20022.PaymentTransaction112, error) {
	if document == nil || len(document.TransactionInformation) != 1 {
		return nil, fmt.Errorf("pacs.004: %w", ErrTransactions)
	}
	return &document.TransactionInformation[0], nil
}
