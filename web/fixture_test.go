package web_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/gorillamux"
	"github.com/google/uuid"

	contract "countersign/api"
	"countersign/internal/approval"
	"countersign/internal/auth"
	"countersign/internal/clearing"
	"countersign/internal/demo"
	"countersign/internal/iso20022"
	"countersign/internal/iso20022/codec"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
	"countersign/internal/submission"
	"countersign/internal/testlog"
	"countersign/web"
	"countersign/web/api"
	"countersign/web/inbound"
)

func TestMain(m *testing.M) { storetest.Main(m) }

// clearingToken lets the tests in at the door of clearing.
const clearingToken = "test-clearing-token-kanarie"

// bundle is the whole server on a database of its own, with the demo's realms.
type bundle struct {
	t        *testing.T
	db       *storetest.DB
	messages *store.Messages
	server   *web.Server
	log      *testlog.Log
	clock    atomic.Int64 // Unix nanoseconds
	// impatient is how long the client of the next requests waits, in nanoseconds; 0 for as long as it takes.
	impatient atomic.Int64
	tokens    sync.Map // bearer tokens by who
	seal      payment.Sealer
	zone      *time.Location
	logger    *slog.Logger

	api      *api.API
	clearing *inbound.Door
	reader   *store.Reader
	auth     *auth.Station
	maker    *submission.Station
}

func parse(t *testing.T, id string) uuid.UUID {
	t.Helper()
	parsed, err := uuid.Parse(id)
	must(t, err)
	return parsed
}

func newID() uuid.UUID { return uuid.Must(uuid.NewV7()) }

func setup(t *testing.T) *bundle {
	t.Helper()
	db := storetest.New(t)
	return setupOn(t, db, func(*slog.Logger) *store.Database { return db.Database })
}

// setupOn is the whole server on the connections that open makes to a database.
func setupOn(t *testing.T, db *storetest.DB, open func(*slog.Logger) *store.Database) *bundle {
	t.Helper()
	b := &bundle{t: t, db: db, log: &testlog.Log{}}
	b.clock.Store(time.Date(2026, 11, 20, 9, 30, 0, 0, time.UTC).UnixNano())
	must(t, demo.Ensure(t.Context(), b.db.Provisioner(t)))
	log := slog.New(slog.NewJSONHandler(b.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	database := open(log)
	jobs, err := store.NewJobs(database, log)
	must(t, err)
	b.messages = store.NewMessages(database, jobs, newID)
	reader := store.NewReader(database)
	seal := b.db.Seal
	zone, err := time.LoadLocation("Europe/Zurich")
	must(t, err)
	b.seal, b.zone, b.logger = seal, zone, log
	signIn, err := auth.New(auth.Config{Database: database, Now: b.now, Keys: storetest.Keys(t), Log: log})
	must(t, err)
	b.auth, b.maker = signIn, submission.New(submission.Config{
		Messages: b.messages, Rules: rulebook.Settings{}, Seal: seal, Now: b.now, NewID: newID, Random: random, Zone: zone,
	})
	door, err := api.New(api.Config{
		Auth: signIn, Reader: reader, Now: b.now, Log: log,
		Submission: b.maker,
		Approval:   approval.New(approval.Config{Messages: b.messages, Rules: rulebook.Settings{}, Seal: seal, Now: b.now, Zone: zone}),
	})
	must(t, err)
	side, err := inbound.New(inbound.Config{
		Station: clearing.New(clearing.Config{
			Messages: b.messages, Network: network{}, Seal: seal, Now: b.now, NewID: newID, Random: random, Zone: zone, Log: log,
		}),
		Connections: []inbound.Connection{inbound.NewConnection(clearingToken, rulebook.SchemeSIC)},
		Now:         b.now,
	})
	must(t, err)
	b.api, b.clearing, b.reader = door, side, reader
	b.server, err = web.New(web.Config{
		API: door, Inbound: side, Database: database, Now: b.now, NewID: newID, Log: log,
		Connected: everywhere(), Environment: "TEST",
	})
	must(t, err)
	return b
}

// everywhere reaches the clearing of both schemes.
func everywhere() map[rulebook.Scheme]bool {
	return map[rulebook.Scheme]bool{rulebook.SchemeSIC: true, rulebook.SchemeSCT: true}
}

func random() (bits [4]byte) {
	_, _ = rand.Read(bits[:]) // never fails
	return bits
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (b *bundle) now() time.Time { return time.Unix(0, b.clock.Load()).UTC() }

// person is who asks: realm, client and user of the demo.
type person struct{ realm, client, user string }

var (
	maker1      = person{demo.Realm, demo.Backoffice, "maker1"}
	maker2      = person{demo.Realm, demo.Backoffice, "maker2"}
	checker1    = person{demo.Realm, demo.Backoffice, "checker1"}
	checker2    = person{demo.Realm, demo.Backoffice, "checker2"}
	both1       = person{demo.Realm, demo.Backoffice, "both1"}
	supervisor1 = person{demo.Realm, demo.Backoffice, "supervisor1"}
	admin1      = person{demo.Realm, demo.Backoffice, "admin1"}
	straight    = person{demo.Realm, demo.Straight, "maker1"}
	otherMaker  = person{demo.SecondRealm, demo.SecondClient, "maker1"}
	otherCheck  = person{demo.SecondRealm, demo.SecondClient, "checker1"}
	nobody      = person{}
)

// token signs a person in, once.
func (b *bundle) token(t *testing.T, who person) string {
	t.Helper()
	known, ok := b.tokens.Load(who)
	if ok {
		return known.(string)
	}
	form := url.Values{
		"grant_type": {"password"}, "client_id": {who.client}, "client_secret": {demo.ClientSecret},
		"username": {who.user}, "password": {demo.UserPassword},
	}
	answer := b.send(t, call{path: "/api/auth/v1/realms/" + who.realm + "/login", body: form.Encode(), kind: "application/x-www-form-urlencoded"})
	token, _ := answer.json["access_token"].(string)
	if token == "" {
		t.Fatalf("no token for %v: %d %s", who, answer.status, answer.body)
	}
	b.tokens.Store(who, token)
	return token
}

// call is one request. Without a method it is a POST.
type call struct {
	method, path, body, kind string
	who                      person
	change                   func(*http.Request)
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   string
	json   map[string]any
}

// send makes a request and holds its answer against the OpenAPI document.
func (b *bundle) send(t *testing.T, c call) answer {
	t.Helper()
	if c.method == "" {
		c.method = http.MethodPost
	}
	request := httptest.NewRequest(c.method, c.path, strings.NewReader(c.body))
	if c.kind == "" {
		c.kind = "application/json"
	}
	request.Header.Set("Content-Type", c.kind)
	request.Header.Set("X-Request-Id", "request-1")
	if c.who != nobody {
		request.Header.Set("Authorization", "Bearer "+b.token(t, c.who))
	}
	if c.change != nil {
		c.change(request)
	}
	if wait := time.Duration(b.impatient.Load()); wait > 0 {
		ctx, cancel := context.WithTimeout(request.Context(), wait)
		defer cancel()
		request = request.WithContext(ctx)
	}
	recorder := httptest.NewRecorder()
	b.server.Handler().ServeHTTP(recorder, request)
	a := answer{status: recorder.Code, header: recorder.Header(), body: recorder.Body.String()}
	if strings.HasPrefix(a.header.Get("Content-Type"), "application/json") {
		err := json.Unmarshal([]byte(a.body), &a.json)
		if err != nil {
			t.Errorf("%s %s: %v in %s", c.method, c.path, err, a.body)
		}
	}
	checkContract(t, request, a)
	checkReport(t, a)
	return a
}

// openAPI is the document with its router, loaded once.
var openAPI = sync.OnceValues(func() (routers.Router, error) {
	document, err := openapi3.NewLoader().LoadFromData(contract.Document)
	if err != nil {
		return nil, err
	}
	return gorillamux.NewRouter(document)
})

// checkContract holds an answer against the OpenAPI document. What is at no address of it must be a 404 or 405.
func checkContract(t *testing.T, request *http.Request, a answer) {
	t.Helper()
	router, err := openAPI()
	must(t, err)
	route, parameters, err := router.FindRoute(request)
	if err != nil {
		if a.status != http.StatusNotFound && a.status != http.StatusMethodNotAllowed && strings.HasPrefix(request.URL.Path, "/api/") &&
			!strings.HasPrefix(request.URL.Path, "/api/docs") {
			t.Errorf("%s %s is not in the OpenAPI document, but answers %d", request.Method, request.URL.Path, a.status)
		}
		return
	}
	scheme, has := parameters["scheme"]
	if has && scheme != "sic-inst" && scheme != "sct-inst" && a.status == http.StatusNotFound {
		return // the router of the document does not look at the values of parameters
	}
	options := &openapi3filter.Options{IncludeResponseStatus: true, AuthenticationFunc: openapi3filter.NoopAuthenticationFunc}
	options.ExcludeResponseBody = a.json == nil // the type and the status of other bodies are all there is to check
	err = openapi3filter.ValidateResponse(t.Context(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: request, PathParams: parameters, Route: route, Options: options},
		Status:                 a.status, Header: a.header, Body: io.NopCloser(strings.NewReader(a.body)), Options: options,
	})
	if err != nil {
		t.Errorf("%s %s answers %d, which is not as the OpenAPI document says: %v\n%s", request.Method, request.URL.Path, a.status, err, a.body)
	}
}

// checkReport holds the status report in an answer against the schema of pain.002.
func checkReport(t *testing.T, a answer) {
	t.Helper()
	report := a.at("message", "Document")
	if report == nil || a.at("message", "type") != nil {
		return
	}
	content, err := json.Marshal(report)
	must(t, err)
	_, findings := codec.DecodeJSON(content, "/message/Document", iso20022.Pain002V10)
	if len(findings) > 0 {
		t.Errorf("the status report is not valid: %v", findings)
	}
}

// rows counts what is stored about payments and tokens apart.
func (b *bundle) rows(t *testing.T) (count int) {
	t.Helper()
	connection := b.db.Connect(t)
	for _, table := range []string{
		"message", "message_version", "document", "decision", "release", "message_history", "audit_event", "creation_key", "inbox", "river.river_job",
	} {
		var n int
		must(t, connection.QueryRow(t.Context(), "SELECT count(*) FROM "+table).Scan(&n))
		count += n
	}
	return count
}

// at digs a value out of an answer.
func (a answer) at(path ...any) any {
	var value any = a.json
	for _, step := range path {
		switch key := step.(type) {
		case string:
			members, _ := value.(map[string]any)
			value = members[key]
		case int:
			list, _ := value.([]any)
			if key >= len(list) {
				return nil
			}
			value = list[key]
		}
	}
	return value
}

func (a answer) text(path ...any) string {
	text, _ := a.at(path...).(string)
	return text
}

// groupStatus is the status of the report in an answer.
func (a answer) groupStatus() string {
	return a.text("message", "Document", "CstmrPmtStsRpt", "OrgnlGrpInfAndSts", "GrpSts")
}
