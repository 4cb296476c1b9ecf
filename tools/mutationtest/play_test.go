//go:build long

package mutationtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// wanted says which mutants make mutants asks for: a pattern of their names and files.
func wanted(t *testing.T) *regexp.Regexp {
	t.Helper()
	text, asked := os.LookupEnv("COUNTERSIGN_MUTANTS")
	if !asked {
		t.Skip("say which: make mutants")
	}
	pattern, err := regexp.Compile(text)
	if err != nil {
		t.Fatal(err)
	}
	return pattern
}

// TestEveryMutantIsCaught plays each mutant against the tests of its package, two at a time on two cores.
func TestEveryMutantIsCaught(t *testing.T) {
	pattern := wanted(t)
	var played []mutant
	for _, m := range all {
		if pattern.MatchString(m.name + " " + m.file) {
			played = append(played, m)
		}
	}
	// Those of the same tests one after the other: what they are built of is in Go's cache then.
	slices.SortStableFunc(played, func(a, b mutant) int { return strings.Compare(a.tests, b.tests) })
	work := make(chan mutant)
	var workers sync.WaitGroup
	for range max(1, min(4, runtime.NumCPU())) {
		workers.Go(func() {
			for m := range work {
				m.play(t)
			}
		})
	}
	for _, m := range played {
		work <- m
	}
	close(work)
	workers.Wait()
	t.Logf("%d mutants played", len(played))
}

// overlay is a file of go test -overlay.
type overlay struct{ Replace map[string]string }

// mutantWithin limits the tests of one mutant.
const mutantWithin = 10 * time.Minute

// play runs the tests that must notice, and fails the test when none does, or when the mutant does not compile.
func (m mutant) play(t *testing.T) {
	t.Helper()
	folder := t.TempDir()
	changed, list := filepath.Join(folder, "changed.go"), filepath.Join(folder, "overlay.json")
	source, err := m.mutate(t)
	text, unwritten := json.Marshal(overlay{Replace: map[string]string{filepath.Join(root(t), m.file): changed}})
	err = errors.Join(err, unwritten, os.WriteFile(changed, []byte(source), 0o600), os.WriteFile(list, text, 0o600))
	if err != nil {
		t.Errorf("BROKEN %s: %v", m.name, err)
		return
	}
	names, pattern := m.packages()
	arguments := []string{"test", "-overlay", list, "-tags", "long", "-vet=off", "-ldflags=-w", "-count=1", "-failfast", "-run", pattern}
	for _, name := range names {
		arguments = append(arguments, "./"+name)
	}
	limited, cancel := context.WithTimeout(context.Background(), mutantWithin)
	defer cancel()
	command := exec.CommandContext(limited, "go", arguments...)
	command.Dir = root(t)
	command.Env = slices.DeleteFunc(os.Environ(), func(setting string) bool { return strings.HasPrefix(setting, "COUNTERSIGN_MUTANTS=") })
	began := time.Now()
	output, err := command.CombinedOutput()
	took := time.Since(began).Round(time.Second)
	switch {
	case err == nil:
		t.Errorf("SURVIVED %s\n  %s, against %s, %s: write the test that notices", m.name, m.file, m.tests, took)
	case strings.Contains(string(output), "[build failed]"), strings.Contains(string(output), "no tests to run"):
		t.Errorf("BROKEN %s: it does not compile, or has no tests\n%s", m.name, output)
	case !failure.Match(output) && (limited.Err() != nil || strings.Contains(string(output), "test timed out")):
		t.Errorf("UNDECIDED %s: no test failed within %s; try it on a quieter machine", m.name, took)
	default:
		fmt.Printf("caught   %-90s %4s  %s\n", m.name, took, noticed(string(output)))
	}
}

var failure = regexp.MustCompile(`(?m)^--- FAIL: (\S+)`)

// noticed names the tests that failed, a few of them.
func noticed(output string) string {
	const few = 2
	var names []string
	for _, found := range failure.FindAllStringSubmatch(output, -1) {
		names = append(names, found[1])
	}
	switch {
	case len(names) == 0:
		return "the test process ended"
	case len(names) > few:
		return fmt.Sprintf("%s and %d more", strings.Join(names[:few], ", "), len(names)-few)
	}
	return strings.Join(names, ", ")
}
