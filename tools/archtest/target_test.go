package archtest

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	// targets are the targets that a makefile has.
	targets = regexp.MustCompile(`(?m)^([a-z-]+):`)
	// calls are the calls of make that a page tells its reader to make.
	calls = regexp.MustCompile("(?m)(?:`|^)make ([a-z-]+)")
	// tests are the tests that a page names, and declared are those that there are.
	tests    = regexp.MustCompile(`\bTest[A-Z]\w+`)
	declared = regexp.MustCompile(`(?m)^func (Test\w+)\(`)
)

// TestThePagesNameTargetsThatExist: who follows a page does not end at "No rule to make target".
func TestThePagesNameTargetsThatExist(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, name := range []string{"Makefile", "rabbitmq.mk"} {
		for _, target := range targets.FindAllStringSubmatch(read(t, name), -1) {
			known[target[1]] = true
		}
	}
	for _, page := range pages(t) {
		for _, call := range calls.FindAllStringSubmatch(read(t, page), -1) {
			if !known[call[1]] {
				t.Errorf("%s: there is no target %q", page, call[1])
			}
		}
	}
}

// TestThePagesNameTestsThatExist: a cell that names its test has one. The reasons for guards of the schema name tests too.
func TestThePagesNameTestsThatExist(t *testing.T) {
	t.Parallel()
	known := map[string]bool{}
	for _, s := range load(t) {
		for _, test := range declared.FindAllStringSubmatch(s.content, -1) {
			known[test[1]] = true
		}
	}
	for _, page := range append(pages(t), "internal/service/guards_test.go") {
		for _, name := range tests.FindAllString(read(t, page), -1) {
			if !known[name] && name != "TestName" {
				t.Errorf("%s: there is no test %s", page, name)
			}
		}
	}
}

// cells are those of a table of attacks that need no test: they promise nothing, or what another cell does.
var cells = regexp.MustCompile(`^(no such action|the same|limits|possible.*|nothing; .*)$`)

// TestEachCellOfTheTablesOfAttackersNamesItsTest: each promise of docs/security.md against an attacker, or against a stolen key, has one.
func TestEachCellOfTheTablesOfAttackersNamesItsTest(t *testing.T) {
	t.Parallel()
	page, rows := read(t, "docs/security.md"), 0
	for _, head := range []string{"| Attack | Outsider", "| Stolen alone |"} {
		_, table, _ := strings.Cut(page, head)
		table, _, _ = strings.Cut(table, "\n\n")
		for _, row := range strings.Split(table, "\n")[2:] {
			rows++
			for _, cell := range strings.Split(strings.Trim(row, "| "), " | ")[1:] {
				if !tests.MatchString(cell) && !cells.MatchString(cell) {
					t.Errorf("no test is named for %q", cell)
				}
			}
		}
	}
	if rows < 15 {
		t.Errorf("only %d rows were found", rows)
	}
}

// pages are the pages for readers, by their place in the tree.
func pages(t *testing.T) []string {
	t.Helper()
	found, err := fs.Glob(os.DirFS(root(t)), "docs/*.md")
	if err != nil || len(found) == 0 {
		t.Fatalf("%d pages, %v", len(found), err)
	}
	return append(found, "README.md", "CONTRIBUTING.md")
}

func read(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root(t), name))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
