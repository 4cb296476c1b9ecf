package api

import (
	"strconv"

	"countersign/internal/iso20022"
	"countersign/internal/payment"
)

// MaxSize is the largest body of a call, in bytes.
const MaxSize = 256 << 10

// MediaType is the required content type of a body.
const MediaType = "application/json"

// Body is a JSON object that was read strictly and matches its schema.
type Body struct {
	Raw      []byte                                     // as it came
	Prefix   string                                     // pointer to the order: "" when it sits flat, else /paymentRequest
	Document *iso20022.CustomerCreditTransferInitiation // nil where the schema has none
	// DocumentRaw is the JSON value of the member Document.
	DocumentRaw []byte
	Broken      bool // nothing is known of what follows the place that was found wrong

	members map[string]any
	numbers map[string]string // as they were written, by their pointers
}

// MalformedError reports a body that is no JSON object or does not match its schema. It has at most maxFindings findings, in the order of
// the body, with places in it. errors.As does not find a payment.FieldError in it, because that one has places of the domain.
type MalformedError struct{ payment.FieldError }

// Members returns the members of an object by name; nil without one.
func (b Body) Members(path ...string) map[string]any {
	members := b.members
	for _, name := range path {
		members, _ = members[name].(map[string]any)
	}
	return members
}

// Value returns a member, nil when it is absent.
func (b Body) Value(path ...string) any {
	last := len(path) - 1
	return b.Members(path[:last]...)[path[last]]
}

// Text returns a text member, "" when it is absent.
func (b Body) Text(path ...string) string {
	text, _ := b.Value(path...).(string)
	return text
}

// Decimal returns a member that may be written as text or as number, in the characters of the body; "" when it is absent.
func (b Body) Decimal(path ...string) string {
	number, isNumber := b.numbers[b.Prefix+pointerTo(path)]
	if isNumber {
		return number
	}
	return b.Text(path...)
}

// Entries returns the entries of a list of objects, each as a body of its own; findings are placed in the whole body. An entry that is no
// object has no members.
func (b Body) Entries(list string) []Body {
	values, _ := b.Value(list).([]any)
	entries := make([]Body, len(values))
	for i, value := range values {
		members, _ := value.(map[string]any)
		entries[i] = Body{Raw: b.Raw, Prefix: b.Prefix + "/" + list + "/" + strconv.Itoa(i), members: members, numbers: b.numbers}
	}
	return entries
}

// At changes findings from places of the domain's order to places of the caller's body.
func (b Body) At(findings []payment.Finding) []payment.Finding {
	moved := make([]payment.Finding, len(findings))
	for i, f := range findings {
		f.Pointer = b.Prefix + f.Pointer
		moved[i] = f
	}
	return moved
}
