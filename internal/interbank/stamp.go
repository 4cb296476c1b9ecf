package interbank

import (
	"fmt"
	"time"

	"countersign/internal/iso20022"
)

// Stamp returns a copy of a draft with the creation time, and for a return the settlement day, of its release; the draft stays as it is. A
// draft is made when a maker requests an R-transaction; its stamped copy is sent. The day counts in its own location.
//
// It fails with ErrKind for a document that is no recall, return, resolution, status, status request or receipt.
func Stamp(draft iso20022.Document, at, day time.Time) (iso20022.Document, error) {
	switch document := draft.(type) {
	case *iso20022.FIToFIPaymentCancellationRequest:
		stamped := *document
		stamped.Assignment.CreationDateTime = dateTime(at)
		return &stamped, nil
	case *iso20022.ResolutionOfInvestigation:
		stamped := *document
		stamped.Assignment.CreationDateTime = dateTime(at)
		return &stamped, nil
	case *iso20022.PaymentReturn:
		stamped := *document
		stamped.GroupHeader.CreationDateTime = dateTime(at)
		stamped.GroupHeader.InterbankSettlementDate = iso20022.DateOf(day)
		return &stamped, nil
	case *iso20022.FIToFIPaymentStatusReport:
		stamped := *document
		stamped.GroupHeader.CreationDateTime = dateTime(at)
		return &stamped, nil
	case *iso20022.FIToFIPaymentStatusRequest:
		stamped := *document
		stamped.GroupHeader.CreationDateTime = dateTime(at)
		return &stamped, nil
	case *iso20022.Receipt:
		stamped := *document
		stamped.MessageHeader.CreationDateTime = dateTime(at)
		return &stamped, nil
	default:
		return nil, fmt.Errorf("stamp document: %w", ErrKind)
	}
}
