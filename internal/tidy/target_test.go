package tidy

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

var (
	// targets are the targets that a makefile has.
	targets = regexp.MustCompile(`(?m)^([a-z-]+):`)
	// calls are the calls of make that a page tells its reader to make.
	calls = regexp.MustCompile("(?m)(?:`|^)make ([a-z-]+)")
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
	pages, err := filepath.Glob(filepath.Join(root(t), "docs", "*.md"))
	if err != nil || len(pages) == 0 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	for _, page := range append(pages, filepath.Join(root(t), "README.md")) {
		name, err := filepath.Rel(root(t), page)
		if err != nil {
			t.Fatal(err)
		}
		for _, call := range calls.FindAllStringSubmatch(read(t, name), -1) {
			if !known[call[1]] {
				t.Errorf("%s: there is no target %q", name, call[1])
			}
		}
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root(t), name))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
