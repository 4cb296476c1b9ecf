package payment

import (
	"errors"
	"time"

	"github.com/google/uuid"

	"countersign/internal/i18n"
	"countersign/internal/identity"
	"countersign/internal/interbank"
	"countersign/internal/iso20022/code"
	"countersign/internal/keyring"
)

// Funds is the policy for the reservation of funds of an outgoing payment at core banking.
type Funds string

// The values of a policy.
const (
	FundsRequired  Funds = ""          // without a reservation the payment fails
	FundsPreferred Funds = "preferred" // a refusal ends the payment, but it leaves when core banking is not reached
	FundsNotAsked  Funds = "none"      // core banking is not asked, only told how the payment ended
)

// CoreOutcome is the result of the question to core banking.
type CoreOutcome string

// The outcomes; "" while the answer is not known.
const (
	CoreNotAsked  CoreOutcome = "not asked"
	CoreAccepted  CoreOutcome = "accepted" // reserved, or the account may be credited
	CoreRefused   CoreOutcome = "refused"
	CoreUnreached CoreOutcome = "unreached" // no answer in time: a policy decides
)

// ErrCoreUnreached reports that core banking did not answer in time, or not readably.
var ErrCoreUnreached = errors.New("core banking was not reached")

// CoreAnswer is the answer of core banking about a payment. A Code stops the payment.
type CoreAnswer struct {
	Outcome CoreOutcome
	Code    string // ISO ExternalStatusReason1Code; "" when the payment goes on
	Text    string // of core banking, for our own people
	At      time.Time
}

// The codes of a payment that stops without a code of core banking.
const (
	coreRefusedCode   = "MS03" // no reason
	coreUnreachedOut  = "MS03"
	coreUnreachedIn   = "AB05" // time-out at the creditor's bank
	noFundsText       = "The payment was not sent, because core banking did not reserve the funds."
	fundsUnknownText  = "The payment was not sent, because the policy requires reserved funds and core banking did not answer in time."
	creditRefusedText = "The creditor's account cannot be credited."
	creditUnknownText = "It took too long to check whether the creditor's account can be credited."
)

// CoreRefusal is a refusal by core banking. A code that the ISO list does not have becomes MS03.
func CoreRefusal(reason, text string) CoreAnswer {
	if _, known := code.StatusReasons.Find(reason); !known {
		reason = coreRefusedCode
	}
	return CoreAnswer{Outcome: CoreRefused, Code: reason, Text: i18n.Data(text).AtMost(MaxReason).String()}
}

// CoreUnanswered stands for a missing answer. It stops the payment unless goesOn.
func CoreUnanswered(d Direction, goesOn bool) CoreAnswer {
	a := CoreAnswer{Outcome: CoreUnreached}
	switch {
	case goesOn:
	case d == DirectionIn:
		a.Code = coreUnreachedIn
	default:
		a.Code = coreUnreachedOut
	}
	return a
}

// Refusal is the reason with which an incoming payment is refused for the answer; the zero value for none.
func (a CoreAnswer) Refusal() IncomingRefusal {
	switch {
	case a.Code == "":
		return IncomingRefusal{}
	case a.Outcome == CoreRefused:
		return IncomingRefusal{Code: a.Code, Text: creditRefusedText}
	}
	return IncomingRefusal{Code: a.Code, Text: creditUnknownText}
}

// CoreResult is the end of a payment as reported to core banking.
type CoreResult string

// The results: debit or credit the account; release the reservation; take a credit back.
const (
	CoreSettled CoreResult = "settled"
	CoreFailed  CoreResult = "failed"
)

// CoreBooking is the record of a payment at core banking.
type CoreBooking struct {
	Realm       string
	MessageID   uuid.UUID
	Version     int
	ContentHash Digest
	AskedAt     time.Time
	Answer      CoreAnswer
	// Told is the last result that core banking confirmed, with the sequence of the message at that time; "" for none.
	Told         CoreResult
	ToldSequence int
	ToldAt       time.Time
	Seal         keyring.Seal
	Withheld     i18n.Text // why the record cannot be trusted, when it is read for people; "" when it can
}

// NewCoreBooking begins the record of a message. An answer without outcome is still to come.
func (m Message) NewCoreBooking(a CoreAnswer, at time.Time) CoreBooking {
	return CoreBooking{Realm: m.Realm, MessageID: m.InternalID, Version: m.Version, ContentHash: m.ContentHash, AskedAt: at, Answer: a}
}

func (b CoreBooking) fields() keyring.Fields {
	f := make(keyring.Fields, 0, 512)
	f.Text("countersign core booking 1", b.Realm)
	f.ID(b.MessageID)
	f.Number(int64(b.Version), int64(b.ToldSequence))
	f.Bytes(b.ContentHash[:])
	f.Text(string(b.Answer.Outcome), b.Answer.Code, b.Answer.Text, string(b.Told))
	f.Moment(b.AskedAt)
	f.Moment(b.Answer.At)
	f.Moment(b.ToldAt)
	return f
}

// SealCore makes the seal of the record of a payment at core banking.
func (s Sealer) SealCore(b CoreBooking) keyring.Seal { return s.core.Seal(b.fields()) }

// CheckCore compares the record with its seal. Errors: ErrUnknownKey, ErrForged.
func (s Sealer) CheckCore(b CoreBooking) error { return s.core.Verify(b.Seal, b.fields()) }

// OwnAccount is the IBAN of the account with us that a message debits or credits.
func (m Message) OwnAccount() string {
	if m.Kind == KindPayment || m.Kind == KindReturn && m.Direction == DirectionOut {
		return m.Summary.CreditorAccount
	}
	return m.Summary.DebtorAccount
}

// MovesMoney reports whether the message debits or credits an account with us.
func (m Message) MovesMoney() bool {
	return m.Kind == KindInstruction || m.Kind == KindReturn || m.Kind == KindPayment
}

// PassesCore reports whether the message may have a record at core banking: it moves money, and was released or came in.
func (m Message) PassesCore() bool {
	return m.MovesMoney() && (m.Direction == DirectionIn || !m.AcceptedAt.IsZero())
}

// CoreResult returns the end of the message for core banking; ok is false before the end.
func (m Message) CoreResult() (result CoreResult, ok bool) {
	switch m.State {
	case StateSettled, StateBooked:
		return CoreSettled, m.MovesMoney()
	case StateFailed:
		return CoreFailed, m.MovesMoney()
	default:
		return "", false
	}
}

// Stop ends a released message that was not sent, because core banking did not reserve the funds. ok is false when it has failed already.
// It fails with ErrIllegalMove for one that clearing has.
func (m Message) Stop(a CoreAnswer, at time.Time) (t Transition, ok bool, err error) {
	if m.State == StateFailed {
		return Transition{}, false, nil
	}
	if !m.DeliveredAt.IsZero() || a.Code == "" {
		return Transition{}, false, ErrIllegalMove
	}
	t, err = m.transition(ActionStop, StateFailed, identity.Gateway(identity.ChannelClearing), at)
	t.reason = noFundsText
	if a.Outcome == CoreUnreached {
		t.reason = fundsUnknownText
	}
	t.changes = Changes{StatusCode: a.Code, StatusText: t.reason.String(), DeliveredAt: at}
	return t, err == nil, err
}

// BookingOf returns the entry of the account with us that a message makes. Errors: WithheldError, StateError.
func BookingOf(m Message) (interbank.Booking, error) {
	if m.Withheld != "" {
		return interbank.Booking{}, &WithheldError{Message: m}
	}
	if result, _ := m.CoreResult(); result != CoreSettled {
		return interbank.Booking{}, &StateError{Message: m, Wanted: StateSettled}
	}
	s := m.Summary
	b := interbank.Booking{
		Reference: string(m.GlobalID), Scheme: m.Scheme, Return: m.Kind == KindReturn, Credit: m.Direction == DirectionIn, Amount: s.Amount,
		At: m.SettledAt, InstructionID: s.InstructionID, EndToEndID: s.EndToEndID, UETR: s.UETR, TransactionID: s.TransactionID,
		Debtor:     interbank.BookingParty{Name: s.DebtorName, Account: s.DebtorAccount, Agent: s.DebtorAgent},
		Creditor:   interbank.BookingParty{Name: s.CreditorName, Account: s.CreditorAccount, Agent: s.CreditorAgent},
		Remittance: s.Remittance,
	}
	if m.Kind == KindInstruction {
		b.TransactionID = string(m.GlobalID)
	}
	return b, nil
}
