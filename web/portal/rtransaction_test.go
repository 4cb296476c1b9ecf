package portal_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"countersign/internal/payment"
	"countersign/internal/rulebook"
)

func TestARecallGoesFromItsFormToItsApproval(t *testing.T) {
	t.Parallel()
	o := setup(t).clearing()
	original := o.settled(filled())
	home := "/payments/" + original.InternalID.String()
	maker := o.as("maker1")
	if !maker.get(home).is(http.StatusOK).offers(home + "/recall") {
		t.Fatal("the settled payment offers no recall")
	}
	offered := func() int { return maker.get("/mine?tab=settled").page.Find(`a[href="` + home + `/recall"]`).Length() }
	if offered() != 1 {
		t.Error("the list of settled payments offers no recall")
	}
	form := maker.get(home + "/recall").is(http.StatusOK).says("Recall CHF 1'234.50")
	card := strings.Join(strings.Fields(form.page.Find("section.card").Text()), " ")
	for _, fact := range []string{
		string(original.GlobalID), "CHF 1'234.50", "Beispiel Holzbau GmbH", "CH48 2196 6000 0096 1338 8",
		"Rechnung 1107",
	} {
		if !strings.Contains(card, fact) {
			t.Errorf("the card does not say %q: %s", fact, card)
		}
	}
	m := maker.requests(home+"/recall", "reason", "DUPL", "information1", "Paid on Monday", "information2", "and on Tuesday")
	if m.Kind != payment.KindRecall || m.State != payment.StateApprovalPending || m.OriginalID != original.InternalID || m.Reason != "DUPL" {
		t.Fatalf("the message is %s %s about %s for %s", m.Kind, m.State, m.OriginalID, m.Reason)
	}
	after := maker.get(home).is(http.StatusOK).says("Recall awaiting approval").says(
		"The recall has the ID " + string(m.GlobalID) + " and the state “waiting for approval”.",
	)
	if after.offers(home+"/recall") || offered() != 0 {
		t.Error("a second recall is offered")
	}
	maker.get(home + "/recall").is(http.StatusConflict).says("This payment cannot be recalled").says("can be recalled only once")
	maker.get("/mine").is(http.StatusOK).says("Recall").says(string(m.GlobalID))
	if own := maker.get("/queue/" + m.InternalID.String()).is(http.StatusOK); own.page.Find("#approve").Length() != 0 {
		t.Error("the maker may approve the recall")
	}

	checker := o.as("checker1")
	checker.get("/queue?kind=recall").is(http.StatusOK).says(string(m.GlobalID)).says("DUPL")
	if n := checker.get("/queue?kind=return").is(http.StatusOK).page.Find("tr[data-row]").Length(); n != 0 {
		t.Errorf("%d returns wait", n)
	}
	detail := checker.get("/queue/" + m.InternalID.String()).is(http.StatusOK)
	detail.says("Approve the recall of CHF 1'234.50").says(
		"Ask the bank of Beispiel Holzbau GmbH to send CHF 1'234.50 back. Reason: Payment sent twice by mistake (DUPL).",
	)
	detail.says("Paid on Monday").says("and on Tuesday")
	if detail.page.Find(`.summary a[href="`+home+`"]`).Length() != 1 {
		t.Error("the decision does not link the original")
	}
	if m = o.approve(m); m.State != payment.StateProcessing {
		t.Errorf("the approved recall is %s", m.State)
	}
	maker.get(home + "/related").is(http.StatusOK).says("Recall of the payment").says("Payment sent twice by mistake (DUPL)")
}

func TestARecallIsRefusedBesideItsFields(t *testing.T) {
	t.Parallel()
	o := setup(t).clearing()
	original := o.settled(sepa())
	path := "/payments/" + original.InternalID.String() + "/recall"
	maker := o.as("maker1")
	for name, c := range map[string]struct{ reason, line, field, code string }{
		"no reason":          {"", "", "reason", "CH21"},
		"unknown reason":     {"XXXX", "", "reason", "CH16"},
		"line not taken":     {"DUPL", "twice", "information1", "CH17"},
		"line too long":      {"FRAD", strings.Repeat("x", 106), "information1", "CH16"},
		"foreign characters": {"FRAD", "обман", "information1", "CH16"},
	} {
		got := maker.post(path, url.Values{"reason": {c.reason}, "information1": {c.line}}).is(http.StatusUnprocessableEntity)
		inline := got.page.Find("#" + c.field + "-error")
		if len(got.problems()) != 1 || inline.Length() != 1 || !strings.Contains(inline.Text(), c.code) {
			t.Errorf("%s: the summary says %q, the field %q", name, got.problems(), inline.Text())
		}
		if kept := got.fields(path).Get("information1"); kept != c.line {
			t.Errorf("%s: the line comes back as %q", name, kept)
		}
	}
	if n := o.count("SELECT count(*) FROM message WHERE kind = 'recall'"); n != 0 {
		t.Errorf("%d recalls", n)
	}
	o.change("UPDATE message SET accepted_at = accepted_at - interval '40 days'")
	late := maker.post(path, url.Values{"reason": {"DUPL"}}).is(http.StatusUnprocessableEntity)
	if got := late.problems(); len(got) != 1 || !strings.Contains(got[0], "TM01") {
		t.Errorf("after the deadline the summary says %q", got)
	}
}

func TestTheStateReplacesTheButtonByASentence(t *testing.T) {
	t.Parallel()
	o := setup(t).clearing()
	maker := o.as("maker1")
	waiting := maker.submit(filled())
	home := "/payments/" + waiting.InternalID.String()
	page := maker.get(home).is(http.StatusOK).says("This payment has not been sent yet. Withdraw it instead of recalling it.")
	if page.offers(home + "/recall") {
		t.Error("a waiting payment offers a recall")
	}
	maker.get(home + "/recall").is(http.StatusConflict).says("has not been sent yet")
	maker.post(home+"/recall", url.Values{"reason": {"DUPL"}}).is(http.StatusConflict)
	maker.get(home + "/return").is(http.StatusConflict).says("Choose an incoming payment")
	maker.get("/recalls/" + waiting.InternalID.String() + "/resolve").is(http.StatusNotFound)

	settled := o.settled(with(filled(), "amount", "7.00", "endToEndId", "E2E-7"))
	path := "/payments/" + settled.InternalID.String() + "/recall"
	o.as("checker1").get(path).is(http.StatusForbidden)
	o.as("supervisor1").post(path, url.Values{"reason": {"DUPL"}}).is(http.StatusForbidden)
	o.asIn("demo2", "maker1").get(path).is(http.StatusNotFound)
	o.asIn("demo2", "maker1").post(path, url.Values{"reason": {"DUPL"}}).is(http.StatusNotFound)
	if checker := o.as("checker1").get("/payments/" + settled.InternalID.String()); checker.offers(path) {
		t.Error("a checker is offered a recall")
	}
}

func TestARecallSentTwiceIsOneAndTheSlowerMakerReadsWhy(t *testing.T) {
	t.Parallel()
	o := setup(t).clearing()
	original := o.settled(filled())
	path := "/payments/" + original.InternalID.String() + "/recall"
	first, second := o.as("maker1"), o.as("maker2")
	mine := first.post(path, url.Values{"reason": {"DUPL"}}).goesTo("/payments/")
	theirs := second.post(path, url.Values{"reason": {"TECH"}}).goesTo("/payments/")
	second.get(mine).is(http.StatusNotFound)
	action, shown := strings.TrimSuffix(mine, "check")+"submit", first.shown(mine)
	const tries = 4
	places := make(chan string, tries)
	for range tries {
		go func() { places <- first.post(action, shown).location }()
	}
	done := <-places
	for range tries - 1 {
		if next := <-places; next != done || next == "" {
			t.Errorf("one submission leads to %q, another to %q", done, next)
		}
	}
	first.get(mine).goesTo(done)
	o.change("UPDATE draft SET message_id = NULL") // as after a crash between the submission and the note about it
	first.post(action, nil).goesTo(done)
	second.get(theirs).is(http.StatusConflict).says("can be recalled only once")
	second.post(strings.TrimSuffix(theirs, "check")+"submit", nil).is(http.StatusConflict).says("This payment has already been recalled")
	if n := o.count("SELECT count(*) FROM message WHERE kind = 'recall'"); n != 1 {
		t.Errorf("%d recalls of one payment", n)
	}
}

func TestARequestIsChangedFromItsCheckPage(t *testing.T) {
	t.Parallel()
	o := setup(t).clearing()
	original := o.settled(filled())
	path := "/payments/" + original.InternalID.String() + "/recall"
	maker := o.as("maker1")
	check := maker.post(path, url.Values{"reason": {"FRAD"}, "information3": {"third line"}}).goesTo("/payments/")
	page := maker.get(check).is(http.StatusOK).says("Submit the recall of CHF 1'234.50 for approval").says("Fraud (FRAD)").says("third line")
	change := page.page.Find(".change a").First().AttrOr("href", "")
	form := maker.get(change).is(http.StatusOK)
	action := form.page.Find("form.payment-form").AttrOr("action", "")
	values := form.fields(action)
	if values.Get("reason") != "FRAD" || values.Get("information3") != "third line" {
		t.Fatalf("the form comes back with %v", values)
	}
	if again := maker.post(action, with(values, "reason", "TECH")).goesTo("/payments/"); again != check {
		t.Errorf("the changed form leads to %s, want %s", again, check)
	}
	maker.get(check).is(http.StatusOK).says("(TECH)")
	edit := strings.TrimSuffix(check, "check") + "edit"
	maker.get(edit).goesTo(path + "?draft=")
	maker.post(edit, filled()).is(http.StatusNotFound)
}

func TestAnIncomingPaymentIsSentBack(t *testing.T) {
	t.Parallel()
	o := setup(t).clearing()
	original, _ := o.arrived(rulebook.SchemeSIC, "TX1")
	home := "/payments/" + original.InternalID.String()
	maker := o.as("maker1")
	if !maker.get(home).is(http.StatusOK).offers(home + "/return") {
		t.Fatal("the booked payment offers no return")
	}
	form := maker.get(home + "/return").is(http.StatusOK).says("further reasons")
	if form.page.Find(`input[name="reason"][value="FOCR"]`).Length() != 0 || form.page.Find(`input[name="charge"]`).Length() != 0 {
		t.Error("the answer to a recall is offered though nobody recalled the payment")
	}
	if got := maker.post(home+"/return", url.Values{"reason": {"FOCR"}}).is(http.StatusUnprocessableEntity).problems(); len(got) != 1 {
		t.Errorf("a grant without a recall is answered with %q", got)
	}
	needs := maker.post(home+"/return", url.Values{"reason": {"NARR"}}).is(http.StatusUnprocessableEntity)
	if needs.page.Find("#information1-error").Length() != 1 {
		t.Errorf("a reason without its words is answered with %q", needs.problems())
	}
	m := maker.requests(home+"/return", "reason", "AC04")
	detail := o.as("checker1").get("/queue/" + m.InternalID.String()).is(http.StatusOK)
	detail.says("Approve the return of CHF 100.00 to Anna Beispiel").says(
		"Send CHF 100.00 back to Anna Beispiel. Reason: The account is closed (AC04).",
	)
	maker.get(home).is(http.StatusOK).says("Return awaiting approval").says(
		"The return has the ID " + string(m.GlobalID) + " and the state “waiting for approval”.",
	)
	maker.get(home + "/return").is(http.StatusConflict).says("This payment cannot be returned")
	withdraw := "/payments/" + m.InternalID.String() + "/withdraw"
	page := maker.get(withdraw).is(http.StatusOK).says("Withdraw the return of CHF 100.00 to Anna Beispiel")
	maker.post(withdraw, page.fields(withdraw)).goesTo("/mine")
	if !maker.get(home).is(http.StatusOK).offers(home + "/return") {
		t.Error("after the withdrawal no return is offered")
	}
}

func TestAFormSentTooLateIsKept(t *testing.T) {
	t.Parallel()
	o := setup(t).clearing()
	original := o.settled(filled())
	path := "/payments/" + original.InternalID.String() + "/recall"
	maker := o.as("maker1")
	maker.get(path).is(http.StatusOK)
	o.change("UPDATE sessions SET expiry = now() - interval '1 minute'")
	ended := maker.post(path, url.Values{"reason": {"FRAD"}, "information1": {"The customer called"}}).is(http.StatusUnauthorized).says(
		"What you typed was saved",
	)
	next, err := url.Parse(ended.page.Find(`a[href^="/signin"]`).AttrOr("href", ""))
	if err != nil {
		t.Fatal(err)
	}
	kept := next.Query().Get("next")
	form := o.as("maker1").get(kept).is(http.StatusOK).fields(path)
	if form.Get("reason") != "FRAD" || form.Get("information1") != "The customer called" {
		t.Errorf("the form opens with %v", form)
	}
	o.as("maker2").get(kept).is(http.StatusNotFound)
	if n := o.count("SELECT count(*) FROM message WHERE kind = 'recall'"); n != 0 {
		t.Errorf("%d recalls were made", n)
	}
}

func TestListsAreNarrowedByKindAndDirection(t *testing.T) {
	t.Parallel()
	o := setup(t).clearing()
	ours := o.settled(filled())
	o.recalled(rulebook.SchemeSIC, "TX1")
	maker := o.as("maker1")
	maker.requests("/payments/"+ours.InternalID.String()+"/recall", "reason", "DUPL")
	for query, want := range map[string]int{
		"": 4, "?kind=recall": 1, "?kind=instruction": 1, "?kind=payment": 1, "?kind=received+recall": 1, "?kind=return": 0,
		"?direction=in": 2, "?direction=out": 2, "?direction=in&kind=recall": 0, "?direction=sideways": 4,
	} {
		got := maker.get("/payments" + query).is(http.StatusOK)
		if n := got.page.Find("tr[data-row]").Length(); n != want {
			t.Errorf("/payments%s lists %d messages, want %d", query, n, want)
		}
	}
	maker.get("/payments?kind=recall").says("Recall").says("Filters (1)")
}

// TestARefusedRecallSaysWhyInPlainWords: not in those of the code set, which are for programmers, and in the language of the page.
func TestARefusedRecallSaysWhyInPlainWords(t *testing.T) {
	t.Parallel()
	o := setup(t).clearing()
	original := o.settled(filled())
	recall := o.approve(o.as("maker1").requests("/payments/"+original.InternalID.String()+"/recall", "reason", "DUPL"))
	maker, path := o.as("maker1"), "/payments/"+recall.InternalID.String()
	maker.header.Set("Accept-Language", "de-CH")
	const refuses = "Der Empfänger lehnt den Rückruf ab (CUST)"
	for text, want := range map[string]string{
		"Reported when the cancellation cannot be accepted because of a customer decision (Creditor).": refuses,
		"Call Anna Beispiel": refuses + ": Call Anna Beispiel",
	} {
		o.change("SET session_replication_role = replica; UPDATE message SET state = 'Refused', status_code = 'CUST', status_text = '" + text +
			"' WHERE kind = 'recall'")
		if got := maker.get(path).is(http.StatusOK).says(want); strings.Contains(got.text, "Reported when") {
			t.Error("the page quotes the code set")
		}
	}
	maker.get("/payments/" + original.InternalID.String()).is(http.StatusOK).
		says("Der Rückruf " + string(recall.GlobalID) + " dieser Zahlung hat den Status «Zurückgewiesen».")
}

// TestAFailedReturnIsToldAsOne: its creditor is the person who paid, and nothing is owed to them.
func TestAFailedReturnIsToldAsOne(t *testing.T) {
	t.Parallel()
	o := setup(t).clearing()
	original, _ := o.arrived(rulebook.SchemeSIC, "TX1")
	back := o.approve(o.as("maker1").requests("/payments/"+original.InternalID.String()+"/return", "reason", "CUST"))
	o.change("SET session_replication_role = replica; UPDATE message SET state = 'Failed', status_code = 'AC04', status_text = '' " +
		"WHERE kind = 'return'")
	page := o.as("maker1").get("/payments/" + back.InternalID.String()).is(http.StatusOK).
		says("The account that the payment came from is closed.")
	if strings.Contains(page.text, "Ask the creditor") {
		t.Error("a return is told as a payment")
	}
}
