package browsertest

import "testing"

// TestAFormIsKeptWhileItIsTyped closes the tab on a half filled form, and finds it again.
func TestAFormIsKeptWhileItIsTyped(t *testing.T) {
	t.Parallel()
	p, o := as(t, "maker2"), newOrder("sic-inst")
	p.open("/payments/new")
	p.fill("Name", o.name)
	p.fill("Amount in CHF", "12.3")
	p.says("#kept", "Draft kept at")
	p.open("/mine?tab=drafts") // the form is left without a word
	p.says("#main", o.name)
	p.readable("/mine?tab=drafts")
	p.click("link", o.name)
	p.says("h1", "New payment")
	p.holds("Name", o.name)
	p.holds("Amount in CHF", "12.3")
	if n := count(t, "SELECT count(*) FROM draft WHERE convert_from(answers, 'UTF8') LIKE '%'||$1||'%'", o.name); n != 1 {
		t.Errorf("%d drafts of one form", n)
	}
}
