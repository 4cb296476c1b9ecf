package portal_test

import (
	"net/http"
	"net/url"
	"testing"
)

// TestWhatIsClearedInAFormIsAskedFor: the form of an account begins with what is there, so what is empty when it comes back was cleared.
func TestWhatIsClearedInAFormIsAskedFor(t *testing.T) {
	t.Parallel()
	b := setup(t)
	one, two := b.as("admin1"), b.as("admin2")
	const address = "/admin/ask/account.update?subject=CH5021977000004331346"
	form := one.get(address).is(http.StatusOK).fields(address)
	one.post(address, with(form, "holderTown", "")).is(http.StatusUnprocessableEntity).says("Enter the holder's town")
	for _, cleared := range []url.Values{
		with(form, "holderBuilding", ""), with(form, "holderStreet", "", "holderBuilding", "", "holderTown", "Basel"),
	} {
		two.post(one.post(address, cleared).goesTo("/admin/changes/")+"/approve", nil).is(http.StatusSeeOther)
		shown := one.get(address).is(http.StatusOK).fields(address)
		for _, field := range []string{"holderStreet", "holderBuilding", "holderTown"} {
			if shown.Get(field) != cleared.Get(field) {
				t.Errorf("%s is %q, asked for was %q", field, shown.Get(field), cleared.Get(field))
			}
		}
	}
}

// TestAFormAboutNothingIsNotFound: an address that names nobody is no form to fill in.
func TestAFormAboutNothingIsNotFound(t *testing.T) {
	t.Parallel()
	one := setup(t).as("admin1")
	for _, kind := range []string{
		"user.roles", "user.suppress", "client.secret", "account.update", "account.close", "policy.update", "policy.retire", "limit.set",
	} {
		for _, subject := range []string{"nobody", "a\x00b"} {
			one.get("/admin/ask/" + kind + "?" + url.Values{"subject": {subject}}.Encode()).is(http.StatusNotFound)
		}
	}
	one.get("/admin/ask/limit.set").is(http.StatusOK)
}

// TestAFormWithWhatNobodyCanReadIsShownAgain: no control character reaches a query, whichever form it is typed into.
func TestAFormWithWhatNobodyCanReadIsShownAgain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	one, two := b.as("admin1"), b.as("admin2")
	person := url.Values{"name": {"maker3"}, "displayName": {"Maker 3"}, "roles": {"maker"}}
	for _, unread := range []string{"a\x00b", "a\xffb"} {
		for _, field := range []string{"name", "displayName", "personId"} {
			one.post("/admin/ask/user.create", with(person, field, unread)).is(http.StatusUnprocessableEntity).says("without control")
		}
		one.post("/admin/ask/user.suppress?"+url.Values{"subject": {unread}}.Encode(), nil).is(http.StatusUnprocessableEntity)
		one.post("/admin/ask/user.suppress?subject=maker2", url.Values{"note": {unread}}).is(http.StatusUnprocessableEntity).
			says("characters that change the reading direction")
	}
	change := one.post("/admin/ask/user.suppress?subject=maker2", url.Values{"note": {"Left\r\nthe bank"}}).goesTo("/admin/changes/")
	two.post(change+"/reject", url.Values{"reason": {"a\x00b"}}).is(http.StatusUnprocessableEntity).says("without control characters")
}
