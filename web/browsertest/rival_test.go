//go:build long

package browsertest

import (
	"fmt"
	"strings"
	"testing"
)

// TestARivalTakesTheRowUnderTheCursor: the row says so where it stands, and stays the current one, by keys and by pointer.
func TestARivalTakesTheRowUnderTheCursor(t *testing.T) {
	t.Parallel()
	common, waiting := threeOrders(as(t, "maker1"))
	p, rival := as(t, "checker1"), as(t, "checker2")
	p.open("/queue?text=" + strings.ReplaceAll(common, " ", "+"))
	p.says("#pane #detail-title", waiting[0].reference)
	p.press("j")
	p.says("#pane #detail-title", waiting[1].reference)
	p.focused("#open-" + waiting[1].id)
	taken := func(m submitted) {
		t.Helper()
		rival.decide(m, "reject", "Not this one")
		p.says("#row-"+m.id+".is-decided", "Rejected by Checker 2, ")
		p.counts(`[data-row="`+m.id+`"][aria-current=true]`, 1)
		p.counts("[data-row][aria-current=true]", 1)
	}
	taken(waiting[1])
	p.focused("#open-" + waiting[1].id)
	p.press("j")
	p.opens(waiting[2])
	box := "#tick-" + waiting[2].id
	err := p.find(box).Focus()
	if err != nil {
		t.Fatal(err)
	}
	taken(waiting[2])
	p.focused("#open-" + waiting[2].id) // the box is there no more
	p.click("link", fmt.Sprintf("%s A", common))
	p.opened(waiting[0])
	taken(waiting[0])
	p.focused("#detail-title")
}

// TestAMessageThatTheListDoesNotShowIsDecided: somebody came by a link, or the list was narrowed since. The browser has nothing to complain
// about, which leave makes sure of.
func TestAMessageThatTheListDoesNotShowIsDecided(t *testing.T) {
	t.Parallel()
	m, p := as(t, "maker1").submit(newOrder("sic-inst")), as(t, "checker1")
	p.open("/queue/" + m.id + "?text=nobody+has+this+name")
	p.counts("[data-row]", 0)
	p.tickEach("#looked")
	if err := p.find("#approve").Click(); err != nil {
		t.Fatal(err)
	}
	p.says("#status", m.about+" approved.")
	p.counts("#pane > template", 0)
}

// opens waits until the pane shows the message; reading stays in the list.
func (p *person) opens(m submitted) {
	p.t.Helper()
	p.says("#pane #detail-title", m.reference)
	p.focused("#open-" + m.id)
}

// cursorInView reports whether the current row lies within the window, and whether the focus is on something.
const cursorInView = `() => {
  const box = document.querySelector('[data-row][aria-current="true"]')?.getBoundingClientRect();
  if (!box) return "no row is current";
  if (box.top < 0 || box.bottom > innerHeight) return "the current row is at " + box.top + "–" + box.bottom + " of " + innerHeight;
  return document.activeElement === document.body ? "the focus is lost" : "";
}`

// TestASteadyFlowKeepsItsPlace decides 50 one after the other with two keys each, while a rival decides three of them and new ones arrive.
func TestASteadyFlowKeepsItsPlace(t *testing.T) {
	t.Parallel()
	const flow = 53
	maker, rival := as(t, "maker1"), as(t, "checker2")
	common := strings.TrimSuffix(newOrder("sic-inst").name, " AG")
	var waiting []submitted
	submit := func() {
		o := newOrder("sic-inst")
		o.name = fmt.Sprintf("%s %02d", common, len(waiting))
		waiting = append(waiting, maker.submit(o))
	}
	for range flow {
		submit()
	}
	p := signedIn(t, "checker1", device{width: 1440, height: 500})
	p.open("/queue?text=" + strings.ReplaceAll(common, " ", "+"))
	taken := map[int]bool{}
	rivalTakes := func(index int) {
		rival.decide(waiting[index], "reject", "Not this one")
		p.says("#row-"+waiting[index].id, "Rejected by Checker 2, ")
		taken[index] = true
	}
	rivalTakes(8)
	p.says("#queue-facts", fmt.Sprintf("%d found", flow-1))
	for i, m := range waiting[:flow] {
		if taken[i] {
			continue
		}
		p.says("#pane #detail-title", m.reference)
		p.counts(`[data-row="`+m.id+`"][aria-current=true]`, 1)
		if wrong := p.evaluate(cursorInView); wrong != "" && i > 0 {
			t.Errorf("at decision %d: %v", i, wrong)
		}
		switch i { // what happens meanwhile
		case 5, 19, 44:
			submit()
		case 15:
			rivalTakes(16) // the next one
		case 30:
			rivalTakes(41)
		}
		p.approve()
		p.says("#status", m.about+" approved.")
	}
	p.says("#queue-facts", "3 found")
	for index, m := range waiting {
		switch {
		case taken[index]:
			m.is(t, "Rejected", 1)
		case index >= flow:
			m.is(t, "Approval Pending", 0)
		}
	}
	if n := count(
		t, "SELECT count(*) FROM release r JOIN message_version v USING (realm, message_id, version) WHERE v.creditor_name LIKE $1", common+"%",
	); n != flow-3 {
		t.Errorf("%d releases, want %d", n, flow-3)
	}
}
