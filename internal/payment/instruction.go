package payment

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"countersign/internal/account"
	"countersign/internal/calendar"
	"countersign/internal/i18n"
	"countersign/internal/identity"
	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/payee"
	"countersign/internal/rulebook"
)

// Order is a payment order as the API or the portal received it. It goes unchanged to the service, to the rules and to the message made of
// it.
type Order struct {
	Scheme     rulebook.Scheme
	ExternalID string // "" when there is none
	// IdempotencyKey is the client's own key of a request that may come again; "" for none.
	IdempotencyKey string
	Document       *iso20022.CustomerCreditTransferInitiation
	// Structure holds the findings of the parser. Such a document is always refused, but the rules run as well, so
	// that the caller gets all findings at once.
	Structure  []Finding
	Source     []byte // the bytes the client sent
	SourceType string // media type of Source
	Note       string // to the checkers, at most MaxReason characters; of an amendment, why it is made
	Replaces   int    // the version an amendment was made from; 0 when its editor did not say
	// Part is the place of the order in a file of several payments, from 1; 0 for an order of its own. The orders of a file share its MsgId.
	Part int
	// Seen are the payments like this one that the maker was shown; nil stores it whatever is like it.
	Seen *SeenAlike
	// ManyTransactions lets a dry run check a document with more than one payment; none is ever made of it.
	ManyTransactions bool
}

// SeenAlike names the payments since a time to the same account of the same amount that a maker was shown.
type SeenAlike struct {
	Since time.Time
	IDs   []uuid.UUID
}

// ErrAlike refuses an order like another one that was stored after its maker looked.
var ErrAlike = errors.New("a payment like this one was made meanwhile")

// partMark separates a MsgId from the position of a payment in its file. No rule book allows this character in a MsgId.
const partMark = "#"

// MessageKey is the key under which a client uses the MsgId of an order once: the MsgId, behind the first payment of a file with the place
// in the file.
func (o Order) MessageKey() string {
	key := o.Document.GroupHeader.MessageID
	if o.Part > 1 {
		key += partMark + strconv.Itoa(o.Part)
	}
	return key
}

// InstructionInput is everything a new instruction is made of. Times and identifiers come from the caller.
type InstructionInput struct {
	Order

	By      identity.Principal
	Account *DebtorAccount // the debtor account when it is one of the realm's, else nil
	// Directory knows the creditors' banks of the scheme and which of them instant payments reach; nil asks nothing about them, as where no
	// database is at hand.
	Directory *account.Directory
	Policy    Policy
	Rules     rulebook.Settings
	// Limits are those that bind the order: of its account, its client and its maker.
	Limits []rulebook.SpendingLimit
	// Further are the account and the limits of each payment information behind the first, for a dry run of many.
	Further []Debit
	// Payee is the result of the payee verification; zero if none was requested. No rule reads it.
	Payee payee.Verification

	GlobalID   ID
	InternalID uuid.UUID
	DocumentID uuid.UUID
	At         time.Time
	Today      time.Time // the day of At in the scheme's time zone
	Seal       Sealer
}

// Created is a new message on its way to the store.
type Created struct {
	Message Message // in its first state
	Actor   identity.Actor
	Grant   identity.Grant // of the role maker, under which the actor made it; zero for what comes in
	Origin  Origin         // of the message's content
	Release *Release       // when the policy asks for no approval
	// Uses are the amounts that the release adds to daily limits.
	Uses   []rulebook.LimitUse
	Action Action // that leads to the first state
	// MessageKey is the client's own message id (MsgId), which it may use once; "" when the order has none.
	MessageKey string
	// Fingerprint identifies a repeated request: OrderFingerprint, or that of an RTransaction. Zero for received
	// messages.
	Fingerprint Digest
	// IdempotencyKey is the client's word for a repeatable request; "" when it gave none.
	IdempotencyKey string
}

// NewInstruction checks a payment order and makes a message of it: Approval Pending, or Processing when its policy requires no approval.
//
// Errors: ForbiddenError without the role maker; RefusalError with every rule the document breaks; FieldError for the note.
func NewInstruction(in InstructionInput) (Created, error) {
	if !in.By.Has(identity.RoleMaker) {
		return Created{}, &ForbiddenError{Text: "You need the maker role to create payments."}
	}
	draft, err := NewDraft(in)
	if err != nil {
		return Created{}, err
	}
	err = checkNote(in.Note, "/note")
	if err != nil {
		return Created{}, err
	}
	m := Message{
		InternalID: in.InternalID, GlobalID: in.GlobalID, Kind: KindInstruction, Scheme: in.Scheme, ExternalID: in.ExternalID,
		Account: in.Account, DocumentID: draft.DocumentID, ContentHash: draft.Hash, Summary: draft.Summary, Payee: draft.Payee,
		ExecutionDay: draft.ExecutionDay,
	}
	grant, _ := in.By.Grant(identity.RoleMaker)
	created := Created{
		Actor: in.By.Actor(), Grant: grant, Origin: draft.Origin, Action: ActionSubmit, MessageKey: in.MessageKey(),
		Fingerprint: draft.fingerprint, IdempotencyKey: in.IdempotencyKey,
	}
	return created.open(m.WithContent(draft.Content), opening{
		by: in.By, policy: in.Policy, limits: in.Limits, at: in.At, seal: in.Seal,
		later: rulebook.IsLater(&in.Document.PaymentInformation[0], in.Today),
	}), nil
}

// opening holds the maker, the time and the terms of a new message.
type opening struct {
	by     identity.Principal
	policy Policy
	limits []rulebook.SpendingLimit
	at     time.Time
	seal   Sealer
	later  bool // it asks for a later day
}

// open sets the first version and the first state of a message with content and maker: pending until the end of its policy's time; without
// required approvals scheduled for a later day, or else released, which uses the limits that bind it.
func (c Created) open(m Message, o opening) Created {
	by := o.by
	m.Realm, m.Direction, m.Channel, m.ClientID, m.Clients = by.Realm, DirectionOut, by.Channel, by.ClientID, []string{by.ClientID}
	m.MakerUser, m.MakerName, m.MakerLogin, m.Makers = by.UserID, by.DisplayName, by.UserName, []uuid.UUID{by.PersonID}
	m.ApprovalsRequired, m.PolicyID, m.CreatedAt = o.policy.ApprovalsRequired, o.policy.ID, o.at
	m.Version, m.State, m.Sequence, m.StateSince = 1, StateApprovalPending, 1, o.at
	switch {
	case o.policy.ApprovalsRequired > 0:
		m.ExpiresAt = o.at.Add(o.policy.PendingFor)
	case o.later:
		m.State = StateScheduled
	default:
		m.State, m.AcceptedAt = StateProcessing, o.at
		release := m.release(nil, o.at, o.seal)
		c.Release = &release
		if m.Kind.Limited() {
			c.Uses = rulebook.LimitUses(m.Summary.Amount, o.limits)
		}
	}
	c.Message = m
	return c
}

// InstructionPreview is the expected result of NewInstruction, for the maker's review.
type InstructionPreview struct {
	Findings []Finding
	Summary  Summary           // empty where there are findings
	Document iso20022.Document // to clearing, as Message.ToClearing makes it; nil where there are findings
}

// PreviewInstruction checks a payment order by the same rules as NewInstruction.
func PreviewInstruction(in InstructionInput) (InstructionPreview, error) {
	findings := CheckInstruction(in)
	if len(findings) > 0 {
		return InstructionPreview{Findings: findings}, nil
	}
	summary, err := SummaryOf(in.Document)
	if err != nil {
		return InstructionPreview{}, err
	}
	summary = summary.asSent(in)
	routed := Message{Scheme: in.Scheme, Summary: summary}.routedTo()
	document, err := orderToClearing(transferInput(in.Scheme, in.Document, *in.Account, routed))
	return InstructionPreview{Summary: summary, Document: document}, err
}

// CheckInstruction returns all findings of a document, in document order: those of the parser (Structure), of the
// scheme rules, of the interbank subset, of the debtor account, of the creditor's bank, and of the limits. The API,
// the upload and countersign validate use it.
func CheckInstruction(in InstructionInput) []Finding {
	asked := rulebook.Input{
		Scheme: in.Scheme, Document: in.Document, Today: in.Today, Now: in.At,
		Settings: in.Rules, ManyTransactions: in.ManyTransactions,
	}
	findings := append(rulebook.Check(asked), interbank.Check(in.Scheme, in.Document)...)
	for index, debit := range in.debits() {
		findings = append(findings, debit.check(in, index)...)
	}
	findings = append(findings, rulebook.CheckReach(rulebook.ReachInput{
		Scheme: in.Scheme, Document: in.Document, Today: in.Today, Directory: in.Directory, Found: slices.Concat(findings, in.Structure),
	})...)
	slices.SortStableFunc(findings, func(a, b Finding) int { return rulebook.ComparePointers(a.Pointer, b.Pointer) })
	return together(in.Structure, findings)
}

// StillHolds checks a pending message against its rules again, at the moment of an approval: a limit, a date, an address form or a
// deadline may have run out while it waited. It fails with RefusalError.
//
// The execution date of an instruction is left out: it was no day of the past when the maker submitted, and a payment whose day has come
// executes at its last approval.
func (m Message) StillHolds(on ApprovalContext, at time.Time) error {
	if m.Kind != KindInstruction {
		return m.inTime(on.Today)
	}
	doc, err := DocumentOf(m)
	if err != nil {
		return err
	}
	findings := append(m.checkDebtor(), rulebook.RecheckReach(rulebook.ReachEntered{
		Scheme: m.Scheme, IBAN: m.Summary.CreditorAccount, Agent: m.routedTo(), Today: on.Today, Against: on.Directory,
	})...)
	for _, f := range rulebook.Check(rulebook.Input{Scheme: m.Scheme, Document: doc, Today: on.Today, Now: at, Settings: on.Rules}) {
		if !strings.Contains(f.Pointer, "/ReqdExctnDt") {
			findings = append(findings, f)
		}
	}
	if len(findings) > 0 {
		return &RefusalError{Findings: findings}
	}
	return nil
}

// inTime refuses an R-transaction whose last day is over.
func (m Message) inTime(today time.Time) error {
	if m.Deadline.IsZero() || calendar.Compare(today, m.Deadline) <= 0 {
		return nil
	}
	return &RefusalError{Findings: []Finding{{
		Rule: string(m.Kind) + "-deadline", Pointer: pointerInternalID, Code: "TM01",
		Text: i18n.Text("The deadline for this %s was %s.").With(m.Kind.Text(), i18n.Day(m.Deadline)),
	}}}
}
