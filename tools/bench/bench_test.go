package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"countersign/internal/testutil"
)

// TestBenchMeasuresAndCleansUp: a short run reports every figure as one JSON object, and leaves neither folder nor process behind.
func TestBenchMeasuresAndCleansUp(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	folder := benchFolder(t)
	p := bench(t, programs(t), folder, "--for=1s", "--rounds=1", "--clients=2", "--json")
	must(t, p.Run())
	_, object, found := strings.Cut(output(p), "\n{")
	object, _, _ = strings.Cut("{"+object, "\n")
	var report Report
	err := json.Unmarshal([]byte(object), &report)
	if !found || err != nil || len(report.Runs) != 1 {
		t.Fatalf("it reports %q: %v", object, err)
	}
	run := report.Runs[0]
	for name, figure := range map[string]float64{
		"pairsPerSecond": run.PairsPerSecond, "barePairsPerSecond": run.BarePairsPerSecond, "ratio": run.Ratio,
		"bareCpuMs": run.BareCPUMs, "p50Ms": run.P50Ms, "p99Ms": run.P99Ms,
		"settledPerSecond": run.SettledPerSecond, "settledCpuMs": run.SettledCPUMs, "settledP50Ms": run.SettledP50Ms,
		"cpuMsPerPair.postgres": run.CPUMsPerPair.Postgres, "cpuMsPerPair.program": run.CPUMsPerPair.Program,
		"cpuMsPerPair.client": run.CPUMsPerPair.Client, "ownSql.pairsPerSecond": run.OwnSQL.PairsPerSecond, "memoryMB": report.MemoryMB,
		"pace": run.Pace,
	} {
		if figure <= 0 {
			t.Errorf("%s is %v", name, figure)
		}
	}
	if run.Clients != 2 || report.Pairs == 0 || run.P99Ms < run.P50Ms {
		t.Errorf("a run of 2 clients is reported as %+v with %d pairs", run, report.Pairs)
	}
	checkGone(t, folder)
}

// TestBenchCleansUpWhenItIsStopped: after Ctrl-C there is neither folder nor process either.
func TestBenchCleansUpWhenItIsStopped(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	folder := benchFolder(t)
	p := bench(t, programs(t), folder, "--for=1h", "--clients=2")
	must(t, p.Start())
	for began := time.Now(); !strings.Contains(output(p), "round 1"); time.Sleep(20 * time.Millisecond) {
		if time.Since(began) > time.Minute {
			t.Fatal("it does not begin")
		}
	}
	must(t, p.Process.Signal(syscall.SIGTERM))
	_ = p.Wait() // ends with the error of the measurement that was cut off
	checkGone(t, folder)
}

func TestBenchRefusesWhatItCannotMeasure(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	built := programs(t)
	for _, wrong := range [][]string{{"--for=10ms"}, {"--rounds=0"}, {"--share=2"}, {"--clients=0"}, {"--clients=8,64", "--share-of=32"}} {
		p := bench(t, built, t.TempDir(), wrong...)
		if err := p.Run(); err == nil || !strings.Contains(output(p), "give --for") {
			t.Errorf("%v ends with %v: %s", wrong, err, output(p))
		}
	}
}

// bench is the load test as a process, whose temporary folder is the given one and which measures a fresh build of the program.
func bench(t *testing.T, built, folder string, arguments ...string) *exec.Cmd {
	t.Helper()
	process := exec.CommandContext(t.Context(), filepath.Join(built, "bench"),
		append([]string{"pairs", "--program", filepath.Join(built, "countersign"), "--cache-dir", "../../.cache"}, arguments...)...)
	process.Env = append(os.Environ(), "TMPDIR="+folder)
	written := &testutil.Log{}
	process.Stdout, process.Stderr = written, written
	return process
}

// output returns the lines that a process has written so far.
func output(p *exec.Cmd) string { return fmt.Sprint(p.Stdout) }

// programs builds the load test and the program it measures into a folder of the test.
func programs(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	said, err := exec.CommandContext(t.Context(), "go", "build", "-o", folder, ".", "../../cmd/countersign", "../../cmd/simulator").CombinedOutput()
	if err != nil {
		t.Fatalf("build: %v\n%s", err, said)
	}
	return folder
}

// benchFolder is where a measurement may make its folder. Its path is short, because the server's socket lies in it.
func benchFolder(t *testing.T) string {
	t.Helper()
	testutil.OfPostgres(t, "pgbench")
	folder, err := os.MkdirTemp("", "cs")
	must(t, err)
	must(t, os.Chmod(folder, 0o755))
	t.Cleanup(func() { must(t, os.RemoveAll(folder)) })
	return folder
}

// checkGone: no file is left in the folder, and no process that names it.
func checkGone(t *testing.T, folder string) {
	t.Helper()
	left, err := os.ReadDir(folder)
	must(t, err)
	if len(left) > 0 {
		t.Errorf("%d things are left in its folder, such as %s", len(left), left[0].Name())
	}
	commands, err := filepath.Glob("/proc/[0-9]*/cmdline")
	must(t, err)
	for _, command := range commands {
		content, _ := os.ReadFile(command) // it may have ended meanwhile
		if strings.Contains(string(content), folder) {
			t.Errorf("a process is left: %s", strings.ReplaceAll(string(content), "\x00", " "))
		}
	}
}
