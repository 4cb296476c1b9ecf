//go:build long

package browsertest

import (
	"testing"

	"github.com/playwright-community/playwright-go"
)

// reload loads the page again, at once.
func (p *person) reload() {
	p.t.Helper()
	_, err := p.page.Reload()
	if err != nil {
		p.t.Fatal(err)
	}
}

// TestNotALetterIsLost leaves forms right after a key was pressed, before anything was kept, and finds every letter again.
func TestNotALetterIsLost(t *testing.T) {
	t.Parallel()
	p, o := as(t, "maker2"), newOrder("sct-inst")
	p.open("/payments/new?scheme=sct-inst")
	p.fill("Name", o.name)
	p.choose("Message to the creditor")
	p.fill("Message", "Rechnung 1107")
	p.reload()
	p.holds("Name", o.name)
	p.holds("Message", "Rechnung 1107")
	p.fill("Name", o.name+" A")
	p.reload()
	p.holds("Name", o.name+" A")
	p.says(".outlook", o.name+" A")

	p.fill("Name", o.name+" AG")
	p.open("/mine")
	p.back()
	p.holds("Name", o.name+" AG")
	p.holds("Message", "Rechnung 1107")
	p.reload()
	p.holds("Name", o.name+" AG")

	first := p.page // another window has a form of its own, and neither shows the other's
	second, err := p.context.NewPage()
	must(t, second, err)
	p.page = second
	p.open("/payments/new")
	p.holds("Name", "")
	p.fill("Name", "Another creditor")
	p.reload()
	p.holds("Name", "Another creditor")
	p.page = first
	p.reload()
	p.holds("Name", o.name+" AG")

	p.open("/mine?tab=drafts")
	if n, err := p.page.GetByRole("link", playwright.PageGetByRoleOptions{Name: o.name}).Count(); err != nil || n != 1 {
		t.Errorf("%d drafts of one form: %v", n, err)
	}
}

// TestNotALetterOfAnRTransactionIsLost leaves the form of a recall, and the reason of a rejection, in the same moment.
func TestNotALetterOfAnRTransactionIsLost(t *testing.T) {
	t.Parallel()
	p, checker := as(t, "maker1"), as(t, "checker1")
	m := p.submit(newOrder("sic-inst"))
	checker.open("/queue/" + m.id)
	checker.press("r", "Space", "Tab")
	checker.write("Nobody knows")
	checker.reload()
	checker.holds(reasonLabel, "Nobody knows")
	checker.write(" it")
	checker.open("/payments")
	checker.back()
	checker.says("#detail-title", m.reference)
	checker.decide(m, "approve", "")
	m.becomes(t, "Settled")

	const line = "Additional information, line 1"
	p.open("/payments/" + m.id + "/recall")
	p.fill(line, "Paid on Mon")
	p.reload()
	p.holds(line, "Paid on Mon")
	p.fill(line, "Paid on Monday")
	p.open("/payments")
	p.back()
	p.holds(line, "Paid on Monday")
}

// TestWhatIsLeftInAWindowIsNobodyElses: who signs in after somebody in the same window finds nothing of what that one typed.
func TestWhatIsLeftInAWindowIsNobodyElses(t *testing.T) {
	t.Parallel()
	p := as(t, "maker2")
	p.open("/payments/new")
	p.fill("Name", "Seen by one person")
	typedAt := p.page.URL()
	p.click("button", "Sign out")
	p.at("/signedout")
	p.open("/signin")
	p.signInAgain("maker1")
	if _, err := p.page.Goto(typedAt); err != nil {
		t.Fatal(err)
	}
	p.holds("Name", "")
}
