package browsertest

import (
	"fmt"
	"strings"
	"testing"

	"countersign/internal/testutil"
)

// TestSeveralAreApprovedByKeyboard: two keys more than one approval. While rows are selected nothing moves.
func TestSeveralAreApprovedByKeyboard(t *testing.T) {
	t.Parallel()
	maker := as(t, "maker1")
	common, waiting := threeOrders(maker)
	p := as(t, "checker1")
	p.open("/queue?text=" + strings.ReplaceAll(common, " ", "+"))
	p.says("#pane #detail-title", waiting[0].reference)
	p.press("x")
	p.says("#status", "1 selected")
	p.press("j", "j", "X")
	p.says("#status", "3 selected")
	p.counts("#queue-list td input:checked", 3)
	late := newOrder("sic-inst")
	late.name = common + " late"
	m := maker.submit(late)
	as(t, "checker2").decide(m, "reject", "Not this one")
	p.press("k", "x") // the second one is not meant
	p.says("#status", "2 selected")
	p.counts(".live a", 0)

	p.press("A")
	p.focused("#approve-selected")
	p.press("Enter")
	p.says("h1", "Compare 2 payments")
	p.counts("#bulk .bulk-list li", 2)
	waiting[0].is(t, "Approval Pending", 0)
	p.press("a")
	p.focused("#approve")
	p.tickEach(".bulk-tick input") // first payments to their accounts
	p.says(".action-bar [aria-live]", "2 payments (")
	if err := p.find(".bulk-tick input").First().Uncheck(); err != nil {
		t.Fatal(err)
	}
	p.says(".action-bar [aria-live]", "1 payment (")
	p.tickEach(".bulk-tick input")
	p.says(".action-bar [aria-live]", "2 payments (")
	p.press("a")
	p.focused("#approve")
	p.press("Enter")
	p.says("#bulk-title", "2 of 2 approved.")
	p.focused("#bulk-title")
	p.says("#status", "2 of 2 approved.")
	waiting[0].becomes(t, "Settled")
	waiting[2].becomes(t, "Settled")
	waiting[1].is(t, "Approval Pending", 0)
	p.press("Tab", "Tab")
	p.click("link", "Continue to the approval queue")
	p.counts("#queue-list tr[data-row]", 1)
}

// TestWhatCameMeanwhileIsShownWhenNothingIsSelectedAnyMore: no update is lost by the pause.
func TestWhatCameMeanwhileIsShownWhenNothingIsSelectedAnyMore(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	maker, rival := as(t, "maker1"), as(t, "checker2")
	common, waiting := threeOrders(maker)
	p := as(t, "checker1")
	p.open("/queue?text=" + strings.ReplaceAll(common, " ", "+"))
	p.says("#pane #detail-title", waiting[0].reference)
	p.press("x")
	rival.decide(waiting[2], "reject", "Not this one")
	p.press("j")
	p.press("j")
	p.page.WaitForTimeout(6000) //nolint:staticcheck // nothing is to come of it: the stream looks every five seconds
	p.counts("#row-"+waiting[2].id+".is-decided", 0)
	p.counts("#queue-list tr[data-row]", 3)
	p.press("k", "k", "x")
	p.counts("#queue-list tr[data-row]", 2)
	p.counts("#row-"+waiting[2].id, 0)
	p.counts(`[data-row="`+waiting[0].id+`"][aria-current=true]`, 1)
	p.focused("#open-" + waiting[0].id)
}

// TestManyAreApprovedWithTheProgressInSight sends them in steps, by itself.
func TestManyAreApprovedWithTheProgressInSight(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	maker := as(t, "maker1")
	common := strings.TrimSuffix(newOrder("sct-inst").name, " AG")
	var waiting []submitted
	for i := range 12 {
		o := newOrder("sct-inst")
		o.name = fmt.Sprintf("%s %02d", common, i)
		waiting = append(waiting, maker.submit(o))
	}
	p := as(t, "checker2")
	p.open("/queue?text=" + strings.ReplaceAll(common, " ", "+"))
	err := p.page.SetViewportSize(1280, 900) // the rows are cards
	if err != nil {
		t.Fatal(err)
	}
	p.tick("[data-select-all]")
	p.click("button", "Check and approve")
	p.says("h1", "12 payments") // whether they carry a mark depends on the tests beside this one
	p.tickEach(".bulk-tick input")
	p.press("a", "Enter")
	p.says("#bulk-title", "12 of 12 approved.")
	p.counts("#bulk .bulk-list li", 12)
	for _, m := range waiting {
		m.becomes(t, "Settled")
	}
}
