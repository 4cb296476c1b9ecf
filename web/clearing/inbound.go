// Package clearing is the door for the clearing of the schemes: it takes one ISO 20022 document per call and answers only after the
// document is stored (interface contract, section 8). It knows no users: the connection of a scheme has a token of its own.
package clearing

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"countersign/internal/auth"
	"countersign/internal/clearing"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/web/request"
)

// Path is the beginning of the addresses of the door.
const Path = "/clearing/v1/"

// maxDocument is the largest document, in bytes.
const maxDocument = 256 << 10

// Connection is one peer that may send documents.
type Connection struct {
	TokenHash [sha256.Size]byte // of its bearer token
	Schemes   []rulebook.Scheme // it speaks for
	// Name must be in the certificate that the peer shows: a DNS name, the common name of a certificate without DNS names, or the whole
	// subject (RFC 2253). Without a name the token is enough.
	Name string
}

// NewConnection makes the connection of a token. The token itself is not kept.
func NewConnection(token string, schemes ...rulebook.Scheme) Connection {
	return Connection{TokenHash: sha256.Sum256([]byte(token)), Schemes: schemes}
}

// Config holds the dependencies of the clearing interface.
type Config struct {
	Station     *clearing.Service
	Connections []Connection
	Now         func() time.Time
	Log         *slog.Logger
}

// Door takes documents.
type Door struct {
	cfg Config
}

// New makes the door. Without connections it lets nobody in.
func New(cfg Config) (*Door, error) {
	if cfg.Station == nil || cfg.Now == nil || cfg.Log == nil {
		return nil, errors.New("inbound: station, clock and log are needed")
	}
	return &Door{cfg: cfg}, nil
}

// Routes lists the one call, for each scheme.
func (d *Door) Routes() []request.Route {
	var routes []request.Route
	for _, scheme := range rulebook.Schemes() {
		routes = append(routes, request.Route{
			Method: http.MethodPost, Path: Path + string(scheme) + "/messages", Handle: d.take(scheme),
		})
	}
	return routes
}

// take receives one document. It returns its errors as problems for the server to write.
func (d *Door) take(scheme rulebook.Scheme) echo.HandlerFunc {
	return func(c echo.Context) error {
		if !d.admits(c.Request(), scheme) {
			return auth.ErrUnauthorized
		}
		reference, err := referenceOf(c.Request())
		if err != nil {
			return err
		}
		content, err := request.ReadTyped(c, echo.MIMEApplicationXML, maxDocument)
		if err != nil {
			return err
		}
		err = d.cfg.Station.Receive(c.Request().Context(), clearing.Document{
			Scheme: scheme, Reference: reference, Content: content, ReceivedAt: d.cfg.Now(),
		})
		var refused *clearing.RefusedError
		switch {
		case errors.Is(err, clearing.ErrDuplicate):
			return c.JSON(http.StatusOK, receipt{Status: "Duplicate"})
		case errors.As(err, &refused):
			return request.FieldsProblem(refused.Findings...)
		case err != nil:
			return err
		}
		return c.JSON(http.StatusAccepted, receipt{Status: "Stored"})
	}
}

// receipt answers a document that was taken.
type receipt struct {
	Status string `json:"status"`
}

// admits reports whether the bearer token is that of a connection for the scheme. Every connection is compared, each in constant time.
func (d *Door) admits(r *http.Request, scheme rulebook.Scheme) bool {
	kind, token, _ := strings.Cut(r.Header.Get(echo.HeaderAuthorization), " ")
	if !strings.EqualFold(kind, "bearer") || token == "" {
		return false
	}
	given := sha256.Sum256([]byte(token))
	admitted := false
	for _, connection := range d.cfg.Connections {
		same := subtle.ConstantTimeCompare(given[:], connection.TokenHash[:]) == 1
		admitted = admitted || same && slices.Contains(connection.Schemes, scheme) && d.shows(r, connection.Name)
	}
	return admitted
}

// shows reports whether a request came under a certificate of a name, of the authorities of the connection, that has not ended since.
func (d *Door) shows(r *http.Request, name string) bool {
	if name == "" {
		return true
	}
	if r.TLS == nil || len(r.TLS.VerifiedChains) == 0 {
		d.cfg.Log.WarnContext(r.Context(), "a document of clearing came without a certificate, and was not taken")
		return false
	}
	leaf := r.TLS.PeerCertificates[0]
	names := leaf.DNSNames
	switch {
	case strings.Contains(name, "="):
		names = []string{leaf.Subject.String()}
	case len(names) == 0:
		names = []string{leaf.Subject.CommonName}
	}
	fits := slices.ContainsFunc(names, func(shown string) bool { return strings.EqualFold(shown, name) })
	if fits && d.cfg.Now().Before(leaf.NotAfter) {
		return true
	}
	d.cfg.Log.WarnContext(r.Context(), "a document of clearing came under another certificate, or one that ended, and was not taken",
		"names", names, "want", name, "ended", leaf.NotAfter.UTC().Format(time.RFC3339))
	return false
}

// referenceOf reads the message id of the transport, "" when there is none.
func referenceOf(r *http.Request) (string, error) {
	reference := r.Header.Get("X-Message-Id")
	if !clearing.UsableReference(reference) {
		return "", request.FieldsProblem(payment.Finding{
			Pointer: "X-Message-Id", Code: "FF01", Text: "Send a message id of at most 140 printable ASCII characters.",
		})
	}
	return reference, nil
}
