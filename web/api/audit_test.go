package api_test

import (
	"encoding/csv"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

const auditPath = "/api/common/v1/audit/list"

// ofToday leaves out what the operator did when the realm was made: everybody's rights.
const ofToday = "?from=2020-06-01"

// TestTheAuditTrailIsForSupervisorsAndAdministrators: what was done and what was refused, found by every filter, page by page.
func TestTheAuditTrailIsForSupervisorsAndAdministrators(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.Created(t, maker1)
	b.Send(t, call{Path: approvePath, Who: maker1, Body: verdict(id, "approve")})
	b.Send(t, call{Path: approvePath, Who: checker1, Body: verdict(id, "approve")})
	const form = "application/x-www-form-urlencoded"
	b.Send(t, call{
		Path: "/api/auth/v1/realms/demo/login", Kind: form,
		Body: "grant_type=password&client_id=demo-backoffice&client_secret=demo-secret&username=maker2&password=wrong-one",
	})
	for _, who := range []person{maker1, checker1} {
		if a := b.Send(t, get(auditPath, who)); a.Status != http.StatusForbidden {
			t.Errorf("%s reads the trail: %d %s", who.User, a.Status, a.Body)
		}
	}
	events := func(who person, filter string) []any {
		t.Helper()
		a := b.Send(t, get(auditPath+filter, who))
		if a.Status != http.StatusOK {
			t.Fatalf("%s: %d %s", filter, a.Status, a.Body)
		}
		list, _ := a.At("events").([]any)
		return list
	}
	for _, who := range []person{supervisor1, admin1} {
		for filter, want := range map[string]int{
			ofToday: 4, "?event=user.rights": 8,
			"?event=sign-in.refused": 1, "?event=instruction.approve": 1, "?event=instruction.approve-refused": 1, "?messageId=" + id: 3,
			"?actor=checker1": 1, "?actor=" + url.QueryEscape("Checker 1"): 1, "?actor=nobody": 0, "?messageId=x": 0, "?from=2999-01-01": 0,
			"?to=2000-01-01":           0,
			"?changedSince=2999-01-01": 0, "?from=2020-06-01&to=2999-01-01": 4,
		} {
			if got := len(events(who, filter)); got != want {
				t.Errorf("%s %s: %d events, want %d", who.User, filter, got, want)
			}
		}
	}
	first := b.Send(t, get(auditPath+ofToday+"&pageSize=3", supervisor1))
	rest := b.Send(t, get(auditPath+ofToday+"&pageSize=3&after="+first.Text("page", "next"), supervisor1))
	if list, _ := rest.At("events").([]any); len(list) != 1 || rest.At("page", "next") != nil {
		t.Errorf("the second page: %s", rest.Body)
	}
	if oldest := events(supervisor1, ofToday+"&order=asc&pageSize=1"); oldest[0].(map[string]any)["event"] != "instruction.submit" {
		t.Errorf("the oldest is %v", oldest)
	}
	for name, known := range map[string]bool{
		"x": false, "sign-in": false, "instruction.x": false, "x.approve": false, "-refused": false, "sign-in.refused-refused": true,
		"instruction.time-out": true, "change.approve-refused": true, "received recall.receive": true, "payment.approve-refused": true,
	} {
		a := b.Send(t, get(auditPath+"?event="+url.QueryEscape(name), supervisor1))
		if known != (a.Status == http.StatusOK) || !known && (a.Status != http.StatusBadRequest || !strings.Contains(a.Body, "sign-in.locked")) {
			t.Errorf("the event %q: %d %s", name, a.Status, a.Body)
		}
	}
	for _, path := range []string{
		"/api/common/v1/interface/list?type=x", "/api/common/v1/transaction/list?state=x", "/api/common/v1/transaction/list?recallStatus=x",
		"/api/common/v1/transaction/list?kind=x", "/api/common/v1/transaction/list?direction=x", "/api/common/v1/account/list?currency=x",
	} {
		if a := b.Send(t, get(path, supervisor1)); a.Status != http.StatusBadRequest || !strings.Contains(a.Body, "Enter ") {
			t.Errorf("%s: %d %s", path, a.Status, a.Body)
		}
	}
	if a := b.Send(t, get(auditPath+"?state=x", supervisor1)); a.Status != http.StatusBadRequest {
		t.Errorf("an unknown filter: %d", a.Status)
	}
}

// TestTheAuditTrailIsExportedAsATable: a caller who accepts text/csv gets the same rows, in which no text is a formula.
func TestTheAuditTrailIsExportedAsATable(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.Created(t, maker1)
	a := b.Send(
		t, call{
			Method: http.MethodGet, Path: auditPath + ofToday, Who: supervisor1,
			Change: func(r *http.Request) { r.Header.Set("Accept", "text/csv") },
		},
	)
	rows, err := csv.NewReader(strings.NewReader(a.Body)).ReadAll()
	must(t, err)
	if a.Status != http.StatusOK || len(rows) != 2 || rows[0][0] != "at" || rows[1][1] != "instruction.submit" || rows[1][4] != "maker1" {
		t.Errorf("the table: %d %q", a.Status, rows)
	}
	for name, want := range map[string]string{
		"=1+1": `'=1+1`, "@a": `'@a`, "\uff1d1": "'\uff1d1", " -1": `' -1`, `"=1`: `'""=1`,
		"a;=cmd|' /C calc'!A0": `a;'=cmd|' /C calc'!A0`, "a\t+1": "a\t'+1", "a;\uff201": "a;'\uff201", `a; "=1`: `a;' ""=1`,
		"a\r\n=1":   "a\r\n'=1",
		"Anna-Lena": "Anna-Lena", "a; b": "a; b", "\t=1": "\t'=1", "1+1=2": "1+1=2",
	} {
		_, err = b.DB.Owner(t).Exec(t.Context(), `UPDATE audit_event SET actor_name = $1`, name)
		must(t, err)
		a = b.Send(
			t, call{Method: http.MethodGet, Path: auditPath, Who: supervisor1, Change: func(r *http.Request) { r.Header.Set("Accept", "text/csv") }},
		)
		if !strings.Contains(a.Body, `","`+want+`","`) {
			t.Errorf("%q should stand as %q: %s", name, want, a.Body)
		}
	}
}
