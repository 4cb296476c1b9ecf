package browsertest

import (
	"fmt"
	"net/http"
	"strconv"
	"testing"

	"countersign/internal/testutil"
)

// hidden names what of the bar at the bottom of a telephone is not in the window, and what of a decision cannot be reached.
const hidden = `() => {
  const wrong = [], box = (e) => e.getBoundingClientRect();
  const inside = (e) => box(e).left >= 0 && box(e).right <= innerWidth && box(e).bottom <= innerHeight;
  for (const e of document.querySelectorAll("nav.primary > ul > li > :is(a, button)")) {
    if (e.getClientRects().length && !inside(e)) wrong.push(e.innerText + " is outside the window");
  }
  const decide = document.querySelector(".decide");
  const stays = decide && getComputedStyle(decide).position === "sticky";
  if (stays && box(decide).height > 100) wrong.push("the decision is " + box(decide).height + " px high");
  for (const e of document.querySelectorAll(".summary .numeric")) {
    const range = document.createRange();
    range.selectNodeContents(document.createTreeWalker(e, NodeFilter.SHOW_TEXT).nextNode());
    const lines = new Set([...range.getClientRects()].map((r) => r.top));
    if (/^[A-Z]{2}\d\d /.test(e.innerText) && lines.size > 1) wrong.push(e.innerText + " takes two lines");
  }
  return wrong.join("; ");
}`

// TestOnATelephone checks the bar at the bottom, which fits the width; the decision, which stays in sight in at most 100 px, or follows the
// warnings that it confirms; and account numbers, which stand on one line.
func TestOnATelephone(t *testing.T) {
	testutil.Long(t)
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

// TestTheButtonsOfADecisionCoverNothingFocused: on a small screen a link near the end of a payment is scrolled above them. On a desk they
// leave the reference in sight, also below a warning and an amendment.
func TestTheButtonsOfADecisionCoverNothingFocused(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	address, p := showGallery(t), visitor(t, desktop)
	p.open(address + "/en/queue-open")
	covered := p.evaluate(`() => [...document.querySelectorAll(".detail dt")].find((term) => term.innerText === "QR reference")
		.parentElement.getBoundingClientRect().bottom > document.querySelector(".decide").getBoundingClientRect().top`)
	if covered != false {
		t.Error("the buttons cover the reference of the payment")
	}
	if err := p.page.SetViewportSize(1024, 768); err != nil {
		t.Fatal(err)
	}
	p.open(address + "/en/queue-open")
	over := p.evaluate(`() => {
		const link = document.querySelector(".before-decide a");
		scrollBy(0, link.getBoundingClientRect().bottom - innerHeight + 80);
		link.focus();
		return link.getBoundingClientRect().bottom - document.querySelector(".decide").getBoundingClientRect().top;
	}`)
	if px, err := strconv.ParseFloat(fmt.Sprint(over), 64); err != nil || px > 0 {
		t.Errorf("the link to the question is %v px under the buttons", over)
	}
	keys := p.evaluate(`() => {
		document.querySelector("#shortcut-sheet").showModal();
		return [...document.querySelectorAll(".shortcut-list div")].filter((one) => {
			const caps = one.querySelector("kbd:last-child").getBoundingClientRect();
			return caps.right + 4 > one.querySelector("dd").getBoundingClientRect().left;
		}).map((one) => one.innerText).join("; ");
	}`)
	if keys != "" {
		t.Errorf("key caps run into their sentences: %v", keys)
	}
}

// lying names what lies over something else of a page: the sentence of what just happened, the news of a list and the words of its head,
// which stay in sight; where the page begins also who else reads a payment, the heading, the open payment and the rows.
const lying = `(top) => {
  document.querySelector("#status").textContent = "P0000003 approved, CHF 1'234.50 to Beispiel Holzbau GmbH. Next: P0000004";
  const live = document.querySelector(".live");
  if (live) live.innerHTML = '<a class="button" href="/">Show 3 new entries</a>';
  const parts = [], wrong = [];
  const add = (name, box) => box.width > 1 && box.height > 1 && box.bottom > 0 && box.top < innerHeight && parts.push({ name, box });
  const kinds = { status: "#status", news: ".live .button" };
  if (top) Object.assign(kinds, { reader: ".looked:not(:empty)", heading: "main h1", payment: ".pane .detail" });
  for (const [name, which] of Object.entries(kinds)) {
    for (const e of document.querySelectorAll(which)) add(name, e.getBoundingClientRect());
  }
  for (const e of document.querySelectorAll(".list thead th" + (top ? ", .list .flag, .list .cell-when time" : ""))) {
    const words = document.createRange();
    words.selectNodeContents(e);
    if (e.closest("thead, tbody").offsetHeight > 1 && e.offsetWidth > 1) add(e.matches("th") ? "head" : "row", words.getBoundingClientRect());
  }
  for (const [i, a] of parts.entries()) for (const b of parts.slice(i + 1)) {
    const wide = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
    const high = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
    if (a.name !== b.name && wide > 1 && high > 1) wrong.push(a.name + " and " + b.name + " share " + Math.round(wide) + " × " + Math.round(high) + " px");
  }
  return wrong.join("; ");
}`

// TestNothingLiesOverAnythingElse: where the page begins, and where its head stays in sight over rows that went up.
func TestNothingLiesOverAnythingElse(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	address := showGallery(t)
	for _, width := range []int{360, 1024, 1440} {
		p := visitor(t, device{width: width, height: 480})
		for _, name := range []string{"queue-selecting", "queue-open", "payments"} {
			if status := p.open(address + "/en/" + name); status != http.StatusOK {
				t.Fatalf("%s answers %d", name, status)
			}
			for _, down := range []int{0, 300} {
				p.evaluate(`(down) => scrollTo(0, down)`, down)
				if wrong := p.evaluate(lying, down == 0); wrong != "" {
					t.Errorf("%s at %d px, %d px down: %v", name, width, down, wrong)
				}
			}
		}
	}
}
