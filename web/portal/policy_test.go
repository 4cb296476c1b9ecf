package portal_test

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
)

// TestAPolicyIsChangedInOneRequest: the form begins with the policy; once approved, the new one is in force in its place. Of two changes of one
// policy the second is refused, and the last policy that matches everything keeps matching everything.
func TestAPolicyIsChangedInOneRequest(t *testing.T) {
	t.Parallel()
	b := setup(t)
	one, two := b.as("admin1"), b.as("admin2")
	asked := one.post("/admin/ask/policy.create", url.Values{"approvals": {"3"}, "scheme": {"sic-inst"}, "amountFrom": {"13000"}}).
		goesTo("/admin/changes/")
	two.post(asked+"/approve", nil).goesTo(asked)
	inForce := func() (id string) {
		id = b.text("SELECT policy_id FROM policy WHERE realm = 'demo' AND amount_from >= 1300000 AND retired_at IS NULL")
		return "/admin/ask/policy.update?" + url.Values{"subject": {id}}.Encode()
	}
	first := inForce()
	form := one.get(first).is(http.StatusOK).fields(first)
	if form.Get("amountFrom") != "13000.00" || form.Get("scheme") != "sic-inst" || form.Get("approvals") != "3" {
		t.Fatalf("the form begins with %v", form)
	}
	form.Set("amountFrom", "18'000")
	form.Set("scheme", "")
	one.post(first, with(form, "try", "yes")).is(http.StatusOK).says("0 payments would need more approvals.")
	var rivals [2]string
	for i := range rivals {
		rivals[i] = one.post(first, with(form, "note", strconv.Itoa(i))).goesTo("/admin/changes/")
	}
	asks := two.get(rivals[0]).is(http.StatusOK).says("CHF/EUR 18'000.00").says("CHF/EUR 13'000.00").
		says("Applies to fewer payments: Smallest amount changes from CHF/EUR 13'000.00 to CHF/EUR 18'000.00").
		says("Applies to more payments: Scheme changes from SIC to All").
		says("This change relaxes controls for some payments and tightens them for others.")
	if text := asks.says("SIC, CHF/EUR 13'000.00 or more").main(); strings.Contains(text, "sic-inst") {
		t.Errorf("the page names a scheme by its code: %s", text)
	}
	rule := asks.page.Find(".difference-table tr:has(th:contains('Policy'))").Text()
	for _, words := range []string{"3 approvals", "13'000.00", "18'000.00", "Priority: 100"} {
		if !strings.Contains(rule, words) {
			t.Errorf("the rule before and after is %q, without %s", rule, words)
		}
	}
	two.post(rivals[0]+"/approve", nil).goesTo(rivals[0])
	two.post(rivals[1]+"/approve", nil).is(http.StatusConflict)
	one.post(first, form).is(http.StatusUnprocessableEntity)
	if first == inForce() {
		t.Error("the policy that payments refer to was changed")
	}
	if n := b.count("SELECT count(*) FROM policy WHERE amount_from = 1800000 AND scheme IS NULL AND approvals_required = 3"); n != 1 {
		t.Errorf("%d policies are as asked for", n)
	}
	for amount, approvals := range map[string]string{"15000": "2 other people", "19000": "3 other people"} {
		payment := b.as("maker1").submit(with(filled(), "amount", amount))
		b.as("maker1").get("/payments/" + payment.InternalID.String() + "/submitted").is(http.StatusOK).says(approvals)
	}
	for try, want := range map[[2]string][]string{
		{"14000", "3"}: {
			"Payments that would need 3 approvals: 2.", "1 payment would need more approvals.", "0 payments would need fewer approvals.",
			"1 payment would need the same number of approvals as now.",
		},
		{"18000", "1"}: {"0 payments would need more approvals.", "1 payment would need fewer approvals.", "1 payment would need the same " +
			"number of approvals as now."},
	} {
		got := one.post("/admin/ask/policy.create", url.Values{
			"amountFrom": {try[0]}, "approvals": {try[1]}, "rank": {"200"}, "expiresAfter": {"24h"}, "try": {"yes"},
		}).is(http.StatusOK)
		for _, words := range want {
			got.says(words)
		}
		amount := map[string]string{"14000": "CHF 15'000.00", "18000": "CHF 19'000.00"}[try[0]]
		if rows := got.page.Find("main table tbody tr"); rows.Length() != 1 || !strings.Contains(rows.Text(), amount) {
			t.Errorf("%v: the payments with another number of approvals are %q, want one of %s", try, rows.Text(), amount)
		}
	}
	all := "/admin/ask/policy.update?subject=" + b.text(
		"SELECT policy_id FROM policy WHERE realm = 'demo' AND amount_from IS NULL AND client_id IS NULL AND kind IS NULL AND channel IS NULL")
	narrow := with(one.get(all).is(http.StatusOK).fields(all), "amountFrom", "5")
	one.post(all, narrow).is(http.StatusUnprocessableEntity).says("First create another policy that applies to all payments")
}

// TestALooserRuleIsNamedBeforeAndAfterItsApproval: in the list, for its checker and once applied, where supervisors find the payments.
func TestALooserRuleIsNamedBeforeAndAfterItsApproval(t *testing.T) {
	t.Parallel()
	b := setup(t)
	one, two := b.as("admin1"), b.as("admin2")
	payment := b.as("maker1").submit(with(filled(), "amount", "12000"))
	asks := func(change url.Values) string {
		form := "/admin/ask/policy.update?" + url.Values{"subject": {
			b.text("SELECT policy_id FROM policy WHERE realm = 'demo' AND amount_from IS NOT NULL AND retired_at IS NULL"),
		}}.Encode()
		values := one.get(form).is(http.StatusOK).fields(form)
		for name, value := range change {
			values[name] = value
		}
		return one.post(form, values).goesTo("/admin/changes/")
	}
	asked := asks(url.Values{"amountFrom": {"50000"}, "stepUp": {"yes"}})
	words := "Applies to fewer payments: Smallest amount changes from CHF/EUR 10'000.00 to CHF/EUR 50'000.00"
	verdict := "This change relaxes controls for some payments and tightens them for others."
	for range 2 {
		two.get("/admin?tab=all").is(http.StatusOK).says(words).says("Checkers need a second factor")
		page := two.get(asked).is(http.StatusOK).says(words).says(verdict).says("1 payment would need fewer approvals.")
		if rows := page.page.Find("main table a"); rows.Length() != 0 {
			t.Error("an administrator gets a link to a payment")
		}
		if row := page.page.Find(`main table:contains("12'000.00") tbody tr`).Text(); !strings.Contains(row, string(payment.GlobalID)) {
			t.Errorf("the payment is not named: %q", row)
		}
		supervised := b.as("supervisor1").get(strings.Replace(asked, "/admin/", "/reports/", 1)).is(http.StatusOK).says(words).says(payment.Summary.CreditorName)
		if supervised.page.Find(`main a[href="/payments/`+payment.InternalID.String()+`"]`).Length() != 1 {
			t.Error("a supervisor gets no link to the payment")
		}
		if one.get(asked).page.Find("form[action$='/approve']").Length() == 0 && two.get(asked).page.Find("form[action$='/approve']").Length() == 1 {
			two.post(asked+"/approve", nil).goesTo(asked)
		}
	}
	b.as("supervisor1").get("/reports/limits").is(http.StatusOK).says(words)
	for change, says := range map[string][2]string{
		"approvals": {"1", "Number of approvals lowered: from 2 to 1"}, "expiresAfter": {"48h", "More time for approval: from 24 h to 48 h"},
		"rank": {"9", "Priority raised: from 5 to 9"}, "stepUp": {"", "Checkers no longer need a second factor"},
		"funds": {"none", "Less strict rule for reserving funds: from “must be reserved” to “not " +
			"reserved”"}, "clientId": {"demo-brief", "Applies to fewer payments: Client ID changes from none to demo-brief"},
	} {
		asked := asks(url.Values{change: {says[0]}})
		two.get(asked).is(http.StatusOK).says(says[1])
	}
}
