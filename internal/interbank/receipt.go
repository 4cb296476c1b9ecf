package interbank

import (
	"fmt"
	"time"

	"countersign/internal/iso20022"
	"countersign/internal/rulebook"
)

// ReceiptInput is the input of a camt.025.
type ReceiptInput struct {
	Scheme rulebook.Scheme
	// About is the received document: a camt.056 or camt.029.
	About iso20022.Document
	// Refused makes it a negative receipt (RJCT).
	Refused bool
	// Description explains a negative one, at most 140 characters.
	Description string
	// Reference is the MsgId.
	Reference string
	At        time.Time
}

const descriptionLength = 140

// Receipt makes the camt.025 that confirms a recall or its refusal. It names the message by its full definition in either scheme.
//
// It fails with ErrScheme, or ErrKind for any other document.
func Receipt(in ReceiptInput) (*iso20022.Receipt, error) {
	c, err := conventionOf(in.Scheme)
	if err != nil {
		return nil, fmt.Errorf("make camt.025: %w", err)
	}
	var messageID string
	switch about := in.About.(type) {
	case *iso20022.FIToFIPaymentCancellationRequest:
		messageID = about.Assignment.ID
	case *iso20022.ResolutionOfInvestigation:
		messageID = about.Assignment.ID
	default:
		return nil, fmt.Errorf("make camt.025: it confirms a camt.056 or camt.029: %w", ErrKind)
	}
	handling := iso20022.RequestHandling1{StatusCode: statusAccepted, Description: c.text(in.Description, descriptionLength)}
	if in.Refused {
		handling.StatusCode = statusRejected
	}
	return &iso20022.Receipt{
		MessageHeader: iso20022.MessageHeader9{MessageID: in.Reference, CreationDateTime: dateTime(in.At)},
		ReceiptDetails: []iso20022.Receipt3{{
			OriginalMessageID: iso20022.OriginalMessageAndIssuer1{MessageID: messageID, MessageNameID: string(in.About.MessageName())},
			RequestHandling:   []iso20022.RequestHandling1{handling},
		}},
	}, nil
}
