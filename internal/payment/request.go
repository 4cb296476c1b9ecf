package payment

import (
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/internal/identity"
	"countersign/internal/iso20022"
	"countersign/internal/money"
	"countersign/internal/rulebook"
)

// RequestInput is everything a new R-transaction (recall, return or resolution) is made of. Times and identifiers come from the caller.
type RequestInput struct {
	By     identity.Principal
	Scheme rulebook.Scheme // of the door the request came through
	// Original is the payment it is about: ours for a recall, an incoming one for a return or resolution. Its Content is the pain.001 of
	// ours and the pacs.008 of an incoming one.
	Original Message
	// Sent is the pacs.008 that was sent for Original; only a recall needs it.
	Sent *iso20022.FIToFICustomerCreditTransfer
	// Recall is the received recall that is answered; only a resolution needs it. For a return it is the open one, or the zero Message.
	Recall Message
	// Bank is the BIC of our bank, which originates what it decides itself; "" when it is not known.
	Bank           string
	Reason         string   // ISO code of the scheme's list
	Information    []string // lines of at most 105 characters
	Charge         money.Amount
	ExternalID     string
	IdempotencyKey string
	Fingerprint    Digest // of the wish
	Source         []byte // the bytes the client sent
	SourceType     string

	Policy     Policy
	Rules      rulebook.Settings
	GlobalID   GlobalID
	InternalID uuid.UUID
	DocumentID uuid.UUID
	At         time.Time
	Zone       *time.Location // of the banking day
	Seal       Sealer
}

// today is the banking day of the request.
func (in RequestInput) today() time.Time { return in.At.In(in.Zone) }

// dayOf is a day as it is stored: midnight UTC of the date that the time shows in its own location.
func dayOf(t time.Time) time.Time {
	year, month, day := t.Date()
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

// request makes the message of an R-transaction from its draft document.
func (in RequestInput) request(kind Kind, draft iso20022.Document, amount money.Amount) (Created, error) {
	content, err := iso20022.EncodeXML(draft)
	if err != nil {
		return Created{}, fmt.Errorf("write the draft: %w", err)
	}
	if wrong := iso20022.Validate(draft); len(wrong) > 0 {
		return Created{}, fmt.Errorf("the draft would not be valid: %s: %s", wrong[0].Pointer, wrong[0].Text)
	}
	summary := in.Original.Summary
	summary.Amount = amount
	d := Draft{
		DocumentID: in.DocumentID, Direction: DocumentDraft, Content: content, Hash: sha256.Sum256(content), Name: draft.MessageName(),
		Reference: referencePrefix[kind] + string(in.GlobalID), Summary: summary,
	}
	if len(in.Source) > 0 {
		d.Source, d.SourceType = in.Source, in.SourceType
	}
	m := Message{
		Realm: in.By.Realm, InternalID: in.InternalID, GlobalID: in.GlobalID, Kind: kind, Scheme: in.Original.Scheme,
		Direction: DirectionOut, Channel: in.By.Channel, ClientID: in.By.ClientID, ExternalID: in.ExternalID,
		OriginalID: in.Original.InternalID, Reason: in.Reason,
		MakerUser: in.By.UserID, MakerName: in.By.DisplayName, MakerLogin: in.By.UserName, Makers: []uuid.UUID{in.By.PersonID},
		ApprovalsRequired: in.Policy.ApprovalsRequired, PolicyID: in.Policy.ID, CreatedAt: in.At,
		Version: 1, State: StateApprovalPending, Sequence: 1, StateSince: in.At,
		DocumentID: d.DocumentID, ContentHash: d.Hash, Content: d.Content, Summary: summary,
	}
	created := Created{
		Actor: in.By.Actor(), Draft: d, CreatedAt: in.At, Action: ActionSubmit, IdempotencyKey: in.IdempotencyKey,
		Fingerprint: in.Fingerprint,
	}
	return created.open(m, in.Policy, in.Seal), nil
}

// checkDoor holds the request against the path it came through and the role it needs.
func (in RequestInput) checkDoor() error {
	if !in.By.Has(identity.RoleMaker) {
		return &ForbiddenError{Text: "You may not create recalls, returns or resolutions: this needs the role maker."}
	}
	return nil
}

// refuseOriginal is a refusal because of the payment a request is about.
func refuseOriginal(pointer, text string) error {
	return &RefusalError{Findings: []Finding{{Rule: rulebook.RuleOriginalState, Pointer: pointer, Code: "NARR", Text: text}}}
}

// otherScheme refuses a request that came through the door of another scheme than its payment's.
func (in RequestInput) otherScheme(pointer string) error {
	if in.Scheme == "" || in.Scheme == in.Original.Scheme {
		return nil
	}
	return refuseOriginal(pointer, "This payment is one of "+string(in.Original.Scheme)+": use the path of that scheme.")
}
