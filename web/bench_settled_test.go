package web_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/internal/demo"
	"countersign/internal/rulebook"
	"countersign/internal/simulator"
	"countersign/internal/stations"
	"countersign/internal/store"
	"countersign/internal/store/bench"
	"countersign/internal/store/provision"
	"countersign/internal/store/storetest"
	transport "countersign/internal/transport/http"
	"countersign/web"
	"countersign/web/inbound"
	"countersign/web/webtest"
)

// settledWithin is how long the last payment of a round may take to its end.
const settledWithin = 60 * time.Second

// BenchmarkSettled measures the whole way of a payment: created, approved, sent, answered, settled, its report kept. Clients and simulator
// are processes of their own. A round ends when its last payment is settled; the rate counts until then.
func BenchmarkSettled(b *testing.B) {
	cluster := durableCluster(b)
	address := cluster.URL("postgres")
	must(b, store.Migrate(b.Context(), address))
	must(b, demo.Ensure(b.Context(), provision.Provisioner{OwnerURL: address, Keys: storetest.Keys(b), At: storetest.Provisioned}))
	s := newSettlingShop(b, address)
	server, err := bench.ServerOf(b.Context(), address)
	must(b, err)
	for _, clients := range []int{8, 32} {
		b.Run(strconv.Itoa(clients), func(b *testing.B) {
			var rounds []settledFigures
			for b.Loop() {
				for range pairRounds {
					rounds = append(rounds, s.measureSettled(b, server, load{
						Base: s.base, Maker: s.maker, Checker: s.checker, Clients: clients, For: pairRound, Amount: "200.00",
					}))
				}
			}
			reportSettled(b, rounds)
		})
	}
}

// settlingShop is a shop whose payments go to a simulator in a process of its own.
type settlingShop struct {
	*shop
	cluster string // the owner's address of the database
}

func newSettlingShop(b *testing.B, address string) *settlingShop {
	b.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(b, err)
	base := "http://" + listener.Addr().String()
	clearing := startSimulator(b, base)
	log := slog.New(slog.NewTextHandler(io.Discard, nil)) // written out as in production, but to nowhere
	database, err := store.Open(
		b.Context(), store.Config{URL: address, Log: log, Seal: storetest.Sealer(b, storetest.Key), TokenKeys: storetest.Keys(b)},
	)
	must(b, err)
	b.Cleanup(database.Close)
	began := time.Now()
	now := func() time.Time { return time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC).Add(time.Since(began)) } // the day of the sample
	parts, err := stations.New(stations.Config{
		Database: database, Seal: storetest.Sealer(b, storetest.Key), TokenKeys: storetest.Keys(b), Now: now, Log: log,
		Network: transport.New(map[rulebook.Scheme]string{rulebook.SchemeSIC: clearing + "/clearing/sic-inst"}),
	})
	must(b, err)
	server, err := web.OpenWith(parts, web.Settings{
		Environment: "TEST", Connected: map[rulebook.Scheme]bool{rulebook.SchemeSIC: true},
		Connections: []inbound.Connection{inbound.NewConnection(webtest.ClearingToken, rulebook.SchemeSIC)},
	}, nil)
	must(b, err)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 3)
	go func() { ended <- server.Serve(ctx, listener) }()
	go func() { ended <- parts.Jobs.Run(ctx, parts.Clearing.Handlers()) }()
	go func() { parts.Clearing.Watch(ctx); ended <- nil }()
	b.Cleanup(func() {
		stop()
		must(b, errors.Join(<-ended, <-ended, <-ended))
	})
	s := shopAt(base, 8)
	s.maker, s.checker = s.signIn(b, "maker1"), s.signIn(b, "checker1")
	return &settlingShop{shop: s, cluster: address}
}

// simulatorSetting makes this test program the simulator of a benchmark instead; it holds the address of the gateway.
const simulatorSetting = "COUNTERSIGN_BENCH_SIMULATOR"

func startSimulator(b *testing.B, gateway string) string {
	b.Helper()
	process := exec.Command(os.Args[0])
	process.Env = append(os.Environ(), simulatorSetting+"="+gateway)
	process.Stderr = os.Stderr
	in, err := process.StdinPipe()
	must(b, err)
	said, err := process.StdoutPipe()
	must(b, err)
	must(b, process.Start())
	b.Cleanup(func() {
		must(b, in.Close())
		must(b, process.Wait())
	})
	address, err := bufio.NewReader(said).ReadString('\n')
	must(b, err)
	return strings.TrimSpace(address)
}

// beTheSimulator plays clearing towards a gateway until its input ends, and returns the code to exit with.
func beTheSimulator(gateway string) int {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, "the simulator of the benchmark:", err)
		return 1
	}
	began := time.Now()
	now := func() time.Time { return time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC).Add(time.Since(began)) }
	played := simulator.New(simulator.Config{GatewayURL: gateway, Token: webtest.ClearingToken, Seed: 1, Now: now, Client: &http.Client{
		Timeout: 10 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 64},
	}})
	server := &http.Server{Handler: played.Handler(), ReadHeaderTimeout: time.Second}
	go func() { _ = server.Serve(listener) }()
	fmt.Println("http://" + listener.Addr().String())
	_, _ = io.Copy(io.Discard, os.Stdin)
	_ = server.Close()
	played.Close()
	return 0
}

// settledFigures are what one round says.
type settledFigures struct {
	perSecond         float64
	postgres, program float64 // processor time for each payment, in ms
	p50, p99          float64 // approval to Settled, in ms
	refused           int     // requests that were told to come back
}

func (s *settlingShop) measureSettled(b *testing.B, server bench.Server, l load) settledFigures {
	b.Helper()
	before, err := server.ProcessorTime()
	must(b, err)
	own, began := processorTime(b), time.Now()
	result := l.inOwnProcess(b)
	s.waitUntilSettled(b)
	took := time.Since(began) - startOfProcess
	used := processorTime(b) - own
	after, err := server.ProcessorTime()
	must(b, err)
	count := float64(len(result.Creates))
	f := settledFigures{
		perSecond: count / took.Seconds(), postgres: (after - before).Seconds() * 1000 / count, program: used.Seconds() * 1000 / count,
		refused: result.Refused,
	}
	f.p50, f.p99 = s.latency(b, len(result.Creates))
	return f
}

// startOfProcess is about what the clients take to start and end.
const startOfProcess = 50 * time.Millisecond

func (s *settlingShop) waitUntilSettled(b *testing.B) {
	b.Helper()
	for began := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		var open int
		must(b, json.Unmarshal([]byte(s.ask(b, "SELECT count(*) FROM message WHERE state IN ('Approved', 'Processing', 'Unconfirmed')")), &open))
		if open == 0 {
			return
		}
		if time.Since(began) > settledWithin {
			b.Fatalf("%d payments are still open: %s", open, s.ask(b, "SELECT string_agg(DISTINCT state, ' ') FROM message"))
		}
	}
}

// latency is the time from approval to Settled of the newest payments, in ms.
func (s *settlingShop) latency(b *testing.B, newest int) (p50, p99 float64) {
	b.Helper()
	var both []float64
	must(b, json.Unmarshal([]byte(s.ask(b, `SELECT to_json(percentile_cont(array[0.5, 0.99]) WITHIN GROUP
		(ORDER BY extract(epoch FROM settled_at - accepted_at) * 1000)) FROM (SELECT settled_at, accepted_at FROM message
		WHERE state = 'Settled' ORDER BY message_id DESC LIMIT `+strconv.Itoa(newest)+`) m`)), &both))
	return both[0], both[1]
}

func reportSettled(b *testing.B, rounds []settledFigures) {
	b.Helper()
	b.ReportMetric(0, "ns/op")
	for unit, value := range map[string]func(settledFigures) float64{
		"settled/s":              func(f settledFigures) float64 { return f.perSecond },
		"pg-cpu-ms/payment":      func(f settledFigures) float64 { return f.postgres },
		"go-cpu-ms/payment":      func(f settledFigures) float64 { return f.program },
		"approval-to-settled-50": func(f settledFigures) float64 { return f.p50 },
		"approval-to-settled-99": func(f settledFigures) float64 { return f.p99 },
		"refused":                func(f settledFigures) float64 { return float64(f.refused) },
	} {
		values := make([]float64, len(rounds))
		for i, round := range rounds {
			values[i] = value(round)
		}
		b.ReportMetric(median(values), unit)
	}
}

// ask asks the database, as the owner, for one value as text.
func (s *settlingShop) ask(b *testing.B, query string) string {
	b.Helper()
	connection, err := pgx.Connect(b.Context(), s.cluster)
	must(b, err)
	defer func() { _ = connection.Close(context.Background()) }()
	var answer string
	must(b, connection.QueryRow(b.Context(), "SELECT ("+query+")::text").Scan(&answer))
	return answer
}
