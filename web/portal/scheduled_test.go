package portal_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"countersign/internal/payment"
	"countersign/views/ui"
)

// TestAPaymentForALaterDay without a script: entered, checked, approved, and withdrawn by a checker before its day.
func TestAPaymentForALaterDay(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker, checker := b.as("maker1"), b.as("checker1")
	maker.get("/payments/new").is(http.StatusOK).says("Send on a later day")
	for typed, says := range map[string]string{
		"soon": "Enter a date, such as", "1.1.0000": "Enter a date, such as", "1.1.2020": "Enter today's date or a later date",
		"2099-01-01": "Enter an execution date that is no more than one year ahead",
	} {
		maker.post("/payments/new", with(filled(), "executionDate", typed)).is(http.StatusUnprocessableEntity).says(says)
	}
	day := time.Now().In(zurich).AddDate(0, 0, 3)
	shown := ui.Day(day)
	form := with(filled(), "executionDate", day.Format("2.1.2006"))
	check := maker.post("/payments/new", form).goesTo("/payments/")
	maker.get(check).is(http.StatusOK).says("On " + shown).says("The payment will be checked again and sent on " + shown + ".")
	m := maker.submit(form)
	path, at := "/payments/"+m.InternalID.String(), "/queue/"+m.InternalID.String()
	maker.get(path + "/submitted").is(http.StatusOK).says("The payment will be checked again and sent on " + shown)
	amend := maker.get(path + "/amend").is(http.StatusOK).fields(path + "/amend?version=1")
	if amend.Get("executionDate") != ui.Day(day) {
		t.Errorf("the form of an amendment has the day %q", amend.Get("executionDate"))
	}
	checker.get("/queue").is(http.StatusOK).says("On " + shown)
	pane := checker.get(at).is(http.StatusOK).says("Execution date").says(shown).says("The payment will be checked again and sent on " + shown)
	checker.post(at+"/approve", pane.fields(at+"/approve")).goesTo("/queue")
	if m = b.message("demo", m.InternalID.String()); m.State != payment.StateScheduled {
		t.Fatalf("it is %s", m.State)
	}
	maker.get("/mine?tab=scheduled").is(http.StatusOK).says("Scheduled").says("Withdraw")
	checker.get("/payments?state=Scheduled").is(http.StatusOK).says(string(m.GlobalID))
	checker.get(path).is(http.StatusOK).says("Scheduled").says("Execution date").says("Withdraw")
	checker.get(path + "/timeline").is(http.StatusOK).says("Approved")
	b.as("checker2").post(at+"/approve", url.Values{"version": {"1"}, "contentHash": {hash(m)}}).is(http.StatusConflict).says("already approved")
	b.as("maker2").get(path + "/withdraw").is(http.StatusForbidden).says("Only the maker or a checker can withdraw this payment.")
	form = checker.get(path + "/withdraw").is(http.StatusOK).fields(path + "/withdraw")
	checker.post(path+"/withdraw", with(form, "reason", "")).is(http.StatusUnprocessableEntity).says("The maker will see your reason")
	checker.get(checker.post(path+"/withdraw", with(form, "reason", "Not needed.")).goesTo(path)).is(http.StatusOK).says("has been withdrawn")
	checker.post(path+"/withdraw", with(form, "reason", "Again.")).is(http.StatusConflict)
	if m = b.message("demo", m.InternalID.String()); m.State != payment.StateWithdrawn {
		t.Errorf("it is %s", m.State)
	}
}

// TestAnAmendmentOfTheDayAloneIsADifference: no document to clearing has the day, and a checker decides about it all the same.
func TestAnAmendmentOfTheDayAloneIsADifference(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	today := time.Now().In(zurich)
	soon, later := today.AddDate(0, 0, 2), today.AddDate(0, 0, 9)
	m := maker.submit(with(filled(), "executionDate", soon.Format("2.1.2006")))
	id := m.InternalID.String()
	check := maker.amends(id, "executionDate", later.Format("2.1.2006"), "amendReason", "Later")
	change := "Execution date" + ui.Day(soon) + ui.Day(later)
	maker.get(check).is(http.StatusOK).says(change)
	maker.post(strings.TrimSuffix(check, "check")+"submit", maker.shown(check))
	for _, place := range []string{"/queue/", "/payments/"} {
		b.as("checker1").get(place + id).is(http.StatusOK).says(change)
	}
	if m = b.message("demo", id); m.Version != 2 {
		t.Errorf("version %d", m.Version)
	}
}

// TestALimitIsHeldAgainstItsDay: what is scheduled for the day of a payment leaves no room for it, which its maker and its checker are told;
// what is used today does not count for that day.
func TestALimitIsHeldAgainstItsDay(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker, checker := b.as("maker1"), b.as("checker1")
	b.changed("limit.set", "", url.Values{"limitOf": {"account"}, "holder": {filled().Get("debtorAccount")}, "currency": {"CHF"}, "perDay": {"1000"}})
	day := time.Now().In(zurich).AddDate(0, 0, 3).Format(time.DateOnly)
	next := time.Now().In(zurich).AddDate(0, 0, 4).Format(time.DateOnly)
	order := func(day, amount string) url.Values {
		return with(filled(), "executionDate", day, "amount", amount, "endToEndId", "L"+amount)
	}
	approve := func(m payment.Message) {
		at := "/queue/" + m.InternalID.String()
		checker.post(at+"/approve", checker.get(at).is(http.StatusOK).fields(at+"/approve")).goesTo("/queue")
	}
	approve(maker.submit(order("", "900.00")))
	const may = "The payment may fail on "
	check := func(day, amount string) answer {
		return maker.get(maker.post("/payments/new", order(day, amount)).goesTo("/payments/"))
	}
	if text := check(day, "700.00").is(http.StatusOK).main(); strings.Contains(text, may) {
		t.Errorf("nothing is scheduled for the day: %s", text)
	}
	approve(maker.submit(order(day, "700.00")))
	check(day, "400.00").is(http.StatusOK).says(may).says("CHF 700.00 is already scheduled for that day")
	for _, fits := range [][2]string{{day, "300.00"}, {next, "400.00"}} {
		if text := check(fits[0], fits[1]).is(http.StatusOK).main(); strings.Contains(text, may) {
			t.Errorf("%s on %s: %s", fits[1], fits[0], text)
		}
	}
	over, fits := maker.submit(order(day, "401.00")).InternalID.String(), maker.submit(order(day, "299.00")).InternalID.String()
	checker.get("/queue/" + over).is(http.StatusOK).says(may).says("CHF 1'000.00 per day (CHF 700.00 already scheduled for ")
	checker.unlooked(over, true)
	checker.unlooked(fits, false)
	before := checker.get(chosen(over, fits)).is(http.StatusOK).
		says("To check individually: 1").says("Payments with nothing unusual: 1").says(may).items()
	approve(maker.submit(order(day, "50.00"))) // leaves no room for the other one either
	checker.post("/queue/bulk", url.Values{"item": before}).is(http.StatusOK).says("1 of 2 approved. 1 payment was not approved").
		says("A warning was added after the page was opened.")
	if one, other := b.state(over), b.state(fits); one != payment.StateScheduled || other != payment.StateApprovalPending {
		t.Errorf("the ticked one is %s, the one with a new warning %s", one, other)
	}
}
