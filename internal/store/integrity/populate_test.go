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
		link, code := applied(t, h, newcomer(name))
		h.Clock.Add(time.Second)
		if name != "maker9" {
			setUp(t, h, link, code)
		}
	}
	for _, name := range []string{"admin7", "admin8"} {
		breakGlass(t, h, name)
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

// breakGlass has the operator make an administrator past those of the realm.
func breakGlass(t *testing.T, h *servicetest.Env, name string) {
	t.Helper()
	secret, err := identity.NewSetUpSecret(rand.Reader)
	must(t, err)
	must(t, store.AddAdministrator(ctx,
		store.Provisioner{OwnerURL: h.DB.OwnerURL, Keys: storetest.Keys(t), At: h.Clock.Now()},
		store.Administrator{
			Realm: demo.Realm, UserName: name, DisplayName: "The " + name, PasswordHash: "of nobody", SetUp: secret, BreakGlass: "Lost by " + name,
		}))
	h.Clock.Add(time.Second)
}

// refused has somebody be refused at the door, in two minutes.
func refused(t *testing.T, h *servicetest.Env) {
	t.Helper()
	for range 3 {
		wrongPassword(t, h)
		h.Clock.Add(40 * time.Second)
	}
}

func wrongPassword(t *testing.T, h *servicetest.Env) {
	t.Helper()
	_, err := h.Auth.Login(ctx, auth.LoginInput{
		Realm: demo.Realm, Client: auth.ClientCredentials{ClientID: demo.Backoffice, ClientSecret: demo.ClientSecret}, Name: "maker2",
		Password: "of somebody else", SourceAddress: "192.0.2.8",
	})
	if err == nil {
		t.Fatal("a wrong password lets in")
	}
}
