package portal_test

import (
	"net/http"
	"net/url"
	"testing"

	"countersign/internal/demo"
)

// TestWithoutItsDatabaseThePortalAsksToWait: pages, forms and the sign-in are calm about it, and say what to do.
func TestWithoutItsDatabaseThePortalAsksToWait(t *testing.T) {
	t.Parallel()
	b := setup(t)
	checker, stranger := b.as("checker1"), b.browser()
	b.db.Database.Close()
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
