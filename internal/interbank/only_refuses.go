package interbank

import (
	"errors"
	"fmt"
	"reflect"

	"countersign/internal/iso20022"
)

// ErrNoRefusal reports a document that is no refusal of another one, or has further content.
var ErrNoRefusal = errors.New("it is no refusal of the document that it answers, or says more than that document")

// OnlyRefuses checks that an answer refuses a document and repeats nothing but that document: a camt.029 with RJCR a camt.056, back to the
// bank that sent it, a pacs.002 with RJCT a pacs.028. Beside the ids of the answer only its reason, its time and our bank are new. It fails
// with ErrNoRefusal, a MismatchError, or when one of them cannot be read.
func OnlyRefuses(asked, answer iso20022.Document) error {
	switch asked := asked.(type) {
	case *iso20022.FIToFIPaymentCancellationRequest:
		if refusal, is := answer.(*iso20022.ResolutionOfInvestigation); is {
			return refusesRecall(asked, refusal)
		}
	case *iso20022.FIToFIPaymentStatusRequest:
		if refusal, is := answer.(*iso20022.FIToFIPaymentStatusReport); is {
			return refusesQuestion(asked, refusal)
		}
	}
	return fmt.Errorf("%s to %s: %w", answer.MessageName(), asked.MessageName(), ErrNoRefusal)
}

func refusesRecall(asked *iso20022.FIToFIPaymentCancellationRequest, refusal *iso20022.ResolutionOfInvestigation) error {
	recall, err := ReadCancellation(asked)
	if err != nil {
		return err
	}
	said, err := ReadResolution(refusal)
	if err != nil {
		return err
	}
	from, to := asked.Assignment.Assigner, refusal.Assignment.Assignee
	repeated := refusal.CancellationDetails[0].TransactionInformationAndStatus[0]
	copied := asked.Underlying[0].TransactionInformation[0].OriginalTransactionReference
	refuses := said.Refused && refusal.Status.Confirmation == rejected
	if !refuses || said.Original.TransactionID != recall.Original.TransactionID || !reflect.DeepEqual(from, to) ||
		!reflect.DeepEqual(repeated.OriginalTransactionReference, copied) {
		return ErrNoRefusal
	}
	return said.Original.Agree(recall.Original)
}

func refusesQuestion(asked *iso20022.FIToFIPaymentStatusRequest, refusal *iso20022.FIToFIPaymentStatusReport) error {
	question, err := ReadStatusRequest(asked)
	if err != nil {
		return err
	}
	said, err := ReadStatus(refusal)
	if err != nil {
		return err
	}
	if said.Status != statusRejected || said.Original.TransactionID != question.Original.TransactionID ||
		refusal.TransactionInformationAndStatus[0].OriginalTransactionReference != nil {
		return ErrNoRefusal
	}
	return said.Original.Agree(question.Original)
}
