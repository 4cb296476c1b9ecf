package amqp_test

import (
	"context"
	"log/slog"
	"sync"
	"testing"
	"time"

	"countersign/internal/clearing"
	wire "countersign/internal/clearing/amqp"
	"countersign/internal/rulebook"
	"countersign/internal/testutil"
)

// pairs are the queues of one subtest: no two share any.
func pairs(name string) map[rulebook.Scheme]wire.Queues {
	queues := make(map[rulebook.Scheme]wire.Queues)
	for _, scheme := range rulebook.Schemes() {
		queues[scheme] = wire.Queues{
			Out: testutil.QueueAddress(name + "." + string(scheme) + ".out"), In: testutil.QueueAddress(name + "." + string(scheme) + ".in"),
		}
	}
	return queues
}

// transport makes the gateway's side of a subtest.
func transport(t *testing.T, url, name string, change ...func(*wire.Config)) *wire.Transport {
	t.Helper()
	cfg := wire.Config{URL: url, Queues: pairs(name), Now: time.Now, Log: slog.New(slog.DiscardHandler)}
	for _, apply := range change {
		apply(&cfg)
	}
	a, err := wire.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Close)
	return a
}

// run receives in the background. stop ends it and waits.
func run(a *wire.Transport, receive func(context.Context, clearing.Document) error) (stop func() error) {
	running, cancel := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- a.Run(running, receive) }()
	return sync.OnceValue(func() error {
		cancel()
		return <-done
	})
}

// inbox remembers what was received, like the gateway's own.
type inbox struct {
	mu    sync.Mutex
	seen  map[string]string
	again int
}

func (i *inbox) receive(_ context.Context, d clearing.Document) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	key := string(d.Scheme) + "/" + d.Reference
	_, known := i.seen[key]
	if known {
		i.again++
		return clearing.ErrDuplicate
	}
	if i.seen == nil {
		i.seen = map[string]string{}
	}
	i.seen[key] = string(d.Content)
	return nil
}

func (i *inbox) count() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return len(i.seen)
}

// eventually waits for something that takes its time; patience is only the limit for giving up.
func eventually(t *testing.T, what string, done func() bool) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for !done() {
		if time.Now().After(deadline) {
			t.Fatalf("waited in vain for: %s", what)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// clearingSide is a transport with the queues the other way round.
func clearingSide(t *testing.T, b *testutil.Broker, name string) *wire.Transport {
	t.Helper()
	return transport(t, b.URL(), name, func(c *wire.Config) {
		c.ReceiveWithin = time.Second
		for scheme, pair := range c.Queues {
			c.Queues[scheme] = wire.Queues{Out: pair.In, In: pair.Out}
		}
	})
}
