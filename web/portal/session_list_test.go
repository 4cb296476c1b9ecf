package portal_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"

func TestPeopleSeeTheirSessionsAndEndOne(t *testing.T) {
	t.Parallel()
	b := setup(t)
	office, home := b.browser(), b.browser()
	home.header.Set("User-Agent", firefox)
	for _, w := range []*browser{office, home} {
		w.post("/signin", signInForm("maker1")).is(http.StatusSeeOther)
	}
	stranger := b.as("maker2")
	page := office.get("/me").is(http.StatusOK).says("Firefox on Linux").says("this session")
	office.header.Set("Accept-Language", "de-CH")
	office.get("/me").is(http.StatusOK).says("Firefox unter Linux")
	office.header.Del("Accept-Language")
	if n := page.page.Find("ul.sessions li").Length(); n != 2 {
		t.Errorf("%d sessions are listed, want 2", n)
	}
	end, _ := page.page.Find("ul.sessions form").Attr("action")
	stranger.post(end, nil).goesTo("/me") // somebody else's: nothing happens
	home.get("/me").is(http.StatusOK)
	office.post(end, nil).goesTo("/me")
	home.get(home.get("/payments").goesTo("/signin?next=%2Fpayments&ended=ended")).says("You ended this session from another session.")
	office.get("/me").is(http.StatusOK)
	if n := b.count("SELECT count(*) FROM audit_event WHERE event = 'session.ended' AND detail LIKE '%\"reason\":\"ended\"%'"); n != 1 {
		t.Errorf("the audit trail tells of %d ends, want 1", n)
	}
	office.post("/me/sessions/not-an-id/end", nil).is(http.StatusNotFound)
}

// TestAPersonIsToldWhySessionsEnd: the idle limit of its last page, or the longest life, whichever passed first.
func TestAPersonIsToldWhySessionsEnd(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var ahead atomic.Int64
	b.config.Now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	b.serve()
	const idle, age = "You were signed out because you were inactive for 15 minutes", "A session lasts at most 12 hours."
	for _, c := range []struct {
		path             string
		from, used, back time.Duration // of the clock of the program
		says             string
	}{
		{"/queue", 0, 0, 6 * time.Minute, idle},
		{"/me", 0, 0, 6 * time.Minute, ""},
		{"/me", 0, 0, 16 * time.Minute, idle},
		{"/me", -13 * time.Hour, -13 * time.Hour, 0, idle},
		{"/me", -12 * time.Hour, -10 * time.Minute, 0, age},
		{"/queue", -12 * time.Hour, -4 * time.Minute, 0, age},
		{"/me", -12 * time.Hour, -4 * time.Minute, 20 * time.Minute, age},
	} {
		ahead.Store(int64(c.from))
		w := b.as("checker1")
		ahead.Store(int64(c.used))
		w.get(c.path).is(http.StatusOK)
		b.change("UPDATE sessions SET expiry = now() - interval '1 second'")
		ahead.Store(int64(c.back))
		page := w.get(w.get(c.path).goesTo("/signin?next=")).is(http.StatusOK).says("Your session has ended").main()
		if strings.Contains(page, idle) != (c.says == idle) || strings.Contains(page, age) != (c.says == age) {
			t.Errorf("%s, from %s, used at %s, back at %s: %s", c.path, c.from, c.used, c.back, page)
		}
		w.post("/payments/new", filled()).is(http.StatusUnauthorized).says(c.says)
	}
}

func TestACheckerWorksInOneSession(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.config.OneCheckerSession = true
	b.serve()
	first, maker := b.as("checker1"), b.as("maker1")
	b.as("checker2")
	first.get("/queue").is(http.StatusOK)
	second := b.as("checker1")
	b.as("maker1")
	gone := first.get("/queue").goesTo("/signin?next=%2Fqueue&ended=elsewhere")
	first.get(gone).is(http.StatusOK).says("You signed in elsewhere")
	if got := first.withHTMX().get("/queue"); !strings.Contains(got.header.Get("HX-Redirect"), "ended=elsewhere") {
		t.Errorf("a part of a page leads to %q", got.header.Get("HX-Redirect"))
	}
	second.get("/queue").is(http.StatusOK)
	maker.get("/mine").is(http.StatusOK) // makers may have several
}

// Five minutes on pages of approvals, a quarter of an hour elsewhere; staying signed in keeps what the page before asked.
func TestSessionsEndSoonerWherePaymentsAreApproved(t *testing.T) {
	t.Parallel()
	b := setup(t)
	w := b.as("checker1")
	for _, step := range []struct {
		path    string
		minutes int
	}{{"/queue", 5}, {"/stay", 5}, {"/me", 15}, {"/stay", 15}, {"/queue", 5}} {
		if step.path == "/stay" {
			w.post(step.path, nil).is(http.StatusSeeOther)
		} else {
			w.get(step.path).is(http.StatusOK)
		}
		left := b.count("SELECT round(extract(epoch FROM max(expiry) - now()) / 60)::integer FROM sessions")
		if left != step.minutes {
			t.Errorf("after %s the session ends in %d minutes, want %d", step.path, left, step.minutes)
		}
	}
	idle, _ := w.get("/queue").page.Find("#stay").Attr("data-idle")
	if idle != "300" {
		t.Errorf("the page warns by an idle time of %s seconds", idle)
	}
}
