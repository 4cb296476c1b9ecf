package browsertest

import (
	"strings"
	"testing"

	"github.com/playwright-community/playwright-go"
)

// watchShifts notes what moved in the page without having been moved by scrolling, whoever set it off: an answer may come late, and what
// moves then moves under the reader's eyes.
const watchShifts = `
  window.shifts = [];
  const named = (node) => {
    const one = node?.nodeType === 1 ? node : node?.parentElement;
    return one ? one.tagName.toLowerCase() + "#" + one.id + "." + one.getAttribute("class") : "?";
  };
  const place = (r) => [r.x, r.y, r.width, r.height].map(Math.round).join(",");
  new PerformanceObserver((list) => list.getEntries().forEach((e) => shifts.push(e.value.toFixed(5) + ": " +
    e.sources.map((s) => named(s.node) + " " + place(s.previousRect) + " to " + place(s.currentRect)).join("; "))))
    .observe({ type: "layout-shift", buffered: true });`

// takeShifts waits until what was done last is painted, and empties the notes.
const takeShifts = `() => new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(shifts.splice(0)), 100)))`

// still fails when anything moved since the page was opened, or since it was asked last.
func (p *person) still(when string) {
	p.t.Helper()
	moved, _ := p.evaluate(takeShifts).([]any)
	for _, one := range moved {
		p.t.Errorf("%s, this moved: %v", when, one)
	}
}

// TestNothingMovesUnderACheckersEyes: payments arrive, others look and decide, the checker decides, and nothing in the list, beside it or
// above it jumps.
func TestNothingMovesUnderACheckersEyes(t *testing.T) {
	t.Parallel()
	maker, rival, p := as(t, "maker1"), as(t, "checker2"), signedIn(t, "checker1", desktop)
	err := p.page.AddInitScript(playwright.Script{Content: playwright.String(watchShifts)})
	if err != nil {
		t.Fatal(err)
	}
	for _, width := range []int{desktop.width, 360} {
		common, waiting := threeOrders(maker)
		err := p.page.SetViewportSize(width, desktop.height)
		if err != nil {
			t.Fatal(err)
		}
		narrowed := "?text=" + strings.ReplaceAll(common, " ", "+")
		p.open("/queue" + narrowed)
		p.counts("#queue-list tr[data-row]", 3)
		p.still("when the page came")
		o := newOrder("sic-inst")
		o.name = common + " D"
		maker.submit(o)
		rival.open("/queue/" + waiting[0].id)
		rival.decide(waiting[2], "reject", "Not this one")
		p.says(".live a", "1 new")
		p.says(`[data-row="`+waiting[0].id+`"] .looked`, "Checker 2")
		p.says("#row-"+waiting[2].id, "Rejected by Checker 2, ")
		p.still("when a payment arrived and somebody looked and decided")
		p.open("/queue/" + waiting[0].id + narrowed)
		p.still("when a payment was opened")
		for _, m := range waiting[:2] {
			p.press("a", "Enter")
			p.says("#status", m.reference+" approved.")
			p.still("after an approval")
		}
	}
}
