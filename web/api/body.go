package api

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/labstack/echo/v4"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"countersign/internal/iso20022"
	"countersign/internal/payment"
	"countersign/web/problem"
)

// maxBody is the largest body of a call, in bytes.
const maxBody = 256 << 10

// body is a request body that was read strictly and holds to its schema.
type body struct {
	raw      []byte
	prefix   string // pointer to the order: "" when it sits flat, else /paymentRequest
	members  map[string]any
	document *iso20022.CustomerCreditTransferInitiation // nil where the schema has none
}

// text returns a text member, "" when it is absent.
func (b body) text(path ...string) string {
	var value any = b.members
	for _, name := range path {
		members, _ := value.(map[string]any)
		value = members[name]
	}
	text, _ := value.(string)
	return text
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

// receive reads the body of a request to its end: JSON, uncompressed, at most maxBody.
func receive(c echo.Context) ([]byte, error) {
	request := c.Request()
	kind, parameters, err := mime.ParseMediaType(request.Header.Get(echo.HeaderContentType))
	charset := strings.ToLower(parameters["charset"])
	if err != nil || kind != echo.MIMEApplicationJSON || charset != "" && charset != "utf-8" || request.Header.Get(echo.HeaderContentEncoding) != "" {
		return nil, problem.UnsupportedMediaType("application/json in UTF-8")
	}
	content, err := io.ReadAll(http.MaxBytesReader(c.Response(), request.Body, maxBody))
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return nil, problem.TooLarge("256 KiB")
	}
	if err != nil {
		return nil, problem.Fields(payment.Finding{Code: "FF01", Text: "Send the whole body: it broke off."})
	}
	return content, nil
}

// wrapping says whether an order may also sit inside paymentRequest.
type wrapping bool

const (
	flat      wrapping = false
	wrappable wrapping = true
)

// parse reads a body strictly and holds it against its schema. It fails with a Problem that names everything that is wrong, in the
// order of the body and at the places as they were sent; after malformed JSON nothing is known of the rest.
func parse(raw []byte, schema *jsonschema.Schema, mode wrapping) (body, error) {
	r := &strictReader{
		tokens: jsontext.NewDecoder(bytes.NewBuffer(raw), jsontext.AllowDuplicateNames(true)), raw: raw, places: map[string]int{},
	}
	b := body{raw: raw}
	b.members, b.prefix = r.order(resolved(schema), mode)
	if !r.broken {
		for _, m := range mistakesIn(schema, b.members) {
			r.report(r.place(b.prefix, m.pointer), b.prefix+m.pointer, m.code, m.text)
		}
		b.document = r.readDocument()
	}
	if len(r.found) > 0 {
		return b, problem.Fields(r.inOrder()...)
	}
	return b, nil
}
