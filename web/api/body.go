package api

import (
	"context"
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"countersign/internal/iso20022"
	"countersign/internal/iso20022/jsontoken"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/web/problem"
)

// maxBody is the largest body of a call, in bytes.
const maxBody = 256 << 10

// body is a request body that was read strictly and holds to its schema.
type body struct {
	raw      []byte
	prefix   string // pointer to the order: "" when it sits flat, else /paymentRequest
	members  map[string]any
	numbers  map[string]string                          // as they were written, by their pointers
	document *iso20022.CustomerCreditTransferInitiation // nil where the schema has none
	broken   bool                                       // nothing is known of what follows the place that was found wrong
}

// value returns a member, nil when it is absent.
func (b body) value(path ...string) any {
	var value any = b.members
	for _, name := range path {
		members, _ := value.(map[string]any)
		value = members[name]
	}
	return value
}

// text returns a text member, "" when it is absent.
func (b body) text(path ...string) string {
	text, _ := b.value(path...).(string)
	return text
}

// decimal returns a member that may be written as text or as number, in the characters of the body; "" when it is absent.
func (b body) decimal(path ...string) string {
	number, isNumber := b.numbers[b.prefix+pointerTo(path)]
	if isNumber {
		return number
	}
	return b.text(path...)
}

// at moves findings from where the domain expects the order to where the caller put it.
func (b body) at(findings []payment.Finding) []payment.Finding {
	moved := make([]payment.Finding, len(findings))
	for i, f := range findings {
		f.Pointer = b.prefix + f.Pointer
		moved[i] = f
	}
	return moved
}

// wrapping says whether an order may also sit inside paymentRequest.
type wrapping bool

const (
	flat      wrapping = false
	wrappable wrapping = true
)

// form is how a body is written.
type form struct {
	schema *jsonschema.Schema
	mode   wrapping
	also   func(body) []mistake // what a schema cannot say; nil for nothing
	// scheme is that of the path, "" where it names none; request the form of an R-transaction.
	scheme  rulebook.Scheme
	request requestForm
}

// parseForm reads a body strictly and holds it against its form. It fails with a Problem that names everything that is wrong, in the
// order of the body and at the places as they were sent, up to maxFindings; after malformed JSON nothing is known of the rest. It fails
// with the error of the context when the caller no longer waits for what the schema and the codec would say.
func parseForm(ctx context.Context, raw []byte, f form) (body, error) {
	r := &strictReader{
		tokens: jsontoken.New(raw), raw: raw,
		places: map[string]int{}, numbers: map[string]string{},
	}
	defer r.tokens.Close()
	b := body{raw: raw, numbers: r.numbers}
	b.members, b.prefix = r.order(resolved(f.schema), f.mode)
	err := ctx.Err()
	if err != nil {
		return b, fmt.Errorf("hold the body against its schema: %w", err)
	}
	if !r.broken {
		mistakes := mistakesIn(f.schema, b.members)
		if f.also != nil {
			mistakes = append(mistakes, f.also(b)...)
		}
		for _, m := range mistakes {
			r.report(r.place(b.prefix, m.pointer), b.prefix+m.pointer, m.code, m.text)
		}
	}
	if !r.broken { // the schema may have found more than is told
		b.document = r.readDocument()
	}
	b.broken = r.broken
	if len(r.found) > 0 {
		return b, problem.Fields(r.inOrder()...)
	}
	return b, nil
}
