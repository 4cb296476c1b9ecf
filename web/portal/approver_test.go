package portal_test

import (
	"net/http"
	"testing"
)

// TestAPaymentThatWaitsSaysForWhom: its policy, its approvals and the possible approvers are on its page and beside the queue.
func TestAPaymentThatWaitsSaysForWhom(t *testing.T) {
	t.Parallel()
	b := setup(t)
	m := b.as("both1").submit(with(filled(), "amount", "12'000.00"))
	for _, place := range []string{"/payments/", "/queue/"} { // the page and the pane beside the queue
		b.as("supervisor1").get(place + m.InternalID.String()).is(http.StatusOK).
			says("2 approvals, within").says("0 of 2").says("Checker 1, Checker 2").says("entered or changed this payment or request")
	}
	decide := b.as("checker1").get("/queue/" + m.InternalID.String()).fields("/queue/" + m.InternalID.String() + "/approve")
	b.as("checker1").post("/queue/"+m.InternalID.String()+"/approve", decide).is(http.StatusSeeOther)
	page := b.as("supervisor1").get("/payments/" + m.InternalID.String()).is(http.StatusOK)
	page.says("1 of 2").says("by Checker 1").says("Checker 1 has already approved this payment or request")
	german := b.as("supervisor1")
	german.header.Set("Accept-Language", "de-CH")
	german.get("/payments/" + m.InternalID.String()).is(http.StatusOK).says("ab CHF/EUR 10'000.00: 2 Freigaben, innert 24 h").
		says("Both 1 hat die Meldung erfasst oder geändert").says("Checker 1 hat die Meldung schon freigegeben")
}
