//go:build long

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
	p.says(".kept", "Draft saved at")
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

// TestTwoWindowsOnOneDraft: the one that shows the draft as it was tells that the other changed it, and each keeps its own.
func TestTwoWindowsOnOneDraft(t *testing.T) {
	t.Parallel()
	p, o := as(t, "maker2"), newOrder("sic-inst")
	p.open("/payments/new")
	p.fill("Name", o.name)
	p.fill("Amount in CHF", "45.10")
	p.says(".kept", "Draft saved at")
	address, first := p.page.URL(), p.page
	second, err := p.context.NewPage()
	must(t, second, err)
	_, err = second.Goto(address)
	if err != nil {
		t.Fatal(err)
	}
	_, err = first.ExpectResponse("**/payments/keep", func() error {
		p.fill("Amount in CHF", "46.20")
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	p.page = second
	p.fill("Name", o.name+" B")
	p.says(".kept", "This draft was changed in another window.")
	p.readable(address)
	_, err = p.page.Reload()
	if err != nil {
		t.Fatal(err)
	}
	p.holds("Name", o.name+" B")
	p.holds("Amount in CHF", "45.10")
	p.page = first
	_, err = p.page.Reload()
	if err != nil {
		t.Fatal(err)
	}
	p.holds("Name", o.name)
	p.holds("Amount in CHF", "46.20")
}
