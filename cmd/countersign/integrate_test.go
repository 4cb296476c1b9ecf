package main

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"countersign/internal/testutil"
)

// TestTheIntegrationPageWorks runs every block of docs/integrate.md in its order, in one plain shell, against the demo. A command whose answer
// is not the one of the page ends it.
func TestTheIntegrationPageWorks(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	testutil.Program(t, "curl", "the page needs it")
	testutil.Program(t, "python3", "its receiver needs it")
	h := newHouse(t)
	h.open(t)
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "integrate.md"))
	must(t, err)
	receiver, err := filepath.Abs(filepath.Join("..", "..", "docs", "webhook_receiver.py"))
	must(t, err)
	script := "set -eu\nmkdir docs\ncp " + receiver + " docs\ntrap '[ -z \"${RECEIVER:-}\" ] || kill \"$RECEIVER\"' EXIT\n"
	blocks := block.FindAllStringSubmatch(string(page), -1)
	for _, found := range blocks {
		script += found[2]
	}
	if len(blocks) != 7 {
		t.Errorf("%d blocks were found", len(blocks))
	}
	_, port, err := net.SplitHostPort(freeAddress(t))
	must(t, err)
	here := strings.NewReplacer("127.0.0.1:8080", h.gateway, "127.0.0.1:8081", h.simulator, "8090", port)
	said := runScript(t, "sh", here.Replace(script)+"\nRECEIVER=\necho done\n")
	if !strings.HasSuffix(said, "done\n") {
		t.Errorf("the page ends otherwise:\n%s", lastLines(said, 20))
	}
}
