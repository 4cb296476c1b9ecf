package web_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"countersign/internal/demo"
	"countersign/internal/postgres"
	"countersign/internal/stations"
	"countersign/internal/store"
	"countersign/internal/store/provision"
	"countersign/internal/store/snapshot"
	"countersign/internal/store/storetest"
	"countersign/web"
	"countersign/web/webtest"
)

const (
	benchClients = 8
	benchRounds  = 3
	benchRound   = 3 * time.Second
)

// BenchmarkCreateApprove measures pairs, a payment created by one and approved by another, through the whole server over HTTP, beside
// the same SQL statements run without a server: both by eight clients, on the same durable database, in turns. The ratio of the two is
// the figure to look at (reference: 0.40); the rates alone say more about the machine. The client's work is in the CPU time of both.
func BenchmarkCreateApprove(b *testing.B) {
	cluster := durableCluster(b)
	address := cluster.URL("postgres")
	must(b, store.Migrate(b.Context(), address))
	must(b, demo.Ensure(b.Context(), provision.Provisioner{OwnerURL: address, Keys: storetest.Keys(b), At: storetest.Provisioned}))
	script := newScript(b, address)
	s := newShop(b, address, nil)
	pool := connections(b, address)
	var served, bare []rate
	for b.Loop() {
		for range benchRounds {
			served = append(served, measure(b, func(int) error { return s.pair() }))
			bare = append(bare, measure(b, func(client int) error { return script.run(b.Context(), pool[client]) }))
		}
	}
	var ratios []float64
	pairs := 3 // of the recording
	for i := range served {
		ratios = append(ratios, served[i].perSecond()/bare[i].perSecond())
		pairs += served[i].pairs + bare[i].pairs
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(median(ratios), "http/sql")
	b.ReportMetric(medianOf(served, rate.perSecond), "http-pairs/s")
	b.ReportMetric(medianOf(bare, rate.perSecond), "sql-pairs/s")
	b.ReportMetric(medianOf(served, rate.processor), "http-cpu-ms/pair")
	b.ReportMetric(medianOf(bare, rate.processor), "sql-cpu-ms/pair")
	checkPairs(b, address, pairs)
}

// checkPairs: what was fast is also there, and right.
func checkPairs(b *testing.B, address string, pairs int) {
	b.Helper()
	connection := connections(b, address)[0]
	_, err := connection.Exec(b.Context(), "RESET ROLE")
	must(b, err)
	for _, table := range []string{"message WHERE state = 'Approved'", "decision", "release", "river.river_job"} {
		var count int
		must(b, connection.QueryRow(b.Context(), "SELECT count(*) FROM "+table).Scan(&count))
		if count != pairs {
			b.Errorf("%d rows of %s after %d pairs", count, table, pairs)
		}
	}
	snapshot, err := snapshot.Open(b.Context(), address)
	must(b, err)
	defer snapshot.Close(b.Context())
	invariants, err := snapshot.Invariants(b.Context(), time.Now())
	must(b, err)
	for _, i := range invariants {
		if i.ID != "I6" && len(i.Violations) > 0 { // I6 is about clearing, which does not run here
			b.Errorf("%s is broken by %d messages: %s", i.ID, len(i.Violations), i.Violations[0].What)
		}
	}
}

// durableCluster is a PostgreSQL of the benchmark's own with the settings of production, unlike the tests' one.
func durableCluster(b *testing.B) *postgres.Cluster {
	b.Helper()
	cache, err := filepath.Abs(filepath.Join("..", ".cache"))
	must(b, err)
	cluster, err := postgres.Start(b.Context(), postgres.Config{DataDir: filepath.Join(b.TempDir(), "data"), CacheDir: cache})
	must(b, err)
	b.Cleanup(func() {
		err := cluster.Stop(context.Background())
		if err != nil {
			b.Error(err)
		}
	})
	return cluster
}

// connections opens one connection for each client, as the service has them.
func connections(b *testing.B, address string) []*pgx.Conn {
	b.Helper()
	pool := make([]*pgx.Conn, benchClients)
	for i := range pool {
		connection, err := pgx.Connect(b.Context(), address)
		must(b, err)
		b.Cleanup(func() { _ = connection.Close(context.Background()) })
		_, err = connection.Exec(b.Context(), "SET ROLE countersign_app; SET timezone = 'UTC'")
		must(b, err)
		pool[i] = connection
	}
	return pool
}

// rate is the outcome of one round.
type rate struct {
	pairs     int
	took, cpu time.Duration
}

func (r rate) perSecond() float64 { return float64(r.pairs) / r.took.Seconds() }

// processor is this process's CPU time in milliseconds for each pair, the database's excluded.
func (r rate) processor() float64 { return r.cpu.Seconds() * 1000 / float64(r.pairs) }

func medianOf(rates []rate, value func(rate) float64) float64 {
	values := make([]float64, len(rates))
	for i, r := range rates {
		values[i] = value(r)
	}
	return median(values)
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}

// measure lets the clients work for one round.
func measure(b *testing.B, pair func(client int) error) rate {
	b.Helper()
	var pairs atomic.Int64
	var group errgroup.Group
	began, used := time.Now(), processorTime(b)
	for client := range benchClients {
		group.Go(func() error {
			for time.Since(began) < benchRound {
				err := pair(client)
				if err != nil {
					return err
				}
				pairs.Add(1)
			}
			return nil
		})
	}
	must(b, group.Wait())
	return rate{pairs: int(pairs.Load()), took: time.Since(began), cpu: processorTime(b) - used}
}

func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var usage syscall.Rusage
	must(b, syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// shop is the server on a port of its own, with a maker and a checker signed in.
type shop struct {
	base           string
	client         *http.Client
	maker, checker string
}

func newShop(b testing.TB, address string, tracer pgx.QueryTracer) *shop {
	b.Helper()
	log := slog.New(slog.NewTextHandler(io.Discard, nil)) // written out as in production, but to nowhere
	database, err := store.Open(
		b.Context(), store.Config{URL: address, Log: log, Tracer: tracer, Seal: storetest.Sealer(b, storetest.Key), TokenKeys: storetest.Keys(b)},
	)
	must(b, err)
	b.Cleanup(database.Close)
	server := newServer(b, database, log)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(b, err)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(ctx, listener) }()
	s := &shop{
		base:   "http://" + listener.Addr().String(),
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: benchClients}},
	}
	b.Cleanup(func() {
		s.client.CloseIdleConnections()
		stop()
		err := <-ended
		if err != nil {
			b.Error(err)
		}
	})
	s.maker, s.checker = s.signIn(b, "maker1"), s.signIn(b, "checker1")
	return s
}

func newServer(b testing.TB, database *store.Database, log *slog.Logger) *web.Server {
	b.Helper()
	began := time.Now()
	now := func() time.Time { return time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC).Add(time.Since(began)) } // the day of the sample
	parts, err := stations.New(stations.Config{
		Database: database, Seal: storetest.Sealer(b, storetest.Key), TokenKeys: storetest.Keys(b), Now: now, Log: log,
	})
	must(b, err)
	server, err := web.OpenWith(parts, web.Settings{Environment: "TEST"}, nil)
	must(b, err)
	return server
}

func (s *shop) signIn(b testing.TB, user string) string {
	b.Helper()
	answer, err := s.client.PostForm(s.base+"/api/auth/v1/realms/"+demo.Realm+"/login", url.Values{
		"grant_type": {"password"}, "client_id": {demo.Backoffice}, "client_secret": {demo.ClientSecret},
		"username": {user}, "password": {demo.UserPassword},
	})
	must(b, err)
	var tokens struct {
		Access string `json:"access_token"`
	}
	must(b, errors.Join(json.NewDecoder(answer.Body).Decode(&tokens), answer.Body.Close()))
	return tokens.Access
}

// pair makes a payment and approves it.
func (s *shop) pair() error {
	content, err := s.post(webtest.CreateSwiss, s.maker, webtest.Order(webtest.Sample))
	if err != nil {
		return err
	}
	_, rest, _ := strings.Cut(content, `"internalId":"`)
	_, err = s.post(
		webtest.ApprovePath, s.checker,
		`{"identifiers":{"internalId":"`+rest[:min(36, len(rest))]+`"},"ApprovalDetails":{"action":"approve"}}`,
	)
	return err
}

func (s *shop) post(path, token, body string) (string, error) {
	request, err := http.NewRequest(http.MethodPost, s.base+path, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("X-Request-Id", "bench")
	request.Header.Set("Content-Type", "application/json")
	answer, err := s.client.Do(request)
	if err != nil {
		return "", err
	}
	content, err := io.ReadAll(answer.Body)
	_ = answer.Body.Close()
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s answers %s: %s", path, answer.Status, content)
	}
	return string(content), err
}
