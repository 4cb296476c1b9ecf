package browsertest

import (
	"strings"
	"testing"

	"github.com/playwright-community/playwright-go"

	"countersign/internal/testutil"
)

// typeIn fills the form of the portal by hand. The scheme's page is open.
func (p *person) typeIn(o order) {
	p.t.Helper()
	iban, postcode, town := strings.ToLower(swissCreditor[:4])+" "+swissCreditor[4:], "8002", "Zuerich"
	if o.scheme == "sct-inst" {
		iban, postcode, town = frenchCreditor[:4]+"-"+frenchCreditor[4:], "75001", "Paris"
	}
	p.fill("IBAN", iban)
	p.fill("Name", o.name)
	p.unfold(".address")
	p.fill("Street", "Seestrasse")
	p.fill("Number", "41")
	p.fill("Postcode", postcode)
	p.fill("Town", town)
	if o.scheme == "sct-inst" {
		_, err := p.page.GetByLabel("Country").SelectOption(playwright.SelectOptionValues{Values: &[]string{"FR"}})
		if err != nil {
			p.t.Fatal(err)
		}
	}
	p.fill("Amount in "+o.currency(), o.amount)
	p.choose("Message to the creditor")
	p.fill("Message", "Rechnung 1107")
	p.fill("End-to-end ID", o.endToEndID)
}

func TestAMakerEntersAPayment(t *testing.T) {
	t.Parallel()
	for scheme, feedback := range map[string][]string{
		"sic-inst": {"CH48 2196 6000 0096 1338 8", "Switzerland"}, "sct-inst": {"FR14 2004 1010 0505 0001 3M02 606", "France"},
	} {
		t.Run(scheme, func(t *testing.T) {
			t.Parallel()
			p, o := as(t, "maker1"), newOrder(scheme)
			p.open("/payments/new?scheme=" + scheme)
			p.typeIn(o)

			// What is known of the account appears beside the field, which groups itself and keeps the focus where it was.
			status := p.find("#creditorIban-feedback[role=status]")
			for _, text := range feedback[1:] {
				err := p.expect.Locator(status).ToContainText(text)
				if err != nil {
					t.Fatal(err)
				}
			}
			p.holds("IBAN", feedback[0])
			p.focused("#endToEndId")

			p.click("button", "Check your answers")
			p.at("/payments/[0-9a-f-]+/check$")
			p.says("main", o.shown())
			p.says("main", o.name)
			p.says("main", feedback[0])
			p.says("main", "Another person must check your submission and approve or reject it")
			if n := o.payments(t); n != 0 {
				t.Fatalf("%d payments exist before the answers were checked", n)
			}
			p.click("button", "Submit "+o.shown()+" for approval")
			p.at("/payments/[0-9a-f-]+/submitted$")
			m := o.find(t)
			p.says("main", m.reference)
			p.says("main .badge", "Waiting for approval")
			m.is(t, "Approval Pending", 0)
			if n := count(t, "SELECT count(*) FROM release WHERE message_id = $1", m.id); n != 0 {
				t.Errorf("%d releases without an approval", n)
			}
		})
	}
}

func TestTheSchemeSwitchKeepsWhatWasTyped(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	p, o := as(t, "maker1"), newOrder("sic-inst")
	p.open("/payments/new")
	p.typeIn(o)
	p.click("button", "SEPA instant")
	p.holds("Name", o.name)
	p.holds("Amount in EUR", o.amount)
	p.holds("Message", "Rechnung 1107")
	p.counts("text=QR reference", 0)
	if n := o.payments(t); n != 0 {
		t.Errorf("%d payments after a switch of the scheme", n)
	}
}

func TestARefusedFormSaysWhatToCorrect(t *testing.T) {
	t.Parallel()
	p, o := as(t, "maker1"), newOrder("sic-inst")
	p.open("/payments/new")
	p.typeIn(o)
	p.fill("IBAN", "CH4821966000009613389")
	p.fill("Amount in CHF", "1,234")
	p.fill("Town", "")
	p.choose("QR reference")
	p.fill("QR reference", "210000000003139471430009018")
	p.click("button", "Check your answers")
	p.says("main", "There is a problem")
	p.focused(".error-summary")
	if title := p.title(); !strings.HasPrefix(title, "Error: ") {
		t.Errorf("the title is %q", title)
	}
	first := p.evaluate(`() => [...document.querySelector("main").children].find((e) => e.id !== "status" && e.id !== "another").className`)
	if first != "error-summary" {
		t.Errorf("the page begins with %v", first)
	}
	p.summaryLeadsToItsFields("creditorIban", "amount", "town", "qrReference")
	p.holds("Name", o.name)
	p.holds("Amount in CHF", "1,234")
	p.holds("QR reference", "210000000003139471430009018")
	p.holds("IBAN", "CH48 2196 6000 0096 1338 9")
	p.holds("Message", "Rechnung 1107")
	if n := o.payments(t); n != 0 {
		t.Errorf("%d payments from a refused form", n)
	}
}

// summaryLeadsToItsFields follows each link of the error summary: it must put the focus on its field, or into its group of fields,
// which says the same sentence.
func (p *person) summaryLeadsToItsFields(fields ...string) {
	p.t.Helper()
	for _, field := range fields {
		link := p.find(`.error-summary a[href="#` + field + `"]`).First()
		sentence, err := link.InnerText()
		if err != nil {
			p.t.Fatalf("the summary does not name %s: %v", field, err)
		}
		err = link.Click()
		if err != nil {
			p.t.Fatal(err)
		}
		p.says("#"+field+"-error", sentence)
		reached := p.evaluate(`(id) => { const e = document.getElementById(id); return e.contains(document.activeElement) }`, field)
		if reached != true {
			p.t.Errorf("the link to %s leaves the focus on %v", field, p.evaluate(describeFocus))
		}
		described := p.evaluate(
			`(id) => { const e = document.getElementById(id); return e.getAttribute("aria-invalid") + " " + e.getAttribute("aria-describedby") }`,
			field,
		)
		if text, _ := described.(string); !strings.HasPrefix(text, "true ") || !strings.Contains(text, field+"-error") {
			p.t.Errorf("%s is marked %q", field, described)
		}
	}
}

func TestTheSummaryLeadsIntoAGroupOfChoices(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	p, o := as(t, "maker1"), newOrder("sic-inst")
	p.open("/payments/new")
	p.typeIn(o)
	p.fill("IBAN", "CH4431999123000889012") // an account for QR references only
	p.choose("No reference")
	p.click("button", "Check your answers")
	p.focused(".error-summary")
	p.summaryLeadsToItsFields("remittanceKind")
	p.open("/mine")
	p.open("/payments/new#remittanceKind") // as "Change" beside the reference does
	p.focused("#remittanceKind")
}

func TestADoubleClickSubmitsOnce(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	for name, with := range map[string]device{"with script": desktop, "without": {width: 1440, height: 900, noScript: true}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, o := signedIn(t, "maker1", with), newOrder("sic-inst")
			p.open(p.post("/payments/new", o.form()))
			button := p.page.GetByRole("button", playwright.PageGetByRoleOptions{Name: "Submit " + o.shown()})
			err := button.Dblclick()
			if err != nil {
				t.Fatal(err)
			}
			p.at("/payments/[0-9a-f-]+/submitted$")
			m := o.find(t)
			m.is(t, "Approval Pending", 0)

			// The same page again, by the back button or a reload, is the same payment.
			_, err = p.page.GoBack()
			if err != nil {
				t.Fatal(err)
			}
			_, err = p.page.Reload()
			if err != nil {
				t.Fatal(err)
			}
			p.says("main", m.reference)
			o.find(t)
		})
	}
}

func TestNothingTypedIsLostOnTheWay(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	p, o := as(t, "maker1"), newOrder("sic-inst")
	p.open("/payments/new")
	p.typeIn(o)
	p.click("button", "Check your answers")
	p.at("/payments/[0-9a-f-]+/check$")
	_, err := p.page.Reload()
	if err != nil {
		t.Fatal(err)
	}
	p.says("main", o.name)
	p.click("link", "Change name")
	p.at("/payments/[0-9a-f-]+/edit(#[a-zA-Z]+)?$")
	p.holds("Name", o.name)
	p.holds("Amount in CHF", o.amount)
	p.fill("Amount in CHF", "1,234")
	p.click("button", "Check your answers")
	p.focused(".error-summary")
	_, err = p.page.Reload()
	if err != nil {
		t.Fatal(err)
	}
	p.holds("Amount in CHF", "1,234")
	p.holds("Name", o.name)
	_, err = p.page.GoBack()
	if err != nil {
		t.Fatal(err)
	}
	p.holds("Name", o.name)
	if n := o.payments(t); n != 0 {
		t.Errorf("%d payments, but nothing was submitted", n)
	}
}

// TestAMakerIsToldThatABankIsNotReached: at the field, as soon as the account is typed, and at the refusal (AGNT). Nothing is submitted.
func TestAMakerIsToldThatABankIsNotReached(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	const unreached = "ES9121000418450200051332"
	p, o := as(t, "maker1"), newOrder("sct-inst")
	p.open("/payments/new?scheme=sct-inst")
	p.typeIn(o)
	p.says("main", "accepts SEPA instant payments")
	p.fill("IBAN", unreached)
	p.fill("Name", o.name) // leaves the field
	p.says("main", "does not accept instant payments")
	p.click("button", "Check your answers")
	p.says(".error-summary", "does not accept instant payments")
	p.says("#creditorIban-error", "does not accept instant payments")
	if n := o.payments(t); n != 0 {
		t.Errorf("%d payments to a bank that is not reached", n)
	}
}
