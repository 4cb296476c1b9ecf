package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"countersign/internal/testutil"
	"countersign/tools/bench"
)

// TestBenchMeasuresAndCleansUp: a short run reports every figure as one JSON object, and leaves neither folder nor process behind.
func TestBenchMeasuresAndCleansUp(t *testing.T) {
	t.Parallel()
	folder := benchFolder(t)
	p := start(t, []string{"TMPDIR=" + folder}, "bench", "--for=1s", "--rounds=1", "--clients=2", "--json")
	if code := p.wait(t); code != 0 {
		t.Fatalf("it ends with %d", code)
	}
	_, object, found := strings.Cut(p.output.String(), "\n{")
	object, _, _ = strings.Cut("{"+object, "\n")
	var report bench.Report
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

// TestBenchCleansUpWhenItIsStopped: whoever loses patience finds neither folder nor process either.
func TestBenchCleansUpWhenItIsStopped(t *testing.T) {
	t.Parallel()
	folder := benchFolder(t)
	p := start(t, []string{"TMPDIR=" + folder}, "bench", "--for=1h", "--clients=2")
	for began := time.Now(); !strings.Contains(p.output.String(), "round 1"); time.Sleep(20 * time.Millisecond) {
		if time.Since(began) > patience {
			t.Fatal("it does not begin")
		}
	}
	p.terminate(t)
	checkGone(t, folder)
}

func TestBenchRefusesWhatItCannotMeasure(t *testing.T) {
	t.Parallel()
	for _, wrong := range [][]string{{"--for=10ms"}, {"--rounds=0"}, {"--share=2"}, {"--clients=0"}, {"--clients=8,64", "--share-of=32"}} {
		p := start(t, nil, append([]string{"bench"}, wrong...)...)
		if code := p.wait(t); code == 0 || !strings.Contains(p.output.String(), "give --for") {
			t.Errorf("%v ends with %d", wrong, code)
		}
	}
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
