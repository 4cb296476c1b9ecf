package web_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"countersign/internal/demo"
	"countersign/internal/store"
	"countersign/internal/store/bench"
	"countersign/internal/store/provision"
	"countersign/internal/store/storetest"
	"countersign/web/webtest"
)

// pairRound is how long each of the two sides works in a round, and pairRounds how many there are.
const (
	pairRound  = 4 * time.Second
	pairRounds = 3
)

// BenchmarkPairs measures pairs, a payment created by one and approved by another, through the whole server over HTTP, beside pgbench on a
// bare schema (internal/store/bench): both with the same clients on the same durable PostgreSQL, in turns. Look at the ratio, and at the
// processor time of PostgreSQL and of the program for each pair; the rates alone say more about the machine. The clients are a process of
// their own.
func BenchmarkPairs(b *testing.B) {
	cluster := durableCluster(b)
	address := cluster.URL("postgres")
	must(b, store.Migrate(b.Context(), address))
	must(b, demo.Ensure(b.Context(), provision.Provisioner{OwnerURL: address, Keys: storetest.Keys(b), At: storetest.Provisioned}))
	s := newShop(b, address)
	server, err := bench.ServerOf(b.Context(), address)
	must(b, err)
	pairs := 0
	for _, clients := range []int{1, 8, 32, 64} {
		b.Run(strconv.Itoa(clients), func(b *testing.B) {
			var rounds []pairFigures
			for b.Loop() {
				for range pairRounds {
					bare, err := bench.Bare(b.Context(), bench.BareRun{URL: address, Clients: clients, For: pairRound})
					must(b, err)
					served := measurePairs(b, server, load{Base: s.base, Maker: s.maker, Checker: s.checker, Clients: clients, For: pairRound})
					served.ratio = served.perSecond / bare.PerSecond
					rounds = append(rounds, served)
					pairs += served.pairs
				}
			}
			reportPairs(b, rounds)
		})
	}
	checkPairs(b, address, pairs)
}

// pairFigures are what one round says.
type pairFigures struct {
	pairs                  int
	perSecond, ratio       float64
	postgres, program      float64 // processor time for each pair, in ms
	createP50, createP99   float64 // ms
	approveP50, approveP99 float64
	resident               float64 // MB of memory of the program, after the round
}

func reportPairs(b *testing.B, rounds []pairFigures) {
	b.Helper()
	b.ReportMetric(0, "ns/op")
	for unit, value := range map[string]func(pairFigures) float64{
		"pairs/s": func(f pairFigures) float64 { return f.perSecond }, "pairs/bare": func(f pairFigures) float64 { return f.ratio },
		"pg-cpu-ms/pair": func(f pairFigures) float64 { return f.postgres },
		"go-cpu-ms/pair": func(f pairFigures) float64 { return f.program },
		"create-p50-ms":  func(f pairFigures) float64 { return f.createP50 },
		"create-p99-ms":  func(f pairFigures) float64 { return f.createP99 },
		"approve-p50-ms": func(f pairFigures) float64 { return f.approveP50 },
		"approve-p99-ms": func(f pairFigures) float64 { return f.approveP99 }, "rss-MB": func(f pairFigures) float64 { return f.resident },
	} {
		values := make([]float64, len(rounds))
		for i, round := range rounds {
			values[i] = value(round)
		}
		b.ReportMetric(median(values), unit)
	}
}

// measurePairs lets clients of a process of their own make pairs, and reads what the server and PostgreSQL used meanwhile.
func measurePairs(b *testing.B, server bench.Server, l load) pairFigures {
	b.Helper()
	before, err := server.ProcessorTime()
	must(b, err)
	own, began := processorTime(b), time.Now()
	result := l.inOwnProcess(b)
	took := time.Since(began)
	used := processorTime(b) - own
	after, err := server.ProcessorTime()
	must(b, err)
	pairs := len(result.Creates)
	each := func(used time.Duration) float64 { return used.Seconds() * 1000 / float64(pairs) }
	if pairs == 0 {
		b.Fatalf("no pair in %s", took)
	}
	f := pairFigures{pairs: pairs, perSecond: float64(pairs) / result.Took.Seconds(), postgres: each(after - before), program: each(used)}
	f.createP50, f.createP99 = percentiles(result.Creates)
	f.approveP50, f.approveP99 = percentiles(result.Approvals)
	f.resident = residentMemory(b)
	return f
}

// residentMemory is that of this process, in MB.
func residentMemory(b *testing.B) float64 {
	b.Helper()
	content, err := os.ReadFile("/proc/self/statm") // size, resident, ... in pages
	must(b, err)
	pages, err := strconv.Atoi(strings.Fields(string(content))[1])
	must(b, err)
	return float64(pages*os.Getpagesize()) / 1e6
}

func percentiles(times []time.Duration) (p50, p99 float64) {
	slices.Sort(times)
	return times[len(times)/2].Seconds() * 1000, times[len(times)*99/100].Seconds() * 1000
}

// load is what the clients are to do.
type load struct {
	Base, Maker, Checker string
	Clients              int
	For                  time.Duration
	Amount               string // "" for the sample's
}

// loaded is what they did.
type loaded struct {
	Took               time.Duration
	Creates, Approvals []time.Duration
	Refused            int // requests that were told to come back, and did
}

// loadSetting makes this test program the clients of a benchmark instead.
const loadSetting = "COUNTERSIGN_BENCH_LOAD"

// inOwnProcess starts the clients and waits for them.
func (l load) inOwnProcess(b *testing.B) loaded {
	b.Helper()
	asked, err := json.Marshal(l)
	must(b, err)
	clients := exec.CommandContext(b.Context(), os.Args[0])
	clients.Env = append(os.Environ(), loadSetting+"="+string(asked))
	clients.Stderr = os.Stderr
	said, err := clients.Output()
	must(b, err)
	var result loaded
	must(b, json.Unmarshal(said, &result))
	return result
}

// beTheClients does what the setting says, and returns the code to exit with.
func beTheClients(setting string) int {
	var l load
	err := json.Unmarshal([]byte(setting), &l)
	var result loaded
	if err == nil {
		result, err = l.run()
	}
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(result)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "the clients of the benchmark:", err)
		return 1
	}
	return 0
}

func (l load) run() (loaded, error) {
	s := shopAt(l.Base, l.Clients)
	s.maker, s.checker, s.amount = l.Maker, l.Checker, l.Amount
	var group errgroup.Group
	var mu sync.Mutex
	var all loaded
	began := time.Now()
	for range l.Clients {
		group.Go(func() error {
			own, err := s.pairsUntil(began.Add(l.For))
			mu.Lock()
			defer mu.Unlock()
			all.Creates, all.Approvals = append(all.Creates, own.Creates...), append(all.Approvals, own.Approvals...)
			all.Refused += own.Refused
			return err
		})
	}
	err := group.Wait()
	all.Took = time.Since(began)
	return all, err
}

// pairsUntil makes pairs, one after the other.
func (s *shop) pairsUntil(end time.Time) (loaded, error) {
	var own loaded
	for {
		began := time.Now()
		if began.After(end) {
			return own, nil
		}
		var id string
		err := own.patiently(func() (err error) { id, err = s.create(); return err })
		created := time.Now()
		if err == nil {
			err = own.patiently(func() error { return s.approve(id) })
		}
		if err != nil {
			return own, errors.Join(errors.New("a client gave up"), err)
		}
		own.Creates, own.Approvals = append(own.Creates, created.Sub(began)), append(own.Approvals, time.Since(created))
	}
}

// patiently comes back when it is told to.
func (l *loaded) patiently(step func() error) error {
	for {
		err := step()
		if !errors.Is(err, errComeBack) {
			return err
		}
		l.Refused++
		time.Sleep(50 * time.Millisecond)
	}
}

// create makes a payment and returns its internal id.
func (s *shop) create() (id string, err error) {
	content, err := s.post(webtest.CreateSwiss, s.maker, s.order())
	if err != nil {
		return "", err
	}
	return internalID(content), nil
}

func (s *shop) approve(id string) error {
	_, err := s.post(webtest.ApprovePath, s.checker, `{"identifiers":{"internalId":"`+id+`"},"ApprovalDetails":{"action":"approve"}}`)
	return err
}
