package api_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"countersign/web/webtest"

	"github.com/google/uuid"
)

// sameButIDs hides what may differ between two refusals: the ids that were asked for and those the server makes.
var sameButIDs = regexp.MustCompile(`[0-9a-fA-F-]{32,36}|DM[0-9A-Z]{14}|20\d\d-[0-9T:.+-]+Z?`)

func TestAnIdOfAnotherRealmIsLikeOneThatDoesNotExist(t *testing.T) {
	t.Parallel()
	b := setup(t)
	mine := b.Send(t, call{Path: createSwiss, Who: maker1, Body: order(sample)})
	id, global := mine.Text("identifiers", "internalId"), mine.Text("identifiers", "globalId")
	a := b.Send(t, get("/api/common/v1/transaction/"+id+"/messages", maker1))
	document := a.Text("messages", 0, "id")
	if document == "" {
		t.Fatalf("no document: %s", a.Body)
	}
	unknown := uuid.Must(uuid.NewV7()).String()
	before := b.Rows(t)
	update := strings.Replace(order(sample), `"externalId":"`, `"internalId":"`, 1)
	cancelBody := func(id string) string { return `{"identifiers":{"internalId":"` + id + `"}}` }
	updateBody := func(id string) string {
		return regexp.MustCompile(`"internalId":"\w+"`).ReplaceAllString(update, `"internalId":"`+id+`"`)
	}
	calls := []struct {
		name string
		make func(id string) call
		ids  [2]string
	}{
		{"read", func(id string) call { return get("/api/common/v1/transaction/"+id, otherCheck) }, [2]string{id, unknown}},
		{
			"read by Global ID", func(id string) call { return get("/api/common/v1/transaction/"+id, otherCheck) },
			[2]string{global, "DM00000000000000"},
		},
		{"history", func(id string) call { return get("/api/common/v1/transaction/"+id+"/history", otherCheck) }, [2]string{id, unknown}},
		{"audit", func(id string) call { return get("/api/common/v1/transaction/"+id+"/audit", otherCheck) }, [2]string{id, unknown}},
		{"related", func(id string) call { return get("/api/common/v1/transaction/"+id+"/related", otherCheck) }, [2]string{id, unknown}},
		{"messages", func(id string) call { return get("/api/common/v1/transaction/"+id+"/messages", otherCheck) }, [2]string{id, unknown}},
		{"document", func(id string) call { return get("/api/common/v1/interface/"+id, otherCheck) }, [2]string{document, unknown}},
		{"search", func(id string) call { return get("/api/common/v1/transaction/list?internalId="+id, otherCheck) }, [2]string{id, unknown}},
		{"documents", func(id string) call { return get("/api/common/v1/interface/list?internalId="+id, otherCheck) }, [2]string{id, unknown}},
		{
			"approve", func(id string) call { return call{Path: approvePath, Who: otherCheck, Body: verdict(id, "approve")} },
			[2]string{id, unknown},
		},
		{
			"approve as maker", func(id string) call { return call{Path: approvePath, Who: otherMaker, Body: verdict(id, "approve")} },
			[2]string{id, unknown},
		},
		{"approve by scheme", func(id string) call {
			return call{Path: "/api/sct-inst/v1/instruction/approve", Who: otherCheck, Body: verdict(id, "approve")}
		}, [2]string{id, unknown}},
		{"cancel", func(id string) call {
			return call{Path: "/api/sic-inst/v1/instruction/cancel", Who: otherMaker, Body: cancelBody(id)}
		}, [2]string{id, unknown}},
		{"update", func(id string) call {
			return call{Path: "/api/sic-inst/v1/instruction/update", Who: otherMaker, Body: updateBody(id)}
		}, [2]string{id, unknown}},
	}
	for _, c := range calls {
		var seen [2]string
		for i, id := range c.ids {
			a := b.Send(t, c.make(id))
			seen[i] = fmt.Sprint(a.Status, sameButIDs.ReplaceAllString(a.Body, "…"))
			if a.Status == http.StatusOK && !strings.Contains(a.Body, `":[]`) {
				t.Errorf("%s: %s", c.name, a.Body)
			}
		}
		if seen[0] != seen[1] {
			t.Errorf("%s: the answers differ:\n%s\n%s", c.name, seen[0], seen[1])
		}
	}
	if after := b.Rows(t); after != before {
		t.Errorf("%d rows were stored", after-before)
	}
}

func TestRolesOpenWhatTheyAreFor(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.Created(t, maker1)
	reads := []string{
		"/api/common/v1/transaction/list", "/api/common/v1/transaction/" + id, "/api/common/v1/transaction/" + id + "/history",
		"/api/common/v1/transaction/" + id + "/audit", "/api/common/v1/transaction/" + id + "/related",
		"/api/common/v1/transaction/" + id + "/messages", "/api/common/v1/interface/list", "/api/common/v1/account/list",
		"/api/common/v1/error/list",
	}
	for _, path := range reads {
		for who, want := range map[person]int{maker1: 200, checker1: 200, supervisor1: 200, admin1: 403, nobody: 401} {
			if a := b.Send(t, get(path, who)); a.Status != want {
				t.Errorf("GET %s as %q: %d, want %d", path, who.User, a.Status, want)
			}
		}
	}
	for who, want := range map[person]int{checker1: 403, supervisor1: 403, admin1: 403, nobody: 401} {
		for _, path := range []string{createSwiss, "/api/sic-inst/v1/instruction/validate"} {
			if a := b.Send(t, call{Path: path, Who: who, Body: order(sample)}); a.Status != want {
				t.Errorf("POST %s as %q: %d, want %d", path, who.User, a.Status, want)
			}
		}
	}
	for who, want := range map[person]int{maker1: 403, maker2: 403, supervisor1: 403, admin1: 403, nobody: 401} {
		if a := b.Send(t, call{Path: approvePath, Who: who, Body: verdict(id, "approve")}); a.Status != want {
			t.Errorf("approve as %q: %d, want %d", who.User, a.Status, want)
		}
	}
}

func TestOnlyABearerTokenLetsIn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	token := b.Token(t, checker1)
	const path = "/api/common/v1/transaction/list"
	headers := map[string]func(*http.Request){
		"nothing": func(*http.Request) {},
		"a cookie": func(r *http.Request) {
			r.Header.Set("Cookie", "sid="+token+"; __Host-sid="+token+"; access_token="+token)
		},
		"a wrong token": func(r *http.Request) {
			r.Header.Set("Authorization", "Bearer demo.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")
		},
		"a JSON web token": func(r *http.Request) {
			r.Header.Set("Authorization", "Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZG1pbiJ9.")
		},
		"another realm's": func(r *http.Request) {
			r.Header.Set("Authorization", "Bearer demo2."+strings.TrimPrefix(token, "demo."))
		},
		"no scheme":      func(r *http.Request) { r.Header.Set("Authorization", token) },
		"basic":          func(r *http.Request) { r.SetBasicAuth("demo-backoffice", "demo-secret") },
		"in the query":   func(r *http.Request) { r.URL.RawQuery = "access_token=" + token },
		"the clearing's": func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+webtest.ClearingToken) },
		"two tokens":     func(r *http.Request) { r.Header["Authorization"] = []string{"Bearer " + token, "Bearer demo.x"} },
		"control signs":  func(r *http.Request) { r.Header.Set("Authorization", "Bearer demo.\x00") },
	}
	for name, change := range headers {
		a := b.Send(t, call{Method: http.MethodGet, Path: path, Change: change})
		if a.Status != http.StatusUnauthorized || a.Text("errorCode") != "401_UNAUTHORIZED" ||
			!strings.HasPrefix(a.Header.Get("WWW-Authenticate"), `Bearer realm="`) {
			t.Errorf("%s: %d %q %s", name, a.Status, a.Header.Get("WWW-Authenticate"), a.Body)
		}
	}
	a := b.Send(t, call{Method: http.MethodGet, Path: path, Change: func(r *http.Request) { r.Header.Set("Authorization", "bearer "+token) }})
	if a.Status != http.StatusOK || a.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("the right token: %d %v", a.Status, a.Header)
	}
}

func TestEveryCallCarriesARequestID(t *testing.T) {
	t.Parallel()
	b := setup(t)
	long := strings.Repeat("ü", 140)
	for name, test := range map[string]struct {
		values []string
		want   string
	}{
		"none": {nil, "[X-Request-Id CH21]"}, "empty": {[]string{""}, "[X-Request-Id CH21]"}, "two": {[]string{"a", "b"}, "[X-Request-Id FF01]"},
		"too long": {[]string{long + "x"}, "[X-Request-Id FF01]"}, "unprintable": {[]string{"a\tb"}, "[X-Request-Id FF01]"},
		"not UTF-8": {[]string{"a\xff"}, "[X-Request-Id FF01]"}, "longest": {[]string{long}, "[]"}, "with spaces": {[]string{"a b"}, "[]"},
	} {
		a := b.Send(t, call{Method: http.MethodGet, Path: "/api/common/v1/account/list", Who: checker1, Change: func(r *http.Request) {
			r.Header.Del("X-Request-Id")
			for _, value := range test.values {
				r.Header.Add("X-Request-Id", value)
			}
		}})
		if got := fmt.Sprint(found(a)); got != test.want {
			t.Errorf("%s: found %s, want %s", name, got, test.want)
		}
		if a.Status == http.StatusOK && a.Text("header", "originalRequestId") != test.values[0] {
			t.Errorf("%s: came back as %q", name, a.Text("header", "originalRequestId"))
		}
		if a.Status != http.StatusOK && strings.Contains(a.Body, "originalRequestId") {
			t.Errorf("%s: a refused id comes back: %s", name, a.Body)
		}
	}
}
