package portal_test

import (
	"net/http"
	"net/url"
	"testing"

	"countersign/internal/demo"
)

func TestAPersonChangesTheirPasswordAndSignsOutEverywhere(t *testing.T) {
	t.Parallel()
	b := setup(t)
	here, elsewhere := b.as("maker1"), b.as("maker1")
	change := func(old, fresh, repeated string) answer {
		t.Helper()
		return here.post("/me/password", url.Values{"old": {old}, "new": {fresh}, "repeated": {repeated}})
	}
	change(demo.UserPassword, ownPassword, ownPassword+"x").is(http.StatusUnprocessableEntity).says("Write the same password twice.")
	for _, weak := range []string{"short", "password1234", "123456789012", "qwertzuiopasdf", demo.UserPassword} {
		change(demo.UserPassword, weak, weak).is(http.StatusUnprocessableEntity).says("hard to guess")
	}
	change("wrong-password", ownPassword, ownPassword).is(http.StatusUnprocessableEntity).says("do not belong together")
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
