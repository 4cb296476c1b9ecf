package request

import (
	"bytes"
	"errors"
	"mime"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/labstack/echo/v4"
)

var (
	// ErrSlowBody: the body had not arrived when the time of the request was over.
	ErrSlowBody = errors.New("the body did not arrive in time")
	// ErrBrokenBody: the body broke off.
	ErrBrokenBody = errors.New("the body broke off")
)

// maxAnnounced limits the bytes allocated for a body by its Content-Length.
const maxAnnounced = 16 << 10

// MediaTypeError says that a body is of another type than its address takes, compressed, or in another alphabet than UTF-8.
type MediaTypeError struct {
	Wanted string // such as application/json
}

func (e *MediaTypeError) Error() string {
	return "send the body as " + e.Wanted + " in UTF-8, without a content encoding"
}

// ReadTyped is ReadBody for a body of one media type. Errors: *MediaTypeError, and those of ReadBody.
func ReadTyped(c echo.Context, wanted string, most int64) ([]byte, error) {
	header := c.Request().Header
	kind, parameters, err := mime.ParseMediaType(header.Get(echo.HeaderContentType))
	foreign := parameters["charset"] != "" && !strings.EqualFold(parameters["charset"], "utf-8")
	if err != nil || kind != wanted || foreign || header.Get(echo.HeaderContentEncoding) != "" {
		return nil, &MediaTypeError{Wanted: wanted}
	}
	return ReadBody(c, most)
}

// ReadBody reads a body of at most so many bytes to its end. Errors: *http.MaxBytesError, ErrSlowBody, ErrBrokenBody. After a slow one
// the connection is closed (see Within).
func ReadBody(c echo.Context, most int64) ([]byte, error) {
	announced := min(max(c.Request().ContentLength, 0), most, maxAnnounced)
	content := bytes.NewBuffer(make([]byte, 0, announced+bytes.MinRead))
	_, err := content.ReadFrom(http.MaxBytesReader(c.Response(), c.Request().Body, most))
	if err == nil {
		return content.Bytes(), nil
	}
	if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
		return content.Bytes(), err
	}
	if TooSlow(err) {
		return nil, ErrSlowBody
	}
	return nil, ErrBrokenBody
}

// TooSlow reports whether reading a body failed because it did not arrive in time.
func TooSlow(err error) bool {
	return errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, ErrSlowBody)
}

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
