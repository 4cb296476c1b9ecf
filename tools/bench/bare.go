// Package bench holds what figures of speed are measured by: a bare schema under pgbench, the denominator that does not move, and the
// processor time of a server's processes. What is measured beside them is in tools/bench (make load).
package main

import (
	"context"
	_ "embed" // the bare schema and its script
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// bareClients limits the clients of pgbench: each has a connection of the server.
const bareClients = 64

//go:embed bare_schema.sql
var bareSchema string

//go:embed bare_pair.sql
var barePair string

// ErrNoPgbench says that the program that runs the bare pairs is not installed.
var ErrNoPgbench = errors.New("pgbench is not installed: it comes with PostgreSQL's server (Debian: postgresql-contrib)")

// BareRun says how to run the bare pairs.
type BareRun struct {
	URL     string // of a database in which the schema bare is this package's to drop and make
	Clients int
	For     time.Duration // in whole seconds, at least one
}

// BareResult is what pgbench reached.
type BareResult struct {
	Pairs     int
	PerSecond float64
}

var (
	processed = regexp.MustCompile(`number of transactions actually processed: (\d+)`)
	perSecond = regexp.MustCompile(`tps = ([0-9.]+) \(without initial connection time\)`)
)

// Bare makes the bare schema anew and lets clients make pairs in it. Error: ErrNoPgbench.
func Bare(ctx context.Context, run BareRun) (BareResult, error) {
	program, err := exec.LookPath("pgbench")
	if err != nil {
		return BareResult{}, ErrNoPgbench
	}
	err = makeBare(ctx, run.URL)
	if err != nil {
		return BareResult{}, fmt.Errorf("make the bare schema: %w", err)
	}
	dir, err := os.MkdirTemp("", "countersign-bench")
	if err != nil {
		return BareResult{}, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	script := filepath.Join(dir, "pair.sql")
	err = os.WriteFile(script, []byte(barePair), 0o600)
	if err != nil {
		return BareResult{}, err
	}
	seconds := strconv.Itoa(max(1, int(run.For.Seconds())))
	said, err := exec.CommandContext( //nolint:gosec // the program is found on the path, and its arguments are ours
		ctx, program, "--no-vacuum", "--protocol=prepared", "--client="+strconv.Itoa(min(run.Clients, bareClients)), "--jobs=2",
		"--time="+seconds,
		"--file="+script, run.URL,
	).CombinedOutput()
	if err != nil {
		return BareResult{}, fmt.Errorf("pgbench: %w: %s", err, said)
	}
	return readBare(string(said))
}

func makeBare(ctx context.Context, address string) error {
	connection, err := pgx.Connect(ctx, address)
	if err != nil {
		return err
	}
	_, err = connection.Exec(ctx, bareSchema)
	return errors.Join(err, connection.Close(ctx))
}

func readBare(said string) (BareResult, error) {
	pairs, rate := processed.FindStringSubmatch(said), perSecond.FindStringSubmatch(said)
	if pairs == nil || rate == nil {
		return BareResult{}, errors.New("pgbench says something else than expected: " + strings.TrimSpace(said))
	}
	count, err := strconv.Atoi(pairs[1])
	if err != nil {
		return BareResult{}, err
	}
	each, err := strconv.ParseFloat(rate[1], 64)
	return BareResult{Pairs: count, PerSecond: each}, err
}
