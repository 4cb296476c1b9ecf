// Package amqp carries documents to and from the clearing of the schemes over an AMQP 1.0 broker. It stands above the clearing service,
// whose seam (clearing.Network) it fills, so that the service knows no transport.
package amqp

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/Azure/go-amqp"
	"golang.org/x/sync/errgroup"

	"countersign/internal/clearing"
	"countersign/internal/rulebook"
)

// Transport has a queue out and a queue in for each scheme. Deliver sends, Run receives; both connect when they need to and again after
// a fault, so a broker that is down at the start is no error.
type Transport struct {
	cfg Config
	out map[rulebook.Scheme]*outboundQueue
	// ends is when the certificate of the broker ends; nil before the first connection, and without TLS.
	ends atomic.Pointer[time.Time]
}

// Config holds the address of the broker and the settings of the connection.
type Config struct {
	// URL of the broker: amqps://user:password@host:5671, or amqp:// without encryption. Without a user, a client certificate in TLS
	// is the proof of identity (SASL EXTERNAL); without that the connection is anonymous.
	URL string
	// TLS is used with amqps. nil: the system's certificate authorities and no client certificate.
	TLS *tls.Config
	// Queues holds the addresses of each scheme in the broker's own spelling.
	Queues map[rulebook.Scheme]Queues
	Now    func() time.Time // when a document arrived
	Log    *slog.Logger
	// ReceiveWithin is the longest wait for a document on one link; then a new one takes its place, as a link may fall silent
	// without an error. 0: 5 s, half of the time a scheme gives for its answer.
	ReceiveWithin time.Duration
}

// Queues are the addresses of one scheme: the gateway sends to Out and receives from In.
type Queues struct {
	Out, In string
}

const (
	defaultReceiveWithin = 5 * time.Second
	parallel             = 16 // documents of a scheme worked on at once
	// openWithin limits opening and closing a connection, session or link.
	openWithin = 3 * time.Second
	// brokerIdle is the longest silence of a connection; heartbeats go at half of it.
	brokerIdle = 20 * time.Second
	// brokerWriteWithin limits a write to a broker that does not read.
	brokerWriteWithin = 5 * time.Second
	// maxBrokerPause bounds the pause before the broker is tried again: a payment's clock runs for 10 s.
	maxBrokerPause = 2 * time.Second
)

// New makes the transport without connecting. It fails for a URL or for addresses that cannot work.
func New(cfg Config) (*Transport, error) {
	err := cfg.check()
	if err != nil {
		return nil, err
	}
	if cfg.ReceiveWithin == 0 {
		cfg.ReceiveWithin = defaultReceiveWithin
	}
	a := &Transport{cfg: cfg, out: make(map[rulebook.Scheme]*outboundQueue, len(cfg.Queues))}
	if strings.HasPrefix(cfg.URL, "amqps:") {
		a.watchCertificate()
	}
	for scheme, queues := range cfg.Queues {
		a.out[scheme] = newOutboundQueue(&a.cfg, queues.Out)
	}
	return a, nil
}

// watchCertificate notes the certificate that the broker shows at each connection.
func (a *Transport) watchCertificate() {
	watched := &tls.Config{MinVersion: tls.VersionTLS12}
	if a.cfg.TLS != nil {
		watched = a.cfg.TLS.Clone()
	}
	verify := watched.VerifyConnection
	watched.VerifyConnection = func(state tls.ConnectionState) error {
		if len(state.PeerCertificates) > 0 {
			a.ends.Store(&state.PeerCertificates[0].NotAfter)
		}
		if verify != nil {
			return verify(state)
		}
		return nil
	}
	a.cfg.TLS = watched
}

// Certificates returns the ends of the certificates of the connection to the broker, which is that of every scheme.
func (a *Transport) Certificates() map[rulebook.Scheme]clearing.Certificates {
	ends := clearing.Certificates{Ours: clearing.OwnCertificateEnd(a.cfg.TLS)}
	if at := a.ends.Load(); at != nil {
		ends.Theirs = *at
	}
	all := map[rulebook.Scheme]clearing.Certificates{}
	for scheme := range a.cfg.Queues {
		all[scheme] = ends
	}
	return all
}

// Deliver sends the document as one durable message whose message-id is the reference, and waits until the broker has accepted it.
// Rejected, released and modified are errors like a lost connection: the service sends the document again under the same reference.
// Rejected is clearing.ErrNotAccepted, though: it says nothing of the others that wait.
func (a *Transport) Deliver(ctx context.Context, scheme rulebook.Scheme, reference string, content []byte) error {
	queue, known := a.out[scheme]
	if !known {
		return fmt.Errorf("no clearing address for %s", scheme)
	}
	return queue.deliver(ctx, reference, content)
}

// Run receives the documents of all schemes until the context ends, and returns nil when the last one being worked on is settled. A
// document leaves the broker when receive returned nil or ErrDuplicate. RefusedError rejects it, which a broker answers with its
// dead-letter queue; any other error gives it back after a pause, to be received again. receive is called concurrently.
func (a *Transport) Run(ctx context.Context, receive func(context.Context, clearing.Document) error) error {
	var group errgroup.Group
	for scheme, queues := range a.cfg.Queues {
		queue := &inboundQueue{cfg: &a.cfg, scheme: scheme, address: queues.In, receive: receive}
		group.Go(func() error {
			queue.run(ctx)
			return nil
		})
	}
	return group.Wait()
}

// Close lets no new delivery begin, waits for those under way and closes their connections. Run ends with its context.
func (a *Transport) Close() {
	for _, queue := range a.out {
		queue.close()
	}
	for _, queue := range a.out {
		queue.closing.Wait()
	}
}

func (c Config) check() error {
	u, err := url.Parse(c.URL)
	if err != nil || (u.Scheme != "amqp" && u.Scheme != "amqps") || u.Hostname() == "" {
		return errors.New("the address of the AMQP broker must look like amqps://user:password@host:5671") // without the URL: it holds a password
	}
	if len(c.Queues) == 0 {
		return errors.New("the AMQP transport needs the queues of at least one scheme")
	}
	for scheme, queues := range c.Queues {
		_, known := scheme.Profile()
		if !known {
			return fmt.Errorf("AMQP queues for %q, which is no scheme", scheme)
		}
		if queues.Out == "" || queues.In == "" || queues.Out == queues.In {
			return fmt.Errorf("%s needs two AMQP addresses, one out and one in", scheme)
		}
	}
	if c.Log == nil || c.Now == nil {
		return errors.New("the AMQP transport needs a log and a clock")
	}
	return nil
}

// dial opens a connection.
func (c *Config) dial(ctx context.Context) (*amqp.Conn, error) {
	options := &amqp.ConnOptions{IdleTimeout: brokerIdle, WriteTimeout: brokerWriteWithin}
	if c.TLS != nil {
		options.TLSConfig = c.TLS.Clone()
	}
	u, _ := url.Parse(c.URL) // New checked it
	switch {
	case u.User != nil: // the library takes name and password from the URL
	case u.Scheme == "amqps" && c.TLS != nil && (len(c.TLS.Certificates) > 0 || c.TLS.GetClientCertificate != nil):
		options.SASLType = amqp.SASLTypeExternal("")
	default:
		options.SASLType = amqp.SASLTypeAnonymous()
	}
	conn, err := amqp.Dial(ctx, c.URL, options)
	if err != nil {
		return nil, fmt.Errorf("connect to the broker: %w", err)
	}
	return conn, nil
}

// brokerPause is the pause after the given number of failures in a row: 100 ms, doubled each time, at most maxBrokerPause.
func brokerPause(failures int) time.Duration {
	const first, doublings = 100 * time.Millisecond, 5 // 3.2 s: past the longest pause
	return min(maxBrokerPause, first<<min(max(failures, 1)-1, doublings))
}
