//go:build long

package web_test

import (
	"context"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
	"countersign/internal/testutil"
	"countersign/web"
	"countersign/web/webtest"
)

// faultRounds is how often `make faults` plays. The tests take minutes, so they have a build tag.
func faultRounds(t *testing.T) int {
	t.Helper()
	return testutil.Count(t, "COUNTERSIGN_FAULTS", 0)
}

// taking is a clearing that takes everything and answers nothing.
type taking struct{}

// Deliver takes a document.
func (taking) Deliver(context.Context, rulebook.Scheme, string, []byte) error { return nil }

// instance is one process of the gateway, but for the process.
type instance struct {
	address string
	stop    func()
}

// begin starts an instance on a database: server, jobs and clock.
func begin(t *testing.T, db *storetest.DB, now func() time.Time, limits web.Limits) *instance {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	database, err := store.Open(t.Context(), store.Config{URL: db.URL, Seal: db.Seal, TokenKeys: storetest.Keys(t), Log: log})
	must(t, err)
	parts, err := service.New(service.Config{
		Database: database, Seal: db.Seal, TokenKeys: storetest.Keys(t), Now: now, Log: log, Network: taking{},
	})
	must(t, err)
	server, err := web.OpenWith(parts, web.Settings{
		Environment: "TEST", Limits: limits,
		Connected: map[rulebook.Scheme]bool{rulebook.SchemeSIC: true, rulebook.SchemeSCT: true},
	}, nil)
	must(t, err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	serving, end := context.WithCancel(context.WithoutCancel(t.Context()))
	working, leave := context.WithCancel(context.WithoutCancel(t.Context()))
	var all sync.WaitGroup
	all.Go(func() {
		defer leave()
		err := server.Serve(serving, listener)
		if err != nil {
			t.Error(err)
		}
	})
	all.Go(func() {
		err := parts.Clearing.Run(working)
		if err != nil {
			t.Error(err)
		}
	})
	var once sync.Once
	i := &instance{address: listener.Addr().String(), stop: func() { once.Do(func() { end(); all.Wait(); database.Close() }) }}
	t.Cleanup(i.stop)
	return i
}

// sampleClock goes on from the morning of the samples' day.
func sampleClock() func() time.Time {
	began := time.Now()
	return func() time.Time { return time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC).Add(time.Since(began)) }
}

// demoDatabase holds the demo's realms.
func demoDatabase(t *testing.T) *storetest.DB {
	t.Helper()
	return servicetest.Demo(t)
}

// tally counts what clients were answered.
type tally struct{ pairs, later, failed atomic.Int64 }

// call posts until it is taken; who is asked to come again does so after a second.
func (n *tally) call(s *shop, path, token, body string) (content string, taken bool) {
	for {
		request, err := http.NewRequest(http.MethodPost, s.base+path, strings.NewReader(body))
		if err != nil {
			return err.Error(), false
		}
		request.Header.Set("Authorization", "Bearer "+token)
		request.Header.Set("X-Request-Id", "fault")
		request.Header.Set("Content-Type", "application/json")
		response, err := s.client.Do(request)
		if err != nil {
			n.failed.Add(1)
			return err.Error(), false
		}
		said, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		switch {
		case err != nil:
			n.failed.Add(1)
			return err.Error(), false
		case response.StatusCode == http.StatusServiceUnavailable || response.StatusCode == http.StatusTooManyRequests:
			n.later.Add(1)
			time.Sleep(time.Second)
		case response.StatusCode != http.StatusOK:
			n.failed.Add(1)
			return string(said), false
		default:
			return string(said), true
		}
	}
}

// load has clients make and approve payments in a closed loop, and returns what stops them.
func (n *tally) load(t *testing.T, s *shop, clients int) (stop func()) {
	t.Helper()
	ended := make(chan struct{})
	var all sync.WaitGroup
	for range clients {
		all.Go(func() {
			for {
				select {
				case <-ended:
					return
				default:
				}
				content, taken := n.call(s, webtest.CreateSwiss, s.maker, webtest.Order(webtest.Sample))
				if taken {
					verdict := webtest.Verdict(internalID(content), "approve")
					content, taken = n.call(s, webtest.ApprovePath, s.checker, verdict)
				}
				if !taken {
					t.Logf("a client was answered: %s", content)
					return
				}
				n.pairs.Add(1)
			}
		})
	}
	return func() { close(ended); all.Wait() }
}

// maxWait is how long an approved payment may wait for its delivery under overload.
const maxWait = 2 * time.Second

// maxReadiness is how long /readyz may take whatever else is asked. Half of the answers count: the clients have their share of the machine.
const maxReadiness = 100 * time.Millisecond

// readinessTook asks for readiness ten times a second, until the context ends, and says how long each answer took, the shortest first.
func readinessTook(ctx context.Context, address string) []time.Duration {
	var took []time.Duration
	for ; ctx.Err() == nil; time.Sleep(maxReadiness) {
		began := time.Now()
		response, err := http.Get("http://" + address + "/readyz")
		if err != nil || response.StatusCode != http.StatusOK {
			continue
		}
		_ = response.Body.Close()
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	return took
}

// TestApprovedPaymentsLeaveInTimeUnderOverload: with 500 clients in a closed loop no approved payment waits more than two seconds for its
// delivery; those whom the gateway cannot serve are asked to come again.
func TestApprovedPaymentsLeaveInTimeUnderOverload(t *testing.T) {
	rounds := faultRounds(t)
	for range rounds {
		db := demoDatabase(t)
		i := begin(t, db, sampleClock(), web.Limits{})
		s := shopAt("http://"+i.address, 500)
		s.maker, s.checker = s.signIn(t, "maker1"), s.signIn(t, "checker1")
		var n tally
		stop, readiness := n.load(t, s, 500), make(chan []time.Duration)
		asking, enough := context.WithCancel(t.Context())
		go func() { readiness <- readinessTook(asking, i.address) }()
		time.Sleep(15 * time.Second)
		enough()
		stop()
		took := <-readiness
		if len(took) == 0 {
			t.Fatal("/readyz was never 200")
		}
		t.Logf("/readyz was asked %d times: half within %s, 99 of 100 within %s", len(took), took[len(took)/2], took[len(took)*99/100])
		if took[len(took)/2] > maxReadiness {
			t.Errorf("half of the answers of /readyz took more than %s", maxReadiness)
		}
		connection := db.Connect(t)
		var left int
		for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
			must(t, connection.QueryRow(
				t.Context(), "SELECT count(*) FROM message WHERE accepted_at IS NOT NULL AND delivered_at IS NULL",
			).Scan(&left))
			if left == 0 {
				break
			}
		}
		var p50, p99, longest float64
		must(t, connection.QueryRow(t.Context(), `SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY w),
			percentile_cont(0.99) WITHIN GROUP (ORDER BY w), max(w)
			FROM (SELECT extract(epoch FROM delivered_at - accepted_at)::float8 AS w FROM message WHERE accepted_at IS NOT NULL) x`,
		).Scan(&p50, &p99, &longest))
		t.Logf("%d pairs, %d asked to come again, %d failed; from approval to clearing p50 %.2f s, p99 %.2f s, longest %.2f s",
			n.pairs.Load(), n.later.Load(), n.failed.Load(), p50, p99, longest)
		if left > 0 || n.failed.Load() > 0 || longest > maxWait.Seconds() {
			t.Errorf("%d payments are left, %d calls failed, and one payment waited %.2f s", left, n.failed.Load(), longest)
		}
		i.stop()
	}
}

// balancer is one in front of instances: it asks each for its readiness five times a second and sends requests to those that are ready, in
// turns. It repeats nothing.
type balancer struct {
	mu    sync.Mutex
	known map[string]bool // instances, and whether they are ready
	turn  int
}

func (b *balancer) add(address string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.known[address] = false
}

func (b *balancer) remove(address string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.known, address)
}

func (b *balancer) look(ctx context.Context) {
	client := &http.Client{Timeout: time.Second}
	for ctx.Err() == nil {
		b.mu.Lock()
		all := slices.Collect(maps.Keys(b.known))
		b.mu.Unlock()
		for _, address := range all {
			response, err := client.Get("http://" + address + "/readyz")
			ready := err == nil && response.StatusCode == http.StatusOK
			if err == nil {
				_ = response.Body.Close()
			}
			b.mu.Lock()
			if _, still := b.known[address]; still {
				b.known[address] = ready
			}
			b.mu.Unlock()
		}
		time.Sleep(200 * time.Millisecond)
	}
}

func (b *balancer) ready() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	var all []string
	for address, ready := range b.known {
		if ready {
			all = append(all, address)
		}
	}
	slices.Sort(all)
	return all
}

// pick is the instance for the next request.
func (b *balancer) pick() string {
	all := b.ready()
	b.mu.Lock()
	defer b.mu.Unlock()
	b.turn++
	if len(all) == 0 {
		return "127.0.0.1:1"
	}
	return all[b.turn%len(all)]
}

// TestARollingRestartFailsNoRequest restarts each of three instances behind a balancer under load, with the pause that docs/operations.md
// asks for: every request is answered as ever.
func TestARollingRestartFailsNoRequest(t *testing.T) {
	rounds := faultRounds(t)
	db, now := demoDatabase(t), sampleClock()
	limits := web.Limits{Drain: 2 * time.Second}
	front := &balancer{known: map[string]bool{}}
	looking, end := context.WithCancel(t.Context())
	defer end()
	instances := make([]*instance, 3)
	for i := range instances {
		instances[i] = begin(t, db, now, limits)
		front.add(instances[i].address)
	}
	go front.look(looking)
	proxy := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(&url.URL{Scheme: "http", Host: front.pick()}) },
		Transport: &http.Transport{MaxIdleConnsPerHost: 32},
		ErrorLog:  slog.NewLogLogger(slog.DiscardHandler, slog.LevelInfo),
	})
	defer proxy.Close()
	allReady(t, front, len(instances))
	s := shopAt(proxy.URL, 16)
	s.maker, s.checker = s.signIn(t, "maker1"), s.signIn(t, "checker1")
	var n tally
	stop := n.load(t, s, 8)
	for range rounds {
		for i, old := range instances {
			old.stop()
			front.remove(old.address)
			instances[i] = begin(t, db, now, limits)
			front.add(instances[i].address)
			allReady(t, front, len(instances))
		}
	}
	stop()
	t.Logf("%d restarts, %d pairs, %d asked to come again, %d failed", rounds*len(instances), n.pairs.Load(), n.later.Load(), n.failed.Load())
	if n.failed.Load() > 0 || n.later.Load() > 0 || n.pairs.Load() == 0 {
		t.Errorf("%d requests failed, and %d were asked to come again", n.failed.Load(), n.later.Load())
	}
}

func allReady(t *testing.T, front *balancer, want int) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); len(front.ready()) < want; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%v of %d instances are ready", front.ready(), want)
		}
	}
}
