// Package oidctest runs identity providers for tests: a real one (zitadel/oidc with its example storage, which shows a sign-in form), and
// one that lies. Nothing of it is part of the program.
package oidctest

import (
	"fmt"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/zitadel/oidc/v3/example/server/exampleop"
	"github.com/zitadel/oidc/v3/example/server/storage"
)

// What this portal is at the providers of tests, and the password of all their people.
const (
	ClientID = "countersign"
	Secret   = "of the portal at its provider"
	Password = "known to the provider alone"
)

// people are those of a provider: the user name is the subject.
type people struct{}

// GetUserByID finds one by the subject.
func (people) GetUserByID(id string) *storage.User {
	return &storage.User{ID: id, Username: id, Password: Password}
}

// GetUserByUsername finds one by the name typed.
func (p people) GetUserByUsername(name string) *storage.User { return p.GetUserByID(name) }

// ExampleClientID is asked by the storage and of no meaning here.
func (people) ExampleClientID() string { return "nobody" }

// Provider is a real provider.
type Provider struct {
	Issuer string
}

// Start runs a provider that answers to one address, until the test ends.
func Start(t testing.TB, redirect string) *Provider {
	t.Helper()
	var config net.ListenConfig
	listener, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	issuer := fmt.Sprintf("http://localhost:%d", listener.Addr().(*net.TCPAddr).Port) //nolint:forcetypeassert // it listens on TCP
	kept := storage.NewStorageWithClients(people{}, map[string]*storage.Client{ClientID: storage.WebClient(ClientID, Secret, redirect)})
	server := &httptest.Server{Listener: listener, Config: &http.Server{ //nolint:gosec // it lives as long as the test
		Handler: exampleop.SetupServer(issuer, kept, nil, false),
	}}
	server.Start()
	t.Cleanup(server.Close)
	return &Provider{Issuer: issuer}
}

// SignIn does at the provider what somebody does who was sent there: it follows the address, fills in the form, and returns where the
// provider sends the browser back to.
func (p *Provider) SignIn(t testing.TB, address, subject string) (back string) {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	form := follow(t, browser, address)
	asked, err := url.Parse(form)
	if err != nil || !strings.HasPrefix(asked.Path, "/login/") {
		t.Fatalf("the provider sends to %q: %v", form, err)
	}
	typed := url.Values{"id": {asked.Query().Get("authRequestID")}, "username": {subject}, "password": {Password}}
	body := strings.NewReader(typed.Encode())
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.Issuer+"/login/username", body)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	back = send(t, browser, request)
	if strings.HasPrefix(back, "/") {
		back = p.Issuer + back
	}
	return follow(t, browser, back)
}

// follow opens an address and returns where it leads to.
func follow(t testing.TB, browser *http.Client, address string) string {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	return send(t, browser, request)
}

func send(t testing.TB, browser *http.Client, request *http.Request) string {
	t.Helper()
	answer, err := browser.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	where := answer.Header.Get("Location")
	if where == "" {
		t.Fatalf("the provider answers %s with %d and leads nowhere", request.URL.Path, answer.StatusCode)
	}
	return where
}
