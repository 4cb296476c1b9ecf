//go:build long

package browsertest

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/playwright-community/playwright-go"
)

// watchShifts notes what moved in the page without having been moved by scrolling, by any cause: an answer may come late, and what
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

// watched has the page note what moves from the next page on.
func (p *person) watched() *person {
	p.t.Helper()
	err := p.page.AddInitScript(playwright.Script{Content: playwright.String(watchShifts)})
	if err != nil {
		p.t.Fatal(err)
	}
	return p
}

// wide makes the window so wide.
func (p *person) wide(width int) {
	p.t.Helper()
	err := p.page.SetViewportSize(width, desktop.height)
	if err != nil {
		p.t.Fatal(err)
	}
}

// onBothWidths are two windows of a person, that of a desk and that of a telephone. What takes its time is awaited in both at once.
func onBothWidths(t *testing.T, name string) []*person {
	t.Helper()
	var windows []*person
	for _, width := range []int{desktop.width, 360} {
		p := signedIn(t, name, desktop).watched()
		p.wide(width)
		windows = append(windows, p)
	}
	return windows
}

// TestNothingMovesUnderAMakersEyes: what is known of an account, who is found, what is wrong with a character, what the form has become and
// that it is kept come late, and nothing that is there makes way.
func TestNothingMovesUnderAMakersEyes(t *testing.T) {
	t.Parallel()
	windows := onBothWidths(t, "maker1")
	for _, p := range windows {
		p.open("/payments/new?scheme=sic-inst")
		p.still("when the form came")
		p.fill("Find a beneficiary", "nobody of this name")
		p.says("#picks", "No beneficiary")
		p.still("when a beneficiary was looked for")
		for _, typed := range [][2]string{
			{swissCreditor, "accepts SIC instant"}, {swissCreditor[:4] + "0" + swissCreditor[5:], "check digits of the IBAN are wrong"},
		} {
			p.fill("IBAN", typed[0])
			p.press("Tab")
			p.says(".feedback", typed[1])
			p.still("when " + typed[0] + " was looked up")
		}
		p.fill("Amount in CHF", "12'000")
	}
	for _, p := range windows {
		p.says(".outlook", "12'000.00")
		p.says(".outlook", "2 approvals needed")
		p.still("when it was told what the form has become")
		p.fill("Name", "Łódź Æther AG ✓")
		p.says("#creditorName-count", "✓")
		p.still("when a character was found that is not carried")
	}
	for _, p := range windows {
		p.says(".kept", "saved at")
		p.still("when the form was kept")
	}
}

// TestNothingMovesWhenAPaymentArrives: the page of a payment under way shows its end in the place of the clock.
func TestNothingMovesWhenAPaymentArrives(t *testing.T) {
	t.Parallel()
	for _, width := range []int{desktop.width, 360} {
		var asked atomic.Int32
		var arrived atomic.Bool
		address, p := flightServer(t, &asked, &arrived), visitor(t, desktop).watched()
		p.wide(width)
		p.open(address + "/en/payment-flying")
		p.still("when the page came")
		arrived.Store(true)
		p.says("#payment .flight-over", "Settled")
		p.still("when the payment arrived")
	}
}

// TestNothingMovesUnderACheckersEyes: payments arrive, others look and decide, the checker decides, and nothing in the list, beside it or
// above it jumps. It is not parallel: a person looks at one payment at a time, and other tests have the same people.
func TestNothingMovesUnderACheckersEyes(t *testing.T) {
	maker, rivals, windows := as(t, "maker1"), []*person{as(t, "checker2"), as(t, "both1")}, onBothWidths(t, "checker1")
	var lists []string
	var orders [][3]submitted
	for i, p := range windows {
		common, waiting := threeOrders(maker)
		lists, orders = append(lists, "?text="+strings.ReplaceAll(common, " ", "+")), append(orders, waiting)
		p.open("/queue" + lists[i])
		p.counts("#queue-list tr[data-row]", 3)
		p.still("when the page came")
		o := newOrder("sic-inst")
		o.name = common + " D"
		maker.submit(o)
		rivals[i].open("/queue/" + waiting[0].id)
		rivals[i].decide(waiting[2], "reject", "Not this one")
	}
	for i, p := range windows {
		waiting, rival := orders[i], []string{"Checker 2", "Both 1"}[i]
		p.says(".live a", "1 new")
		p.says(`[data-row="`+waiting[0].id+`"] .looked`, rival)
		if inside := p.evaluate(`() => [...document.querySelectorAll("#queue-list .looked:not(:empty)")].every((note) => {
			const of = note.getBoundingClientRect(), row = note.closest("tr").getBoundingClientRect();
			return of.top >= row.top && of.bottom <= row.bottom;
		})`); inside != true {
			t.Error("the note about another reader lies across rows")
		}
		p.says("#row-"+waiting[2].id, "Rejected by "+rival+", ")
		p.still("when a payment arrived and somebody looked and decided")
		p.open("/queue/" + waiting[0].id + lists[i])
		p.still("when a payment was opened")
		for _, m := range waiting[:2] {
			p.approve()
			p.says("#status", m.about+" approved.")
			p.still("after an approval")
		}
	}
}
