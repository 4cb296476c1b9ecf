//go:build long

package browsertest

import (
	"net/http"
	"testing"

	"github.com/playwright-community/playwright-go"
)

// onPaper names what a printed page has wrong: what only a screen has a use for, and what the paper cuts.
const onPaper = `() => {
  const wrong = [], seen = (e) => e && e.getClientRects().length > 0;
  for (const part of [".sidebar", ".tabs", ".decide", ".filter", ".buttons", ".status"]) {
    if ([...document.querySelectorAll(part)].some(seen)) wrong.push(part + " is printed");
  }
  if (!seen(document.querySelector("h1"))) wrong.push("the heading is not printed");
  if (!seen(document.querySelector(".print-only"))) wrong.push("who printed it is not told");
  if ([...document.querySelectorAll(".entries tbody tr")].some((row) => {
    const cells = [...row.children].filter(seen);
    return cells.length > 1 && Math.abs(cells[0].getBoundingClientRect().top - cells.at(-1).getBoundingClientRect().top) > 8;
  })) wrong.push("a row is printed as a card");
  if ([...document.querySelectorAll(".entries td")].some((cell) => seen(cell) && cell.scrollWidth > cell.clientWidth + 1)) {
    wrong.push("a cell is cut");
  }
  if (document.documentElement.scrollWidth > innerWidth) wrong.push("the paper is too narrow");
  if ([...document.querySelectorAll("details.part dd")].some((e) => !seen(e))) wrong.push("what is folded is not printed");
  return wrong.join("; ");
}`

// inForcedColours names what nothing but its colour marked.
const inForcedColours = `() => {
  const wrong = [], sides = ["borderTopWidth", "borderBottomWidth", "outlineWidth"];
  const edge = (e) => sides.some((side) => parseFloat(getComputedStyle(e)[side]) >= 1);
  const current = [".tabs a[aria-current]", ".sidebar li a[aria-current]", ".table tr[aria-current]"];
  for (const part of [".badge", ".flag", ".notice", ".button", ...current]) {
    const e = document.querySelector(part);
    if (e && e.getClientRects().length > 0 && !edge(e)) wrong.push(part + " has no edge");
  }
  return wrong.join("; ");
}`

// TestPagesFitTheirSurroundings looks at the ten screens on paper, in forced colours, in a window enlarged four times, and for those who
// want nothing to move.
func TestPagesFitTheirSurroundings(t *testing.T) {
	t.Parallel()
	address, p := showGallery(t), visitor(t, desktop)
	ask := func(where, question string) {
		t.Helper()
		if wrong := p.evaluate(question); wrong != "" {
			t.Errorf("%s: %v", where, wrong)
		}
	}
	emulate := func(width int, media playwright.PageEmulateMediaOptions) {
		t.Helper()
		if err := p.page.SetViewportSize(width, 900); err != nil {
			t.Fatal(err)
		}
		if err := p.page.EmulateMedia(media); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range pictured {
		if status := p.open(address + "/de/" + name); status != http.StatusOK {
			t.Fatalf("%s answers %d", name, status)
		}
		emulate(673, playwright.PageEmulateMediaOptions{Media: playwright.MediaPrint}) // A4 less its margins
		ask(name+" on paper", onPaper)
		emulate(1440, playwright.PageEmulateMediaOptions{Media: playwright.MediaScreen, ForcedColors: playwright.ForcedColorsActive})
		ask(name+" in forced colours", inForcedColours)
		emulate(320, playwright.PageEmulateMediaOptions{ForcedColors: playwright.ForcedColorsNone}) // 1280 at 400 %
		ask(name+" at 400 %", overflow)
		ask(name+" without motion", `() => document.getAnimations().map((a) => a.animationName ?? a.transitionProperty).join(", ")`)
	}
}
