package payment

import (
	"fmt"

	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/money"
	"countersign/internal/rulebook/rtransactionrule"
)

// MayReturn tells why this payment cannot be sent back, or nil: only an incoming one that is booked can be. That it was not sent back
// before is for the store.
func (m Message) MayReturn() error {
	switch {
	case m.Kind != KindPayment:
		return refuseOriginal(pointerCreditID, "Choose a payment that came in: this is a "+string(m.Kind)+".")
	case m.State != StateBooked:
		return refuseOriginal(pointerCreditID, "Only a booked payment can be sent back: this one is "+string(m.State)+".")
	}
	return nil
}

// NewReturn checks a wish to send an incoming payment back and makes a message of it (pacs.004). When a recall of the payment is open,
// the return answers it.
//
// Errors: ForbiddenError without the role maker; RefusalError for a payment that cannot be sent back, a reason the scheme does not
// have, information or a charge that does not fit, or a time limit that is over.
func NewReturn(in RequestInput) (Created, error) {
	err := in.checkDoor()
	if err != nil {
		return Created{}, err
	}
	err = in.Original.MayReturn()
	if err != nil {
		return Created{}, err
	}
	err = in.otherScheme(pointerCreditID)
	if err != nil {
		return Created{}, err
	}
	recalled := in.Recall.State == StateAwaitingDecision
	settled := in.Original.CreatedAt.In(in.Zone)
	wrong := rtransactionrule.CheckReturn(rtransactionrule.Case{
		Request: rtransactionrule.Request{Reason: in.Reason, Information: in.Information, Charge: in.Charge}, Scheme: in.Original.Scheme, Recalled: recalled, Amount: in.Original.Summary.Amount, Settled: settled, Today: in.today(), Settings: in.Rules,
	})
	if len(wrong) > 0 {
		return Created{}, &RefusalError{Findings: wrong}
	}
	original, err := transferOf(in.Original)
	if err != nil {
		return Created{}, err
	}
	reference := referencePrefix[KindReturn] + string(in.GlobalID)
	draft, err := interbank.Return(interbank.RTransactionInput{
		Request: rtransactionrule.Request{Reason: in.Reason, Information: in.Information, Charge: in.Charge}, Scheme: in.Original.Scheme, Original: original, Bank: in.Bank, MessageID: reference, ID: string(in.GlobalID), At: in.At, Day: in.today(),
	})
	if err != nil {
		return Created{}, err
	}
	amount := in.Original.Summary.Amount
	if !in.Charge.IsZero() {
		amount, err = amount.Subtract(in.Charge)
		if err != nil {
			return Created{}, err
		}
	}
	created, err := in.request(KindReturn, draft, amount)
	if err != nil {
		return Created{}, err
	}
	if recalled {
		created.Message.AnswersID = in.Recall.InternalID
	}
	if last, limited := rtransactionrule.ReturnWindow(in.Original.Scheme, in.Reason, settled, in.Rules); limited {
		created.Message.Deadline = dayOf(last)
	}
	return created, nil
}

// transferOf reads the pacs.008 of an incoming payment.
func transferOf(m Message) (*iso20022.FIToFICustomerCreditTransfer, error) {
	document, findings := iso20022.DecodeXML(m.Content)
	transfer, ok := document.(*iso20022.FIToFICustomerCreditTransfer)
	if !ok || len(findings) > 0 {
		return nil, fmt.Errorf("the stored content of %s is no valid pacs.008", m.InternalID)
	}
	return transfer, nil
}

// ReturnStatus is what an incoming payment shows of its return.
type ReturnStatus string

// The return statuses; "" is a payment that nobody sends back.
const (
	ReturnInProgress ReturnStatus = "Return in Progress"
	ReturnDone       ReturnStatus = "Returned"
)

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

// ParseCharge reads the charge of a return: an amount in the payment's currency, "" for none.
func ParseCharge(currency money.Currency, text string) (money.Amount, error) {
	if text == "" {
		return money.Amount{}, nil
	}
	return money.Parse(currency, text)
}
