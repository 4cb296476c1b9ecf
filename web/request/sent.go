package request

import (
	"mime"
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"
)

// maxSent is the largest form that is handed back, in bytes of names and values.
const maxSent = 64 << 10

// Sent are the fields of a form that came with a request, for a page that lets its sender send it once more. ok is false for anything but a
// plain form, for one that is too large, and for one with a field that no page may show, such as a password.
func Sent(r *http.Request) (fields url.Values, ok bool) {
	kind, _, err := mime.ParseMediaType(r.Header.Get(echo.HeaderContentType))
	if r.Method != http.MethodPost || err != nil || kind != echo.MIMEApplicationForm || r.ParseForm() != nil {
		return nil, false
	}
	size := 0
	for name, values := range r.PostForm {
		if isSecret(name) {
			return nil, false
		}
		for _, value := range values {
			size += len(name) + len(value)
		}
	}
	return r.PostForm, size <= maxSent
}

// isSecret reports whether a field holds a password or a code, which no page may show.
func isSecret(name string) bool {
	for _, part := range []string{"password", "secret", "token"} {
		if strings.Contains(strings.ToLower(name), part) {
			return true
		}
	}
	return name == "code" || strings.HasSuffix(name, "Code")
}
