package portal_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"countersign/internal/payment"
	"countersign/internal/service/servicetest"
)

// TestADigestOfZerosDecidesNothing: zeros must not pass for "did not say".
func TestADigestOfZerosDecidesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	m := b.as("maker1").submit(filled())
	checker := b.as("checker1")
	path := "/queue/" + m.InternalID.String()
	form := checker.get(path).is(http.StatusOK).fields(path + "/approve")
	for _, digest := range []string{strings.Repeat("0", 64), strings.Repeat("0", 63) + "1", ""} {
		checker.post(path+"/approve", with(form, "contentHash", digest)).is(http.StatusConflict)
		checker.post(path+"/reject", with(form, "contentHash", digest, "category", "other", "reason", "Not ours")).is(http.StatusConflict)
	}
	if now := b.message("demo", m.InternalID.String()); now.State != payment.StateApprovalPending {
		t.Errorf("the message is %s", now.State)
	}
	checker.post(path+"/approve", form).goesTo("/queue")
}

// TestAFormCannotGrowAPaymentPastItsCheckers: the amendment of a payment of one approval to one of two is refused in words.
func TestAFormCannotGrowAPaymentPastItsCheckers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	m := maker.submit(filled())
	amend := maker.get("/payments/" + m.InternalID.String() + "/amend").is(http.StatusOK)
	action := amend.page.Find("main form").AttrOr("action", "")
	form := with(amend.fields(action), "amount", "10'000.00", "act", "check", "amendReason", "typo")
	check := maker.post(action, form).goesTo("/payments/")
	maker.post(strings.TrimSuffix(check, "check")+"submit", maker.shown(check)).is(http.StatusUnprocessableEntity).says(
		"Withdraw the payment and enter it again.",
	)
	if now := b.message("demo", m.InternalID.String()); now.Version != 1 || now.Summary.Amount.Format() != "CHF 1'234.50" {
		t.Errorf("version %d over %s", now.Version, now.Summary.Amount.Format())
	}
}

// TestALargePaymentTakesTwoCheckers: the demo asks two people from CHF 10,000.00 on, and the page says how many have said yes.
func TestALargePaymentTakesTwoCheckers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	m := b.as("maker1").submit(with(filled(), "amount", "10'000.00"))
	path := "/queue/" + m.InternalID.String()
	first, second := b.as("checker1"), b.as("checker2")
	first.post(path+"/approve", first.get(path).says("0 of 2 approvals given").fields(path+"/approve")).goesTo("/queue")
	second.post(path+"/approve", second.get(path).says("1 of 2 approvals given, by Checker 1").fields(path+"/approve")).goesTo("/queue")
	if now := b.message("demo", m.InternalID.String()); now.State != payment.StateApproved || now.Approvals() != 2 {
		t.Errorf("the message is %s after %d approvals", now.State, now.Approvals())
	}
}

// TestAWithheldPaymentHasNoButtons: a page whose fields are not those of the signed document says so and offers no decision; a form sent
// all the same decides nothing.
func TestAWithheldPaymentHasNoButtons(t *testing.T) {
	t.Parallel()
	b := setup(t)
	m := b.as("maker1").submit(filled())
	id := servicetest.Forge(t, b.DB, m, map[string]string{"amount": "2100", "creditor_name": "'Petra Muster'"}).String()
	checker := b.as("checker1")
	page := checker.get("/queue/" + id).is(http.StatusOK).says("Withheld").says("Nobody can approve or reject it")
	if forms := page.page.Find("form[action^='/queue/" + id + "']").Length(); forms != 0 {
		t.Errorf("the page offers %d forms to decide", forms)
	}
	checker.get("/payments/" + id).is(http.StatusOK).says("Withheld")
	form := url.Values{"version": {"1"}, "contentHash": {hash(m)}, "category": {"other"}, "reason": {"Not ours"}, "question": {"Whose?"}}
	for _, act := range []string{"approve", "reject"} {
		checker.post("/queue/"+id+"/"+act, form).is(http.StatusConflict).says("Nobody can approve or reject it")
	}
	checker.post("/queue/"+id+"/ask", form).is(http.StatusBadRequest).says("This payment or request is withheld.")
	checker.get(chosen(id)).is(http.StatusOK).says("Not included: 1").says("This payment or request is withheld.")
	if now := b.message("demo", id); now.State != payment.StateApprovalPending {
		t.Errorf("the message is %s", now.State)
	}
}
