package portal_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// TestAFormSurvivesASessionThatWasEnded: in another window of the same browser, from another browser, because everything was ended at once,
// because somebody else signed in there. What was typed is kept for who typed it, and for nobody else.
func TestAFormSurvivesASessionThatWasEnded(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for what, end := range map[string]func(w *browser){
		"signed out":      func(w *browser) { w.post("/signout", nil).is(http.StatusSeeOther) },
		"ended elsewhere": func(w *browser) { b.endAll("maker1") },
		"noticed by a part": func(w *browser) {
			b.endAll("maker1")
			w.withHTMX().post("/payments/outlook", filled()).is(http.StatusUnauthorized)
		},
		"somebody signed in": func(w *browser) { w.post("/signin", signInForm("maker2")).is(http.StatusSeeOther) },
	} {
		w := b.as("maker1")
		form := with(w.get("/payments/new").fields("/payments/new"), "creditorName", "Typed, "+what, "person", "demo/maker1")
		end(w)
		again := w.post("/payments/new", form).signInAgain(w)
		back := b.as("maker1").get(again).is(http.StatusOK).fields("/payments/")
		if back.Get("creditorName") != "Typed, "+what {
			t.Errorf("%s: the form comes back with %v", what, back)
		}
		b.as("maker2").get(again).is(http.StatusNotFound)
	}
	if n := b.count("SELECT count(*) FROM draft d JOIN user_account u USING (realm, user_id) WHERE u.name <> 'maker1'"); n != 0 {
		t.Errorf("%d drafts of somebody else", n)
	}
}

// endAll ends the sessions of a person, from another browser of theirs.
func (b *bench) endAll(name string) {
	b.t.Helper()
	other := b.as(name)
	page := other.get("/me").is(http.StatusOK).page
	for _, form := range page.Find("ul.sessions form").EachIter() {
		other.post(form.AttrOr("action", ""), nil).goesTo("/me")
	}
}

// TestAReasonSurvivesASessionThatWasEnded: and what is typed on is kept in the draft that was begun.
func TestAReasonSurvivesASessionThatWasEnded(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	path := "/queue/" + maker.submit(filled()).InternalID.String()
	checker := b.as("checker1")
	form := with(checker.get(path).fields(path+"/reject"), "category", "evidence", "reason", "No order")
	b.endAll("checker1")
	again := checker.post(path+"/reject", form).signInAgain(checker)
	if kept := b.as("checker1").get(again).is(http.StatusOK).fields(path + "/reject"); kept.Get("reason") != "No order" {
		t.Errorf("the form comes back with %v", kept)
	}
	if other := b.as("checker2").get(again).is(http.StatusOK).fields(path + "/reject"); other.Get("reason") != "" {
		t.Errorf("somebody else finds %q", other.Get("reason"))
	}

	key := maker.get("/payments/new").fields("/payments/new").Get("form")
	half := url.Values{"form": {key}, "creditorName": {"Half a na"}, "scheme": {"sic-inst"}}
	maker.post("/payments/keep", half).is(http.StatusOK)
	b.endAll("maker1")
	maker.withHTMX().post("/payments/keep", with(half, "creditorName", "Half a name")).is(http.StatusUnauthorized)
	if back := b.as("maker1").get("/payments/new?form=" + key).fields("/payments/"); back.Get("creditorName") != "Half a name" {
		t.Errorf("the form comes back with %v", back)
	}
	if n := b.count("SELECT count(*) FROM draft WHERE message_id IS NULL"); n != 1 {
		t.Errorf("%d drafts of one form", n)
	}
	if strings.Contains(b.as("maker2").get("/mine?tab=drafts").text, "Half a name") {
		t.Error("somebody else finds it")
	}
}
