package portal_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
)

// TestSupervisorsAndAdministratorsSeeTheAuditTrail: what was done and what was refused, a failed sign-in among it; makers and checkers
// neither see the page nor the way to it.
func TestSupervisorsAndAdministratorsSeeTheAuditTrail(t *testing.T) {
	t.Parallel()
	b := setup(t)
	m := b.as("maker1").submit(filled())
	b.browser().post("/signin", credentials("maker2", "not the password"))
	b.as("maker2")
	b.Notary.Sweep(t.Context())
	for _, name := range []string{"supervisor1", "admin1"} {
		w := b.as(name)
		shown := w.get("/audit").is(http.StatusOK).page.Find("main tbody").Text()
		for _, words := range []string{"Payment: Submitted", "Sign-in refused", "Maker 1 (maker1)"} {
			if !strings.Contains(shown, words) {
				t.Errorf("%s reads no %q in the trail: %s", name, words, shown)
			}
		}
		if about := m.Summary.Amount.Format() + " to " + m.Summary.CreditorName; strings.Contains(shown, about) != (name == "supervisor1") {
			t.Errorf("%s reads in the trail, of %q: %s", name, about, shown)
		}
		only := w.get("/audit?event=sign-in.refused").is(http.StatusOK)
		if signIns := w.get("/audit?actor=maker2").texts("main tbody tr"); len(signIns) != 2 ||
			!strings.Contains(signIns[0], "Signed in") || !strings.Contains(signIns[1], "Sign-in refused") {
			t.Errorf("%s reads of the sign-ins of maker2: %q", name, signIns)
		}
		w.get("/audit").says("Newest checkpoint").says("The audit trail is sealed.")
		if rows := only.page.Find("main tbody tr").Length(); rows != 1 {
			t.Errorf("%s: %d refused sign-ins, want 1", name, rows)
		}
		w.get("/audit?actor=maker1&from=2000-01-01&to=31.12.2999").is(http.StatusOK).says("Payment: Submitted")
		w.get("/audit?to=2000-01-01").is(http.StatusOK).says("No event in this realm matches your search")
		for _, path := range []string{"/audit", "/audit/table"} {
			unread := w.get(path + "?from=someday").is(http.StatusUnprocessableEntity).says("Enter a date such as 20.11.2026.")
			if unread.page.Find(`a[href^="/audit/table"]`).Length() != 0 {
				t.Errorf("%s offers a table of a search that cannot be read", path)
			}
		}
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

// TestTheTrailIsLookedThroughInParts: what lies behind thousands of other events is not found on the first page, which says so and leads
// on.
func TestTheTrailIsLookedThroughInParts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.as("maker1").submit(filled())
	b.change(`SET session_replication_role = replica;
		INSERT INTO audit_event SELECT (jsonb_populate_record(one, jsonb_build_object('realm', one.realm, 'event_id', gen_random_uuid(),
		  'message_id', NULL, 'sequence', NULL, 'event', 'key.rotate', 'at', now() + n * interval '1 second'))).*
		FROM audit_event one, generate_series(1, 5100) n
		WHERE one.event_id = (SELECT event_id FROM audit_event WHERE realm = 'demo' AND event = 'instruction.submit')`)
	w := b.as("supervisor1")
	further := func(got answer, label string) string {
		reads := func(_ int, a *goquery.Selection) bool { return strings.TrimSpace(a.Text()) == label }
		return got.page.Find("main a").FilterFunction(reads).AttrOr("href", "")
	}
	rows := func(got answer) int { return got.page.Find("main tbody tr").Length() }
	first := w.get("/audit?event=instruction.submit").is(http.StatusOK).says("Nothing found so far").says("Older events have not been " +
		"searched yet.")
	second := w.get(further(first, "Show earlier entries")).is(http.StatusOK)
	if rows(first) != 0 || rows(second) != 1 || further(second, "Show earlier entries") != "" {
		t.Errorf("%d and %d submissions, want none and one, and then no way further", rows(first), rows(second))
	}
	all := w.get("/audit").is(http.StatusOK)
	next := w.get(further(all, "Next page")).is(http.StatusOK)
	if rows(all) != 100 || rows(next) != 100 {
		t.Errorf("%d and %d events on pages of many, want 100 on each", rows(all), rows(next))
	}
	whole, part := further(all, "Download CSV"), further(next, "Download CSV")
	if whole == "" || part != whole {
		t.Errorf("the second page leads to the table %q, the first to %q: a table holds the whole search", part, whole)
	}
	if narrowed := further(first, "Download CSV"); narrowed != "/audit/table?event=instruction.submit" {
		t.Errorf("a narrowed page leads to the table %q", narrowed)
	}
}

// TestTheTrailSaysWhatItTellsOf: nobody has to read JSON to know who gave whom which right, and each change leads to its page.
func TestTheTrailSaysWhatItTellsOf(t *testing.T) {
	t.Parallel()
	b := setup(t)
	app, _ := b.as("maker1").takeUp()
	again := b.browser()
	again.post("/signin", signInForm("maker1")).goesTo("/signin/factor")
	again.post("/signin/factor", url.Values{"factorCode": {app.code()}}).goesTo("/queue")
	one, two := b.as("admin1"), b.as("admin2")
	change := one.post("/admin/ask/user.roles?subject=maker2", url.Values{"roles": {"checker"}}).goesTo("/admin/changes/")
	two.post(change+"/approve", nil).goesTo(change)
	refused := one.post("/admin/ask/user.suppress?subject=maker1", nil).goesTo("/admin/changes/")
	two.post(refused+"/reject", url.Values{"reason": {"Not this one"}}).goesTo(refused)
	again.post("/signout", nil)
	b.as("maker1") // half
	b.Notary.Sweep(t.Context())
	b.Notary.Sweep(t.Context())
	for name, changes := range map[string]string{"admin1": "/admin/changes/", "supervisor1": "/reports/changes/"} {
		w := b.as(name)
		trail := w.get("/audit").is(http.StatusOK)
		for _, words := range []string{
			"Roles given to maker2: Checker; Roles removed from maker2: Maker", "Change the roles of maker2",
			"Block the user account maker1: Not this one",
			"Authenticator app My phone, to sign in", "Master data records saved: ", "Signed out",
		} {
			trail.says(words)
		}
		if text := trail.main(); strings.Contains(text, "{") || strings.Contains(text, `"`) {
			t.Errorf("%s reads what programs read: %s", name, text)
		}
		id := strings.TrimPrefix(change, "/admin/changes/")
		link := trail.page.Find(`a[href="` + changes + id + `"]`)
		if link.Length() != 4 { // asked for, approved, the rights, the rows it wrote
			t.Errorf("%d rows lead to the change for %s", link.Length(), name)
		}
		w.get(changes + id).is(http.StatusOK).says("Change the roles of maker2")
	}
}
