package web_test

import (
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"countersign/internal/store"
	"countersign/internal/store/storetest"
	"countersign/web/webtest"
)

// setupCompared is the whole gateway. It compares its clock with that of the database from the moment that the test says so.
func setupCompared(t *testing.T) (b *bundle, compared *atomic.Bool) {
	t.Helper()
	compared = &atomic.Bool{}
	b = setupWith(t, webtest.Options{Database: func(db *storetest.DB, log *slog.Logger) *store.Database {
		database, err := store.Open(t.Context(), store.Config{
			URL: db.URL, Seal: db.Seal, TokenKeys: storetest.Keys(t), Log: log, Now: func() time.Time {
				if compared.Load() {
					return b.Clock.Now()
				}
				return time.Now()
			},
		})
		must(t, err)
		t.Cleanup(database.Close)
		return database
	}})
	return b, compared
}

// attacks are the calls that a wrong clock would let through, with tokens that ended an hour ago: a waiting payment and one prepared for the
// day after tomorrow are there.
func (b *bundle) attacks(t *testing.T) map[string]webtest.Call {
	t.Helper()
	bearer := func(token string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token) }
	}
	b.Clock.Set(time.Now().Add(-time.Hour))
	maker, checker, admin := b.Token(t, webtest.Maker1), b.Token(t, webtest.Checker1), b.Token(t, webtest.Admin1)
	b.SignOut()
	b.Clock.Set(time.Now())
	created := func(days int) string {
		day := time.Now().AddDate(0, 0, days).In(b.Zone).Format(time.DateOnly)
		body := strings.Replace(webtest.Order(webtest.Sample), `"Dt":"2026-11-20"`, `"Dt":"`+day+`"`, 1)
		a := b.Send(t, webtest.Call{Path: webtest.CreateSwiss, Who: webtest.Maker1, Body: body})
		if a.Status != http.StatusOK {
			t.Fatalf("create: %d %s", a.Status, a.Body)
		}
		return a.Text("identifiers", "internalId")
	}
	waits, prepared := created(0), created(2)
	a := b.Send(t, webtest.Call{Path: webtest.ApprovePath, Who: webtest.Checker1, Body: webtest.Verdict(prepared, "approve")})
	if a.Status != http.StatusOK {
		t.Fatalf("approve a prepared payment: %d %s", a.Status, a.Body)
	}
	const right = `{"kind":"user.roles","subject":"maker2","values":{"roles":["maker","checker"]}}`
	return map[string]webtest.Call{
		"read":     {Method: http.MethodGet, Path: "/api/common/v1/transaction/" + waits, Change: bearer(maker)},
		"approve":  {Path: webtest.ApprovePath, Body: webtest.Verdict(waits, "approve"), Change: bearer(checker)},
		"right":    {Path: "/api/admin/v1/change/create", Body: right, Change: bearer(admin)},
		"clearing": webtest.ClearingCall(webtest.StatusReport(t, "sic-inst_04_pacs.002.001.10_ACSC.xml", "DM00000000000000"), nil),
		"ready":    webtest.Get("/readyz", webtest.Nobody),
	}
}

// TestAGatewayWithAWrongClockDoesNothing: the clock of a gateway is behind that of the database, then ahead. Behind, a token that ended would
// count again, and a right given now would be older than a payment that waits. Ahead, a payment would expire early, and a prepared one would
// leave before its day. No request is answered, nothing changes, and all works again with the right clock.
func TestAGatewayWithAWrongClockDoesNothing(t *testing.T) {
	t.Parallel()
	b, compared := setupCompared(t)
	calls := b.attacks(t)
	compared.Store(true)
	before := b.state(t)
	for _, wrong := range []time.Duration{-time.Hour, 48 * time.Hour, -6 * time.Second, time.Minute} {
		for name, c := range calls {
			b.Clock.Set(time.Now().Add(wrong)) // it stands, and a busy machine is slow
			a := b.Send(t, c)
			if a.Status != http.StatusServiceUnavailable || name == "ready" && a.Text("database") != "wrong clock" {
				t.Errorf("%s by a clock that is wrong by %s: %d %s", name, wrong, a.Status, a.Body)
			}
		}
		b.Clearing.RunOnce(t.Context())
		if after := b.state(t); after != before {
			t.Errorf("by a clock that is wrong by %s\n%s became\n%s", wrong, before, after)
		}
		if ahead := b.Database.ClockOffset(); (ahead+wrong).Abs() > time.Minute && wrong.Abs() >= time.Hour {
			t.Errorf("the metric of a clock that is wrong by %s: %s", wrong, ahead)
		}
	}
	if !strings.Contains(b.Log.String(), "the clocks of gateway and database differ") {
		t.Error("the log does not name the clocks")
	}
	for name, want := range map[string]int{"ready": http.StatusOK, "read": http.StatusUnauthorized} {
		b.Clock.Set(time.Now())
		if a := b.Send(t, calls[name]); a.Status != want {
			t.Errorf("%s with the right clock: %d %s", name, a.Status, a.Body)
		}
	}
}

// state is the payments with their states, and the number of rows of the trail and of changes.
func (b *bundle) state(t *testing.T) (state string) {
	t.Helper()
	must(t, b.DB.Owner(t).QueryRow(t.Context(), `SELECT (SELECT string_agg(state, ', ' ORDER BY message_id) FROM message)
		|| '; ' || (SELECT count(*) FROM audit_event) || ' rows, ' || (SELECT count(*) FROM realm_change) || ' changes'`).Scan(&state))
	return state
}
