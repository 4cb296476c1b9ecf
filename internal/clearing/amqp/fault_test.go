package amqp_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	wire "countersign/internal/clearing/amqp"
	"countersign/internal/rulebook"
	"countersign/internal/testutil"
)

// testNothingIsLostWhenTheBrokerDies kills the broker twice while documents go both ways.
func testNothingIsLostWhenTheBrokerDies(t *testing.T, b *testutil.Broker) {
	const documents = 400
	a := transport(t, b.URL(), "killed")
	var in inbox
	stop := run(a, in.receive)
	var delivered, answered atomic.Int32
	var group errgroup.Group
	for worker := range 4 {
		group.Go(func() error {
			for i := worker; i < documents; i += 4 {
				insist(a, rulebook.Schemes()[i%2], fmt.Sprint("K", i))
				delivered.Add(1)
			}
			return nil
		})
	}
	other := clearingSide(t, b, "killed") // answers as insistently
	group.Go(func() error {
		for i := range documents {
			insist(other, rulebook.Schemes()[i%2], fmt.Sprint("A", i))
			answered.Add(1)
		}
		return nil
	})
	for _, reached := range []int32{50, 200} {
		eventually(t, "documents on their way", func() bool { return delivered.Load() >= reached && answered.Load() >= reached/4 })
		b.Kill()
		b.Start(t)
	}
	_ = group.Wait()
	eventually(t, "all answers", func() bool { return in.count() == documents })
	_ = stop()
	var theirs inbox
	stop = run(other, theirs.receive)
	eventually(t, "all documents at clearing", func() bool { return theirs.count() == documents })
	_ = stop()
	for i := range documents {
		key := func(kind string) string { return fmt.Sprintf("%s/%s%d", rulebook.Schemes()[i%2], kind, i) }
		if in.seen[key("A")] != contentFor(fmt.Sprint("A", i)) || theirs.seen[key("K")] != contentFor(fmt.Sprint("K", i)) {
			t.Errorf("document %d is not what was sent", i)
		}
	}
	t.Logf("received again under the same id: %d in, %d out", in.again, theirs.again)
}

// insist delivers as the service does: the same document under the same id until it is taken.
func insist(a *wire.Transport, scheme rulebook.Scheme, reference string) {
	for {
		limited, cancel := context.WithTimeout(ctx, 3*time.Second)
		err := a.Deliver(limited, scheme, reference, []byte(contentFor(reference)))
		cancel()
		if err == nil {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func contentFor(reference string) string { return "<document id=\"" + reference + "\"/>" }

// testAStalledConnectionIsReplaced cuts what the broker says, without closing anything: neither side notices but by its deadlines.
func testAStalledConnectionIsReplaced(t *testing.T, b *testutil.Broker) {
	line := proxy(t, strings.TrimPrefix(b.URL(), "amqp://gateway:gateway@"))
	a := transport(t, "amqp://gateway:gateway@"+line.address, "stall", func(c *wire.Config) { c.ReceiveWithin = 100 * time.Millisecond })
	p := peerOf(t, b)
	var in inbox
	stop := run(a, in.receive)
	insist(a, rulebook.SchemeSIC, "before")
	p.send(t, "stall.sic-inst.in", messageFor("before", "<in/>"))
	eventually(t, "a document before the stall", func() bool { return in.count() == 1 })

	line.stall()
	p.send(t, "stall.sic-inst.in", messageFor("after", "<in/>"))
	limited, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
	err := a.Deliver(limited, rulebook.SchemeSIC, "after", []byte(contentFor("after")))
	cancel()
	if err == nil {
		t.Error("a delivery the broker did not answer counts as done")
	}
	insist(a, rulebook.SchemeSIC, "after")
	eventually(t, "the document behind the stall", func() bool { return in.count() == 2 })
	_ = stop()
	got := map[any]bool{}
	for len(got) < 2 {
		message := p.take(t, "stall.sic-inst.out", patience)
		if message == nil {
			t.Fatalf("clearing got only %v", got)
		}
		got[message.Properties.MessageID] = true
	}
}

// tap is a relay to the broker. After stall the connections open at that moment bring nothing more from the broker.
type tap struct {
	address string
	mu      sync.Mutex
	current *atomic.Bool // of the connections made since the last stall
}

func proxy(t *testing.T, target string) *tap {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	p := &tap{address: listener.Addr().String(), current: new(atomic.Bool)}
	go func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			go p.relay(near, target)
		}
	}()
	return p
}

func (p *tap) stall() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.current.Store(true)
	p.current = new(atomic.Bool)
}

func (p *tap) relay(near net.Conn, target string) {
	defer func() { _ = near.Close() }()
	p.mu.Lock()
	stalled := p.current
	p.mu.Unlock()
	far, err := net.Dial("tcp", target)
	if err != nil {
		return
	}
	defer func() { _ = far.Close() }()
	go func() {
		buffer := make([]byte, 64<<10)
		for {
			n, err := far.Read(buffer)
			if err != nil {
				_ = near.Close()
				return
			}
			if stalled.Load() {
				continue
			}
			_, _ = near.Write(buffer[:n])
		}
	}()
	_, _ = io.Copy(far, near)
}
