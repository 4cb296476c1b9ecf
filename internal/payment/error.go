package payment

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"countersign/internal/i18n"
	"countersign/internal/identity"
	"countersign/internal/interbank"
	"countersign/internal/iso20022"
	"countersign/internal/profile"
)

// Errors without details of their own. Web maps each kind to one answer.
var (
	// ErrNotFound: no such message, or one of another realm; the two look the same to the caller.
	ErrNotFound = errors.New("no such message")
	// ErrIllegalMove: the table of moves does not hold this one. A program error, never a user's.
	ErrIllegalMove = errors.New("the message cannot make this move")
)

// ArchivedError says that a payment left the database with an archive. It is an ErrNotFound.
type ArchivedError struct {
	Month string // of the archive
}

func (e *ArchivedError) Error() string {
	return "the payment left the database with the archive of " + e.Month
}

// Is reports whether the target is ErrNotFound.
func (*ArchivedError) Is(target error) bool { return target == ErrNotFound }

// The refusals that administration shares, and the findings of every package.
type (
	Finding        = iso20022.Finding
	FieldError     = iso20022.FieldError
	ForbiddenError = identity.ForbiddenError
	FourEyesError  = identity.FourEyesError
)

// RefusalError reports a well-formed request that rules of the scheme or the business refuse. It names every broken rule.
type RefusalError struct {
	Findings []Finding
	// Recall is the recall that excludes a new one; zero for other refusals.
	Recall uuid.UUID
}

func (e *RefusalError) Error() string {
	return "refused: " + iso20022.JoinFindings(e.Findings)
}

// Sentence is the texts of the findings, without their places, which only programs need.
func (e *RefusalError) Sentence() i18n.Text {
	texts := make([]i18n.Text, len(e.Findings))
	for i, f := range e.Findings {
		texts[i] = f.Text
	}
	return i18n.Join(" ", texts...)
}

// MismatchError reports that the message has another kind or scheme than the path of the request names.
type MismatchError struct {
	Message Message
}

func (e *MismatchError) Error() string { return e.Sentence().String() }

// Sentence is the text for programs: a page chooses the path itself.
func (e *MismatchError) Sentence() i18n.Text {
	return i18n.ForPrograms("The kind of this message is %s, its scheme %s: use their path.", e.Message.Kind, e.Message.Scheme)
}

// ErrKeyReused reports an Idempotency-Key that the client used before for another request.
var ErrKeyReused = errors.New("the Idempotency-Key was used before with other content")

// StateError reports that the message is not in the state that the request needs. It names the person who moved it.
type StateError struct {
	Message Message
	Wanted  State
}

func (e *StateError) Error() string { return e.Sentence().String() }

func (e *StateError) Sentence() i18n.Text {
	m := e.Message
	d, decided := m.LastDecision()
	if decided && (m.State == StateRejected || m.Approvals() >= m.ApprovalsRequired) {
		text := i18n.Text("Already approved by %s on %s. The state is now “%s”.")
		if d.Action == ActionReject {
			text = "Already rejected by %s on %s. The state is now “%s”."
		}
		return text.With(d.Name, i18n.Moment(d.DecidedAt), m.State.Text())
	}
	if m.State == e.Wanted {
		return i18n.Text("This payment or request has expired. It could be approved or rejected until %s.").With(i18n.Moment(m.ExpiresAt))
	}
	if m.State == StateQuestion {
		return i18n.Text("A checker asked the maker a question on %s. The payment can be approved once the maker has answered the question or " +
			"amended the payment.").
			With(i18n.Moment(m.StateSince))
	}
	return i18n.Text("This payment or request has been in the state “%s” since %s. For this action, the state must be “%s”.").
		With(m.State.Text(), i18n.Moment(m.StateSince), e.Wanted.Text())
}

// StepUpError reports that the approval needs a second factor for this content and the given factor is missing or
// invalid.
type StepUpError struct {
	Message Message
	Text    i18n.Text // why the factor that was shown does not count; "" when none was shown
	// RetryAfter is the remaining lock time of the account's factors; 0 if they are not locked.
	RetryAfter time.Duration
}

func (e *StepUpError) Error() string { return e.Sentence().String() }

func (e *StepUpError) Sentence() i18n.Text {
	return cmp.Or(e.Text, "Use a second factor for this approval, because the approval policy requires one.")
}

func (e *StepUpError) Refused() string { return "step-up" }

// ContentError reports that the content changed since the caller read it, or that the caller sent no digest for an
// amended message.
type ContentError struct {
	Message Message
	Unnamed bool // the caller named no content
}

func (e *ContentError) Error() string { return e.Sentence().String() }

func (e *ContentError) Sentence() i18n.Text {
	switch {
	case e.Unnamed && e.Message.Version == 1:
		return "Send the contentHash of the content you read, because the approval policy requires it."
	case e.Unnamed:
		return "The payment or request has been amended. Read the new version before you decide."
	}
	return "The current version differs from the version you opened. Read the current version before you decide."
}

// Refused reports whether the error is a refusal to record in the audit log, with a short reason. Malformed and
// unknown requests are not refusals.
func Refused(err error) (why string, refused bool) {
	var known interface{ Refused() string }
	if !errors.As(err, &known) {
		return "", false
	}
	return known.Refused(), true
}

func (e *RefusalError) Refused() string { return "rule" }

func (e *StateError) Refused() string { return "state" }

func (e *ContentError) Refused() string { return "content" }

// CheckRefusal compares an automatic refusal, which nobody approved, with the answered document of clearing: it must move no money and
// repeat only that document. Both are given as stored. Error: ErrForged.
func CheckRefusal(asked, answer []byte) error {
	question, unread := profile.Read(asked)
	refusal, broken := profile.Read(answer)
	if len(unread)+len(broken) > 0 {
		return fmt.Errorf("read the refusal and its original: %w", ErrForged)
	}
	err := interbank.OnlyRefuses(question, refusal)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrForged, err)
	}
	return nil
}
