package administration

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"countersign/internal/identity"
	"countersign/internal/payment"
)

// Values are the fields of a person, client, account or policy by their names, as text in one canonical form: what is written twice is
// written alike, so two can be compared. An absent field and an empty one are the same.
type Values map[string]string

// FieldType says how a field's text is to be read.
type FieldType string

// The types of fields.
const (
	TypeText   FieldType = "text"
	TypeWords  FieldType = "words"  // sorted, separated by ", "
	TypeNumber FieldType = "number" // a whole one
	TypeYesNo  FieldType = "yes-no" // "yes"; absent for no
	TypeAmount FieldType = "amount" // with two decimals
)

// Yes is the text of a yes.
const Yes = "yes"

// types are the fields that are not plain text.
var types = map[string]FieldType{
	"roles": TypeWords, "secondFactorRoles": TypeWords, "mayDecideOwn": TypeYesNo, "payeeWaived": TypeYesNo,
	"receives": TypeYesNo, "rank": TypeNumber, "approvals": TypeNumber, "stepUp": TypeYesNo,
	"contentHashRequired": TypeYesNo, "amountFrom": TypeAmount, "amountTo": TypeAmount, "perPayment": TypeAmount, "perDay": TypeAmount,
	"usedToday": TypeAmount,
}

// TypeOf says how a field's text is to be read.
func TypeOf(field string) FieldType { return cmp.Or(types[field], TypeText) }

// Words writes a list as a field has it.
func Words[T ~string](list []T) string {
	words := make([]string, 0, len(list))
	for _, word := range list {
		words = append(words, string(word))
	}
	slices.Sort(words)
	return strings.Join(slices.Compact(words), ", ")
}

// WordsOf reads a list as a field has it.
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

// findings collects what is wrong with fields.
type findings struct {
	prefix string // of the pointers
	list   []payment.Finding
}

// add names what is wrong with a field. The codes are those of ISO 20022's external list that the payments use too.
func (f *findings) add(field, code, text string, values ...any) {
	f.list = append(f.list, payment.Finding{Pointer: f.prefix + "/" + field, Code: code, Text: fmt.Sprintf(text, values...)})
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
		f.add(field, codeMissing, "Enter %s: it may not be empty.", label(field))
	case length < least || length > most:
		f.add(field, codeFormat, "Enter %s of %d to %d characters.", label(field), least, most)
	case identity.Broken(text) || strings.ContainsFunc(text, identity.Unseen):
		f.add(field, codeFormat, "Write %s on one line, without control and invisible characters.", label(field))
	}
}

// number reads a whole number between bounds.
func (f *findings) number(field, text string, least, most int) int {
	if text == "" {
		return least
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most || strconv.Itoa(n) != text {
		f.add(field, codeFormat, "Enter %s as a whole number from %d to %d.", label(field), least, most)
		return least
	}
	return n
}

// yesNo reads a yes or a no.
func (f *findings) yesNo(field, text string) bool {
	switch text {
	case "":
		return false
	case Yes:
		return true
	}
	f.add(field, codeFormat, "Answer %s with true or false.", label(field))
	return false
}

// oneOf checks that a text is one of a few.
func (f *findings) oneOf(field, text string, known ...string) {
	if text != "" && !slices.Contains(known, text) {
		f.add(field, codeUnknown, "Choose %s: %s.", label(field), strings.Join(known, ", "))
	}
}

// err is what is wrong, as an error; nil for nothing.
func (f *findings) err() error {
	if len(f.list) == 0 {
		return nil
	}
	return &payment.FieldError{Findings: f.list}
}

// labels are the fields in words.
var labels = map[string]string{ //nolint:gosec // words for people, no secret
	"name": "the user name", "displayName": "the person's name", "personId": "the person", "roles": "the roles", "status": "the status",
	"clientId": "the client's id", "kind": "the kind", "mayDecideOwn": "whether the client may decide what it created",
	"payeeWaived": "whether payees of what the client sends are not verified",
	"iban":        "the IBAN", "scheme": "the scheme", "currency": "the currency", "holderName": "the holder's name",
	"holderStreet":   "the holder's street",
	"holderBuilding": "the holder's building number", "holderPostcode": "the holder's postcode", "holderTown": "the holder's town",
	"holderCountry": "the holder's country", "agentBic": "the BIC of the account's bank", "agentIid": "the bank's number (IID)",
	"receives": "whether the realm receives payments for it", "rank": "the rank", "channel": "the channel", "amountFrom": "the least amount",
	"amountTo": "the largest amount", "approvals": "the number of approvals", "stepUp": "whether whoever approves shows a second factor",
	"contentHashRequired": "whether an approval must name the content", "expiresAfter": "how long a message may wait", "note": "the note",
	"subject": "what changes", "institution": "the name of the institution", "rejectReason": "the reason", "breakGlass": "the reason",
	"policyId": "the policy", "password": "the password", "secret": "the secret", "mark": "the mark",
	"outerIssuer": "the provider of the outer identity", "outerSubject": "the subject at the identity provider", "issuer": "the issuer",
	"providerClient": "the portal's client id at the provider", "providerSecret": "the portal's secret at the provider",
	"portalAddress": "the address of the portal", "passwords": "who may sign in by password",
	"signInAge": "how long ago people may have signed in at the provider",
	"limitId":   "the limit", "limitOf": "whom the limit binds", "holder": "the name, id or IBAN",
	"perPayment": "the most at a time", "perDay": "the most a day", "usedToday": "what is used today",
	"internalId": "the message", "globalId": "the Global ID",
	"creditorName": "the name", "creditorIban": "the IBAN", "street": "the street", "buildingNumber": "the building number",
	"addressLine1": "the first address line", "addressLine2": "the second address line", "postcode": "the postcode", "town": "the town",
	"country": "the country", "beneficiaryId": "the beneficiary",
	"atClearing": "clearing", "realm": "the realm", "secondFactorRoles": "the roles that need a second factor",
}

// label is a field in words.
func label(field string) string { return cmp.Or(labels[field], field) }

// Label is a field in words, as a heading: "User name".
func Label(field string) string {
	text := strings.TrimPrefix(label(field), "the ")
	return strings.ToUpper(text[:1]) + text[1:]
}
