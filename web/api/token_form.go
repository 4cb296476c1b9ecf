package api

import (
	"errors"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"countersign/internal/auth"
	"countersign/web/request"
)

// maxTokenForm is the largest body of a token call, in bytes.
const maxTokenForm = 16 << 10

// tokenForm is the body of a token call: each field once, empty ones left out, and the client as the form or the header names it.
type tokenForm struct {
	fields map[string]string
	client auth.ClientCredentials
}

// openTokenForm reads the body of a token call, and forbids caching of the answer. Unknown fields are ignored, a repeated field is refused
// (RFC 6749 section 3.2); the query string is not read, because it ends in logs.
func openTokenForm(c echo.Context) (tokenForm, error) {
	header := c.Response().Header()
	header.Set(echo.HeaderCacheControl, "no-store")
	header.Set("Pragma", "no-cache")
	kind, _, err := mime.ParseMediaType(c.Request().Header.Get(echo.HeaderContentType))
	if err != nil || kind != echo.MIMEApplicationForm {
		return tokenForm{}, problemNotForm
	}
	body, err := request.ReadBody(c, maxTokenForm)
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return tokenForm{}, problemTooLarge
	}
	if errors.Is(err, request.ErrSlowBody) {
		return tokenForm{}, request.ProblemOf(err)
	}
	if err != nil {
		return tokenForm{}, invalidRequest("The body could not be read to its end.")
	}
	values, err := url.ParseQuery(string(body))
	if err != nil {
		return tokenForm{}, invalidRequest("The body is not a valid form.")
	}
	f := tokenForm{fields: map[string]string{}}
	for name, list := range values {
		if len(list) > 1 {
			return tokenForm{}, invalidRequest("A field came more than once. Send each field once.")
		}
		if list[0] != "" {
			f.fields[name] = list[0]
		}
	}
	f.client, err = clientOf(c.Request(), f.fields)
	return f, err
}

// clientOf reads the client's credentials from the form or from HTTP Basic, never from both (RFC 6749 section 2.3).
func clientOf(r *http.Request, fields map[string]string) (auth.ClientCredentials, error) {
	given := auth.ClientCredentials{ClientID: fields["client_id"], ClientSecret: fields["client_secret"]}
	if !usesBasic(r) {
		if given.ClientID == "" {
			return given, invalidRequest("The field client_id is missing.")
		}
		return given, nil
	}
	name, secret, ok := r.BasicAuth()
	if !ok {
		return given, auth.ErrInvalidClient
	}
	id, errID := url.QueryUnescape(name)
	secret, errSecret := url.QueryUnescape(secret)
	if errID != nil || errSecret != nil || id == "" {
		return given, auth.ErrInvalidClient
	}
	if given.ClientSecret != "" || (given.ClientID != "" && given.ClientID != id) {
		return given, invalidRequest("Send the client's credentials either in the Authorization header or in the form.")
	}
	return auth.ClientCredentials{ClientID: id, ClientSecret: secret}, nil
}

// usesBasic reports whether the request authenticates its client by HTTP Basic.
func usesBasic(request *http.Request) bool {
	scheme, _, _ := strings.Cut(request.Header.Get(echo.HeaderAuthorization), " ")
	return strings.EqualFold(scheme, "basic")
}

// require refuses the form when one of the fields is missing or empty.
func (f tokenForm) require(names ...string) error {
	for _, name := range names {
		if f.fields[name] == "" {
			return invalidRequest(fmt.Sprintf("The field %s is missing.", name))
		}
	}
	return nil
}

// requireGrant refuses a form whose grant this path does not accept.
func (f tokenForm) requireGrant(allowed []string) error {
	err := f.require("grant_type")
	if err != nil {
		return err
	}
	if !slices.Contains(allowed, f.fields["grant_type"]) {
		return unsupportedGrant(allowed)
	}
	return nil
}
