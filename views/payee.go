package views

import (
	"countersign/internal/language"
	"countersign/views/ui"
)

// Payee is what the verification of the payee came to, in words.
type Payee struct {
	Tone  ui.Tone
	Icon  string
	Title language.Text
	Text  language.Text
	// Matched is the name of the account where it is nearly the one given, "" else.
	Matched string
	// UseURL takes that name into the form that was filled in; "" where there is none.
	UseURL string
	// Result goes with the submission, so that a maker never submits what they were not shown.
	Result string
}

// FieldPayee is the name under which a submission says what its maker was shown about the payee.
const FieldPayee = "payee"
