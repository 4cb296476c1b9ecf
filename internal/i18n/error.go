package i18n

import "errors"

// Error is an error with a text for people.
type Error interface {
	error
	// Sentence is the text; Error returns its English form.
	Sentence() Text
}

// NewError is an error with a constant text.
func NewError(text Text) error { return &constant{text} }

type constant struct{ text Text }

func (e *constant) Error() string { return e.text.String() }

// Sentence is the text of the error.
func (e *constant) Sentence() Text { return e.text }

// OfError is the text of the first error in the chain that has one; any other error is shown by its English words.
func OfError(err error) Text {
	if known, is := errors.AsType[Error](err); is {
		return known.Sentence()
	}
	return Stored(err.Error())
}
