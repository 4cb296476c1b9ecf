package api_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/labstack/echo/v4"

	"countersign/internal/auth"
	"countersign/internal/demo"
	"countersign/internal/service/servicetest"
	"countersign/internal/store/storetest"
	"countersign/web/api"
)

// tokenServer is the token calls of the demo's realms over HTTP.
type tokenServer struct {
	echo    *echo.Echo
	station *auth.Service
	db      *storetest.DB
	log     *bytes.Buffer
}

func newTokenServer(t *testing.T) *tokenServer {
	t.Helper()
	var written bytes.Buffer
	log := slog.New(slog.NewJSONHandler(&written, nil))
	house := servicetest.With(t, servicetest.Options{At: time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC), Log: log})
	s := &tokenServer{echo: echo.New(), station: house.Auth, db: house.DB, log: &written}
	h := &api.TokenHandler{Auth: s.station, Now: house.Now, Log: log}
	s.echo.POST("/api/auth/v1/realms/:realm/login", h.Login)
	s.echo.POST("/api/auth/v1/realms/:realm/token", h.Token)
	s.echo.POST("/api/auth/v1/realms/:realm/refresh", h.Refresh)
	s.echo.GET("/.well-known/oauth-authorization-server/api/auth/v1/realms/:realm", h.Metadata)
	s.echo.POST("/api/auth/v1/realms/:realm/logout", h.Logout)
	s.echo.POST("/api/auth/realms/:realm/logout", h.Logout)
	s.echo.POST("/api/auth/v1/realms/:realm/revoke", h.Revoke)
	return s
}

// tokenCall is one; change adapts the request before it is sent.
type tokenCall struct {
	path   string
	form   url.Values
	change func(*http.Request)
}

func (s *tokenServer) post(t *testing.T, c tokenCall) (*http.Response, map[string]any) {
	t.Helper()
	request := httptest.NewRequest(http.MethodPost, c.path, strings.NewReader(c.form.Encode()))
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if c.change != nil {
		c.change(request)
	}
	recorder := httptest.NewRecorder()
	s.echo.ServeHTTP(recorder, request)
	response := recorder.Result()
	if response.Header.Get("Cache-Control") != "no-store" || response.Header.Get("Pragma") != "no-cache" {
		t.Errorf("%s: the answer may be cached: %v", c.path, response.Header)
	}
	body := map[string]any{}
	if recorder.Body.Len() > 0 {
		err := json.Unmarshal(recorder.Body.Bytes(), &body)
		if err != nil {
			t.Errorf("%s: %v in %s", c.path, err, recorder.Body)
		}
	}
	return response, body
}

const (
	loginPath   = "/api/auth/v1/realms/demo/login"
	refreshPath = "/api/auth/v1/realms/demo/refresh"
	logoutPath  = "/api/auth/v1/realms/demo/logout"
	revokePath  = "/api/auth/v1/realms/demo/revoke"
)

// form makes a form with the client's credentials; "-" leaves a field out.
func form(pairs ...string) url.Values {
	values := url.Values{"client_id": {demo.Backoffice}, "client_secret": {demo.ClientSecret}}
	for i := 0; i < len(pairs); i += 2 {
		values.Set(pairs[i], pairs[i+1])
		if pairs[i+1] == "-" {
			values.Del(pairs[i])
		}
	}
	return values
}

func loginForm(pairs ...string) url.Values {
	return form(append([]string{"grant_type", "password", "username", "maker1", "password", demo.UserPassword}, pairs...)...)
}

func (s *tokenServer) login(t *testing.T) (access, refresh string) {
	t.Helper()
	response, body := s.post(t, tokenCall{path: loginPath, form: loginForm()})
	if response.StatusCode != http.StatusOK {
		t.Fatalf("login: %d %v", response.StatusCode, body)
	}
	return body["access_token"].(string), body["refresh_token"].(string)
}

func (s *tokenServer) alive(t *testing.T, access string) bool {
	t.Helper()
	_, err := s.station.Authenticate(t.Context(), access)
	if err != nil && !errors.Is(err, auth.ErrUnauthorized) {
		t.Error(err)
	}
	return err == nil
}

func TestTokenSetHasTheFieldsOfTheContract(t *testing.T) {
	t.Parallel()
	s := newTokenServer(t)
	want := map[string]any{"token_type": "bearer", "expires_in": 300.0, "refresh_expires_in": 1800.0}
	response, body := s.post(t, tokenCall{path: loginPath, form: loginForm()})
	refresh := body["refresh_token"].(string)
	if response.StatusCode != http.StatusOK || !s.alive(t, body["access_token"].(string)) {
		t.Errorf("got %d %v", response.StatusCode, body)
	}
	delete(body, "access_token")
	delete(body, "refresh_token")
	if diff := cmp.Diff(want, body); diff != "" {
		t.Errorf("login (-want +got):\n%s", diff)
	}
	response, body = s.post(t, tokenCall{path: refreshPath, form: form("grant_type", "refresh_token", "refresh_token", refresh)})
	if response.StatusCode != http.StatusOK || body["refresh_token"] == refresh || !s.alive(t, body["access_token"].(string)) {
		t.Errorf("refresh: got %d %v", response.StatusCode, body)
	}
	_, body = s.post(t, tokenCall{path: loginPath, form: loginForm("scope", "payments", "unknown_field", "is ignored")})
	if body["scope"] != "payments" {
		t.Errorf("got scope %v, want the one asked for", body["scope"])
	}
}

func TestLogoutInBothSpellings(t *testing.T) {
	t.Parallel()
	s := newTokenServer(t)
	for _, path := range []string{logoutPath, "/api/auth/realms/demo/logout"} {
		access, refresh := s.login(t)
		response, body := s.post(t, tokenCall{path: path, form: form("refresh_token", refresh)})
		if response.StatusCode != http.StatusNoContent || len(body) != 0 || s.alive(t, access) {
			t.Errorf("%s: got %d %v", path, response.StatusCode, body)
		}
		response, body = s.post(t, tokenCall{path: refreshPath, form: form("grant_type", "refresh_token", "refresh_token", refresh)})
		if response.StatusCode != http.StatusBadRequest || body["error"] != "invalid_grant" || body["errorCode"] != "INVALID_GRANT" {
			t.Errorf("refresh after %s: got %d %v", path, response.StatusCode, body)
		}
	}
}

func TestRevokeAnswers200AlsoForUnknownTokens(t *testing.T) {
	t.Parallel()
	s := newTokenServer(t)
	access, _ := s.login(t)
	for _, token := range []string{"unknown", access} {
		response, body := s.post(t, tokenCall{path: revokePath, form: form("token", token, "token_type_hint", "access_token")})
		if response.StatusCode != http.StatusOK || len(body) != 0 {
			t.Errorf("got %d %v", response.StatusCode, body)
		}
	}
	if s.alive(t, access) {
		t.Error("the revoked token still lives")
	}
}

func TestBasicClientAuthentication(t *testing.T) {
	t.Parallel()
	s := newTokenServer(t)
	bare := []string{"client_id", "-", "client_secret", "-"}
	for name, c := range map[string]struct {
		id, secret string
		form       url.Values
		want       int
	}{
		"good":                    {demo.Backoffice, demo.ClientSecret, loginForm(bare...), http.StatusOK},
		"percent-encoded":         {"demo%2Dbackoffice", "demo%2Dsecret", loginForm(bare...), http.StatusOK},
		"same client in the form": {demo.Backoffice, demo.ClientSecret, loginForm("client_secret", "-"), http.StatusOK},
		"wrong secret":            {demo.Backoffice, "wrong", loginForm(bare...), http.StatusUnauthorized},
		"broken encoding":         {demo.Backoffice, "%zz", loginForm(bare...), http.StatusUnauthorized},
		"secret in the form too":  {demo.Backoffice, demo.ClientSecret, loginForm(), http.StatusBadRequest},
		"another client in the form": {
			demo.Backoffice, demo.ClientSecret, loginForm("client_id", "demo-straight", "client_secret", "-"), http.StatusBadRequest,
		},
	} {
		response, body := s.post(t, tokenCall{path: loginPath, form: c.form, change: func(r *http.Request) { r.SetBasicAuth(c.id, c.secret) }})
		challenge := response.Header.Get("WWW-Authenticate")
		if response.StatusCode != c.want || (c.want == http.StatusUnauthorized) != strings.HasPrefix(challenge, "Basic ") {
			t.Errorf("%s: got %d %v, challenge %q, want %d", name, response.StatusCode, body, challenge, c.want)
		}
	}
}

// A stock client has one address for tokens, and refreshes there.
func TestOneAddressTakesBothGrants(t *testing.T) {
	t.Parallel()
	s := newTokenServer(t)
	for _, path := range []string{loginPath, "/api/auth/v1/realms/demo/token"} {
		response, body := s.post(t, tokenCall{path: path, form: loginForm()})
		refresh, _ := body["refresh_token"].(string)
		if response.StatusCode != http.StatusOK || refresh == "" {
			t.Fatalf("%s: got %d %v", path, response.StatusCode, body)
		}
		response, body = s.post(t, tokenCall{path: path, form: form("grant_type", "refresh_token", "refresh_token", refresh)})
		access, _ := body["access_token"].(string)
		if response.StatusCode != http.StatusOK || !s.alive(t, access) {
			t.Errorf("refresh at %s: got %d %v", path, response.StatusCode, body)
		}
	}
	response, body := s.post(t, tokenCall{path: refreshPath, form: loginForm()})
	if response.StatusCode != http.StatusBadRequest || body["error"] != "unsupported_grant_type" {
		t.Errorf("a password at the path of refresh: got %d %v", response.StatusCode, body)
	}
}

// Every 401 names the scheme it asks for, also when the credentials came in the form.
func TestABadClientIsAskedForItsCredentials(t *testing.T) {
	t.Parallel()
	s := newTokenServer(t)
	for _, path := range []string{loginPath, refreshPath, logoutPath, revokePath} {
		response, body := s.post(t, tokenCall{
			path: path, form: loginForm("client_secret", "wrong", "grant_type", "refresh_token", "refresh_token", "x", "token", "x"),
		})
		if path == loginPath {
			response, body = s.post(t, tokenCall{path: path, form: loginForm("client_secret", "wrong")})
		}
		if response.StatusCode != http.StatusUnauthorized || !strings.HasPrefix(response.Header.Get("WWW-Authenticate"), `Basic realm="`) {
			t.Errorf("%s: got %d %v, challenge %q", path, response.StatusCode, body, response.Header.Get("WWW-Authenticate"))
		}
	}
}

func TestMetadataNamesTheTokenCalls(t *testing.T) {
	t.Parallel()
	s := newTokenServer(t)
	get := func(realm string) (*http.Response, map[string]any) {
		recorder := httptest.NewRecorder()
		s.echo.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet,
			"http://bank.test/.well-known/oauth-authorization-server/api/auth/v1/realms/"+realm, nil))
		var body map[string]any
		err := json.Unmarshal(recorder.Body.Bytes(), &body)
		if err != nil {
			t.Fatal(err)
		}
		return recorder.Result(), body
	}
	response, body := get("demo")
	issuer := "http://bank.test/api/auth/v1/realms/demo"
	if response.StatusCode != http.StatusOK || body["issuer"] != issuer {
		t.Fatalf("got %d %v", response.StatusCode, body)
	}
	for member, path := range map[string]string{
		"token_endpoint": "/token", "refresh_endpoint": "/refresh", "logout_endpoint": "/logout", "revocation_endpoint": "/revoke",
	} {
		if body[member] != issuer+path {
			t.Errorf("%s: got %v, want %s", member, body[member], issuer+path)
		}
	}
	response, body = get("gamma")
	if response.StatusCode != http.StatusNotFound || body["errorCode"] != "404_NOT_FOUND" {
		t.Errorf("an unknown realm: got %d %v", response.StatusCode, body)
	}
}

// tokenRefusal is a call that gets no token, with its answer.
type tokenRefusal struct {
	call        tokenCall
	status      int
	oauth, code string
}

func tokenRefusals() map[string]tokenRefusal {
	oversize := loginForm("padding", strings.Repeat("x", 17<<10))
	twice := loginForm()
	twice.Add("username", "maker2")
	json := func(r *http.Request) { r.Header.Set("Content-Type", "application/json") }
	return map[string]tokenRefusal{
		"wrong password": {
			tokenCall{path: loginPath, form: loginForm("password", "wrong")}, 400, "invalid_grant", "Username_Or_Password_Incorrect",
		},
		"unknown user": {
			tokenCall{path: loginPath, form: loginForm("username", "nobody")}, 400, "invalid_grant", "Username_Or_Password_Incorrect",
		},
		"locked":     {tokenCall{path: loginPath, form: loginForm("username", "locked")}, 400, "invalid_grant", "Account_Locked"},
		"suppressed": {tokenCall{path: loginPath, form: loginForm("username", "maker2")}, 400, "invalid_grant", "Account_Suppressed"},
		"not verified": {
			tokenCall{path: loginPath, form: loginForm("username", "checker2")}, 400, "invalid_grant", "Account_Not_Verified",
		},
		"dead refresh token": {
			tokenCall{path: refreshPath, form: form("grant_type", "refresh_token", "refresh_token", "x")}, 400, "invalid_grant", "INVALID_GRANT",
		},
		"logout, dead token": {tokenCall{path: logoutPath, form: form("refresh_token", "x")}, 400, "invalid_grant", "INVALID_GRANT"},
		"bad client":         {tokenCall{path: loginPath, form: loginForm("client_secret", "wrong")}, 401, "invalid_client", "INVALID_CLIENT"},
		"bad client, logout": {
			tokenCall{path: logoutPath, form: form("client_secret", "-", "refresh_token", "x")}, 401, "invalid_client", "INVALID_CLIENT",
		},
		"bad client, revoke": {
			tokenCall{path: revokePath, form: form("client_id", "nobody", "token", "x")}, 401, "invalid_client", "INVALID_CLIENT",
		},
		"client of demo2": {
			tokenCall{path: loginPath, form: loginForm("client_id", "demo2-backoffice")}, 401, "invalid_client", "INVALID_CLIENT",
		},
		"no client":     {tokenCall{path: loginPath, form: loginForm("client_id", "-")}, 400, "invalid_request", "INVALID_REQUEST"},
		"no grant type": {tokenCall{path: loginPath, form: loginForm("grant_type", "-")}, 400, "invalid_request", "INVALID_REQUEST"},
		"another grant type": {
			tokenCall{path: loginPath, form: loginForm("grant_type", "client_credentials")}, 400, "unsupported_grant_type", "UNSUPPORTED_GRANT_TYPE",
		},
		"empty user name":     {tokenCall{path: loginPath, form: loginForm("username", "")}, 400, "invalid_request", "INVALID_REQUEST"},
		"field twice":         {tokenCall{path: loginPath, form: twice}, 400, "invalid_request", "INVALID_REQUEST"},
		"in the query string": {tokenCall{path: loginPath + "?" + loginForm().Encode()}, 400, "invalid_request", "INVALID_REQUEST"},
		"malformed scope":     {tokenCall{path: loginPath, form: loginForm("scope", `a"b`)}, 400, "invalid_scope", "INVALID_SCOPE"},
		"JSON": {
			tokenCall{path: loginPath, form: loginForm(), change: json}, 415, "invalid_request", "415_UNSUPPORTED_MEDIA_TYPE",
		},
		"too large":          {tokenCall{path: loginPath, form: oversize}, 413, "invalid_request", "413_TOO_LARGE"},
		"unknown realm":      {tokenCall{path: "/api/auth/v1/realms/gamma/login", form: loginForm()}, 404, "invalid_request", "404_NOT_FOUND"},
		"no name of a realm": {tokenCall{path: "/api/auth/v1/realms/G%27x/login", form: loginForm()}, 404, "invalid_request", "404_NOT_FOUND"},
	}
}

func TestTokenErrorsCarryBothVocabularies(t *testing.T) {
	t.Parallel()
	s := newTokenServer(t)
	_, err := s.db.Owner(t).Exec(t.Context(), `UPDATE user_account SET status = 'suppressed' WHERE name = 'maker2';
		UPDATE user_account SET status = 'unverified' WHERE name = 'checker2'`)
	if err != nil {
		t.Fatal(err)
	}
	s.db.SealMasterData(t)
	for range 5 {
		s.post(t, tokenCall{path: loginPath, form: loginForm("username", "locked", "password", "wrong")})
	}
	for name, c := range tokenRefusals() {
		response, body := s.post(t, c.call)
		if response.StatusCode != c.status || body["error"] != c.oauth || body["errorCode"] != c.code {
			t.Errorf("%s: got %d %v, want %d %s %s", name, response.StatusCode, body, c.status, c.oauth, c.code)
		}
		if locked := c.code == "Account_Locked"; locked != (response.Header.Get("Retry-After") != "") {
			t.Errorf("%s: Retry-After is %q", name, response.Header.Get("Retry-After"))
		}
		if len(body) != 4 || body["message"] == "" || body["message"] != body["error_description"] {
			t.Errorf("%s: got body %v", name, body)
		}
	}
	log := s.log.String()
	if strings.Contains(log, demo.UserPassword) || strings.Contains(log, demo.ClientSecret) || strings.Contains(log, "nobody") {
		t.Errorf("the log holds what it must not: %s", log)
	}
}

// Somebody else's fault shows nothing of the inside, and is logged.
func TestTokenCallWithoutADatabase(t *testing.T) {
	t.Parallel()
	s := newTokenServer(t)
	_, err := s.db.Owner(t).Exec(t.Context(), "ALTER TABLE login_throttle RENAME TO gone")
	if err != nil {
		t.Fatal(err)
	}
	response, body := s.post(t, tokenCall{path: loginPath, form: loginForm()})
	if response.StatusCode != http.StatusInternalServerError || body["errorCode"] != "500_INTERNAL_ERROR" {
		t.Errorf("got %d %v", response.StatusCode, body)
	}
	if text, _ := body["message"].(string); strings.Contains(text, "login_throttle") {
		t.Errorf("the answer shows the inside: %s", text)
	}
	if !strings.Contains(s.log.String(), "login_throttle") {
		t.Errorf("the log lacks the cause: %s", s.log)
	}
}

func TestTokensOfOneRealmAreNothingInAnother(t *testing.T) {
	t.Parallel()
	s := newTokenServer(t)
	access, refresh := s.login(t)
	second := form("client_id", demo.SecondClient, "grant_type", "refresh_token", "refresh_token", refresh)
	response, body := s.post(t, tokenCall{path: "/api/auth/v1/realms/demo2/refresh", form: second})
	if response.StatusCode != http.StatusBadRequest || body["error"] != "invalid_grant" {
		t.Errorf("refresh: got %d %v", response.StatusCode, body)
	}
	renamed := form("client_id", demo.SecondClient, "token", "demo2"+strings.TrimPrefix(access, "demo"))
	s.post(t, tokenCall{path: "/api/auth/v1/realms/demo2/revoke", form: renamed})
	if !s.alive(t, access) || s.alive(t, "demo2"+strings.TrimPrefix(access, "demo")) {
		t.Error("a token crossed realms")
	}
}
