package portal_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"
)

const changedElsewhere = "draft was changed in another window."

// keptKey is the key of the draft that an answer says a form is kept in.
func (a answer) keptKey() string {
	return a.is(http.StatusOK).page.Find("input[name=draft]").AttrOr("value", "")
}

// into puts the hidden fields that an answer to what was kept brings over those that the form had.
func (a answer) into(form url.Values) url.Values {
	form = with(form)
	a.page.Find("input").Each(func(_ int, field *goquery.Selection) { form.Set(field.AttrOr("name", ""), field.AttrOr("value", "")) })
	return form
}

// twoWindows are two windows that show one draft, in which one changed the amount.
func twoWindows(t *testing.T, b *bench) (maker *browser, key string, first, second url.Values) {
	t.Helper()
	maker = b.as("maker1")
	fresh := with(maker.get("/payments/new").fields("/payments/new"), "creditorName", "Base", "amount", "45.10")
	kept := maker.post("/payments/keep", fresh)
	key = kept.keptKey()
	first = with(kept.into(fresh), "amount", "46.20")
	second = maker.get("/payments/" + key + "/edit").is(http.StatusOK).fields("/payments/")
	if same := maker.post("/payments/keep", first).keptKey(); same != key {
		t.Fatalf("the first window is kept in %s, and was in %s", same, key)
	}
	return maker, key, first, second
}

func (w *browser) holds(key, name, amount string) {
	w.b.t.Helper()
	form := w.get("/payments/" + key + "/edit").is(http.StatusOK).fields("/payments/")
	if form.Get("creditorName") != name || form.Get("amount") != amount {
		w.b.t.Errorf("the draft holds %q, %q; want %q, %q", form.Get("creditorName"), form.Get("amount"), name, amount)
	}
}

// TestTwoWindowsOnOneDraftLoseNothing: what is kept from a window that shows a draft as it was replaces nothing. It goes on in a draft of
// its own, and says so; each window keeps what is typed in it.
func TestTwoWindowsOnOneDraftLoseNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker, key, first, second := twoWindows(t, b)
	second.Set("creditorName", "Second Window")
	told := maker.post("/payments/keep", second).says(changedElsewhere)
	other := told.keptKey()
	if other == key || told.page.Find("a[href='/payments/"+key+"/edit']").Length() != 1 {
		t.Fatalf("kept in %s, of %s: %s", other, key, told.text)
	}
	if again := maker.post("/payments/keep", second).keptKey(); again != other { // the answer was lost
		t.Errorf("sent again it is kept in %s, and was in %s", again, other)
	}
	second = told.into(second)
	maker.post("/payments/keep", with(second, "creditorName", "Second Window AG")).says(changedElsewhere)
	maker.post("/payments/keep", with(first, "creditorName", "Base AG")).is(http.StatusOK)
	maker.holds(key, "Base AG", "46.20")
	maker.holds(other, "Second Window AG", "45.10")
	if n := b.count("SELECT count(*) FROM draft"); n != 2 {
		t.Errorf("%d drafts, want 2", n)
	}
	check := maker.post("/payments/"+key+"/edit", with(filled(), "draft", other, "form", second.Get("form"), "seen", second.Get("seen")))
	if path := check.goesTo("/payments/"); path != "/payments/"+other+"/check" {
		t.Errorf("the button of the second window checks %s", path)
	}
	maker.holds(key, "Base AG", "46.20")
}

// TestTheButtonOfAStaleFormLosesNothing is the same without a script, and with what is wrong in between.
func TestTheButtonOfAStaleFormLosesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker, key, _, second := twoWindows(t, b)
	edit := "/payments/" + key + "/edit"
	typed := with(filled(), "draft", key, "form", second.Get("form"), "seen", second.Get("seen"), "amount", "")
	refused := maker.post(edit, typed).is(http.StatusUnprocessableEntity).fields(edit)
	maker.holds(key, "Base", "46.20")
	check := maker.post(edit, with(refused, "amount", "47.30")).goesTo("/payments/")
	if check == "/payments/"+key+"/check" {
		t.Fatal("what the first window kept is replaced")
	}
	maker.get(check).is(http.StatusOK).says(changedElsewhere).says("CHF 47.30")
	maker.holds(key, "Base", "46.20")
}

// TestOneWindowStaysInItsDraft: what a window kept itself is no other window's, whichever of its requests arrives first, and two that hold
// the same hold one draft.
func TestOneWindowStaysInItsDraft(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker, key, _, _ := twoWindows(t, b)
	edit := "/payments/" + key + "/edit"
	window, beside := maker.get(edit).fields(edit), maker.get(edit).fields(edit)
	maker.post("/payments/keep", with(window, "creditorName", "Base A")).is(http.StatusOK) // its answer does not arrive before the next
	sent := with(window, "creditorName", "Base AG")
	for name, values := range filled() {
		if name != "creditorName" {
			sent.Set(name, values[0])
		}
	}
	for _, page := range []url.Values{sent, with(sent, "form", beside.Get("form"))} {
		if check := maker.post(edit, page).goesTo("/payments/"); check != "/payments/"+key+"/check" {
			t.Errorf("it goes on in %s", check)
		}
	}
	if n := b.count("SELECT count(*) FROM draft"); n != 1 {
		t.Errorf("%d drafts of one form", n)
	}
}

// TestTwoWindowsOnAnAmendment: the second draft of an amendment amends too.
func TestTwoWindowsOnAnAmendment(t *testing.T) {
	t.Parallel()
	b := setup(t)
	m := b.as("maker1").submit(filled())
	maker, amend := b.as("maker1"), "/payments/"+m.InternalID.String()+"/amend"
	window := maker.get(amend).is(http.StatusOK).fields(amend)
	keep := amend + "/keep?version=1"
	kept := maker.post(keep, with(window, "amount", "1'235.00"))
	key := kept.keptKey()
	second := maker.get("/payments/" + key + "/edit").is(http.StatusOK).fields("/payments/")
	maker.post(keep, with(kept.into(window), "amount", "1'236.00")).is(http.StatusOK)
	other := maker.post("/payments/keep", with(second, "amendReason", "Another amount")).says(changedElsewhere).keptKey()
	maker.holds(key, "Beispiel Holzbau GmbH", "1'236.00")
	maker.holds(other, "Beispiel Holzbau GmbH", "1'235.00")
	if n := b.count("SELECT count(*) FROM draft WHERE amends = $1 AND amends_version = 1", m.InternalID); n != 2 {
		t.Errorf("%d drafts amend the payment, want 2", n)
	}
}

// TestTwoWindowsOnARecall is the same for what is no payment.
func TestTwoWindowsOnARecall(t *testing.T) {
	t.Parallel()
	o := setup(t).clearing()
	original := o.settled(filled())
	maker, path := o.as("maker1"), "/payments/"+original.InternalID.String()+"/recall"
	window := with(maker.get(path).is(http.StatusOK).fields(path), "reason", "DUPL")
	kept := maker.post(path+"/keep", window)
	key := kept.keptKey()
	second := maker.get(path + "?draft=" + key).is(http.StatusOK).fields(path)
	maker.post(path+"/keep", with(kept.into(window), "reason", "TECH", "information1", "First")).is(http.StatusOK)
	told := maker.post(path+"/keep", with(second, "information1", "Second")).says(changedElsewhere)
	if told.page.Find("a[href$='?draft="+key+"']").Length() != 1 {
		t.Errorf("the answer does not lead to the other draft: %s", told.text)
	}
	check := maker.post(path, with(second, "information1", "Second one")).goesTo("/payments/")
	maker.get(check).says(changedElsewhere).says("Second one").says("DUPL")
	for draft, line := range map[string]string{key: "First", strings.Split(check, "/")[2]: "Second one"} {
		if form := maker.get(path + "?draft=" + draft).is(http.StatusOK).fields(path); form.Get("information1") != line {
			t.Errorf("a draft holds %v, want %s", form, line)
		}
	}
}
