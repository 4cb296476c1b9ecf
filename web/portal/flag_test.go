package portal_test

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"

	"countersign/internal/payment"
	"countersign/views/ui"
)

// TestEachFlagIsSeenWhereADecisionIsMade goes through each flag and each place: the row, the pane, the page of the payment, and the page to
// approve several, where such a payment is approved only when it is ticked.
func TestEachFlagIsSeenWhereADecisionIsMade(t *testing.T) {
	t.Parallel()
	b, _ := asking(t)
	maker, checker := b.as("maker1"), b.as("checker1")
	const other, third = "CH9300762011623852957", "CH6221966000001234567"
	maker.paid("endToEndId", "before", "amount", "100.00")
	plain := maker.submit(with(filled(), "endToEndId", "plain", "amount", "99.00"))
	duplicate := func() payment.Message {
		check := maker.post("/payments/new", with(filled(), "endToEndId", "again", "amount", "99.00")).goesTo("/payments/")
		answers := maker.shown(check, "duplicateAcknowledged", "yes", "duplicateReason", "Two invoices")
		return b.message("demo", strings.Split(maker.post(strings.TrimSuffix(check, "check")+"submit", answers).goesTo("/payments/"), "/")[2])
	}
	payee := func(name, amount string) payment.Message {
		return maker.submit(with(sepa(), "creditorName", name, "endToEndId", "P"+amount, "amount", amount))
	}
	corrected := with(filled(), "endToEndId", "h", "amount", "96.00")
	wrong := maker.submit(corrected)
	checker.post("/queue/"+wrong.InternalID.String()+"/reject", url.Values{
		"version": {"1"}, "contentHash": {hash(wrong)}, "category": {"other"}, "reason": {"One franc too many"},
	}).goesTo("/queue")
	flagged := []struct {
		flag, title string
		message     payment.Message
	}{
		{"Correction", "Correction of payment " + string(wrong.GlobalID) + " (Rejected)", maker.submit(with(corrected, "amount", "95.00"))},
		{"First payment", "First payment to this " +
			"account", maker.submit(with(filled(), "endToEndId", "a", "creditorIban", other, "creditorName", "New AG"))},
		{"Bank changed", "First payment to a new account of this " +
			"creditor", maker.submit(with(filled(), "endToEndId", "b", "creditorIban", third))},
		{"Unusual amount", "Far above the usual amount", maker.submit(with(filled(), "endToEndId", "c", "amount", "300.01"))},
		{"New name", "New name for this " +
			"account", maker.submit(with(filled(), "endToEndId", "d", "amount", "98.00", "creditorName", "Somebody AG"))},
		{"Possible duplicate", "Possible duplicate: same account and amount", duplicate()},
		{"Same account", "The debtor and creditor accounts are the " +
			"same", maker.submit(with(filled(), "endToEndId", "e", "creditorIban", filled().Get("debtorAccount")))},
		{"Different name", "The account is not in the creditor's name", payee("Somebody Else", "21.00")},
		{"Similar name", "The creditor's name does not quite match the name on the account", payee("Nearly Right AG", "22.00")},
		{"Name not verified", "The creditor's name could not be verified", payee("Not Kept Here", "23.00")},
		{"0 of 2", "2 approvals", maker.submit(with(filled(), "endToEndId", "f", "amount", "12'000.00"))},
	}
	for _, c := range flagged {
		checker.seesFlag(c.flag, c.title, c.message, plain)
	}
	maker.takenIn(holzbau())
	listed := maker.submit(with(filled(), "endToEndId", "g", "amount", "97.00", "creditorName", "Third AG"))
	for _, flag := range []string{"New beneficiary", "Name differs from beneficiary list"} {
		checker.seesFlag(flag, flag, listed, plain)
	}
	path := "/beneficiaries/" + b.text("SELECT beneficiary_id::text FROM beneficiary")
	removed := maker.post(path+"/remove", nil).goesTo("/beneficiaries/changes/")
	checker.post(removed+"/approve", nil).goesTo(removed)
	checker.seesFlag("Former beneficiary", "This account is no longer on the list of beneficiaries", listed, plain)
}

// TestEachStateIsSeenWhereADecisionIsMade goes through the flags that say nothing against a payment: what changes its decision is told in
// the same four places, and an amended payment and one with a question are left out of an approval together.
func TestEachStateIsSeenWhereADecisionIsMade(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker, checker := b.as("maker1"), b.as("checker1")
	day := time.Now().In(zurich).AddDate(0, 0, 3)
	var ids []string
	for i, executed := range []string{"", "", day.Format("2.1.2006")} {
		order := with(filled(), "amount", strconv.Itoa(90+i), "endToEndId", strconv.Itoa(i), "executionDate", executed)
		ids = append(ids, maker.submit(order).InternalID.String())
	}
	check := maker.amends(ids[0], "amount", "89.00", "amendReason", "Discount of one franc")
	maker.post(strings.TrimSuffix(check, "check")+"submit", maker.shown(check)).goesTo("/payments/")
	ask := "/queue/" + ids[1] + "/ask"
	checker.post(ask, with(checker.get(ask).is(http.StatusOK).fields(ask), "question", "Which delivery is it?")).goesTo("/queue")
	for i, c := range []struct{ tab, flag, about, among string }{
		{"all", "Amended", "Discount of one franc", "This payment was amended after submission."},
		{"questions", "Question", "Which delivery is it?", "waiting for the maker's answer"},
		{"all", "On " + ui.Day(day), ui.Day(day), "On " + ui.Day(day)},
	} {
		if said := checker.get("/queue?tab=" + c.tab).is(http.StatusOK).flags(ids[i]); !strings.Contains(said, c.flag) {
			t.Errorf("%s: the row is marked %q", c.flag, said)
		}
		if pane := checker.get("/queue/" + ids[i]).is(http.StatusOK).page.Find("#pane").Text(); !strings.Contains(pane, c.about) {
			t.Errorf("%s: the pane does not say %q", c.flag, c.about)
		}
		checker.get("/payments/" + ids[i]).is(http.StatusOK).says(c.about)
		among := checker.get(chosen(ids[i])).is(http.StatusOK)
		if line := among.page.Find(".bulk-list li").Text(); !strings.Contains(line, c.among) {
			t.Errorf("%s: approved together it is %q", c.flag, strings.Join(strings.Fields(line), " "))
		}
		if left := len(among.items()) == 0; left != (i < 2) {
			t.Errorf("%s: left out of an approval together: %t", c.flag, left)
		}
	}
}

// seesFlag holds what a checker sees of a flagged payment, approved together with a plain one among other places.
func (w *browser) seesFlag(flag, title string, m, plain payment.Message) {
	t, id, about := w.b.t, m.InternalID.String(), title
	t.Helper()
	if said := w.get("/queue").is(http.StatusOK).flags(id); !strings.Contains(said, flag) {
		t.Errorf("%s: the row is marked %q", flag, said)
	}
	if flag == "0 of 2" {
		about = flag
	}
	if pane := w.get("/queue/" + id).is(http.StatusOK).page.Find("#pane").Text(); !strings.Contains(pane, about) {
		t.Errorf("%s: the pane does not say %q", flag, about)
	}
	w.unlooked(id, true)
	w.get("/payments/" + id).is(http.StatusOK).says(about)
	page := w.get(chosen(id, plain.InternalID.String())).is(http.StatusOK)
	line := page.page.Find("[aria-labelledby=odd] li:contains('" + string(m.GlobalID) + "')")
	if !strings.Contains(line.Text(), title) || line.Find("[type=checkbox][name=item]:not([checked])").Length() != 1 {
		t.Errorf("%s: approved together it is %q", flag, strings.Join(strings.Fields(line.Text()), " "))
	}
	if n := page.page.Find("form [type=hidden][name=item]").Length(); n != 0 { // the plain one has a duplicate, or a new beneficiary
		t.Errorf("%s: %d are approved without being ticked", flag, n)
	}
}

// unlooked approves a payment without the tick that confirms its warnings: a payment with warnings stays undecided.
func (w *browser) unlooked(id string, warned bool) {
	t, at := w.b.t, "/queue/"+id
	t.Helper()
	pane := w.get(at).is(http.StatusOK)
	ticks, form := pane.page.Find(".act [type=checkbox]#looked:not([checked])").Length(), pane.fields(at+"/approve")
	if warned != (ticks == 1) {
		t.Errorf("%s: %d ticks beside the button, with warnings: %t", id, ticks, warned)
	}
	if !warned {
		return
	}
	form.Set("looked", "Another warning")
	w.post(at+"/approve", form).is(http.StatusUnprocessableEntity)
	form.Del("looked")
	for _, who := range []*browser{w, w.withHTMX()} {
		who.post(at+"/approve", form).is(http.StatusUnprocessableEntity).says("Check the warnings, and confirm that you have checked them.")
	}
	if state := w.b.state(id); state != payment.StateApprovalPending {
		t.Errorf("%s is %s", id, state)
	}
}

// TestABulkApprovesWhatIsTicked: a payment without a flag needs no tick, one above a limit is left out.
func TestABulkApprovesWhatIsTicked(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker, checker := b.as("maker1"), b.as("checker1")
	maker.paid("endToEndId", "before", "amount", "100.00")
	var ids []string
	for _, amount := range []string{"90.00", "91.00", "400.00", "401.00", "19000.00"} {
		ids = append(ids, maker.submit(with(filled(), "endToEndId", amount, "amount", amount)).InternalID.String())
	}
	b.changed("limit.set", "", url.Values{"limitOf": {"person"}, "holder": {"checker1"}, "currency": {"CHF"}, "perDay": {"18000"}})
	page := checker.get(chosen(ids...)).is(http.StatusOK).
		says("To check individually: 2").says("Payments with nothing unusual: 2").says("Not included: 1").
		says("Compare 4 payments").says("The daily limit for the person Checker 1 is CHF 18'000.00").says("2 payments (CHF 181.00 in total)")
	if label := strings.Join(strings.Fields(page.page.Find("#approve > span").Text()), " "); label != "Approve 2 payments ticked" {
		t.Errorf("the button says %q: ticks change the sum", label)
	}
	checker.unlooked(ids[0], false)
	form := page.page.Find("form:has(#approve)")
	if form.Find("#approve").Length() != 1 || form.Find("ol.bulk-list").Length() == 0 ||
		strings.LastIndex(page.text, "bulk-list") > strings.Index(page.text, `id="approve"`) {
		t.Error("the button does not stand under the list")
	}
	items := url.Values{}
	form.Find("[type=hidden][name=item]").Each(func(_ int, item *goquery.Selection) { items.Add("item", item.AttrOr("value", "")) })
	items.Add("item", form.Find("[type=checkbox][name=item]").Last().AttrOr("value", ""))
	form.Find("[name=shown]").Each(func(_ int, shown *goquery.Selection) { items.Add("shown", shown.AttrOr("value", "")) })
	checker.withHTMX().post("/queue/bulk/sum", items).is(http.StatusOK).says("3 payments (CHF 582.00 in total)")
	sum := b.asIn("demo2", "checker1").post("/queue/bulk/sum", items).is(http.StatusOK)
	if sum.text != "" || b.count("SELECT count(*) FROM decision WHERE action = 'approve'") != 1 {
		t.Errorf("the sum of another realm is %q", sum.text)
	}
	checker.post("/queue/bulk", items).is(http.StatusOK).says("3 of 3 approved.").says("Not ticked: 1").
		says("This payment was not ticked and is still waiting for approval.")
	for i, want := range []payment.State{"Approved", "Approved", "Approval Pending", "Approved", "Approval Pending"} {
		if state := b.state(ids[i]); state != want {
			t.Errorf("payment %d is %s, want %s", i, state, want)
		}
	}
	checker.get(checker.post("/queue/bulk", nil).goesTo("/queue")).says("Tick the payments that you want to approve.")
}
