package payment

import (
	"countersign/internal/interbank"
	"countersign/internal/rulebook/rtransactionrule"
)

const (
	pointerInternalID = "/identifiers/internalId"
	pointerCreditID   = "/identifiers/creditId" //nolint:gosec // a place in a request
	pointerRecallID   = "/identifiers/recallId"
)

// MayRecall tells why this payment cannot be recalled, or nil: only an instruction of ours that has settled can be. That it was not
// recalled before is for the store.
func (m Message) MayRecall() error {
	switch {
	case m.Kind != KindInstruction:
		return refuseOriginal(pointerInternalID, "Choose a payment you sent: this is a "+string(m.Kind)+".")
	case m.State == StateApprovalPending:
		return refuseOriginal(pointerInternalID, "This payment is not sent yet: withdraw it instead of recalling it.")
	case m.State != StateSettled:
		return refuseOriginal(pointerInternalID, "Only a settled payment can be recalled: this one is "+string(m.State)+".")
	}
	return nil
}

// NewRecall checks a wish to recall a payment and makes a message of it (camt.056).
//
// Errors: ForbiddenError without the role maker; RefusalError for a payment that cannot be recalled, a reason the scheme does not have,
// information that does not fit it, or a deadline that is over.
func NewRecall(in RequestInput) (Created, error) {
	err := in.checkDoor()
	if err != nil {
		return Created{}, err
	}
	err = in.Original.MayRecall()
	if err != nil {
		return Created{}, err
	}
	err = in.otherScheme(pointerInternalID)
	if err != nil {
		return Created{}, err
	}
	settled := in.Original.AcceptedAt.In(in.Zone)
	wrong := rtransactionrule.CheckRecall(rtransactionrule.Case{
		Request: rtransactionrule.Request{Reason: in.Reason, Information: in.Information}, Scheme: in.Original.Scheme, Settled: settled, Today: in.today(), Settings: in.Rules,
	})
	if len(wrong) > 0 {
		return Created{}, &RefusalError{Findings: wrong}
	}
	draft, err := interbank.CancellationRequest(interbank.RTransactionInput{
		Request: rtransactionrule.Request{Reason: in.Reason, Information: in.Information}, Scheme: in.Original.Scheme, Original: in.Sent, Bank: in.Bank, MessageID: referencePrefix[KindRecall] + string(in.GlobalID), ID: string(in.GlobalID), At: in.At,
	})
	if err != nil {
		return Created{}, err
	}
	created, err := in.request(KindRecall, draft, in.Original.Summary.Amount)
	if err != nil {
		return Created{}, err
	}
	if last, limited := rtransactionrule.RecallDeadline(in.Original.Scheme, in.Reason, settled, in.Rules); limited {
		created.Message.Deadline = dayOf(last)
	}
	return created, nil
}

// RecallStatus is what a payment shows of its recall.
type RecallStatus string

// The recall statuses; "" is a payment that nobody recalls.
const (
	RecallInProgress RecallStatus = "Recall in Progress"
	RecallAccepted   RecallStatus = "Recalled"
	RecallRefused    RecallStatus = "Recall Refused"
)

// RecallStatusOf derives what a payment shows from the state of its recall. A recall that was closed before release, or that clearing
// refused, leaves nothing behind.
func RecallStatusOf(recall State) RecallStatus {
	switch recall {
	case StateAccepted:
		return RecallAccepted
	case StateRefused:
		return RecallRefused
	case StateRejected, StateWithdrawn, StateExpired, StateFailed, StateNone, "":
		return ""
	default:
		return RecallInProgress
	}
}
