package payment_test

import (
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	"countersign/internal/payment"
)

var update = flag.Bool("update", false, "write the state drawing into docs/architecture.md")

const (
	architecture = "../../docs/architecture.md"
	drawingStart = "<!-- state drawing: go test ./internal/payment -update -->\n"
	drawingEnd   = "<!-- end of state drawing -->"
)

func TestTheDrawingInTheDocsIsTheTable(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(architecture)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), drawingStart)
	if !found {
		t.Fatalf("%s has no place for the drawing", architecture)
	}
	current, after, found := strings.Cut(rest, drawingEnd)
	if !found {
		t.Fatalf("%s has no end of the drawing", architecture)
	}
	if current == drawing() {
		return
	}
	if !*update {
		t.Fatalf("the state drawing is not that of the table; run: go test ./internal/payment -update")
	}
	err = os.WriteFile(architecture, []byte(before+drawingStart+drawing()+drawingEnd+after), 0o600)
	if err != nil {
		t.Fatal(err)
	}
}

// drawing writes the table of moves as a Mermaid state diagram.
func drawing() string {
	var b strings.Builder
	b.WriteString("```mermaid\nstateDiagram-v2\n")
	name := func(s payment.State) string {
		if s == payment.StateNone {
			return "[*]"
		}
		return strings.ReplaceAll(string(s), " ", "")
	}
	for _, s := range payment.States() {
		b.WriteString("    state \"" + string(s) + "\" as " + name(s) + "\n")
	}
	for _, m := range payment.Moves() {
		b.WriteString("    " + name(m.From) + " --> " + name(m.To) + ": " + string(m.Action) + "\n")
	}
	for _, s := range payment.States() {
		if s.Final() {
			b.WriteString("    " + name(s) + " --> [*]\n")
		}
	}
	b.WriteString("```\n")
	return b.String()
}

func TestEveryStateIsReachedAndOnlyTheNamedOnesAreFinal(t *testing.T) {
	t.Parallel()
	final := []payment.State{payment.StateSettled, payment.StateFailed, payment.StateRejected, payment.StateWithdrawn, payment.StateExpired}
	for _, s := range payment.States() {
		reached := slices.ContainsFunc(payment.Moves(), func(m payment.Move) bool { return m.To == s })
		if !reached {
			t.Errorf("no move leads to %s", s)
		}
		if s.Final() != slices.Contains(final, s) {
			t.Errorf("%s: final is %v", s, s.Final())
		}
	}
}
