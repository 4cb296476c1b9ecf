//go:build long

package browsertest

import (
	"testing"

	"github.com/playwright-community/playwright-go"

	"countersign/internal/demo"
)

// TestTheDocumentSignsInAndSendsCalls: Authorize on the page of the API takes a user's password, and the calls below it then work.
func TestTheDocumentSignsInAndSendsCalls(t *testing.T) {
	t.Parallel()
	p := visitor(t, desktop)
	p.open("/api/docs/")
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	do(p.find("button.authorize").First().Click())
	for field, text := range map[string]string{
		"#oauth_username": "maker1", "#oauth_password": demo.UserPassword, "#client_id_password": demo.Backoffice,
		"#client_secret_password": demo.ClientSecret,
	} {
		do(p.find(field).First().Fill(text))
	}
	dialog := p.find(".auth-container").Filter(playwright.LocatorFilterOptions{HasText: "signIn (OAuth2, password)"})
	do(dialog.Locator("button.authorize").Click())
	do(p.expect.Locator(dialog).ToContainText("Logout"))
	do(p.find("button.btn-done").First().Click())
	call := p.find("#operations-Reads-listAccount")
	do(call.Locator("button.opblock-summary-control").Click())
	do(call.Locator("button.try-out__btn").Click())
	do(call.Locator("[data-param-name=X-Request-Id] input").First().Fill("docs-1"))
	do(call.Locator("[data-param-name=after] input").First().Fill("")) // not together with a page, which is filled in too
	do(call.Locator("button.execute").Click())
	do(p.expect.Locator(call.Locator(".live-responses-table .response .response-col_status").First()).ToContainText("200"))
}
