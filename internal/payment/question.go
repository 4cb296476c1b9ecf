package payment

import (
	"time"

	"countersign/internal/i18n"
	"countersign/internal/identity"
)

// JSON pointers of the texts in the requests.
const (
	questionPointer = "/ApprovalDetails/question"
	answerPointer   = "/answer"
)

// Ask records a checker's question to the maker. The message stays pending in StateQuestion. Earlier approvals stay, and the question is
// part of the history only, not of the content. The question is required, at most MaxReason characters.
//
// Errors in order of precedence: those of Approve down to WithheldError (a RepeatError for the same open question of this person),
// FieldError for the question.
func (m Message) Ask(v Verdict, question string) (Transition, error) {
	err := m.checkVerdict(v, ActionAsk)
	if err != nil {
		return Transition{}, m.orAsked(err, v, question)
	}
	err = checkWords(question, questionPointer, "Enter your question. The maker will see your question.")
	if err != nil {
		return Transition{}, err
	}
	t, err := m.transition(ActionAsk, StateQuestion, v.By.Actor(), v.At)
	t.reason = i18n.Data(question)
	return t, err
}

// orAsked returns a RepeatError when the message waits for the answer to the same question, and otherwise the refusal.
func (m Message) orAsked(refusal error, v Verdict, question string) error {
	other := v.ContentHash != nil && *v.ContentHash != m.ContentHash || v.Version != 0 && v.Version != m.Version
	if m.State != StateQuestion || m.MayDecide(v.By) != nil || m.Trusted() != nil || other {
		return refusal
	}
	return m.repeatedWords(ActionAsk, StateQuestion, v.By, question)
}

// Reply records the maker's answer to a question, after which the message waits for approval again. Only somebody who made or edited it
// may answer; another maker amends it. The answer is required, at most MaxReason characters.
//
// Errors in order of precedence: ForbiddenError, StateError (a RepeatError when this person gave the same answer before), WithheldError,
// FieldError for the answer.
func (m Message) Reply(by identity.Principal, answer string, at time.Time) (Transition, error) {
	err := m.MayChange(by)
	if err != nil {
		return Transition{}, err
	}
	if !m.MadeBy(by.PersonID) {
		return Transition{}, &ForbiddenError{Text: "Only the maker of a payment can answer a question about it. Other makers can amend the " +
			"payment."}
	}
	if m.State != StateQuestion {
		return Transition{}, m.repeatedWords(ActionAnswer, StateApprovalPending, by, answer)
	}
	if !m.ExpiresAt.IsZero() && !at.Before(m.ExpiresAt) {
		return Transition{}, &StateError{Message: m, Wanted: StateQuestion}
	}
	err = m.Trusted()
	if err == nil {
		err = checkWords(answer, answerPointer, "Enter your answer. The checkers will see your answer.")
	}
	if err != nil {
		return Transition{}, err
	}
	t, err := m.transition(ActionAnswer, StateApprovalPending, by.Actor(), at)
	t.reason = i18n.Data(answer)
	return t, err
}

// checkWords is checkReasonAt for a question or an answer, with a sentence of its own for a blank one. Error: FieldError.
func checkWords(words, pointer string, blank i18n.Text) error {
	said := textSentences{blank, "Shorten the text to %d characters.", "Remove the control characters from the text."}
	return refusedAt(checkText(words, said), pointer)
}
