package api

import (
	"net/http"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"countersign/internal/identity"
	"countersign/internal/payment"
	"countersign/web/request"
)

// keyHeader carries the caller's own key of a request that may come again; maxKey is its longest form in characters.
const (
	keyHeader = "Idempotency-Key"
	maxKey    = 255
)

// idempotencyKey reads the key, "" for none. It fails with a Problem for an invalid one.
func idempotencyKey(header http.Header) (string, error) {
	values := header.Values(keyHeader)
	if len(values) == 0 {
		return "", nil
	}
	good := len(values) == 1 && values[0] != "" && utf8.ValidString(values[0]) && utf8.RuneCountInString(values[0]) <= maxKey
	for _, r := range values[0] {
		good = good && unicode.IsPrint(r)
	}
	if !good {
		return "", request.FieldsProblem(payment.Finding{
			Pointer: keyHeader, Code: "FF01", Text: "Send one Idempotency-Key of 1 to 255 printable characters, or none.",
		})
	}
	return values[0], nil
}

// keyed reads the key of a creation and marks it as in progress until end. It fails with a Problem.
func (a *API) keyed(c echo.Context) (key string, end func(), err error) {
	key, err = idempotencyKey(c.Request().Header)
	if err != nil {
		return "", nil, err
	}
	end, err = a.flights.begin(principal(c), key)
	return key, end, err
}

// flight is a request under way.
type flight struct{ realm, client, key string }

// flights knows the requests of this program that are under way. Of two programs on one database the second waits for the first.
type flights struct{ underWay sync.Map }

// begin marks a request as in progress; end removes the mark. It fails with a Problem while another request with the same key is in
// progress. Requests without a key never conflict.
func (f *flights) begin(by identity.Principal, key string) (end func(), err error) {
	if key == "" {
		return func() {}, nil
	}
	one := flight{realm: by.Realm, client: by.ClientID, key: key}
	_, another := f.underWay.LoadOrStore(one, true)
	if another {
		return nil, request.InFlight()
	}
	return func() { f.underWay.Delete(one) }, nil
}
