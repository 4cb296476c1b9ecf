package portal_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// TestWhatIsTypedIsKeptAndFoundAgain: a form is kept while it is typed, in one draft, which its maker finds again and nobody else.
func TestWhatIsTypedIsKeptAndFoundAgain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	half := url.Values{
		"scheme": {"sic-inst"}, "creditorName": {"Half a na"}, "amount": {"12"}, "remittanceKind": {"text"},
		"remittanceText": {"Invoice"},
	}
	key := maker.withHTMX().post("/payments/keep", half).is(http.StatusOK).says("saved at").page.Find("input[name=draft]").AttrOr("value", "")
	again := maker.withHTMX().post("/payments/keep", with(half, "draft", key, "creditorName", "Half a name")).is(http.StatusOK)
	if same := again.page.Find("input[name=draft]").AttrOr("value", ""); key == "" || same != key {
		t.Fatalf("kept under %q, then under %q", key, same)
	}
	list := maker.get("/mine?tab=drafts").is(http.StatusOK)
	rows := list.page.Find("tr[data-row]")
	if rows.Length() != 1 || !strings.Contains(rows.Text(), "Half a name") || !strings.Contains(rows.Text(), "Invoice") {
		t.Fatalf("%d drafts: %s", rows.Length(), rows.Text())
	}
	if !strings.Contains(rows.Text(), "CHF 12.00") {
		t.Errorf("an amount that can be read is not written as everywhere: %s", rows.Text())
	}
	if n := b.as("maker2").get("/mine?tab=drafts").is(http.StatusOK).page.Find("tr[data-row]").Length(); n != 0 {
		t.Errorf("somebody else finds %d", n)
	}
	b.as("maker2").post("/payments/keep", with(half, "draft", key, "creditorName", "Changed by another")).is(http.StatusOK)
	edit := rows.Find("a[data-open]").AttrOr("href", "")
	form := b.as("maker1").get(edit).is(http.StatusOK).fields("/payments/")
	if form.Get("creditorName") != "Half a name" || form.Get("draft") != key {
		t.Errorf("the form comes back with %v", form)
	}
	b.as("checker1").post("/payments/keep", half).is(http.StatusForbidden)

	check := maker.post("/payments/new", with(filled(), "draft", key)).goesTo("/payments/" + key)
	page := maker.get(check).is(http.StatusOK)
	send := strings.TrimSuffix(check, "check") + "submit"
	maker.post(send, page.fields(send)).goesTo("/payments/")
	if n := maker.get("/mine?tab=drafts").is(http.StatusOK).page.Find("tr[data-row]").Length(); n != 0 {
		t.Errorf("%d drafts are left of what was submitted", n)
	}
	maker.post("/payments/keep", with(half, "draft", key, "creditorName", "Too late to amend")).is(http.StatusOK)
	if m := b.message(
		"demo", strings.Split(maker.post(send, nil).goesTo("/payments/"), "/")[2],
	); m.Summary.CreditorName != "Beispiel Holzbau GmbH" {
		t.Errorf("what was kept after the submission changed it: %s", m.Summary.CreditorName)
	}
	if n := b.count("SELECT count(*) FROM message"); n != 1 {
		t.Errorf("%d messages, want 1", n)
	}
}

// TestWhatIsKeptByTheWayNeverReplacesWhatWasSentLater: the check page shows what is submitted.
func TestWhatIsKeptByTheWayNeverReplacesWhatWasSentLater(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	check := maker.post("/payments/new", filled()).goesTo("/payments/")
	key := strings.Split(check, "/")[2]
	b.change("UPDATE draft SET saved_at = now() + interval '1 minute'") // sent after what is kept now
	maker.post("/payments/keep", with(filled(), "draft", key, "amount", "9.99")).is(http.StatusNotFound)
	maker.get(check).is(http.StatusOK).says("CHF 1'234.50")
}

// TestARefusedDraftGoesOnInItself: what the page to check refuses comes back as the form of the draft, and what is typed on is kept in it.
func TestARefusedDraftGoesOnInItself(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	half := url.Values{"scheme": {"sic-inst"}, "creditorName": {"Half a na"}, "amount": {"12"}}
	key := maker.withHTMX().post("/payments/keep", half).is(http.StatusOK).page.Find("input[name=draft]").AttrOr("value", "")
	refused := maker.get("/payments/" + key + "/check").is(http.StatusUnprocessableEntity).fields("/payments/" + key)
	maker.post("/payments/keep", with(refused, "creditorName", "Half a name")).is(http.StatusOK)
	if form := maker.get("/payments/" + key + "/edit").is(http.StatusOK).fields("/payments/"); form.Get("creditorName") != "Half a name" {
		t.Errorf("the draft holds %v", form)
	}
	if n := b.count("SELECT count(*) FROM draft"); n != 1 {
		t.Errorf("%d drafts of one form", n)
	}
}

// TestAFormHasAKeyOfItsOwn: before a form is kept it has a key. Under that it is one draft, however often it is sent, of its maker alone.
func TestAFormHasAKeyOfItsOwn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	key := maker.get("/payments/new").fields("/payments/new").Get("form")
	other := maker.get("/payments/new").fields("/payments/new").Get("form")
	if key == "" || key == other {
		t.Fatalf("two forms have the keys %q and %q", key, other)
	}
	half := url.Values{"scheme": {"sct-inst"}, "form": {key}, "creditorName": {"Half a na"}, "amount": {"12"}}
	maker.post("/payments/keep", half).is(http.StatusOK)
	maker.post("/payments/keep", with(half, "creditorName", "Half a name")).is(http.StatusOK)
	address := "/payments/new?form=" + key
	if again := maker.get(address).is(http.StatusOK).fields("/payments/"); again.Get("creditorName") != "Half a name" {
		t.Errorf("the form comes back with %v", again)
	}
	if again := maker.get("/payments/new?form=" + other).is(http.StatusOK).fields("/payments/new"); again.Get("creditorName") != "" {
		t.Errorf("another window shows %v", again)
	}
	stranger := b.as("maker2")
	if again := stranger.get(address).is(http.StatusOK).fields("/payments/new"); again.Get("creditorName") != "" {
		t.Errorf("somebody else finds %v", again)
	}
	stranger.post("/payments/keep", with(half, "creditorName", "Of another")).is(http.StatusOK)
	refused := maker.post("/payments/new", with(filled(), "form", other, "amount", "")).is(http.StatusUnprocessableEntity)
	if kept := refused.fields("/payments/new").Get("form"); kept != other {
		t.Errorf("a refused form has the key %q, had %q", kept, other)
	}
	check := maker.post("/payments/new", with(filled(), "form", key)).goesTo("/payments/")
	if n := b.count("SELECT count(*) FROM draft"); n != 2 {
		t.Errorf("%d drafts, want one of each maker", n)
	}
	page, send := maker.get(check), strings.TrimSuffix(check, "check")+"submit"
	maker.post(send, page.fields(send)).goesTo("/payments/")
	maker.post("/payments/keep", with(half, "creditorName", "Too late to amend")).is(http.StatusOK)
	maker.get(address).is(http.StatusOK)
	if n := b.count("SELECT count(*) FROM draft WHERE message_id IS NOT NULL"); n != 1 {
		t.Errorf("%d drafts became messages, want 1", n)
	}
}

// TestADraftOfAnotherPersonSaysWhoseItIs: its address opens it for nobody else, and shows nothing of it.
func TestADraftOfAnotherPersonSaysWhoseItIs(t *testing.T) {
	t.Parallel()
	b := setup(t)
	check := b.as("maker1").post("/payments/new", filled()).goesTo("/payments/")
	for _, path := range []string{check, strings.TrimSuffix(check, "check") + "edit"} {
		page := b.as("maker2").get(path).is(http.StatusNotFound).says("This draft belongs to maker1")
		if strings.Contains(page.page.Text(), filled().Get("creditorName")) {
			t.Errorf("%s shows the payment", path)
		}
	}
	b.as("maker2").post(strings.TrimSuffix(check, "check")+"submit", nil).is(http.StatusNotFound)
	if n := b.count("SELECT count(*) FROM message"); n != 0 {
		t.Errorf("%d messages were made", n)
	}
}

// TestDraftsAreDeleted: by their maker only, one or all. What was submitted stays.
func TestDraftsAreDeleted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker, other := b.as("maker1"), b.as("maker2")
	keep := func(w *browser) string {
		return w.withHTMX().post("/payments/keep", filled()).is(http.StatusOK).page.Find("input[name=draft]").AttrOr("value", "")
	}
	drafts := func(w *browser) int {
		return w.get("/mine?tab=drafts").is(http.StatusOK).page.Find("tr[data-row]").Length()
	}
	sent := maker.submit(filled())
	first := keep(maker)
	keep(maker)
	keep(maker)
	keep(other)
	list := maker.get("/mine?tab=drafts").is(http.StatusOK).says("Delete all 3 drafts")
	if list.page.Find("form[action='/mine/discard']").Length() != 0 {
		t.Error("the list deletes without a question")
	}
	ask := maker.get(list.page.Find("a[href$='discard?draft="+first+"']").AttrOr("href", "")).is(http.StatusOK).says("Delete this draft?")
	if button := ask.page.Find("main form " +
		"button[value='" + first + "']"); button.Length() != 1 || ask.page.Find("tr[data-row]").Length() != 1 {
		t.Errorf("%d buttons delete the draft", button.Length())
	}
	maker.get("/mine/discard?draft=all").is(http.StatusOK).says("Delete 3 drafts?").says("You cannot recover deleted drafts.")
	other.get("/mine/discard?draft=" + first).is(http.StatusNotFound)
	b.as("checker1").get("/mine/discard?draft=all").is(http.StatusForbidden)
	b.as("checker1").post("/mine/discard", url.Values{"draft": {"all"}}).is(http.StatusForbidden)
	maker.post("/mine/discard", url.Values{"draft": {""}}).is(http.StatusNotFound)
	other.post("/mine/discard", url.Values{"draft": {first}}).goesTo("/mine")
	if n := drafts(maker); n != 3 {
		t.Errorf("%d drafts are left after another person deleted", n)
	}
	maker.post("/mine/discard", url.Values{"draft": {first}}).goesTo("/mine")
	if n := drafts(maker); n != 2 {
		t.Errorf("%d drafts are left, want 2", n)
	}
	maker.post("/mine/discard", url.Values{"draft": {"all"}}).goesTo("/mine")
	if n, rest := drafts(maker), drafts(other); n != 0 || rest != 1 {
		t.Errorf("%d drafts are left, and %d of another person", n, rest)
	}
	maker.get("/payments/" + sent.InternalID.String() + "/submitted").is(http.StatusOK)
}
