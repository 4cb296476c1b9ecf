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

// drawing writes the table of moves as one Mermaid state diagram a kind.
func drawing() string {
	var b strings.Builder
	name := func(s payment.State) string {
		if s == payment.StateNone {
			return "[*]"
		}
		return strings.ReplaceAll(string(s), " ", "")
	}
	for _, kind := range payment.Kinds() {
		b.WriteString("\n### " + strings.ToUpper(string(kind[:1])) + string(kind[1:]) + "\n\n```mermaid\nstateDiagram-v2\n")
		seen := map[payment.State]bool{payment.StateNone: true}
		for _, m := range payment.Moves() {
			if m.Kind != kind {
				continue
			}
			if !seen[m.To] {
				b.WriteString("    state \"" + string(m.To) + "\" as " + name(m.To) + "\n")
				seen[m.To] = true
			}
			b.WriteString("    " + name(m.From) + " --> " + name(m.To) + ": " + string(m.Action) + "\n")
		}
		for _, s := range payment.States() {
			if seen[s] && kind.Final(s) {
				b.WriteString("    " + name(s) + " --> [*]\n")
			}
		}
		b.WriteString("```\n")
	}
	return b.String()
}

func TestEveryStateIsReachedAndOnlyTheNamedOnesAreFinal(t *testing.T) {
	t.Parallel()
	closed := []payment.State{payment.StateRejected, payment.StateWithdrawn, payment.StateExpired, payment.StateFailed}
	final := map[payment.Kind][]payment.State{
		payment.KindInstruction:    append([]payment.State{payment.StateSettled}, closed...),
		payment.KindReturn:         append([]payment.State{payment.StateSettled}, closed...),
		payment.KindRecall:         append([]payment.State{payment.StateAccepted, payment.StateRefused}, closed...),
		payment.KindResolution:     append([]payment.State{payment.StateCommunicated}, closed...),
		payment.KindPayment:        {payment.StateFailed},
		payment.KindReceivedRecall: {payment.StateAnswered},
	}
	for _, s := range payment.States() {
		if !slices.ContainsFunc(payment.Moves(), func(m payment.Move) bool { return m.To == s }) {
			t.Errorf("no move leads to %s", s)
		}
	}
	for _, kind := range payment.Kinds() {
		for _, s := range payment.States() {
			reached := slices.ContainsFunc(payment.Moves(), func(m payment.Move) bool { return m.Kind == kind && m.To == s })
			if reached && kind.Final(s) != slices.Contains(final[kind], s) {
				t.Errorf("%s of a %s: final is %v", s, kind, kind.Final(s))
			}
		}
	}
}
