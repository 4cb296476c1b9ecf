package administration

import (
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"countersign/internal/identity"
)

// Check returns, before anything is looked up, the reason why the caller may not request the change, or the unreadable characters of the
// request. The database accepts no NUL and no invalid UTF-8, so nothing of the request reaches a query before. Errors:
// identity.ForbiddenError, iso20022.FieldError.
func (r Request) Check() error {
	err := r.Kind.MayAsk(r.By)
	if err != nil {
		return err
	}
	f := &findings{}
	f.line("subject", r.Subject)
	f.join(r.Values.Check(valuesPrefix))
	f.prose("note", r.Note)
	return f.err()
}

// Check finds characters that no field can hold: control characters and invalid UTF-8. Error: iso20022.FieldError; prefix precedes the
// pointers of its findings.
func (v Values) Check(prefix string) error {
	f := &findings{prefix: prefix}
	for _, name := range slices.Sorted(maps.Keys(v)) {
		f.line(name, v[name])
	}
	return f.err()
}

// line checks a text of one line. Space around it is cut off elsewhere.
func (f *findings) line(field, text string) {
	text = strings.TrimSpace(text)
	if identity.Broken(text) || strings.ContainsFunc(text, unicode.IsControl) {
		f.add(field, codeFormat, "Enter %s on one line, without control characters or invisible characters.", label(field))
	}
}

// prose checks a text of one or more lines that somebody else reads before deciding: characters that reverse the direction of text would
// change what it seems to say (Unicode Technical Report 36, 2.5).
func (f *findings) prose(field, text string) {
	if legible(text) {
		return
	}
	f.add(field, codeFormat, "Enter %s without control characters or characters that change the reading direction.", label(field))
}

// legible reports whether a text of several lines has nothing but characters, line breaks and tabs.
func legible(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool {
		return unicode.Is(unicode.Bidi_Control, r) || unicode.IsControl(r) && r != '\n' && r != '\r' && r != '\t'
	})
}

// refuseProse is prose for a single text. Error: iso20022.FieldError.
func refuseProse(pointer, field, text string) error {
	f := &findings{}
	f.prose(field, text)
	for i := range f.list {
		f.list[i].Pointer = pointer
	}
	return f.err()
}
