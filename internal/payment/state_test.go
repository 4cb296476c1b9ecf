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

// drawing writes the moves of an instruction that change its state as a Mermaid diagram, and the moves of every kind as a table: one row for
// an action, and in it one line for the moves of the same kinds to the same state.
func drawing() string {
	var b strings.Builder
	name := func(s payment.State) string {
		if s == payment.StateNone {
			return "[*]"
		}
		return strings.ReplaceAll(string(s), " ", "")
	}
	b.WriteString("\n```mermaid\nstateDiagram-v2\n")
	type edge struct{ from, to payment.State }
	actions := map[edge][]string{}
	var edges []edge
	for _, m := range payment.Moves() {
		if between := (edge{m.From, m.To}); m.Kind == payment.KindInstruction && m.From != m.To {
			if actions[between] == nil {
				edges = append(edges, between)
			}
			actions[between] = append(actions[between], string(m.Action))
		}
	}
	for _, between := range edges {
		b.WriteString("  " + name(between.from) + "-->" + name(between.to) + ": " + strings.Join(actions[between], ", ") + "\n")
	}
	b.WriteString("```\n\n| Action | Kinds and moves |\n|---|---|")
	var action payment.Action
	var end string
	for _, line := range moveLines() {
		if line.Action == action {
			b.WriteString("<br>")
		} else {
			action = line.Action
			b.WriteString(end + "\n| " + string(action) + " | ")
			end = " |"
		}
		b.WriteString(line.kinds + ": " + line.from + " → " + line.to)
	}
	return b.String() + " |\n"
}

// moveLine is a line of the table of moves; kinds and from are lists.
type moveLine struct {
	payment.Action
	kinds, from, to string
}

func moveLines() []moveLine {
	letters := map[payment.Kind]string{
		payment.KindInstruction: "I", payment.KindRecall: "C", payment.KindReturn: "R", payment.KindResolution: "S",
		payment.KindPayment: "P", payment.KindReceivedRecall: "D",
	}
	type move struct {
		payment.Action
		from, to payment.State
	}
	kinds := map[move]string{}
	var moves []move
	for _, m := range payment.Moves() {
		key := move{m.Action, m.From, m.To}
		if kinds[key] == "" {
			moves = append(moves, key)
		}
		kinds[key] += letters[m.Kind]
	}
	var all []moveLine
	for _, m := range moves {
		from, to := string(m.from), string(m.to)
		if m.from == payment.StateNone {
			from = "–"
		}
		if m.from == m.to {
			to = "stays"
		}
		at := slices.IndexFunc(all, func(r moveLine) bool { return r.Action == m.Action && r.kinds == kinds[m] && r.to == to })
		if at < 0 {
			all = append(all, moveLine{m.Action, kinds[m], from, to})
			continue
		}
		all[at].from += ", " + from
	}
	slices.SortStableFunc(all, func(a, b moveLine) int { return strings.Compare(string(a.Action), string(b.Action)) })
	return all
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
