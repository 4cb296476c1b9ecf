package portal_test

import (
	"net/http"
	"strings"
	"testing"

	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service/servicetest"
)

// readers are people of every role that sees payments.
var readers = []string{"maker1", "checker1", "both1", "supervisor1"}

// TestRowsThatCannotBeReadAreShownAsWithheld: a person who may write into the database can make one row that nothing here can read. It is
// shown as what it is, withheld, and takes no page and no list down with it.
func TestRowsThatCannotBeReadAreShownAsWithheld(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	m, amended := maker.submit(filled()), maker.submit(with(filled(), "endToEndId", "E2E-2", "amount", "2"))
	amend := "/payments/" + amended.InternalID.String() + "/amend"
	check := maker.post(amend, with(maker.get(amend).is(http.StatusOK).fields(amend), "amount", "2.60", "act", "check", "amendReason",
		"typo")).goesTo("/payments/")
	page := maker.get(check).is(http.StatusOK)
	action, _ := page.page.Find("main form").Attr("action")
	maker.post(action, page.fields(action)).goesTo("/payments/")

	strange := servicetest.Forge(t, b.DB, m, map[string]string{"currency": "'XXX'"}).String()
	unread := maker.submit(with(filled(), "endToEndId", "E2E-3", "amount", "3")).InternalID.String()
	b.change("SET session_replication_role = replica; UPDATE document SET content = 'x', content_hash = sha256('x') WHERE message_id = '" +
		unread +
		"'; UPDATE document d SET content = 'x', content_hash = sha256('x') FROM message_version v WHERE v.document_id = d.document_id AND " +
		"v.version = 1 AND d.message_id = '" +
		amended.InternalID.String() + "'")

	for _, name := range readers {
		w := b.as(name)
		for _, list := range []string{
			"/", "/queue", "/queue?tab=all", "/queue?tab=decided", "/payments", "/payments?direction=out", "/incoming",
			"/recalls",
		} {
			w.get(list).is(http.StatusOK)
		}
		for _, list := range []string{"/queue?tab=all", "/payments"} {
			row := w.get(list).page.Find(`[data-row="` + strange + `"]`)
			if row.Length() != 1 || !strings.Contains(row.Text(), "Withheld") {
				t.Errorf("%s: the row of a strange currency in %s says %q", name, list, strings.Join(strings.Fields(row.Text()), " "))
			}
		}
		for _, id := range []string{strange, unread, amended.InternalID.String()} {
			for _, part := range []string{
				"/payments/" + id, "/payments/" + id + "/timeline", "/payments/" + id + "/messages", "/payments/" + id + "/related",
				"/payments/" + id + "/audit", "/queue/" + id,
			} {
				w.get(part).is(http.StatusOK)
			}
			for _, form := range []string{
				"/queue/" + id + "/reject", "/payments/" + id + "/withdraw", "/payments/" + id + "/amend",
				"/payments/" + id + "/recall", "/payments/new?like=" + id,
			} {
				w.get(form) // whatever it answers, it is no fault of the gateway
			}
		}
		for _, id := range []string{strange, unread} {
			shown := w.get("/queue/" + id).says("Withheld")
			if shown.page.Find(`form[action$="/approve"]`).Length() > 0 {
				t.Errorf("%s is offered to approve what is withheld", name)
			}
		}
	}
	b.as("maker1").get("/mine").is(http.StatusOK).says("This payment or request is withheld.")
	b.as("checker1").get("/queue/" + amended.InternalID.String()).says("The previous version cannot be read")
}

// TestSumsBearWhatNobodyCouldHaveEntered: amounts whose sum no column holds, planted as the service could, take no list down.
func TestSumsBearWhatNobodyCouldHaveEntered(t *testing.T) {
	t.Parallel()
	b := setup(t)
	m := b.as("maker1").submit(filled())
	for range 2 {
		servicetest.Forge(t, b.DB, m, map[string]string{"amount": "9223372036854775807"})
		m.GlobalID = "" // the copy has an id of its own
		b.change("UPDATE message SET global_id = translate(global_id, '0123456789', '2345678901') WHERE message_id <> '" +
			m.InternalID.String() + "'")
	}
	for _, name := range readers {
		for _, page := range []string{"/", "/queue", "/queue?tab=all", "/payments"} {
			b.as(name).get(page).is(http.StatusOK)
		}
	}
}

// TestARecallOrPaymentThatSomebodyChangedIsShownAsWithheld: what came in, and what is asked back, is held against its seal in every list
// and on every page as what goes out is.
func TestARecallOrPaymentThatSomebodyChangedIsShownAsWithheld(t *testing.T) {
	t.Parallel()
	o := setup(t).clearing()
	incoming, received := o.recalled(rulebook.SchemeSIC, "TX1")
	paid := o.settled(filled())
	maker := o.as("maker1")
	ask := "/payments/" + paid.InternalID.String() + "/recall"
	ours := maker.requests(ask, "reason", "DUPL")
	o.change("SET session_replication_role = replica; UPDATE message_version SET debtor_name = 'Mallory', amount = amount * 2 WHERE " +
		"message_id IN ('" +
		incoming.InternalID.String() + "', '" + received.InternalID.String() + "', '" + ours.InternalID.String() + "')")
	for _, name := range readers {
		w := o.as(name)
		for list, m := range map[string]payment.Message{
			"/payments?direction=in": incoming, "/incoming": incoming, "/recalls": received, "/payments": ours, "/queue?tab=all": ours,
		} {
			row := w.get(list).is(http.StatusOK).page.Find(`[data-row="` + m.InternalID.String() + `"]`)
			if row.Length() != 1 || !strings.Contains(row.Text(), "Withheld") {
				t.Errorf("%s: the row of a changed %s in %s says %q", name, m.Kind, list, strings.Join(strings.Fields(row.Text()), " "))
			}
		}
		for _, m := range []payment.Message{incoming, received, ours} {
			home := "/payments/" + m.InternalID.String()
			w.get(home).is(http.StatusOK).says("Withheld")
			for _, part := range []string{"/timeline", "/messages", "/related", "/audit"} {
				w.get(home + part).is(http.StatusOK)
			}
		}
		for _, form := range []string{
			"/payments/" + incoming.InternalID.String() + "/return", "/recalls/" + received.InternalID.String() + "/resolve",
			"/recalls/" + received.InternalID.String() + "/return",
		} {
			w.get(form) // whatever it answers, it is no fault of the gateway
		}
		w.get("/").is(http.StatusOK)
	}
	if o.as("checker1").get("/queue/"+ours.InternalID.String()).says("Withheld").page.Find(`form[action$="/approve"]`).Length() > 0 {
		t.Error("a changed recall is offered to approve")
	}
}
