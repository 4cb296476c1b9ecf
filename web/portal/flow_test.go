package portal_test

import (
	"net/http"
	"strings"
	"testing"

	"countersign/internal/payment"
	"countersign/views/ui"
)

func TestAPaymentGoesFromTheFormToItsApproval(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	maker.get("/payments/new").is(http.StatusOK).says("New payment")
	check := maker.post("/payments/new", filled()).goesTo("/payments/")
	if n := b.count("SELECT count(*) FROM message"); n != 0 {
		t.Fatalf("%d messages before the answers were checked", n)
	}
	page := maker.get(check).is(http.StatusOK).says("CH48 2196 6000 0096 1338 8").says("Rechnung 1107").says(
		"Submit CHF 1'234.50 for approval",
	)
	action := page.page.Find("main form").AttrOr("action", "")
	submitted := maker.post(action, page.fields(action)).goesTo("/payments/")
	maker.get(submitted).is(http.StatusOK).says("has been submitted")
	m := b.message("demo", strings.Split(submitted, "/")[2])
	if m.State != payment.StateApprovalPending || m.Summary.Amount.Format() != "CHF 1'234.50" {
		t.Fatalf("the message is %s over %s", m.State, m.Summary.Amount.Format())
	}

	checker := b.as("checker1")
	checker.get("/queue").is(http.StatusOK).says(string(m.GlobalID)).says("1 waiting")
	detail := checker.get("/queue/" + m.InternalID.String()).is(http.StatusOK).says(
		"Approve the payment of CHF 1'234.50 to Beispiel Holzbau GmbH",
	)
	form := detail.fields("/queue/" + m.InternalID.String() + "/approve")
	if form.Get("version") != "1" || form.Get("contentHash") != hash(m) {
		t.Fatalf("the form is bound to %v", form)
	}
	after := checker.post("/queue/"+m.InternalID.String()+"/approve", form).goesTo("/queue")
	checker.get(after).is(http.StatusOK).says("CHF 1'234.50 to Beispiel Holzbau GmbH approved.").says("Nothing left to decide")
	m = b.message("demo", m.InternalID.String())
	if m.State != payment.StateApproved || len(m.Decisions) != 1 || m.Decisions[0].Name != "Checker 1" {
		t.Fatalf("the message is %s with %d decisions", m.State, len(m.Decisions))
	}
	if n := b.count("SELECT count(*) FROM release"); n != 1 {
		t.Errorf("%d releases, want 1", n)
	}
	checker.get("/queue?tab=decided").is(http.StatusOK).says(string(m.GlobalID)).says("Approved by you")
}

func TestARejectionReachesTheMakerWithItsReason(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	m := maker.submit(filled())
	checker, path := b.as("checker1"), "/queue/"+m.InternalID.String()+"/reject"
	form := checker.get(path).is(http.StatusOK).fields(path)

	form.Set("category", "duplicate")
	empty := checker.post(path, form).is(http.StatusUnprocessableEntity)
	if got := empty.problems(); len(got) != 1 || !strings.Contains(got[0], "Enter a reason for the rejection") {
		t.Errorf("an empty reason is answered with %q", got)
	}
	if title := empty.page.Find("title").Text(); !strings.HasPrefix(title, "Error: ") {
		t.Errorf("the title is %q", title)
	}
	if kept := empty.fields(path).Get("category"); kept != "duplicate" {
		t.Errorf("the category is %q after an error", kept)
	}
	long := strings.Repeat("x", 513)
	refused := checker.post(path, with(form, "reason", long)).is(http.StatusUnprocessableEntity)
	if kept := refused.fields(path).Get("reason"); kept != long {
		t.Errorf("%d characters of the reason are kept, want 513", len(kept))
	}
	if m := b.message("demo", m.InternalID.String()); m.State != payment.StateApprovalPending {
		t.Fatalf("after refused rejections the message is %s", m.State)
	}

	second := maker.submit(with(filled(), "amount", "2.00"))
	full := strings.Repeat("x", 512)
	checker.post("/queue/"+second.InternalID.String()+"/reject", with(form, "reason", full, "contentHash", hash(second))).goesTo("/queue")
	if d, _ := b.message("demo", second.InternalID.String()).LastDecision(); d.Reason != full {
		t.Errorf("of a full reason %d characters are stored", len(d.Reason))
	}

	checker.post(path, with(form, "reason", "Paid on Monday already")).goesTo("/queue")
	m = b.message("demo", m.InternalID.String())
	if m.State != payment.StateRejected {
		t.Fatalf("the message is %s", m.State)
	}
	maker.get("/mine?tab=rejected").is(http.StatusOK).says("Checker 1: Duplicate of another payment: Paid on Monday already")
}

func TestAfterADecisionTheNextMessageOpens(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	first := maker.submit(filled())
	second := maker.submit(with(filled(), "amount", "99.90", "endToEndId", "E2E-2"))
	checker := b.as("checker1").withHTMX()
	path := "/queue/" + first.InternalID.String()
	fragment := checker.get(path).is(http.StatusOK)
	if strings.Contains(fragment.text, "<html") {
		t.Error("htmx got a whole page for a fragment")
	}
	if vary := fragment.header.Values("Vary"); !strings.Contains(strings.Join(vary, ","), "HX-Request") {
		t.Errorf("Vary is %q", vary)
	}
	got := checker.post(path+"/approve", fragment.fields(path+"/approve")).is(http.StatusOK)
	got.says(string(second.GlobalID)).says(ui.AmountOf(first.Summary.Amount).String() + " to " + first.Summary.CreditorName + " approved.")
	if push := got.header.Get("HX-Push-Url"); push != "/queue/"+second.InternalID.String() {
		t.Errorf("the address becomes %q", push)
	}
	if n := got.page.Find("#queue-count").Text(); !strings.Contains(n, "1") {
		t.Errorf("the count becomes %q", n)
	}
}

func TestADoubleSubmissionMakesOnePayment(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	check := maker.post("/payments/new", filled()).goesTo("/payments/")
	action, shown := strings.TrimSuffix(check, "check")+"submit", maker.shown(check)
	const tries = 6
	places := make(chan string, tries)
	for range tries {
		go func() { places <- maker.post(action, shown).location }()
	}
	first := <-places
	for range tries - 1 {
		if next := <-places; next != first || next == "" {
			t.Errorf("one submission leads to %q, another to %q", first, next)
		}
	}
	maker.post(action, shown).goesTo(first)
	maker.get(check).goesTo(first)
	if n := b.count("SELECT count(*) FROM message"); n != 1 {
		t.Fatalf("%d messages, want 1", n)
	}
	// The form opened again with the back button and sent with other answers is another payment.
	again := maker.post(strings.TrimSuffix(check, "check")+"edit", with(filled(), "amount", "7.00")).goesTo("/payments/")
	if again == check {
		t.Error("a submitted draft was changed")
	}
}

func TestEveryPageOfTheTableAnswers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	m := maker.submit(filled())
	page := "/payments/" + m.InternalID.String()
	for _, path := range []string{
		"/", "/payments/new", "/payments/new?scheme=sct-inst", "/payments/new?like=" + m.InternalID.String(), "/payments/upload", "/mine",
		"/mine?tab=failed", page, page + "/timeline", page + "/messages", page + "/related", page + "/audit", page + "/withdraw",
		page + "/amend", page + "/submitted", "/queue", "/queue?tab=all", "/queue?tab=mine", "/queue?tab=decided", "/payments", "/me",
		"/payments?scheme=sct-inst&state=Settled&amountFrom=10&amountTo=20&maker=maker1", "/queue?scheme=sic-inst&currency=EUR",
	} {
		got := maker.get(path).is(http.StatusOK)
		if n := got.page.Find("h1").Length(); n != 1 {
			t.Errorf("%s has %d h1", path, n)
		}
	}
	maker.get(page + "/nothing").is(http.StatusNotFound)
	maker.get("/payments/not-an-id").is(http.StatusNotFound)
	maker.get("/queue?amountFrom=1,234").is(http.StatusUnprocessableEntity).says("Did you mean 1'234.00 or 1.234?")
}
