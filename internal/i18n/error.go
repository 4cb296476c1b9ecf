package i18n

import "errors"

// Error is an error with a text for people.
type Error interface {
	error
	// Sentence is the text; Error returns its English form.
	Sentence() Text
}

// OfError is the text of the first error in the chain that has one; any other error is shown by its English words.
func OfError(err error) Text {
	if known, is := errors.AsType[Error](err); is {
		return known.Sentence()
	}
	return Data(err.Error())
}
