package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"sync"
	"testing"
	"time"

	"countersign/internal/clearing"
	"countersign/internal/rulebook"
	"countersign/internal/testutil"
)

// relay passes connections on to an address, until cut ends those that are open.
type relay struct {
	address string
	mu      sync.Mutex
	open    []net.Conn
}

func newRelay(t *testing.T, target string) *relay {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	r := &relay{address: listener.Addr().String()}
	go func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", target)
			if err != nil {
				_ = near.Close()
				continue
			}
			r.mu.Lock()
			r.open = append(r.open, near, far)
			r.mu.Unlock()
			for from, to := range map[net.Conn]net.Conn{near: far, far: near} {
				go func() {
					_, _ = io.Copy(to, from)
					_ = to.Close()
				}()
			}
		}
	}()
	return r
}

func (r *relay) cut() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.open {
		_ = c.Close()
	}
	r.open = nil
}

// over connects a gateway to a broker.
func over(t *testing.T, c clearingSettings) *gateway {
	t.Helper()
	c.Transport = "amqp"
	g := &gateway{}
	g.Log = slog.New(slog.DiscardHandler)
	must(t, c.connect(g))
	return g
}

// received collects the documents that reach a gateway until the test ends.
func received(t *testing.T, g *gateway) *sync.Map {
	t.Helper()
	var came sync.Map
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		ended <- g.Inbound(ctx, func(_ context.Context, d clearing.Document) error {
			came.Store(d.Reference, true)
			return nil
		})
	}()
	t.Cleanup(func() {
		stop()
		must(t, <-ended)
	})
	return &came
}

func count(m *sync.Map) (n int) {
	m.Range(func(_, _ any) bool { n++; return true })
	return n
}

// try delivers one document.
func (g *gateway) try(reference string) error {
	limited, cancel := context.WithTimeout(context.Background(), clearing.DeliverWithin)
	defer cancel()
	return g.Network.Deliver(limited, rulebook.SchemeSIC, reference, []byte("<x/>"))
}

// A broker takes the gateway by its certificate: not without one, not under another name, of another authority or after its end. Documents that
// are on their way while the certificate changes to a wrong one and back are neither lost nor refused.
func TestABrokerAsksForACertificate(t *testing.T) {
	t.Parallel()
	i, stranger := newIssuer(t), newIssuer(t)
	certificateFile, keyFile := i.write(t, "broker", time.Hour)
	read := func(path string) []byte {
		content, err := os.ReadFile(path)
		must(t, err)
		return content
	}
	b := testutil.NewSecuredBroker(t, read(i.authority(t)), read(certificateFile), read(keyFile), "out", "in")
	line := newRelay(t, b.SecuredAddress())
	i.write(t, "gateway", time.Hour)
	ours := clearingSettings{
		AMQPURL: "amqps://" + line.address, AMQPSICOut: testutil.QueueAddress("out"), AMQPSICIn: testutil.QueueAddress("in"),
		CertificateFile: certificateFile, KeyFile: keyFile, CAFile: i.authority(t),
	}
	theirs := over(t, clearingSettings{AMQPURL: b.URL(), AMQPSICOut: testutil.QueueAddress("in"), AMQPSICIn: testutil.QueueAddress("out")})
	atClearing := received(t, theirs)

	without, other := ours, ours
	without.CertificateFile, without.KeyFile = "", ""
	other.CertificateFile, other.KeyFile = stranger.write(t, "gateway", time.Hour)
	for name, c := range map[string]clearingSettings{"no certificate": without, "another authority": other} {
		if err := over(t, c).try("R"); err == nil {
			t.Errorf("%s: a document was taken", name)
		}
	}
	for name, spoil := range map[string]func(){
		"another name": func() { i.write(t, "nobody", time.Hour) }, "ended": func() { i.write(t, "gateway", -time.Minute) },
	} {
		i.write(t, "gateway", time.Hour)
		g := over(t, ours)
		spoil()
		if err := g.try("R"); err == nil {
			t.Errorf("%s: a document was taken", name)
		}
	}

	i.write(t, "gateway", time.Hour)
	g := over(t, ours)
	came := received(t, g)
	const documents = 200
	var senders sync.WaitGroup
	for direction, from := range map[string]*gateway{"O": g, "I": theirs} {
		for sender := range 2 {
			senders.Go(func() {
				for n := sender; n < documents; n += 2 {
					for from.try(fmt.Sprint(direction, n)) != nil {
						time.Sleep(10 * time.Millisecond)
					}
				}
			})
		}
	}
	for _, shown := range []struct {
		name  string
		lasts time.Duration
	}{{"nobody", time.Hour}, {"gateway", -time.Minute}, {"gateway", time.Hour}, {"gateway", 2 * time.Hour}} {
		i.write(t, shown.name, shown.lasts)
		line.cut()
		taken := shown.name == "gateway" && shown.lasts > 0
		if !poll(func() bool { return (g.try("TRY") == nil) == taken }) {
			t.Errorf("under a certificate of %s for %s documents are taken: %t", shown.name, shown.lasts, !taken)
		}
	}
	senders.Wait()
	if !poll(func() bool { return count(came) == documents && count(atClearing) == documents+1 }) {
		t.Errorf("%d documents came in and %d out of %d", count(came), count(atClearing), documents)
	}
	if left := time.Until(g.Network.(clearing.Certified).Certificates()[rulebook.SchemeSIC].Ours); left < time.Hour {
		t.Errorf("the certificate ends in %s", left)
	}
}
