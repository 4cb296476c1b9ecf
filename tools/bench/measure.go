package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"countersign/internal/postgres"
)

// Config says what to
type Config struct {
	Program string // the file of this program, which also is gateway and simulator
	Folder  string // a new folder for the data; it stays the caller's
	Cache   string // where make keeps what it fetched
	Clients []int
	For     time.Duration // each part of a run, in whole seconds
	Rounds  int           // runs for each number of clients; the one with the middle ratio is reported
	Steady  time.Duration // the endurance run that follows, at Share of what ShareOf clients settled; 0 for none
	ShareOf int           // one of Clients; 0 for those that settled most
	Share   float64
	Say     func(format string, values ...any) // told what is going on
	Log     *slog.Logger
}

// CPU is processor time for each pair, in milliseconds.
type CPU struct {
	Postgres float64 `json:"postgres"`
	Program  float64 `json:"program"`
	Client   float64 `json:"client"`
}

// Own is what a loop of the gateway's own statements reached, without HTTP.
type Own struct {
	PairsPerSecond float64 `json:"pairsPerSecond"`
	Ratio          float64 `json:"ratio"` // pairs a second over HTTP to those of the loop
	Postgres       float64 `json:"postgresCpuMs"`
	Program        float64 `json:"programCpuMs"`
}

// Run is what so many clients reached.
type Run struct {
	Clients            int     `json:"clients"`
	PairsPerSecond     float64 `json:"pairsPerSecond"`
	BarePairsPerSecond float64 `json:"barePairsPerSecond"` // pgbench, one statement for each half of a pair, no constraint
	BareCPUMs          float64 `json:"bareCpuMs"`          // PostgreSQL, for each of these: the same work on a quick machine and a slow one
	Ratio              float64 `json:"ratio"`
	CPUMsPerPair       CPU     `json:"cpuMsPerPair"`
	P50Ms              float64 `json:"p50Ms"` // of one call, create or approve
	P99Ms              float64 `json:"p99Ms"`
	SettledPerSecond   float64 `json:"settledPerSecond"` // the whole way: created, approved, sent, answered, settled, reported
	SettledCPUMs       float64 `json:"settledCpuMs"`     // PostgreSQL and program, for each payment on the whole way
	SettledP50Ms       float64 `json:"settledP50Ms"`     // from the approval to Settled
	SettledP99Ms       float64 `json:"settledP99Ms"`
	OwnSQL             Own     `json:"ownSql"`
	Refused            int     `json:"refused"` // calls that were told to come back, and did
	// Pace is how quick the machine was meanwhile, as a part of its best in this measurement: see pace.
	Pace float64 `json:"pace"`

	began, ended time.Time
}

// Report is what was measured.
type Report struct {
	Machine string  `json:"machine"`
	Load    float64 `json:"loadBefore"` // what waited for a processor when it began (one minute's mean)
	// HugePages is whether PostgreSQL kept its buffers in huge pages, which counts where the machine is a virtual one
	// (docs/high-availability.md).
	HugePages bool  `json:"hugePages"`
	Runs      []Run `json:"runs"`
	// Pairs is how many the gateway of the pairs has made over HTTP, and MemoryMB what it holds after them.
	Pairs    int     `json:"pairs"`
	MemoryMB float64 `json:"memoryMB"`
	Steady   *Steady `json:"steady,omitempty"`
}

// Pairs measures pairs and whole ways for each number of clients, and then, if asked for, how steady they stay.
//
// Errors: ErrNoPgbench; what the processes say.
func Pairs(ctx context.Context, cfg Config) (report Report, err error) {
	report.Machine, report.Load = machine()
	cluster, err := postgres.Start(ctx, postgres.Config{DataDir: filepath.Join(cfg.Folder, "postgres"), CacheDir: cfg.Cache, Log: cfg.Log})
	if err != nil {
		return report, fmt.Errorf("start PostgreSQL: %w", err)
	}
	defer func() { err = errors.Join(err, cluster.Stop(context.WithoutCancel(ctx))) }()
	err = MakeDatabases(ctx, cluster.URL("postgres"), "bare", "pairs", "settled")
	if err != nil {
		return report, err
	}
	server, err := ServerOf(ctx, cluster.URL("bare"))
	if err != nil {
		return report, err
	}
	report.HugePages, err = server.HugePages()
	if err != nil {
		return report, err
	}
	b := &bed{cfg: cfg, server: server, bare: cluster.URL("bare"), settled: cluster.URL("settled")}
	defer b.close()
	err = b.open(ctx, cluster.URL("pairs"))
	if err != nil {
		return report, err
	}
	watched := watchPace()
	defer func() {
		watched.close()
		report.tellPace(watched)
	}()
	report.Runs, err = b.runs(ctx)
	if err != nil {
		return report, err
	}
	used, err := b.resting.used()
	report.Pairs, report.MemoryMB = b.pairs, float64(used.Memory)/megabyte
	if err != nil || cfg.Steady == 0 {
		return report, err
	}
	report.Steady, err = b.steady(ctx, cfg.most(report.Runs)*cfg.Share)
	return report, err
}

// tellPace adds how quick the machine was, when all is measured.
func (r *Report) tellPace(p *pace) {
	for i, run := range r.Runs {
		r.Runs[i].Pace = p.during(run.began, run.ended)
	}
	if r.Steady != nil {
		r.Steady.tellPace(p)
	}
}

// most is how many payments a second were settled by those clients of which an endurance run takes its share.
func (cfg Config) most(runs []Run) (settled float64) {
	for _, run := range runs {
		if cfg.ShareOf == 0 || run.Clients == cfg.ShareOf {
			settled = max(settled, run.SettledPerSecond)
		}
	}
	return settled
}

const megabyte = 1 << 20

// bed is where it is measured.
type bed struct {
	cfg              Config
	server           Server
	resting, working *gateway
	own              *own
	bare, settled    string // addresses of databases
	pairs            int    // made by the resting gateway so far
}

// open starts two gateways, one that rests (nothing is sent to clearing) and one that works, and opens the services beside the first.
func (b *bed) open(ctx context.Context, pairs string) (err error) {
	b.cfg.Say("starting two gateways and a simulator")
	resting := gatewayOptions{Name: "pairs", Database: pairs, Resting: true}
	b.resting, err = b.cfg.startGateway(ctx, resting)
	if err != nil {
		return err
	}
	b.own, err = b.cfg.openOwn(ctx, resting)
	if err != nil {
		return err
	}
	b.working, err = b.cfg.startGateway(ctx, gatewayOptions{Name: "settled", Database: b.settled})
	return err
}

// close stops what was started.
func (b *bed) close() {
	if b.own != nil {
		b.own.database.Close()
	}
	for _, g := range []*gateway{b.resting, b.working} {
		if g != nil {
			g.stop()
		}
	}
}

func (b *bed) runs(ctx context.Context) ([]Run, error) {
	var runs []Run
	for _, clients := range b.cfg.Clients {
		var rounds []Run
		for round := range b.cfg.Rounds {
			b.cfg.Say("%d clients, round %d of %d", clients, round+1, b.cfg.Rounds)
			run, err := b.run(ctx, clients)
			if err != nil {
				return runs, fmt.Errorf("%d clients: %w", clients, err)
			}
			rounds = append(rounds, run)
		}
		slices.SortFunc(rounds, func(a, b Run) int { return cmp.Compare(a.Ratio, b.Ratio) })
		runs = append(runs, rounds[len(rounds)/2])
	}
	return runs, nil
}

func (b *bed) run(ctx context.Context, clients int) (run Run, err error) {
	run = Run{Clients: clients, began: time.Now()}
	defer func() { run.ended = time.Now() }()
	run.BarePairsPerSecond, run.BareCPUMs, err = b.runBare(ctx, clients)
	if err != nil {
		return run, err
	}
	pairs, err := b.load(ctx, b.resting, loadOptions{clients: clients, length: b.cfg.For})
	if err != nil {
		return run, fmt.Errorf("pairs: %w", err)
	}
	run.PairsPerSecond = pairs.perSecond()
	run.Ratio = run.PairsPerSecond / run.BarePairsPerSecond
	run.CPUMsPerPair = pairs.each()
	run.P50Ms, run.P99Ms = percentiles(pairs.calls)
	b.pairs += pairs.pairs
	run.OwnSQL, err = b.runOwn(ctx, loadOptions{clients: clients, length: b.cfg.For}, pairs)
	if err != nil {
		return run, fmt.Errorf("pairs without HTTP: %w", err)
	}
	whole, err := b.load(ctx, b.working, loadOptions{clients: clients, length: b.cfg.For, settle: true})
	if err != nil {
		return run, fmt.Errorf("the whole way: %w", err)
	}
	each := whole.each()
	run.SettledPerSecond, run.SettledCPUMs = whole.perSecond(), each.Postgres+each.Program
	run.Refused = pairs.refused + whole.refused
	ways, err := Settled(ctx, b.settled, whole.pairs)
	run.SettledP50Ms, run.SettledP99Ms = percentiles(ways)
	return run, err
}

// runBare is pgbench on the bare schema: its pairs a second, and PostgreSQL's processor time for each, in milliseconds.
func (b *bed) runBare(ctx context.Context, clients int) (perSecond, cpuMs float64, err error) {
	before, err := b.server.ProcessorTime()
	if err != nil {
		return 0, 0, err
	}
	bare, err := Bare(ctx, BareRun{URL: b.bare, Clients: clients, For: b.cfg.For})
	if err != nil {
		return 0, 0, err
	}
	after, err := b.server.ProcessorTime()
	return bare.PerSecond, loaded{pairs: bare.Pairs, postgres: after - before}.each().Postgres, err
}

// runOwn is the loop without HTTP.
func (b *bed) runOwn(ctx context.Context, o loadOptions, served loaded) (Own, error) {
	before, err := b.usage(b.resting)
	if err != nil {
		return Own{}, err
	}
	did, err := b.own.work(ctx, o)
	if err != nil {
		return Own{}, err
	}
	after, err := b.usage(b.resting)
	did.postgres, did.program = after[0]-before[0], after[2]-before[2]
	each := did.each()
	return Own{
		PairsPerSecond: did.perSecond(), Ratio: served.perSecond() / did.perSecond(), Postgres: each.Postgres, Program: each.Program,
	}, err
}

// Folder makes a folder for data in which the server's account may enter.
func Folder() (string, error) {
	folder, err := os.MkdirTemp("", "countersign-bench")
	if err == nil {
		err = os.Chmod(folder, 0o755) //nolint:gosec // the database server's account must be able to enter
	}
	return folder, err
}

// Print writes a report as a table.
func (r Report) Print(to io.Writer) error {
	pages := "usual"
	if r.HugePages {
		pages = "huge"
	}
	text := fmt.Sprintf("%s, load before %.2f, PostgreSQL's buffers in %s pages\n\n", r.Machine, r.Load, pages) +
		fmt.Sprintf("%7s  %8s  %8s  %6s  %6s  ", "clients", "pairs/s", "bare/s", "CPU-ms", "ratio") +
		fmt.Sprintf("%24s  %13s  ", "CPU-ms PG/program/client", "p50/p99 ms") +
		fmt.Sprintf("%10s  %13s  %9s  %6s  %13s  %4s\n", "own SQL/s", "CPU-ms PG/own", "settled/s", "CPU-ms", "p50/p99 ms", "pace")
	for _, run := range r.Runs {
		each, own := run.CPUMsPerPair, run.OwnSQL
		text += fmt.Sprintf("%7d  %8.0f  %8.0f  ", run.Clients, run.PairsPerSecond, run.BarePairsPerSecond) +
			fmt.Sprintf("%6.2f  %6.2f  ", run.BareCPUMs, run.Ratio) +
			fmt.Sprintf("%10.2f /%5.2f /%5.2f  %5.1f /%6.1f  ", each.Postgres, each.Program, each.Client, run.P50Ms, run.P99Ms) +
			fmt.Sprintf("%10.0f  %6.2f /%5.2f  ", own.PairsPerSecond, own.Postgres, own.Program) +
			fmt.Sprintf("%9.0f  %6.2f  %5.0f /%6.0f  ", run.SettledPerSecond, run.SettledCPUMs, run.SettledP50Ms, run.SettledP99Ms) +
			fmt.Sprintf("%4.2f\n", run.Pace)
	}
	text += fmt.Sprintf("\nThe gateway holds %.0f MB after %d pairs over HTTP.\n", r.MemoryMB, r.Pairs)
	if r.Steady != nil {
		text += r.Steady.table()
	}
	_, err := io.WriteString(to, text)
	return err
}
