package auth_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"countersign/internal/administration"
	"countersign/internal/auth"
	"countersign/internal/auth/oidc"
	"countersign/internal/auth/oidc/oidctest"
	"countersign/internal/demo"
	"countersign/internal/payment"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
	"countersign/internal/testutil"
)

// applied has one administrator ask for a change and the other approve it.
func applied(t *testing.T, h *servicetest.Env, in service.RequestInput) {
	t.Helper()
	made, err := h.Admin.Request(t.Context(), h.Person(t, "admin1"), in)
	check(t, err)
	_, err = h.Admin.Decide(t.Context(), h.Person(t, "admin2"), service.DecideInput{ChangeID: made.Change.ID, Approve: true})
	check(t, err)
}

// provided is a gateway whose realm has a provider that says what the test wants, with maker1 linked as s-1.
func provided(t *testing.T) (*servicetest.Env, *oidctest.Liar) {
	t.Helper()
	h, liar := servicetest.New(t), oidctest.StartLiar(t, nil)
	applied(t, h, service.RequestInput{Kind: administration.KindProviderSet, Values: administration.Values{
		"issuer": liar.Issuer, "providerClient": oidctest.ClientID, "providerSecret": oidctest.Secret,
		"portalAddress": "https://portal.bank.example",
	}})
	applied(t, h, service.RequestInput{
		Kind: administration.KindUserLink, Subject: "maker1", Values: administration.Values{"outerSubject": "s-1"},
	})
	return h, liar
}

// begun is a sign-in on its way, and the answer to it that the provider would give at this moment.
func begun(t *testing.T, h *servicetest.Env, liar *oidctest.Liar) auth.CameBackInput {
	t.Helper()
	flow, err := h.Auth.BeginAtProvider(t.Context(), auth.BeginInput{Realm: demo.Realm, Next: "/", SourceAddress: "192.0.2.7"})
	check(t, err)
	address, err := url.Parse(flow.Address)
	check(t, err)
	asked := address.Query()
	if asked.Get("redirect_uri") != "https://portal.bank.example/signin/provider/demo/answer" || asked.Get("max_age") != "300" {
		t.Errorf("the provider is asked %v", asked)
	}
	liar.Says(t, oidctest.Signed, liar.Claims("s-1", asked.Get("nonce"), h.Clock.Now()), http.StatusOK)
	return auth.CameBackInput{
		Realm: demo.Realm, Held: flow.Held, Answer: oidc.Answer{State: asked.Get("state"), Code: "c"}, SourceAddress: "192.0.2.7",
	}
}

func TestAnAnswerIsOverAfterTenMinutes(t *testing.T) {
	t.Parallel()
	h, liar := provided(t)
	late := begun(t, h, liar)
	h.Clock.Add(11 * time.Minute)
	_, _, err := h.Auth.SignInAtProvider(t.Context(), late)
	if !errors.Is(err, auth.ErrFlowOver) {
		t.Errorf("after eleven minutes: %v", err)
	}
	other := begun(t, h, liar)
	other.Held = begun(t, h, liar).Held // as fresh as its own
	_, _, err = h.Auth.SignInAtProvider(t.Context(), other)
	if !errors.Is(err, auth.ErrFlowOver) {
		t.Errorf("with what another sign-in kept: %v", err)
	}
	by, next, err := h.Auth.SignInAtProvider(t.Context(), begun(t, h, liar))
	check(t, err)
	if by.UserName != "maker1" || next != "/" || by.PersonID != h.Person(t, "maker1").PersonID {
		t.Errorf("signed in as %s, goes on to %s", by.UserName, next)
	}
}

// TestNobodyIsLinkedAlone: neither by one administrator, nor by the one it is about.
func TestNobodyIsLinkedAlone(t *testing.T) {
	t.Parallel()
	h, liar := provided(t)
	made, err := h.Admin.Request(t.Context(), h.Person(t, "admin1"), service.RequestInput{
		Kind: administration.KindUserLink, Subject: "admin2", Values: administration.Values{"outerSubject": "s-2"},
	})
	check(t, err)
	for _, name := range []string{"admin1", "admin2"} {
		_, err = h.Admin.Decide(t.Context(), h.Person(t, name), service.DecideInput{ChangeID: made.Change.ID, Approve: true})
		var alone *payment.FourEyesError
		if !errors.As(err, &alone) {
			t.Errorf("%s decides it: %v", name, err)
		}
	}
	in := begun(t, h, liar)
	liar.Says(t, oidctest.Signed, liar.Claims("s-2", "", h.Clock.Now()), http.StatusOK)
	_, _, err = h.Auth.SignInAtProvider(t.Context(), in)
	var refused *auth.ProviderError
	if !errors.As(err, &refused) {
		t.Errorf("signs in all the same: %v", err)
	}
	_, err = h.DB.Owner(t).Exec(t.Context(), `UPDATE outer_identity SET user_id = (SELECT user_id FROM user_account
		WHERE realm = 'demo' AND name = 'checker1')`)
	check(t, err)
	_, _, err = h.Auth.SignInAtProvider(t.Context(), begun(t, h, liar))
	if !errors.As(err, &refused) || !refused.Unknown() {
		t.Errorf("a link that somebody wrote by hand: %v", err)
	}
}

// hanging is an identity provider that answers nothing until the test lets it, and then only that it is broken, at length.
func hanging(t *testing.T) (issuer string, let func()) {
	t.Helper()
	held := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		<-held
		w.WriteHeader(http.StatusInternalServerError)
		_, _ = io.WriteString(w, strings.Repeat("broken ", 100_000))
	}))
	let = sync.OnceFunc(func() { close(held) })
	t.Cleanup(server.Close)
	t.Cleanup(let)
	return server.URL, let
}

// TestAProviderThatHangsKeepsNobodyOfAnotherRealmOut: its own people are told to try again, the others sign in, and the log bears it.
func TestAProviderThatHangsKeepsNobodyOfAnotherRealmOut(t *testing.T) {
	t.Parallel()
	const places = 32
	h, liar := servicetest.New(t), oidctest.StartLiar(t, nil)
	log := &testutil.Log{}
	h.Log = log
	issuer, let := hanging(t)
	other := demo.Realms()[1]
	other.Provider = &store.ProviderDefinition{Provider: administration.Provider{
		Issuer: liar.Issuer, ClientID: oidctest.ClientID, PortalAddress: "https://portal.bank.example",
		Passwords: administration.PasswordsEverybody, SignInAge: time.Minute,
	}}
	check(t, store.ApplyRealm(t.Context(), store.Provisioner{OwnerURL: h.DB.OwnerURL, Keys: storetest.Keys(t), At: h.Clock.Now()}, other))
	applied(t, h, service.RequestInput{Kind: administration.KindProviderSet, Values: administration.Values{
		"issuer": issuer, "providerClient": oidctest.ClientID, "portalAddress": "https://portal.bank.example",
	}})
	answers := make(chan error, places+1)
	for i := range cap(answers) {
		go func() {
			_, err := h.Auth.BeginAtProvider(context.Background(), auth.BeginInput{
				Realm: demo.Realm, Next: "/", SourceAddress: fmt.Sprintf("192.0.2.%d", i),
			})
			answers <- err
		}()
	}
	var busy *auth.BusyError
	if err := <-answers; !errors.As(err, &busy) {
		t.Errorf("one more than wait: %v", err)
	}
	begun, err := h.Auth.BeginAtProvider(t.Context(), auth.BeginInput{Realm: other.Realm, Next: "/", SourceAddress: "192.0.2.99"})
	if err != nil || !strings.HasPrefix(begun.Address, liar.Issuer) {
		t.Errorf("somebody of another realm: %v", err)
	}
	let()
	for range places {
		if err := <-answers; !errors.Is(err, auth.ErrProviderAway) {
			t.Errorf("somebody who waited: %v", err)
		}
	}
	if n := len(log.String()); n > 100_000 {
		t.Errorf("the log has %d bytes of what the provider said", n)
	}
}
