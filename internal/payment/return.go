package payment

import (
	"slices"
	"time"

	"countersign/internal/i18n"
	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/rulebook"
)

// returnKind sends a booked incoming payment back (pacs.004). When a recall of the payment is open, the return answers it.
var returnKind = rTransactionKind{
	pointer: pointerCreditID,
	eligible: func(s RTransactionSubject) error {
		m := s.Original
		switch {
		case m.Kind != KindPayment:
			return refuseOriginal(pointerCreditID, i18n.Text("Choose an incoming payment. The message you chose is a different type: %s.").
				With(m.Kind.Text()))
		case m.State != StateBooked:
			return refuseOriginal(pointerCreditID, i18n.Text("Only a booked payment can be returned. The state of this payment is %s.").
				With(m.State.Text()))
		}
		return nil
	},
	// To answer a recall with the money there is one reason, and without a recall it is not there.
	reasons: func(s RTransactionSubject, terms rulebook.Terms) []rulebook.Reason {
		return slices.DeleteFunc(rulebook.OfferedReturnReasons(s.Original.Scheme, terms), func(r rulebook.Reason) bool {
			return (r.Code == rulebook.ReturnAfterRecall) != s.Recalled()
		})
	},
	check: rulebook.CheckReturn,
	lastDay: func(c rulebook.RTransactionCase) (time.Time, bool) {
		return rulebook.ReturnWindow(c.Scheme, c.Reason, c.Settled, c.Settings)
	},
	draft: func(in RTransactionInput, asked interbank.RTransactionInput) (iso20022.Document, error) {
		original, err := contentOf[*iso20022.FIToFICustomerCreditTransfer](in.About.Original)
		if err != nil {
			return nil, err
		}
		asked.Original = original
		if in.About.Recalled() {
			asked.Recall, err = contentOf[*iso20022.FIToFIPaymentCancellationRequest](in.About.Recall)
			if err != nil {
				return nil, err
			}
		}
		return interbank.Return(asked)
	},
}

// ReturnStatus is the return status that an incoming payment shows.
type ReturnStatus string

// The return statuses; "" is a payment without return.
const (
	ReturnInProgress ReturnStatus = "Return in Progress"
	ReturnDone       ReturnStatus = "Returned"
)

// ShowsReturn reports whether a message shows its return status: an incoming payment, and one of ours whose money came back without a
// recall. Money that a recall brought back shows as the recall status.
func ShowsReturn(m Message) bool {
	return m.Kind == KindPayment || m.Kind == KindInstruction && m.ReturnState != "" && m.RecallState != StateAccepted
}

// ReturnStatusOf derives what an incoming payment shows from the state of its return. A return that was closed before release, or that
// clearing refused, leaves the payment booked.
func ReturnStatusOf(paymentReturn State) ReturnStatus {
	switch paymentReturn {
	case StateSettled:
		return ReturnDone
	case StateRejected, StateWithdrawn, StateExpired, StateFailed, StateNone, "":
		return ""
	default:
		return ReturnInProgress
	}
}
