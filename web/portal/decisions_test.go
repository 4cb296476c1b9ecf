package portal_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"countersign/internal/auditlog"
	"countersign/internal/store"
)

// TestDecisionsAreAReportForAnAuditor: each decision of the period with what an auditor asks, as a page and as a whole table.
func TestDecisionsAreAReportForAnAuditor(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker, checker, supervisor := b.as("maker1"), b.as("checker1"), b.as("supervisor1")
	approved, rejected := maker.submit(filled()), maker.submit(with(filled(), "amount", "77.10"))
	path := "/queue/" + approved.InternalID.String() + "/approve"
	checker.post(path, checker.get("/queue/"+approved.InternalID.String()).fields(path)).is(http.StatusSeeOther)
	checker.post("/queue/"+rejected.InternalID.String()+"/reject", url.Values{
		"version": {"1"}, "contentHash": {hash(rejected)}, "category": {"other"}, "reason": {"=Not ours"},
	}).is(http.StatusSeeOther)
	supervisor.get("/reports").is(http.StatusOK).says("Decisions").says("Access review")
	page := supervisor.get("/reports/decisions").is(http.StatusOK)
	for _, words := range []string{
		"Approved", "Rejected", "Maker 1", "Checker 1", "CHF 1'234.50", "CHF 77.10", "Beispiel Holzbau GmbH", "Rechnung 1107", "=Not ours",
		"1 approval, within",
	} {
		page.says(words)
	}
	if kinds := page.texts("main tbody td:first-child .row-note"); len(kinds) != 2 || kinds[0] != "Kind: Payment" {
		t.Errorf("the kinds of the messages: %q", kinds)
	}
	if notes := page.texts("main tbody td:nth-child(6) .row-note"); !strings.HasPrefix(notes[0], "Policy: All payments and requests: 1 "+
		"approval") ||
		!strings.Contains(page.page.Find("main thead").Text(), "Purpose") || strings.Contains(page.main(), "Reference") {
		t.Errorf("the purpose and its rule: %q", notes)
	}
	table := supervisor.get("/reports/decisions/table").is(http.StatusOK)
	lines := strings.Split(strings.TrimSpace(table.text), "\r\n")
	if len(lines) != 3 || !strings.Contains(lines[1], `"77.10"`) || strings.Contains(lines[1], `"=Not`) ||
		!strings.Contains(lines[2], approved.InternalID.String()) {
		t.Errorf("the table: %q", lines)
	}
	book := supervisor.get("/reports/decisions/table?format=xlsx").is(http.StatusOK)
	if !strings.HasPrefix(book.text, "PK") {
		t.Error("the workbook is none")
	}
	if n := b.count("SELECT count(*) FROM audit_event WHERE event = 'list.export' AND detail LIKE '%/reports/decisions%'"); n != 2 {
		t.Errorf("%d exports are audited", n)
	}
	supervisor.get("/reports/decisions?from=01.01.2020&to=02.01.2020").is(http.StatusOK).says("No entries")
	checker.get("/reports/decisions").is(http.StatusForbidden)

	b.change("UPDATE message_version SET creditor_name = 'Somebody Else' WHERE message_id = '" + approved.InternalID.String() + "'")
	forged := supervisor.get("/reports/decisions").is(http.StatusOK).says("Withheld")
	if strings.Contains(forged.text, "Somebody Else") {
		t.Error("a planted name is reported")
	}
}

// TestASupervisorTakesEvidenceOfAPayment: the bundle proves the payment by itself, others get none, and the download is audited.
func TestASupervisorTakesEvidenceOfAPayment(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker, checker, supervisor := b.as("maker1"), b.as("checker1"), b.as("supervisor1")
	m := maker.submit(filled())
	path := "/queue/" + m.InternalID.String() + "/approve"
	checker.post(path, checker.get("/queue/"+m.InternalID.String()).fields(path)).is(http.StatusSeeOther)
	at := "/payments/" + m.InternalID.String() + "/evidence"
	supervisor.get("/payments/" + m.InternalID.String()).is(http.StatusOK).says("Download evidence of this payment")
	supervisor.get("/payments/" + m.InternalID.String() + "/audit").is(http.StatusOK).says("signed with the audit key")
	supervisor.get(at).is(http.StatusConflict).says("still being recorded in the signed audit trail")
	b.Notary.Sweep(t.Context())
	file := supervisor.get(at).is(http.StatusOK)
	bundle, err := auditlog.ParseBundle([]byte(file.text))
	must(t, err)
	signer, err := auditlog.NewSigner(b.AuditKeys)
	must(t, err)
	proven, err := bundle.Verify(signer.Public())
	if err != nil || bundle.MessageID != m.InternalID.String() || len(proven.Events) < 2 {
		t.Errorf("the bundle proves %d events of %s: %v", len(proven.Events), bundle.MessageID, err)
	}
	_, err = auditlog.ParseBundle([]byte(strings.Replace(file.text, "instruction.approve", "instruction.reject", 1)))
	if err == nil {
		changed, _ := auditlog.ParseBundle([]byte(strings.Replace(file.text, "instruction.approve", "instruction.reject", 1)))
		if _, err = changed.Verify(signer.Public()); err == nil {
			t.Error("a changed bundle proves something")
		}
	}
	for _, who := range []*browser{maker, checker, b.as("admin1")} {
		who.get(at).is(http.StatusForbidden)
	}
	b.asIn("demo2", "maker1").get(at).is(http.StatusForbidden)
	if n := b.count("SELECT count(*) FROM audit_event WHERE event = 'list.export' AND detail LIKE '%/evidence%'"); n != 2 {
		t.Errorf("%d downloads are audited", n)
	}
}

// TestAnAccessReviewHasAllAccounts: 5,000 are confirmed and kept; with more than a page can show, nothing is confirmed.
func TestAnAccessReviewHasAllAccounts(t *testing.T) {
	t.Parallel()
	b := setup(t)
	supervisor := b.as("supervisor1")
	add := `INSERT INTO user_account (realm, user_id, person_id, duty, name, password_hash, status, created_at)
		SELECT u.realm, gen_random_uuid(), u.person_id, u.duty, 'many' || n, u.password_hash, 'active', u.created_at
		FROM user_account u, generate_series(%d, %d) n WHERE u.realm = 'demo' AND u.name = 'maker2'`
	b.change(fmt.Sprintf(add, 1, 5000))
	form := supervisor.get("/reports/access").is(http.StatusOK).says("many5000").fields("/reports/access")
	supervisor.post("/reports/access", form).goesTo("/reports/access")
	link, _ := supervisor.get("/reports/access").page.Find(`a[href^="/reports/access/"]`).Attr("href")
	supervisor.get(link).is(http.StatusOK).says("many5000")
	b.change(fmt.Sprintf(add, 5001, store.MaxAccess))
	supervisor.get("/reports/access").is(http.StatusRequestEntityTooLarge).says("too many user accounts or clients")
	supervisor.post("/reports/access", form).is(http.StatusRequestEntityTooLarge)
}

// TestAnAccessReviewIsConfirmedAndKept: as it was shown, in the audit trail; a list that changed meanwhile is not confirmed.
func TestAnAccessReviewIsConfirmedAndKept(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.as("maker2")
	supervisor := b.as("supervisor1")
	page := supervisor.get("/reports/access").is(http.StatusOK).says("Maker 2").says("Maker since").says("never")
	if got := page.page.Find("tbody tr").FilterFunction(func(_ int, row *goquery.Selection) bool {
		return strings.Contains(row.Text(), "maker2")
	}).Text(); strings.Contains(got, "never") {
		t.Errorf("maker2 signed in: %q", got)
	}
	straight := page.page.Find("tbody tr:contains('demo-straight')").Text()
	if !strings.Contains(straight, "without approval") || !strings.Contains(straight, "active") {
		t.Errorf("the client that sends without approval reads %q", straight)
	}
	if office := page.page.Find("tbody tr:contains('demo-backoffice')").Text(); !strings.Contains(office, "another person, through") {
		t.Errorf("the client of the back office reads %q", office)
	}
	b.as("admin1").get("/admin/clients").says("nobody for some payments, because a policy allows them to be sent without approval")
	form := page.fields("/reports/access")
	form.Set("note", "maker2 leaves in December.")
	supervisor.get(supervisor.post("/reports/access", form).goesTo("/reports/access")).is(http.StatusOK).says("confirmed and saved")
	link, _ := supervisor.get("/reports/access").page.Find(`a[href^="/reports/access/"]`).Attr("href")
	supervisor.get(link).is(http.StatusOK).says("Confirmed by Supervisor 1").says("maker2 leaves in " +
		"December.").says("Checker since").says("demo-straight")
	if n := b.count("SELECT count(*) FROM audit_event WHERE event = 'access.review' AND detail LIKE '%maker2%'"); n != 1 {
		t.Errorf("%d reviews are kept", n)
	}
	form = supervisor.get("/reports/access").fields("/reports/access")
	form.Set("note", "maker2 leaves in December.")
	b.change("UPDATE client SET suppressed_at = now() WHERE client_id = 'demo-straight'")
	supervisor.post("/reports/access", form).is(http.StatusConflict).says("Nothing was confirmed")
	form = with(supervisor.get("/reports/access").fields("/reports/access"), "note", "maker2 leaves in December.")
	b.change("UPDATE user_account SET status = 'suppressed' WHERE name = 'both1'")
	supervisor.post("/reports/access", form).is(http.StatusConflict).says("Nothing was confirmed").says("maker2 leaves in December.")
	b.as("checker1").get("/reports/access").is(http.StatusForbidden)
	supervisor.get("/reports/access/00000000-0000-7000-8000-000000000000").is(http.StatusNotFound)
}
