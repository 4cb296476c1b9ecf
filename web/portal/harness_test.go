package portal_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"countersign/internal/demo"
	"countersign/internal/payment"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
	"countersign/internal/testutil"
	"countersign/views"
	"countersign/web/portal"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// bench is the portal of a gateway of its own.
type bench struct {
	*servicetest.Env
	t      *testing.T
	server *httptest.Server
	log    *testutil.Log
	config portal.Config
}

func setup(t *testing.T) *bench {
	t.Helper()
	return setupOn(t, nil)
}

// setupOn is setup on a database that is opened in a way of its own; nil for the usual one.
func setupOn(t *testing.T, open func(*storetest.DB) *store.Database) *bench {
	t.Helper()
	return setupWith(t, servicetest.Options{Database: open})
}

// setupWith is setup of a gateway with options; clock and log are set.
func setupWith(t *testing.T, options servicetest.Options) *bench {
	t.Helper()
	b := &bench{t: t, log: &testutil.Log{}}
	log := slog.New(slog.NewTextHandler(b.log, nil))
	options.Now, options.Log = time.Now, log
	b.Env = servicetest.With(t, options)
	b.configure(log)
	return b
}

// beside is another instance of the same service: on the same database, with connections of its own and nothing remembered.
func (b *bench) beside() *bench {
	b.t.Helper()
	other := &bench{t: b.t, log: &testutil.Log{}}
	log := slog.New(slog.NewTextHandler(other.log, nil))
	other.Env = servicetest.On(b.t, b.DB, servicetest.Options{
		Now: time.Now, Log: log, Database: func(db *storetest.DB) *store.Database { return db.Open(b.t, db.Seal) },
	})
	other.configure(log)
	return other
}

// configure serves the portal of the bench's gateway.
func (b *bench) configure(log *slog.Logger) {
	b.t.Helper()
	b.config = portal.Config{
		Auth: b.Auth, Submission: b.Submission, Approval: b.Approval, Admin: b.Admin, Reader: b.Reader,
		Webhooks: b.Webhooks, Notices: b.Notices, Drafts: b.Drafts, Desk: b.Desk,
		Sessions: b.Sessions, Rules: b.Rules, Now: time.Now, NewID: service.NewID, Zone: b.Zone, Log: log, Environment: "TEST", Realm: "demo",
		EventsPause: 20 * time.Millisecond, Clearing: b.Clearing, Connections: b.Clearing.Connections, Verify: b.VerifyTrail(), Evidence: b.Evidence(),
	}
	b.serve()
}

// serve starts a server with the bench's configuration.
func (b *bench) serve() {
	b.t.Helper()
	p, err := portal.New(b.config)
	if err != nil {
		b.t.Fatal(err)
	}
	e := echo.New()
	for _, route := range p.Routes() {
		e.Add(route.Method, route.Path, route.Handle, p.Sessions())
	}
	b.server = httptest.NewServer(e)
	b.t.Cleanup(b.server.Close)
}

// withTLS is the same portal for browsers that reach it by https.
func (b *bench) withTLS() *bench {
	secure := *b
	secure.config.TLS = true
	secure.serve()
	return &secure
}

// browser is one person's browser: it keeps cookies and follows no redirect by itself.
type browser struct {
	b      *bench
	client *http.Client
	htmx   bool
	header http.Header
	person string // who signed in last, as forms carry it
}

func (b *bench) browser() *browser {
	jar, err := cookiejar.New(nil)
	if err != nil {
		b.t.Fatal(err)
	}
	return &browser{b: b, header: http.Header{}, client: &http.Client{
		Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// as is a browser in which the person of realm demo is signed in.
func (b *bench) as(name string) *browser { return b.asIn("demo", name) }

func (b *bench) asIn(realm, name string) *browser {
	b.t.Helper()
	w := b.browser()
	got := w.post("/signin", url.Values{"realm": {realm}, "username": {name}, "password": {demo.UserPassword}, "next": {"/"}})
	got.is(http.StatusSeeOther)
	return w
}

// marked adds to a form that a test makes by hand whose page it stands on, as every form of a page has it.
func (w *browser) marked(path, kind string, body io.Reader) (string, io.Reader) {
	switch {
	case strings.HasPrefix(kind, "multipart/") && !strings.Contains(path, views.PersonField+"="):
		separator := "?"
		if strings.Contains(path, "?") {
			separator = "&"
		}
		return path + separator + url.Values{views.PersonField: {w.person}}.Encode(), body
	case !strings.HasPrefix(kind, "application/x-www-form-urlencoded"):
		return path, body
	}
	content, err := io.ReadAll(body)
	if err != nil {
		w.b.t.Fatal(err)
	}
	form, err := url.ParseQuery(string(content))
	switch {
	case err != nil:
	case strings.HasPrefix(path, "/signin") && form.Get("username") != "":
		w.person = form.Get("realm") + "/" + form.Get("username")
	case !form.Has(views.PersonField):
		form.Set(views.PersonField, w.person)
		content = []byte(form.Encode())
	}
	return path, bytes.NewReader(content)
}

// withHTMX is the same browser as htmx asks.
func (w *browser) withHTMX() *browser {
	return &browser{b: w.b, client: w.client, htmx: true, header: w.header, person: w.person}
}

// answer is what came back.
type answer struct {
	t        *testing.T
	what     string
	status   int
	header   http.Header
	text     string
	location string
	page     *goquery.Document
}

func (w *browser) get(path string) answer {
	w.b.t.Helper()
	return w.send(http.MethodGet, path, "", nil)
}

func (w *browser) post(path string, form url.Values) answer {
	w.b.t.Helper()
	return w.send(http.MethodPost, path, "application/x-www-form-urlencoded", strings.NewReader(form.Encode()))
}

func (w *browser) send(method, path, kind string, body io.Reader) answer {
	t := w.b.t
	t.Helper()
	if method == http.MethodPost {
		path, body = w.marked(path, kind, body)
	}
	r, err := http.NewRequestWithContext(context.Background(), method, w.b.server.URL+path, body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header = w.header.Clone()
	if kind != "" {
		r.Header.Set("Content-Type", kind)
	}
	if w.htmx {
		r.Header.Set("HX-Request", "true")
	}
	response, err := w.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	page, err := goquery.NewDocumentFromReader(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	got := answer{
		t: t, what: method + " " + path, status: response.StatusCode, header: response.Header, text: string(content), page: page,
		location: response.Header.Get("Location"),
	}
	if got.status == http.StatusInternalServerError {
		t.Errorf("%s answered 500; the log says:\n%s", got.what, w.b.log)
	}
	return got
}

// is fails the test unless the status is the wanted one.
func (a answer) is(status int) answer {
	a.t.Helper()
	if a.status != status {
		a.t.Fatalf("%s answered %d, want %d; problems %q; location %q\n%s", a.what, a.status, status, a.problems(), a.location, a.main())
	}
	return a
}

func (a answer) main() string {
	return strings.Join(strings.Fields(a.page.Find("main").Text()), " ")
}

// goesTo fails the test unless the answer leads to a path with the prefix; it returns the whole path.
func (a answer) goesTo(prefix string) string {
	a.t.Helper()
	a.is(http.StatusSeeOther)
	if !strings.HasPrefix(a.location, prefix) {
		a.t.Fatalf("%s leads to %s, want %s…", a.what, a.location, prefix)
	}
	return a.location
}

// says fails the test unless the readable text holds the sentence.
func (a answer) says(sentence string) answer {
	a.t.Helper()
	if !strings.Contains(strings.Join(strings.Fields(a.page.Text()), " "), sentence) {
		a.t.Errorf("%s does not say %q:\n%s", a.what, sentence, a.main())
	}
	return a
}

// problems are the sentences of the error summary.
func (a answer) problems() []string {
	var list []string
	a.page.Find(".error-summary li").Each(func(_ int, item *goquery.Selection) {
		list = append(list, strings.Join(strings.Fields(item.Text()), " "))
	})
	return list
}

// fields are all fields of the form that sends to the action, as a browser sends them with the warnings confirmed.
func (a answer) fields(action string) url.Values {
	a.t.Helper()
	form := a.page.Find("form").FilterFunction(func(_ int, f *goquery.Selection) bool {
		return strings.HasPrefix(f.AttrOr("action", ""), action)
	}).First()
	if form.Length() == 0 {
		a.t.Fatalf("%s has no form for %s", a.what, action)
	}
	values := url.Values{}
	form.Find("input").Each(func(_ int, input *goquery.Selection) {
		kind := input.AttrOr("type", "text")
		_, checked := input.Attr("checked")
		if (kind == "radio" || kind == "checkbox") && !checked && input.AttrOr("id", "") != "looked" {
			return
		}
		values.Set(input.AttrOr("name", ""), input.AttrOr("value", ""))
	})
	form.Find("textarea").Each(func(_ int, area *goquery.Selection) { values.Set(area.AttrOr("name", ""), area.Text()) })
	form.Find("select").Each(func(_ int, list *goquery.Selection) {
		chosen := list.Find("option[selected]")
		if chosen.Length() == 0 {
			chosen = list.Find("option").First()
		}
		values.Set(list.AttrOr("name", ""), chosen.AttrOr("value", ""))
	})
	return values
}

// filled is the payment form with a Swiss payment in it that nothing is wrong with.
func filled() url.Values {
	return url.Values{
		"act": {"check"}, "scheme": {"sic-inst"}, "debtorAccount": {"CH5021977000004331346"}, "creditorName": {"Beispiel Holzbau GmbH"},
		"creditorIban": {"ch48 2196 6000 0096 1338 8"}, "addressKind": {"structured"}, "street": {"Seestrasse"}, "buildingNumber": {"41"},
		"postcode": {"8002"}, "town": {"Zürich"}, "country": {"CH"}, "amount": {"1'234.50"}, "remittanceKind": {"text"},
		"remittanceText": {"Rechnung 1107"}, "endToEndId": {"E2E-1"},
	}
}

func with(form url.Values, pairs ...string) url.Values {
	changed := url.Values{}
	for name, values := range form {
		changed[name] = values
	}
	for i := 0; i < len(pairs); i += 2 {
		changed.Set(pairs[i], pairs[i+1])
	}
	return changed
}

// shown is what the button of a check page sends, with answers of its own.
func (w *browser) shown(check string, answers ...string) url.Values {
	w.b.t.Helper()
	return with(w.get(check).is(http.StatusOK).fields(strings.TrimSuffix(check, "check")+"submit"), answers...)
}

// submit takes a form all the way and returns the message it became.
func (w *browser) submit(form url.Values) payment.Message {
	t := w.b.t
	t.Helper()
	check := w.post("/payments/new", form).goesTo("/payments/")
	page := w.get(check).is(http.StatusOK)
	action, _ := page.page.Find("main form").Attr("action")
	done := w.post(action, page.fields(action)).goesTo("/payments/")
	w.get(done).is(http.StatusOK)
	return w.b.message("demo", strings.Split(done, "/")[2])
}

func (b *bench) message(realm, id string) payment.Message {
	b.t.Helper()
	m, err := b.Reader.Message(context.Background(), realm, uuid.MustParse(id))
	if err != nil {
		b.t.Fatal(err)
	}
	return m
}

// count asks the database for a number.
func (b *bench) count(query string, arguments ...any) int {
	b.t.Helper()
	var n int
	err := b.DB.Owner(b.t).QueryRow(context.Background(), query, arguments...).Scan(&n)
	if err != nil {
		b.t.Fatal(err)
	}
	return n
}

// change changes the database as its owner. A statement may set session_replication_role, to get past the guards.
func (b *bench) change(statement string) {
	b.t.Helper()
	_, err := b.DB.Owner(b.t).Exec(context.Background(), statement+"; RESET session_replication_role")
	if err != nil {
		b.t.Fatal(err)
	}
}

func hash(m payment.Message) string { return hex.EncodeToString(m.ContentHash[:]) }
