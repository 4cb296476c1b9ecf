package administration

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"countersign/internal/i18n"
)

// Realm holds the names of a realm.
type Realm struct {
	Realm string // lower-case letters, digits and hyphens, at most 32
	Name  string // as shown to people
	Mark  string // two characters that open every Global ID of the realm; fixed for ever
}

var (
	realmPattern = regexp.MustCompile(`^[a-z][a-z0-9-]{0,31}$`)
	markPattern  = regexp.MustCompile(`^[2-9A-HJKMNP-TV-Z]{2}$`)
)

// Check checks the names of a realm. Error: iso20022.FieldError.
func (r Realm) Check() error {
	f := &findings{}
	if !realmPattern.MatchString(r.Realm) {
		f.add("realm", codeFormat,
			i18n.ForPrograms("Name the realm with a lower-case letter first, then lower-case letters, digits and hyphens, at most 32."))
	}
	named := &findings{}
	named.text("institution", r.Name, 1, displayNameLimit)
	for _, wrong := range named.list {
		wrong.Pointer = "/name"
		f.list = append(f.list, wrong)
	}
	if !markPattern.MatchString(r.Mark) {
		f.add("mark", codeFormat,
			i18n.ForPrograms("Give the realm a mark of two capital letters or digits, without 0, 1, I, L, O and U, such as BK."))
	}
	return f.err()
}

// CheckReason checks a reason for the record: 1 to 512 characters. Error: iso20022.FieldError.
func CheckReason(field, reason string) error {
	f := &findings{}
	if strings.TrimSpace(reason) == "" || utf8.RuneCountInString(reason) > ReasonLimit {
		f.add(field, codeFormat, "Enter a reason of 1 to %d characters.", ReasonLimit)
	}
	f.prose(field, reason)
	return f.err()
}

// ReasonLimit is the longest reason and the longest note, in characters.
const ReasonLimit = 512
