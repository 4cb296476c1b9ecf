package integrity_test

import (
	"crypto/rand"
	"testing"
	"time"

	"countersign/internal/administration"
	"countersign/internal/auth"
	"countersign/internal/demo"
	"countersign/internal/identity"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

// populate has two accounts made, of which one sets its password and the other has not yet; the operator break the glass twice; makers and
// checkers take beneficiaries up; and some be refused.
func populate(t *testing.T, h *servicetest.Env) {
	t.Helper()
	for _, name := range []string{"maker7", "maker8", "maker9"} {
		asked, err := h.Admin.Request(ctx, h.Person(t, "admin1"), service.RequestInput{
			Kind: administration.KindUserCreate, Values: administration.Values{"name": name, "displayName": "The " + name, "roles": "maker"},
		})
		must(t, err)
		decided, err := h.Admin.Decide(ctx, h.Person(t, "admin2"), service.DecideInput{ChangeID: asked.Change.ID, Approve: true})
		must(t, err)
		h.Clock.Add(time.Second)
		if name != "maker9" {
			must(t, h.Auth.SetUp(ctx, auth.SetUpInput{
				Realm: demo.Realm, Link: decided.SetUpPath[len(identity.SetUpPath(demo.Realm, "")):], Code: asked.Code, Password: demo.UserPassword,
				SourceAddress: "192.0.2.7",
			}))
		}
	}
	for _, name := range []string{"admin7", "admin8"} {
		secret, err := identity.NewSetUpSecret(rand.Reader)
		must(t, err)
		must(t, store.AddAdministrator(ctx,
			store.Provisioner{OwnerURL: h.DB.OwnerURL, Keys: storetest.Keys(t), At: h.Clock.Now()},
			store.Administrator{
				Realm: demo.Realm, UserName: name, DisplayName: "The " + name, PasswordHash: "of nobody", SetUp: secret, BreakGlass: "Lost by " + name,
			}))
		h.Clock.Add(time.Second)
	}
	for _, iban := range []string{"CH9300762011623852957", "CH4821966000009613388"} {
		asked, err := h.Admin.Request(ctx, h.Person(t, "maker1"), service.RequestInput{
			Kind: administration.KindBeneficiaryCreate, Values: administration.Values{"creditorName": "Holder of " + iban, "creditorIban": iban},
		})
		must(t, err)
		_, err = h.Admin.DecideBeneficiary(ctx, h.Person(t, "checker1"), service.DecideInput{ChangeID: asked.Change.ID, Approve: true})
		must(t, err)
	}
	refused(t, h)
}

// refused has somebody be refused at the door, in two minutes.
func refused(t *testing.T, h *servicetest.Env) {
	t.Helper()
	for range 3 {
		_, err := h.Auth.Login(ctx, auth.LoginInput{
			Realm: demo.Realm, Client: auth.ClientCredentials{ClientID: demo.Backoffice, ClientSecret: demo.ClientSecret}, Name: "maker2",
			Password: "of somebody else", SourceAddress: "192.0.2.8",
		})
		if err == nil {
			t.Fatal("a wrong password lets in")
		}
		h.Clock.Add(40 * time.Second)
	}
}
