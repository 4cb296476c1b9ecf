package administration

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"countersign/internal/i18n"
	"countersign/internal/identity"
	"countersign/internal/iso20022"
)

// Values are the fields of a noun by their keys, as text in one canonical form, so that two can be compared. An absent field and an empty
// one are the same.
type Values map[string]string

// Yes is the text of a yes.
const Yes = "yes"

// Words formats a list for a field.
func Words[T ~string](list []T) string {
	words := make([]string, 0, len(list))
	for _, word := range list {
		words = append(words, string(word))
	}
	slices.Sort(words)
	return strings.Join(slices.Compact(words), ", ")
}

// WordsOf parses the list of a field.
func WordsOf[T ~string](text string) []T {
	var list []T
	for word := range strings.SplitSeq(text, ",") {
		word = strings.TrimSpace(word)
		if word != "" {
			list = append(list, T(word))
		}
	}
	return list
}

// yes writes a yes or a no.
func yes(is bool) string {
	if is {
		return Yes
	}
	return ""
}

// with is a copy with other fields.
func (v Values) with(fields Values) Values {
	copied := maps.Clone(v)
	if copied == nil {
		copied = Values{}
	}
	maps.Copy(copied, fields)
	return copied.Compact()
}

// Compact drops the empty fields.
func (v Values) Compact() Values {
	maps.DeleteFunc(v, func(_, text string) bool { return text == "" })
	return v
}

// findings collects the findings of fields.
type findings struct {
	prefix string // of the pointers
	list   []iso20022.Finding
}

// add adds a finding about a field. The codes are those of ISO 20022's external list, as for payments.
func (f *findings) add(field, code string, text i18n.Text, values ...any) {
	if len(values) > 0 {
		text = text.With(values...)
	}
	f.list = append(f.list, iso20022.Finding{Pointer: f.prefix + "/" + field, Code: code, Text: text})
}

// The codes of findings.
const (
	codeMissing = "CH21"
	codeFormat  = "FF01"
	codeUnknown = "CH16"
)

// text checks a text that people read: present if it must be, of a length, on one line.
func (f *findings) text(field, text string, least, most int) {
	length := utf8.RuneCountInString(text)
	switch {
	case length == 0 && least > 0:
		f.add(field, codeMissing, "Enter %s. This field cannot be empty.", label(field))
	case length < least || length > most:
		f.add(field, codeFormat, "Enter %s using %d to %d characters.", label(field), least, most)
	case identity.Broken(text) || strings.ContainsFunc(text, i18n.Unseen):
		f.add(field, codeFormat, "Enter %s on one line, without control characters or invisible characters.", label(field))
	}
}

// number checks a whole number between bounds.
func (f *findings) number(field, text string, least, most int) {
	n, err := strconv.Atoi(text)
	if text != "" && (err != nil || n < least || n > most || strconv.Itoa(n) != text) {
		f.add(field, codeFormat, "Enter %s as a whole number from %d to %d.", label(field), least, most)
	}
}

// yesNo reads a yes or a no.
func (f *findings) yesNo(field, text string) bool {
	switch text {
	case "":
		return false
	case Yes:
		return true
	}
	f.add(field, codeFormat, "Choose yes or no for “%s”. In the API, send true or false.", Label(field))
	return false
}

// oneOf checks that a text is one of the known ones.
func (f *findings) oneOf(field, text string, known []string) {
	if text != "" && known != nil && !slices.Contains(known, text) {
		f.add(field, codeUnknown, "Choose %s from this list: %s.", label(field), strings.Join(known, ", "))
	}
}

// err returns the findings as an error; nil for none.
func (f *findings) err() error {
	if len(f.list) == 0 {
		return nil
	}
	return &iso20022.FieldError{Findings: f.list}
}

// said returns a copy of the values of a request, in which an empty value also counts.
func (v Values) said() Values {
	copied := Values{}
	maps.Copy(copied, v)
	return copied
}

// emptied refuses fields that the request sets to empty or no without effect: those the change does not touch, and those a new subject does
// not have. after is the subject after the change; told holds the earlier findings. Error: iso20022.FieldError.
func (k Kind) emptied(values, after Values, told error) error {
	f := &findings{prefix: valuesPrefix}
	f.join(told)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		pointer := f.prefix + "/" + name
		known := slices.ContainsFunc(f.list, func(one iso20022.Finding) bool { return one.Pointer == pointer })
		switch {
		case values[name] != "" || known:
		case after[name] != "":
			f.add(name, codeFormat, "Enter another value for %s, or leave the field out. An existing value cannot be removed.", label(name))
		case !k.empties(name):
			f.add(name, codeMissing, "Enter a value for %s, or leave the field out. An empty value is not allowed.", label(name))
		}
	}
	return f.err()
}

// empties reports whether an empty value of a field is a statement: an empty list, a no, or the removal of a value.
func (k Kind) empties(field string) bool {
	is := TypeOf(field)
	return is == TypeYesNo || is == TypeWords || is == TypeList || slices.Contains(k.Action().Clears, field)
}

// PolicyAsked reads a requested policy. Error: iso20022.FieldError.
func PolicyAsked(values Values) (Policy, error) {
	err := values.Check("")
	if err != nil {
		return Policy{}, err
	}
	f := &findings{}
	p, err := PolicyOf(values, "")
	f.join(err)
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if values[name] == "" && !KindPolicyCreate.empties(name) && name != "approvals" {
			f.add(name, codeMissing, "Enter a value for %s, or leave the field out. An empty value is not allowed.", label(name))
		}
	}
	return p, f.err()
}
