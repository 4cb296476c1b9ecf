package portal_test

import (
	"net/http"
	"strings"
	"testing"

	"countersign/internal/payment"
)

// notices are the headings of what a checker is told to look at first.
func (a answer) notices() string {
	return strings.Join(strings.Fields(a.page.Find("#pane .notice-title").Text()), " ")
}

// paid submits a payment and lets it be approved.
func (w *browser) paid(pairs ...string) {
	w.b.t.Helper()
	m := w.submit(with(filled(), pairs...))
	checker, path := w.b.as("checker1"), "/queue/"+m.InternalID.String()
	checker.post(path+"/approve", checker.get(path).fields(path+"/approve")).goesTo("/queue")
}

// TestTheApprovalNamesWhatDiffersFromBefore goes through the life of one creditor.
func TestTheApprovalNamesWhatDiffersFromBefore(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker, checker := b.as("maker1"), b.as("checker1")
	look := func(pairs ...string) answer {
		return checker.get("/queue/" + maker.submit(with(filled(), pairs...)).InternalID.String()).is(http.StatusOK)
	}
	if said := look("endToEndId", "A").notices(); said != "First payment to this account" {
		t.Errorf("of a new creditor: %q", said)
	}
	maker.paid("endToEndId", "B", "amount", "100.00")
	if said := look("endToEndId", "C", "amount", "300.00").notices(); said != "" {
		t.Errorf("of a payment like those before: %q", said)
	}
	page := look("endToEndId", "D", "amount", "300.01").says("The last payment to this account was CHF 100.00.")
	if said := page.notices(); said != "Far above the usual amount" {
		t.Errorf("of a large one: %q", said)
	}
	page = look("endToEndId", "E", "amount", "99.00", "creditorName", "Somebody Else AG")
	page.says("The last payment to this account was in the name of Beispiel Holzbau GmbH.")
	if said := page.notices(); said != "New name for this account" {
		t.Errorf("of another name: %q", said)
	}
	if said := look("endToEndId", "F", "amount", "99.10", "creditorName", "BEISPIEL HOLZBAU gmbh").notices(); said != "" {
		t.Errorf("of the same name in capitals: %q", said)
	}
	page = look("endToEndId", "G", "creditorIban", "CH9300762011623852957")
	page.says("Beispiel Holzbau GmbH received one payment to the account CH48 2196 6000 0096 1338 8 (CHF 100.00).")
	if said := page.notices(); said != "First payment to a new account of this creditor" {
		t.Errorf("of a changed account: %q", said)
	}
}

func TestAFailureIsToldInPlainWords(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	m := maker.submit(filled())
	path := "/payments/" + m.InternalID.String()
	checker, queue := b.as("checker1"), "/queue/"+m.InternalID.String()
	checker.get(queue).is(http.StatusOK).says("expires on ")
	checker.post(queue+"/approve", checker.get(queue).fields(queue+"/approve")).goesTo("/queue")
	flying := maker.get(path).is(http.StatusOK).says("The payment is on its way to clearing").says("Do not pay again")
	for _, page := range []answer{flying, maker.get(path + "/submitted").is(http.StatusOK), maker.get("/mine").is(http.StatusOK)} {
		if page.page.Find("a[href*='like=']").Length() != 0 {
			t.Errorf("%s offers to pay again what is on its way", page.what)
		}
	}
	if again := flying.page.Find(".flight a[hx-get]").AttrOr("hx-get", ""); again != path {
		t.Errorf("it looks again at %q", again)
	}
	b.change("SET session_replication_role = replica; UPDATE message SET state = 'Failed', " +
		"status_code = 'AC04', status_text = 'Closed account'")
	failed := maker.get(path).is(http.StatusOK).says("The creditor's account is closed. Ask the creditor for another account.")
	failed.says("AC04 Closed account")
	if failed.page.Find(".flight").Length() != 0 {
		t.Error("what failed is still on its way")
	}
	like := failed.page.Find("a:contains('Correct and submit again')").AttrOr("href", "")
	if name := maker.get(like).is(http.StatusOK).fields("/payments/new").Get("creditorName"); name != "Beispiel Holzbau GmbH" {
		t.Errorf("the form that corrects holds %q", name)
	}
	b.change("SET session_replication_role = replica; UPDATE message SET state = 'Unconfirmed', status_code = NULL, status_text = NULL")
	unsure := maker.get(path).is(http.StatusOK).says("Do not pay again yet")
	if unsure.page.Find("a[href*='like=']").Length()+maker.get(path+"/submitted").page.Find("a[href*='like=']").Length() != 0 {
		t.Error("an unconfirmed payment is offered to be paid again")
	}
	if state := b.state(m.InternalID.String()); state != payment.StateUnconfirmed {
		t.Errorf("the payment is %s", state)
	}
}
