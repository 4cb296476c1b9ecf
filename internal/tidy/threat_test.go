package tidy

import (
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"
)

// testNames are the tests that a page names.
var testNames = regexp.MustCompile("`(Test[A-Za-z0-9_]+)`")

// declaredTests are the tests of a file.
var declaredTests = regexp.MustCompile(`(?m)^func (Test[A-Za-z0-9_]+)\(`)

// unproven lists the rows of the table of threats that name no test, and the tests a page names that are not there.
func unproven(page string, tests map[string]bool) (found []string) {
	_, threats, _ := strings.Cut(page, "## Threats")
	threats, _, _ = strings.Cut(threats, "\n## ")
	for row := range strings.Lines(threats) {
		told := strings.HasPrefix(row, "| ") && !strings.HasPrefix(row, "| Attack")
		if told && !testNames.MatchString(row) && !strings.Contains(row, "`make drill`") {
			found = append(found, "no test proves the row: "+strings.TrimSpace(row))
		}
	}
	for _, named := range testNames.FindAllStringSubmatch(page, -1) {
		if !tests[named[1]] {
			found = append(found, "there is no test "+named[1])
		}
	}
	return found
}

// TestThePagesNameTestsThatExist: a threat that is said to be proven is, and by a test that is still called so.
func TestThePagesNameTestsThatExist(t *testing.T) {
	tests := make(map[string]bool)
	err := fs.WalkDir(os.DirFS(root(t)), ".", func(name string, entry fs.DirEntry, err error) error { // also what is built with a tag alone
		if err == nil && entry.IsDir() && name == ".cache" {
			return fs.SkipDir
		}
		if err != nil || !strings.HasSuffix(name, "_test.go") {
			return err
		}
		for _, declared := range declaredTests.FindAllStringSubmatch(read(t, name), -1) {
			tests[declared[1]] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages(t) {
		for _, problem := range unproven(read(t, page), tests) {
			t.Errorf("%s: %s", page, problem)
		}
	}
	broken := "## Threats\n\n| Attack | Stands | Proven by |\n|---|---|---|\n| A | b | `TestNobody` |\n| C | d | nothing |\n\n## Keys\n"
	if found := unproven(broken, tests); len(found) != 2 {
		t.Errorf("of a page with a row without a test and a test that is not there %d are found: %v", len(found), found)
	}
}
