package amqp_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/Azure/go-amqp"

	"countersign/internal/testutil"
)

// patience is when a test gives up.
const patience = 30 * time.Second

// peer is the clearing's gateway at the other end of the queues.
type peer struct {
	session *amqp.Session
	from    map[string]*amqp.Receiver
	to      map[string]*amqp.Sender
}

func peerOf(t *testing.T, b *testutil.Broker) *peer {
	t.Helper()
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	conn, err := amqp.Dial(limited, b.URL(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	session, err := conn.NewSession(limited, nil)
	if err != nil {
		t.Fatal(err)
	}
	return &peer{session: session, from: map[string]*amqp.Receiver{}, to: map[string]*amqp.Sender{}}
}

// send puts messages into a queue; the broker has them when it returns.
func (p *peer) send(t *testing.T, queue string, messages ...*amqp.Message) {
	t.Helper()
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	sender := p.to[queue]
	if sender == nil {
		var err error
		sender, err = p.session.NewSender(limited, testutil.QueueAddress(queue), nil)
		if err != nil {
			t.Fatal(err)
		}
		p.to[queue] = sender
	}
	for _, message := range messages {
		err := sender.Send(limited, message, nil)
		if err != nil {
			t.Fatal(err)
		}
	}
}

// take returns the next message of a queue and removes it. nil: none came within the time.
func (p *peer) take(t *testing.T, queue string, within time.Duration) *amqp.Message {
	t.Helper()
	limited, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	receiver := p.from[queue]
	if receiver == nil {
		var err error
		receiver, err = p.session.NewReceiver(limited, testutil.QueueAddress(queue), &amqp.ReceiverOptions{Credit: 50})
		if err != nil {
			t.Fatal(err)
		}
		p.from[queue] = receiver
	}
	waiting, cancel := context.WithTimeout(limited, within)
	defer cancel()
	message, err := receiver.Receive(waiting, nil)
	if errors.Is(err, context.DeadlineExceeded) {
		return nil
	}
	if err == nil {
		err = receiver.AcceptMessage(limited, message)
	}
	if err != nil {
		t.Fatalf("receive from %s: %v", queue, err)
	}
	return message
}

func messageFor(id, content string) *amqp.Message {
	return &amqp.Message{
		Header: &amqp.MessageHeader{Durable: true}, Properties: &amqp.MessageProperties{MessageID: id}, Data: [][]byte{[]byte(content)},
	}
}

func contentOf(message *amqp.Message) string {
	var all strings.Builder
	for _, part := range message.Data {
		all.Write(part)
	}
	return all.String()
}
