package browsertest

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"countersign/internal/testutil"
)

// keysOfReview counts the keys of a payment beside its text in the review of the portal: 22 tabs to the IBAN, 2 to the amount, 8 to submit.
const keysOfReview = 32

// TestAPaymentIsEnteredByKeysAlone: the form opens at the IBAN, Ctrl+Enter checks and submits, and Enter begins the next one, so that the
// focus is never lost. COUNTERSIGN_KEYED_PAYMENTS enters more than three in a row.
func TestAPaymentIsEnteredByKeysAlone(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	payments, err := strconv.Atoi(either(os.Getenv("COUNTERSIGN_KEYED_PAYMENTS"), "3"))
	if err != nil {
		t.Fatal(err)
	}
	p := as(t, "maker2")
	p.open("/payments/new")
	keys, lost := 0, 0
	press := func(name string) {
		keys++
		p.press(name)
	}
	for range payments {
		o := newOrder("sic-inst")
		p.focused("#creditorIban")
		p.write(swissCreditor)
		press("Tab")
		p.focused("#creditorName")
		p.write(o.name)
		press("Tab")
		p.focused("#amount")
		p.write(o.amount)
		for _, title := range []string{"Check your answers", "has been submitted"} {
			press("Control+Enter")
			p.says("main h1", title)
			p.arrived()
			if p.evaluate("() => document.activeElement === document.body") == true {
				lost++
			}
		}
		p.at("/payments/[0-9a-f-]+/submitted$")
		press("Enter")
	}
	p.focused("#creditorIban")
	t.Logf("%d payments: %d keys each beside their text, focus lost %d times", payments, keys/payments, lost)
	if keys > payments*(keysOfReview-20) || lost > 0 {
		t.Errorf("%d keys for %d payments, focus lost %d times", keys, payments, lost)
	}
}

// TestThePaletteFindsPaymentsAndPlaces: Ctrl+K opens it on any page, Enter goes to a place whose name begins with the text, and looks for any
// other text in the payments.
func TestThePaletteFindsPaymentsAndPlaces(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	p := as(t, "maker2")
	p.open("/templates")
	p.press("Control+k")
	p.focused("#palette-text")
	p.says("#palette", "Approval queue")
	p.says("#palette", "New beneficiary")
	p.write("benef")
	p.counts("#places > .hint:visible", 0)
	p.press("Enter")
	p.says("main h1", "Beneficiaries")
	p.press("Control+k")
	p.write("29.11.2026")
	p.counts("#places h2:visible", 0)
	p.says("#places > .hint:visible", "Press Enter to search payments")
	p.press("Enter")
	p.says("main h1", "Payments")
	if !strings.Contains(p.page.URL(), "text=29.11.2026") {
		t.Errorf("the palette leads to %s", p.page.URL())
	}
}
