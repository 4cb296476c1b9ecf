package browsertest

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/playwright-community/playwright-go"

	"countersign/internal/demo"
	"countersign/internal/testutil"
)

// threeOrders are payments that a search for their common name finds, in the order of their arrival.
func threeOrders(p *person) (common string, waiting [3]submitted) {
	common = strings.TrimSuffix(newOrder("sic-inst").name, " AG")
	creditor := ownCreditor()
	for i := range waiting {
		o := newOrder("sic-inst")
		o.creditor = creditor
		o.name = fmt.Sprintf("%s %c", common, 'A'+i)
		waiting[i] = p.submit(o)
	}
	return common, waiting
}

// opened waits until the pane shows the message and reading starts at its heading.
func (p *person) opened(m submitted) {
	p.t.Helper()
	p.says("#pane #detail-title", m.reference)
	p.focused("#detail-title")
	p.counts(`[data-row="`+m.id+`"][aria-current=true]`, 1)
	p.at("/queue/" + m.id)
}

// TestACheckerWorksByKeyboardOnly presses keys and nothing else: no pointer, no script that helps.
func TestACheckerWorksByKeyboardOnly(t *testing.T) {
	t.Parallel()
	maker := as(t, "maker1")
	common, waiting := threeOrders(maker)
	first, second, third := waiting[0], waiting[1], waiting[2]
	p := as(t, "checker1")
	p.open("/")
	p.press("g", "q")
	p.at("/queue$")
	p.press("/")
	p.focused("#text")
	p.write(common)
	p.counts("#queue-list tr[data-row]", 3)
	p.says("#pane #detail-title", first.reference) // the pane goes with the list
	p.press("Tab", "j")
	p.focused("#open-" + second.id)
	p.says("#pane #detail-title", second.reference)
	p.press("k")
	p.focused("#open-" + first.id)
	p.says("#pane #detail-title", first.reference)
	p.press("o")
	p.opened(first)

	p.press("a")
	p.focused("#looked")
	p.press("Enter") // its warnings are not confirmed
	p.says("#pane .error-summary", "Check the warnings")
	first.is(t, "Approval Pending", 0)
	p.approve()
	p.opened(second)
	p.says("#status", first.about+" approved.")
	p.says("#pane #detail-title", second.reference)
	p.says("#row-"+first.id, "Approved by you")
	first.becomes(t, "Settled")

	p.press("r")
	p.focused("#reject-panel input[type=radio]")
	second.is(t, "Approval Pending", 0)
	p.press("Escape")
	p.counts("#reject-panel[open]", 0)
	p.focused("#reject-panel summary")
	p.press("r", "ArrowDown", "Tab")
	p.focused("#reason")
	p.press("Control+Enter") // nothing written yet
	p.focused(".error-summary")
	p.says("#pane .error-summary", "Enter a reason for the rejection.")
	p.says("#pane #detail-title", second.reference)
	second.is(t, "Approval Pending", 0)
	p.press("r", "Tab")
	p.focused("#reason")
	p.write("The account is not in the order, j k a r")
	p.press("Control+Enter")
	p.opened(third)
	p.says("#status", second.about+" rejected.")
	p.says("#pane #detail-title", third.reference)
	second.is(t, "Rejected", 1)

	p.press("r", "Space", "Tab")
	p.focused("#reason")
	p.write("Paid already")
	p.press("Tab", "Enter")
	p.says("#status", third.about+" rejected.")
	p.focused("#pane [data-autofocus]")
	p.says("#pane", "No results") // of the search; other payments may wait
	third.is(t, "Rejected", 1)
	first.is(t, "Settled", 1)
	if n := count(t, "SELECT count(*) FROM release WHERE message_id IN ($1, $2)", second.id, third.id); n != 0 {
		t.Errorf("%d rejected payments were released", n)
	}

	maker.open("/mine?tab=rejected")
	maker.says(`tr[data-row="`+second.id+`"]`, "The account is not in the order, j k a r")
	maker.says(`tr[data-row="`+second.id+`"]`, "Checker 1")
}

// TestRejectOpensInSightOnATelephone: its button stands at the foot of the window, its fields below.
func TestRejectOpensInSightOnATelephone(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	m := as(t, "maker2").submit(newOrder("sic-inst"))
	p := signedIn(t, "checker2", device{width: 360, height: 740})
	p.open("/queue/" + m.id)
	if err := p.find("#reject-panel summary").Click(); err != nil {
		t.Fatal(err)
	}
	p.focused("#reject-panel input[type=radio]")
	for _, part := range []string{"#reject-panel input[type=radio]", "#reject-panel label"} {
		if err := p.expect.Locator(p.find(part).First()).ToBeInViewport(); err != nil {
			t.Errorf("%s: %v", part, err)
		}
	}
	m.is(t, "Approval Pending", 0)
}

func TestKeysRestWhereTheyWouldHarm(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	m := as(t, "maker1").submit(newOrder("sic-inst"))
	p := as(t, "checker2")
	p.open("/queue/" + m.id)
	p.press("a", "a", "r", "a", "x", "j")
	p.focused("#reject-panel input[type=radio]") // a reason that is written too early approves nothing
	p.counts("#queue-list input:checked", 0)
	p.press("Escape", "a")
	p.focused("#looked")
	p.press("Control+a", "Alt+r")
	p.focused("#looked")
	p.press("?")
	p.counts("#shortcut-sheet[open]", 1)
	p.press("r", "j")
	p.counts("#shortcut-sheet[open]", 1)
	p.press("Escape")
	p.counts("#shortcut-sheet[open]", 0)
	p.press("/")
	p.focused("#text")
	p.press("Escape") // leaves an empty search
	p.focused("#open-" + m.id)
	m.is(t, "Approval Pending", 0)
}

func TestTheSlowerOfTwoCheckersReadsWhoWon(t *testing.T) {
	t.Parallel()
	m := as(t, "maker1").submit(newOrder("sct-inst"))
	fast, slow := as(t, "checker1"), as(t, "checker2")
	fast.open("/queue/" + m.id)
	slow.open("/queue/" + m.id)
	slow.press("r", "Space", "Tab")
	slow.write("I do not know <them> & their account")
	fast.approve()
	m.becomes(t, "Settled")

	slow.press("Control+Enter")
	slow.focused("#pane .conflict")
	slow.says("#conflict-title", m.reference+" was already approved by Checker 1 at ")
	slow.says(".conflict", "Your decision was not saved.")
	slow.says(".conflict blockquote", "I do not know <them> & their account")
	slow.says(".conflict .before-after", "Waiting for approval")
	slow.says("#pane #detail-title", m.reference)
	slow.counts("#approve", 0)
	slow.counts("#reject-panel", 0)
	m.is(t, "Settled", 1)
	if n := count(t, "SELECT count(*) FROM release WHERE message_id = $1", m.id); n != 1 {
		t.Errorf("%d releases, want 1", n)
	}
}

func TestNobodyDecidesOnTheirOwnSubmission(t *testing.T) {
	t.Parallel()
	p, o := as(t, "both1"), newOrder("sic-inst")
	m := p.submit(o)
	p.open("/queue/" + m.id)
	p.says("#pane .barred", "Another person must approve or reject it")
	p.counts("#approve", 0)
	p.counts("#reject-panel", 0)
	p.counts("#pane form", 0)
	p.press("a", "Enter", "r", "Enter")
	for _, verb := range []string{"approve", "reject"} {
		status, _ := p.postRaw("/queue/"+m.id+"/"+verb, map[string]any{
			"version": fmt.Sprint(m.version), "contentHash": m.hash, "looked": "First payment", "category": "other", "reason": "mine",
		})
		if status != http.StatusForbidden {
			t.Errorf("%s by hand is answered with %d, want 403", verb, status)
		}
	}
	m.is(t, "Approval Pending", 0)
	p.open("/queue?text=" + m.reference)
	p.counts("#queue-list tr[data-row]", 0)
	p.open("/queue?tab=mine&text=" + m.reference)
	p.counts("#queue-list tr[data-row]", 1)

	// The same person may decide what somebody else submitted.
	other := as(t, "maker2").submit(newOrder("sic-inst"))
	p.open("/queue/" + other.id)
	p.approve()
	p.says("#status", other.about+" approved.")
	other.becomes(t, "Settled")
}

// TestNewArrivalsAreOfferedAndMoveNothing counts what waits, so it works in the realm in which no other test decides.
func TestNewArrivalsAreOfferedAndMoveNothing(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	maker, p := visitor(t, desktop), visitor(t, desktop)
	maker.signIn(demo.SecondRealm, "maker1")
	p.signIn(demo.SecondRealm, "checker1")
	common, _ := threeOrders(maker)
	p.open("/queue?text=" + strings.ReplaceAll(common, " ", "+"))
	p.counts("#queue-list tr[data-row]", 3)
	late := newOrder("sic-inst")
	late.name = common + " late"
	m := maker.submit(late)
	p.says(".live a", "Show 1 new entry")
	p.says("#queue-facts", "4 found")
	p.counts("#queue-list tr[data-row]", 3)
	p.click("link", "Show 1 new entry")
	p.counts("#queue-list tr[data-row]", 4)
	p.counts("#row-"+m.id, 1)
}

// TestTheKeysActOnTheRowUnderTheCursor: the next key may come before the pane has followed.
func TestTheKeysActOnTheRowUnderTheCursor(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	common, waiting := threeOrders(as(t, "maker1"))
	p := as(t, "checker1")
	p.open("/queue?text=" + strings.ReplaceAll(common, " ", "+"))
	p.says("#pane #detail-title", waiting[0].reference) // the first row is open by itself
	p.counts(`[data-row="`+waiting[0].id+`"][aria-current=true]`, 1)
	p.press("j")
	p.approve()
	p.opened(waiting[2])
	waiting[1].becomes(t, "Settled")
	waiting[0].is(t, "Approval Pending", 0)
	p.press("Escape")
	p.focused("#open-" + waiting[2].id)
	p.press("k", "k", "r")
	p.focused("#reject-panel input[type=radio]")
	p.says("#pane #detail-title", waiting[0].reference)
}

// TestKeysThatComeWithAnAnswerMoveOnce: who goes on in the moment in which the answer of a decision comes has cursor and pane on one row
// afterwards, and there a key acts.
func TestKeysThatComeWithAnAnswerMoveOnce(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	common, waiting := threeOrders(as(t, "maker1"))
	p := as(t, "checker1")
	p.open("/queue?text=" + strings.ReplaceAll(common, " ", "+"))
	p.says("#pane #detail-title", waiting[0].reference)
	p.approve()
	waiting[0].becomes(t, "Settled") // about when the answer comes
	p.press("j", "j")
	p.says("#status", waiting[0].about+" approved.")
	for tries, one := 0, false; !one; tries++ {
		at, err := p.page.Evaluate(`(() => {
			const row = document.querySelector("[data-row][aria-current=true]"), pane = document.querySelector("#pane [data-message]");
			return row !== null && pane !== null && row.dataset.row === pane.dataset.message && row.contains(document.activeElement);
		})()`)
		if err != nil || tries > 200 {
			t.Fatalf("cursor and pane are not on one row: %v", err)
		}
		one, _ = at.(bool)
		time.Sleep(50 * time.Millisecond)
	}
	shown, err := p.page.Locator("#pane [data-message]").GetAttribute("data-message")
	if err != nil {
		t.Fatal(err)
	}
	p.press("r")
	p.focused(`#pane [data-message="` + shown + `"] [name=category]`)
}

// TestAnAnswerThatComesLateLeavesThePaneAlone: who went on while a decision was on its way keeps the row, the pane, what was typed there
// and the focus. The reason typed for one message must never become keys that act on another.
func TestAnAnswerThatComesLateLeavesThePaneAlone(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	common, waiting := threeOrders(as(t, "maker1"))
	p := as(t, "checker1")
	p.open("/queue?text=" + strings.ReplaceAll(common, " ", "+"))
	p.says("#pane #detail-title", waiting[0].reference)
	answered := make(chan struct{})
	err := p.page.Route("**/queue/*/approve?*", func(route playwright.Route) {
		answer, err := route.Fetch()
		<-answered
		if err == nil {
			err = route.Fulfill(playwright.RouteFulfillOptions{Response: answer})
		}
		if err != nil {
			t.Error(err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	p.approve()
	waiting[0].becomes(t, "Settled")
	p.press("j", "j")
	p.says("#pane #detail-title", waiting[2].reference)
	p.press("r")
	p.focused("#pane [name=category]")
	p.press("Tab")
	p.focused("#pane textarea")
	p.write("Wrong account")
	close(answered)
	p.says("#status", waiting[0].about+" approved.")
	p.says("#row-"+waiting[0].id+".is-decided", "Approved by you")
	p.says("#pane #detail-title", waiting[2].reference)
	p.focused("#pane textarea")
	p.counts(`[data-row="`+waiting[2].id+`"][aria-current=true]`, 1)
	p.at("/queue/" + waiting[2].id)
	waiting[1].is(t, "Approval Pending", 0)
}
