package web_test

import (
	"context"
	"errors"
	"flag"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/labstack/echo/v4"

	"countersign/internal/service"
	"countersign/web"
	"countersign/web/request"
	"countersign/web/webtest"
)

var update = flag.Bool("update", false, "write the golden files anew")

// pages is a door for people with one page and one form.
type pages struct{ taken *int }

func (p pages) Sessions() echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc { return next }
}

func (p pages) Routes() []request.Route {
	return []request.Route{
		{Method: http.MethodGet, Path: "/page", Handle: func(c echo.Context) error { return c.HTML(http.StatusOK, "<p>page</p>") }},
		{Method: http.MethodPost, Path: "/page", Handle: func(c echo.Context) error { *p.taken++; return c.NoContent(http.StatusNoContent) }},
		{Method: http.MethodGet, Path: "/page/panic", Handle: func(echo.Context) error { panic("secret-leaked") }},
	}
}

// withPages is the server of a bundle, with pages.
func withPages(t *testing.T, tls bool) (*bundle, *int) {
	t.Helper()
	taken := 0
	return setupWith(t, webtest.Options{Settings: web.Settings{TLS: tls}, Pages: pages{&taken}}), &taken
}

// TestTheRouteTable holds the whole table to a file: a new address is a decision.
func TestTheRouteTable(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var table strings.Builder
	for _, route := range b.Server.Routes() {
		table.WriteString(route.Method + " " + route.Path + "\n")
	}
	file := filepath.Join("testdata", "routes.golden")
	if *update {
		must(t, os.WriteFile(file, []byte(table.String()), 0o600))
		return
	}
	want, err := os.ReadFile(file)
	must(t, err)
	if diff := cmp.Diff(string(want), table.String()); diff != "" {
		t.Errorf("the routes differ (-want +got):\n%s", diff)
	}
}

func TestEveryGuardedRouteAsksForAToken(t *testing.T) {
	t.Parallel()
	b := setup(t)
	open := []string{"/livez", "/readyz", "/static/", "/api/openapi", "/api/docs", "/api/auth/", "/.well-known/"}
	for _, route := range b.Server.Routes() {
		isOpen := false
		for _, prefix := range open {
			isOpen = isOpen || strings.HasPrefix(route.Path, prefix)
		}
		if isOpen {
			continue
		}
		path := strings.NewReplacer(":internalId", "x", ":id", "x").Replace(route.Path)
		a := b.Send(
			t, webtest.Call{Method: route.Method, Path: path, Body: "{}", Change: func(r *http.Request) { r.Header.Set("Cookie", "sid=x") }},
		)
		if a.Status != http.StatusUnauthorized {
			t.Errorf("%s %s: %d", route.Method, route.Path, a.Status)
		}
	}
}

func TestTheOtherWaysToAnAddressAreClosed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, c := range []struct {
		method, path string
		want         int
	}{
		{"GET", webtest.CreateSwiss, 405},
		{"PUT", webtest.CreateSwiss, 405},
		{"POST", webtest.ListPath, 405},
		{"DELETE", webtest.ApprovePath, 405},
		{"POST", webtest.CreateSwiss + "/", 404},
		{"POST", "/api//sic-inst/v1/instruction/create", 404},
		{"POST", "/API/sic-inst/v1/instruction/create", 404},
		{"POST", "/api/sepa/v1/instruction/create", 404},
		{"POST", "/api/common/v1/instruction/create", 404},
		{"POST", "/api/sic-inst/v1/recall/validate", 404},
		{"GET", "/api", 404},
		{"GET", "/static/../go.mod", 404},
		{"GET", "/nothing", 404},
	} {
		a := b.Send(
			t,
			webtest.Call{Method: c.method, Path: c.path, Who: webtest.Maker1, Body: webtest.Order(webtest.Sample), Change: func(r *http.Request) {
				r.Header.Set("X-HTTP-Method-Override", "POST")
			}},
		)
		if a.Status != c.want {
			t.Errorf("%s %s: %d, want %d", c.method, c.path, a.Status, c.want)
		}
	}
}

func TestBrowsersAreToldWhatTheyMayNotDo(t *testing.T) {
	t.Parallel()
	b, _ := withPages(t, true)
	for _, path := range []string{"/livez", "/page", "/nothing", "/api/nothing", "/api/docs/"} {
		h := b.Send(t, webtest.Get(path, webtest.Nobody)).Header
		for name, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cross-Origin-Opener-Policy": "same-origin",
			"Cross-Origin-Resource-Policy": "same-origin", "Strict-Transport-Security": "max-age=31536000; includeSubDomains",
		} {
			if h.Get(name) != want {
				t.Errorf("%s: %s is %q", path, name, h.Get(name))
			}
		}
		policy := h.Get("Content-Security-Policy")
		if !strings.HasPrefix(policy, "default-src 'none'; ") || !strings.Contains(policy, "frame-ancestors 'none'") {
			t.Errorf("%s: policy %q", path, policy)
		}
		if strings.Contains(policy, "unsafe") {
			t.Errorf("%s: policy %q", path, policy)
		}
	}
	if got := b.Send(t, webtest.Get("/page", webtest.Nobody)).Header.Get("Cache-Control"); got != "no-store" {
		t.Errorf("a page may be cached: %q", got)
	}
}

func TestAnotherSiteCannotSendForms(t *testing.T) {
	t.Parallel()
	b, taken := withPages(t, false)
	for name, test := range map[string]struct {
		header, value string
		want          int
	}{
		"cross-site":   {"Sec-Fetch-Site", "cross-site", 403},
		"same-site":    {"Sec-Fetch-Site", "same-site", 403},
		"other origin": {"Origin", "https://evil.example", 403},
		"no origin":    {"Origin", "null", 403},
		"same origin":  {"Sec-Fetch-Site", "same-origin", 204},
		"own origin":   {"Origin", "http://example.com", 204},
		"two origins":  {"Origin", "http://example.com|https://evil.example", 403},
		"two sites":    {"Sec-Fetch-Site", "same-origin|cross-site", 403},
	} {
		before := *taken
		a := b.Send(t, webtest.Call{Path: "/page", Change: func(r *http.Request) {
			r.Header[test.header] = strings.Split(test.value, "|")
		}})
		if a.Status != test.want || (*taken > before) != (test.want == 204) {
			t.Errorf("%s: %d, taken %v", name, a.Status, *taken > before)
		}
		if a.Status == http.StatusForbidden && !strings.Contains(a.Body, "came from another website") {
			t.Errorf("%s: the page does not say why: %s", name, a.Body)
		}
	}
}

func TestAPanicShowsNothing(t *testing.T) {
	t.Parallel()
	b, _ := withPages(t, false)
	a := b.Send(t, webtest.Get("/page/panic", webtest.Nobody))
	if a.Status != http.StatusInternalServerError || strings.Contains(a.Body, "secret-leaked") || strings.Contains(a.Body, ".go") {
		t.Errorf("%d %s", a.Status, a.Body)
	}
	if !strings.Contains(a.Body, `href="/page/panic">Try again</a>`) {
		t.Errorf("the page that could not be shown cannot be asked for again: %s", a.Body)
	}
	log := b.Log.String()
	if !strings.Contains(log, "secret-leaked") || !strings.Contains(log, "server_test.go") {
		t.Error("the log does not say what happened")
	}
	_, rest, _ := strings.Cut(log, `"msg":"page failed"`)
	_, reference, _ := strings.Cut(rest, `"reference":"`)
	if len(reference) < 36 || !strings.Contains(a.Body, reference[:36]) {
		t.Errorf("the page does not name the request of the log: %s", a.Body)
	}
}

func TestReadinessSaysWhetherFourEyesIsEnforced(t *testing.T) {
	t.Parallel()
	b := setup(t)
	if a := b.Send(t, webtest.Get("/livez", webtest.Nobody)); a.Status != http.StatusOK {
		t.Errorf("livez: %d", a.Status)
	}
	a := b.Send(t, webtest.Get("/readyz", webtest.Nobody))
	if a.Status != http.StatusOK || a.Text("fourEyes") != "enforced" || a.Text("status") != "ready" || a.Text("audit") != "sealed" {
		t.Errorf("the demo: %d %s", a.Status, a.Body)
	}
	// The directories of tests are of 2020.
	if words := a.Text("directories"); !strings.Contains(
		words, "sct-inst in realm demo: of 2020-01-01, older than a quarter: import the directory of today",
	) {
		t.Errorf("old directories: %s", words)
	}
	_, err := b.DB.Owner(t).Exec(t.Context(), `INSERT INTO policy (realm, policy_id, rank, approvals_required, pending_seconds, created_at)
		VALUES ('demo2', $1, 99, 0, 3600, now())`, service.NewID())
	must(t, err)
	b.DB.SealMasterData(t)
	_, err = b.DB.Owner(t).Exec(t.Context(), "DELETE FROM routing_directory WHERE scheme = 'sct-inst'")
	must(t, err)
	a = b.Send(t, webtest.Get("/readyz", webtest.Nobody))
	if words := a.Text("directories"); !strings.Contains(words, "sct-inst in realm demo: none is loaded, so an order must name the BIC") {
		t.Errorf("no directory: %s", words)
	}
	if a.Status != http.StatusOK || !strings.Contains(a.Text("fourEyes"), "off for everybody in demo2") {
		t.Errorf("with a policy that turns it off: %d %s", a.Status, a.Body)
	}
	b.DB.Database.Close()
	a = b.Send(t, webtest.Get("/readyz", webtest.Nobody))
	if a.Status != http.StatusServiceUnavailable || a.Text("database") != "unreachable" || a.Text("fourEyes") != "unknown" {
		t.Errorf("without a database: %d %s", a.Status, a.Body)
	}
	if a = b.Send(t, webtest.Get("/livez", webtest.Nobody)); a.Status != http.StatusOK {
		t.Errorf("livez without a database: %d", a.Status)
	}
	token := "demo." + strings.Repeat("A", 43)
	a = b.Send(t, webtest.Call{
		Method: http.MethodGet, Path: webtest.ListPath, Change: func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token) },
	})
	if a.Status != http.StatusServiceUnavailable || a.Text("errorCode") != "503_UNAVAILABLE" || strings.Contains(a.Body, "pool") {
		t.Errorf("a call without a database: %d %s", a.Status, a.Body)
	}
}

func TestTheDescriptionIsServed(t *testing.T) {
	t.Parallel()
	b := setup(t)
	if a := b.Send(t, webtest.Get("/api/openapi.yaml", webtest.Nobody)); a.Status != http.StatusOK ||
		!strings.HasPrefix(a.Body, "openapi: 3.1.0") {
		t.Errorf("YAML: %d", a.Status)
	}
	if a := b.Send(t, webtest.Get("/api/openapi.json", webtest.Nobody)); a.Status != http.StatusOK || a.Text("openapi") != "3.1.0" {
		t.Errorf("JSON: %d", a.Status)
	}
	a := b.Send(t, webtest.Get("/api/docs", webtest.Nobody))
	if a.Status != http.StatusMovedPermanently || a.Header.Get("Location") != "/api/docs/" {
		t.Errorf("docs: %d %v", a.Status, a.Header)
	}
	a = b.Send(t, webtest.Get("/api/docs/", webtest.Nobody))
	if a.Status != http.StatusOK || !strings.Contains(a.Body, "/api/openapi.yaml") || strings.Contains(a.Body, `="https://`) {
		t.Errorf("the page to read it on: %d %s", a.Status, a.Body)
	}
	if strings.Contains(a.Body, "<style") || strings.Contains(a.Body, " style=") || strings.Contains(a.Body, "<script>") {
		t.Errorf("the page has script or style inside: %s", a.Body)
	}
	loads := regexp.MustCompile(`(?:src|rel="stylesheet" href)="([^"]+)"`).FindAllStringSubmatch(a.Body, -1)
	if len(loads) != 3 {
		t.Errorf("the page loads %v", loads)
	}
	for _, file := range loads {
		if got := b.Send(t, webtest.Get(file[1], webtest.Nobody)); got.Status != http.StatusOK {
			t.Errorf("%s: %d", file[1], got.Status)
		}
	}
}

func TestNoSecretGetsIntoTheLog(t *testing.T) {
	t.Parallel()
	b := setup(t)
	token := b.Token(t, webtest.Maker1)
	body := webtest.Order(webtest.Sample)
	id := b.Send(t, webtest.Call{Path: webtest.CreateSwiss, Who: webtest.Maker1, Body: body}).Text("identifiers", "internalId")
	b.Send(t, webtest.Call{
		Path: webtest.CreateSwiss, Who: webtest.Maker1, Body: strings.Replace(body, "CH4821966000009613388", "CH4821966000009613389", 1),
	})
	b.Send(t, webtest.Get(webtest.ListPath+"?creditorAccount=CH4821966000009613388&creditorName=Haller&access_token="+token, webtest.Maker1))
	b.Send(t, webtest.Get("/api/common/v1/transaction/CH4821966000009613388", webtest.Maker1))
	b.Send(t, webtest.Call{
		Path: "/api/auth/v1/realms/demo/login?password=leaked-query", Kind: "application/x-www-form-urlencoded", Body: "password=leaked-form",
	})
	b.Send(
		t, webtest.Call{Path: webtest.ApprovePath, Who: webtest.Checker1, Body: webtest.Verdict(id, "reject", "rejectReason", "leaked-reason")},
	)
	b.Send(t, webtest.ClearingCall("<leaked-xml/>", nil))
	b.Send(t, webtest.Call{Method: "LEAKED", Path: "/leaked-path", Change: func(r *http.Request) {
		r.Header.Set("X-Request-Id", "a\nleaked-header")
		r.Header.Set("X-Forwarded-For", "203.0.113.99")
	}})
	log := b.Log.String()
	for _, secret := range []string{
		token, "countersign-demo", "demo-secret", webtest.ClearingToken, "leaked", "LEAKED", "CH4821966000009613388", "CH5021977000004331346",
		"Haller", "203.0.113.99",
	} {
		if strings.Contains(log, secret) {
			t.Errorf("the log holds %q:\n%s", secret, log)
		}
	}
	if !strings.Contains(log, `"route":"`+webtest.CreateSwiss+`"`) || !strings.Contains(log, `"requestId":"request-1"`) {
		t.Errorf("the log does not name the calls:\n%s", log)
	}
}

func TestTheServerListensWithinLimitsAndStopsGracefully(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	ended := make(chan error, 1)
	go func() { ended <- b.Server.Serve(ctx, listener) }()
	answer, err := http.Get("http://" + listener.Addr().String() + "/livez")
	must(t, err)
	_, err = io.Copy(io.Discard, answer.Body)
	must(t, errors.Join(err, answer.Body.Close()))
	if answer.StatusCode != http.StatusOK {
		t.Errorf("livez: %d", answer.StatusCode)
	}
	asked, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+listener.Addr().String()+"/livez", nil)
	must(t, err)
	asked.Header.Set("X-Large", strings.Repeat("a", 64<<10))
	answer, err = http.DefaultClient.Do(asked)
	must(t, err)
	must(t, answer.Body.Close())
	if answer.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("a header of 64 KiB: %d", answer.StatusCode)
	}
	stop()
	select {
	case err = <-ended:
		must(t, err)
	case <-time.After(time.Minute):
		t.Fatal("the server does not stop")
	}
	_, err = net.Dial("tcp", listener.Addr().String())
	if err == nil {
		t.Error("the server still listens")
	}
}

func TestHeadersOfTheClientDoNotChangeItsAddress(t *testing.T) {
	t.Parallel()
	b := setup(t)
	recorder := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodGet, "/livez", nil)
	r.Header.Set("X-Forwarded-For", "203.0.113.99")
	r.Header.Set("X-Real-Ip", "203.0.113.99")
	b.Server.Handler().ServeHTTP(recorder, r)
	if log := b.Log.String(); !strings.Contains(log, `"address":"192.0.2.1"`) || strings.Contains(log, "203.0.113.99") {
		t.Errorf("log: %s", log)
	}
}
