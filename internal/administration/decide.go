package administration

import (
	"maps"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"countersign/internal/i18n"
	"countersign/internal/identity"
)

// Verdict is the verdict of an administrator, or of a checker for a beneficiary, about a change.
type Verdict struct {
	Approve bool
	Reason  string // of a rejection; may be empty beside an approval
	By      identity.Principal
	At      time.Time
}

// ConflictError reports that the change cannot be decided as requested: somebody decided it, or its subject changed meanwhile.
type ConflictError struct{ Text i18n.Text }

func (e *ConflictError) Error() string { return e.Text.String() }

func (e *ConflictError) Sentence() i18n.Text { return e.Text }

func (e *ConflictError) Refused() string { return "state" }

// MayDecide returns the reason why the person may not decide the change, or nil. Errors in their order of precedence:
// identity.ForbiddenError, ConflictError of a decided change, identity.FourEyesError.
func (c Change) MayDecide(by identity.Principal) error {
	err := c.Kind.needs(by, c.Kind.DecidedUnder())
	if err != nil {
		return err
	}
	if d := c.Decision; d != nil {
		return &ConflictError{Text: i18n.Text("This change was already %s by %s on %s.").With(
			i18n.Kept(strings.ToLower(string(c.State()))), d.By.Name, i18n.Moment(d.At))}
	}
	switch {
	case by.PersonID == uuid.Nil || c.Requester.PersonID == uuid.Nil:
		return &identity.FourEyesError{Text: "Nobody can approve or reject this change, because its requester is unknown."}
	case by.PersonID == c.Requester.PersonID:
		return &identity.FourEyesError{Text: i18n.Text("You requested this change. Another %s must approve or reject it.").
			With(c.Kind.DecidedUnder().Text())}
	case by.PersonID == c.Beneficiary:
		return &identity.FourEyesError{Text: i18n.Text("This change affects you. Another %s must approve or reject it.").
			With(c.Kind.DecidedUnder().Text())}
	case by.Channel == identity.ChannelAPI && by.ClientID == c.Requester.ClientID && !by.ClientMayDecideOwn:
		return &identity.FourEyesError{
			Text: "This client requested the change, so it cannot approve or reject it. Use another client or the portal.",
		}
	}
	return nil
}

// Decide makes the decision about a change. now holds the facts of the realm, read under its lock.
//
// Errors: as MayDecide, iso20022.FieldError for the reason, ConflictError when the requester has lost the role, the subject changed
// since the request, or the realm could not be run after it.
func (c Change) Decide(v Verdict, now Facts) (Decision, error) {
	err := c.MayDecide(v.By)
	if err != nil {
		return Decision{}, err
	}
	reason := strings.TrimSpace(v.Reason)
	if !v.Approve && reason == "" {
		return Decision{}, refuse("/ApprovalDetails/rejectReason", codeMissing, "Enter the reason for rejecting the change. The requester "+
			"will see this reason.")
	}
	if utf8.RuneCountInString(reason) > ReasonLimit {
		return Decision{}, refuse("/ApprovalDetails/rejectReason", codeFormat,
			i18n.Text("Shorten the reason to %d characters.").With(ReasonLimit))
	}
	err = refuseProse("/ApprovalDetails/rejectReason", "rejectReason", reason)
	if err != nil {
		return Decision{}, err
	}
	decision := Decision{Approved: v.Approve, Reason: reason, By: partyOf(v.By, c.Kind.DecidedUnder()), At: v.At}
	if !v.Approve {
		return decision, nil
	}
	if !now.RequesterHolds {
		return Decision{}, &ConflictError{Text: i18n.Text(
			"The requester of this change is no longer an active %s. Reject the change, and ask another person to request it again.",
		).With(c.Kind.AskedUnder().Text())}
	}
	again, err := Request{ID: c.ID, Kind: c.Kind, Subject: c.Subject, Values: c.Values, Note: c.Note, By: v.By, At: c.RequestedAt}.change(now)
	if err != nil {
		return Decision{}, conflict(err)
	}
	if !maps.Equal(again.Before, c.Before) || !maps.Equal(again.After, c.After) || again.Beneficiary != c.Beneficiary {
		return Decision{}, &ConflictError{Text: "The data that this change affects has changed since the change was requested. Reject the " +
			"change, and request it again."}
	}
	return decision, nil
}

// conflict turns the refusal of a formerly valid request into a conflict for the approver.
func conflict(err error) error {
	f := &findings{}
	f.join(err)
	if len(f.list) == 0 {
		return err
	}
	texts := make([]i18n.Text, len(f.list))
	for i, finding := range f.list {
		texts[i] = finding.Text
	}
	return &ConflictError{Text: i18n.Join(" ", texts...)}
}
