package portal_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"countersign/internal/payment"
	"countersign/internal/rulebook"
)

// TestAReasonToRejectIsKeptWhileItIsTyped: who types one finds it again, nobody else does, and nothing of it stands in the clear.
func TestAReasonToRejectIsKeptWhileItIsTyped(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	first, second := maker.submit(filled()), maker.submit(with(filled(), "endToEndId", "E2E-2", "amount", "77.00"))
	path, other := "/queue/"+first.InternalID.String(), "/queue/"+second.InternalID.String()
	half := url.Values{"category": {"evidence"}, "reason": {"Nobody knows\r\nthis <order>"}, "version": {"1"}, "contentHash": {hash(first)}}
	checker := b.as("checker1")
	checker.withHTMX().post(path+"/reject/keep", with(half, "reason", "Nobody kn")).is(http.StatusOK).says("Saved at")
	checker.withHTMX().post(path+"/reject/keep", half).is(http.StatusOK)
	// Loaded again, on a page of its own, and in a list that opens it.
	for _, where := range []string{path, path + "/reject", "/queue?text=" + string(first.GlobalID)} {
		kept := b.as("checker1").get(where).is(http.StatusOK).says("not sent").fields(path + "/reject")
		if kept.Get("reason") != "Nobody knows\nthis <order>" || kept.Get("category") != "evidence" {
			t.Errorf("%s comes back with %v", where, kept)
		}
	}
	if _, open := checker.get(path).page.Find("#reject-panel").Attr("open"); !open {
		t.Error("what was typed is folded away")
	}
	if n := b.count("SELECT count(*) FROM parked_form WHERE position('Nobody' in encode(fields, 'escape')) > 0"); n != 0 {
		t.Error("what was typed stands in the clear")
	}
	if kept := b.as("checker2").get(path).is(http.StatusOK).fields(path + "/reject"); kept.Get("reason") != "" {
		t.Errorf("somebody else finds %q", kept.Get("reason"))
	}
	b.as("maker1").post(path+"/reject/keep", half).is(http.StatusForbidden)
	b.as("supervisor1").post(path+"/reject/keep", half).is(http.StatusForbidden)

	// A rival is faster.
	checker.post(other+"/reject/keep", with(half, "reason", "Wrong account")).is(http.StatusOK)
	rival := b.as("checker2")
	rival.post(other+"/approve", rival.get(other).fields(other+"/approve")).goesTo("/queue")
	late := checker.get(other).is(http.StatusOK).says("was already approved by Checker 2")
	if said := late.page.Find(".conflict blockquote").Text(); said != "Wrong account" {
		t.Errorf("what was typed about a message that a rival decided is %q", said)
	}
	checker.post(other+"/reject/keep", with(half, "reason", "Wrong account, and more")).is(http.StatusOK)
	checker.get(other).says("Wrong account, and more")
	if text := rival.get(other).main(); strings.Contains(text, "Wrong account") || strings.Contains(text, "not saved") {
		t.Errorf("the rival reads %s", text)
	}

	// What is sent, or emptied, is forgotten.
	checker.post(path+"/reject", checker.get(path).fields(path+"/reject")).goesTo("/queue")
	checker.post(path+"/reject/keep", half).is(http.StatusOK)
	checker.post(other+"/reject/keep", with(half, "reason", " ")).is(http.StatusOK)
	if n := b.count("SELECT count(*) FROM parked_form"); n != 0 {
		t.Errorf("%d reasons are left", n)
	}
	if m := b.message("demo", first.InternalID.String()); m.State != payment.StateRejected {
		t.Errorf("the message is %s", m.State)
	}
}

// TestWordsThatAreTypedAreBounded: no person fills the table, and none is refused because of it.
func TestWordsThatAreTypedAreBounded(t *testing.T) {
	t.Parallel()
	b := setup(t)
	m := b.as("maker1").submit(filled())
	checker, path := b.as("checker1"), "/queue/"+m.InternalID.String()
	b.change(`INSERT INTO parked_form (realm, parked_id, user_id, fields, file, file_name, created_at, expires_at)
	  SELECT realm, gen_random_uuid(), user_id, '', '', '', now(), now() + interval '1 hour' FROM user_account, generate_series(1, 200)
	  WHERE realm = 'demo' AND name = 'checker1'`)
	checker.post(path+"/reject/keep", url.Values{"reason": {"One more"}}).is(http.StatusOK)
	if n := b.count("SELECT count(*) FROM parked_form"); n != 200 {
		t.Errorf("%d rows are kept", n)
	}
	maker := b.as("maker1")
	b.change(`INSERT INTO draft (realm, draft_id, user_id, scheme, answers, file, file_name, created_at, saved_at, expires_at)
	  SELECT realm, gen_random_uuid(), user_id, 'sic-inst', '', '', '', now(), now(), now() + interval '1 hour'
	  FROM user_account, generate_series(1, 200) WHERE realm = 'demo' AND name = 'maker1'`)
	maker.post("/payments/keep", filled()).is(http.StatusForbidden).says("too many drafts")
	maker.post("/payments/new", filled()).goesTo("/payments/") // what is sent is kept all the same
	checker.post(path+"/reject/keep", url.Values{"reason": {strings.Repeat("x", 70_000)}}).is(http.StatusRequestEntityTooLarge)
	// What is taken as a form can be larger as it is kept.
	raw := func(w *browser, path, body string) answer {
		return w.send(http.MethodPost, path, "application/x-www-form-urlencoded", strings.NewReader(body))
	}
	raw(checker, path+"/reject/keep", "reason="+strings.Repeat("ä", 30_000)).is(http.StatusRequestEntityTooLarge)
	raw(maker, "/payments/keep", "creditorName="+strings.Repeat("<", 60_000)).is(http.StatusRequestEntityTooLarge)
}

// TestWhatAMakerAnswersIsKeptWhileItIsTyped: why it is paid again, and why it is withdrawn.
func TestWhatAMakerAnswersIsKeptWhileItIsTyped(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	m := maker.submit(filled())
	check := maker.post("/payments/new", with(filled(), "endToEndId", "E2E-2")).goesTo("/payments/")
	maker.post(check+"/keep", url.Values{"duplicateReason": {"Second instalment"}}).is(http.StatusOK).says("Saved at")
	if kept := maker.get(check).fields(strings.TrimSuffix(check, "check")); kept.Get("duplicateReason") != "Second instalment" {
		t.Errorf("the check page comes back with %v", kept)
	}
	b.as("maker2").post(check+"/keep", url.Values{"duplicateReason": {"Mine"}}).is(http.StatusNotFound)

	withdraw := "/payments/" + m.InternalID.String() + "/withdraw"
	maker.post(withdraw+"/keep", url.Values{"reason": {"Entered twice"}}).is(http.StatusOK)
	if kept := maker.get(withdraw).fields(withdraw); kept.Get("reason") != "Entered twice" {
		t.Errorf("the page to withdraw comes back with %v", kept)
	}
	b.as("maker2").post(withdraw+"/keep", url.Values{"reason": {"Mine"}}).is(http.StatusForbidden)
	checker, path := b.as("checker1"), "/queue/"+m.InternalID.String()
	checker.post(path+"/approve", checker.get(path).fields(path+"/approve")).goesTo("/queue")
	if said := maker.get(withdraw).is(http.StatusConflict).page.Find(".conflict blockquote").Text(); said != "Entered twice" {
		t.Errorf("what was typed before it was approved is %q", said)
	}
}

// TestTheFormOfARecallIsKeptWhileItIsTyped: in one draft, listed with what it is about, for its maker alone.
func TestTheFormOfARecallIsKeptWhileItIsTyped(t *testing.T) {
	t.Parallel()
	o := setup(t).clearing()
	original := o.settled(filled())
	path := "/payments/" + original.InternalID.String() + "/recall"
	maker := o.as("maker1")
	half := url.Values{"reason": {"DUPL"}, "information1": {"Paid on Mon"}}
	place := maker.withHTMX().post(path+"/keep", half).is(http.StatusOK).page.Find("input[name=draft]")
	key, address := place.AttrOr("value", ""), place.AttrOr("data-address", "")
	again := maker.withHTMX().post(path+"/keep", with(half, "draft", key, "information1", "Paid on Monday")).is(http.StatusOK)
	if same := again.page.Find("input[name=draft]").AttrOr("value", ""); key == "" || same != key {
		t.Fatalf("kept under %q, then under %q", key, same)
	}
	form := maker.get(address).is(http.StatusOK).fields(path)
	if form.Get("information1") != "Paid on Monday" || form.Get("reason") != "DUPL" || form.Get("draft") != key {
		t.Errorf("%s comes back with %v", address, form)
	}
	rows := maker.get("/mine?tab=drafts").is(http.StatusOK).says("Recall from").says("CHF 1'234.50").page.Find("tr[data-row]")
	named := strings.Contains(rows.Text(), "Beispiel Holzbau GmbH")
	if rows.Length() != 1 || rows.Find("a[data-open]").AttrOr("href", "") != address || !named {
		t.Errorf("%d drafts: %s", rows.Length(), rows.Text())
	}
	o.as("maker2").get(address).is(http.StatusNotFound)
	o.as("checker1").post(path+"/keep", half).is(http.StatusForbidden)
	other := o.as("maker2").post(path+"/keep", with(half, "draft", key, "information1", "By another")).is(http.StatusOK)
	mine := maker.get(address).fields(path).Get("information1")
	if other.page.Find("input[name=draft]").AttrOr("value", "") == key || mine != "Paid on Monday" {
		t.Error("somebody else wrote into the draft")
	}

	wrong := maker.post(path, with(form, "reason", "")).is(http.StatusUnprocessableEntity)
	if wrong.fields(path).Get("draft") != key {
		t.Error("a form with a mistake loses its draft")
	}
	o.as("maker2").requests(path, "reason", "DUPL") // a rival recalls it
	for _, late := range []answer{maker.post(path, form), maker.get(address)} {
		if said := late.is(http.StatusConflict).page.Find("blockquote").Text(); !strings.Contains(said, "Paid on Monday") {
			t.Errorf("%s does not give back what was typed: %s", late.what, late.main())
		}
	}
	if n := o.count("SELECT count(*) FROM draft WHERE message_id IS NULL"); n != 2 {
		t.Errorf("%d drafts wait, want one of each maker", n)
	}
}

// keepsForm types half of a form of an R-transaction, and expects it again when the form is loaded again, by its maker alone.
func (o *otherSide) keepsForm(path string, half url.Values) {
	o.t.Helper()
	maker := o.as("maker1")
	form := maker.get(path).is(http.StatusOK)
	keep := form.page.Find("form[data-keep]").AttrOr("data-keep", "")
	typed := form.fields(path)
	for field, values := range half {
		typed[field] = values
	}
	address := maker.withHTMX().post(keep, typed).is(http.StatusOK).page.Find("input[name=draft]").AttrOr("data-address", "")
	again := maker.get(address).is(http.StatusOK).fields(path)
	for field := range half {
		if again.Get(field) != half.Get(field) {
			o.t.Errorf("%s comes back with %s=%q, want %q", address, field, again.Get(field), half.Get(field))
		}
	}
	if rows := maker.get("/mine?tab=drafts").is(http.StatusOK).page.Find("tr[data-row] a[data-open]"); rows.AttrOr("href", "") != address {
		o.t.Errorf("the drafts lead to %q, want %q", rows.AttrOr("href", ""), address)
	}
	o.as("maker2").get(address).is(http.StatusNotFound)
}

func TestTheFormOfAReturnIsKeptWhileItIsTyped(t *testing.T) {
	t.Parallel()
	o := setup(t).clearing()
	original, _ := o.recalled(rulebook.SchemeSCT, "TX1")
	o.keepsForm("/payments/"+original.InternalID.String()+"/return", url.Values{"reason": {"FOCR"}, "charge": {"5,5"}})
}

func TestTheFormOfAResolutionIsKeptWhileItIsTyped(t *testing.T) {
	t.Parallel()
	o := setup(t).clearing()
	_, recall := o.recalled(rulebook.SchemeSIC, "TX1")
	path := "/recalls/" + recall.InternalID.String() + "/resolve"
	o.keepsForm(path, url.Values{"reason": {"LEGL"}, "information1": {"The court has not yet"}})
}

// TestAFirstAmendmentIsKeptWhileItIsTyped: as a draft of its own, and when the submission was decided meanwhile too.
func TestAFirstAmendmentIsKeptWhileItIsTyped(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	m := maker.submit(filled())
	amend := "/payments/" + m.InternalID.String() + "/amend"
	page := maker.get(amend).is(http.StatusOK)
	keep, _ := page.page.Find("form[data-keep]").Attr("data-keep")
	form := with(page.fields(amend), "amount", "41.00", "amendReason", "Typ")
	place := maker.withHTMX().post(keep, form).is(http.StatusOK).page.Find("input[name=draft]")
	key, address := place.AttrOr("value", ""), place.AttrOr("data-address", "")
	kept := maker.get(address).is(http.StatusOK).says("Amend").fields("/payments/")
	if kept.Get("amount") != "41.00" || kept.Get("amendReason") != "Typ" {
		t.Errorf("%s comes back with %v", address, kept)
	}
	b.as("checker1").post(keep, with(form, "person", "demo/checker1")).is(http.StatusForbidden)
	check := maker.post(amend+"?version=1", with(form, "draft", key, "amendReason", "Typo", "act", "check")).goesTo("/payments/" + key)
	maker.get(check).is(http.StatusOK).says("41.00")

	checker, path := b.as("checker1"), "/queue/"+m.InternalID.String()
	checker.post(path+"/approve", checker.get(path).fields(path+"/approve")).goesTo("/queue")
	late := maker.post(amend+"?version=1", with(form, "draft", key, "amount", "42.00", "act", "check")).is(http.StatusConflict)
	if kept := maker.get(address).is(http.StatusOK).fields("/payments/"); kept.Get("amount") != "42.00" {
		t.Errorf("what was typed too late is %v", kept.Get("amount"))
	}
	if late.says("can no longer be amended").page.Find(`main a[href="`+address+`"]`).Length() != 1 {
		t.Error("nothing leads to what was typed")
	}
	maker.withHTMX().post(keep, with(form, "amount", "43.00")).is(http.StatusOK)
	if n := b.count("SELECT count(*) FROM draft WHERE amends IS NOT NULL"); n != 1 {
		t.Errorf("%d drafts of one form", n)
	}
	if m := b.message("demo", m.InternalID.String()); m.Version != 1 {
		t.Errorf("the message has version %d", m.Version)
	}
}
