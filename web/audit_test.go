package web_test

import (
	"encoding/csv"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

const auditPath = "/api/common/v1/audit/list"

// TestTheAuditTrailIsForSupervisorsAndAdministrators: what was done and what was refused, found by every filter, page by page.
func TestTheAuditTrailIsForSupervisorsAndAdministrators(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.created(t, maker1)
	b.send(t, call{path: approvePath, who: maker1, body: verdict(id, "approve")})
	b.send(t, call{path: approvePath, who: checker1, body: verdict(id, "approve")})
	const form = "application/x-www-form-urlencoded"
	b.send(t, call{
		path: "/api/auth/v1/realms/demo/login", kind: form, body: "grant_type=password&client_id=demo-backoffice&client_secret=demo-secret&username=maker2&password=wrong-one",
	})
	for _, who := range []person{maker1, checker1} {
		if a := b.send(t, get(auditPath, who)); a.status != http.StatusForbidden {
			t.Errorf("%s reads the trail: %d %s", who.user, a.status, a.body)
		}
	}
	events := func(who person, filter string) []any {
		t.Helper()
		a := b.send(t, get(auditPath+filter, who))
		if a.status != http.StatusOK {
			t.Fatalf("%s: %d %s", filter, a.status, a.body)
		}
		list, _ := a.at("events").([]any)
		return list
	}
	for _, who := range []person{supervisor1, admin1} {
		for filter, want := range map[string]int{
			"": 4, "?event=sign-in.refused": 1, "?event=instruction.approve": 1, "?event=instruction.approve-refused": 1, "?messageId=" + id: 3,
			"?actor=checker1": 1, "?actor=" + url.QueryEscape("Checker 1"): 1, "?actor=nobody": 0, "?messageId=x": 0, "?from=2999-01-01": 0, "?to=2000-01-01": 0,
			"?changedSince=2999-01-01": 0, "?from=2000-01-01&to=2999-01-01": 4,
		} {
			if got := len(events(who, filter)); got != want {
				t.Errorf("%s %s: %d events, want %d", who.user, filter, got, want)
			}
		}
	}
	first := b.send(t, get(auditPath+"?pageSize=3", supervisor1))
	rest := b.send(t, get(auditPath+"?pageSize=3&after="+first.text("page", "next"), supervisor1))
	if list, _ := rest.at("events").([]any); len(list) != 1 || rest.at("page", "next") != nil {
		t.Errorf("the second page: %s", rest.body)
	}
	if oldest := events(supervisor1, "?order=asc&pageSize=1"); oldest[0].(map[string]any)["event"] != "instruction.submit" {
		t.Errorf("the oldest is %v", oldest)
	}
	if a := b.send(t, get(auditPath+"?state=x", supervisor1)); a.status != http.StatusBadRequest {
		t.Errorf("an unknown filter: %d", a.status)
	}
}

// TestTheAuditTrailIsExportedAsATable: a caller who accepts text/csv gets the same rows, in which no text is a formula.
func TestTheAuditTrailIsExportedAsATable(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.created(t, maker1)
	a := b.send(t, call{method: http.MethodGet, path: auditPath, who: supervisor1, change: func(r *http.Request) { r.Header.Set("Accept", "text/csv") }})
	rows, err := csv.NewReader(strings.NewReader(a.body)).ReadAll()
	must(t, err)
	if a.status != http.StatusOK || len(rows) != 2 || rows[0][0] != "at" || rows[1][1] != "instruction.submit" || rows[1][4] != "maker1" {
		t.Errorf("the table: %d %q", a.status, rows)
	}
	_, err = b.db.Connect(t).Exec(t.Context(), `UPDATE audit_event SET actor_name = '=1+1'`)
	must(t, err)
	a = b.send(t, call{method: http.MethodGet, path: auditPath, who: supervisor1, change: func(r *http.Request) { r.Header.Set("Accept", "text/csv") }})
	if !strings.Contains(a.body, ",'=1+1,") {
		t.Errorf("a formula gets through: %s", a.body)
	}
}
