package web_test

import (
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"countersign/internal/payee"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
	"countersign/web"
	"countersign/web/vop"
	"countersign/web/webtest"
)

// bankToken is that of a bank that may ask about payees.
const bankToken = "token-of-another-bank"

// setupBehind is the whole server behind a line to its database that the test can cut.
func setupBehind(t *testing.T) (b *bundle, l *storetest.Line) {
	t.Helper()
	asking := web.Settings{Requesters: []vop.Requester{vop.NewRequester(vop.AnyBank, bankToken)}}
	b = setupWith(t, webtest.Options{Settings: asking, Database: func(db *storetest.DB, log *slog.Logger) *store.Database {
		var throughURL string
		l, throughURL = db.Relay(t)
		database, err := store.Open(t.Context(), store.Config{URL: throughURL, Seal: db.Seal, TokenKeys: storetest.Keys(t), Log: log})
		must(t, err)
		t.Cleanup(database.Close)
		return database
	}})
	return b, l
}

// TestWithoutItsDatabaseEveryCallAsksToWait cuts the line to the database: every door says 503 with Retry-After, the log says it once,
// and all is well as soon as the line is back.
func TestWithoutItsDatabaseEveryCallAsksToWait(t *testing.T) {
	t.Parallel()
	b, l := setupBehind(t)
	id := b.Send(t, webtest.Call{Path: webtest.CreateSwiss, Who: webtest.Maker1, Body: webtest.Order(webtest.Sample)}).Text(
		"identifiers", "internalId",
	)
	for _, who := range []webtest.Person{webtest.Checker1, webtest.Supervisor1} {
		b.Token(t, who)
	}
	l.Cut()
	const form = "application/x-www-form-urlencoded"
	login := "grant_type=password&client_id=demo-backoffice&client_secret=demo-secret&username=maker1&password=countersign-demo"
	calls := map[string]webtest.Call{
		"create": {
			Path: webtest.CreateSwiss, Who: webtest.Maker1, Body: webtest.Order(webtest.Sample),
		},
		"approve":  {Path: webtest.ApprovePath, Who: webtest.Checker1, Body: webtest.Verdict(id, "approve")},
		"list":     webtest.Get(webtest.ListPath, webtest.Supervisor1),
		"read":     webtest.Get("/api/common/v1/transaction/"+id, webtest.Maker1),
		"login":    {Path: "/api/auth/v1/realms/demo/login", Kind: form, Body: login},
		"readyz":   webtest.Get("/readyz", webtest.Nobody),
		"clearing": webtest.ClearingCall(webtest.StatusReport(t, "sic-inst_04_pacs.002.001.10_ACSC.xml", "DM00000000000000"), nil),
		"payee": {
			Path: payee.Path, Body: `{"party":{"name":"Muster GmbH"},"partyAccount":{"iban":"DE62007620110623852957"},
				"partyAgent":{"financialInstitutionId":{"bicfi":"AAAADEFFXXX"}},"requestingAgent":{"financialInstitutionId":{"bicfi":"BBBBFRPPXXX"}}}`,
			Change: func(r *http.Request) {
				r.Header.Set("Authorization", "Bearer "+bankToken)
				r.Header.Set(payee.RequestID, "019b0a50-0000-7000-8000-00000000000a")
				r.Header.Set(payee.RequestTimestamp, payee.Timestamp(b.Clock.Now()))
			},
		},
		"metadata": webtest.Get("/.well-known/oauth-authorization-server/api/auth/v1/realms/demo", webtest.Nobody),
		"unknown token": {Method: http.MethodGet, Path: webtest.ListPath, Change: func(r *http.Request) {
			r.Header.Set("Authorization", "Bearer demo."+strings.Repeat("A", 43))
		}},
	}
	for range 5 {
		for name, c := range calls {
			a := b.Send(t, c)
			wantsCode := name != "readyz"
			if a.Status != http.StatusServiceUnavailable || wantsCode && a.Text("errorCode") != "503_UNAVAILABLE" ||
				a.Header.Get("Retry-After") == "" {
				t.Errorf("%s: %d, Retry-After %q, %s", name, a.Status, a.Header.Get("Retry-After"), a.Body)
			}
		}
	}
	if lines := strings.Count(b.Log.String(), `"level":"ERROR"`); lines != 1 {
		t.Errorf("the log has %d errors for one outage:\n%s", lines, b.Log.String())
	}
	l.Connect(t)
	if a := b.Send(t, calls["approve"]); a.Status != http.StatusOK {
		t.Errorf("with the database back: %d %s", a.Status, a.Body)
	}
	if !strings.Contains(b.Log.String(), "the database is available again") {
		t.Error("the log does not say that the database is back")
	}
}

// TestABrokenCommitIsNotCalledAFailure: what was being stored when the connection broke may have been stored. The caller is told so,
// and the same request again finds out.
func TestABrokenCommitIsNotCalledAFailure(t *testing.T) {
	t.Parallel()
	b, l := setupBehind(t)
	b.Token(t, webtest.Maker1)
	b.Send(t, webtest.Get(webtest.ListPath, webtest.Maker1)) // the token is known now, so that the next commit is the order's
	l.LoseCommits(true)
	body := webtest.Order(webtest.Sample)
	a := b.Send(t, webtest.Call{Path: webtest.CreateSwiss, Who: webtest.Maker1, Body: body})
	if a.Status != http.StatusBadRequest || !strings.Contains(a.Text("error", "message"), "not known") {
		t.Fatalf("%d %s\n%s", a.Status, a.Body, b.Log.String())
	}
	l.LoseCommits(false)
	var stored int
	must(t, b.DB.Owner(t).QueryRow(t.Context(), "SELECT count(*) FROM message").Scan(&stored))
	if stored != 1 {
		t.Fatalf("%d messages are stored: the test did not lose the answer of a commit", stored)
	}
	if again := b.Send(t, webtest.Call{Path: webtest.CreateSwiss, Who: webtest.Maker1, Body: body}); again.Status != http.StatusOK ||
		again.Header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("the same again: %d %s", again.Status, again.Body)
	}
}
