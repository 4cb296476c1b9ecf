package portal_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"countersign/internal/demo"
	"countersign/internal/payment"
)

func credentials(name, password string) url.Values {
	return url.Values{"realm": {"demo"}, "username": {name}, "password": {password}}
}

// cookie is the session cookie an answer sets.
func (a answer) cookie() *http.Cookie {
	a.t.Helper()
	for _, cookie := range (&http.Response{Header: a.header}).Cookies() {
		if strings.HasSuffix(cookie.Name, "sid") {
			return cookie
		}
	}
	a.t.Fatalf("%s sets no session cookie", a.what)
	return nil
}

// carrying is a browser that sends one cookie and keeps none.
func (b *bench) carrying(cookie *http.Cookie) *browser {
	w := b.browser()
	w.client.Jar = nil
	w.header.Set("Cookie", cookie.Name+"="+cookie.Value)
	return w
}

func TestTheSessionCookieIsStrict(t *testing.T) {
	t.Parallel()
	b := setup(t)
	cookie := b.browser().post("/signin", credentials("maker1", demo.UserPassword)).is(http.StatusSeeOther).cookie()
	if cookie.Name != "sid" || !cookie.HttpOnly || cookie.SameSite != http.SameSiteStrictMode || cookie.Path != "/" || cookie.Secure {
		t.Errorf("without TLS the cookie is %v", cookie)
	}
	if !cookie.Expires.IsZero() || cookie.MaxAge != 0 {
		t.Errorf("the cookie outlives the browser: %v", cookie)
	}
	if n := b.count("SELECT count(*) FROM sessions WHERE token = $1", cookie.Value); n != 0 {
		t.Error("the session's token stands in the database")
	}
	secure := b.withTLS().browser().post("/signin", credentials("maker1", demo.UserPassword)).is(http.StatusSeeOther).cookie()
	if secure.Name != "__Host-sid" || !secure.Secure || secure.Path != "/" || secure.Domain != "" ||
		secure.SameSite != http.SameSiteStrictMode {
		t.Errorf("with TLS the cookie is %v", secure)
	}
}

func TestSignInMakesANewToken(t *testing.T) {
	t.Parallel()
	b := setup(t)
	planted := b.browser().post("/signin", credentials("maker2", demo.UserPassword)).is(http.StatusSeeOther).cookie()
	victim := b.carrying(planted)
	fresh := victim.post("/signin", credentials("maker1", demo.UserPassword)).is(http.StatusSeeOther).cookie()
	if fresh.Value == planted.Value {
		t.Fatal("the token known before sign-in is the token after it")
	}
	if got := b.carrying(planted).get("/me"); got.status != http.StatusSeeOther {
		t.Errorf("the planted token still answers %d", got.status)
	}
	b.carrying(fresh).get("/me").is(http.StatusOK).says("maker1")
}

func TestSignOutEndsTheSession(t *testing.T) {
	t.Parallel()
	b := setup(t)
	w := b.browser()
	cookie := w.post("/signin", credentials("maker1", demo.UserPassword)).is(http.StatusSeeOther).cookie()
	b.carrying(cookie).get("/me").is(http.StatusOK)
	w.get("/signout").is(http.StatusMethodNotAllowed)
	b.carrying(cookie).get("/me").is(http.StatusOK)
	w.get(w.post("/signout", nil).goesTo("/signedout")).is(http.StatusOK).says("You are signed out")
	if got := b.carrying(cookie).get("/me").goesTo("/signin"); !strings.Contains(got, "ended=yes") {
		t.Errorf("leads to %s", got)
	}
	if n := b.count("SELECT count(*) FROM sessions WHERE expiry > now()"); n != 0 {
		t.Errorf("%d sessions are left", n)
	}
	told := `SELECT count(*) FROM audit_event a JOIN sessions s ON a.detail::jsonb ->> 'ended' = s.token
		JOIN user_account u ON u.realm = a.realm AND u.user_id = a.actor_user
		WHERE a.event = 'session.ended' AND a.channel = 'portal' AND u.name = 'maker1'`
	if n := b.count(told); n != 1 {
		t.Errorf("%d audit rows tell of the end of the session, want one by the person who signed out", n)
	}
}

func TestARightTakenAwayCountsAtOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	m := b.as("maker1").submit(filled())
	checker := b.as("checker1")
	path := "/queue/" + m.InternalID.String() + "/approve"
	form := checker.get("/queue/" + m.InternalID.String()).is(http.StatusOK).fields(path)
	b.change(
		"DELETE FROM user_role WHERE realm = 'demo' AND user_id = (SELECT user_id FROM user_account WHERE realm = 'demo' AND name = 'checker1')",
	)
	checker.post(path, form).is(http.StatusForbidden)

	other := b.as("checker2")
	other.get("/queue").is(http.StatusOK)
	b.change("UPDATE user_account SET status = 'suppressed' WHERE realm = 'demo' AND name = 'checker2'")
	b.DB.SealMasterData(t)
	other.post(path, form).is(http.StatusUnauthorized)
	b.change("UPDATE user_account SET status = 'active' WHERE realm = 'demo' AND name = 'checker2'")
	b.DB.SealMasterData(t)
	other.get("/queue").goesTo("/signin") // the session is gone for good
	if m := b.message("demo", m.InternalID.String()); m.State != payment.StateApprovalPending {
		t.Errorf("the message is %s", m.State)
	}
}

func TestWithoutASessionNothingIsShownOrDone(t *testing.T) {
	t.Parallel()
	b := setup(t)
	m := b.as("maker1").submit(filled())
	nobody := b.browser()
	if got := nobody.get("/queue?tab=all").goesTo("/signin"); got != "/signin?next=%2Fqueue%3Ftab%3Dall" {
		t.Errorf("leads to %s", got)
	}
	path := "/queue/" + m.InternalID.String()
	nobody.post(path+"/approve", url.Values{"version": {"1"}, "contentHash": {hash(m)}}).is(http.StatusUnauthorized).says("Your session " +
		"has ended")
	nobody.post("/payments/new", filled()).is(http.StatusUnauthorized)
	htmx := nobody.withHTMX()
	htmx.header = http.Header{"Hx-Current-Url": {b.server.URL + "/queue?tab=all"}}
	got := htmx.get(path).is(http.StatusUnauthorized)
	if target := got.header.Get("HX-Redirect"); target != "/signin?ended=yes&next="+url.QueryEscape(path) || got.text != "" {
		t.Errorf("htmx is led to %q with %q", target, got.text)
	}
	if m := b.message("demo", m.InternalID.String()); m.State != payment.StateApprovalPending {
		t.Errorf("the message is %s", m.State)
	}
}

func TestAFormSentTooLateIsKeptForItsMaker(t *testing.T) {
	t.Parallel()
	b := setup(t)
	w := b.as("maker1")
	waiting := w.submit(with(filled(), "amount", "3.00"))
	w = b.as("maker1")
	amend := w.get("/payments/" + waiting.InternalID.String() + "/amend").is(http.StatusOK)
	action := amend.page.Find("main form").AttrOr("action", "")
	b.change("UPDATE sessions SET expiry = now() - interval '1 minute'")
	for path, form := range map[string]url.Values{
		"/payments/new": with(filled(), "amount", "1,234"), action: with(amend.fields(action), "act", "check", "amount", "4.00"),
	} {
		got := w.post(path, form).is(http.StatusUnauthorized).says("What you typed was saved")
		link := got.page.Find("main a.button").AttrOr("href", "")
		next, err := url.Parse(link)
		if err != nil {
			t.Fatal(err)
		}
		edit := next.Query().Get("next")
		kept := b.as("maker1").get(edit).is(http.StatusOK).fields("/payments/")
		if kept.Get("amount") != form.Get("amount") || kept.Get("creditorName") != form.Get("creditorName") {
			t.Errorf("of %v the form kept %v", form, kept)
		}
		b.as("maker2").get(edit).is(http.StatusNotFound)
	}
	if n := b.count("SELECT count(*) FROM message"); n != 1 {
		t.Errorf("%d messages: something was submitted", n)
	}
	b.change("UPDATE sessions SET expiry = now() - interval '12 hours 1 minute'")
	before := b.count("SELECT count(*) FROM draft")
	w.post("/payments/new", filled()).is(http.StatusUnauthorized)
	b.browser().post("/payments/new", filled()).is(http.StatusUnauthorized)
	if n := b.count("SELECT count(*) FROM draft"); n != before {
		t.Error("a form was kept for nobody")
	}
}

func TestALinkFromOutsideFindsTheSession(t *testing.T) {
	t.Parallel()
	b := setup(t)
	w := b.browser()
	w.header.Set("Sec-Fetch-Site", "cross-site")
	w.header.Set("Sec-Fetch-Mode", "navigate")
	got := w.get("/queue?tab=all").is(http.StatusOK).says("Opening the portal")
	if refresh := got.header.Get("Refresh"); refresh != "0; url=/queue?tab=all" {
		t.Errorf("the browser is sent on by %q", refresh)
	}
}

func TestSignInLeadsNowhereElse(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for next, want := range map[string]string{
		"/queue?tab=all": "/queue?tab=all", "": "/", "https://evil.example/": "/", "//evil.example": "/", `/\evil.example`: "/",
		"/\tevil": "/", "javascript:alert(1)": "/", "/signout": "/",
	} {
		form := credentials("maker1", demo.UserPassword)
		form.Set("next", next)
		if got := b.browser().post("/signin", form); got.location != want {
			t.Errorf("next %q leads to %q, want %q", next, got.location, want)
		}
	}
}

func TestAWrongPasswordKeepsTheFormAndTellsNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const secret = "not-the-password-7f3a"
	for _, name := range []string{"maker1", "nobody-of-this-name"} {
		got := b.browser().post("/signin", credentials(name, secret)).is(http.StatusUnprocessableEntity)
		got.says("Your user name or password is wrong. Check both and try again.")
		form := got.fields("/signin")
		if form.Get("username") != name || form.Get("password") != "" || strings.Contains(got.text, secret) {
			t.Errorf("the form comes back with %v", form)
		}
	}
	unknown := credentials("maker1", secret)
	unknown.Set("realm", "elsewhere")
	b.browser().post("/signin", unknown).is(http.StatusUnprocessableEntity).says("Check the name of the realm")
	b.change("UPDATE user_account SET status = 'suppressed' WHERE realm = 'demo' AND name = 'maker2'")
	b.DB.SealMasterData(t)
	b.browser().post("/signin", credentials("maker2", demo.UserPassword)).is(http.StatusUnprocessableEntity).says("blocked")
	for range 4 {
		b.browser().post("/signin", credentials("maker1", secret)).is(http.StatusUnprocessableEntity)
	}
	b.browser().post("/signin", credentials("maker1", demo.UserPassword)).is(http.StatusUnprocessableEntity).says("Too many attempts.")
	for _, canary := range []string{secret, demo.UserPassword} {
		if strings.Contains(b.log.String(), canary) {
			t.Errorf("the log holds the password %s", canary)
		}
	}
}

func TestSettingsAreKept(t *testing.T) {
	t.Parallel()
	b := setup(t)
	w := b.as("maker1")
	w.get(w.post("/me", url.Values{"theme": {"dark"}, "density": {"compact"}, "shortcuts": {"off"}}).goesTo("/me")).is(http.StatusOK)
	got := w.get("/").is(http.StatusOK)
	if got.page.Find("html").AttrOr("data-theme", "") != "dark" || got.page.Find("body").AttrOr("data-shortcuts", "") != "off" {
		t.Error("the settings do not show")
	}
	w.post("/me", url.Values{"theme": {"pink"}, "density": {"compact"}}).is(http.StatusUnprocessableEntity)
	b.as("maker2").get("/me").is(http.StatusOK)
}

func TestAnAdministratorLandsWhereChangesAreTold(t *testing.T) {
	t.Parallel()
	setup(t).as("admin1").get("/").is(http.StatusOK).says("Changes waiting for me").says("No changes are waiting for you")
}
