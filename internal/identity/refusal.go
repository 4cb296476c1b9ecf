package identity

import "countersign/internal/i18n"

// FourEyesError reports that the person made, edited or approved the message or the change, that the client sent a version of it,
// or that its maker is unknown. Another person must decide; with an unknown maker nobody may.
type FourEyesError struct {
	Text i18n.Text
}

func (e *FourEyesError) Error() string { return e.Text.String() }

func (e *FourEyesError) Sentence() i18n.Text { return e.Text }

// ForbiddenError says that the person lacks the role, or may not do this with this subject.
type ForbiddenError struct {
	Text i18n.Text
}

func (e *ForbiddenError) Error() string { return e.Text.String() }

func (e *ForbiddenError) Sentence() i18n.Text { return e.Text }

func (e *FourEyesError) Refused() string { return "four-eyes" }

func (e *ForbiddenError) Refused() string { return "role" }
