package amqp

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/Azure/go-amqp"

	"countersign/internal/clearing"
)

// sendersEach is the number of sessions, with one sender each, that share the connection of a queue. Each sender has many documents
// under way at once; several of them keep the broker from working through one session only.
const sendersEach = 4

// errTransportClosed: Close was called.
var errTransportClosed = errors.New("the AMQP transport is closed")

// outboundQueue sends the documents of one scheme. It holds one connection, opened by the first delivery and again by the next one
// after a fault. A fault of one scheme does not touch the other.
type outboundQueue struct {
	cfg     *Config
	address string
	opening chan struct{}  // holds one token while a connection is being opened: the others wait, within their own time
	closing sync.WaitGroup // lines that are not closed yet

	mu      sync.Mutex // guards what follows
	line    *line
	closed  bool
	failed  int // openings in a row that failed
	failure error
	cooling <-chan time.Time // fires when the next opening may be tried
}

// line is an open connection and the deliveries on it. A line with a fault is retired: it takes no more deliveries and is closed when
// the last one has left.
type line struct {
	conn    *amqp.Conn
	senders []*amqp.Sender

	used    int // guarded by the queue's mu, like what follows
	users   int
	retired bool
}

func newOutboundQueue(cfg *Config, address string) *outboundQueue {
	return &outboundQueue{cfg: cfg, address: address, opening: make(chan struct{}, 1)}
}

func (q *outboundQueue) deliver(ctx context.Context, reference string, content []byte) error {
	line, sender, err := q.enter(ctx)
	if err != nil {
		return err
	}
	receipt, err := sender.SendWithReceipt(ctx, amqpMessage(reference, content), nil)
	if err != nil {
		q.leave(line, faulty(ctx))
		return fmt.Errorf("send to the broker: %w", err)
	}
	outcome, err := receipt.Wait(ctx)
	if err != nil {
		q.leave(line, faulty(ctx))
		return fmt.Errorf("wait for the broker: %w", err)
	}
	q.leave(line, false)
	return accepted(outcome)
}

// faulty reports whether a failed delivery discredits the connection. It does unless the caller cancelled; also after a time-out, as the
// broker may never answer on this connection.
func faulty(ctx context.Context) bool { return !errors.Is(ctx.Err(), context.Canceled) }

// accepted is nil for the one outcome that means delivery.
func accepted(outcome amqp.DeliveryState) error {
	switch o := outcome.(type) {
	case *amqp.StateAccepted:
		return nil
	case *amqp.StateRejected:
		if o.Error != nil {
			return fmt.Errorf("%w: the broker rejected it: %w", clearing.ErrNotAccepted, o.Error)
		}
		return fmt.Errorf("%w: the broker rejected it", clearing.ErrNotAccepted)
	case *amqp.StateReleased:
		return errors.New("the broker released the document: no queue took it")
	default:
		return fmt.Errorf("the broker did not accept the document: %v", outcome)
	}
}

// amqpMessage is the same on every attempt.
func amqpMessage(reference string, content []byte) *amqp.Message {
	contentType := "application/xml"
	return &amqp.Message{
		Header:     &amqp.MessageHeader{Durable: true},
		Properties: &amqp.MessageProperties{MessageID: reference, ContentType: &contentType},
		Data:       [][]byte{content},
	}
}

// enter joins the open line, or opens one when nobody else does.
func (q *outboundQueue) enter(ctx context.Context) (*line, *amqp.Sender, error) {
	l, sender, err := q.join()
	if l != nil || err != nil {
		return l, sender, err
	}
	select {
	case q.opening <- struct{}{}:
	case <-ctx.Done():
		return nil, nil, fmt.Errorf("connect to the broker: %w", ctx.Err())
	}
	defer func() { <-q.opening }()
	l, sender, err = q.join() // another delivery may have opened it meanwhile
	if l != nil || err != nil {
		return l, sender, err
	}
	l, err = q.open(ctx)
	err = q.opened(l, err, errors.Is(ctx.Err(), context.Canceled))
	if err != nil {
		return nil, nil, err
	}
	l, sender, err = q.join()
	if l == nil && err == nil {
		err = errors.New("the broker closed the new connection at once")
	}
	return l, sender, err
}

// join returns a sender of the open line, if there is one. It fails while the pause after a failed opening lasts, so that a broker
// that is down costs the other scheme's deliveries nothing.
func (q *outboundQueue) join() (*line, *amqp.Sender, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return nil, nil, errTransportClosed
	}
	if q.line != nil && q.line.conn.Err() != nil {
		q.retire(q.line)
	}
	if q.line == nil {
		return nil, nil, q.paused()
	}
	l := q.line
	l.users++
	l.used++
	return l, l.senders[l.used%len(l.senders)], nil
}

// paused returns the last failure until the next opening may be tried. The caller holds mu.
func (q *outboundQueue) paused() error {
	if q.cooling == nil {
		return nil
	}
	select {
	case <-q.cooling:
		q.cooling = nil
		return nil
	default:
		return q.failure
	}
}

// open makes a line. The caller holds the token.
func (q *outboundQueue) open(ctx context.Context) (*line, error) {
	limited, cancel := context.WithTimeout(ctx, openWithin)
	defer cancel()
	conn, err := q.cfg.dial(limited)
	if err != nil {
		return nil, err
	}
	l := &line{conn: conn}
	for range sendersEach {
		sender, err := newSender(limited, conn, q.address)
		if err != nil {
			_ = conn.Close()
			return nil, err
		}
		l.senders = append(l.senders, sender)
	}
	return l, nil
}

// newSender opens a session with a sender whose every document the broker must answer for.
func newSender(ctx context.Context, conn *amqp.Conn, address string) (*amqp.Sender, error) {
	session, err := conn.NewSession(ctx, nil)
	if err != nil {
		return nil, fmt.Errorf("begin a session: %w", err)
	}
	sender, err := session.NewSender(ctx, address, &amqp.SenderOptions{
		SettlementMode:   amqp.SenderSettleModeUnsettled.Ptr(),
		TargetDurability: amqp.DurabilityUnsettledState,
	})
	if err != nil {
		return nil, fmt.Errorf("attach to %s: %w", address, err)
	}
	return sender, nil
}

// opened notes how the opening went.
func (q *outboundQueue) opened(l *line, err error, cancelled bool) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	switch {
	case err != nil && cancelled:
		return err
	case err != nil:
		q.failed++
		q.failure = err
		q.cooling = time.After(brokerPause(q.failed))
		return err
	case q.closed:
		go func() { _ = l.conn.Close() }()
		return errTransportClosed
	}
	q.closing.Add(1) // until finish has closed it
	q.line, q.failed = l, 0
	return nil
}

func (q *outboundQueue) leave(l *line, fault bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	l.users--
	switch {
	case l.retired:
		q.finish(l)
	case fault:
		q.retire(l)
	}
}

// retire takes a line out of use. The caller holds mu.
func (q *outboundQueue) retire(l *line) {
	l.retired = true
	if q.line == l {
		q.line = nil
	}
	q.finish(l)
}

// finish closes a retired line that nobody is on, without making a delivery wait for it. The caller holds mu.
func (q *outboundQueue) finish(l *line) {
	if l.users == 0 {
		go func() {
			defer q.closing.Done()
			_ = l.conn.Close()
		}()
	}
}

func (q *outboundQueue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	if q.line != nil {
		q.retire(q.line)
	}
}
