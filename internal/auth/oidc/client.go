package oidc

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
	"golang.org/x/sync/singleflight"
)

// Limits of the calls to a provider.
const (
	answerTime   = 5 * time.Second  // of one call, from connection to last byte
	maxBytes     = 1 << 20          // of one answer
	metadataLife = 10 * time.Minute // after which metadata and keys are read anew
	maxProviders = 1000             // whose metadata are remembered
)

// ErrUnreachable says that the provider does not answer, or not as the standard says.
var ErrUnreachable = errors.New("the identity provider does not answer as it should")

// Client talks to identity providers and remembers their metadata for a while.
type Client struct {
	http  *http.Client
	now   func() time.Time
	reads singleflight.Group

	mu    sync.Mutex
	known map[string]metadata
}

// metadata is the metadata of a provider.
type metadata struct {
	provider    *oidc.Provider
	readAt      time.Time
	AuthMethods []string `json:"token_endpoint_auth_methods_supported"`
	NamesIssuer bool     `json:"authorization_response_iss_parameter_supported"`
	Algorithms  []string `json:"id_token_signing_alg_values_supported"`
}

// NewClient makes a client with a clock. Certificates are checked against those of the system.
func NewClient(now func() time.Time) *Client {
	transport := http.DefaultTransport.(*http.Transport).Clone() //nolint:forcetypeassert // it is one, by its documentation
	transport.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12}
	transport.MaxResponseHeaderBytes = 64 << 10
	return &Client{now: now, known: map[string]metadata{}, http: &http.Client{
		Transport: limited{transport}, Timeout: answerTime,
		// A secret goes to the address that two administrators approved, and no further.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// limited cuts answers off that are too long.
type limited struct{ next http.RoundTripper }

// RoundTrip carries out one request.
func (l limited) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := l.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	response.Body = struct {
		io.Reader
		io.Closer
	}{io.LimitReader(response.Body, maxBytes), response.Body}
	return response, nil
}

// context lets the libraries use this client.
func (c *Client) context(ctx context.Context) context.Context { return oidc.ClientContext(ctx, c.http) }

// metadata returns the metadata of a provider, from the cache or read anew. Concurrent callers share one read. Error: ErrUnreachable.
func (c *Client) metadata(ctx context.Context, issuer string) (metadata, error) {
	c.mu.Lock()
	known, found := c.known[issuer]
	c.mu.Unlock()
	if found && c.now().Sub(known.readAt) < metadataLife && !c.now().Before(known.readAt) {
		return known, nil
	}
	read, err, _ := c.reads.Do(issuer, func() (any, error) {
		// The one who began may go; the others wait for the answer all the same.
		return c.read(context.WithoutCancel(ctx), issuer)
	})
	if err != nil {
		return metadata{}, err
	}
	return read.(metadata), nil //nolint:forcetypeassert // read returns nothing else
}

func (c *Client) read(ctx context.Context, issuer string) (metadata, error) {
	ctx, cancel := context.WithTimeout(c.context(ctx), answerTime)
	defer cancel()
	provider, err := oidc.NewProvider(ctx, issuer) // refuses metadata of another issuer
	if err != nil {
		return metadata{}, fmt.Errorf("%w: read the metadata: %w", ErrUnreachable, err)
	}
	m := metadata{provider: provider, readAt: c.now()}
	err = provider.Claims(&m)
	if err != nil {
		return metadata{}, fmt.Errorf("%w: read the metadata: %w", ErrUnreachable, err)
	}
	if provider.Endpoint().AuthURL == "" || provider.Endpoint().TokenURL == "" {
		return metadata{}, fmt.Errorf("%w: its metadata name no endpoints", ErrUnreachable)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.known) >= maxProviders {
		clear(c.known)
	}
	c.known[issuer] = m
	return m, nil
}

// Settings are the registration of this portal at a provider.
type Settings struct {
	Issuer      string
	ClientID    string
	Secret      string        // "" for a public client
	RedirectURL string        // where answers come back, letter by letter
	MaxAge      time.Duration // how long ago the person may have proved who they are
}

func (m metadata) config(s Settings) oauth2.Config {
	endpoint := m.provider.Endpoint()
	endpoint.AuthStyle = oauth2.AuthStyleInHeader // what holds when metadata say nothing (Discovery 1.0 section 3)
	if len(m.AuthMethods) > 0 && !slices.Contains(m.AuthMethods, "client_secret_basic") || s.Secret == "" {
		endpoint.AuthStyle = oauth2.AuthStyleInParams
	}
	return oauth2.Config{
		ClientID: s.ClientID, ClientSecret: s.Secret, Endpoint: endpoint, RedirectURL: s.RedirectURL, Scopes: []string{oidc.ScopeOpenID},
	}
}
