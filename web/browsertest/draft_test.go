package browsertest

import (
	"testing"

	"github.com/playwright-community/playwright-go"
)

// TestAFormIsKeptWhileItIsTyped closes the tab on a half filled form, and finds it again.
func TestAFormIsKeptWhileItIsTyped(t *testing.T) {
	t.Parallel()
	p, o := as(t, "maker2"), newOrder("sic-inst")
	p.open("/payments/new")
	p.fill("Name", o.name)
	p.fill("Amount in CHF", "12.3")
	p.says(".kept", "Draft kept at")
	p.open("/mine?tab=drafts") // the form is left without a word
	p.says("#main", o.name)
	p.readable("/mine?tab=drafts")
	p.click("link", o.name)
	p.says("h1", "New payment")
	p.holds("Name", o.name)
	p.holds("Amount in CHF", "12.3")
	p.open("/mine?tab=drafts")
	if n, err := p.page.GetByRole("link", playwright.PageGetByRoleOptions{Name: o.name}).Count(); err != nil || n != 1 {
		t.Errorf("%d drafts of one form are listed: %v", n, err)
	}
}
