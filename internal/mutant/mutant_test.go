package mutant

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
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

// mutant is the program with one guard taken out. The tree is never touched: the changed file is laid over it (go test -overlay).
type mutant struct {
	name string // what it does wrong, in words
	file string // from the root of the module
	// within is a text that stands once in the file; before is then the first one after it. "": before stands once in the file.
	within        string
	before, after string
	tests         string // the packages whose tests must notice, and after a colon which tests, where all would take minutes
}

// all are the mutants, by the part of the program they strike. "review n" is the number of the same fault in the first study of mutants,
// which found that seven of 25 went unnoticed.
var all = slices.Concat(ofDecisions, ofReleases, ofStatements, ofDeliveries, ofArrivals, ofAccess, ofDoors, ofAuditor)

// leastMutants is how many there must be.
const leastMutants = 60

// root is the folder of the module.
func root(t *testing.T) string {
	t.Helper()
	folder, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return folder
}

var errText = errors.New("the text that is to be replaced must stand there once: give the mutant the text of now")

// apply replaces the text.
func (m mutant) apply(source string) (string, error) {
	from := 0
	if m.within != "" {
		if strings.Count(source, m.within) != 1 {
			return "", fmt.Errorf("%w: %q stands %d times", errText, m.within, strings.Count(source, m.within))
		}
		from = strings.Index(source, m.within)
	}
	at := strings.Index(source[from:], m.before)
	if at < 0 || m.within == "" && strings.Count(source, m.before) != 1 {
		return "", fmt.Errorf("%w: %q stands %d times", errText, m.before, strings.Count(source[from:], m.before))
	}
	return source[:from+at] + m.after + source[from+at+len(m.before):], nil
}

// mutate returns the file with the mutation in it.
func (m mutant) mutate(t *testing.T) (string, error) {
	t.Helper()
	source, err := os.ReadFile(filepath.Join(root(t), m.file))
	if err != nil {
		return "", err
	}
	return m.apply(string(source))
}

// packages and pattern are those of the tests that must notice.
func (m mutant) packages() (names []string, pattern string) {
	list, pattern, _ := strings.Cut(m.tests, ":")
	return strings.Fields(list), pattern
}

// TestEveryMutantFitsTheCode holds that each mutant still changes the code it is about, and that it can be read as Go.
func TestEveryMutantFitsTheCode(t *testing.T) {
	t.Parallel()
	if len(all) < leastMutants {
		t.Errorf("there are %d mutants, and there are to be %d", len(all), leastMutants)
	}
	known := map[string]bool{}
	for _, m := range all {
		if known[m.name] {
			t.Errorf("two mutants are called %q", m.name)
		}
		known[m.name] = true
		changed, err := m.mutate(t)
		if err == nil {
			_, err = parser.ParseFile(token.NewFileSet(), m.file, changed, parser.SkipObjectResolution)
		}
		if err != nil {
			t.Errorf("%s: %s: %v", m.name, m.file, err)
		}
		names, _ := m.packages()
		for _, name := range names {
			tests, err := filepath.Glob(filepath.Join(root(t), name, "*_test.go"))
			if err != nil || len(tests) == 0 {
				t.Errorf("%s: %s has no tests that could notice: %v", m.name, name, err)
			}
		}
	}
}

// TestAMutantThatFitsNowhereIsNamed holds the check itself to account.
func TestAMutantThatFitsNowhereIsNamed(t *testing.T) {
	t.Parallel()
	for source, m := range map[string]mutant{
		"":               {before: "guard"},
		"guard guard":    {before: "guard"},
		"a guard":        {within: "b", before: "guard"},
		"guard a":        {within: "a", before: "guard"},
		"a a guard here": {within: "a", before: "guard"},
	} {
		_, err := m.apply(source)
		if !errors.Is(err, errText) {
			t.Errorf("%q: %v", source, err)
		}
	}
	changed, err := mutant{within: "b", before: "guard", after: "none"}.apply("guard b guard guard")
	if err != nil || changed != "guard b none guard" {
		t.Errorf("%q %v", changed, err)
	}
}

// wanted says which mutants make mutants asks for: a pattern of their names.
func wanted(t *testing.T) *regexp.Regexp {
	t.Helper()
	text, asked := os.LookupEnv("COUNTERSIGN_MUTANTS")
	if !asked {
		t.Skip("this takes an hour: make mutants")
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
		if pattern.MatchString(m.name) {
			played = append(played, m)
		}
	}
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
	arguments := []string{"test", "-overlay", list, "-vet=off", "-count=1", "-failfast", "-run", pattern}
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
