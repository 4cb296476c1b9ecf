package browsertest

import (
	"testing"

	"countersign/internal/demo"
)

var plain = device{width: 1440, height: 900, noScript: true}

// withoutScript signs in by the form, in a browser that runs no script.
func withoutScript(t *testing.T, name string) *person {
	t.Helper()
	p := visitor(t, plain)
	p.open("/queue?tab=all")
	p.at(`/signin\?next=`)
	p.fill("User name", name)
	p.fill("Password", demo.UserPassword)
	p.click("button", "Sign in")
	p.at(`/queue\?tab=all$`)
	return p
}

func TestAMakerNeedsNoScript(t *testing.T) {
	t.Parallel()
	p, o := withoutScript(t, "maker2"), newOrder("sic-inst")
	p.click("link", "New payment")
	p.typeIn(o)
	p.fill("Town", "")
	p.click("button", "Check your answers")
	p.says(".error-summary", "There is a problem")
	p.summaryLeadsToItsFieldsWithoutScript("town")
	p.holds("Name", o.name)
	p.says("#creditorIban-feedback", "Switzerland") // with the page, as no script asks for it
	p.fill("Town", "Zuerich")
	p.click("button", "SEPA instant")
	p.holds("Town", "Zuerich")
	p.click("button", "SIC instant")
	p.click("button", "Check your answers")
	p.at("/payments/[0-9a-f-]+/check$")
	if n := o.payments(t); n != 0 {
		t.Fatalf("%d payments before the answers were checked", n)
	}
	p.click("button", "Submit "+o.shown()+" for approval")
	p.at("/payments/[0-9a-f-]+/submitted$")
	m := o.find(t)
	m.is(t, "Approval Pending", 0)

	p.open("/mine")
	p.click("link", "Withdraw "+m.reference)
	p.fill("Why are you withdrawing this submission? (optional)", "Entered twice")
	p.click("button", "Withdraw the payment of "+o.shown())
	p.says("#status", m.reference+" has been withdrawn.")
	m.is(t, "Withdrawn", 0)
}

// summaryLeadsToItsFieldsWithoutScript follows a link of the error summary and writes: it goes into the field.
func (p *person) summaryLeadsToItsFieldsWithoutScript(field string) {
	p.t.Helper()
	err := p.find(`.error-summary a[href="#` + field + `"]`).First().Click()
	if err != nil {
		p.t.Fatal(err)
	}
	p.focused("#" + field)
}

// unfold opens a disclosure.
func (p *person) unfold(selector string) {
	p.t.Helper()
	err := p.find(selector + " > summary").Click()
	if err != nil {
		p.t.Fatal(err)
	}
}

func TestACheckerNeedsNoScript(t *testing.T) {
	t.Parallel()
	common, waiting := threeOrders(as(t, "maker1"))
	first, second, third := waiting[0], waiting[1], waiting[2]
	p := withoutScript(t, "checker2")
	p.click("link", "For me")
	p.fill("Search by name, purpose, amount, IBAN, reference, maker or day", common)
	p.click("button", "Search")
	p.counts("#queue-list tr[data-row]", 3)
	p.click("link", first.reference)
	p.at("/queue/" + first.id)
	p.says("#detail-title", first.reference)
	p.counts(`#queue-list tr[aria-current=true]`, 1)
	p.tickEach("#looked")
	p.click("button", "Approve ")
	p.at("/queue/" + second.id)
	p.says("#status", first.about+" approved.")
	p.says("#pane #detail-title", second.reference)
	first.becomes(t, "Settled")

	// Decided by somebody else in the meantime.
	as(t, "checker1").decide(second, "reject", "Order is missing")
	p.unfold("#reject-panel")
	p.fill("What should the maker know or correct?", "Wrong account")
	p.click("button", "Reject the payment of CHF")
	p.says("#conflict-title", second.reference+" was already rejected by Checker 1 at ")
	p.says(".conflict blockquote", "Wrong account")
	second.is(t, "Rejected", 1)

	p.open("/queue/" + third.id + "?text=" + third.reference)
	p.unfold("#reject-panel")
	p.choose("Suspected fraud")
	p.click("button", "Reject the payment of CHF")
	p.says(".error-summary", "Enter a reason for the rejection.")
	third.is(t, "Approval Pending", 0)
	p.fill("What should the maker know or correct?", "The creditor is unknown")
	p.click("button", "Reject the payment of CHF")
	p.at("/queue")
	p.says("#status", third.about+" rejected.")
	third.is(t, "Rejected", 1)
	first.is(t, "Settled", 1)
	p.click("button", "Sign out")
	p.says("main", "You are signed out")
}
