package browsertest

import (
	"testing"

	"countersign/internal/auth/oidc/oidctest"
	"countersign/internal/demo"
	"countersign/internal/testutil"
)

// TestPeopleSignInThroughARealProvider: two administrators set the provider of the realm and link a person, who signs in there and comes
// back, with and without script. The portal and the provider are different sites to the browser.
func TestPeopleSignInThroughARealProvider(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	provider := oidctest.Start(t, shared.program.address+"/signin/provider/"+demo.Realm+"/answer")
	changed(t, "provider.set", func(p *person) {
		p.enter(map[string]string{
			"issuer": provider.Issuer, "providerClient": oidctest.ClientID, "providerSecret": oidctest.Secret,
			"portalAddress": shared.program.address,
		})
	})
	for name, with := range map[string]device{"maker1": desktop, "maker2": plain} {
		changed(t, "user.link?subject="+name, func(p *person) { p.enter(map[string]string{"outerSubject": "s-" + name}) })
		p := visitor(t, with)
		p.open("/mine")
		p.at(`/signin\?next=`)
		p.throughProvider("s-" + name)
		p.at("/mine$")
		p.says("body", name)
		p.click("button", "Sign out")
		p.says("main", "You are signed out")
		p.open("/mine")
		p.at(`/signin\?next=`)
	}
	p := visitor(t, plain)
	p.open("/signin")
	p.throughProvider("s-nobody")
	p.at("/signin/provider/" + demo.Realm + "/answer")
	p.says(".error-summary", "Your institution identifies you as s-nobody")
	p.open("/mine")
	p.at(`/signin\?next=`)
}

// throughProvider follows the button of the sign-in page, and signs in at the provider.
func (p *person) throughProvider(subject string) {
	p.t.Helper()
	p.click("button", "Sign in through your institution")
	p.fill("Username:", subject)
	p.fill("Password:", oidctest.Password)
	p.click("button", "Login")
}
