package portal_test

import (
	"net/http"
	"strings"
	"testing"
)

// amends takes the form that amends a payment as far as the page to check.
func (w *browser) amends(id string, pairs ...string) (check string) {
	w.b.t.Helper()
	amend := w.get("/payments/" + id + "/amend").is(http.StatusOK)
	action := amend.page.Find("main form").AttrOr("action", "")
	return w.post(action, with(with(amend.fields(action), "act", "check"), pairs...)).goesTo("/payments/")
}

// TestTheCheckPageOfAnAmendmentShowsWhatItChanges: the reason, with its link, and each field as it waits and as it would be, and nothing
// else.
func TestTheCheckPageOfAnAmendmentShowsWhatItChanges(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	m := maker.submit(filled())
	check := maker.amends(m.InternalID.String(), "amount", "1'235.00", "amendReason", "The invoice says 1235")
	page := maker.get(check).is(http.StatusOK).says("The invoice says 1235")
	rows := page.page.Find("table.changes tbody tr")
	if text := strings.TrimSpace(rows.Text()); rows.Length() != 1 || text != "AmountCHF 1'234.50CHF 1'235.00" {
		t.Errorf("the page says that %q changes", text)
	}
	if n := page.page.Find("a[href$='/edit#amendReason']").Length(); n != 1 {
		t.Errorf("%d links lead to the reason", n)
	}
	if place := page.page.Find("nav a[aria-current='page']").Text(); !strings.Contains(place, "My submissions") {
		t.Errorf("the navigation marks %q", place)
	}
	fresh := maker.get(maker.post("/payments/new", with(filled(), "amount", "9.00", "endToEndId", "E2E-2")).goesTo("/payments/"))
	if n := fresh.page.Find("table.changes").Length() + fresh.page.Find("a[href$='#amendReason']").Length(); n != 0 {
		t.Error("a new payment changes something")
	}
}

// TestWhoLosesTheRaceToAmendIsToldToWhom: and when; what they typed is still there.
func TestWhoLosesTheRaceToAmendIsToldToWhom(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker, rival := b.as("maker1"), b.as("both1")
	id := maker.submit(filled()).InternalID.String()
	check := maker.amends(id, "amount", "1'236.00", "amendReason", "Typed for long")
	shown, send := maker.shown(check), strings.TrimSuffix(check, "check")+"submit"
	won := rival.amends(id, "amount", "1'235.00", "amendReason", "Faster")
	rival.post(strings.TrimSuffix(won, "check")+"submit", rival.shown(won)).goesTo("/payments/" + id)
	lost := maker.post(send, shown).is(http.StatusConflict).says("was amended by Both 1 at ").says("Your changes were not submitted")
	if text := lost.main(); strings.Contains(text, "before you decide") {
		t.Errorf("a maker is told what a checker is: %s", text)
	}
	if kept := lost.fields("/payments/"); kept.Get("amendReason") != "Typed for long" || kept.Get("amount") != "1'236.00" {
		t.Errorf("the form comes back with %v", kept)
	}
}
