package iso20022

import (
	"strings"

	"countersign/internal/i18n"
)

// Finding is one thing wrong with a document, or with a request that becomes one. The codec makes those of the structure, the rule book
// those of the schemes, the domain those of the state; all floors hand on this one type.
type Finding struct {
	// Rule is the id of the scheme's rule that is broken; "" for the structure.
	Rule string
	// Pointer names the place, as an RFC 6901 pointer from the body root with ISO element names; an element that may repeat is followed by its
	// index. A problem of a whole amount or its number names the amount element, one of its currency ends in /Ccy.
	Pointer string
	// Code is an ISO reason code.
	Code string
	// Text is a sentence with the remedy.
	Text i18n.Text
	// Line and Column (in bytes, both from 1) are the place in the input; 0 when the value was built in code.
	Line, Column int
	// Final says that nothing after this place was read: what else is wrong or missing in the document cannot be told.
	Final bool
}

var pointerEscape = strings.NewReplacer("~", "~0", "/", "~1")

// PointerStep is a name as a step of a pointer (RFC 6901).
func PointerStep(name string) string {
	if !strings.ContainsAny(name, "~/") {
		return name // the replacer would make another text of it
	}
	return pointerEscape.Replace(name)
}

// FieldError says that the request is malformed: a field is missing, of a wrong type or of a wrong format. It names every one.
type FieldError struct {
	Findings []Finding
}

func (e *FieldError) Error() string {
	return "malformed: " + JoinFindings(e.Findings)
}

// JoinFindings writes findings as one line of English, for logs.
func JoinFindings(findings []Finding) string {
	texts := make([]string, len(findings))
	for i, f := range findings {
		texts[i] = f.Pointer + ": " + f.Text.String()
	}
	return strings.Join(texts, " ")
}
