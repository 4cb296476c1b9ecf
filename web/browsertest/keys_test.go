package browsertest

import (
	"strings"
	"testing"
)

// TestAPaymentIsEnteredByKeysAlone: the form opens at the IBAN, Ctrl+Enter checks and submits, and Enter begins the next one, so that the
// focus is never lost.
func TestAPaymentIsEnteredByKeysAlone(t *testing.T) {
	t.Parallel()
	p := as(t, "maker2")
	p.open("/payments/new")
	for range 3 {
		o := newOrder("sic-inst")
		p.focused("#creditorIban")
		keys := 0
		press := func(names ...string) {
			keys += len(names)
			p.press(names...)
		}
		p.write(swissCreditor)
		press("Tab")
		p.focused("#creditorName")
		p.write(o.name)
		press("Tab")
		p.focused("#amount")
		p.write(o.amount)
		press("Control+Enter")
		p.says("main h1", "Check your answers")
		press("Control+Enter")
		p.says("main h1", "is submitted")
		if !strings.HasSuffix(p.page.URL(), "/submitted") {
			t.Fatalf("the form leads to %s", p.page.URL())
		}
		press("Enter")
		if t.Logf("%d keys beside what is typed", keys); keys > 5 {
			t.Errorf("%d keys a payment", keys)
		}
	}
	p.focused("#creditorIban")
}

// TestThePaletteFindsPaymentsAndPlaces: Ctrl+K opens it on any page, Enter goes to a place whose name begins with the text, and looks for any
// other text in the payments.
func TestThePaletteFindsPaymentsAndPlaces(t *testing.T) {
	t.Parallel()
	p := as(t, "maker2")
	p.open("/templates")
	p.press("Control+k")
	p.focused("#palette-text")
	p.write("benef")
	p.press("Enter")
	p.says("main h1", "Beneficiaries")
	p.press("Control+k")
	p.write("29.11.2026")
	p.press("Enter")
	p.says("main h1", "Payments")
	if !strings.Contains(p.page.URL(), "text=29.11.2026") {
		t.Errorf("the palette leads to %s", p.page.URL())
	}
}
