//go:build long

package browsertest

import "testing"

// TestAnOpenPaneTellsWhatHappenedMeanwhile: the first of two approvals by somebody else, and an amendment. What is typed stays, and nothing
// but what is shown is ever approved.
func TestAnOpenPaneTellsWhatHappenedMeanwhile(t *testing.T) {
	t.Parallel()
	o := newOrder("sic-inst")
	o.amount = "1" + o.amount // two approvals
	maker, p, rival := as(t, "maker1"), as(t, "checker1"), as(t, "checker2")
	m := maker.submit(o)
	p.open("/queue/" + m.id)
	p.press("r", "Space", "Tab")
	p.write("Nobody knows")
	rival.decide(m, "approve", "")
	p.says("#pane .meanwhile", "1 of 2 approvals given, by Checker 2")
	p.holds(reasonLabel, "Nobody knows")
	p.write(" this order")
	p.click("link", "Show the current version")
	p.says("#pane .approvals", "1 of 2 approvals given, by Checker 2")
	p.holds(reasonLabel, "Nobody knows this order")

	o.name += " neu"
	form := o.form()
	form["amendReason"] = "Wrong name"
	check := maker.post("/payments/"+m.id+"/amend?version=1", form)
	maker.open(check)
	maker.click("button", "Submit the amended payment of "+o.shown()+" for approval")
	p.says("#pane .meanwhile", "The payment was amended")
	p.holds(reasonLabel, "Nobody knows this order")
	p.tickEach("#looked")
	p.click("button", "Approve ")
	p.says("#pane .conflict", "differs from the content you opened")
	m.is(t, "Approval Pending", 1)
}

// TestAnOpenPaneFollowsItsRow: once somebody else decided, the pane shows the new state beside who decided and when, and has no button that
// decides. The reason being typed, and the focus in it, stay; it can still be read where the message is shown as it is now.
func TestAnOpenPaneFollowsItsRow(t *testing.T) {
	t.Parallel()
	maker, p, rival := as(t, "maker1"), as(t, "checker1"), as(t, "checker2")
	first, second := maker.submit(newOrder("sic-inst")), maker.submit(newOrder("sic-inst"))
	p.open("/queue/" + first.id)
	p.press("r", "Space", "Tab")
	p.write("Nobody knows")
	rival.decide(first, "reject", "Not this one")
	p.says("#pane .meanwhile", "Rejected by Checker 2, ")
	p.says("#pane .detail-state .badge", "Rejected")
	p.counts("#pane :is(#approve, .decide [type=submit])", 0)
	p.holds(reasonLabel, "Nobody knows")
	p.write(" this order")
	p.holds(reasonLabel, "Nobody knows this order")
	p.click("link", "Show the current version")
	p.says("#pane blockquote", "Nobody knows")

	p.open("/queue/" + second.id)
	p.press("a")
	p.focused("#looked")
	rival.decide(second, "approve", "")
	p.says("#pane .meanwhile", "Approved by Checker 2, ")
	p.focused("#detail-title")
	p.press("r")
	p.counts("#pane .decide:visible", 0)
	second.becomes(t, "Settled")
}
