package browsertest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"countersign/internal/postgres"

	// The go command shows an old result of these tests again unless a package they import has changed. They import the pages and
	// all below for this reason only: what they test is the program built from them.
	_ "countersign/internal/demo"
	_ "countersign/internal/simulator"
	"countersign/internal/testutil"
	_ "countersign/web"
)

const (
	// programFolder is where the program is built from, as seen from here.
	programFolder = "../../cmd/countersign"
	// startLimit ends a start that never gets ready.
	startLimit = 2 * time.Minute
)

// program is the running demo with a database of its own.
type program struct {
	address     string // "http://127.0.0.1:40123"
	databaseURL string
	database    *pgxpool.Pool // for looks into the tables

	folder  string
	cluster *postgres.Cluster
	command *exec.Cmd
	log     *testutil.Log
	caused  []string // what is in the lines of errors that a test caused
}

// errors are the lines about what must not happen. A browser that leaves a page breaks off what it asked for, which is logged as 503
// without an answer.
func (p *program) errors() []string {
	var found []string
	for line := range strings.Lines(p.log.String()) {
		known := slices.ContainsFunc(p.caused, func(part string) bool { return strings.Contains(line, part) })
		if known || strings.Contains(line, "status=503 bytes=0") {
			continue
		}
		if strings.Contains(line, "level=ERROR") || strings.Contains(line, "panic") {
			found = append(found, strings.TrimSpace(line))
		}
	}
	return found
}

// startProgram builds the program as people run it and starts its demo on free ports, on a private database that need not survive a
// power cut.
func startProgram(ctx context.Context) (p *program, err error) {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	p = &program{log: &testutil.Log{}}
	p.folder, err = os.MkdirTemp("", "csb")
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, p.stop())
			p = nil
		}
	}()
	binary, err := build(ctx, p.folder)
	if err != nil {
		return p, err
	}
	p.cluster, err = postgres.Start(ctx, postgres.Config{
		DataDir: filepath.Join(p.folder, "data"), CacheDir: os.Getenv("COUNTERSIGN_CACHE_DIR"), Log: slog.New(slog.DiscardHandler),
		Settings: map[string]string{"fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"},
	})
	if err != nil {
		return p, err
	}
	p.databaseURL = p.cluster.URL("postgres")
	p.database, err = pgxpool.New(ctx, p.databaseURL)
	if err != nil {
		return p, err
	}
	return p, p.start(ctx, binary)
}

// build makes the program. It reads the sources itself too, so that the go command knows that the tests depend on them.
func build(ctx context.Context, folder string) (string, error) {
	sources, err := filepath.Glob(filepath.Join(programFolder, "*.go"))
	if err != nil {
		return "", err
	}
	for _, source := range sources {
		_, err := os.ReadFile(source)
		if err != nil {
			return "", err
		}
	}
	binary := filepath.Join(folder, "countersign")
	output, err := exec.CommandContext(ctx, either(os.Getenv("GO"), "go"), "build", "-o", binary, programFolder).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build the program: %w\n%s", err, output)
	}
	return binary, nil
}

var printedAddress = regexp.MustCompile(`^Countersign demo: (http://\S+) `)

// start runs the demo and waits until it says where it listens.
func (p *program) start(ctx context.Context, binary string) error {
	p.command = exec.Command(binary, "demo")
	p.command.Env = append(
		os.Environ(), "COUNTERSIGN_LISTEN=127.0.0.1:0", "COUNTERSIGN_SIMULATOR_LISTEN=127.0.0.1:0", "COUNTERSIGN_DATABASE_URL="+p.databaseURL,
		"COUNTERSIGN_DATA_DIR="+filepath.Join(p.folder, "demo"), "COUNTERSIGN_LOG_FORMAT=text", "COUNTERSIGN_DEMO_EMPTY=true",
		"COUNTERSIGN_LOG_LEVEL=info",
	)
	p.command.Stderr = p.log
	output, err := p.command.StdoutPipe()
	if err != nil {
		return err
	}
	err = p.command.Start()
	if err != nil {
		return fmt.Errorf("start the demo: %w", err)
	}
	stopWaiting := context.AfterFunc(ctx, func() { _ = p.command.Process.Kill() })
	defer stopWaiting()
	lines := bufio.NewReader(output)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return fmt.Errorf("the demo ended before it was ready: %w\n%s", errors.Join(err, ctx.Err()), p.log)
		}
		if found := printedAddress.FindStringSubmatch(line); found != nil {
			p.address = found[1]
			go func() { _, _ = io.Copy(io.Discard, lines) }()
			return nil
		}
	}
}

// stop ends the demo as Ctrl-C does, then its database. It is an error if the log tells of a failure: but for those that a test causes.
func (p *program) stop() error {
	var problems []error
	if p.command != nil && p.command.Process != nil {
		_ = p.command.Process.Signal(syscall.SIGTERM)
		late := time.AfterFunc(startLimit, func() { _ = p.command.Process.Kill() })
		err := p.command.Wait()
		late.Stop()
		if err != nil {
			problems = append(problems, fmt.Errorf("the demo did not end by itself: %w", err))
		}
		for _, line := range p.errors() {
			problems = append(problems, errors.New("the program's log says: "+line))
		}
	}
	if p.database != nil {
		p.database.Close()
	}
	if p.cluster != nil {
		problems = append(problems, p.cluster.Stop(context.Background()))
	}
	return errors.Join(append(problems, os.RemoveAll(p.folder))...)
}
