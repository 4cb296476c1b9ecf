package interbank

import (
	"fmt"
	"time"

	"countersign/internal/iso20022"
	"countersign/internal/rulebook"
)

// StatusRequestInput is the input of a pacs.028 about a payment.
type StatusRequestInput struct {
	Scheme rulebook.Scheme
	// Original is the pacs.008 we sent.
	Original *iso20022.FIToFICustomerCreditTransfer
	// Reference is the MsgId, RequestID the id of the question; both are new each time it is asked.
	Reference, RequestID string
	At                   time.Time
}

// StatusRequest makes the pacs.028 about a payment. It fails with ErrScheme, ErrTransactions or ErrIncomplete.
func StatusRequest(in StatusRequestInput) (*iso20022.FIToFIPaymentStatusRequest, error) {
	c, err := conventionOf(in.Scheme)
	if err != nil {
		return nil, fmt.Errorf("make pacs.028: %w", err)
	}
	about, err := originalOf(in.Original)
	if err != nil {
		return nil, fmt.Errorf("make pacs.028: %w", err)
	}
	return question(in.Reference, in.At, iso20022.OriginalGroupInformation27{
		OriginalMessageID: about.messageID, OriginalMessageNameID: c.nameOf(about.messageName),
	}, iso20022.PaymentTransaction113{
		StatusRequestID: in.RequestID, OriginalInstructionID: about.instructionID, OriginalEndToEndID: about.endToEndID,
		OriginalTransactionID: about.transactionID, OriginalUETR: c.uetr(about.uetr), AcceptanceDateTime: about.acceptedAt,
	}), nil
}

// ReturnStatusRequestInput is the input of a pacs.028 about a return.
type ReturnStatusRequestInput struct {
	Scheme rulebook.Scheme
	// Return is the pacs.004 we sent.
	Return *iso20022.PaymentReturn
	// Reference is the MsgId, RequestID the id of the question; both are new each time it is asked.
	Reference, RequestID string
	At                   time.Time
}

// ReturnStatusRequest makes the pacs.028 about a return. It cites the pacs.004 and, as that does, the ids of the returned payment. It fails
// with ErrScheme or ErrTransactions.
func ReturnStatusRequest(in ReturnStatusRequestInput) (*iso20022.FIToFIPaymentStatusRequest, error) {
	c, err := conventionOf(in.Scheme)
	if err != nil {
		return nil, fmt.Errorf("make pacs.028: %w", err)
	}
	if in.Return == nil || len(in.Return.TransactionInformation) != 1 {
		return nil, fmt.Errorf("make pacs.028: pacs.004: %w", ErrTransactions)
	}
	returned := in.Return.TransactionInformation[0]
	return question(in.Reference, in.At, iso20022.OriginalGroupInformation27{
		OriginalMessageID: in.Return.GroupHeader.MessageID, OriginalMessageNameID: c.nameOf(in.Return.MessageName()),
	}, iso20022.PaymentTransaction113{
		StatusRequestID: in.RequestID, OriginalInstructionID: returned.OriginalInstructionID,
		OriginalEndToEndID: returned.OriginalEndToEndID, OriginalTransactionID: returned.OriginalTransactionID,
		OriginalUETR: c.uetr(returned.OriginalUETR),
	}), nil
}

// RecallStatusRequestInput is the input of a pacs.028 about a recall.
type RecallStatusRequestInput struct {
	Scheme rulebook.Scheme
	// Recall is the camt.056 we sent.
	Recall *iso20022.FIToFIPaymentCancellationRequest
	// Reference is the MsgId, RequestID the id of the question; both are new each time it is asked.
	Reference, RequestID string
	At                   time.Time
}

// RecallStatusRequest makes the pacs.028 that asks for the answer to a recall. OrgnlInstrId is the CxlId of the recall (EPC). It fails
// with ErrScheme or ErrTransactions.
func RecallStatusRequest(in RecallStatusRequestInput) (*iso20022.FIToFIPaymentStatusRequest, error) {
	c, err := conventionOf(in.Scheme)
	if err != nil {
		return nil, fmt.Errorf("make pacs.028: %w", err)
	}
	recall, err := recallOf(in.Recall)
	if err != nil {
		return nil, fmt.Errorf("make pacs.028: %w", err)
	}
	return question(in.Reference, in.At, iso20022.OriginalGroupInformation27{
		OriginalMessageID: in.Recall.Assignment.ID, OriginalMessageNameID: c.nameOf(in.Recall.MessageName()),
	}, iso20022.PaymentTransaction113{
		StatusRequestID: in.RequestID, OriginalInstructionID: recall.CancellationID, OriginalEndToEndID: recall.OriginalEndToEndID,
		OriginalTransactionID: recall.OriginalTransactionID, OriginalUETR: c.uetr(recall.OriginalUETR),
	}), nil
}

func question(
	reference string, at time.Time, group iso20022.OriginalGroupInformation27, transaction iso20022.PaymentTransaction113,
) *iso20022.FIToFIPaymentStatusRequest {
	return &iso20022.FIToFIPaymentStatusRequest{
		GroupHeader:              iso20022.GroupHeader91{MessageID: reference, CreationDateTime: dateTime(at)},
		OriginalGroupInformation: []iso20022.OriginalGroupInformation27{group},
		TransactionInformation:   []iso20022.PaymentTransaction113{transaction},
	}
}
