package portal_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

const changedSince = "The details were changed after the page was loaded"

// TestAStaleCheckPageSubmitsNothing: what was typed in another window after the page was made is not what its button names. The page comes
// back with what the draft holds now, and that one submits.
func TestAStaleCheckPageSubmitsNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	check := maker.post("/payments/new", filled()).goesTo("/payments/")
	shown, send, edit := maker.shown(check), strings.TrimSuffix(check, "check")+"submit", strings.TrimSuffix(check, "check")+"edit"
	form := maker.get(edit).is(http.StatusOK).fields(edit)
	maker.post(edit, with(form, "amount", "9'999.32", "creditorName", "Changed Later AG", "act", "check"))
	for _, form := range []url.Values{shown, {}, {"checked": {"0"}}} {
		maker.post(send, form).is(http.StatusConflict).says(changedSince).says("Changed Later AG")
	}
	if n := b.count("SELECT count(*) FROM message"); n != 0 {
		t.Fatalf("%d messages were submitted that no page showed", n)
	}
	anew := maker.post(send, shown)
	done := maker.post(send, anew.fields(send)).goesTo("/payments/")
	if m := b.message("demo", strings.Split(done, "/")[2]); m.Summary.Amount.Format() != "CHF 9'999.32" {
		t.Errorf("submitted is %s", m.Summary.Amount.Format())
	}
}

// TestAStaleCheckPageOfARecallSubmitsNothing is the same for what is no payment.
func TestAStaleCheckPageOfARecallSubmitsNothing(t *testing.T) {
	t.Parallel()
	o := setup(t).clearing()
	original := o.settled(filled())
	maker, path := o.as("maker1"), "/payments/"+original.InternalID.String()+"/recall"
	check := maker.post(path, url.Values{"reason": {"DUPL"}}).goesTo("/payments/")
	shown, send := maker.shown(check), strings.TrimSuffix(check, "check")+"submit"
	change := maker.get(check).page.Find("a[href*='?draft=']").AttrOr("href", "")
	action := maker.get(change).is(http.StatusOK).page.Find("main form").AttrOr("action", "")
	maker.post(action, with(maker.get(change).fields(action), "reason", "TECH")).goesTo("/payments/")
	maker.post(send, shown).is(http.StatusConflict).says(changedSince).says("TECH")
	if n := o.count("SELECT count(*) FROM message WHERE kind = 'recall'"); n != 0 {
		t.Fatalf("%d recalls were submitted that no page showed", n)
	}
	maker.post(send, maker.shown(check)).goesTo("/payments/")
}

// TestAStaleListOfAFileSubmitsNothing: a line that was mended in another window is looked at before all are submitted.
func TestAStaleListOfAFileSubmitsNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	rows := table(3)
	for i := range rows[1:] {
		cells := strings.Split(rows[i+1], ";")
		cells[2] = filled().Get("creditorIban")
		rows[i+1] = strings.Join(cells, ";")
	}
	path := maker.upload("Lohn.csv", []byte(strings.Join(rows, "\r\n"))).goesTo("/payments/batches/")
	list := maker.get(path).is(http.StatusOK)
	change := list.page.Find("#line-3 a").AttrOr("href", "")
	form := maker.get(change).is(http.StatusOK).fields(change)
	maker.post(change, with(form, "creditorName", "Changed Later AG", "amount", "7'064.02", "act", "check")).goesTo(path)
	maker.get(maker.post(path+"/submit", list.fields(path+"/submit")).goesTo(path)).says(changedSince).says("0 of 3 payments submitted")
	if n := b.count("SELECT count(*) FROM message"); n != 0 {
		t.Fatalf("%d messages were submitted that no page showed", n)
	}
	maker.get(maker.post(path+"/submit", maker.get(path).fields(path+"/submit")).goesTo(path)).says("3 of 3 payments submitted")
}
