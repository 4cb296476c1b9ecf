package main

import (
	"context"
	"log/slog"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"countersign/internal/postgres"
	"countersign/internal/testutil"
)

// installPatience bounds the whole page; nothing is measured against it.
const installPatience = "240s"

// block finds the blocks of a page that can be run.
var block = regexp.MustCompile("(?ms)^```(sh|sql)\n(.*?)^```$")

// TestTheInstallationPageWorks runs every block of docs/install.md in its order: SQL as an administrator of a fresh server, the rest in one
// shell. Only the addresses are others, for the machine may serve something there already.
func TestTheInstallationPageWorks(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	for name, cache := range map[string]string{"the machine's PostgreSQL": "", "PostgreSQL 17": os.Getenv(beside)} {
		if name == "PostgreSQL 17" && cache == "" {
			continue // make test-long fetches it
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			installOn(t, cache)
		})
	}
}

// beside is the setting that says in which cache another PostgreSQL lies than the machine's.
const beside = "COUNTERSIGN_POSTGRES_BESIDE"

// installOn runs every line of the page on a fresh server of the PostgreSQL in the cache, or of the machine's without one.
func installOn(t *testing.T, cache string) {
	t.Helper()
	testutil.OfPostgres(t, "psql")
	for _, tool := range []string{"bash", "curl", "openssl"} {
		testutil.Program(t, tool, "the page needs it")
	}
	cluster, err := postgres.Start(t.Context(), postgres.Config{
		DataDir: filepath.Join(t.TempDir(), "data"), CacheDir: cache, Log: slog.New(slog.DiscardHandler),
	})
	must(t, err)
	t.Cleanup(func() { must(t, cluster.Stop(context.Background())) })
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "install.md"))
	must(t, err)
	script := "set -euo pipefail\ntrap 'kill $(jobs -p) 2>/dev/null; wait' EXIT\npsql -At '" + cluster.URL("postgres") +
		"' -c 'SHOW server_version_num'\n"
	blocks := block.FindAllStringSubmatch(string(page), -1)
	for _, found := range blocks {
		if found[1] == "sql" {
			script += "psql -q -v ON_ERROR_STOP=1 '" + cluster.URL("postgres") + "' <<'SQL'\n" + found[2] + "SQL\n"
		} else {
			script += found[2]
		}
	}
	if len(blocks) < 9 {
		t.Fatalf("only %d blocks were found", len(blocks))
	}
	server, err := url.Parse(cluster.URL("countersign"))
	must(t, err)
	script = strings.NewReplacer("@127.0.0.1:5432/countersign", "@"+"/countersign?"+strings.ReplaceAll(server.RawQuery, "&", `\&`),
		"127.0.0.1:8080", freeAddress(t), "127.0.0.1:8081", freeAddress(t)).Replace(script)
	said := runScript(t, "bash", script)
	if cache != "" && !strings.HasPrefix(said, "17") {
		t.Errorf("the server is PostgreSQL %.6s", said)
	}
	if !strings.Contains(said, "I20  holds") || !strings.Contains(said, "I30  holds") || !strings.Contains(said, "proven: message ") ||
		!strings.Contains(said, `"state":"Settled"`) || strings.Contains(said, "BROKEN") {
		t.Errorf("the page ends otherwise:\n%s", lastLines(said, 60))
	}
}

// runScript runs a shell with the program on its path, in a folder of its own, and returns what it wrote.
func runScript(t *testing.T, shellName, script string) string {
	t.Helper()
	folder := t.TempDir()
	for name, first := range map[string]string{"countersign": "", "simulator": "simulator "} {
		program := "#!/bin/sh\n" + asProgram + "=1 exec " + os.Args[0] + " " + first + `"$@"` + "\n"
		must(t, os.WriteFile(filepath.Join(folder, name), []byte(program), 0o700))
	}
	shell := exec.CommandContext(t.Context(), "timeout", "-k", "5", installPatience, shellName, "-c", script)
	shell.Dir = folder
	shell.Env = append([]string{"PATH=" + folder + ":" + os.Getenv("PATH"), "HOME=" + folder}, "TMPDIR="+folder)
	said, err := shell.CombinedOutput()
	if err != nil {
		t.Fatalf("the page does not work: %v\n%s", err, lastLines(string(said), 60))
	}
	return string(said)
}
