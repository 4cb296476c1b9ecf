package amqp

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/Azure/go-amqp"
	"golang.org/x/sync/errgroup"

	"countersign/internal/clearing"
	"countersign/internal/i18n"
	"countersign/internal/iso20022"
	"countersign/internal/rulebook"
)

// takeWithin limits the work on one document, and with it how long a stop takes.
const takeWithin = 10 * time.Second

// errQuiet: nothing came on the link for ReceiveWithin.
var errQuiet = errors.New("no document in time")

// inboundQueue receives the documents of one scheme. A document stays with the broker until it is stored here, so that it comes again after
// any failure; the inbox recognises duplicates.
type inboundQueue struct {
	cfg     *Config
	scheme  rulebook.Scheme
	address string
	receive func(context.Context, clearing.Document) error
	failed  atomic.Int32 // documents in a row that could not be stored
}

// run receives until the context ends, connecting again after every fault.
func (q *inboundQueue) run(ctx context.Context) {
	failures := 0
	for ctx.Err() == nil {
		attached, err := q.connected(ctx)
		if ctx.Err() != nil {
			return
		}
		if attached {
			failures = 0
		}
		failures++
		pause := brokerPause(failures)
		q.cfg.Log.WarnContext(
			ctx, "connection to the broker lost", "scheme", q.scheme, "address", q.address, "error", err.Error(), "again", pause.String(),
		)
		rest(ctx, pause)
	}
}

// connected receives over one connection until it fails or the context ends. It reports whether a link was attached.
func (q *inboundQueue) connected(ctx context.Context) (attached bool, err error) {
	limited, cancel := context.WithTimeout(ctx, openWithin)
	conn, err := q.cfg.dial(limited)
	cancel()
	if err != nil {
		return false, err
	}
	defer func() { _ = conn.Close() }()
	for {
		err = q.session(ctx, conn, &attached)
		if !errors.Is(err, errQuiet) {
			return attached, err
		}
		q.cfg.Log.DebugContext(ctx, "a quiet link is replaced", "queue", q.address)
	}
}

// session receives over one session and link until they fail, stay without a message for ReceiveWithin or the context ends. Opening the
// next session also checks the connection. Unsettled messages of an ended session return to the queue.
func (q *inboundQueue) session(ctx context.Context, conn *amqp.Conn, attached *bool) error {
	limited, cancel := context.WithTimeout(ctx, openWithin)
	defer cancel()
	session, err := conn.NewSession(limited, nil)
	if err != nil {
		return fmt.Errorf("begin a session: %w", err)
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), openWithin)
		defer cancel()
		_ = session.Close(closing)
	}()
	receiver, err := session.NewReceiver(limited, q.address, &amqp.ReceiverOptions{
		Credit:                    parallel,
		RequestedSenderSettleMode: amqp.SenderSettleModeUnsettled.Ptr(),
		SourceDurability:          amqp.DurabilityUnsettledState,
	})
	if err != nil {
		return fmt.Errorf("attach to %s: %w", q.address, err)
	}
	*attached = true
	return q.documents(ctx, receiver)
}

// documents processes the messages of a link, and returns when all it started are done.
func (q *inboundQueue) documents(ctx context.Context, receiver *amqp.Receiver) error {
	var workers errgroup.Group
	workers.SetLimit(parallel)
	defer func() { _ = workers.Wait() }()
	for {
		message, err := next(ctx, receiver, q.cfg.ReceiveWithin)
		if err != nil {
			return err
		}
		workers.Go(func() error {
			q.work(ctx, receiver, message)
			return nil
		})
	}
}

// next waits for a message, errQuiet at the latest after the given time.
func next(ctx context.Context, receiver *amqp.Receiver, within time.Duration) (*amqp.Message, error) {
	limited, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	message, err := receiver.Receive(limited, nil)
	if err != nil && ctx.Err() == nil && errors.Is(limited.Err(), context.DeadlineExceeded) && errors.Is(err, context.DeadlineExceeded) {
		return nil, errQuiet
	}
	return message, err
}

// work stores a document and tells the broker. It is finished also when the context ends meanwhile.
func (q *inboundQueue) work(ctx context.Context, receiver *amqp.Receiver, message *amqp.Message) {
	taking, cancel := context.WithTimeout(context.WithoutCancel(ctx), takeWithin)
	err := q.take(taking, message)
	cancel()
	settling, cancel := context.WithTimeout(context.WithoutCancel(ctx), openWithin+maxBrokerPause)
	defer cancel()
	var refused *clearing.RefusedError
	switch {
	case err == nil, errors.Is(err, clearing.ErrDuplicate):
		q.failed.Store(0)
		err = receiver.AcceptMessage(settling, message)
	case errors.As(err, &refused):
		q.cfg.Log.WarnContext(ctx, "document of clearing refused", "scheme", q.scheme, "reference", messageID(message), "reason", refused.Error())
		err = receiver.RejectMessage(settling, message, &amqp.Error{Condition: amqp.ErrCondDecodeError, Description: shortened(refused.Error())})
	default:
		pause := brokerPause(int(q.failed.Add(1)))
		q.cfg.Log.WarnContext(ctx, "document of clearing not stored, it comes again",
			"scheme", q.scheme, "reference", messageID(message), "error", err.Error(), "pause", pause.String())
		rest(ctx, pause)
		err = receiver.ReleaseMessage(settling, message)
	}
	if err != nil {
		q.cfg.Log.DebugContext(ctx, "document of clearing not settled, it comes again", "scheme", q.scheme, "error", err.Error())
	}
}

// take stores a document. A panic is an error of that document: ending the gateway would only deliver it again to the next one.
func (q *inboundQueue) take(ctx context.Context, message *amqp.Message) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("panic: %v\n%s", fault, debug.Stack())
		}
	}()
	reference := messageID(message)
	if !clearing.UsableReference(reference) {
		return refusal("The message-id must have at most 140 printable ASCII characters.")
	}
	content, ok := body(message)
	if !ok {
		return refusal("The body must be data, a string or binary.")
	}
	return q.receive(ctx, clearing.Document{Scheme: q.scheme, Reference: reference, Content: content, ReceivedAt: q.cfg.Now()})
}

// rest pauses, unless the context ends first.
func rest(ctx context.Context, pause time.Duration) {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// messageID is the message-id as text, "" when there is none. AMQP 1.0 part 3.2.4 allows strings, unsigned numbers, UUIDs and binary.
func messageID(message *amqp.Message) string {
	if message.Properties == nil {
		return ""
	}
	switch id := message.Properties.MessageID.(type) {
	case nil:
		return ""
	case string:
		return id
	case []byte:
		return hex.EncodeToString(id)
	default: // uint64 and amqp.UUID
		return fmt.Sprint(id)
	}
}

// body returns the document in a message. The gateway itself sends data sections; JMS senders put text into a value.
func body(message *amqp.Message) ([]byte, bool) {
	switch value := message.Value.(type) {
	case string:
		return []byte(value), true
	case []byte:
		return value, true
	}
	return bytes.Join(message.Data, nil), len(message.Data) > 0
}

func refusal(text string) *clearing.RefusedError {
	return &clearing.RefusedError{Findings: []iso20022.Finding{{Text: i18n.Data(text)}}}
}

// shortened keeps a reason within what fits into any frame.
func shortened(text string) string {
	const most = 500
	if len(text) <= most {
		return text
	}
	return string(bytes.ToValidUTF8([]byte(text[:most]), nil))
}
