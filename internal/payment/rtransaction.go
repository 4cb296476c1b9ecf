package payment

import (
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/internal/i18n"
	"countersign/internal/identity"
	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/iso20022/codec"
	"countersign/internal/money"
	"countersign/internal/rulebook"
)

// RTransaction is a maker's request for a recall, a return or a resolution. The API or a form makes it; rules,
// message and interbank document share the value.
type RTransaction struct {
	rulebook.Request

	Kind       Kind            // KindRecall, KindReturn or KindResolution
	Scheme     rulebook.Scheme // of the door it came through; "" for one that serves both
	OriginalID uuid.UUID       // our payment for a recall, the incoming one for a return; may be zero where RecallID is given
	RecallID   uuid.UUID       // the received recall a resolution answers
	ExternalID string          // "" when there is none
	// IdempotencyKey is the client's word for a repeatable request; "" when it gave none.
	IdempotencyKey string
	Source         []byte // the bytes the client sent
	SourceType     string // media type of Source
}

// Fingerprint distinguishes requests under the same key; the ids and times of the draft do not count.
func (r RTransaction) Fingerprint() Digest {
	charge := ""
	if !r.Charge.IsZero() {
		charge = r.Charge.Decimal().String()
	}
	return fingerprint(append([]string{string(r.Kind), r.OriginalID.String(), r.RecallID.String(), r.Reason, charge}, r.Information...)...)
}

// RTransactionInput is everything a new R-transaction is made of. Times and identifiers come from the caller.
type RTransactionInput struct {
	RTransaction

	By    identity.Principal
	About RTransactionSubject
	Rules rulebook.Settings
	At    time.Time
	Zone  *time.Location // of the banking day

	GlobalID   ID
	InternalID uuid.UUID
	DocumentID uuid.UUID
	Seal       Sealer
}

// rTransactionKind holds the differences between recall, return and resolution; each is defined in the file of its
// name.
type rTransactionKind struct {
	pointer  string // to the identifier of the payment in the request
	eligible func(RTransactionSubject) error
	reasons  func(RTransactionSubject, rulebook.Terms) []rulebook.Reason // that may be given now, with the information of each
	check    func(rulebook.RTransactionCase) []Finding
	// lastDay is the last day for a reason; limited is false when there is none.
	lastDay func(c rulebook.RTransactionCase) (last time.Time, limited bool)
	// draft makes the document a checker decides about.
	draft func(RTransactionInput, interbank.RTransactionInput) (iso20022.Document, error)
}

var rTransactionKinds = map[Kind]rTransactionKind{KindRecall: recallKind, KindReturn: returnKind, KindResolution: resolutionKind}

// NewRTransaction checks a request for a recall (camt.056), a return (pacs.004) or a resolution (camt.029 with RJCR) and makes a message of
// it.
//
// Errors: ForbiddenError without the role maker; WithheldError for a payment or a recall that cannot be trusted; RefusalError when it is
// not eligible, or its reason, information, charge, last day or a limit forbids it.
func NewRTransaction(in RTransactionInput) (Created, error) {
	if !in.By.Has(identity.RoleMaker) {
		return Created{}, &ForbiddenError{Text: "You need the maker role to create recalls, returns or refusals of recalls."}
	}
	err := in.allowed()
	if err == nil {
		err = in.About.trusted()
	}
	if err != nil {
		return Created{}, err
	}
	if findings := in.check(); len(findings) > 0 {
		return Created{}, &RefusalError{Findings: findings}
	}
	err = in.About.excluded(in.Kind)
	if err != nil {
		return Created{}, err
	}
	draft, err := in.ToClearing()
	if err != nil {
		return Created{}, err
	}
	amount, err := in.amount()
	if err != nil {
		return Created{}, err
	}
	return in.created(draft, amount)
}

// ToClearing makes the document that a checker decides about. It expects a request that NewRTransaction accepts. A preview for people has
// no Global ID yet, so its ids are missing.
func (in RTransactionInput) ToClearing() (iso20022.Document, error) {
	about := interbank.RTransactionInput{
		Request: in.Request, Scheme: in.About.Original.Scheme, MessageID: in.reference(), ID: string(in.GlobalID), At: in.At, Day: in.today(),
	}
	if in.About.Account != nil {
		about.Bank = in.About.Account.AgentBIC
	}
	return rTransactionKinds[in.Kind].draft(in, about)
}

// RTransactionPreview is the expected result of a request, for the maker's review page.
type RTransactionPreview struct {
	About      RTransactionSubject
	Ineligible error           // what Eligible says of the payment now
	Reasons    []ReasonOnOffer // that may be given now
	Findings   []Finding       // what is wrong with the request; meaningless when it has no reason yet
	Amount     money.Amount    // what would move
}

// ReasonOnOffer is a reason a maker may choose.
type ReasonOnOffer struct {
	rulebook.Reason

	LastDay time.Time // on which it may be given; zero when there is none
}

// Preview returns the findings of NewRTransaction and the choices of the form without making anything.
func (in RTransactionInput) Preview() RTransactionPreview {
	kind, known := rTransactionKinds[in.Kind]
	if !known {
		return RTransactionPreview{About: in.About, Ineligible: in.About.Eligible(in.Kind, in.Rules)}
	}
	preview := RTransactionPreview{
		About: in.About, Ineligible: in.About.Eligible(in.Kind, in.Rules), Findings: in.check(), Amount: in.About.Original.Summary.Amount,
	}
	for _, reason := range kind.reasons(in.About, in.Rules.TermsOn(in.About.Original.Scheme, in.today())) {
		asked := in.ruleCase()
		asked.Reason = reason.Code
		offer := ReasonOnOffer{Reason: reason}
		if last, limited := kind.lastDay(asked); limited {
			offer.LastDay = last
		}
		preview.Reasons = append(preview.Reasons, offer)
	}
	if amount, err := in.amount(); err == nil {
		preview.Amount = amount
	}
	return preview
}

// allowed refuses a request that the payment's state forbids, or that was sent to the endpoint of another scheme.
func (in RTransactionInput) allowed() error {
	err := in.About.stateAllows(in.Kind)
	if err != nil {
		return err
	}
	if in.Kind == KindResolution && in.About.Recall.OriginalID != in.About.Original.InternalID {
		return refuseOriginal(pointerRecallID, "Choose the recall of this payment. The recall you chose is for another payment.")
	}
	if in.Scheme != "" && in.Scheme != in.About.Original.Scheme {
		text := i18n.ForPrograms("This payment is one of %s: use the path of that scheme.", in.About.Original.Scheme)
		return refuseOriginal(rTransactionKinds[in.Kind].pointer, text)
	}
	return nil
}

// check returns every rule of the scheme the request breaks, and every limit it would pass.
func (in RTransactionInput) check() []Finding {
	kind, known := rTransactionKinds[in.Kind]
	if !known {
		return nil
	}
	findings := kind.check(in.ruleCase())
	amount, err := in.amount()
	if err == nil && in.Kind.Limited() {
		findings = append(findings, rulebook.CheckSpending(amount, in.About.Limits, kind.pointer)...)
	}
	return findings
}

// ruleCase returns the request with the payment data that the rules need.
func (in RTransactionInput) ruleCase() rulebook.RTransactionCase {
	return rulebook.RTransactionCase{
		Request: in.Request, Scheme: in.About.Original.Scheme, Amount: in.About.Original.Summary.Amount,
		Settled: in.About.Original.SettledOn(in.Zone), Today: in.today(), Recalled: in.About.Recalled(),
		RecallReason: in.About.Recall.Reason, Settings: in.Rules,
	}
}

// today is the banking day of the request.
func (in RTransactionInput) today() time.Time { return in.At.In(in.Zone) }

// reference is the id of the document's message.
func (in RTransactionInput) reference() string { return referencePrefix[in.Kind] + string(in.GlobalID) }

// amount returns the amount to move: the payment's amount less the charge. It fails with money.Error for an invalid
// charge.
func (in RTransactionInput) amount() (money.Amount, error) {
	amount := in.About.Original.Summary.Amount
	if in.Charge.IsZero() {
		return amount, nil
	}
	return amount.Subtract(in.Charge)
}

// created makes the message of its draft document.
func (in RTransactionInput) created(draft iso20022.Document, amount money.Amount) (Created, error) {
	content, err := codec.EncodeXML(draft)
	if err != nil {
		return Created{}, fmt.Errorf("write the draft: %w", err)
	}
	if wrong := codec.Validate(draft); len(wrong) > 0 {
		return Created{}, fmt.Errorf("the draft would not be valid: %s: %s", wrong[0].Pointer, wrong[0].Text)
	}
	original := in.About.Original
	summary := original.Summary
	summary.Amount = amount
	m := Message{
		InternalID: in.InternalID, GlobalID: in.GlobalID, Kind: in.Kind, Scheme: original.Scheme, ExternalID: in.ExternalID,
		OriginalID: original.InternalID, Reason: in.Reason,
		DocumentID: in.DocumentID, ContentHash: sha256.Sum256(content), Summary: summary,
	}
	if in.Kind != KindRecall && in.About.Recalled() {
		m.AnswersID = in.About.Recall.InternalID
	}
	if last, limited := rTransactionKinds[in.Kind].lastDay(in.ruleCase()); limited {
		m.Deadline = dayOf(last)
	}
	grant, _ := in.By.Grant(identity.RoleMaker)
	made := Created{
		Actor: in.By.Actor(), Grant: grant, Action: ActionSubmit, IdempotencyKey: in.IdempotencyKey, Fingerprint: in.Fingerprint(),
		Origin: Origin{
			Direction: DocumentDraft, Name: draft.MessageName(), Reference: in.reference(), Source: in.Source, SourceType: in.SourceType,
		},
	}
	return made.open(m.WithContent(content), opening{
		by: in.By, policy: in.About.Policy, limits: in.About.Limits, at: in.At, seal: in.Seal,
	}), nil
}

// dayOf returns the stored form of a day: midnight UTC of the date of the time in its own location.
func dayOf(t time.Time) time.Time {
	year, month, day := t.Date()
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}
