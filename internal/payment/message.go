package payment

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"countersign/internal/i18n"
	"countersign/internal/identity"
	"countersign/internal/iso20022"
	"countersign/internal/keyring"
	"countersign/internal/money"
	"countersign/internal/payee"
	"countersign/internal/profile"
	"countersign/internal/rulebook"
)

// Digest is the SHA-256 of a document's exact bytes. It travels with the page, the decision and the release.
type Digest [sha256.Size]byte

// ParseDigest reads the 64 hexadecimal digits that a page or a caller sends back. It fails for anything else, and for zeros, which are
// the digest of nothing.
func ParseDigest(text string) (Digest, error) {
	var d Digest
	if len(text) != hex.EncodedLen(len(d)) {
		return d, errNoDigest
	}
	_, err := hex.Decode(d[:], []byte(text))
	if err != nil || d == (Digest{}) {
		return Digest{}, errNoDigest
	}
	return d, nil
}

var errNoDigest = errors.New("no digest of a document")

// Message is a stored message that a client creates and a checker decides. Treat it as read-only: its methods return
// the transitions that change the stored one.
type Message struct {
	Realm      string
	InternalID uuid.UUID
	GlobalID   ID
	Kind       Kind
	Scheme     rulebook.Scheme
	Direction  Direction
	Channel    identity.Channel
	ClientID   string
	ExternalID string // "" when the client gave none
	// OriginalID is the payment an R-transaction is about; zero for payments.
	OriginalID uuid.UUID
	// AnswersID is the recall that a return or resolution answers: a received one, or one of ours when the answer came in. Zero when none.
	AnswersID uuid.UUID
	AnswerBy  time.Time // when a recall should be answered; zero when there is no such time
	// Deadline is the last day on which an R-transaction may be released; zero when there is none.
	Deadline time.Time
	Reason   string // ISO reason code of an R-transaction
	// MakerUser is the account that created the message, MakerName its display name.
	MakerUser  uuid.UUID
	MakerName  string
	MakerLogin string // the name of the account
	// Makers are the authors of all versions up to the current one; the first created the message. Empty for received
	// messages.
	Makers []uuid.UUID
	// Clients are the clients of all versions up to the current one, each once; the first is ClientID. Empty for
	// received messages.
	Clients           []string
	ApprovalsRequired int
	PolicyID          uuid.UUID // that asked for them; zero for what came in
	ExpiresAt         time.Time // zero when it never waits for approval
	// ExecutionDay is the requested execution date of an instruction, at midnight UTC, as its current version says; zero for none. It is for
	// lists and pages: decisions read the content.
	ExecutionDay time.Time
	CreatedAt    time.Time

	Version   int
	Decisions []Decision // of the current version, in order
	// ApprovalsListed is the number of approvals in the row, for lists, which load no decisions. Checks count the
	// Decisions instead.
	ApprovalsListed int
	State           State
	Sequence        int // of the last history row
	// StateSince is the time of the last move.
	StateSince  time.Time
	AcceptedAt  time.Time // the release: the last approval, or on the execution day; zero before
	DeliveredAt time.Time // clearing has taken the document; zero before
	SettledAt   time.Time
	StatusCode  string // ISO reason code of a refusal
	StatusText  string
	Inquiries   int // status requests sent to clearing
	// RecallState and ReturnState are the states of the newest recall and return of this payment, "" for none.
	// RecallStatusOf and ReturnStatusOf interpret them.
	RecallState State
	ReturnState State

	DocumentID  uuid.UUID
	ContentHash Digest
	Content     []byte // the current version's document: canonical where it was made here, as it came else; see Document
	reading     *reading
	Summary     Summary
	// Payee is the result of the payee verification of the current version; zero if none was made.
	Payee payee.Verification
	// Account is the account an instruction debits, as its bank knows it now; nil for other kinds, in lists, and when it is gone.
	Account *DebtorAccount

	// Seal covers the version and the identity of the message; see Sealer.CheckVersion.
	Seal keyring.Seal
	// Withheld says in words why the stored message cannot be trusted, "" when it can: nobody may decide it, and it is not sent.
	Withheld i18n.Text
}

// Direction is outgoing to clearing or incoming from clearing.
type Direction string

// The directions.
const (
	DirectionOut Direction = "out"
	DirectionIn  Direction = "in"
)

// Summary holds the fields of a document that lists show and searches look for.
type Summary struct {
	Amount        money.Amount
	InstructionID string // "" when the document has none
	EndToEndID    string
	TransactionID string // TxId another bank gave an incoming payment; "" for our own
	UETR          string // "" when the document has none
	DebtorName    string // of an instruction, as the account's master data name its holder
	// OrderedDebtorName is the debtor name in the order of an instruction, "" if it equals the account's.
	OrderedDebtorName string
	DebtorAccount     string // IBAN, compact
	DebtorAgent       string // BIC or IID
	CreditorName      string
	CreditorAccount   string // IBAN, compact
	CreditorAgent     string // BIC or IID, "" when unknown
	Remittance        string // reference or free text, "" when none
}

// Decision is one person's approval or rejection of one version.
type Decision struct {
	Ordinal    int
	Action     Action // ActionApprove or ActionReject
	UserID     uuid.UUID
	PersonID   uuid.UUID
	Name       string // of the checker, as shown to people
	Login      string // the name of the checker's account
	ClientID   string
	Channel    identity.Channel
	Reason     string // of a rejection
	Remark     string // of an approval, "" for none
	DecidedAt  time.Time
	ForVersion int
	// Grant is the grant of the role checker it was made under; zero for decisions of before there were grants.
	Grant identity.Grant
	// FactorUse is the use of the second factor that confirmed an approval, zero for none. FactorKind is its kind.
	FactorUse  uuid.UUID
	FactorKind identity.FactorKind
}

// MadeBy reports whether the person wrote any version of the message.
func (m Message) MadeBy(person uuid.UUID) bool {
	return slices.Contains(m.Makers, person)
}

// CameThrough reports whether any version of the message came through the client.
func (m Message) CameThrough(client string) bool {
	return m.ClientID == client || slices.Contains(m.Clients, client)
}

// Approvals counts the approvals of the current version.
func (m Message) Approvals() int {
	n := 0
	for _, d := range m.Decisions {
		if d.Action == ActionApprove {
			n++
		}
	}
	return n
}

// LastDecision returns the newest decision of the current version, if there is one.
func (m Message) LastDecision() (Decision, bool) {
	if len(m.Decisions) == 0 {
		return Decision{}, false
	}
	return m.Decisions[len(m.Decisions)-1], true
}

// reading decodes the document of a content on first use. Copies of a message share it, so that a request decodes a content once.
type reading struct {
	once     sync.Once
	content  []byte
	document iso20022.Document
	findings []Finding
}

// WithContent returns the message with its stored content.
func (m Message) WithContent(content []byte) Message {
	m.Content, m.reading = content, &reading{content: content}
	return m
}

// Document decodes the content. Copies of the message share the result, so callers must not change it. Findings mean
// that another program wrote the content. New content is decoded again.
func (m Message) Document() (iso20022.Document, []Finding) {
	r := m.reading
	if r == nil || len(m.Content) == 0 || len(m.Content) != len(r.content) || &m.Content[0] != &r.content[0] {
		return profile.Read(m.Content)
	}
	r.once.Do(func() { r.document, r.findings = profile.Read(r.content) })
	return r.document, r.findings
}

// DocumentOf is the content of a payment order, to read. It fails only when the content is not what this program wrote.
func DocumentOf(m Message) (*iso20022.CustomerCreditTransferInitiation, error) {
	return contentOf[*iso20022.CustomerCreditTransferInitiation](m)
}

// contentOf is the content of a message as the document that its kind is made of. It fails when the content is none, or has findings.
func contentOf[D iso20022.Document](m Message) (D, error) {
	document, findings := m.Document()
	content, ok := document.(D)
	if !ok || len(findings) > 0 {
		var none D
		return none, fmt.Errorf("the stored content of %s is no valid %s", m.InternalID, none.MessageName())
	}
	return content, nil
}

// EventType names what happened to a message, or that a change was applied, in the stream of events.
type EventType string

// The event types that are not made of the name of a state.
const (
	EventCreated         EventType = "message.created"
	EventAmended         EventType = "message.amended"
	EventPaymentReceived EventType = "payment.received"
	EventRecallReceived  EventType = "recall.received"
	EventRecallAnswered  EventType = "recall.answered"
	EventChangeApplied   EventType = "change.applied"
)

// Event returns the type of the event of a move; "" for a move that changes nothing for a client, such as a question to clearing.
func (m Move) Event() EventType {
	switch {
	case m.Action == ActionSubmit:
		return EventCreated
	case m.Action == ActionAmend:
		return EventAmended
	case m.From == StateNone && m.Kind == KindPayment && m.To != StateFailed:
		return EventPaymentReceived
	case m.From == StateNone && m.Kind == KindReceivedRecall:
		return EventRecallReceived
	case m.To == StateAnswered, m.Action == ActionAccept, m.Action == ActionRefuseRecall:
		return EventRecallAnswered
	case m.From == m.To && m.Action != ActionApprove && m.To != StateProcessing:
		return ""
	}
	return m.To.event()
}

func (s State) event() EventType {
	return EventType("message." + strings.ReplaceAll(strings.ToLower(string(s)), " ", "_"))
}
