package web_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"countersign/internal/observability"
	"countersign/internal/rulebook"
	"countersign/internal/store"
	"countersign/internal/store/integrity"
	"countersign/internal/store/storetest"
	"countersign/internal/testutil"
	"countersign/web/webtest"
)

// measured is the usual gateway whose metrics a test reads, after a payment was made, approved and sent.
func measured(t *testing.T) (b *bundle, id uuid.UUID, read func() string) {
	t.Helper()
	m := observability.New()
	b = setupWith(t, webtest.Options{Database: func(db *storetest.DB, log *slog.Logger) *store.Database {
		log = slog.New(m.CountAlarms(log.Handler()))
		database, err := store.Open(t.Context(), store.Config{URL: db.URL, Seal: db.Seal, TokenKeys: storetest.Keys(t), Log: log, Metrics: m})
		must(t, err)
		t.Cleanup(database.Close)
		return database
	}})
	b.Service.Measure(t.Context())
	text := b.Send(t, webtest.Call{Path: webtest.CreateSwiss, Who: webtest.Maker1, Body: webtest.Order(webtest.Sample)}).Text(
		"identifiers", "internalId",
	)
	id, err := uuid.Parse(text)
	must(t, err)
	if a := b.Send(
		t, webtest.Call{Path: webtest.ApprovePath, Who: webtest.Checker1, Body: webtest.Verdict(text, "approve")},
	); a.Status != http.StatusOK {
		t.Fatal(a.Body)
	}
	return b, id, func() string {
		recorder := httptest.NewRecorder()
		m.Handler().ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/metrics", nil))
		if recorder.Code != http.StatusOK {
			t.Fatalf("%d %s", recorder.Code, recorder.Body)
		}
		return recorder.Body.String()
	}
}

// TestTheMetricsCountWhatHappens follows a payment through them, and looks that they hold nothing of whom it is about.
func TestTheMetricsCountWhatHappens(t *testing.T) {
	t.Parallel()
	b, id, read := measured(t)
	wantLines(
		t, read(),
		`countersign_messages{scheme="sic-inst",state="undelivered"} 1`,
		`countersign_messages{scheme="sct-inst",state="in flight"} 0`,
	)
	must(t, b.Clearing.Send(t.Context(), rulebook.SchemeSIC, "demo", id))
	b.Database.Log().Error("a seal does not fit", slog.Bool("alarm", true))
	text := read()
	wantLines(t, text,
		`countersign_message_moves_total{action="submit",kind="instruction",scheme="sic-inst"} 1`,
		`countersign_message_moves_total{action="approve",kind="instruction",scheme="sic-inst"} 1`,
		`countersign_message_leg_seconds_count{action="deliver",scheme="sic-inst"} 1`,
		`countersign_delivery_duration_seconds_count{outcome="taken",scheme="sic-inst"} 1`,
		`countersign_request_duration_seconds_count{method="POST",route="`+webtest.CreateSwiss+`",status="200"} 1`,
		`countersign_messages{scheme="sic-inst",state="undelivered"} 0`, `countersign_messages{scheme="sic-inst",state="in flight"} 1`,
		`countersign_clearing_connected{scheme="sct-inst"} 1`, `countersign_alarms_total 1`,
	)
	b.Clock.Add(13 * time.Second) // and no clock that runs
	wantLines(t, read(), `countersign_in_flight_age_seconds{scheme="sic-inst"} 13`, `countersign_in_flight_age_seconds{scheme="sct-inst"} 0`)
	b.Clearing.RunOnce(t.Context())
	wantLines(t, read(), `countersign_in_flight_age_seconds{scheme="sic-inst"} 0`)
	for _, secret := range []string{"demo", "maker1", "CH4821966000009613388", "Haller"} {
		if strings.Contains(text, secret) {
			t.Errorf("the metrics hold %q", secret)
		}
	}
}

// TestACallerThatHungUpIsNoFaultOfOurs: what a client broke off counts neither as an outage nor as an error of the program.
func TestACallerThatHungUpIsNoFaultOfOurs(t *testing.T) {
	t.Parallel()
	b, id, read := measured(t)
	ctx, hangUp := context.WithCancel(t.Context())
	hangUp()
	call := webtest.Get("/api/common/v1/transaction/"+id.String(), webtest.Maker1)
	call.Change = func(r *http.Request) { *r = *r.WithContext(ctx) }
	b.Send(t, call)
	wantLines(t, read(),
		`countersign_request_duration_seconds_count{method="GET",route="/api/common/v1/transaction/:internalId",status="499"} 1`)
	if log := b.Log.String(); !strings.Contains(log, `"status":499`) || strings.Contains(log, `"status":503`) ||
		strings.Contains(log, `"level":"ERROR"`) {
		t.Errorf("the log blames the program:\n%s", log)
	}
	cut, end := context.WithCancelCause(t.Context())
	end(errors.New("the program ends")) // as Serve cuts off what is not done when it must end
	call.Change = func(r *http.Request) { *r = *r.WithContext(cut) }
	b.Send(t, call)
	wantLines(t, read(),
		`countersign_request_duration_seconds_count{method="GET",route="/api/common/v1/transaction/:internalId",status="503"} 1`)
}

// TestAHundredScrapesAtATimeReadTwoAtATime: a client that scrapes more often than the gateway reads is asked to come again.
func TestAHundredScrapesAtATimeReadTwoAtATime(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	m := observability.New()
	var reading, most, read, later atomic.Int64
	goOn := make(chan struct{})
	gauge := observability.Gauge{Name: "countersign_slow", Help: "Read slowly."}
	m.Read(t.Context(), []observability.Gauge{gauge}, func(context.Context) []observability.Sample {
		now := reading.Add(1)
		defer reading.Add(-1)
		most.Store(max(most.Load(), now))
		<-goOn
		return []observability.Sample{{Gauge: gauge.Name, Value: 1}}
	})
	handler := m.Handler()
	var scrapes sync.WaitGroup
	for range 100 {
		scrapes.Go(func() {
			recorder := httptest.NewRecorder()
			handler.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/metrics", nil))
			switch recorder.Code {
			case http.StatusOK:
				read.Add(1)
			case http.StatusServiceUnavailable:
				if later.Add(1) == 98 {
					close(goOn)
				}
			}
		})
	}
	scrapes.Wait()
	if most.Load() > 2 || read.Load() != 2 || later.Load() != 98 {
		t.Errorf("%d scrapes were read, %d at a time, and %d were asked to come again", read.Load(), most.Load(), later.Load())
	}
}

func wantLines(t *testing.T, text string, lines ...string) {
	t.Helper()
	for _, line := range lines {
		if !strings.Contains("\n"+text, "\n"+line+"\n") {
			t.Errorf("the metrics lack %s in\n%s", line, text)
		}
	}
}

// TestTheMetricsOfAlertsAndDashboardExist: a rule about a metric that was renamed would never fire.
func TestTheMetricsOfAlertsAndDashboardExist(t *testing.T) {
	t.Parallel()
	b, id, read := measured(t)
	must(t, b.Clearing.Send(t.Context(), rulebook.SchemeSIC, "demo", id))
	b.Service.CheckFile = filepath.Join(t.TempDir(), "check.json")
	must(t, integrity.Result{}.Add(integrity.Report{}, time.Now()).Write(b.Service.CheckFile))
	text := read()
	name := regexp.MustCompile(`countersign_[a-z_]+`)
	files := []string{"../deploy/alerts.yaml", "../deploy/grafana.json"} // the others name roles and databases
	named := 0
	for _, file := range files {
		content, err := os.ReadFile(file)
		must(t, err)
		for _, used := range name.FindAllString(string(content), -1) {
			named++
			if !strings.Contains(text, "\n"+used+"{") && !strings.Contains(text, "\n"+used+" ") {
				t.Errorf("%s names %s, which the gateway does not have", file, used)
			}
		}
	}
	if named < 20 {
		t.Errorf("%d metrics are named in %v", named, files)
	}
}
