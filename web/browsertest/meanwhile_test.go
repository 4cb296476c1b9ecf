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
	p.click("link", "Show it as it is now")
	p.says("#pane .approvals", "1 of 2 approvals given, by Checker 2")
	p.holds(reasonLabel, "Nobody knows this order")

	o.name += " neu"
	form := o.form()
	form["amendReason"] = "Wrong name"
	check := maker.post("/payments/"+m.id+"/amend?version=1", form)
	maker.open(check)
	maker.click("button", "Submit the amended "+o.shown()+" for approval")
	p.says("#pane .meanwhile", "It was amended")
	p.holds(reasonLabel, "Nobody knows this order")
	err := p.find("#approve").Click()
	if err != nil {
		t.Fatal(err)
	}
	p.says("#pane .conflict", "changed")
	m.is(t, "Approval Pending", 1)
}
