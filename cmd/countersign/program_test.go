package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"countersign/internal/postgres"
	"countersign/internal/simulator"
	"countersign/internal/store/storetest"
	"countersign/internal/testutil"
)

// asProgram in the environment makes this test binary the program itself, so that tests can start, stop and kill it as a process.
const asProgram = "COUNTERSIGN_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		if len(os.Args) > 1 && os.Args[1] == "simulator" {
			ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
			defer stop()
			os.Exit(simulator.Main(ctx, os.Args[2:])) //nolint:gocritic // the process ends
		}
		main()
		os.Exit(0)
	}
	storetest.Main(m)
}

// patience bounds every wait for another process. It is for machines under load: nothing is measured against it.
const patience = time.Minute

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// program is one run of countersign.
type program struct {
	process *os.Process
	output  *testutil.Log
	ended   chan struct{}
	code    int // once ended
}

// start runs the program with settings of its own: no setting of the tests' environment reaches it but where PostgreSQL is kept.
func start(t *testing.T, settings []string, arguments ...string) *program {
	t.Helper()
	return startTyping(t, "", settings, arguments...)
}

// startTyping is start, with what stands on standard input.
func startTyping(t *testing.T, typed string, settings []string, arguments ...string) *program {
	t.Helper()
	return startFile(t, os.Args[0], typed, settings, arguments...)
}

// startFile is startTyping of another program file.
func startFile(t *testing.T, file, typed string, settings []string, arguments ...string) *program {
	t.Helper()
	command := exec.Command(file, arguments...)
	command.Dir = t.TempDir()
	for _, setting := range os.Environ() {
		if !strings.HasPrefix(setting, "COUNTERSIGN_") {
			command.Env = append(command.Env, setting)
		}
	}
	cache, err := filepath.Abs(filepath.Join("..", "..", ".cache"))
	must(t, err)
	command.Env = append(command.Env, asProgram+"=1", "COUNTERSIGN_CACHE_DIR="+cache)
	command.Env = append(command.Env, settings...)
	p := &program{output: &testutil.Log{}, ended: make(chan struct{})}
	command.Stdin, command.Stdout, command.Stderr = strings.NewReader(typed), p.output, p.output
	must(t, command.Start())
	p.process = command.Process
	go func() {
		_ = command.Wait()
		p.code = command.ProcessState.ExitCode()
		close(p.ended)
	}()
	t.Cleanup(func() {
		_ = p.process.Kill()
		<-p.ended
		if t.Failed() {
			t.Logf("countersign %s wrote:\n%s", strings.Join(arguments, " "), lastLines(p.output.String(), 40))
		}
	})
	return p
}

func lastLines(text string, count int) string {
	lines := strings.Split(text, "\n")
	return strings.Join(lines[max(0, len(lines)-count):], "\n")
}

// wait returns the exit code.
func (p *program) wait(t *testing.T) int {
	t.Helper()
	return p.waitFor(t, patience)
}

func (p *program) waitFor(t *testing.T, patience time.Duration) int {
	t.Helper()
	select {
	case <-p.ended:
		return p.code
	case <-time.After(patience):
		t.Fatalf("the program does not end:\n%s", p.output)
		return 0
	}
}

// kill ends the program as a power cut would: nothing in it runs any more.
func (p *program) kill(t *testing.T) {
	t.Helper()
	must(t, p.process.Kill())
	p.wait(t)
}

// terminate asks the program to stop and returns its exit code.
func (p *program) terminate(t *testing.T) int {
	t.Helper()
	must(t, p.process.Signal(syscall.SIGTERM))
	return p.wait(t)
}

// house is the folder and the addresses of a demo, which stay the same when it is started again.
type house struct {
	data               string
	gateway, simulator string // addresses, host:port
	// external leaves the simulator out of the demo; it runs as a program of its own and survives the demo.
	external bool
	// day lets a new demo fill itself.
	day bool
	// sic and sct are the clearing profiles, "" for the defaults.
	sic, sct string
}

func newHouse(t *testing.T) *house {
	t.Helper()
	h := &house{data: filepath.Join(t.TempDir(), "data"), gateway: freeAddress(t), simulator: freeAddress(t)}
	t.Cleanup(func() { h.stopDatabase(t) })
	return h
}

// stopDatabase stops a database server that a killed demo left behind.
func (h *house) stopDatabase(t *testing.T) {
	t.Helper()
	if h.postmaster(t) == 0 {
		return
	}
	cluster, err := postgres.Start(context.Background(), postgres.Config{DataDir: filepath.Join(h.data, "postgres")})
	if err == nil {
		err = cluster.Stop(context.Background())
	}
	if err != nil {
		t.Errorf("stop the database that was left behind: %v", err)
	}
}

func (h *house) settings() []string {
	list := []string{
		"COUNTERSIGN_LISTEN=" + h.gateway, "COUNTERSIGN_SIMULATOR_LISTEN=" + h.simulator, "COUNTERSIGN_DATA_DIR=" + h.data,
		"COUNTERSIGN_DEMO_EMPTY=" + strconv.FormatBool(!h.day),
		"COUNTERSIGN_SCT_RETURNS_WITHOUT_RECALL=true", // the scripts send payments of both schemes back
	}
	if h.sic != "" {
		list = append(list, "COUNTERSIGN_CLEARING_SIC_PROFILE="+h.sic, "COUNTERSIGN_CLEARING_SCT_PROFILE="+h.sct,
			"COUNTERSIGN_CLEARING_SCT_ENDS=AAAADEFFXXX,CLRGDEFFXXX")
	}
	if h.external {
		list = append(list, "COUNTERSIGN_DEMO_SIMULATOR=off", "COUNTERSIGN_CLEARING_SIC_URL=http://"+h.simulator+"/clearing/sic-inst",
			"COUNTERSIGN_CLEARING_SCT_URL=http://"+h.simulator+"/clearing/sct-inst")
	}
	return list
}

// open starts the demo and waits until it is ready.
func (h *house) open(t *testing.T) *program {
	t.Helper()
	p := start(t, h.settings(), "demo")
	p.answers(t, "http://"+h.gateway+"/readyz")
	return p
}

// openSimulator starts the simulator alone.
func (h *house) openSimulator(t *testing.T) *program {
	t.Helper()
	p := start(t, append(h.settings(), "COUNTERSIGN_GATEWAY_URL=http://"+h.gateway), "simulator")
	p.answers(t, "http://"+h.simulator+"/livez")
	return p
}

// answers waits until the program answers at an address.
func (p *program) answers(t *testing.T, address string) {
	t.Helper()
	until := time.Now().Add(patience)
	client := http.Client{Timeout: patience / 4}
	for time.Now().Before(until) {
		select {
		case <-p.ended:
			t.Fatalf("the program ended with %d:\n%s", p.code, p.output)
		case <-time.After(20 * time.Millisecond):
		}
		answer, err := client.Get(address)
		if err != nil {
			continue
		}
		must(t, answer.Body.Close())
		if answer.StatusCode == http.StatusOK {
			return
		}
	}
	t.Fatalf("%s does not answer:\n%s", address, p.output)
}

// pidFile reads the lines of the file in which the database server describes itself; none when it does not run.
func (h *house) pidFile(t *testing.T) []string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(h.data, "postgres", "postmaster.pid"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	must(t, err)
	return strings.Split(string(content), "\n")
}

// postmaster is the process of the demo's database server, 0 for none.
func (h *house) postmaster(t *testing.T) int {
	t.Helper()
	lines := h.pidFile(t)
	if len(lines) == 0 {
		return 0
	}
	process, err := strconv.Atoi(lines[0])
	must(t, err)
	return process
}

// databaseURL is how the owner reaches the running demo's database.
func (h *house) databaseURL(t *testing.T) string {
	t.Helper()
	lines := h.pidFile(t)
	if len(lines) < 5 {
		t.Fatal("the demo's database does not run")
	}
	return "host=" + lines[4] + " port=5432 user=postgres dbname=postgres sslmode=disable"
}

// check runs `countersign check`: it must find every invariant holding.
func (h *house) check(t *testing.T) {
	t.Helper()
	database := "COUNTERSIGN_DATABASE_URL=" + h.databaseURL(t)
	result := filepath.Join(t.TempDir(), "check.json")
	settings := []string{
		database, "COUNTERSIGN_RELEASE_KEY_FILE=" + filepath.Join(h.data, "release.key"),
		"COUNTERSIGN_TOKEN_KEY_FILE=" + filepath.Join(h.data, "token.key"),
		"COUNTERSIGN_AUDIT_KEY_FILE=" + filepath.Join(h.data, "audit.key"), "COUNTERSIGN_CHECK_FILE=" + result,
	}
	p := start(t, settings, "check")
	if code := p.wait(t); code != 0 || !strings.Contains(p.output.String(), "I1   holds") ||
		!strings.Contains(p.output.String(), "I20  holds") || !strings.Contains(p.output.String(), "I30  holds") {
		t.Errorf("check ends with %d:\n%s", code, p.output)
	}
	p = start(t, settings, "check", "--since", result)
	if code := p.wait(t); code != 0 || !strings.Contains(p.output.String(), "since the checkpoints") {
		t.Errorf("check since the result of the last one ends with %d:\n%s", code, p.output)
	}
	p = start(t, []string{database}, "check")
	if code := p.wait(t); code != exitIncomplete || !strings.Contains(p.output.String(), "I17  not checked") {
		t.Errorf("check without keys ends with %d:\n%s", code, p.output)
	}
}

var taken sync.Map // ports given out in this process

// freeAddress is an address nobody listens on. It lies below the ports the system gives to outgoing connections, so it stays free
// while the demo on it is down.
func freeAddress(t *testing.T) string {
	t.Helper()
	for range 1000 {
		port := 20_000 + rand.IntN(12_000)
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
		listener, err := net.Listen("tcp", address)
		if err != nil {
			continue
		}
		must(t, listener.Close())
		if _, given := taken.LoadOrStore(port, true); !given {
			return address
		}
	}
	t.Fatal("no port is free")
	return ""
}

// logEntry is one line of the simulator's log.
type logEntry struct {
	Direction, Name, MessageID, TransactionID, Outcome, XML string
	Effective                                               bool
}

// log reads the log of the simulator.
func (h *house) log(t *testing.T) []logEntry {
	t.Helper()
	answer, err := http.Get("http://" + h.simulator + "/log")
	must(t, err)
	content, err := io.ReadAll(answer.Body)
	must(t, errors.Join(err, answer.Body.Close()))
	var list []logEntry
	must(t, json.Unmarshal(content, &list))
	return list
}

// TestPackagesMakeLittleAsTheProgramStarts: what a package makes before main begins is made for every start, whatever it is for.
func TestPackagesMakeLittleAsTheProgramStarts(t *testing.T) {
	t.Parallel()
	p := start(t, []string{"GODEBUG=inittrace=1"}, "--help")
	p.wait(t)
	const most, seventh = 2 << 20, 7 // a line: init PACKAGE @TIME ms, TIME ms clock, COUNT bytes, COUNT allocs
	packages := 0
	for line := range strings.Lines(p.output.String()) {
		words := strings.Fields(line)
		if len(words) <= seventh || words[0] != "init" {
			continue
		}
		packages++
		made, err := strconv.Atoi(words[seventh])
		must(t, err)
		if made > most {
			t.Errorf("%s makes %d bytes as the program starts: make them when somebody asks", words[1], made)
		}
	}
	if packages == 0 {
		t.Error("nothing is known of any package")
	}
}
