package web_test

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"countersign/internal/administration"
	"countersign/internal/demo"
	"countersign/internal/identity"
	"countersign/internal/iso20022/codec"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
	"countersign/views"
	"countersign/web/request"
)

// visitor is somebody who tries every address: with a token at the doors for programs, with a session at the door for people.
type visitor struct {
	column, realm, client, user string
	token                       string
	browser                     *http.Client
}

// visitors are the columns of the matrix. The last two are of another realm and have the same names as people of the first.
func visitors() []*visitor {
	own := func(user string) *visitor {
		return &visitor{column: user, realm: demo.Realm, client: demo.Backoffice, user: user}
	}
	other := func(user string) *visitor {
		return &visitor{column: "other " + user, realm: demo.SecondRealm, client: demo.SecondClient, user: user}
	}
	return []*visitor{
		{column: "nobody"}, own("maker1"), own("checker1"), own("both1"), own("supervisor1"), own("admin1"), other("maker1"), other("checker1"),
	}
}

// stranger says that this visitor may not know that anything of realm demo exists.
func (v *visitor) stranger() bool { return v.realm == demo.SecondRealm }

// matrix tries every route of the table as everybody.
type matrix struct {
	*product
	maker    identity.Principal
	document uuid.UUID
	change   administration.Change
	touched  []uuid.UUID // messages that strangers had the ids of
}

// enter signs a visitor in at both doors.
func (m *matrix) enter(v *visitor) {
	m.t.Helper()
	jar, err := cookiejar.New(nil)
	must(m.t, err)
	v.browser = &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	if v.user == "" {
		return
	}
	v.token = m.tokenOf(v.realm, v.client, v.user)
	form := url.Values{"realm": {v.realm}, "username": {v.user}, "password": {demo.UserPassword}, "next": {"/"}}
	status, body := m.try(v, http.MethodPost, "/signin", form.Encode())
	if status != http.StatusSeeOther {
		m.t.Fatalf("%s cannot sign in: %d %.300s", v.column, status, body)
	}
}

// try makes one request as a visitor. A stream is left as soon as it has begun.
func (m *matrix) try(v *visitor, method, path, body string) (status int, said string) {
	m.t.Helper()
	if method == http.MethodPost && !forPrograms(path) && path != "/signin" && v.user != "" {
		body += "&" + url.Values{views.PersonField: {v.realm + "/" + v.user}}.Encode() // as every form of a page has it
	}
	ctx, leave := context.WithCancel(m.t.Context())
	defer leave()
	r, err := http.NewRequestWithContext(ctx, method, m.server.URL+path, strings.NewReader(body))
	must(m.t, err)
	r.Header.Set("X-Request-Id", "matrix")
	client := v.browser
	if forPrograms(path) {
		client = http.DefaultClient
		r.Header.Set("Content-Type", "application/json")
		if v.token != "" {
			r.Header.Set("Authorization", "Bearer "+v.token)
		}
	} else {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	answer, err := client.Do(r)
	must(m.t, err)
	defer func() { _ = answer.Body.Close() }()
	if strings.HasPrefix(answer.Header.Get("Content-Type"), "text/event-stream") {
		return answer.StatusCode, ""
	}
	content, err := io.ReadAll(answer.Body)
	must(m.t, err)
	return answer.StatusCode, string(content)
}

func forPrograms(path string) bool {
	return strings.HasPrefix(path, "/api/") || strings.HasPrefix(path, "/clearing/") || strings.HasPrefix(path, "/.well-known/")
}

// subject is something of realm demo that a route is about.
type subject struct{ message, digest, document, change, order string }

// unknown is a subject whose ids name nothing.
func (s subject) unknown() subject {
	id := func() string { return uuid.Must(uuid.NewV7()).String() }
	return subject{message: id(), digest: s.digest, document: id(), change: id(), order: s.order}
}

// known is a payment that waits, its document and a change that waits. A request that could move the payment gets one of its own.
func (m *matrix) known(method string, v *visitor) subject {
	m.t.Helper()
	message := m.sent[rulebook.SchemeSIC]
	if method == http.MethodPost {
		message = m.house.Create(m.t, m.maker, rulebook.SchemeSIC)
		if v.stranger() {
			m.touched = append(m.touched, message.InternalID)
		}
	}
	return subject{
		message: message.InternalID.String(), digest: hex.EncodeToString(message.ContentHash[:]), document: m.document.String(),
		change: m.change.ID.String(), order: m.order(),
	}
}

// order is the body of a payment order that no rule refuses in realm demo. Each has ids of its own.
func (m *matrix) order() string {
	m.t.Helper()
	in := m.house.Order(rulebook.SchemeSIC)
	document, err := codec.EncodeJSON(in.Document)
	must(m.t, err)
	return `{"identifiers":{"externalId":"` + in.ExternalID + `-m"},"Document":` + string(document) + `}`
}

// at is an address with a subject in its places.
func (s subject) at(path string) string {
	if strings.HasPrefix(path, "/admin/changes/") {
		path = strings.ReplaceAll(path, ":id", ":changeId")
	}
	if strings.HasPrefix(path, "/api/common/v1/interface") || strings.HasPrefix(path, "/quarantine") {
		path = strings.ReplaceAll(path, ":id", s.document)
	}
	return strings.NewReplacer(
		":internalId", s.message, ":id", s.message, ":changeId", s.change, ":document", s.document, ":part", "timeline", ":kind", "user.create",
		":realm", demo.Realm, ":link", "no-link", "*", "nothing",
	).Replace(path)
}

// body is what a call or a decision in a form says about a subject. Other forms say nothing: who may not use them is refused before that.
func (s subject) body(path string) string {
	switch {
	case !forPrograms(path):
		return url.Values{"looked": {"First payment; Possible duplicate; New name; Unusual amount"}, "version": {"1"}, "contentHash": {s.digest}, "category": {"other"}, "reason": {"matrix"}}.Encode()
	case strings.HasSuffix(path, "/instruction/create"), strings.HasSuffix(path, "/instruction/validate"):
		return s.order
	case strings.HasSuffix(path, "/instruction/update"):
		_, document, _ := strings.Cut(s.order, `,"Document":`)
		return `{"identifiers":{"internalId":"` + s.message + `"},"Document":` + document
	case strings.HasSuffix(path, "/change/approval"):
		return `{"changeId":"` + s.change + `","ApprovalDetails":{"action":"reject","rejectReason":"matrix"}}`
	case strings.HasSuffix(path, "/bulk"):
		return `{"approvals":[{"identifiers":{"internalId":"` + s.message + `"},"ApprovalDetails":{"action":"approve","contentHash":"` +
			strings.Repeat("ab", 32) + `"}}]}`
	case strings.HasSuffix(path, "/approval"), strings.HasSuffix(path, "/approve"):
		return `{"identifiers":{"internalId":"` + s.message + `"},"ApprovalDetails":{"action":"approve"}}`
	case strings.HasSuffix(path, "/cancel"):
		return `{"identifiers":{"internalId":"` + s.message + `"}}`
	case strings.HasSuffix(path, "/recall/create"):
		return `{"identifiers":{"internalId":"` + s.message + `"},"RecallDetails":{"reason":"CUST"}}`
	case strings.HasSuffix(path, "/return/create"):
		return `{"identifiers":{"internalId":"` + s.message + `"},"ReturnDetails":{"reason":"CUST"}}`
	case strings.HasSuffix(path, "/resolution/create"):
		return `{"identifiers":{"internalId":"` + s.message + `","recallId":"` + s.message + `"},"ResolutionDetails":{"reason":"CUST"}}`
	}
	return "{}"
}

// anyID is what two answers about different unknown things may differ in: ids, times, and what is made anew for each page.
var anyID = regexp.MustCompile(`[0-9a-f]{32}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{4}-\d\d-\d\dT[0-9:.]+(Z|[+-]\d\d:\d\d)`)

// row tries one route as everybody, and each stranger a second time with an id that nothing has.
func (m *matrix) row(route request.Route, all []*visitor) (statuses []int) {
	m.t.Helper()
	for _, v := range all {
		if v.user != "" && !forPrograms(route.Path) {
			m.try(v, http.MethodGet, "/me", "") // shows what an earlier request left to be said
		}
		s := m.known(route.Method, v)
		status, said := m.try(v, route.Method, s.at(route.Path), s.body(route.Path))
		statuses = append(statuses, status)
		if !v.stranger() {
			continue
		}
		nothing := s.unknown()
		path, body := nothing.at(route.Path), nothing.body(route.Path)
		if path == s.at(route.Path) && body == s.body(route.Path) {
			continue // about nothing in particular
		}
		without, saidWithout := m.try(v, route.Method, path, body)
		said, saidWithout = anyID.ReplaceAllString(said, "…"), anyID.ReplaceAllString(saidWithout, "…")
		if status != without || said != saidWithout {
			m.t.Errorf("%s %s tells %s apart what is another realm's and what is not there: %d and %d\n%s",
				route.Method, route.Path, v.column, status, without, cmp.Diff(saidWithout, said))
		}
		if !strings.HasPrefix(route.Path, "/api/openapi") && strings.Contains(said, "Peter Haller") {
			m.t.Errorf("%s %s shows %s something of another realm: %.500s", route.Method, route.Path, v.column, said)
		}
	}
	return statuses
}

// notTried are the ends of sessions and sign-ins: after them the session is another one. Tests of their own are in web/portal.
var notTried = []string{"POST /signout", "POST /signin", "POST /me/sessions/end"}

// TestEveryRoleAtEveryAddress holds to a file what every role, of the realm and of another, gets at every address of the route table.
// A new address is a decision about each role.
func TestEveryRoleAtEveryAddress(t *testing.T) {
	t.Parallel()
	m := &matrix{product: openProduct(t)}
	m.begin()
	all := visitors()
	var table strings.Builder
	fmt.Fprintf(&table, "%-76s", "")
	for _, v := range all {
		m.enter(v)
		fmt.Fprintf(&table, " %s |", v.column)
	}
	table.WriteString("\n")
	for _, route := range m.routes {
		name := route.Method + " " + route.Path
		if slices.Contains(notTried, name) {
			fmt.Fprintf(&table, "%-76s not tried\n", name)
			continue
		}
		statuses := m.row(route, all)
		checkRow(t, route, statuses)
		fmt.Fprintf(&table, "%-76s", name)
		for i, status := range statuses {
			fmt.Fprintf(&table, " %-*d |", len(all[i].column), status)
		}
		table.WriteString("\n")
	}
	m.nothingMovedByStrangers()
	file := filepath.Join("testdata", "matrix.golden")
	if *update {
		must(t, os.WriteFile(file, []byte(table.String()), 0o600))
		return
	}
	want, err := os.ReadFile(file)
	must(t, err)
	if diff := cmp.Diff(string(want), table.String()); diff != "" {
		t.Errorf("who gets what where differs (-want +got; after a decision: go test ./web -run %s -update):\n%s", t.Name(), diff)
	}
	m.house.CheckInvariants(t)
}

// checkRow holds what no golden file may say otherwise: without a sign-in nothing is done or shown behind a guarded door, administrators
// move no payment, and nobody else moves rights.
func checkRow(t *testing.T, route request.Route, statuses []int) {
	t.Helper()
	nobody, admin := statuses[0], statuses[5]
	open := []string{
		"/livez", "/readyz", "/static/", "/api/openapi", "/api/docs", "/api/auth/", "/.well-known/", "/signin", "/signout", "/signedout",
		"/set-up/",
	}
	guarded := !slices.ContainsFunc(open, func(prefix string) bool { return strings.HasPrefix(route.Path, prefix) })
	switch {
	case !guarded:
	case route.Stream && nobody == http.StatusNoContent:
	case nobody == http.StatusSeeOther && !forPrograms(route.Path) && route.Method == http.MethodGet: // to the page that signs in
	case nobody != http.StatusUnauthorized:
		t.Errorf("%s %s: nobody gets %d", route.Method, route.Path, nobody)
	}
	money := route.Method == http.MethodPost && strings.Contains(route.Path, "-inst/v1/") && strings.HasPrefix(route.Path, "/api/")
	refused := []int{http.StatusForbidden, http.StatusBadRequest} // 400: the path is not that of the message's kind or scheme
	if money && !slices.Contains(refused, admin) {
		t.Errorf("%s %s: an administrator gets %d", route.Method, route.Path, admin)
	}
	for _, i := range []int{1, 2, 3, 4, 6, 7} {
		rights := strings.HasPrefix(route.Path, "/api/admin/") || strings.HasPrefix(route.Path, "/admin")
		if rights && statuses[i] != http.StatusForbidden && statuses[i] != http.StatusNotFound {
			t.Errorf("%s %s: column %d gets %d", route.Method, route.Path, i, statuses[i])
		}
	}
}

// begin finds what the routes are about: a document, and a change that one administrator asks for and that waits.
func (m *matrix) begin() {
	m.t.Helper()
	m.maker = m.house.Principal(m.t, servicetest.Door{Realm: demo.Realm, Name: "maker1", Client: demo.Backoffice, Channel: "api"})
	must(m.t, m.house.DB.Owner(m.t).QueryRow(
		m.t.Context(), "SELECT document_id FROM document WHERE realm = $1 ORDER BY document_id LIMIT 1", demo.Realm,
	).Scan(&m.document))
	made, err := m.house.Admin.Request(m.t.Context(), m.house.Person(m.t, "admin2"), service.RequestInput{
		Kind: administration.KindUserSuppress, Subject: "maker2", Values: administration.Values{},
	})
	must(m.t, err)
	m.change = made.Change
}

// nothingMovedByStrangers looks at every message whose id strangers had.
func (m *matrix) nothingMovedByStrangers() {
	m.t.Helper()
	for _, id := range m.touched {
		message, err := m.house.Reader.Message(m.t.Context(), demo.Realm, id)
		must(m.t, err)
		if message.State != payment.StateApprovalPending || message.Approvals() > 0 {
			m.t.Errorf("somebody of another realm moved %s: it is %s", id, message.State)
		}
	}
}
