package api_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

// masks hide what differs from run to run.
var masks = []struct {
	pattern *regexp.Regexp
	with    string
}{
	{regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`), "<uuid>"},
	{regexp.MustCompile(`[0-9a-f]{64}`), "<digest>"},
	{regexp.MustCompile(`[XM]?[0-9a-f]{32}`), "<key>"},
	{regexp.MustCompile(`\b(R?)DM[0-9A-HJKMNP-TV-Z]{14}\b`), "$1<global>"},
	{regexp.MustCompile(`20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)`), "<time>"},
}

// golden compares an answer with a file; go test -update writes the file.
func golden(t *testing.T, name string, a answer) {
	t.Helper()
	var indented bytes.Buffer
	must(t, json.Indent(&indented, []byte(a.Body), "", "  "))
	got := strings.TrimSpace(indented.String()) + "\n"
	for _, m := range masks {
		got = m.pattern.ReplaceAllString(got, m.with)
	}
	got = http.StatusText(a.Status) + "\n" + got
	file := filepath.Join("testdata", name+".golden")
	if *update {
		must(t, os.WriteFile(file, []byte(got), 0o600))
		return
	}
	want, err := os.ReadFile(file)
	must(t, err)
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s", name, diff)
	}
}

func TestAnswersHaveTheBodiesOfTheInterface(t *testing.T) {
	t.Parallel()
	b := setup(t)
	body := order(sample)
	created := b.Send(t, call{Path: createSwiss, Who: maker1, Body: body})
	id := created.Text("identifiers", "internalId")
	steps := []struct {
		name   string
		call   call
		status int
	}{
		{
			"create-fields",
			call{Path: createSwiss, Who: maker1, Body: strings.Replace(strings.Replace(order(sample), `"MmbId"`, `"Mmbid"`, 1), `"TRF"`, `17`, 1)},
			400,
		},
		{
			"create-refused",
			call{Path: createSwiss, Who: maker1, Body: strings.Replace(order(sample), "CH4821966000009613388", "CH4821966000009613389", 1)},
			400,
		},
		{"create-straight", call{Path: createSwiss, Who: straight, Body: order(sample)}, 200},
		{"create-forbidden", call{Path: createSwiss, Who: checker1, Body: order(sample)}, 403},
		{"create-unauthorized", call{Path: createSwiss, Body: order(sample)}, 401},
		{"validate", call{Path: "/api/sic-inst/v1/instruction/validate", Who: maker1, Body: order(sample)}, 200},
		{"validate-refused", call{Path: "/api/sct-inst/v1/instruction/validate", Who: maker1, Body: order(sample)}, 400},
		{"approve-four-eyes", call{Path: approvePath, Who: both1, Body: verdict(b.Created(t, both1), "approve")}, 403},
		{"approve-forbidden", call{Path: approvePath, Who: maker2, Body: verdict(id, "approve")}, 403},
		{"approve-content", call{Path: approvePath, Who: checker1, Body: verdict(id, "approve", "contentHash", strings.Repeat("1", 64))}, 400},
		{"approve", call{Path: approvePath, Who: checker1, Body: verdict(id, "approve")}, 200},
		{"approve-decided", call{Path: approvePath, Who: checker2, Body: verdict(id, "approve")}, 400},
		{"approve-unknown", call{Path: approvePath, Who: checker2, Body: verdict("nothing-like-it", "approve")}, 400},
		{"reject", call{Path: approvePath, Who: checker1, Body: verdict(b.Created(t, maker1), "reject", "rejectReason", "Not known to us")}, 200},
		{"reject-fields", call{Path: approvePath, Who: checker1, Body: verdict(id, "reject", "rejectReason", "  ")}, 400},
		{
			"cancel",
			call{
				Path: "/api/sic-inst/v1/instruction/cancel", Who: maker1,
				Body: `{"identifiers":{"internalId":"` + b.Created(t, maker1) + `"},"reason":"Entered twice"}`,
			},
			200,
		},
		{"transaction", get("/api/common/v1/transaction/"+id, checker1), 200},
		{"transaction-unknown", get("/api/common/v1/transaction/nothing", checker1), 404},
		{"transaction-query", get("/api/common/v1/transaction/list?colour=red&pageSize=0", checker1), 400},
		{"history", get("/api/common/v1/transaction/"+id+"/history", checker1), 200},
		{"audit", get("/api/common/v1/transaction/"+id+"/audit", checker1), 200},
		{"messages", get("/api/common/v1/transaction/"+id+"/messages", checker1), 200},
		{"accounts", get("/api/common/v1/account/list", checker1), 200},
		{"errors", get("/api/common/v1/error/list", checker1), 200},
		{"nothing-here", get("/api/common/v1/nothing", checker1), 404},
	}
	golden(t, "create", created)
	for _, step := range steps {
		a := b.Send(t, step.call)
		if a.Status != step.status {
			t.Errorf("%s: status %d, want %d: %s", step.name, a.Status, step.status, a.Body)
		}
		golden(t, step.name, a)
		if a.Text("header", "originalRequestId") != "request-1" {
			t.Errorf("%s: the request id does not come back: %s", step.name, a.Body)
		}
	}
}

func TestATimeOutHasItsOwnVariant(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := b.Created(t, maker1)
	b.Token(t, checker1)
	connection := b.DB.Connect(t)
	tx, err := connection.Begin(t.Context())
	must(t, err)
	_, err = tx.Exec(t.Context(), "SELECT FROM message WHERE message_id = $1 FOR UPDATE", id)
	must(t, err)
	b.Impatient.Store(int64(2 * time.Second))
	a := b.Send(t, call{Path: approvePath, Who: checker1, Body: verdict(id, "approve")})
	golden(t, "approve-time-out", a)
	must(t, tx.Rollback(t.Context()))
	b.Impatient.Store(0)
	a = b.Send(t, call{Path: approvePath, Who: checker1, Body: verdict(id, "approve")})
	if a.Status != http.StatusOK {
		t.Errorf("the same request afterwards: %d %s", a.Status, a.Body)
	}
}

// TestAFullDiskIsToldAsSuch: the server has no room for a statement, or for the commit. Nothing is done, which 503 says, and a repeat when
// there is room again works.
func TestAFullDiskIsToldAsSuch(t *testing.T) {
	t.Parallel()
	for name, when := range map[string]string{"statement": "AFTER INSERT ON %s", "commit": "AFTER INSERT ON %s DEFERRABLE INITIALLY DEFERRED"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			id := b.Created(t, maker1)
			b.Token(t, checker1)
			owner := b.DB.Owner(t)
			_, err := owner.Exec(t.Context(), `CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS $$
				BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$;
				CREATE CONSTRAINT TRIGGER no_room `+fmt.Sprintf(when, "message_history")+" FOR EACH ROW EXECUTE FUNCTION no_room()")
			must(t, err)
			for _, one := range []call{
				{Path: approvePath, Who: checker1, Body: verdict(id, "approve")},
				{Path: "/api/sic-inst/v1/instruction/cancel", Who: maker1, Body: `{"identifiers":{"internalId":"` + id + `"},"reason":"Entered twice"}`},
			} {
				a := b.Send(t, one)
				if a.Status != http.StatusServiceUnavailable || a.Header.Get("Retry-After") == "" {
					t.Errorf("%s: %d %s, Retry-After %q", one.Path, a.Status, a.Body, a.Header.Get("Retry-After"))
				}
			}
			_, err = owner.Exec(t.Context(), "DROP TRIGGER no_room ON message_history")
			must(t, err)
			a := b.Send(t, call{Path: approvePath, Who: checker1, Body: verdict(id, "approve")})
			if a.Status != http.StatusOK {
				t.Errorf("the same request afterwards: %d %s", a.Status, a.Body)
			}
		})
	}
}
