//go:build long

package clearing_test

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"testing"
	"time"

	"countersign/internal/clearing"
	"countersign/internal/clearing/amqp"
	"countersign/internal/rulebook"
	"countersign/internal/store/storetest"
	"countersign/internal/testutil"
)

// queuesOf are those of a gateway, by the name of the test, seen from the gateway or from clearing.
func queuesOf(name string, scheme rulebook.Scheme) (out, in string) {
	return name + "." + string(scheme) + ".out", name + "." + string(scheme) + ".in"
}

// overABroker is a gateway whose documents and answers travel over a broker.
func overABroker(t *testing.T, b *testutil.Broker, name string) scene {
	t.Helper()
	side := func(swapped bool) *amqp.Transport {
		queues := make(map[rulebook.Scheme]amqp.Queues)
		for _, scheme := range rulebook.Schemes() {
			out, in := queuesOf(name, scheme)
			if swapped {
				out, in = in, out
			}
			queues[scheme] = amqp.Queues{Out: testutil.QueueAddress(out), In: testutil.QueueAddress(in)}
		}
		made, err := amqp.New(amqp.Config{URL: b.URL(), Queues: queues, Now: time.Now, Log: slog.New(slog.DiscardHandler)})
		must(t, err)
		return made
	}
	ours, theirs := side(false), side(true)
	s := newScene(t, nil, ours)
	atOnce := make(chan struct{}, 16) // what waited for the broker does not all go at the same moment
	s.w.answer = func(ctx context.Context, d clearing.Document) error {
		atOnce <- struct{}{}
		defer func() { <-atOnce }()
		limited, cancel := context.WithTimeout(ctx, clearing.DeliverWithin)
		defer cancel()
		return theirs.Deliver(limited, d.Scheme, d.Reference, d.Content)
	}
	running, end := context.WithCancel(ctx)
	var both sync.WaitGroup
	receive := func(of *amqp.Transport, take func(context.Context, clearing.Document) error) {
		both.Go(func() {
			err := of.Run(running, take)
			if err != nil {
				t.Error(err)
			}
		})
	}
	receive(ours, func(ctx context.Context, d clearing.Document) error {
		d.ReceivedAt = s.h.Now()
		return s.h.Clearing.Receive(ctx, d)
	})
	receive(theirs, func(ctx context.Context, d clearing.Document) error {
		return s.w.Deliver(ctx, d.Scheme, d.Reference, d.Content)
	})
	t.Cleanup(func() { end(); both.Wait(); ours.Close(); theirs.Close() })
	return s
}

// whileAway is how many payments are entered while the broker is away, which may take more than a minute to start on a busy machine.
const whileAway = 300

// TestNothingIsLostInFaultsOfTheBroker is TestNothingIsLostInFaultsOfTheNetwork with documents and answers that travel over a RabbitMQ,
// which is killed and started again five seconds later.
func TestNothingIsLostInFaultsOfTheBroker(t *testing.T) {
	rounds := faultRounds(t)
	var queues []string
	name := func(round int) string { return fmt.Sprintf("round%d", round+1) }
	for round := range rounds {
		for _, scheme := range rulebook.Schemes() {
			out, in := queuesOf(name(round), scheme)
			queues = append(queues, out, in)
		}
	}
	b := testutil.NewBroker(t, queues...)
	for round := range rounds {
		t.Run(fmt.Sprintf("broker away %d", round+1), func(t *testing.T) {
			s := overABroker(t, b, name(round))
			play(t, fault{most: whileAway, begin: func(*testing.T, *storetest.Line) func() {
				b.Kill()
				killed := time.Now()
				return func() { b.Start(t); t.Logf("the broker was away for %s", time.Since(killed).Round(time.Second/10)) }
			}}, s)
		})
	}
}
