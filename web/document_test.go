package web_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"countersign/web"
	"countersign/web/webtest"
)

// TestTheDemoForwardsTheSandbox: the page of the description reaches the simulator through the gateway, without the caller's credentials.
func TestTheDemoForwardsTheSandbox(t *testing.T) {
	t.Parallel()
	simulator := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		must(t, err)
		_, err = io.WriteString(w, r.Method+" "+r.URL.String()+" "+string(body)+r.Header.Get("Authorization")+r.Header.Get("Cookie"))
		must(t, err)
	}))
	t.Cleanup(simulator.Close)
	demo := webtest.With(t, webtest.Options{Settings: web.Settings{SimulatorURL: simulator.URL}}).Server.Handler()
	other := webtest.New(t).Server.Handler()
	for _, c := range []struct{ method, path, body string }{
		{http.MethodPost, "/scenario/incoming-payment", `{"scheme":"sic-inst"}`},
		{http.MethodPost, "/scenario/recall", `{"scheme":"sic-inst"}`},
		{http.MethodGet, "/log?after=2", ""},
	} {
		for gateway, want := range map[http.Handler]string{demo: c.method + " " + c.path + " " + c.body, other: "404_NOT_FOUND"} {
			r := httptest.NewRequest(c.method, c.path, strings.NewReader(c.body))
			r.Header.Set("Authorization", "Bearer secret")
			r.Header.Set("Cookie", "session=secret")
			w := httptest.NewRecorder()
			gateway.ServeHTTP(w, r)
			got := w.Body.String()
			if got != want && (want != "404_NOT_FOUND" || w.Code != http.StatusNotFound) {
				t.Errorf("%s %s: %d %s", c.method, c.path, w.Code, got)
			}
		}
	}
}
