package portal_test

import (
	"log/slog"
	"net/http"
	"net/url"
	"testing"
	"time"

	"countersign/internal/clearing"
	"countersign/internal/demo"
	"countersign/internal/rulebook"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

// TestWithoutItsDatabaseThePortalAsksToWait: pages, forms and the sign-in are calm about it, and say what to do.
func TestWithoutItsDatabaseThePortalAsksToWait(t *testing.T) {
	t.Parallel()
	b := setup(t)
	checker, stranger := b.as("checker1"), b.browser()
	b.Database.Close()
	for _, got := range []answer{
		checker.get("/queue"), checker.post("/payments/new", filled()), stranger.get("/signin"),
		stranger.post("/signin", url.Values{"realm": {"demo"}, "username": {"checker2"}, "password": {demo.UserPassword}}),
	} {
		if got.what == "GET /signin" {
			got.is(http.StatusOK) // needs nothing from the database
			continue
		}
		got.is(http.StatusServiceUnavailable).says("The portal is not available at the moment").says("Try again")
		if got.header.Get("Retry-After") == "" || got.location != "" || got.header.Get("Set-Cookie") != "" {
			t.Errorf("%s: %v", got.what, got.header)
		}
	}
}

// TestWhatIsTypedOutlivesAnOutage: without its database the portal shows a page that says so. What was only read opens again by itself,
// what was typed is kept on the page and goes through as soon as the database is back.
func TestWhatIsTypedOutlivesAnOutage(t *testing.T) {
	t.Parallel()
	var line *storetest.Line
	b := setupOn(t, func(db *storetest.DB) *store.Database {
		var through string
		line, through = db.Relay(t)
		cfg := store.Config{URL: through, Seal: db.Seal, TokenKeys: storetest.Keys(t), Log: slog.New(slog.DiscardHandler)}
		opened, err := store.Open(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(opened.Close)
		return opened
	})
	maker := b.as("maker1")
	line.Cut()
	read := maker.get("/payments").is(http.StatusServiceUnavailable).says("not available at the moment")
	if read.header.Get("Refresh") != "5; url=/payments" || read.header.Get("Retry-After") == "" {
		t.Errorf("a page that was to be read: %v", read.header)
	}
	typed := filled()
	kept := maker.post("/payments/new", typed).is(http.StatusServiceUnavailable).says("What you typed is kept").fields("/payments/new")
	for name := range typed {
		if kept.Get(name) != typed.Get(name) {
			t.Errorf("%s was %q, and %q is kept", name, typed.Get(name), kept.Get(name))
		}
	}
	line.Connect(t)
	sent := maker.post("/payments/new", kept)
	for tries := 0; sent.status == http.StatusServiceUnavailable && tries < 8; tries++ {
		sent = maker.post("/payments/new", kept) // each connection that was cut says so once
	}
	sent.goesTo("/payments/")

	line.Cut()
	refused := b.browser().post("/signin", url.Values{"realm": {"demo"}, "username": {"maker1"}, "password": {demo.UserPassword}}).is(
		http.StatusServiceUnavailable,
	)
	if refused.page.Find("input[name=password]").Length() != 0 || refused.page.Find("form").Length() != 0 {
		t.Error("the page hands back a password")
	}
}

// TestTheDashboardSaysThatAConnectionIsInterrupted: with since when, and of the other scheme nothing changes.
func TestTheDashboardSaysThatAConnectionIsInterrupted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	state := clearing.ConnectionInterrupted
	b.config.Connections = func() []clearing.ConnectionStatus {
		return []clearing.ConnectionStatus{
			{Scheme: rulebook.SchemeSIC, State: clearing.ConnectionWorking}, {Scheme: rulebook.SchemeSCT, State: state, Since: time.Now()},
		}
	}
	b.serve()
	checker := b.as("checker1")
	home := checker.get("/").is(http.StatusOK).says("payments are waiting to be sent because clearing has not accepted messages since")
	if n := home.page.Find(".badge-bad").Length(); n != 1 {
		t.Errorf("%d connections are shown as not reached, want one", n)
	}
	state = clearing.ConnectionWorking
	if n := checker.get("/").page.Find(".badge-bad").Length(); n != 0 {
		t.Errorf("%d connections are shown as not reached when both work", n)
	}
}
