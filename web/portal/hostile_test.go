package portal_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"countersign/internal/testutil"
)

// payloads are what an attacker would write into a text field.
var payloads = []string{
	`<script>alert(1)</script>`,
	`"><img src=x onerror=alert(1)>`,
	`'><svg/onload=alert(1)>`,
	`javascript:alert(1)`,
	`{{7*7}}<b>bold</b>`,
	`</textarea><script>alert(1)</script>`,
	`<a hx-get="/signout" hx-trigger="load">x</a>`,
	`&lt;script&gt;alert(1)&lt;/script&gt;`,
}

// clean fails the test when a page holds a live element that nobody put there.
func (a answer) clean(payload string) {
	a.t.Helper()
	for _, selector := range []string{
		"img", "svg[onload]", "[onerror]", "[onload]", "main b", `[hx-trigger="load"]`,
		`a[href^="javascript:"]`,
	} {
		if a.page.Find(selector).Length() > 0 {
			a.t.Errorf("%s: %q became a live %s", a.what, payload, selector)
		}
	}
	for _, script := range a.page.Find("script").EachIter() {
		if script.Text() != "" {
			a.t.Errorf("%s: %q became a script", a.what, payload)
		}
	}
}

func TestTextsOfPeopleAreNeverMarkup(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	b := setup(t)
	maker, checker := b.as("maker1"), b.as("checker1")
	for i, payload := range payloads {
		form := with(filled(), "creditorName", payload, "street", payload[:min(len(payload), 60)], "remittanceText", payload,
			"amount", "1.0"+string(rune('1'+i)))
		check := maker.post("/payments/new", form).goesTo("/payments/")
		page := maker.get(check).is(http.StatusOK).says(payload)
		page.clean(payload)
		maker.get(strings.TrimSuffix(check, "check") + "edit").is(http.StatusOK).clean(payload)
		done := maker.post(strings.TrimSuffix(check, "check")+"submit", maker.shown(check)).goesTo("/payments/")
		id := strings.Split(done, "/")[2]
		home := "/payments/" + id
		for _, path := range []string{
			done, "/mine", home, home + "/timeline", home + "/messages", home + "/audit", home + "/withdraw",
			home + "/amend",
		} {
			maker.get(path).is(http.StatusOK).clean(payload)
		}
		document := maker.get(home+"/messages").page.Find("tr[data-row] a[data-open]").AttrOr("href", "")
		maker.get(document).is(http.StatusOK).clean(payload)
		for _, path := range []string{
			"/queue", "/queue/" + id, "/queue/" + id + "/reject", "/", "/payments",
			"/queue?text=" + url.QueryEscape(payload),
		} {
			checker.get(path).is(http.StatusOK).clean(payload)
		}
		m := b.message("demo", id)
		reject := url.Values{"version": {"1"}, "contentHash": {hash(m)}, "category": {"other"}, "reason": {payload}}
		checker.post("/queue/"+id+"/reject", with(reject, "version", "9")).is(http.StatusConflict).clean(payload)
		checker.post("/queue/"+id+"/reject", reject).goesTo("/queue")
		maker.get("/mine?tab=rejected").is(http.StatusOK).says(payload).clean(payload)
	}
}

func TestSearchAndSignInEchoNothingLive(t *testing.T) {
	t.Parallel()
	b := setup(t)
	w := b.as("maker1")
	for _, payload := range payloads {
		query := url.QueryEscape(payload)
		for _, path := range []string{
			"/payments?text=" + query + "&maker=" + query + "&state=" + query + "&scheme=" + query, "/search?q=" + query, "/mine?tab=" + query,
			"/payments/new?scheme=" + query, "/payments/iban?creditorIban=" + query, "/queue?tab=" + query,
		} {
			w.get(path).is(http.StatusOK).clean(payload)
		}
		b.browser().get("/signin?next=" + query).is(http.StatusOK).clean(payload)
		b.browser().post("/signin", url.Values{"realm": {payload}, "username": {payload}, "next": {payload}}).
			is(http.StatusUnprocessableEntity).clean(payload)
	}
}

func TestHostileRequestsAreAnsweredInWords(t *testing.T) {
	t.Parallel()
	b := setup(t)
	w := b.as("both1")
	m := b.as("maker1").submit(filled())
	path := "/queue/" + m.InternalID.String()
	w.post("/payments/new", url.Values{"creditorName": {strings.Repeat("x", 100<<10)}}).is(http.StatusRequestEntityTooLarge)
	w.send(http.MethodPost, "/payments/new", "application/x-www-form-urlencoded", strings.NewReader("%zz=1")).is(http.StatusBadRequest)
	w.post("/payments/new", with(filled(), "creditorName", "a\x00b")).is(http.StatusUnprocessableEntity)
	w.post("/payments/new", with(filled(), "creditorName", "a\xff\xfeb")).is(http.StatusUnprocessableEntity)
	w.get("/queue?text=%00&maker=%00").is(http.StatusOK)
	w.get("/payments?text=%ff%fe&maker=%ff").is(http.StatusOK)
	w.post(path+"/reject", url.Values{"version": {"1"}, "contentHash": {hash(m)}, "reason": {"a\x00b"}}).is(http.StatusUnprocessableEntity)
	w.post(path+"/approve", url.Values{"version": {"99999999999999999999"}, "contentHash": {"zz"}}).is(http.StatusConflict)
	// What the form does not have cannot be set through it.
	smuggled := with(
		filled(), "state", "Approved", "maker", "x", "realm", "demo2", "approvalsRequired", "0", "externalId", "mine", "amount", "8.00",
	)
	created := b.as("maker2").submit(smuggled)
	if created.State != "Approval Pending" || created.Realm != "demo" || created.ApprovalsRequired != 1 || created.ExternalID == "mine" {
		t.Errorf("fields that no form has were taken: %+v", created)
	}
}
