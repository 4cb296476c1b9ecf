//go:build long

package browsertest

import (
	"strings"
	"testing"
)

// TestTheWidestValuesFitATelephone: the longest name of the widest letter, and more money than there is, in the form, on the page that
// refuses it, and among the drafts. They are those of somebody whose lists no other test measures.
func TestTheWidestValuesFitATelephone(t *testing.T) {
	t.Parallel()
	p, o := signedIn(t, "both1", device{width: 360, height: 740}), newOrder("sic-inst")
	fits := func(where string) {
		t.Helper()
		if width := p.evaluate(`() => document.documentElement.scrollWidth`); width != 360 {
			t.Errorf("%s is %v px wide: %v", where, width, p.evaluate(`() => [...document.querySelectorAll("main *")].filter((one) =>
				one.getBoundingClientRect().right > 360).map((one) => one.outerHTML.slice(0, 90)).slice(0, 8).join(" ")`))
		}
	}
	o.name, o.amount = strings.Repeat("W", 140), "99999999999.99"
	p.open("/payments/new")
	p.typeIn(o)
	p.says(".outlook", "99'999'999'999.99")
	p.says(".kept", "Draft saved at")
	fits("the form")
	p.click("button", "Check your answers")
	p.says(".error-summary", "There is a problem")
	fits("the refused form")
	p.open("/mine?tab=drafts")
	p.says("main", o.name)
	fits("the list of drafts")
	o.amount = "19999.40"
	m := p.submit(o)
	for _, path := range []string{"/payments/" + m.id, "/payments/" + m.id + "/submitted", "/mine", "/payments/" + m.id + "/amend"} {
		p.open(path)
		fits(path)
	}
	checker := signedIn(t, "checker1", device{width: 360, height: 740})
	p = checker
	for _, path := range []string{"/queue/" + m.id, "/queue", "/queue/bulk?tab=all&id=" + m.id} {
		p.open(path)
		fits(path)
	}
}
