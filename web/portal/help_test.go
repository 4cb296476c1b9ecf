package portal_test

import (
	"net/http"
	"strings"
	"testing"

	"countersign/internal/payment"
	"countersign/views/ui"
)

// TestEveryStateIsExplained: the help page has each state with its meaning, in each language, and each page leads to it.
func TestEveryStateIsExplained(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, name := range []string{"maker1", "checker1", "supervisor1", "admin1"} {
		w := b.as(name)
		if w.get("/me").page.Find(`.account-links a[href="/help"]`).Length() != 1 {
			t.Errorf("%s finds no help", name)
		}
		page := w.get("/help").is(http.StatusOK)
		if page.page.Find(`#notices a[href="/me#notices"]`).Length() != 1 {
			t.Errorf("%s does not learn how to get notices", name)
		}
		if rows := page.page.Find("#states tbody tr").Length(); rows != len(payment.States())+1 {
			t.Errorf("%d states are explained", rows)
		}
		for _, state := range payment.States() {
			if meaning := ui.StateMeaning(state); meaning == "" {
				t.Errorf("%s has no meaning", state)
			}
			page.says(ui.StateMeaning(state).String())
		}
	}
	b.as("supervisor1").get("/help#evidence").says("Get the public keys from the operator").says("audit verify FILE --public-key-file KEYS")
	b.as("admin1").get("/help").says("Administer a realm").says("If data was lost in a restore, payments are stopped.")
	b.as("admin1").get("/admin/users").says("Supervisors confirm the access review")
	b.as("maker1").get("/help").says("Do not pay again.").says("Recall a payment, step by step").
		says("For a SEPA payment, the page shows the deadline for each reason").
		says("A request to the other bank to return the money from a settled payment.")
}

// TestTheQuickSearchListsThePagesOfAPerson: with the things to add, for its roles; a name of a page leads there, any other text to payments.
func TestTheQuickSearchListsThePagesOfAPerson(t *testing.T) {
	t.Parallel()
	b := setup(t)
	maker, admin := b.as("maker1"), b.as("admin1")
	for _, c := range []struct {
		who      *browser
		has, not string
	}{
		{maker, "/payments /mine /payments/new /payments/upload /beneficiaries/new /help /me", "/queue?tab=all /admin /admin/ask/user.create"},
		{admin, "/admin /admin/ask/user.create /admin/ask/policy.create /admin/ask/webhook.create", "/payments /payments/new /beneficiaries/new"},
	} {
		page := c.who.get("/find").is(http.StatusOK).page
		for _, url := range strings.Fields(c.has) {
			if page.Find(`#places a[href="`+url+`"]`).Length() != 1 {
				t.Errorf("%s is not listed", url)
			}
		}
		for _, url := range strings.Fields(c.not) {
			if page.Find(`#places a[href="`+url+`"]`).Length() != 0 {
				t.Errorf("%s is listed", url)
			}
		}
		if to := page.Find("[data-palette]").AttrOr("href", ""); to != "/find" {
			t.Errorf("the quick search leads to %q", to)
		}
	}
	maker.get("/find?text=submiss").goesTo("/mine")
	maker.get("/find?text=new+payment").goesTo("/payments/new")
	maker.get("/find?text=Muster+%26+S%C3%B6hne").goesTo("/payments?text=Muster+%26+S%C3%B6hne")
	admin.get("/find?text=Muster").is(http.StatusOK).says("No page with this name was found. Check the name.")
	maker.header.Set("Accept-Language", "de-CH")
	maker.get("/find?text=einreich").goesTo("/mine")
}
