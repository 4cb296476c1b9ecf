package portal_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestTheCheckPageNamesWhoMayApprove: before a payment is submitted its maker reads who may approve it, and is warned where they are fewer
// than it needs.
func TestTheCheckPageNamesWhoMayApprove(t *testing.T) {
	t.Parallel()
	b := setup(t)
	named := func(name, amount string) (people, warning string) {
		w := b.as(name)
		page := w.get(w.post("/payments/new", with(filled(), "amount", amount)).goesTo("/payments/")).is(http.StatusOK).page
		page.Find(".visually-hidden, .notice:contains('First payment to this account')").Remove()
		return page.Find(".next strong").Text(), strings.TrimSpace(page.Find(".notice-waiting .notice-title").Text())
	}
	for _, c := range []struct{ name, amount, people, warning string }{
		{"maker1", "1.00", "Both 1, Checker 1, Checker 2", ""},
		{"both1", "2.00", "Checker 1, Checker 2", ""},
	} {
		if people, warning := named(c.name, c.amount); people != c.people || warning != c.warning {
			t.Errorf("%s reads that %q may approve, and %q", c.name, people, warning)
		}
	}
	_, err := b.DB.Owner(t).Exec(t.Context(), "UPDATE user_account SET status = 'suppressed' WHERE name IN ('checker2', 'both1')")
	must(t, err)
	const tooFew = "Too few people can approve this payment"
	if people, warning := named("maker1", "10'000.00"); people != "Checker 1" || warning != tooFew {
		t.Errorf("of a payment that needs two approvals is said that %q may approve it, and %q", people, warning)
	}
}

// TestABankIsNamed by the directory of the realm: a number alone says nothing to a person who compares.
func TestABankIsNamed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker := b.as("maker1")
	check := maker.post("/payments/new", filled()).goesTo("/payments/")
	bank := maker.get(check).is(http.StatusOK).page.Find(".check-group").Eq(1).Find("dd").First().Text()
	const named = "Demo bank of the sample account"
	if !strings.Contains(bank, named) || !strings.Contains(bank, "21966") {
		t.Errorf("below the account stands %q", bank)
	}
	id := maker.submit(filled()).InternalID.String()
	maker.get("/payments/" + id).is(http.StatusOK).says(named)
	checker := b.as("checker1")
	checker.get("/queue/" + id).is(http.StatusOK).says(named)
	checker.get(chosen(id)).is(http.StatusOK).says(named)
}
