package portal_test

import (
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"countersign/internal/payment"
	"countersign/internal/rulebook"
)

func TestAReceivedRecallIsGrantedWithACharge(t *testing.T) {
	t.Parallel()
	o := setup(t).clearing()
	original, recall := o.recalled(rulebook.SchemeSCT, "TX1")
	maker := o.as("maker1")
	maker.get("/recalls").is(http.StatusOK).says(string(recall.GlobalID)).says("days left").says("The customer asked for the recall (CUST)").
		says("Debtor and recall reason")
	maker.get("/payments/" + recall.InternalID.String()).is(http.StatusOK).says("recalled by Anna Beispiel")
	maker.get("/recalls/" + recall.InternalID.String()).goesTo("/payments/" + recall.InternalID.String())
	back, no := "/payments/"+original.InternalID.String()+"/return", "/recalls/"+recall.InternalID.String()+"/resolve"
	for _, m := range []payment.Message{original, recall} {
		page := maker.get("/payments/" + m.InternalID.String()).is(http.StatusOK).says("Answer the recall by")
		if !page.offers(back) || !page.offers(no) {
			t.Errorf("the %s does not offer both answers: %s", m.Kind, page.page.Find(".actions").Text())
		}
	}
	form := maker.get(back).is(http.StatusOK).says("Accept the recall and send EUR 100.00 back")
	if reasons := form.page.Find(`input[name="reason"]`); reasons.Length() != 1 || form.fields(back).Get("reason") != "FOCR" {
		t.Errorf("%d reasons for a grant, chosen %q", reasons.Length(), form.fields(back).Get("reason"))
	}
	for charge, code := range map[string]string{"1,234": "AM12", "100.00": "AM02"} {
		got := maker.post(back, url.Values{"reason": {"FOCR"}, "charge": {charge}}).is(http.StatusUnprocessableEntity)
		if inline := got.page.Find("#charge-error").Text(); !strings.Contains(inline, code) {
			t.Errorf("a charge of %s is answered with %q", charge, got.problems())
		}
	}
	m := maker.requests(back, "charge", "5,50")
	if m.Summary.Amount.Format() != "EUR 94.50" || m.AnswersID != recall.InternalID {
		t.Fatalf("the return is over %s and answers %s", m.Summary.Amount.Format(), m.AnswersID)
	}
	detail := o.as("checker1").get("/queue/" + m.InternalID.String()).is(http.StatusOK).
		says("Approve the return of EUR 94.50 to Anna Beispiel")
	detail.says("Send EUR 94.50 of EUR 100.00 back to Anna Beispiel and keep the difference as a charge.").says("EUR 5.50").
		says(string(recall.GlobalID))
	maker.get(no).is(http.StatusConflict).says("This recall cannot be refused")
	maker.get("/recalls").is(http.StatusOK).says("Return: Waiting for approval")
	o.approve(m)
	o.as("supervisor1").get("/reports/decisions").is(http.StatusOK).says("Creditor: Anna Beispiel")
	table := o.as("supervisor1").get("/reports/decisions/table").is(http.StatusOK)
	if !strings.Contains(table.text, `"Anna Beispiel";"`+m.Summary.DebtorAccount+`"`) {
		t.Errorf("the table of decisions: %s", table.text)
	}
	maker.get("/recalls").is(http.StatusOK)
	tree := maker.get("/payments/" + original.InternalID.String() + "/related").is(http.StatusOK)
	nested := tree.page.Find(".tree .tree .tree")
	if nested.Length() != 1 || !strings.Contains(nested.Text(), string(m.GlobalID)) {
		t.Errorf("the return does not stand below the recall it answers: %s", tree.main())
	}
}

func TestAReceivedRecallIsRefused(t *testing.T) {
	t.Parallel()
	o := setup(t).clearing()
	original, recall := o.recalled(rulebook.SchemeSIC, "TX1")
	maker, path := o.as("maker1"), "/recalls/"+recall.InternalID.String()+"/resolve"
	form := maker.get(path).is(http.StatusOK)
	if cards := form.page.Find("section.card"); cards.Length() != 2 || !strings.Contains(cards.Text(), "days left") {
		t.Errorf("%d cards: %s", cards.Length(), cards.Text())
	}
	if form.page.Find(`a[href="/payments/`+original.InternalID.String()+`/return"]`).Length() != 1 {
		t.Error("the form does not lead to the grant")
	}
	if chosen := form.fields(path).Get("reason"); chosen != "" {
		t.Errorf("%s is chosen though there is time", chosen)
	}
	for code, doubt := range map[string]string{
		"NOOR": "Your institution received this payment on", "AC04": "The account is still open at your institution.", "ARDT": "Your institution " +
			"has not sent a return of this payment.",
	} {
		if got := form.page.Find(`details .radio:has(input[value="` + code + `"])`).Text(); !strings.Contains(got, doubt) {
			t.Errorf("%s contradicts the data, and is offered as %q", code, got)
		}
	}
	if others := form.page.Find("details .radio").Map(func(_ int, r *goquery.Selection) string { return r.Text() }); !strings.Contains(others[len(others)-1], "NOOR") {
		t.Errorf("the further reasons are %q", others)
	}
	o.change("UPDATE debtor_account SET open = false")
	if got := maker.get(path).page.Find(`fieldset > .radio:has(input[value="AC04"])`).Length(); got != 1 {
		t.Error("a closed account is not among the usual reasons")
	}
	o.change("UPDATE debtor_account SET open = true")
	narrative := maker.post(path, url.Values{"reason": {"NARR"}}).is(http.StatusUnprocessableEntity)
	if narrative.page.Find("#information1-error").Length() != 1 {
		t.Errorf("a narrative without its words is answered with %q", narrative.problems())
	}
	m := maker.requests(path, "reason", "CUST")
	detail := o.as("checker1").get("/queue/" + m.InternalID.String()).is(http.StatusOK).says("Approve the refusal to return CHF 100.00")
	detail.says("refusal: the money stays with Peter Haller").says("The creditor refused the recall (CUST)")
	maker.get("/payments/" + original.InternalID.String() + "/return").is(http.StatusConflict).
		says("You cannot both return the payment and refuse the recall")
	line := o.as("checker1").get(chosen(m.InternalID.String())).is(http.StatusOK).page.Find(".bulk-list li")
	if all, folded := line.Find("dt").Length(), line.Find("details:not([open]) dt").Length(); folded == 0 || all-folded > 6 {
		t.Errorf("the line shows %d facts, %d of them folded", all, folded)
	}
	reject := "/queue/" + m.InternalID.String() + "/reject"
	checker := o.as("checker1")
	checker.post(reject, with(checker.get(reject).fields(reject), "category", "other", "reason", "Ask the customer again")).goesTo("/queue")
	if !maker.get("/payments/" + recall.InternalID.String()).is(http.StatusOK).offers(path) {
		t.Error("after the rejection the recall cannot be answered")
	}
	o.asIn("demo2", "maker1").get(path).is(http.StatusNotFound)
	o.as("checker1").get(path).is(http.StatusForbidden)
}

func TestALateAnswerIsPreparedAndNeverSentByItself(t *testing.T) {
	t.Parallel()
	o := setup(t).clearing()
	_, recall := o.recalled(rulebook.SchemeSIC, "TX1")
	maker := o.as("maker1")
	home, path := "/payments/"+recall.InternalID.String(), "/recalls/"+recall.InternalID.String()+"/resolve"
	zurich := "(now() AT TIME ZONE 'Europe/Zurich')::date"
	for _, c := range []struct{ days, words string }{
		{"3", "3 days left"}, {"2", "2 days left"}, {"0", "due today"}, {"-1", "1 day overdue"}, {"-4", "4 days overdue"},
	} {
		days, words := c.days, c.words
		o.change("UPDATE message SET answer_by = ((" + zurich + " + " + days + ")::timestamp AT TIME ZONE 'UTC') WHERE kind = 'received recall'")
		o.DB.SealVersions(t)
		list := maker.get("/recalls").is(http.StatusOK).says(words)
		want := map[string]string{"Not answered yet": "1", "Overdue": "0", "Answered": "0"}
		if strings.HasSuffix(words, "overdue") {
			want["Overdue"] = "1"
		}
		if got := list.tabCounts(); !maps.Equal(got, want) {
			t.Errorf("%s: the tabs count %v, not %v", words, got, want)
		}
		prepared := days != "3"
		form := maker.get(path).is(http.StatusOK)
		if got := form.fields(path).Get("reason") == "NOAS"; got != prepared {
			t.Errorf("%s: the prepared answer is there: %v", words, got)
		}
		if said := strings.Contains(form.main(), "never sent automatically"); said != prepared {
			t.Errorf("%s: the form says that it is prepared: %v", words, said)
		}
		if linked := maker.get(home).page.Find(`.notice a[href="`+path+`"]`).Length() == 1; linked != prepared {
			t.Errorf("%s: the recall links the prepared answer: %v", words, linked)
		}
	}
	if n := o.count("SELECT count(*) FROM message WHERE kind = 'resolution'"); n != 0 {
		t.Fatalf("%d answers were made by themselves", n)
	}
	if m := maker.requests(path); m.Reason != "NOAS" || m.State != payment.StateApprovalPending {
		t.Errorf("the prepared answer became %s %s", m.Reason, m.State)
	}
}
