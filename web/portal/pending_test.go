package portal_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"countersign/internal/payment"
	"countersign/internal/store"
)

func documentsOf(m payment.Message) store.DocumentFilter {
	return store.DocumentFilter{MessageID: m.InternalID, PageSize: 10}
}

func TestTheMakerWithdrawsBeforeTheChecker(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker, checker := b.as("maker1"), b.as("checker1")
	m := maker.submit(filled())
	path := "/payments/" + m.InternalID.String() + "/withdraw"
	decision := checker.get("/queue/" + m.InternalID.String()).fields("/queue/" + m.InternalID.String() + "/approve")
	form := maker.get(path).is(http.StatusOK).fields(path)
	maker.post(path, with(form, "reason", strings.Repeat("x", 513))).is(http.StatusUnprocessableEntity)
	back := maker.post(path, with(form, "reason", "Paid twice")).goesTo("/mine")
	maker.get(back).is(http.StatusOK).says(string(m.GlobalID) + " has been withdrawn.")
	checker.post("/queue/"+m.InternalID.String()+"/approve", decision).is(http.StatusConflict).says("Withdrawn")
	maker.get(path).is(http.StatusConflict)
	maker.get("/payments/" + m.InternalID.String() + "/amend").is(http.StatusConflict).says("can no longer be amended")
	if m := b.message("demo", m.InternalID.String()); m.State != payment.StateWithdrawn {
		t.Errorf("the message is %s", m.State)
	}
}

// TestAFirstApprovalIsNotSaidToHaveEndedAMessage: who comes after a withdrawal is told of it, not of the approval that was one too few.
func TestAFirstApprovalIsNotSaidToHaveEndedAMessage(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker, first, second := b.as("maker1"), b.as("checker1"), b.as("checker2")
	m := maker.submit(with(filled(), "amount", "12'000"))
	path, withdraw := "/queue/"+m.InternalID.String(), "/payments/"+m.InternalID.String()+"/withdraw"
	first.post(path+"/approve", first.get(path).is(http.StatusOK).fields(path+"/approve")).goesTo("/queue")
	late := second.get(path).is(http.StatusOK).fields(path + "/approve")
	maker.post(withdraw, maker.get(withdraw).is(http.StatusOK).fields(withdraw)).goesTo("/mine")
	got := second.post(path+"/approve", late).is(http.StatusConflict).says(string(m.GlobalID) + " was withdrawn by Maker 1 at ")
	if said := got.page.Find(".conflict").Text(); strings.Contains(said, "already approved") {
		t.Errorf("of a withdrawn message is said %q", said)
	}
}

func TestAnAmendmentThatComesTooLateChangesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker, checker := b.as("maker1"), b.as("checker1")
	m := maker.submit(filled())
	amend := maker.get("/payments/" + m.InternalID.String() + "/amend").is(http.StatusOK)
	action := amend.page.Find("main form").AttrOr("action", "")
	check := maker.post(action, with(amend.fields(action), "amount", "5.00", "act", "check", "amendReason", "typo")).goesTo("/payments/")
	path, shown := "/queue/"+m.InternalID.String(), maker.shown(check)
	checker.post(path+"/approve", checker.get(path).fields(path+"/approve")).goesTo("/queue")
	got := maker.post(strings.TrimSuffix(check, "check")+"submit", shown).is(http.StatusConflict)
	got.says("was already approved by Checker 1")
	if kept := got.fields("/payments/").Get("amount"); kept != "5.00" {
		t.Errorf("the amount typed comes back as %q", kept)
	}
	maker.post("/payments/keep", with(got.fields("/payments/"), "amount", "6.00")).is(http.StatusOK)
	if n := b.count("SELECT count(*) FROM draft WHERE message_id IS NULL"); n != 1 {
		t.Errorf("%d drafts of one amendment", n)
	}
	if m := b.message("demo", m.InternalID.String()); m.Version != 1 || m.Summary.Amount.Format() != "CHF 1'234.50" {
		t.Errorf("version %d over %s", m.Version, m.Summary.Amount.Format())
	}
}

func TestAnAmendmentSentTwiceIsOneVersion(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	m := maker.submit(filled())
	amend := maker.get("/payments/" + m.InternalID.String() + "/amend").is(http.StatusOK)
	action := amend.page.Find("main form").AttrOr("action", "")
	check := maker.post(action, with(amend.fields(action), "amount", "5.00", "act", "check", "amendReason", "typo")).goesTo("/payments/")
	send, shown := strings.TrimSuffix(check, "check")+"submit", maker.shown(check)
	done := maker.post(send, shown).goesTo("/payments/" + m.InternalID.String())
	maker.post(send, shown).goesTo(done)
	if m := b.message("demo", m.InternalID.String()); m.Version != 2 || m.Summary.Amount.Format() != "CHF 5.00" {
		t.Errorf("version %d over %s", m.Version, m.Summary.Amount.Format())
	}
	b.as("checker1").get("/queue/" + m.InternalID.String()).is(http.StatusOK).says("Amended").says("typo")
	again := maker.get("/payments/" + m.InternalID.String() + "/amend").is(http.StatusOK)
	action = again.page.Find("main form").AttrOr("action", "")
	long := with(again.fields(action), "act", "check", "amendReason", strings.Repeat("x", 513))
	if refused := maker.post(action, long).is(http.StatusUnprocessableEntity); refused.page.Find("#amendReason-error").Length() != 1 {
		t.Errorf("a reason that is too long is answered with %q", refused.problems())
	}
}

func TestAPossibleDuplicateNeedsATickAndAReason(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	first := maker.submit(filled())
	check := maker.post("/payments/new", with(filled(), "endToEndId", "E2E-2")).goesTo("/payments/")
	maker.get(check).is(http.StatusOK).says("Possible duplicate: same account and amount entered once in the last 7 days").
		says(string(first.GlobalID))
	send := strings.TrimSuffix(check, "check") + "submit"
	got := maker.post(send, maker.shown(check, "duplicateReason", "kept")).is(http.StatusUnprocessableEntity)
	if len(got.problems()) != 1 || got.fields(send).Get("duplicateReason") != "kept" {
		t.Errorf("problems %q, form %v", got.problems(), got.fields(send))
	}
	if n := b.count("SELECT count(*) FROM message"); n != 1 {
		t.Fatalf("%d messages, want 1", n)
	}
	long := maker.post(send, maker.shown(check, "duplicateReason", strings.Repeat("é", 141), "duplicateAcknowledged", "yes"))
	if long.is(http.StatusUnprocessableEntity); long.page.Find("#duplicateReason-error").Length() != 1 {
		t.Errorf("a reason of 141 characters is answered with %q", long.problems())
	}
	maker.post(send, maker.shown(check, "duplicateReason", "Second instalment", "duplicateAcknowledged", "yes")).goesTo("/payments/")
	if n := b.count("SELECT count(*) FROM message"); n != 2 {
		t.Errorf("%d messages, want 2", n)
	}
}

// TestTheReasonForPayingAgainReachesEveryChecker: it is kept with the version it was given for, and an amendment adds its own.
func TestTheReasonForPayingAgainReachesEveryChecker(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	maker.submit(filled())
	check := maker.post("/payments/new", with(filled(), "endToEndId", "E2E-2")).goesTo("/payments/")
	answers := maker.shown(check, "duplicateReason", "Second instalment <b>", "duplicateAcknowledged", "yes")
	done := maker.post(strings.TrimSuffix(check, "check")+"submit", answers).goesTo("/payments/")
	m := b.message("demo", strings.Split(done, "/")[2])
	const said, stored = "Reason for paying again: Second instalment <b>", "Paid again: Second instalment <b>"
	for _, path := range []string{"/queue/", "/payments/"} {
		got := b.as("checker1").get(path + m.InternalID.String()).is(http.StatusOK)
		if quoted := strings.Join(strings.Fields(got.page.Find(".said").Text()), " "); quoted != "Note from Maker 1"+said {
			t.Errorf("%s quotes %q", path, quoted)
		}
	}
	path := "/payments/" + m.InternalID.String()
	b.as("supervisor1").get(path + "/timeline").is(http.StatusOK).says(said)
	b.as("supervisor1").get(path + "/audit").is(http.StatusOK).says(said)
	kept := "SELECT count(*) FROM message_history h JOIN message_version v USING (realm, message_id, version) WHERE h.reason = $1"
	if n := b.count(kept, stored); n != 1 {
		t.Errorf("%d versions keep the reason", n)
	}
	amend := maker.get(path + "/amend").is(http.StatusOK)
	action := amend.page.Find("main form").AttrOr("action", "")
	change := with(amend.fields(action), "act", "check", "street", "Bergstrasse", "amendReason", "")
	if empty := maker.post(action, change).is(http.StatusUnprocessableEntity); empty.page.Find("#amendReason-error").Length() != 1 {
		t.Errorf("an amendment without a reason is answered with %q", empty.problems())
	}
	outlook := maker.withHTMX().post(amend.page.Find(".outlook-says").AttrOr("hx-post", ""), change).is(http.StatusOK)
	if mark := outlook.page.Find(".mark-closed"); !strings.Contains(mark.Text(), "Explain why you are amending the payment") {
		t.Errorf("beside an amendment without a reason stands %q", mark.Text())
	}
	check = maker.post(action, with(change, "amendReason", "Moved")).goesTo("/payments/")
	answers = maker.shown(check, "duplicateReason", "Second instalment <b>", "duplicateAcknowledged", "yes")
	maker.post(strings.TrimSuffix(check, "check")+"submit", answers).goesTo("/payments/")
	b.as("checker2").get("/queue/" + m.InternalID.String()).is(http.StatusOK).says("Note from Maker 1Moved " + said)
	if n := b.count(kept, "Moved "+stored); n != 1 {
		t.Errorf("%d versions keep the reason of the amendment", n)
	}
}

func TestTextBeyondTheSchemeIsRewrittenInSight(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	form := with(filled(), "scheme", "sct-inst", "debtorAccount", "DE62007620110623852957", "creditorIban", "DE89370400440532013000",
		"creditorName", "Bäckerei Groß", "street", "Ringstraße", "town", "Köln", "postcode", "50667", "country", "DE",
		"remittanceText", "Rechnung März", "amount", "10,50")
	check := maker.post("/payments/new", form).goesTo("/payments/")
	maker.get(check).is(http.StatusOK).says("Some characters will be replaced").says("Rechnung März Rechnung Maerz").says(
		"Baeckerei Gross",
	)
	done := maker.post(strings.TrimSuffix(check, "check")+"submit", maker.shown(check)).goesTo("/payments/")
	m := b.message("demo", strings.Split(done, "/")[2])
	if m.Summary.CreditorName != "Baeckerei Gross" || m.Summary.Remittance != "Rechnung Maerz" {
		t.Errorf("stored are %q and %q: not what the maker saw", m.Summary.CreditorName, m.Summary.Remittance)
	}
}

func TestAnIdentifierLeadsStraightToItsPayment(t *testing.T) {
	t.Parallel()
	b := setup(t)
	m := b.as("maker1").submit(filled())
	supervisor := b.as("supervisor1")
	home := "/payments/" + m.InternalID.String()
	for _, text := range []string{string(m.GlobalID), strings.ToLower(string(m.GlobalID)), m.InternalID.String(), "E2E-1", m.ExternalID} {
		if got := supervisor.get("/search?q=" + url.QueryEscape(text)); got.location != home {
			t.Errorf("%q leads to %q, want %s", text, got.location, home)
		}
	}
	jump := supervisor.withHTMX().get("/payments?text=" + string(m.GlobalID)).is(http.StatusOK)
	if jump.header.Get("HX-Redirect") != home {
		t.Errorf("htmx is led to %q", jump.header.Get("HX-Redirect"))
	}
	for _, text := range []string{"holzbau", "CH48 2196 6000 0096 1338 8", "1'234.50", "CH5021977000004331346"} {
		got := supervisor.get("/payments?text=" + url.QueryEscape(text)).is(http.StatusOK)
		if got.page.Find("tr[data-row]").Length() != 1 {
			t.Errorf("%q finds %d payments, want 1", text, got.page.Find("tr[data-row]").Length())
		}
	}
	supervisor.get("/payments?text=nothing-like-it").is(http.StatusOK).says("No results")
}

func TestLongListsGoOnByKey(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	for range 62 {
		check := maker.post("/payments/new", filled()).goesTo("/payments/")
		answers := maker.shown(check, "duplicateAcknowledged", "yes", "duplicateReason", "x")
		maker.post(strings.TrimSuffix(check, "check")+"submit", answers).goesTo("/payments/")
	}
	checker := b.as("checker1")
	for _, list := range []string{"/queue", "/payments"} {
		seen := map[string]bool{}
		path := list
		for page := 0; path != "" && page < 9; page++ {
			got := checker.get(path).is(http.StatusOK)
			for _, row := range got.page.Find("tr[data-row]").EachIter() {
				seen[row.AttrOr("data-row", "")] = true
			}
			path = got.page.Find(`a:contains("Next page")`).AttrOr("href", "")
		}
		if len(seen) != 62 {
			t.Errorf("%s shows %d messages in all, want 62", list, len(seen))
		}
	}
}

func TestADocumentIsShownAndDownloadedAsItIs(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	m := maker.submit(filled())
	page := maker.get("/payments/" + m.InternalID.String() + "/messages").is(http.StatusOK).says("pain.001.001.09")
	link := page.page.Find("tr[data-row] a[data-open]").AttrOr("href", "")
	maker.get(link).is(http.StatusOK).says("<MsgId>").says("Beispiel Holzbau GmbH")
	file := maker.get(link + "/download").is(http.StatusOK)
	if file.text != string(m.Content) {
		t.Error("the downloaded bytes are not the stored ones")
	}
	disposition := file.header.Get("Content-Disposition")
	if !strings.HasPrefix(disposition, "attachment") || file.header.Get("Content-Type") != "application/xml" {
		t.Errorf("the file comes as %q, %q", disposition, file.header.Get("Content-Type"))
	}
	other := maker.submit(with(filled(), "amount", "2.00"))
	maker.get(strings.Replace(link, m.InternalID.String(), other.InternalID.String(), 1)).is(http.StatusNotFound)
}
