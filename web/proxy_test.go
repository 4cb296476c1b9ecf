package web_test

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"countersign/web"
	"countersign/web/webtest"
)

// behindProxy is the server of a bundle with pages, behind a proxy that ends TLS.
func behindProxy(t *testing.T) (*bundle, *int) {
	t.Helper()
	taken := 0
	proxies := []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16")}
	return setupWith(t, webtest.Options{Settings: web.Settings{TrustedProxies: proxies}, Pages: pages{&taken}}), &taken
}

// TestOnlyATrustedProxySaysWhereARequestComesFrom, and the audit keeps what it says.
func TestOnlyATrustedProxySaysWhereARequestComesFrom(t *testing.T) {
	t.Parallel()
	b, _ := behindProxy(t)
	for name, test := range map[string]struct{ peer, forwarded, want string }{
		"the proxy":                   {"10.1.2.3:1", "203.0.113.9", "203.0.113.9"},
		"two of its proxies":          {"10.1.2.3:1", "203.0.113.9, 10.1.9.9", "203.0.113.9"},
		"a claim that the proxy kept": {"10.1.2.3:1", "192.0.2.200, 203.0.113.9", "203.0.113.9"},
		"somebody else":               {"198.51.100.7:1", "203.0.113.9", "198.51.100.7"},
		"this machine":                {"127.0.0.1:1", "203.0.113.9", "127.0.0.1"},
		"a proxy that says nothing":   {"10.1.2.3:1", "", "10.1.2.3"},
	} {
		from := func(r *http.Request) {
			r.RemoteAddr = test.peer
			if test.forwarded != "" {
				r.Header.Set("X-Forwarded-For", test.forwarded)
			}
		}
		id := b.Send(t, webtest.Call{Path: webtest.CreateSwiss, Who: webtest.Maker1, Body: webtest.Order(webtest.Sample), Change: from}).Text(
			"identifiers", "internalId",
		)
		var kept string
		must(t, b.DB.Owner(t).QueryRow(t.Context(), "SELECT source_address FROM audit_event WHERE message_id = $1", parse(t, id)).Scan(&kept))
		if kept != test.want {
			t.Errorf("%s: the audit keeps %s, want %s", name, kept, test.want)
		}
	}
}

// TestAFormComesFromOurOwnOrigin, scheme and host, as the browser knows it.
func TestAFormComesFromOurOwnOrigin(t *testing.T) {
	t.Parallel()
	b, taken := behindProxy(t)
	secure, secureTaken := withPages(t, true)
	type headers map[string]string
	for name, test := range map[string]struct {
		to     *bundle
		taken  *int
		peer   string
		given  headers
		passes bool
	}{
		"no word of where it comes from":  {b, taken, "", headers{}, false},
		"only a cookie":                   {b, taken, "", headers{"Cookie": "sid=x"}, false},
		"another scheme":                  {b, taken, "", headers{"Origin": "https://example.com"}, false},
		"another scheme, vouched for":     {b, taken, "", headers{"Origin": "https://example.com", "Sec-Fetch-Site": "same-origin"}, false},
		"another port":                    {b, taken, "", headers{"Origin": "http://example.com:8080"}, false},
		"own":                             {b, taken, "", headers{"Origin": "http://example.com"}, true},
		"vouched for":                     {b, taken, "", headers{"Sec-Fetch-Site": "same-origin"}, true},
		"a browser that hides its origin": {b, taken, "", headers{"Origin": "null", "Sec-Fetch-Site": "same-origin"}, true},
		"plain where TLS is":              {secure, secureTaken, "", headers{"Origin": "http://example.com"}, false},
		"own with TLS":                    {secure, secureTaken, "", headers{"Origin": "https://example.com"}, true},
		"through the proxy": {b, taken, "10.1.2.3:1", headers{
			"Origin": "https://pay.example", "X-Forwarded-Proto": "https", "X-Forwarded-Host": "pay.example",
		}, true},
		"the proxy's word from elsewhere": {b, taken, "", headers{
			"Origin": "https://pay.example", "X-Forwarded-Proto": "https", "X-Forwarded-Host": "pay.example",
		}, false},
		"the proxy's own name in a header": {b, taken, "10.1.2.3:1", headers{
			"Origin": "http://evil.example", "X-Forwarded-Host": "pay.example",
		}, false},
	} {
		before := *test.taken
		a := test.to.Send(t, webtest.Call{Path: "/page", Change: func(r *http.Request) {
			for header, value := range test.given {
				r.Header.Set(header, value)
			}
			if test.peer != "" {
				r.RemoteAddr = test.peer
			}
		}})
		if passed := *test.taken > before; passed != test.passes || passed != (a.Status == http.StatusNoContent) {
			t.Errorf("%s: %d, taken %v", name, a.Status, passed)
		}
	}
}

// TestHEADAnswersWhereverGETDoes, with the same status and headers, and without a body.
func TestHEADAnswersWhereverGETDoes(t *testing.T) {
	t.Parallel()
	b, _ := withPages(t, false)
	token := b.Token(t, webtest.Supervisor1)
	server := httptest.NewServer(b.Server.Handler())
	t.Cleanup(server.Close)
	answers := func(method, path string) (int, http.Header) {
		r, err := http.NewRequestWithContext(t.Context(), method, server.URL+path, nil)
		must(t, err)
		r.Header.Set("Authorization", "Bearer "+token)
		r.Header.Set("X-Request-Id", "head")
		response, err := http.DefaultTransport.RoundTrip(r)
		must(t, err)
		must(t, response.Body.Close())
		return response.StatusCode, response.Header
	}
	compared := 0
	for _, route := range b.Server.Routes() {
		if route.Method != http.MethodGet || route.Path == "/page/panic" {
			continue
		}
		path := strings.NewReplacer(":internalId", "x", ":id", "x", "*", "app.js", ":realm", "demo").Replace(route.Path)
		want, with := answers(http.MethodGet, path)
		got, header := answers(http.MethodHead, path)
		if got != want || header.Get("Content-Type") != with.Get("Content-Type") || header.Get("Content-Security-Policy") == "" {
			t.Errorf("HEAD %s: %d %s, GET: %d %s", path, got, header.Get("Content-Type"), want, with.Get("Content-Type"))
		}
		compared++
	}
	if compared < 15 {
		t.Errorf("only %d addresses were compared", compared)
	}
}

// TestA401SaysWhatIsMissing: RFC 6750 section 3.
func TestA401SaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for name, test := range map[string]struct{ authorization, want string }{
		"nothing shown":     {"", `Bearer realm="countersign"`},
		"another scheme":    {"Basic eDp5", `Bearer realm="countersign"`},
		"an unknown token":  {"Bearer demo." + strings.Repeat("A", 43), `error="invalid_token"`},
		"a malformed token": {"bearer x", `error="invalid_token"`},
	} {
		a := b.Send(t, webtest.Call{Method: http.MethodGet, Path: webtest.ListPath, Change: func(r *http.Request) {
			if test.authorization != "" {
				r.Header.Set("Authorization", test.authorization)
			}
		}})
		got := a.Header.Get("WWW-Authenticate")
		bare := test.want == `Bearer realm="countersign"`
		if a.Status != http.StatusUnauthorized || bare && got != test.want || !strings.Contains(got, test.want) {
			t.Errorf("%s: %d %q", name, a.Status, got)
		}
	}
}
