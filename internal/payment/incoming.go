package payment

import (
	"cmp"
	"crypto/sha256"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"countersign/internal/i18n"
	"countersign/internal/identity"
	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/rulebook"
)

// ArrivalInput is a document of clearing that becomes a message of its own: an incoming payment, a recall of one, or the answer to a recall
// of ours.
type ArrivalInput struct {
	Realm      string
	Scheme     rulebook.Scheme
	Name       iso20022.MessageName
	Reference  string // message id
	Content    []byte
	GlobalID   ID
	InternalID uuid.UUID
	DocumentID uuid.UUID
	At         time.Time
}

func (in ArrivalInput) message(kind Kind, state State, summary Summary) Created {
	m := Message{
		Realm: in.Realm, InternalID: in.InternalID, GlobalID: in.GlobalID, Kind: kind, Scheme: in.Scheme, Direction: DirectionIn,
		Channel: identity.ChannelClearing, CreatedAt: in.At, Version: 1, State: state, Sequence: 1, StateSince: in.At,
		DocumentID: in.DocumentID, ContentHash: sha256.Sum256(in.Content), Summary: summary,
	}
	return Created{
		Actor: identity.Gateway(identity.ChannelClearing), Message: m.WithContent(in.Content),
		Origin: Origin{Direction: DocumentIn, Name: in.Name, Reference: in.Reference},
	}
}

// IncomingRefusal is the reason an incoming payment is refused with; the zero value is none.
type IncomingRefusal struct {
	Code string // ISO ExternalStatusReason1Code
	Text string
}

// IncomingRefusal is the reason this incoming payment is refused with; the zero value while it is not.
func (m Message) IncomingRefusal() IncomingRefusal {
	if m.State != StateFailed {
		return IncomingRefusal{} // a status of clearing that ends nothing is no refusal
	}
	return IncomingRefusal{Code: m.StatusCode, Text: m.StatusText}
}

// Incoming is the account as the rules of incoming payments read it.
func (a DebtorAccount) Incoming() *rulebook.IncomingAccount {
	return &rulebook.IncomingAccount{Open: a.Open, Scheme: a.Scheme, Currency: a.Currency, BIC: a.AgentBIC, IID: a.AgentIID}
}

// CheckIncoming returns the refusal of an incoming payment with one transaction, by the table of rulebook.IncomingRules; the zero value
// accepts it.
func CheckIncoming(in rulebook.Incoming) IncomingRefusal {
	rule, broken := rulebook.CheckIncoming(in)
	if !broken {
		return IncomingRefusal{}
	}
	return IncomingRefusal{Code: rule.Code, Text: rule.Text}
}

// NewIncoming makes the message of an incoming payment: Failed with the reason it is refused with, else Accepted, or Booked at once where
// clearing does not confirm settlement.
func NewIncoming(in ArrivalInput, transfer interbank.Transfer, refused IncomingRefusal, confirms bool) Created {
	c := in.message(KindPayment, StateAccepted, incomingSummary(transfer))
	c.Action = ActionReceive
	switch {
	case refused.Code != "":
		c.Action, c.Message.State = ActionRejectByClearing, StateFailed
		c.Message.StatusCode, c.Message.StatusText = refused.Code, refused.Text
	case !confirms:
		c.Action, c.Message.State, c.Message.SettledAt = ActionBook, StateBooked, in.At
	}
	return c
}

// incomingSummary holds the searched fields of an incoming payment.
func incomingSummary(transfer interbank.Transfer) Summary {
	return Summary{
		Amount: transfer.Amount, InstructionID: transfer.InstructionID, EndToEndID: transfer.EndToEndID,
		TransactionID: transfer.TransactionID, UETR: transfer.UETR,
		DebtorName: transfer.Debtor.Name, DebtorAccount: transfer.Debtor.IBAN, DebtorAgent: transfer.Debtor.Agent,
		CreditorName: transfer.Creditor.Name, CreditorAccount: transfer.Creditor.IBAN, CreditorAgent: transfer.Creditor.Agent,
		Remittance: cmp.Or(transfer.Reference, transfer.Remittance),
	}
}

// NewReceivedRecall makes the message of another bank's recall: it awaits a decision until answerBy.
func NewReceivedRecall(in ArrivalInput, recall interbank.Cancellation, original Message, answerBy time.Time) Created {
	c := in.message(KindReceivedRecall, StateAwaitingDecision, original.Summary)
	c.Action = ActionReceive
	c.Message.OriginalID, c.Message.AnswerBy = original.InternalID, dayOf(answerBy)
	return c.because(recall.Reason)
}

// NewReceivedReturn makes the message of money that another bank sends back (pacs.004) after our recall.
func NewReceivedReturn(in ArrivalInput, returned interbank.Returned, recall Message) Created {
	summary := recall.Summary
	summary.Amount = returned.Amount
	c := in.answer(KindReturn, StateSettled, summary, recall)
	c.Message.SettledAt = in.At
	return c.because(returned.Reason)
}

// NewPlainReturn makes the message of a payment of ours that another bank sends back (pacs.004) without a recall.
func NewPlainReturn(in ArrivalInput, returned interbank.Returned, original Message) Created {
	summary := original.Summary
	summary.Amount = returned.Amount
	c := in.message(KindReturn, StateSettled, summary)
	c.Action = ActionReceive
	c.Message.OriginalID, c.Message.SettledAt = original.InternalID, in.At
	return c.because(returned.Reason)
}

// NewReceivedResolution makes the message of another bank's refusal (camt.029) of a recall of ours.
func NewReceivedResolution(in ArrivalInput, refusal interbank.NegativeResolution, recall Message) Created {
	return in.answer(KindResolution, StateCommunicated, recall.Summary, recall).because(refusal.Reason)
}

// answer is the message of an answer to a recall of ours: about the same payment, and final.
func (in ArrivalInput) answer(kind Kind, state State, summary Summary, recall Message) Created {
	c := in.message(kind, state, summary)
	c.Action = ActionReceive
	c.Message.OriginalID, c.Message.AnswersID = recall.OriginalID, recall.InternalID
	return c
}

// reasonLength is the length of an ISO reason code, in characters.
const reasonLength = 4

// because stores the reason of another bank. A proprietary code may be longer than those of the lists: it is stored with the words.
func (c Created) because(why interbank.Reason) Created {
	if utf8.RuneCountInString(why.Code) > reasonLength {
		why.Code, why.Text = "NARR", strings.TrimSpace(why.Code+" "+why.Text)
	}
	c.Message.Reason, c.Message.StatusText = why.Code, i18n.Data(why.Text).AtMost(MaxReason).String()
	return c
}
