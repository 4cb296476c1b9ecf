package payment

import (
	"time"

	"github.com/google/uuid"

	"countersign/internal/i18n"
	"countersign/internal/rulebook"
)

// RTransactionSubject holds the stored payment that an R-transaction refers to, with its context.
type RTransactionSubject struct {
	Original Message // the payment: ours for a recall, an incoming one for a return or a resolution
	Recall   Message // the received recall of the payment; the zero Message when there is none
	// Others are the existing R-transactions about the payment. Only kind, state, Global ID and the answered message
	// are read.
	Others []Message

	Sent    []byte                   // the pacs.008 that was sent for Original; nil for an incoming payment
	Account *DebtorAccount           // ours in the payment; nil when it is gone
	Policy  Policy                   // the new message would fall under
	Limits  []rulebook.SpendingLimit // bind the new message
	Mark    string                   // opens the realm's Global IDs
}

// Recalled reports whether another bank waits for an answer to its recall.
func (s RTransactionSubject) Recalled() bool { return s.Recall.State == StateAwaitingDecision }

// SettledOn is the day a payment settled, in the zone of the banking day: ours at its last approval, another bank's on its arrival.
func (m Message) SettledOn(zone *time.Location) time.Time {
	if m.Kind == KindInstruction {
		return m.AcceptedAt.In(zone)
	}
	return m.CreatedAt.In(zone)
}

// Eligible returns the reason why no R-transaction of the kind can be made of the payment now (RefusalError, or WithheldError when it or
// its recall is withheld), or nil. Pages call it before they offer one. NewRTransaction checks the same in parts: the state, then trust,
// the rules, and exclusions.
func (s RTransactionSubject) Eligible(kind Kind, rules rulebook.Settings) error {
	err := s.stateAllows(kind)
	if err != nil {
		return err
	}
	for _, m := range []Message{s.Original, s.Recall} {
		if m.Withheld != "" {
			return &WithheldError{Message: m}
		}
	}
	err = s.excluded(kind)
	if err != nil {
		return err
	}
	asked := rulebook.RTransactionCase{Scheme: s.Original.Scheme, Recalled: s.Recalled(), Settings: rules}
	if finding, refused := rulebook.OnlyAfterRecall(asked); kind == KindReturn && refused {
		return &RefusalError{Findings: []Finding{finding}}
	}
	return nil
}

// stateAllows refuses a kind that the payment, or for a resolution its recall, is not in the state for.
func (s RTransactionSubject) stateAllows(kind Kind) error {
	rTransaction, known := rTransactionKinds[kind]
	if !known {
		return refuseOriginal(pointerInternalID, i18n.ForPrograms("Choose a recall, a return or a resolution: a %s is not made this way.", kind))
	}
	return rTransaction.eligible(s)
}

// trusted refuses a payment or recall that differs from the sent or received document (WithheldError). The new
// R-transaction gets its own seal, so a checker could not detect the forged original.
func (s RTransactionSubject) trusted() error {
	err := s.Original.Trusted()
	if err != nil || s.Recall.InternalID == uuid.Nil {
		return err
	}
	return s.Recall.Trusted()
}

// excluded refuses a second R-transaction of a payment. The database enforces the same in races: one recall of a payment for ever, one
// return, one answer to a recall. R-transactions that ended before their release do not count, nor do failed returns and answers.
func (s RTransactionSubject) excluded(kind Kind) error {
	for _, other := range s.Others {
		if other.State == StateRejected || other.State == StateWithdrawn || other.State == StateExpired {
			continue
		}
		failed := other.State == StateFailed
		answers := s.Recall.InternalID != uuid.Nil && other.AnswersID == s.Recall.InternalID
		switch {
		case kind == KindRecall && other.Kind == KindRecall, // also a failed one: one recall of a payment
			kind == KindReturn && other.Kind == KindReturn && !failed,
			kind != KindRecall && answers && !failed:
			refused := &RefusalError{Findings: []Finding{exclusion(kind, other)}}
			if other.Kind == KindRecall {
				refused.Recall = other.InternalID
			}
			return refused
		}
	}
	return nil
}

// theOther begins the sentence about the excluding R-transaction.
var theOther = map[Kind]i18n.Text{
	KindRecall: "The recall has the ID %s and the state “%s”.", KindReturn: "The return has the ID %s and the state “%s”.",
	KindResolution: "The refusal has the ID %s and the state “%s”.",
}

// exclusion returns the finding for another R-transaction that blocks a new one. The zero Message is an unknown one.
func exclusion(kind Kind, other Message) Finding {
	found := Finding{Rule: rulebook.RuleOneRequest, Pointer: pointerCreditID, Code: "AM05"}
	state := other.State.Text()
	if other.State.Pending() {
		state = "waiting for approval"
	}
	var told i18n.Text
	if other.GlobalID != "" {
		told = theOther[other.Kind].With(other.GlobalID, state)
	}
	switch {
	case kind == KindRecall:
		found.Pointer = pointerInternalID
		found.Text = "This payment has already been recalled. A payment can be recalled only once."
	case kind == KindReturn && (other.Kind == KindReturn || other.Kind == ""):
		found.Text = "This payment is already being returned or has been returned."
	default:
		found.Text = "The recall of this payment has already been answered. You cannot both return the payment and refuse the recall."
	}
	found.Text = i18n.Join(" ", found.Text, told)
	return found
}

// The exclusions that the database enforces, for races.
var (
	ErrOneRecall error = &RefusalError{Findings: []Finding{exclusion(KindRecall, Message{})}}
	ErrOneReturn error = &RefusalError{Findings: []Finding{exclusion(KindReturn, Message{})}}
	ErrOneAnswer error = &RefusalError{Findings: []Finding{exclusion(KindResolution, Message{})}}
)

// refuseOriginal is a refusal because of the payment a request is about.
func refuseOriginal(pointer string, text i18n.Text) error {
	return &RefusalError{Findings: []Finding{{Rule: rulebook.RuleOriginalState, Pointer: pointer, Code: "NARR", Text: text}}}
}
