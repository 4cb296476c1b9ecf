package identity

import "countersign/internal/i18n"

// FourEyesError reports that the person made, edited or approved the message or the change, that the client sent a version of it,
// or that its maker is unknown. Another person must decide; with an unknown maker nobody may.
type FourEyesError struct {
	Text i18n.Text
}

// Error is the text in English.
func (e *FourEyesError) Error() string { return e.Text.String() }

// Sentence is the text for people.
func (e *FourEyesError) Sentence() i18n.Text { return e.Text }

// ForbiddenError says that the person lacks the role, or may not do this with this subject.
type ForbiddenError struct {
	Text i18n.Text
}

// Error is the text in English.
func (e *ForbiddenError) Error() string { return e.Text.String() }

// Sentence is the text for people.
func (e *ForbiddenError) Sentence() i18n.Text { return e.Text }

// Refused is the reason for the audit log.
func (e *FourEyesError) Refused() string { return "four-eyes" }

// Refused is the reason for the audit log.
func (e *ForbiddenError) Refused() string { return "role" }
