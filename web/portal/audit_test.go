package portal_test

import (
	"net/http"
	"testing"
)

// TestSupervisorsAndAdministratorsSeeTheAuditTrail: what was done and what was refused, a failed sign-in among it; makers and checkers
// neither see the page nor the way to it.
func TestSupervisorsAndAdministratorsSeeTheAuditTrail(t *testing.T) {
	t.Parallel()
	b := setup(t)
	m := b.as("maker1").submit(filled())
	b.browser().post("/signin", credentials("maker2", "not the password"))
	b.Notary.Sweep(t.Context())
	for _, name := range []string{"supervisor1", "admin1"} {
		w := b.as(name)
		w.get("/audit").is(http.StatusOK).says("instruction.submit").says("sign-in.refused").says("Maker 1 (maker1)")
		only := w.get("/audit?event=sign-in.refused").is(http.StatusOK)
		w.get("/audit").says("Newest checkpoint").says("The trail is sealed.")
		if rows := only.page.Find("main tbody tr").Length(); rows != 1 {
			t.Errorf("%s: %d refused sign-ins, want 1", name, rows)
		}
		w.get("/audit?actor=maker1&from=2000-01-01&to=31.12.2999").is(http.StatusOK).says("instruction.submit")
		w.get("/audit?to=2000-01-01").is(http.StatusOK).says("No event of this realm matches")
		w.get("/audit?from=yesterday").is(http.StatusUnprocessableEntity).says("Enter a day such as 20.11.2026.")
		if w.get("/me").page.Find(`a[href="/audit"]`).Length() == 0 {
			t.Errorf("%s has no way to the page", name)
		}
	}
	if b.as("supervisor1").get("/audit").page.Find(`a[href="/payments/`+m.InternalID.String()+`/audit"]`).Length() != 1 {
		t.Error("the trail does not lead to the message")
	}
	for _, name := range []string{"maker1", "checker1"} {
		w := b.as(name)
		w.get("/audit").is(http.StatusForbidden)
		if w.get("/me").page.Find(`a[href="/audit"]`).Length() != 0 {
			t.Errorf("%s has a way to the page", name)
		}
	}
}
