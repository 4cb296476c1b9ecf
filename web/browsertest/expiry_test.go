package browsertest

import (
	"testing"

	"github.com/playwright-community/playwright-go"

	"countersign/internal/demo"
	"countersign/internal/testutil"
)

// TestNothingTypedIsLostWhenTheSessionRunsOut runs alone, as one person in two tabs.
func TestNothingTypedIsLostWhenTheSessionRunsOut(t *testing.T) {
	p, o := as(t, "maker1"), newOrder("sic-inst")
	p.open("/payments/new")
	p.typeIn(o)
	p.open("/payments/new")
	p.fill("Name", o.name)
	p.lapse()
	p.fill("IBAN", swissCreditor)
	p.press("Tab")
	p.says("#stay-says", "Your session has ended. What you typed on this page is kept.")
	p.counts("#stay button:visible", 0)
	p.at("/payments/new")
	p.holds("Name", o.name)
	p.signIn(demo.Realm, "maker1") // in another tab
	p.fill("IBAN", frenchCreditor)
	p.press("Tab")
	p.says("#creditorIban-feedback", "CH or LI")
	p.holds("Name", o.name)

	checker, m := as(t, "checker1"), p.submit(newOrder("sic-inst"))
	checker.open("/queue/" + m.id)
	checker.press("r", "Space", "Tab")
	checker.write("Nobody knows this order")
	checker.lapse()
	checker.press("Control+Enter")
	checker.at("/signin")
	checker.fill("User name", "checker1")
	checker.fill("Password", demo.UserPassword)
	checker.press("Enter")
	checker.at("/queue/" + m.id)
	checker.says("#reject-panel #reason", "Nobody knows this order")
	m.is(t, "Approval Pending", 0)

	checker.open("/payments")
	checker.lapse()
	err := checker.page.Locator("#text").Fill("Nobody")
	if err != nil {
		t.Fatal(err)
	}
	checker.at("/signin")
	checker.fill("User name", "checker1")
	checker.fill("Password", demo.UserPassword)
	checker.press("Enter")
	checker.at("/payments\\?")
	if err := checker.expect.Locator(checker.find("#text")).ToHaveValue("Nobody"); err != nil {
		t.Error(err)
	}
}

// TestTheEndOfTheSessionIsTold moves the clock of the browser: two minutes before the end one is told, and may stay.
func TestTheEndOfTheSessionIsTold(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	p := as(t, "maker2")
	err := p.page.Clock().Install()
	if err != nil {
		t.Fatal(err)
	}
	p.open("/payments/new")
	p.fill("Name", "Half a name")
	p.says(".outlook", "Half a name")
	pass := func(seconds int) {
		if err := p.page.Clock().FastForward(seconds * 1000); err != nil {
			t.Fatal(err)
		}
	}
	pass(3)
	p.says(".kept", "Draft saved at") // the last answer of the server, which begins the time anew
	pass(755)                         // the clock goes on by itself as well, and a busy machine takes its time
	if hidden, err := p.find("#stay").IsHidden(); err != nil || !hidden {
		t.Fatalf("told before the time: %v", err)
	}
	pass(30)
	p.says("#stay-says", "Your session ends at")
	p.click(*playwright.AriaRoleButton, "Stay signed in")
	err = p.expect.Locator(p.find("#stay")).ToBeHidden()
	if err != nil {
		t.Fatal(err)
	}
	p.holds("Name", "Half a name")
	if p.evaluate(`() => document.activeElement === document.body`) == true {
		t.Error("the focus is lost")
	}
	pass(786)
	p.says("#stay-says", "Your session ends at")
	pass(126)
	p.says("#stay-says", "Your session has ended")
	p.counts("#stay-says a[target=_blank]", 1)
	p.counts("#stay button:visible", 0) // it could not help
	p.holds("Name", "Half a name")
}

// TestWhatIsKeptBeginsTheSessionAnew moves the clock of the browser: who writes, and whose words the server has just kept, is not told that
// the session ends.
func TestWhatIsKeptBeginsTheSessionAnew(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	p := as(t, "maker2")
	m := p.submit(newOrder("sic-inst"))
	if err := p.page.Clock().Install(); err != nil {
		t.Fatal(err)
	}
	pass := func(seconds int) {
		if err := p.page.Clock().FastForward(seconds * 1000); err != nil {
			t.Fatal(err)
		}
	}
	p.open("/payments/" + m.id + "/withdraw")
	pass(770)
	p.fill("Why are you withdrawing this submission? (optional)", "The invoice was paid by")
	pass(3)
	p.says(".kept", "Saved at")
	pass(20)
	if hidden, err := p.find("#stay").IsHidden(); err != nil || !hidden {
		t.Errorf("told that the session ends while it is used: %v", err)
	}
}

// TestWhatJustHappenedStaysToBeRead moves the clock of the browser: a sentence stays its twelve seconds, however old the page is, and then
// goes away.
func TestWhatJustHappenedStaysToBeRead(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	m := as(t, "maker1").submit(newOrder("sic-inst"))
	p := as(t, "checker2")
	if err := p.page.Clock().Install(); err != nil {
		t.Fatal(err)
	}
	p.open("/queue/" + m.id)
	pass := func(seconds int) {
		if err := p.page.Clock().FastForward(seconds * 1000); err != nil {
			t.Fatal(err)
		}
	}
	pass(9)
	p.approve()
	p.says("#status", m.about+" approved.")
	pass(5)
	p.says("#status", m.about+" approved.")
	pass(9)
	if err := p.expect.Locator(p.find("#status")).ToHaveText(""); err != nil {
		t.Error(err)
	}
}
