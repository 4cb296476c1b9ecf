package interbank

import (
	"fmt"
	"time"

	"countersign/internal/iso20022"
	"countersign/internal/rulebook"
)

// StatusRequestInput is the input of a pacs.028.
type StatusRequestInput struct {
	Scheme rulebook.Scheme
	// About is the document we sent: a pacs.008, pacs.004 or camt.056.
	About iso20022.Document
	// Reference is the MsgId, RequestID the id of the question; both are new each time it is asked.
	Reference, RequestID string
	At                   time.Time
}

// StatusRequest makes the pacs.028 about a payment, a return or a recall, whose answer is missing. It cites the document and, as that does,
// the ids of the payment. OrgnlInstrId of a recall is its CxlId (EPC).
//
// It fails with ErrScheme, ErrTransactions, ErrIncomplete, or ErrKind for any other document.
func StatusRequest(in StatusRequestInput) (*iso20022.FIToFIPaymentStatusRequest, error) {
	c, err := conventionOf(in.Scheme)
	if err != nil {
		return nil, fmt.Errorf("make pacs.028: %w", err)
	}
	about, err := asked(in.About)
	if err != nil {
		return nil, fmt.Errorf("make pacs.028: %w", err)
	}
	return &iso20022.FIToFIPaymentStatusRequest{
		GroupHeader: iso20022.GroupHeader91{MessageID: in.Reference, CreationDateTime: dateTime(in.At)},
		OriginalGroupInformation: []iso20022.OriginalGroupInformation27{{
			OriginalMessageID: about.messageID, OriginalMessageNameID: c.nameOf(about.messageName),
		}},
		TransactionInformation: []iso20022.PaymentTransaction113{{
			StatusRequestID: in.RequestID, OriginalInstructionID: about.instructionID, OriginalEndToEndID: about.endToEndID,
			OriginalTransactionID: about.transactionID, OriginalUETR: c.uetr(about.uetr), AcceptanceDateTime: about.acceptedAt,
		}},
	}, nil
}

// asked returns the fields that a pacs.028 repeats of its document.
func asked(about iso20022.Document) (original, error) {
	switch document := about.(type) {
	case *iso20022.FIToFICustomerCreditTransfer, *iso20022.PaymentReturn:
		return answered(document)
	case *iso20022.FIToFIPaymentCancellationRequest:
		recall, err := recallOf(document)
		if err != nil {
			return original{}, err
		}
		return original{
			messageID: document.Assignment.ID, messageName: document.MessageName(), instructionID: recall.CancellationID,
			endToEndID: recall.OriginalEndToEndID, transactionID: recall.OriginalTransactionID, uetr: recall.OriginalUETR,
		}, nil
	}
	return original{}, fmt.Errorf("no status can be asked for %s: %w", about.MessageName(), ErrKind)
}
