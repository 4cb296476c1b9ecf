package portal_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"countersign/internal/demo"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
)

// TestAPersonChoosesNotices of the kinds for their roles; where no e-mails are sent, the page says so and asks nothing.
func TestAPersonChoosesNotices(t *testing.T) {
	t.Parallel()
	const form = "E-mail notifications"
	b := setupWith(t, servicetest.Options{Mail: &service.MailConfig{Address: "127.0.0.1:1", Security: service.MailPlain}})
	silent := setup(t)
	told := silent.as("maker1").get("/me").is(http.StatusOK).says("This portal does not send e-mails")
	if told.page.Find(`form[action="/me/notices"]`).Length() != 0 {
		t.Error("notices are chosen where none are sent")
	}
	for _, page := range []answer{silent.as("admin1").get("/me"), b.as("admin1").get("/me")} {
		if strings.Contains(page.is(http.StatusOK).main(), form) {
			t.Errorf("%s asks about notices", page.what)
		}
	}
	maker := b.as("maker1")
	page := maker.get("/me").is(http.StatusOK).says("Your user account has no e-mail address.").says("Your payment was rejected")
	if strings.Contains(page.main(), "A payment is waiting for your approval") {
		t.Error("a maker gets the notices of a checker")
	}
	wanted := url.Values{
		"notice-question": {"daily"}, "notice-rejected": {"none"}, "notice-expiring": {"hourly"}, "notice-recall": {"at once"},
	}
	maker.post("/me/notices", wanted).goesTo("/me")
	got := maker.get("/me").fields("/me/notices")
	for field := range wanted {
		if got.Get(field) != wanted.Get(field) {
			t.Errorf("%s is %q, want %q", field, got.Get(field), wanted.Get(field))
		}
	}
	wanted.Set("notice-question", "often")
	maker.post("/me/notices", wanted).is(http.StatusUnprocessableEntity)
	b.changed("user.email", "maker1", url.Values{"email": {"maker1@bank.example"}})
	b.as("maker1").get("/me").says("Notifications are sent to maker1@bank.example.")
	b.as("checker1").get("/me").says("A payment is waiting for your approval").says("Notify me of payments waiting longer than")
	b.as("admin1").get("/admin/users").says("maker1@bank.example")
	b.config.OperatorRealm = demo.Realm
	b.serve()
	b.as("supervisor1").get("/operation").is(http.StatusOK).says(form)
}

func TestAPersonChangesTheirPasswordAndSignsOutEverywhere(t *testing.T) {
	t.Parallel()
	b := setup(t)
	here, elsewhere := b.as("maker1"), b.as("maker1")
	change := func(old, fresh, repeated string) answer {
		t.Helper()
		return here.post("/me/password", url.Values{"old": {old}, "new": {fresh}, "repeated": {repeated}})
	}
	change(demo.UserPassword, ownPassword, ownPassword+"x").is(http.StatusUnprocessableEntity).says("Enter the same password twice.")
	for _, weak := range []string{"short", "password1234", "123456789012", "qwertzuiopasdf", demo.UserPassword} {
		change(demo.UserPassword, weak, weak).is(http.StatusUnprocessableEntity).says("hard to guess")
	}
	change("wrong-password", ownPassword, ownPassword).is(http.StatusUnprocessableEntity).says("Your password is not correct.")
	elsewhere.get("/me").is(http.StatusOK)
	change(demo.UserPassword, ownPassword, ownPassword).goesTo("/signin")
	here.get("/me").goesTo("/signin")
	elsewhere.get("/me").goesTo("/signin")
	w := b.browser()
	sign := func(password string) answer {
		return w.post("/signin", url.Values{"realm": {"demo"}, "username": {"maker1"}, "password": {password}, "next": {"/me"}})
	}
	sign(demo.UserPassword).is(http.StatusUnprocessableEntity)
	sign(ownPassword).is(http.StatusSeeOther)
	w.get("/me").is(http.StatusOK)
	w.post("/me/sessions/end", nil).goesTo("/signin")
	w.get("/me").goesTo("/signin")
}
