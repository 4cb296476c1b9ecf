package api_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"countersign/internal/store"
	"countersign/internal/store/storetest"
	"countersign/web/webtest"
)

const eventPath = "/api/common/v1/event/list"

// types are the types of the events in an answer.
func types(a answer) []string {
	var list []string
	events, _ := a.At("events").([]any)
	for i := range events {
		list = append(list, strings.TrimPrefix(a.Text("events", i, "type"), "message."))
	}
	return list
}

// await reads the stream from its start until there are so many events: tests beside this one hold transactions of the same server open.
func (b *bundle) await(t *testing.T, events int) answer {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		a := b.Send(t, get(eventPath, supervisor1))
		if a.Status != http.StatusOK {
			t.Fatalf("%d %s", a.Status, a.Body)
		}
		if len(types(a)) >= events || time.Now().After(end) {
			return a
		}
	}
}

func TestEventsComeInOrderFromACursor(t *testing.T) {
	t.Parallel()
	b := setup(t)
	if a := b.Send(t, get(eventPath, supervisor1)); len(types(a)) != 0 || a.Text("next") != "" || a.At("more") != false {
		t.Errorf("an empty stream: %s", a.Body)
	}
	id := b.Created(t, maker1)
	b.Send(t, call{Path: approvePath, Who: checker1, Body: verdict(id, "approve")})
	a := b.Send(t, call{Path: createEuropean, Who: maker1, Body: order(europeanSample)})
	european := a.Text("identifiers", "internalId")
	b.Send(t, call{Path: approvePath, Who: checker1, Body: verdict(european, "reject", "rejectReason", "Twice.")})
	a = b.await(t, 4)
	if got := fmt.Sprint(types(a)); got != "[created approved created rejected]" {
		t.Fatalf("%s in %s", got, a.Body)
	}
	if a.Text("events", 1, "transaction", "internalId") != id || a.Text("events", 1, "transaction", "state") != "Approved" ||
		a.Text("events", 1, "transaction", "previousState") != "Approval Pending" || a.Text("events", 3, "transaction", "reason") != "Twice." {
		t.Error(a.Body)
	}
	if a.Text("next") != a.Text("events", 3, "id") || a.At("more") != false {
		t.Errorf("the end: %s", a.Body)
	}
	trail := b.Send(t, get("/api/common/v1/transaction/"+id+"/audit", supervisor1))
	if trail.Text("events", 1, "id") != a.Text("events", 1, "id") {
		t.Errorf("the audit trail has another id: %s", trail.Body)
	}
	var paged []string
	for query := "?limit=1"; ; {
		page := b.Send(t, get(eventPath+query, supervisor1))
		if len(types(page)) == 0 {
			break
		}
		paged = append(paged, types(page)...)
		query = "?limit=1&after=" + page.Text("next")
	}
	if fmt.Sprint(paged) != "[created approved created rejected]" {
		t.Errorf("page by page: %v", paged)
	}
	for query, want := range map[string]string{
		"?type=message.rejected":                        "[rejected]",
		"?type=message.created&type=message.approved":   "[created approved created]",
		"?scheme=sct-inst":                              "[created rejected]",
		"?scheme=sct-inst&kind=instruction&limit=1":     "[created]",
		"?kind=recall":                                  "[]",
		"?after=" + a.Text("events", 1, "id"):           "[created rejected]",
		"?after=latest":                                 "[]",
		"?limit=1&after=" + a.Text("next") + "&wait=1":  "[]",
		"?type=message.settled&limit=1000&kind=payment": "[]",
	} {
		page := b.Send(t, get(eventPath+query, supervisor1))
		if got := fmt.Sprint(types(page)); got != want || page.Text("next") == "" {
			t.Errorf("%s: %s in %s", query, got, page.Body)
		}
	}
}

// TestAnEventThatTheGatewayDidNotWriteIsNotInTheStream: the login of the service writes moves and rows of the audit trail by which a waiting
// payment is settled, with seals of another message. No reader and no webhook is sent such an event, and an alarm names it.
func TestAnEventThatTheGatewayDidNotWriteIsNotInTheStream(t *testing.T) {
	t.Parallel()
	b := &bundle{webtest.With(t, webtest.Options{Database: func(db *storetest.DB, log *slog.Logger) *store.Database {
		database, err := store.Open(t.Context(), store.Config{URL: db.URL, Seal: db.Seal, TokenKeys: storetest.Keys(t), Log: log})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(database.Close)
		return database
	}})}
	approved, waiting := b.Created(t, maker1), b.Created(t, maker1)
	b.Send(t, call{Path: approvePath, Who: checker1, Body: verdict(approved, "approve")})
	if got := fmt.Sprint(types(b.await(t, 3))); got != "[created created approved]" {
		t.Fatal(got)
	}
	app := b.DB.ConnectAsApplication(t, "demo")
	for _, statement := range []string{
		`INSERT INTO message_history SELECT (jsonb_populate_record(h, jsonb_build_object('message_id', $2::text))).*
			FROM message_history h WHERE message_id = $1 AND sequence = 2`,
		`INSERT INTO audit_event SELECT (jsonb_populate_record(a, jsonb_build_object('message_id', $2::text, 'event_id', move_event($2::uuid, 2)))).*
			FROM audit_event a WHERE message_id = $1 AND sequence = 2`,
	} {
		_, err := app.Exec(t.Context(), statement, approved, waiting)
		if err != nil {
			t.Fatal(err)
		}
	}
	b.Send(t, call{Path: approvePath, Who: checker1, Body: verdict(b.Created(t, maker1), "reject", "rejectReason", "Twice.")})
	if got := fmt.Sprint(types(b.await(t, 5))); got != "[created created approved created rejected]" {
		t.Errorf("with a planted event: %s", got)
	}
	if !strings.Contains(b.Log.String(), "an event does not fit its seal") {
		t.Error("no alarm")
	}
}

func TestEventsOfOthersAreNotRead(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.Created(t, maker1)
	cursor := b.await(t, 1).Text("next")
	if a := b.Send(t, get(eventPath, otherMaker)); a.Status != http.StatusOK || len(types(a)) != 0 {
		t.Errorf("another realm reads %s", a.Body)
	}
	if a := b.Send(t, get(eventPath+"?after="+cursor, otherMaker)); a.Status != http.StatusBadRequest {
		t.Errorf("another realm's cursor: %d %s", a.Status, a.Body)
	}
	if a := b.Send(t, get(eventPath, nobody)); a.Status != http.StatusUnauthorized {
		t.Errorf("without a token: %d", a.Status)
	}
}

func TestAWrongCursorOrFilterIsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for query, pointer := range map[string]string{
		"?after=x": "after", "?after=019b0a50-0000-7000-8000-000000000006": "after", "?limit=0": "limit", "?limit=1001": "limit",
		"?wait=31": "wait", "?wait=-1": "wait", "?wait=x": "wait", "?type=message.lost": "type", "?kind=x": "kind", "?scheme=x": "scheme",
		"?pageSize=1": "pageSize", "?changedSince=2026-11-20": "changedSince", "?wait=1&wait=2": "wait",
	} {
		a := b.Send(t, get(eventPath+query, supervisor1))
		if a.Status != http.StatusBadRequest || a.Text("fields", 0, "fieldMap") != pointer {
			t.Errorf("%s: %d %s", query, a.Status, a.Body)
		}
	}
}

func TestAChangeIsAnEventForAdministrators(t *testing.T) {
	t.Parallel()
	b := setup(t)
	change := b.changed(t, "limit.set", "", `{"limitOf":"account","holder":"CH5021977000004331346","currency":"CHF","perPayment":"500.00"}`).
		Text("change", "changeId")
	var a answer
	for end := time.Now().Add(20 * time.Second); len(types(a)) == 0 && time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		a = b.Send(t, get(eventPath, admin1))
	}
	if fmt.Sprint(types(a)) != "[change.applied]" || a.Text("events", 0, "change", "changeId") != change ||
		a.Text("events", 0, "change", "kind") != "limit.set" {
		t.Error(a.Body)
	}
	if a = b.Send(t, get(eventPath, supervisor1)); a.Status != http.StatusOK || len(types(a)) != 0 {
		t.Errorf("a supervisor reads %s", a.Body)
	}
}

func TestACallWaitsForTheNextEvent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.Created(t, maker1)
	cursor := b.await(t, 1).Text("next")
	b.Token(t, supervisor1)
	began := time.Now()
	if a := b.Send(t, get(eventPath+"?wait=1&after="+cursor, supervisor1)); len(types(a)) != 0 || a.Text("next") != cursor {
		t.Error(a.Body)
	}
	if waited := time.Since(began); waited < time.Second || waited > 15*time.Second {
		t.Errorf("waited for %s", waited)
	}
	got := make(chan answer, 1)
	go func() {
		got <- b.Send(t, get(eventPath+"?wait=30&type=message.approved&after="+cursor, supervisor1))
	}()
	time.Sleep(300 * time.Millisecond)
	id := b.Created(t, maker1)
	b.Send(t, call{Path: approvePath, Who: checker1, Body: verdict(id, "approve")})
	select {
	case a := <-got:
		if !slices.Equal(types(a), []string{"approved"}) || a.Text("events", 0, "transaction", "internalId") != id {
			t.Error(a.Body)
		}
	case <-time.After(25 * time.Second):
		t.Error("nobody was woken")
	}
}
