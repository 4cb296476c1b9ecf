package browsertest

import (
	"net/http"
	"testing"
)

// hidden names what of the bar at the bottom of a telephone is not in the window, and what of a decision cannot be reached.
const hidden = `() => {
  const wrong = [], box = (e) => e.getBoundingClientRect();
  const inside = (e) => box(e).left >= 0 && box(e).right <= innerWidth && box(e).bottom <= innerHeight;
  for (const e of document.querySelectorAll("nav.primary > ul > li > :is(a, button)")) {
    if (e.getClientRects().length && !inside(e)) wrong.push(e.innerText + " is outside the window");
  }
  const decide = document.querySelector(".decide");
  if (decide && box(decide).height > 100) wrong.push("the decision is " + box(decide).height + " px high");
  for (const e of document.querySelectorAll(".summary .numeric")) {
    const range = document.createRange();
    range.selectNodeContents(document.createTreeWalker(e, NodeFilter.SHOW_TEXT).nextNode());
    const lines = new Set([...range.getClientRects()].map((r) => r.top));
    if (/^[A-Z]{2}\d\d /.test(e.innerText) && lines.size > 1) wrong.push(e.innerText + " takes two lines");
  }
  return wrong.join("; ");
}`

// TestOnATelephone looks at the bar at the bottom, which leads everywhere without being pushed sideways, at the decision, which stays in
// sight without hiding what is decided, and at account numbers, which stand on one line.
func TestOnATelephone(t *testing.T) {
	t.Parallel()
	address, p := showGallery(t), visitor(t, device{width: 360, height: 740})
	for _, spoken := range []string{"de", "fr", "it", "en"} {
		for _, name := range []string{"queue-open", "queue-abroad", "incoming", "payment", "administration-people", "mine"} {
			if status := p.open(address + "/" + spoken + "/" + name); status != http.StatusOK {
				t.Fatalf("%s answers %d", name, status)
			}
			if wrong := p.evaluate(hidden); wrong != "" {
				t.Errorf("%s in %s: %v", name, spoken, wrong)
			}
		}
	}
	p.open(address + "/en/incoming")
	p.click("button", "More")
	p.counts("#more-places:popover-open a", 10)
	p.focused(".more-button")
	p.press("Tab", "Escape")
	p.counts("#more-places:popover-open", 0)
	p.focused(".more-button")
	quiet := visitor(t, device{width: 360, height: 740, noScript: true})
	quiet.open(address + "/en/incoming")
	quiet.click("button", "More")
	quiet.counts("#more-places:popover-open a", 10)
}
