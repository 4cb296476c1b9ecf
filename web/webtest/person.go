package webtest

import (
	"net/url"
	"testing"

	"countersign/internal/demo"
)

// Person is a caller: realm, client and user of the demo.
type Person struct{ Realm, Client, User string }

// The demo's people behind the client of its back office, and others where the name says so.
var (
	Maker1       = Person{demo.Realm, demo.Backoffice, "maker1"}
	Maker2       = Person{demo.Realm, demo.Backoffice, "maker2"}
	Checker1     = Person{demo.Realm, demo.Backoffice, "checker1"}
	Checker2     = Person{demo.Realm, demo.Backoffice, "checker2"}
	Both1        = Person{demo.Realm, demo.Backoffice, "both1"}
	Supervisor1  = Person{demo.Realm, demo.Backoffice, "supervisor1"}
	Admin1       = Person{demo.Realm, demo.Backoffice, "admin1"}
	Admin2       = Person{demo.Realm, demo.Backoffice, "admin2"}
	Straight     = Person{demo.Realm, demo.Straight, "maker1"}
	OtherMaker   = Person{demo.SecondRealm, demo.SecondClient, "maker1"}
	OtherChecker = Person{demo.SecondRealm, demo.SecondClient, "checker1"}
	Nobody       = Person{}
)

// Token signs a person in, once.
func (g *Gateway) Token(t testing.TB, who Person) string {
	t.Helper()
	known, ok := g.tokens.Load(who)
	if ok {
		return known.(string)
	}
	form := url.Values{
		"grant_type": {"password"}, "client_id": {who.Client}, "client_secret": {demo.ClientSecret},
		"username": {who.User}, "password": {demo.UserPassword},
	}
	answer := g.Send(t, Call{
		Path: "/api/auth/v1/realms/" + who.Realm + "/login", Body: form.Encode(), Kind: "application/x-www-form-urlencoded",
	})
	token, _ := answer.JSON["access_token"].(string)
	if token == "" {
		t.Fatalf("no token for %v: %d %s", who, answer.Status, answer.Body)
	}
	g.tokens.Store(who, token)
	return token
}

// SignOut forgets the tokens, so that everybody signs in again: after the clock has moved past their life.
func (g *Gateway) SignOut() { g.tokens.Clear() }
