package payment

import (
	"fmt"

	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/rulebook/rtransactionrule"
)

// MayResolve tells why this recall cannot be refused, or nil: only a received one that nobody has answered can be.
func (m Message) MayResolve() error {
	switch {
	case m.Kind != KindReceivedRecall:
		return refuseOriginal(pointerRecallID, "Choose a recall that came in: this is a "+string(m.Kind)+".")
	case m.State != StateAwaitingDecision:
		return refuseOriginal(pointerRecallID, "This recall is "+string(m.State)+": it needs no answer any more.")
	}
	return nil
}

// NewResolution checks the refusal of a received recall and makes a message of it (camt.029 with RJCR). To grant a recall is a return
// with FOCR, not a resolution.
//
// Errors: ForbiddenError without the role maker; RefusalError for a recall that cannot be refused or is not about the payment, a reason
// the scheme does not have, or information that does not fit it.
func NewResolution(in RequestInput) (Created, error) {
	err := in.checkDoor()
	if err != nil {
		return Created{}, err
	}
	if in.Original.Kind != KindPayment {
		return Created{}, refuseOriginal(pointerCreditID, "Choose a payment that came in: this is a "+string(in.Original.Kind)+".")
	}
	err = in.Recall.MayResolve()
	if err != nil {
		return Created{}, err
	}
	if in.Recall.OriginalID != in.Original.InternalID {
		return Created{}, refuseOriginal(pointerRecallID, "Choose the recall of this payment: this one is about another.")
	}
	err = in.otherScheme(pointerCreditID)
	if err != nil {
		return Created{}, err
	}
	wrong := rtransactionrule.CheckResolution(rtransactionrule.Case{
		Request: rtransactionrule.Request{Reason: in.Reason, Information: in.Information}, Scheme: in.Original.Scheme, RecallReason: in.Recall.Reason,
	})
	if len(wrong) > 0 {
		return Created{}, &RefusalError{Findings: wrong}
	}
	document, findings := iso20022.DecodeXML(in.Recall.Content)
	recall, ok := document.(*iso20022.FIToFIPaymentCancellationRequest)
	if !ok || len(findings) > 0 {
		return Created{}, fmt.Errorf("the stored content of %s is no valid camt.056", in.Recall.InternalID)
	}
	draft, err := interbank.Resolution(interbank.RTransactionInput{
		Request: rtransactionrule.Request{Reason: in.Reason, Information: in.Information}, Scheme: in.Original.Scheme, Recall: recall, Bank: in.Bank, MessageID: referencePrefix[KindResolution] + string(in.GlobalID), ID: string(in.GlobalID), At: in.At,
	})
	if err != nil {
		return Created{}, err
	}
	created, err := in.request(KindResolution, draft, in.Original.Summary.Amount)
	if err != nil {
		return Created{}, err
	}
	created.Message.AnswersID = in.Recall.InternalID
	return created, nil
}
