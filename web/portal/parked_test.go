package portal_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"countersign/internal/payment"
)

// expire ends every session as time does.
func (b *bench) expire() {
	b.t.Helper()
	b.change("UPDATE sessions SET expiry = now() - interval '1 minute'")
}

// signInAgain follows the answer to a form that came too late: it must say that what was typed is kept, and lead to a page for its owner.
func (a answer) signInAgain(w *browser) string {
	a.t.Helper()
	link := a.header.Get("HX-Redirect")
	if !w.htmx {
		link = a.says("What you typed was saved").page.Find("main a.button").AttrOr("href", "")
	}
	signIn, err := url.Parse(link)
	if err != nil || a.status != http.StatusUnauthorized && a.status != http.StatusConflict || signIn.Path != "/signin" {
		a.t.Fatalf("%s leads to %q", a.what, link)
	}
	return signIn.Query().Get("next")
}

func TestAReasonToRejectSurvivesTheSession(t *testing.T) {
	t.Parallel()
	b := setup(t)
	m := b.as("maker1").submit(filled())
	path := "/queue/" + m.InternalID.String()
	for _, checker := range []*browser{b.as("checker1"), b.as("checker1").withHTMX()} {
		form := b.as("checker1").get(path).is(http.StatusOK).fields(path + "/reject")
		b.expire()
		form.Set("category", "evidence")
		form.Set("reason", "No order\r\nfor <this>")
		again := checker.post(path+"/reject?tab=all", form).signInAgain(checker)
		if !strings.HasPrefix(again, path+"?") || !strings.Contains(again, "tab=all") {
			t.Errorf("leads to %s", again)
		}
		back := b.as("checker1").get(again).is(http.StatusOK)
		kept := back.fields(path + "/reject")
		_, open := back.page.Find("#reject-panel").Attr("open")
		if kept.Get("reason") != "No order\nfor <this>" || kept.Get("category") != "evidence" || !open {
			t.Errorf("the form comes back with %v, open %v", kept, open)
		}
		if other := b.as("checker2").get(again).is(http.StatusOK).fields(path + "/reject"); other.Get("reason") != "" {
			t.Errorf("somebody else finds %q", other.Get("reason"))
		}
	}
	checker := b.as("checker1").withHTMX()
	b.expire()
	if again := checker.post(path+"/approve", url.Values{"version": {"1"}, "contentHash": {hash(m)}}).signInAgain(checker); again != path {
		t.Errorf("an approval that came too late leads to %s", again)
	}
	if m := b.message("demo", m.InternalID.String()); m.State != payment.StateApprovalPending {
		t.Errorf("the message is %s", m.State)
	}
}

func TestWhatAMakerAnswersSurvivesTheSession(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	m := maker.submit(filled())
	check := maker.post("/payments/new", with(filled(), "endToEndId", "E2E-2")).goesTo("/payments/")
	withdraw := "/payments/" + m.InternalID.String() + "/withdraw"
	b.expire()
	answers := url.Values{"duplicateAcknowledged": {"yes"}, "duplicateReason": {"Second instalment"}}
	send := strings.TrimSuffix(check, "check") + "submit"
	again := maker.post(send, answers).signInAgain(maker)
	kept := b.as("maker1").get(again).is(http.StatusOK).fields(send)
	if kept.Get("duplicateReason") != "Second instalment" || kept.Get("duplicateAcknowledged") != "yes" {
		t.Errorf("the check page comes back with %v", kept)
	}
	maker = b.as("maker1")
	b.expire()
	again = maker.post(withdraw, url.Values{"version": {"1"}, "reason": {"Paid by hand"}}).signInAgain(maker)
	if kept := b.as("maker1").get(again).is(http.StatusOK).fields(withdraw); kept.Get("reason") != "Paid by hand" {
		t.Errorf("the page to withdraw comes back with %v", kept)
	}
	maker = b.as("maker1")
	b.expire()
	content := sample(t, "sic-inst_01_pain.001.001.09.xml")
	again = maker.upload("orders of November.xml", content).signInAgain(maker)
	maker = b.as("maker1")
	page := maker.get(again).is(http.StatusOK).says("The file orders of November.xml has been saved")
	read := maker.post("/payments/upload", page.fields("/payments/upload")).goesTo("/payments/")
	maker.get(read).is(http.StatusOK).says("This payment comes from the file orders of November.xml")
	if n := b.count("SELECT count(*) FROM message"); n != 1 {
		t.Errorf("%d messages: something was submitted", n)
	}
	b.change("UPDATE parked_form SET created_at = now() - interval '2 hours', expires_at = now() - interval '1 hour'")
	maker.get(again).is(http.StatusOK)
	if _, err := b.config.Drafts.Clean(t.Context(), b.config.Now()); err != nil {
		t.Fatal(err)
	}
	if n := b.count("SELECT count(*) FROM parked_form"); n != 0 {
		t.Errorf("%d forms are kept for ever", n)
	}
}

// TestWordsTypedAfterTheSessionAreKept: the last ones before the page was left. A person who opens it again finds them, in place of what was
// kept before, and nobody else does.
func TestWordsTypedAfterTheSessionAreKept(t *testing.T) {
	t.Parallel()
	b := setup(t)
	m := b.as("maker1").submit(filled())
	home := "/payments/" + m.InternalID.String()
	check := b.as("maker1").post("/payments/new", with(filled(), "endToEndId", "E2E-2")).goesTo("/payments/")
	for _, c := range []struct{ who, page, field, keep, form string }{
		{"checker1", "/queue/" + m.InternalID.String(), "reason", "/queue/" + m.InternalID.String() + "/reject", "/reject"},
		{"maker1", home + "/withdraw", "reason", home + "/withdraw", ""},
		{"maker1", check, "duplicateReason", check, ""},
	} {
		w := b.as(c.who).withHTMX()
		w.post(c.keep+"/keep", url.Values{c.field: {"Nobody"}, "category": {"evidence"}}).is(http.StatusOK)
		b.expire()
		for _, typed := range []string{"Nobody knows", "Nobody knows\r\nthis <order>"} {
			again := w.post(c.keep+"/keep", url.Values{c.field: {typed}, "category": {"evidence"}}).signInAgain(w)
			if again != c.page {
				t.Errorf("%s leads to %s, want %s", c.keep, again, c.page)
			}
		}
		action := strings.TrimSuffix(c.page+c.form, "check")
		kept := b.as(c.who).get(c.page).is(http.StatusOK).fields(action)
		if said := strings.ReplaceAll(kept.Get(c.field), "\r", ""); said != "Nobody knows\nthis <order>" {
			t.Errorf("%s comes back with %q", c.page, said)
		}
		emptied := b.as(c.who)
		b.expire()
		emptied.post(c.keep+"/keep", url.Values{c.field: {" "}}).signInAgain(emptied)
	}
	if n := b.count("SELECT count(*) FROM parked_form"); n != 0 {
		t.Errorf("%d rows are left of what was emptied", n)
	}
	if n := b.count("SELECT count(*) FROM message WHERE state = 'Approval Pending'"); n != 1 {
		t.Errorf("%d messages wait, want the one", n)
	}
}

func TestAnAccountNumberIsAnsweredInPlaceWithoutASession(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1").withHTMX()
	b.expire()
	got := maker.get("/payments/iban?scheme=sic-inst&creditorIban=CH93").is(http.StatusUnauthorized)
	if target := got.header.Get("HX-Redirect"); target != "" {
		t.Errorf("a person who is typing is taken to %s", target)
	}
	if got.text != "" {
		t.Errorf("the page is told %q in the place of a part of it", got.text)
	}
	got = maker.post("/payments/outlook", filled()).is(http.StatusUnauthorized)
	if target := got.header.Get("HX-Redirect"); target != "" {
		t.Errorf("a person who is typing is taken to %s", target)
	}
	got = maker.post("/stay", nil).is(http.StatusUnauthorized)
	if target := got.header.Get("HX-Redirect"); target != "" {
		t.Errorf("a person who wants to stay is taken to %s", target)
	}
	if next := maker.get("/queue?text=Holzbau&tab=all").is(http.StatusUnauthorized).header.Get("HX-Redirect"); !strings.Contains(
		next, url.QueryEscape("text=Holzbau"),
	) {
		t.Errorf("a filter that came too late leads to %s", next)
	}
}

func TestStayingProlongsTheSession(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1").withHTMX()
	b.change("UPDATE sessions SET expiry = now() + interval '1 minute'")
	maker.post("/stay", nil).is(http.StatusOK)
	if n := b.count("SELECT count(*) FROM sessions WHERE expiry > now() + interval '10 minutes'"); n != 1 {
		t.Errorf("%d sessions were prolonged", n)
	}
}
