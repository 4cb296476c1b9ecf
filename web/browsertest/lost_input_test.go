package browsertest

import (
	"context"
	"strings"
	"testing"

	"github.com/playwright-community/playwright-go"

	"countersign/internal/testutil"
)

// back is the browser's button.
func (p *person) back() {
	p.t.Helper()
	_, err := p.page.GoBack()
	if err != nil {
		p.t.Fatal(err)
	}
}

// typed waits until the form holds what typeIn typed.
func (p *person) typed(o order) {
	p.t.Helper()
	p.holds("Name", o.name)
	p.holds("Amount in CHF", o.amount)
	p.holds("Message", "Rechnung 1107")
}

// forgive forgets what the browser said about an answer that the test asked for.
func (p *person) forgive() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.complaints = nil
}

// withoutDrafts does something while the table of drafts is away, which nothing in the program reckons with.
func withoutDrafts(t *testing.T, do func()) {
	t.Helper()
	rename := func(from, to string) {
		_, err := shared.program.database.Exec(context.Background(), "ALTER TABLE "+from+" RENAME TO "+to)
		if err != nil {
			t.Fatal(err)
		}
	}
	shared.program.caused = append(shared.program.caused, `relation \"draft\" does not exist`, "route=/payments/new status=500")
	rename("draft", "draft_away")
	defer rename("draft_away", "draft")
	do()
}

// fillForm types a new order into an empty form.
func (p *person) fillForm() order {
	p.t.Helper()
	o := newOrder("sic-inst")
	p.open("/payments/new")
	p.typeIn(o)
	return o
}

// keptForm is a form that says that it is kept.
func (p *person) keptForm() order {
	p.t.Helper()
	o := p.fillForm()
	p.says(".kept", "Draft saved at")
	p.at("/payments/[0-9a-f-]+/edit$")
	return o
}

// TestNothingTypedIsLost walks the ways in which what somebody typed could be lost. It runs alone: it takes a table away for a moment.
func TestNothingTypedIsLost(t *testing.T) {
	testutil.Long(t)
	p := as(t, "maker1")
	o := p.fillForm() // 422
	p.fill("Town", "")
	p.click("button", "Check your answers")
	p.says(".error-summary", "There is a problem")
	p.typed(o)

	o = p.fillForm() // 500
	withoutDrafts(t, func() {
		p.click("button", "Check your answers")
		p.says("h1", "Something went wrong on our side")
		p.says("main", "What you typed is kept on this page.")
	})
	p.forgive()
	p.click("button", "Send again")
	p.at("/payments/[0-9a-f-]+/check$")
	p.says("main", o.name)

	o = p.keptForm() // back
	p.click("button", "Check your answers")
	p.at("/payments/[0-9a-f-]+/check$")
	p.back()
	p.typed(o)

	o = p.keptForm() // reload
	_, err := p.page.Reload()
	if err != nil {
		t.Fatal(err)
	}
	p.typed(o)

	o = p.fillForm() // the session
	p.lapse()
	p.click("button", "Check your answers")
	p.click("link", "Sign in")
	p.signInAgain("maker1")
	p.typed(o)

	p.lostTab(t)
	lostReason(t)
	lostRecall(t)
	p.lostAnswers(t)

	m, checker, rival := p.submit(newOrder("sic-inst")), as(t, "checker1"), as(t, "checker2") // 409
	checker.open("/queue/" + m.id)
	checker.press("r", "Space", "Tab")
	checker.write("Nobody knows this order")
	rival.decide(m, "approve", "")
	checker.press("Control+Enter")
	checker.says(".conflict blockquote", "Nobody knows this order")
}

// lostTab closes the tab before anything said that the form is kept.
func (p *person) lostTab(t *testing.T) {
	t.Helper()
	o := p.fillForm()
	second, err := p.context.NewPage()
	must(t, second, err)
	err = p.page.Close(playwright.PageCloseOptions{RunBeforeUnload: playwright.Bool(true)})
	if err != nil {
		t.Fatal(err)
	}
	p.page = second
	for range 40 { // the closed tab sends it while this one works on
		p.open("/mine?tab=drafts")
		err = playwright.NewPlaywrightAssertions(250).Locator(p.find("main")).ToContainText(o.name)
		if err == nil {
			break
		}
	}
	p.click("link", o.name)
	p.typed(o)
}

// lostAnswers walks what is typed beside a form: the reason for paying again, a file, a bill.
func (p *person) lostAnswers(t *testing.T) {
	t.Helper()
	o := newOrder("sic-inst")
	p.submit(o)
	o.endToEndID += "B"
	p.open("/payments/new")
	p.typeIn(o)
	p.click("button", "Check your answers")
	p.at("/payments/[0-9a-f-]+/check$")
	p.fill("Why are you making this payment again?", "Second instalment")
	p.lapse()
	err := p.find("form[action$='/submit'] button.primary").Click()
	if err != nil {
		t.Fatal(err)
	}
	p.click("link", "Sign in")
	p.signInAgain("maker1")
	p.at("/payments/[0-9a-f-]+/check")
	p.holds("Why are you making this payment again?", "Second instalment")

	p.open("/payments/upload")
	err = p.page.GetByLabel("Payment file").SetInputFiles([]playwright.InputFile{
		{Name: "november.xml", MimeType: "application/xml", Buffer: sample(t, "sic-inst", newOrder("sic-inst"))},
	})
	if err != nil {
		t.Fatal(err)
	}
	p.lapse()
	p.click("button", "Import the file")
	p.click("link", "Sign in")
	p.signInAgain("maker1")
	p.says("main", "The file november.xml is saved")

	p.open("/payments/qr-bill")
	p.fill("Or enter the text of the QR code", swissBill)
	p.lapse()
	p.click("button", "Read the QR-bill")
	p.click("link", "Sign in")
	p.signInAgain("maker1")
	p.holds("Name", "Beispiel Holzbau GmbH")
}

// lostReason half types a reason to reject, and loads the page again, goes on to another message, leaves the page and comes back, closes
// the tab, and finds that a rival decided.
func lostReason(t *testing.T) {
	t.Helper()
	maker := as(t, "maker1")
	common, waiting := threeOrders(maker)
	first, second := waiting[0], waiting[1]
	p, rival := as(t, "checker1"), as(t, "checker2")
	p.open("/queue/" + first.id + "?text=" + strings.ReplaceAll(common, " ", "+"))
	p.press("r", "Space", "Tab")
	p.write("Nobody knows")
	p.says(".reject-form .kept", "Saved at")
	_, err := p.page.Reload()
	if err != nil {
		t.Fatal(err)
	}
	p.holds(reasonLabel, "Nobody knows")
	p.fill(reasonLabel, "Nobody knows it")
	p.press("Escape", "j") // before anything said that it is kept
	p.says("#detail-title", second.reference)
	p.press("k")
	p.says("#detail-title", first.reference)
	p.holds(reasonLabel, "Nobody knows it")
	p.fill(reasonLabel, "Nobody knows this")
	p.open("/payments")
	p.back()
	p.says("#detail-title", first.reference)
	p.holds(reasonLabel, "Nobody knows this")

	p.fill(reasonLabel, "Nobody knows this order")
	again, err := p.context.NewPage()
	must(t, again, err)
	err = p.page.Close(playwright.PageCloseOptions{RunBeforeUnload: playwright.Bool(true)})
	if err != nil {
		t.Fatal(err)
	}
	p.page = again
	rival.decide(first, "approve", "")
	for range 40 { // the closed tab sends it while this one works on
		p.open("/queue/" + first.id)
		err = playwright.NewPlaywrightAssertions(250).Locator(p.find(".conflict blockquote")).ToHaveText("Nobody knows this order")
		if err == nil {
			return
		}
	}
	t.Error(err)
}

// reasonLabel is the label of the reason to reject.
const reasonLabel = "What should the maker know or correct?"

// lostRecall half fills the form of a recall, and loads it again; it is found among the drafts.
func lostRecall(t *testing.T) {
	t.Helper()
	p := as(t, "maker2")
	m := p.submit(newOrder("sic-inst"))
	as(t, "checker1").decide(m, "approve", "")
	m.becomes(t, "Settled")
	p.open("/payments/" + m.id + "/recall")
	p.fill("Additional information, line 1", "Paid on Mon")
	p.says(".kept", "Draft saved at")
	p.at("/payments/" + m.id + `/recall\?draft=`)
	_, err := p.page.Reload()
	if err != nil {
		t.Fatal(err)
	}
	p.holds("Additional information, line 1", "Paid on Mon")
	p.open("/mine?tab=drafts")
	p.says("main", "Recall from")
}
