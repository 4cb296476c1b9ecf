//go:build long

package browsertest

import "testing"

// TestAPaymentIsSavedAsATemplate saves one under a name from the check page, and fills the form from it.
func TestAPaymentIsSavedAsATemplate(t *testing.T) {
	t.Parallel()
	for name, p := range map[string]*person{"with a script": as(t, "maker1"), "without": withoutScript(t, "maker2")} {
		o := newOrder("sic-inst")
		p.open("/payments/new?scheme=sic-inst")
		p.typeIn(o)
		p.click("button", "Check your answers")
		p.at("/payments/[0-9a-f-]+/check$")
		p.click("link", "Save as a template")
		p.fill("Name", "Template "+o.endToEndID)
		if name == "with a script" {
			inspect(p).look("a new template")
		}
		p.click("button", "Save template")
		p.says("#status", "Saved as")
		p.at("/payments/[0-9a-f-]+/check$")
		p.click("link", "Templates")
		p.click("link", "Template "+o.endToEndID)
		p.holds("Name", o.name)
		p.click("link", "Use a template")
		p.click("button", "Pay Template "+o.endToEndID)
		p.at("/payments/[0-9a-f-]+/check$")
		p.click("link", "Templates")
		if name == "with a script" {
			inspect(p).look("the templates")
		}
	}
}
