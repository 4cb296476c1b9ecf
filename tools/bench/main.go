// Command bench is the load test: it starts PostgreSQL, the gateway and the clearing simulator as processes of their own, lets clients work
// against them over HTTP beside pgbench on a bare schema, and prints the cost of a payment in each of them. It measures the program as it
// is delivered, from outside. Run it by make load.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/alecthomas/kong"

	"countersign/internal/demo"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	var c commands
	parsed := kong.Parse(&c, kong.Name("bench"), kong.Description("Measure the cost of payments and pages on this machine."))
	parsed.BindTo(ctx, (*context.Context)(nil))
	parsed.Bind(slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelInfo})))
	err := parsed.Run()
	stop()
	if err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

type commands struct {
	Pairs benchPairsCommand `cmd:"" default:"withargs" help:"Create and approve payments over HTTP beside pgbench on a bare schema, and follow them until they are settled (the default)."`
	Pages benchPagesCommand `cmd:"" help:"Ask for the pages of the portal in a small house and a large one."`
	Fill  benchFillCommand  `cmd:"" help:"Fill the realm of an existing demo with messages that nothing proves."`
}

// benchSettings are the settings common to the measuring commands.
type benchSettings struct {
	Program  string `help:"The program to measure, as built by make." default:".cache/bin/countersign"`
	JSON     bool   `help:"Print one JSON object instead of a table."`
	CacheDir string `help:"Where make keeps what it fetched." default:".cache" env:"COUNTERSIGN_CACHE_DIR"`
	Folder   string `help:"A new or empty folder for the data, which stays there (bench pages takes its houses from there); else one of the system's temporary folder, which goes."`
}

// report is the result of a measurement.
type report interface{ Print(to io.Writer) error }

// measured makes the folder, measures in it and prints what came of it.
func (s benchSettings) measured(log *slog.Logger, work func(Config) (report, error)) (err error) {
	program, err := filepath.Abs(s.Program)
	if err == nil {
		_, err = os.Stat(program)
	}
	if err != nil {
		return fmt.Errorf("find the program to measure (build it, or name it by --program): %w", err)
	}
	cache, err := filepath.Abs(s.CacheDir)
	if err != nil {
		return err
	}
	folder, err := s.folder()
	if err != nil {
		return fmt.Errorf("make a folder for the data: %w", err)
	}
	if s.Folder == "" {
		defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	}
	result, err := work(Config{
		Program: program, Folder: folder, Cache: cache, Log: log,
		Say: func(format string, values ...any) { fmt.Fprintf(os.Stderr, format+"\n", values...) },
	})
	if err != nil {
		return err
	}
	if s.JSON {
		return json.NewEncoder(os.Stdout).Encode(result)
	}
	return result.Print(os.Stdout)
}

func (s benchSettings) folder() (string, error) {
	if s.Folder == "" {
		return Folder()
	}
	folder, err := filepath.Abs(s.Folder)
	if err != nil {
		return "", err
	}
	return folder, os.MkdirAll(folder, 0o755) //nolint:gosec // the database server's account must be able to enter
}

type benchPairsCommand struct {
	Clients []int         `help:"How many work at a time, one run for each." default:"8,32,64"`
	For     time.Duration `help:"How long each part of a run takes." default:"8s"`
	Rounds  int           `help:"How often each run is done; the one with the middle ratio counts." default:"3"`
	Steady  time.Duration `help:"An endurance run that follows: 20m, for example." default:"0s"`
	Share   float64       `help:"The rate of the endurance run, as a share of the most that was settled." default:"0.6"`
	ShareOf int           `help:"The clients of which the share is taken, one of --clients; 0 takes those that settled most." default:"0"`

	Bench benchSettings `embed:""`
}

// Run measures and prints.
func (c *benchPairsCommand) Run(ctx context.Context, log *slog.Logger) error {
	ofOthers := c.ShareOf != 0 && !slices.Contains(c.Clients, c.ShareOf)
	if c.For < time.Second || c.Rounds < 1 || len(c.Clients) == 0 || slices.Min(c.Clients) < 1 || c.Share <= 0 || c.Share > 1 || ofOthers {
		return errors.New("give --for a second or more, --rounds one or more, --clients numbers from one, --share one above 0 and up to 1, " +
			"and --share-of one of the clients or 0")
	}
	return c.Bench.measured(log, func(cfg Config) (report, error) {
		cfg.Clients, cfg.For, cfg.Rounds, cfg.Steady, cfg.Share, cfg.ShareOf = c.Clients, c.For, c.Rounds, c.Steady, c.Share, c.ShareOf
		return Pairs(ctx, cfg)
	})
}

type benchPagesCommand struct {
	Sizes   []int         `help:"How many messages each house has." default:"10000,1000000"`
	Waiting int           `help:"How many of them wait for a decision in each house, a quarter at most; 0 for one in a hundred."`
	Times   int           `help:"How often each page is asked for." default:"30"`
	Apart   time.Duration `help:"How long nobody looks between two looks; with 6s none is told what another read."`
	Of      string        `help:"Only these pages: a regular expression over the person and the path, such as 'checker1 /queue'."`

	Bench benchSettings `embed:""`
}

// Run measures and prints.
func (c *benchPagesCommand) Run(ctx context.Context, log *slog.Logger) error {
	if c.Times < 1 || len(c.Sizes) == 0 {
		return errors.New("give --times one or more, and --sizes some")
	}
	if c.Waiting < 0 || 4*c.Waiting > slices.Min(c.Sizes) {
		return errors.New("give --waiting 0 or more, and a quarter of the smallest of --sizes at most")
	}
	return c.Bench.measured(log, func(cfg Config) (report, error) {
		return Pages(ctx, PagesConfig{
			Config: cfg, Sizes: c.Sizes, Waiting: c.Waiting, Times: c.Times, Apart: c.Apart, Of: c.Of,
		})
	})
}

type benchFillCommand struct {
	DatabaseURL string `help:"The database of a demo, as its owner. Its messages can no longer be told from real ones by lists: use one that may go." required:"" env:"COUNTERSIGN_DATABASE_URL"`
	Messages    int    `help:"How many." default:"1000000"`
}

// Run fills the demo's realm. A database with anybody else's realm is refused.
func (c *benchFillCommand) Run(ctx context.Context) error {
	err := demo.Refuse(ctx, c.DatabaseURL)
	if err != nil {
		return err
	}
	return fillRealm(ctx, c.DatabaseURL, c.Messages, func(format string, values ...any) { fmt.Fprintf(os.Stderr, format+"\n", values...) })
}
