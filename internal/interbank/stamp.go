package interbank

import (
	"fmt"
	"time"

	"countersign/internal/iso20022"
)

// Stamp gives a draft the creation time, and a return the settlement day, of its release; nothing else changes. A draft is made when
// a maker asks for an R-transaction, and what is sent is its stamped copy. The draft itself stays as it is. The day counts as it reads
// in its own location.
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
