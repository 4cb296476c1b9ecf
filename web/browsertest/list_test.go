package browsertest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"countersign/internal/testutil"
)

// unreadable names what of the lists on a page cannot be read: a page or a cell that would have to be scrolled sideways, text that leaves
// its cell, cells that lie over each other, names, amounts and references that are cut or not there, and accounts that are not on one line.
// A desk may cut small print and a row of one line its name too: the pane or the page shows them whole.
const unreadable = `() => {
  const wrong = [], root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) wrong.push("the page is " + root.scrollWidth + " px wide");
  const inside = (inner, outer) => inner.left >= outer.left - 1 && inner.right <= outer.right + 1 &&
    inner.top >= outer.top - 1 && inner.bottom <= outer.bottom + 1;
  const shown = (element) => element.getClientRects().length > 0;
  for (const row of document.querySelectorAll(".table tbody tr")) {
    if (!shown(row)) continue; // a list makes room for what was opened from it where there is room for one
    const cells = [...row.children].filter(shown);
    for (const [index, cell] of cells.entries()) {
      const box = cell.getBoundingClientRect(), what = cell.className + " “" + cell.innerText.slice(0, 30) + "”";
      if (cell.scrollWidth > cell.clientWidth + 1) wrong.push(what + " is cut");
      const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
      while (walker.nextNode()) {
        const around = walker.currentNode.parentElement; // the name of another reader stands on the edge, a closed menu is nowhere
        if (around.closest(".visually-hidden, .looked, .facts, .one-line .row-link")) continue;
        if (around.closest("details:not([open])") && !around.closest("summary")) continue;
        const range = document.createRange();
        range.selectNodeContents(walker.currentNode);
        for (const part of range.getClientRects()) if (part.width > 0 && !inside(part, box)) wrong.push(what + " leaves its cell");
      }
      for (const other of cells.slice(index + 1)) {
        const b = other.getBoundingClientRect();
        if (box.left < b.right - 1 && b.left < box.right - 1 && box.top < b.bottom - 1 && b.top < box.bottom - 1) {
          wrong.push(what + " lies over " + other.className);
        }
      }
    }
    for (const part of row.querySelectorAll(".name, .purpose, .amount, .reference")) {
      const style = getComputedStyle(part);
      if (part.innerText.trim() === "" || !shown(part) || style.fontSize === "0px") {
        wrong.push(part.className + " is not whole");
      }
      if (/^[0-9A-Z]{16}$/.test(part.innerText) && part.offsetHeight > 24) wrong.push("a Global ID stands on two lines");
    }
  }
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode;
    if (!text.parentElement.closest("table, dl, .iban")) continue;
    for (const account of text.data.matchAll(/[A-Z]{2}\d\d(?: [0-9A-Z]{1,4}){3,}/g)) {
      const range = document.createRange();
      range.setStart(text, account.index);
      range.setEnd(text, account.index + account[0].length);
      if (range.getClientRects().length > 1) wrong.push(account[0] + " stands on two lines");
    }
  }
  return [...new Set(wrong)].slice(0, 6).join("; ");
}`

// broken names the next steps of rows that take two lines on a desk, where English ones have room.
const broken = `() => innerWidth < 1024 ? "" : [...document.querySelectorAll(".cell-steps a")].filter((step) => step.offsetHeight > 24)
  .map((step) => "the step “" + step.innerText + "” takes two lines").join("; ")`

// undecided asks the checker of accessibility for what it could not decide, which overlapping text is.
const undecided = `async () => {
  const result = await axe.run(document, { resultTypes: ["incomplete"],
    runOnly: ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa", "best-practice"] });
  return JSON.stringify(result.incomplete.map((v) => v.id + " at " + v.nodes.map((n) => n.target.join(" ")).slice(0, 3).join(", ")));
}`

// widest writes the first Global ID of a list in the widest letters there are.
const widest = `() => {
  const id = [...document.querySelectorAll(".entries .reference")].find((one) => /^[0-9A-Z]{16}$/.test(one.innerText));
  if (id) id.textContent = "W".repeat(16);
}`

// TestEveryListCanBeRead looks at each list with the longest names, purposes and amounts and the widest Global IDs, at every width people
// have, cell by cell: nothing is cut, nothing lies over anything, and nothing has to be scrolled sideways.
func TestEveryListCanBeRead(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	maker, both := as(t, "maker2"), as(t, "both1")
	long := newOrder("sic-inst")
	form := long.form()
	form["creditorName"] = "Elektrizitätswerk und Wasserversorgungsgenossenschaft der Stadt Beispielhausen und Umgebung Aktiengesellschaft " +
		long.name
	form["remittanceText"], form["amount"] = strings.Repeat("0123456789", 14), "19999.95"
	for _, p := range []*person{maker, both} {
		check := p.post("/payments/new", form)
		if !strings.HasSuffix(check, "/check") {
			t.Fatalf("the longest payment there is is refused: %q", check)
		}
		p.post(strings.TrimSuffix(check, "check")+"submit", map[string]any{
			"checked": p.shown(check), "duplicateAcknowledged": "yes", "duplicateReason": "to look at it",
		})
	}
	rejected, settled := maker.submit(newOrder("sct-inst")), maker.submit(newOrder("sic-inst"))
	as(t, "checker1").decide(rejected, "reject", "The whole order is missing: "+strings.Repeat("nobody knows it ", 20))
	both.decide(settled, "approve", "")
	settled.becomes(t, "Settled")
	typed := newOrder("sic-inst")
	typed.amount = "99999999999.99" // no scheme takes it, but a draft does
	maker.open("/payments/new")
	maker.typeIn(typed)
	maker.says(".kept", "Draft saved at")
	lists := map[*person][]string{
		maker: {"/mine", "/mine?tab=drafts", "/mine?tab=rejected", "/mine?tab=settled"},
		both: {
			"/queue", "/queue?tab=all", "/queue?tab=mine", "/queue?tab=decided", "/payments", "/payments?text=Elektrizit",
			"/payments?state=Rejected", "/mine",
		},
		as(t, "supervisor1"): {
			"/incoming", "/recalls", "/audit", "/quarantine", "/payments/" + settled.id + "/messages", "/payments/" + settled.id + "/audit",
		},
	}
	for p, paths := range lists {
		for _, path := range paths {
			p.open(path)
			p.readable(path)
		}
	}
}

// readable looks at the open page at every width, and has the checker of accessibility look at the widest and the narrowest.
func (p *person) readable(where string) {
	p.t.Helper()
	p.evaluate(widest)
	for _, width := range []int{320, 360, 768, 1024, 1200, 1440, 1920} {
		err := p.page.SetViewportSize(width, 900)
		if err != nil {
			p.t.Fatal(err)
		}
		if wrong := p.evaluate(unreadable); wrong != "" {
			p.t.Errorf("%s at %d px: %v", where, width, wrong)
		}
		if steps := p.evaluate(broken); steps != "" {
			p.t.Errorf("%s at %d px: %v", where, width, steps)
		}
		if width != 360 && width != 1440 {
			continue
		}
		// Tall enough that the decision, which stays in sight, lies over nothing: what is covered has no contrast that could be measured.
		err = p.page.SetViewportSize(width, 2400)
		if err != nil {
			p.t.Fatal(err)
		}
		if p.evaluate(`() => "axe" in window`) != true {
			p.evaluate(shared.axe)
		}
		text, _ := p.evaluate(undecided).(string)
		var open []string
		err = json.Unmarshal([]byte(text), &open)
		if err != nil {
			p.t.Fatal(fmt.Errorf("%s: %w in %q", where, err, text))
		}
		for _, one := range open {
			p.t.Errorf("%s at %d px is not decided: %s", where, width, one)
		}
	}
}

// rowsInSight counts the rows of the queue that a window shows whole, and those of them that take more than one line.
const rowsInSight = `() => {
  const rows = [...document.querySelectorAll("#queue-list tr[data-row]")].filter((row) => row.getBoundingClientRect().bottom <= innerHeight);
  const lines = (row) => row.querySelector(".name").getClientRects().length;
  return [rows.length, rows.filter((row) => row.offsetHeight > 36.5 || lines(row) > 1).length, document.documentElement.scrollHeight];
}`

// TestEighteenPaymentsAreSeenAtOnce: on a desk the queue shows 18 payments with names and purposes as people write them, and with flags,
// each on one line.
func TestEighteenPaymentsAreSeenAtOnce(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	maker, common := as(t, "maker1"), strings.TrimSuffix(strings.TrimPrefix(newOrder("sic-inst").name, "Muster "), " AG")
	for i := range 20 {
		o := newOrder("sic-inst")
		form := o.form()
		form["creditorName"] = common + " " + []string{"Holzbau GmbH", "Treuhand AG", "Stiftung zur Förderung der Wohnkultur am See", "Druckerei"}[i%4]
		form["remittanceText"] = "Rechnung 2026-11-" + fmt.Sprint(1000+i) + " vom 14. November, Bauholz Los 4 gemäss Auftrag 55-8812"
		if i%4 == 1 {
			form["creditorIban"] = swissDebtor
		}
		check := maker.post("/payments/new", form)
		maker.post(strings.TrimSuffix(check, "check")+"submit", map[string]any{"checked": maker.shown(check)})
	}
	p := as(t, "checker1")
	p.open("/queue?text=" + strings.ReplaceAll(common, " ", "+"))
	p.counts("#queue-list tr[data-row]", 20)
	p.evaluate(`() => document.querySelector(".clear").parentElement.remove()`) // the queue without a search has no such line
	if p.evaluate(`() => document.querySelectorAll("#queue-list .flag + .flag").length`) != 5 {
		t.Error("not five rows have two flags")
	}
	seen, _ := p.evaluate(rowsInSight).([]any)
	t.Logf("rows in sight, of several lines, height of the page: %v", seen)
	if fmt.Sprint(seen[1]) != "0" || p.evaluate("(n) => n >= 18", seen[0]) != true {
		t.Errorf("%v rows are in sight, %v of them on several lines", seen[0], seen[1])
	}
}
