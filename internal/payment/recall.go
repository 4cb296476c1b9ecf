package payment

import (
	"time"

	"countersign/internal/i18n"
	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/profile"
	"countersign/internal/rulebook"
)

const (
	pointerInternalID = "/identifiers/internalId"
	pointerCreditID   = "/identifiers/creditId" //nolint:gosec // a place in a request
	pointerRecallID   = "/identifiers/recallId"
)

// recallKind requests the money of our settled payment from the creditor's bank (camt.056).
var recallKind = rTransactionKind{
	pointer: pointerInternalID,
	eligible: func(s RTransactionSubject) error {
		m := s.Original
		switch {
		case m.Kind != KindInstruction:
			return refuseOriginal(pointerInternalID, i18n.Text("Choose a payment that you sent. The message you chose is a different type: %s.").
				With(m.Kind.Text()))
		case m.State.Pending():
			return refuseOriginal(pointerInternalID, "This payment has not been sent yet. Withdraw it instead of recalling it.")
		case m.State != StateSettled:
			return refuseOriginal(pointerInternalID, i18n.Text("Only a settled payment can be recalled. The state of this payment is %s.").
				With(m.State.Text()))
		case ShowsReturn(m) && ReturnStatusOf(m.ReturnState) == ReturnDone:
			return refuseOriginal(pointerInternalID, "This payment has already been returned, and your institution has received the money.")
		}
		return nil
	},
	reasons: func(s RTransactionSubject, terms rulebook.Terms) []rulebook.Reason {
		return rulebook.OfferedRecallReasons(s.Original.Scheme, terms)
	},
	check: rulebook.CheckRecall,
	lastDay: func(c rulebook.RTransactionCase) (time.Time, bool) {
		return rulebook.RecallDeadline(c.Scheme, c.Reason, c.Settled, c.Settings)
	},
	draft: func(in RTransactionInput, asked interbank.RTransactionInput) (iso20022.Document, error) {
		sent, _ := profile.Read(in.About.Sent)
		asked.Original, _ = sent.(*iso20022.FIToFICustomerCreditTransfer)
		return interbank.CancellationRequest(asked)
	},
}

// RecallStatus is the recall status that a payment shows.
type RecallStatus string

// The recall statuses; "" is a payment without recall.
const (
	RecallInProgress RecallStatus = "Recall in Progress"
	RecallAccepted   RecallStatus = "Recalled"
	RecallRefused    RecallStatus = "Recall Refused"
)

// RecallStatusOf derives the status from the state of the recall. A recall that was closed before release or refused
// by clearing has none.
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
