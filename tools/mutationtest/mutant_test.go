package mutationtest

import (
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
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
var all = slices.Concat(
	ofDecisions, ofReleases, ofStatements, ofDeliveries, ofArrivals, ofAccess, ofDoors, ofAuditor, ofLimits, ofProviders, ofClearings,
	ofFactors, ofAdministration, ofClock, ofRights, ofNewest,
)

// minMutants is how many there must be.
const minMutants = 80

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
	if len(all) < minMutants {
		t.Errorf("there are %d mutants, and there are to be %d", len(all), minMutants)
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
