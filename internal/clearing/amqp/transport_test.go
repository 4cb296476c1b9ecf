package amqp_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/Azure/go-amqp"
	"golang.org/x/sync/errgroup"

	"countersign/internal/clearing"
	wire "countersign/internal/clearing/amqp"
	"countersign/internal/rulebook"
	"countersign/internal/service/servicetest"
	"countersign/internal/testutil"
)

// brokerTests share a broker. The last one kills it, and runs when the others are done.
var brokerTests = map[string]func(*testing.T, *testutil.Broker){
	"both":      testBothSchemesBothWays,
	"station":   testAMessageLivesOverTheBroker,
	"many":      testManyDeliveriesAtOnce,
	"poison":    testPoisonIsRejected,
	"trouble":   testWhatCannotBeStoredComesAgain,
	"quiet":     testQuietLinksAreReplaced,
	"stall":     testAStalledConnectionIsReplaced,
	"nowhere":   testTheBrokerMakesAMissingQueue,
	"body":      testBodiesAndIDsOfOtherSenders,
	"graceful":  testStopFinishesWhatItBegan,
	"refusedto": testAWrongPasswordIsAnError,
	"stumbling": testADocumentThatIsStumbledOverEndsNothing,
}

func TestAMQP(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	queues := []string{}
	for name := range brokerTests {
		queues = append(queues, queuesOf(name)...)
	}
	b := testutil.NewBroker(t, append(queues, queuesOf("killed")...)...)
	t.Run("together", func(t *testing.T) {
		for name, test := range brokerTests {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				test(t, b)
			})
		}
	})
	t.Run("killed", func(t *testing.T) { testNothingIsLostWhenTheBrokerDies(t, b) })
	t.Run("goroutines", func(t *testing.T) { testGoroutinesEnd(t, b) })
}

func queuesOf(name string) []string {
	var queues []string
	for _, pair := range pairs(name) {
		queues = append(queues, strings.TrimPrefix(pair.Out, testutil.QueueAddress("")), strings.TrimPrefix(pair.In, testutil.QueueAddress("")))
	}
	return queues
}

func testBothSchemesBothWays(t *testing.T, b *testutil.Broker) {
	a, p := transport(t, b.URL(), "both"), peerOf(t, b)
	var in inbox
	stop := run(a, in.receive)
	for _, scheme := range rulebook.Schemes() {
		err := a.Deliver(ctx, scheme, "R-"+string(scheme), []byte("<out/>"))
		if err != nil {
			t.Fatal(err)
		}
		got := p.take(t, "both."+string(scheme)+".out", patience)
		if got == nil || got.Properties.MessageID != "R-"+string(scheme) || contentOf(got) != "<out/>" ||
			got.Header == nil || !got.Header.Durable || *got.Properties.ContentType != "application/xml" {
			t.Fatalf("clearing got %+v", got)
		}
		p.send(t, "both."+string(scheme)+".in", messageFor("A-"+string(scheme), "<in-"+string(scheme)+"/>"))
	}
	eventually(t, "both answers", func() bool { return in.count() == 2 })
	for _, scheme := range rulebook.Schemes() {
		if got := in.seen[string(scheme)+"/A-"+string(scheme)]; got != "<in-"+string(scheme)+"/>" {
			t.Errorf("%s: the answer is %q", scheme, got)
		}
	}
	err := stop()
	if err != nil {
		t.Error(err)
	}
	err = a.Deliver(ctx, "other", "R", nil)
	if err == nil {
		t.Error("a scheme without queues took a document")
	}
}

func testManyDeliveriesAtOnce(t *testing.T, b *testutil.Broker) {
	const workers, each = 16, 50
	a := transport(t, b.URL(), "many")
	var group errgroup.Group
	for worker := range workers {
		group.Go(func() error {
			for i := range each {
				limited, cancel := context.WithTimeout(ctx, patience)
				err := a.Deliver(limited, rulebook.Schemes()[worker%2], fmt.Sprintf("W%d-%d", worker, i), []byte(strings.Repeat("x", 3000)))
				cancel()
				if err != nil {
					return err
				}
			}
			return nil
		})
	}
	err := group.Wait()
	if err != nil {
		t.Fatal(err)
	}
	var theirs inbox
	stop := run(clearingSide(t, b, "many"), theirs.receive)
	eventually(t, "all documents at clearing", func() bool { return theirs.count() == workers*each })
	err = stop()
	if err != nil {
		t.Error(err)
	}
}

func testPoisonIsRejected(t *testing.T, b *testutil.Broker) {
	a, p := transport(t, b.URL(), "poison"), peerOf(t, b)
	var in inbox
	station := servicetest.New(t).Clearing
	stop := run(a, func(c context.Context, d clearing.Document) error {
		if strings.HasPrefix(string(d.Content), "poison") {
			return station.Receive(c, d)
		}
		return in.receive(c, d)
	})
	defer func() { _ = stop() }()
	p.send(t, "poison.sct-inst.in", messageFor("P1", "poison"), messageFor("G1", "good"), messageFor(strings.Repeat("x", 141), "long id"))
	missing := map[string]bool{"poison": true, "long id": true} // in any order: they are received at the same time
	for len(missing) > 0 {
		message := p.take(t, "poison.sct-inst.in.rejected", patience)
		if message == nil || !missing[contentOf(message)] {
			t.Fatalf("the dead-letter queue holds %+v, want one of %v", message, missing)
		}
		delete(missing, contentOf(message))
	}
	eventually(t, "the good one", func() bool { return in.count() == 1 })
}

func testWhatCannotBeStoredComesAgain(t *testing.T, b *testutil.Broker) {
	a, p := transport(t, b.URL(), "trouble"), peerOf(t, b)
	var in inbox
	var mu sync.Mutex
	tried := map[string]int{}
	stop := run(a, func(c context.Context, d clearing.Document) error {
		mu.Lock()
		tried[d.Reference]++
		attempt := tried[d.Reference]
		mu.Unlock()
		if attempt < 3 {
			return errors.New("no database")
		}
		return in.receive(c, d)
	})
	for i := range 20 {
		p.send(t, "trouble.sic-inst.in", messageFor(fmt.Sprint("T", i), "<in/>"))
	}
	eventually(t, "all documents", func() bool { return in.count() == 20 })
	err := stop()
	if err != nil {
		t.Error(err)
	}
	if left := p.take(t, "trouble.sic-inst.in", 200*time.Millisecond); left != nil {
		t.Errorf("the queue still holds %v", left.Properties.MessageID)
	}
	if left := p.take(t, "trouble.sic-inst.in.rejected", 200*time.Millisecond); left != nil {
		t.Errorf("%v was rejected", left.Properties.MessageID)
	}
}

func testADocumentThatIsStumbledOverEndsNothing(t *testing.T, b *testutil.Broker) {
	a, p := transport(t, b.URL(), "stumbling"), peerOf(t, b)
	var in inbox
	var stumbled atomic.Bool
	stop := run(a, func(c context.Context, d clearing.Document) error {
		if stumbled.CompareAndSwap(false, true) {
			panic("stumbled over " + d.Reference)
		}
		return in.receive(c, d)
	})
	p.send(t, "stumbling.sic-inst.in", messageFor("S1", "<in/>"), messageFor("S2", "<in/>"))
	eventually(t, "both documents", func() bool { return in.count() == 2 })
	if err := stop(); err != nil {
		t.Error(err)
	}
}

// testQuietLinksAreReplaced sends documents before, at and after the moments at which the gateway takes a new link: each arrives once.
func testQuietLinksAreReplaced(t *testing.T, b *testutil.Broker) {
	log := &testutil.Log{}
	a, p := transport(t, b.URL(), "quiet", func(c *wire.Config) {
		c.ReceiveWithin = 20 * time.Millisecond
		c.Log = slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}), peerOf(t, b)
	replaced := func() int { return strings.Count(log.String(), "a quiet link is replaced") }
	var in inbox
	stop := run(a, in.receive)
	for i := range 20 {
		before := replaced()
		eventually(t, "another link", func() bool { return replaced() > before })
		p.send(t, "quiet.sct-inst.in", messageFor(fmt.Sprint("Q", i), "<in/>"))
	}
	eventually(t, "all documents", func() bool { return in.count() == 20 })
	err := stop()
	if err != nil {
		t.Error(err)
	}
	if left := p.take(t, "quiet.sct-inst.in", 200*time.Millisecond); left != nil {
		t.Errorf("the queue still holds %v", left.Properties.MessageID)
	}
}

// testTheBrokerMakesAMissingQueue: RabbitMQ 3 accepts what it then drops when an /amq/queue/ address has no queue. A /queue/ address
// makes the queue, so it is what docs/clearing.md asks for; here is the proof that it does, and also works with a queue that exists.
func testTheBrokerMakesAMissingQueue(t *testing.T, b *testutil.Broker) {
	a := transport(t, b.URL(), "nowhere", func(c *wire.Config) {
		c.Queues = map[rulebook.Scheme]wire.Queues{
			rulebook.SchemeSIC: {Out: "/queue/made-on-demand", In: "/queue/made-on-demand-too"},
			rulebook.SchemeSCT: {Out: "/queue/nowhere.sct-inst.out.rejected", In: "/queue/nowhere.sct-inst.in.rejected"},
		}
	})
	p := peerOf(t, b)
	for scheme, queue := range map[rulebook.Scheme]string{
		rulebook.SchemeSIC: "made-on-demand", rulebook.SchemeSCT: "nowhere.sct-inst.out.rejected",
	} {
		err := a.Deliver(ctx, scheme, "N1", []byte("<out/>"))
		if err != nil {
			t.Fatal(err)
		}
		if got := p.take(t, queue, patience); got == nil || contentOf(got) != "<out/>" {
			t.Errorf("%s brought %+v", queue, got)
		}
	}
}

func testAWrongPasswordIsAnError(t *testing.T, b *testutil.Broker) {
	a := transport(t, strings.Replace(b.URL(), "gateway:gateway", "gateway:guess", 1), "refusedto")
	err := a.Deliver(ctx, rulebook.SchemeSIC, "N1", []byte("<out/>"))
	if err == nil || strings.Contains(err.Error(), "guess") {
		t.Errorf("%v", err)
	}
}

func testBodiesAndIDsOfOtherSenders(t *testing.T, b *testutil.Broker) {
	a, p := transport(t, b.URL(), "body"), peerOf(t, b)
	var in inbox
	stop := run(a, in.receive)
	defer func() { _ = stop() }()
	uuid := amqp.UUID{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}
	p.send(
		t, "body.sic-inst.in",
		&amqp.Message{Properties: &amqp.MessageProperties{MessageID: "text"}, Value: "<a/>"},
		&amqp.Message{Properties: &amqp.MessageProperties{MessageID: uuid}, Value: []byte("<b/>")},
		&amqp.Message{Properties: &amqp.MessageProperties{MessageID: uint64(7)}, Data: [][]byte{[]byte("<c/>")}},
		&amqp.Message{Data: [][]byte{[]byte("<d/>")}},
		&amqp.Message{Properties: &amqp.MessageProperties{MessageID: "number"}, Value: int64(5)},
	)
	eventually(t, "the documents", func() bool { return in.count() == 4 })
	for id, want := range map[string]string{"text": "<a/>", uuid.String(): "<b/>", "7": "<c/>", "": "<d/>"} {
		if got := in.seen["sic-inst/"+id]; got != want {
			t.Errorf("%q brought %q, want %q (all: %v)", id, got, want, in.seen)
		}
	}
	if rejected := p.take(t, "body.sic-inst.in.rejected", patience); rejected == nil || rejected.Value != int64(5) {
		t.Errorf("the dead-letter queue holds %+v", rejected)
	}
}

func testStopFinishesWhatItBegan(t *testing.T, b *testutil.Broker) {
	a, p := transport(t, b.URL(), "graceful"), peerOf(t, b)
	begun, proceed := make(chan bool), make(chan bool)
	var in inbox
	running, cancel := context.WithCancel(ctx)
	stopped := make(chan error, 1)
	go func() {
		stopped <- a.Run(running, func(c context.Context, d clearing.Document) error {
			begun <- true
			<-proceed
			if c.Err() != nil {
				return c.Err()
			}
			return in.receive(c, d)
		})
	}()
	p.send(t, "graceful.sic-inst.in", messageFor("S1", "<in/>"))
	<-begun
	cancel()
	close(proceed)
	err := <-stopped
	if err != nil || in.count() != 1 {
		t.Errorf("%v, %d documents", err, in.count())
	}
	if left := p.take(t, "graceful.sic-inst.in", 200*time.Millisecond); left != nil {
		t.Errorf("the queue still holds %v", left.Properties.MessageID)
	}
}

// testGoroutinesEnd runs alone, so that the goroutines of other tests do not count.
func testGoroutinesEnd(t *testing.T, b *testutil.Broker) {
	before := runtime.NumGoroutine()
	for range 3 {
		a := transport(t, b.URL(), "both")
		var in inbox
		stop := run(a, in.receive)
		for _, scheme := range rulebook.Schemes() {
			err := a.Deliver(ctx, scheme, "G", []byte("<out/>"))
			if err != nil {
				t.Fatal(err)
			}
		}
		_ = stop()
		a.Close()
		err := a.Deliver(ctx, rulebook.SchemeSIC, "G", []byte("<out/>"))
		if err == nil {
			t.Error("a closed transport delivers")
		}
	}
	const tolerance = 3 // the runtime's and the test's own
	eventually(t, "the goroutines to end", func() bool { return runtime.NumGoroutine() <= before+tolerance })
}

func TestAMQPConfigurationsThatCannotWork(t *testing.T) {
	t.Parallel()
	good := func() wire.Config {
		return wire.Config{URL: "amqps://u:secret@broker", Queues: pairs("x"), Now: time.Now, Log: slog.New(slog.DiscardHandler)}
	}
	for name, spoil := range map[string]func(*wire.Config){
		"":               func(*wire.Config) {},
		"URL":            func(c *wire.Config) { c.URL = "amqps://u:secret@broker:x" },
		"protocol":       func(c *wire.Config) { c.URL = "https://u:secret@broker" },
		"host":           func(c *wire.Config) { c.URL = "amqps://" },
		"no queues":      func(c *wire.Config) { c.Queues = nil },
		"scheme":         func(c *wire.Config) { c.Queues["other"] = wire.Queues{Out: "a", In: "b"} },
		"one queue":      func(c *wire.Config) { c.Queues[rulebook.SchemeSIC] = wire.Queues{Out: "a"} },
		"the same queue": func(c *wire.Config) { c.Queues[rulebook.SchemeSIC] = wire.Queues{Out: "a", In: "a"} },
		"no log":         func(c *wire.Config) { c.Log = nil },
	} {
		cfg := good()
		spoil(&cfg)
		_, err := wire.New(cfg)
		if (err == nil) != (name == "") || (err != nil && strings.Contains(err.Error(), "secret")) {
			t.Errorf("%q: %v", name, err)
		}
	}
}
