package clearing

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/sony/gobreaker/v2"

	"countersign/internal/observability"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
)

var (
	// ErrNotAccepted is the error of a Network when clearing, or its broker, answers but refuses this one document. It may accept others.
	ErrNotAccepted = errors.New("clearing does not take this document")
	// ErrOtherDocument is an ErrNotAccepted whose reason is known: clearing has another document under this message id.
	ErrOtherDocument = fmt.Errorf("%w: it has another one under this message id", ErrNotAccepted)
	// errInterrupted: deliveries to this scheme's clearing fail one after the other, so that this one was not tried.
	errInterrupted = errors.New("the connection to clearing is interrupted: not tried")
)

// ConnectionState is the state of a connection to clearing.
type ConnectionState string

// The states of a connection: each delivery is tried; none is; one is, to see whether clearing is back.
const (
	ConnectionWorking     ConnectionState = "working"
	ConnectionInterrupted ConnectionState = "interrupted"
	ConnectionTrying      ConnectionState = "trying"
)

// ConnectionStatus is the state of the connection to a scheme's clearing.
type ConnectionStatus struct {
	Scheme rulebook.Scheme
	State  ConnectionState
	Since  time.Time // when it was interrupted, or was back; zero since the start
	// Failing: the last delivery failed, so that what waits may wait for clearing.
	Failing bool
	// Certificates of the connection; zero where they are not known.
	Certificates Certificates
}

// Certificates are the ends of the certificates of a connection: of clearing's, and of this gateway's. Zero for none, or one not yet seen.
type Certificates struct{ Theirs, Ours time.Time }

// Certified is a network that knows the certificates of its connections.
type Certified interface {
	Certificates() map[rulebook.Scheme]Certificates
}

// OwnCertificateEnd is the end of the certificate that connections show; zero for none.
func OwnCertificateEnd(secured *tls.Config) time.Time {
	if secured == nil || secured.GetClientCertificate == nil {
		return time.Time{}
	}
	shown, err := secured.GetClientCertificate(&tls.CertificateRequestInfo{})
	if err != nil || shown.Leaf == nil {
		return time.Time{}
	}
	return shown.Leaf.NotAfter.UTC()
}

const (
	// failuresToInterrupt is the number of deliveries that must fail one after the other, with none taken between them.
	failuresToInterrupt = 10
	// interruption is the pause until one delivery is tried again.
	interruption = time.Second
	// interruptionLines is the shortest time between two alarms that clearing takes nothing: one that comes and goes does not flood the log.
	interruptionLines = 10 * time.Second
)

// connection delivers documents to the clearing of one scheme. When clearing accepts none any more, the connection is interrupted:
// deliveries then fail at once, except one at a time that tests whether clearing is back. So the number of waiting deliveries is limited,
// and the back-off of messages counts only real attempts.
type connection struct {
	scheme    rulebook.Scheme
	cfg       *Config
	breaker   *gobreaker.TwoStepCircuitBreaker[struct{}]
	recovered func() // called when clearing takes documents again

	mu            sync.Mutex // taken while the breaker's own is held: its holder asks the breaker nothing
	since         time.Time
	down          bool // and the log was told that clearing takes nothing
	loggedAt      time.Time
	interruptions int // since the last line about it
}

func newConnection(scheme rulebook.Scheme, cfg *Config, recovered func()) *connection {
	c := &connection{scheme: scheme, cfg: cfg, recovered: recovered}
	c.breaker = gobreaker.NewTwoStepCircuitBreaker[struct{}](gobreaker.Settings{
		Name: string(scheme), Timeout: interruption,
		ReadyToTrip:   func(counts gobreaker.Counts) bool { return counts.ConsecutiveFailures >= failuresToInterrupt },
		OnStateChange: c.changed,
		IsSuccessful:  func(err error) bool { return err == nil || errors.Is(err, ErrNotAccepted) },
		IsExcluded:    func(err error) bool { return errors.Is(err, context.Canceled) }, // this program stops
	})
	return c
}

// changed logs once that clearing is away, and once that it is back, however many deliveries fail; an unstable connection is logged every
// ten seconds at most. The breaker calls it under its own lock.
func (c *connection) changed(_ string, from, to gobreaker.State) {
	now := c.cfg.Now().UTC()
	c.mu.Lock()
	defer c.mu.Unlock()
	if to == gobreaker.StateClosed {
		c.recovered()
		c.since = now
		if c.down {
			c.down = false
			c.cfg.Log.Info("clearing takes documents again", "scheme", c.scheme)
		}
		return
	}
	if from == gobreaker.StateClosed {
		c.since = now
		c.interruptions++
	}
	passed := now.Sub(c.loggedAt)
	if to != gobreaker.StateOpen || c.down || 0 <= passed && passed < interruptionLines {
		return
	}
	c.cfg.Log.Error("clearing takes no documents: deliveries pause, and one is tried every second", "alarm", true, "scheme", c.scheme,
		"failed", failuresToInterrupt, "interruptions", c.interruptions)
	c.down, c.loggedAt, c.interruptions = true, now, 0
}

// logged reports whether the logged outage of clearing covers an error, so that it is not logged for each document.
func (c *connection) logged(err error) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.down && unreachable(err)
}

// deliver hands over one document, within the time of one attempt. It fails with errInterrupted when that was not tried.
func (c *connection) deliver(ctx context.Context, reference string, content []byte) error {
	done, err := c.breaker.Allow()
	if err != nil {
		c.cfg.Metrics.Delivered(string(c.scheme), "interrupted", 0)
		return errInterrupted
	}
	began := c.cfg.Now()
	limited, cancel := context.WithTimeout(ctx, DeliverWithin)
	defer cancel()
	limited, end := observability.Within(limited, "deliver", "countersign.scheme", string(c.scheme))
	err = c.cfg.Network.Deliver(limited, c.scheme, reference, content)
	end(err)
	done(err)
	outcome := "taken"
	if err != nil {
		outcome, err = "not taken", fmt.Errorf("deliver %s: %w", reference, err)
		if !errors.Is(err, ErrNotAccepted) {
			outcome, err = "failed", unreachableError{err}
		}
	}
	c.cfg.Metrics.Delivered(string(c.scheme), outcome, c.cfg.Now().Sub(began))
	return err
}

// room returns how many of most deliveries may be tried now.
func (c *connection) room(most int) int {
	switch c.breaker.State() {
	case gobreaker.StateOpen:
		return 0
	case gobreaker.StateHalfOpen:
		return 1
	default:
		return most
	}
}

// status returns the state of the connection.
func (c *connection) status() ConnectionStatus {
	state := map[gobreaker.State]ConnectionState{
		gobreaker.StateClosed: ConnectionWorking, gobreaker.StateOpen: ConnectionInterrupted, gobreaker.StateHalfOpen: ConnectionTrying,
	}[c.breaker.State()]
	failing := c.breaker.Counts().ConsecutiveFailures > 0
	c.mu.Lock()
	defer c.mu.Unlock()
	return ConnectionStatus{Scheme: c.scheme, State: state, Since: c.since, Failing: failing}
}

// Connections returns the states of the connections to the schemes' clearing.
func (s *Service) Connections() []ConnectionStatus {
	all := make([]ConnectionStatus, 0, len(s.schemes))
	certified, is := s.cfg.Network.(Certified)
	for _, w := range s.schemes {
		status := w.connection.status()
		if is {
			status.Certificates = certified.Certificates()[status.Scheme]
		}
		all = append(all, status)
	}
	return all
}

// unreachableError is why a document was not handed over, where that is about clearing, or the way to it, and not about the document.
type unreachableError struct{ error }

func (e unreachableError) Unwrap() error { return e.error }

// unreachable reports whether a document was not handed over for want of clearing.
func unreachable(err error) bool {
	_, is := errors.AsType[unreachableError](err)
	return is || errors.Is(err, errInterrupted)
}

// deliveries holds the running deliveries of this process.
type deliveries struct {
	mu sync.Mutex
	of map[uuid.UUID]*underway // by the id of the message
}

// underway is a delivery that runs.
type underway struct {
	noted chan struct{}    // closed when after is set, or the delivery ended
	after *payment.Message // the message as the note of its delivery leaves it; nil when there is no note
}

func newDeliveries() *deliveries { return &deliveries{of: make(map[uuid.UUID]*underway)} }

// begin returns false while a delivery of the message runs. Call end after it returned true.
func (d *deliveries) begin(id uuid.UUID) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.of[id] != nil {
		return false
	}
	d.of[id] = &underway{noted: make(chan struct{})}
	return true
}

// delivered records that the note of a delivery is queued, which leaves the message as given.
func (d *deliveries) delivered(after payment.Message) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if u := d.of[after.InternalID]; u != nil && u.after == nil {
		u.after = &after
		close(u.noted)
	}
}

func (d *deliveries) end(id uuid.UUID) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if u := d.of[id]; u.after == nil {
		close(u.noted)
	}
	delete(d.of, id)
}

// wait returns the message as the note of its running delivery leaves it. It waits for the note at most the given time, and returns nil
// when no delivery runs or there is no note in time.
func (d *deliveries) wait(ctx context.Context, id uuid.UUID, most time.Duration) *payment.Message {
	d.mu.Lock()
	u := d.of[id]
	d.mu.Unlock()
	if u == nil {
		return nil
	}
	select {
	case <-u.noted:
		return u.after
	case <-ctx.Done():
	case <-time.After(most):
	}
	return nil
}
