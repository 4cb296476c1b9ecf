package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestHelpAndVersionAreUnderstood(t *testing.T) {
	t.Parallel()
	for arguments, want := range map[string]string{
		"help": "Run the gateway: portal, API and clearing.", "help serve": "COUNTERSIGN_RELEASE_KEY_FILE", "--help": "Usage: countersign",
		"--version": "countersign ", "version": "countersign ",
	} {
		p := start(t, nil, strings.Fields(arguments)...)
		if code := p.wait(t); code != 0 || !strings.Contains(p.output.String(), want) {
			t.Errorf("%s ends with %d, want %q in:\n%s", arguments, code, want, p.output)
		}
	}
}

// TestEverySettingIsDocumented reads the commands' settings from their source.
func TestEverySettingIsDocumented(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "operations.md"))
	must(t, err)
	clearing, err := os.ReadFile(filepath.Join("..", "..", "docs", "clearing.md"))
	must(t, err)
	files, err := filepath.Glob("*.go")
	must(t, err)
	count := 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		source, err := os.ReadFile(file)
		must(t, err)
		for _, tag := range regexp.MustCompile("env:\"([A-Z_,]+)\"").FindAllStringSubmatch(string(source), -1) {
			for name := range strings.SplitSeq(tag[1], ",") {
				count++
				if !strings.Contains(string(page), "`"+name+"`") && !strings.Contains(string(clearing), "`"+name+"`") {
					t.Errorf("%s of %s stands neither in docs/operations.md nor in docs/clearing.md", name, file)
				}
			}
		}
	}
	if count < 20 {
		t.Errorf("found %d settings", count)
	}
}
