package web_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"countersign/internal/auditlog"
	"countersign/internal/demo"
	"countersign/internal/store"
	"countersign/internal/testutil"
)

// plan is what of PostgreSQL's plan is asked here.
type plan struct {
	Node      string  `json:"Node Type"`
	Parent    string  `json:"Parent Relationship"`
	Relation  string  `json:"Relation Name"`
	Rows      float64 `json:"Actual Rows"`
	Loops     float64 `json:"Actual Loops"`
	Filtered  float64 `json:"Rows Removed by Filter"`
	Rechecked float64 `json:"Rows Removed by Index Recheck"`
	Plans     []plan
}

// read adds up the rows that were read of each table, and names the sorts of the list itself; those of a row's own subqueries are of a
// handful.
func (p plan) read(rows map[string]int, sorts []string) []string {
	if p.Parent == "SubPlan" || p.Parent == "InitPlan" {
		return sorts
	}
	if strings.Contains(p.Node, "Sort") {
		sorts = append(sorts, p.Node)
	}
	if p.Relation != "" {
		rows[p.Relation] += int((p.Rows + p.Filtered + p.Rechecked) * p.Loops)
	}
	for _, below := range p.Plans {
		sorts = below.read(rows, sorts)
	}
	return sorts
}

// TestADeepPageReadsNoMoreThanItself: page 100 of every list comes off an index, newest or oldest first. Nothing is sorted, and no more
// rows are read than are shown and a few.
func TestADeepPageReadsNoMoreThanItself(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	const size, pages, few = 16, 100, 10
	q := newQueue(t, 20_000, 5_000)
	owner := q.db.Connect(t)
	for _, statement := range []string{
		"SET session_replication_role = replica",
		`INSERT INTO document SELECT (jsonb_populate_record(one, jsonb_build_object('document_id', m.message_id, 'message_id', m.message_id))).*
		 FROM document one, message m WHERE one.direction = 'in' AND m.message_id <> one.message_id`,
		`INSERT INTO audit_event SELECT (jsonb_populate_record(one, jsonb_build_object('event_id', move_event(m.message_id, 1), 'message_id', m.message_id))).*
		 FROM audit_event one, message m WHERE one.sequence = 1 AND m.message_id <> one.message_id`,
		"VACUUM ANALYZE document, audit_event",
	} {
		_, err := owner.Exec(t.Context(), statement)
		must(t, err)
	}
	key := func(n int) uuid.UUID { return uuid.MustParse(fmt.Sprintf("01900000-0000-7000-8000-%012x", n)) }
	newest, oldest := key(20_000-size*pages), key(size*pages)
	for name, list := range map[string]func() (int, error){
		"messages": func() (int, error) {
			l, err := q.reader.Messages(t.Context(), demo.Realm, store.Filter{Before: newest, PageSize: size})
			return len(l), err
		},
		"messages, oldest first": func() (int, error) {
			l, err := q.reader.Messages(t.Context(), demo.Realm, store.Filter{Before: oldest, OldestFirst: true, PageSize: size})
			return len(l), err
		},
		"queue": func() (int, error) {
			return q.deep(t, size, store.QueueFilter{After: store.Place{MessageID: oldest}})
		},
		"queue, newest first": func() (int, error) {
			return q.deep(t, size, store.QueueFilter{Sort: store.SortNewest, After: store.Place{MessageID: newest}})
		},
		"documents": func() (int, error) {
			l, err := q.reader.Documents(t.Context(), demo.Realm, store.DocumentFilter{Before: newest, PageSize: size})
			return len(l), err
		},
		"documents, oldest first": func() (int, error) {
			l, err := q.reader.Documents(t.Context(), demo.Realm, store.DocumentFilter{Before: oldest, OldestFirst: true, PageSize: size})
			return len(l), err
		},
		"audit trail": func() (int, error) {
			l, err := q.reader.AuditTrail(t.Context(), demo.Realm, store.AuditFilter{Before: auditlog.MoveID(newest, 1), PageSize: size})
			return len(l), err
		},
		"audit trail, oldest first": func() (int, error) {
			l, err := q.reader.AuditTrail(t.Context(), demo.Realm, store.AuditFilter{Before: auditlog.MoveID(oldest, 1), OldestFirst: true, PageSize: size})
			return len(l), err
		},
	} {
		q.notes.cut()
		n, err := list()
		must(t, err)
		if n != size {
			t.Errorf("%s: %d entries, want %d", name, n, size)
		}
		rows := map[string]int{}
		if sorts := q.explain(t).read(rows, nil); len(sorts) > 0 {
			t.Errorf("%s: %s", name, sorts)
		}
		for _, table := range []string{"message", "message_version", "document", "audit_event"} {
			if rows[table] > size+few {
				t.Errorf("%s: %d rows of %s were read for a page of %d", name, rows[table], table, size)
			}
		}
	}
}

// deep reads so many entries of the queue, and counts them.
func (q *queue) deep(t *testing.T, size int32, ask store.QueueFilter) (int, error) {
	t.Helper()
	ask.Checker.Person, ask.PageSize = q.checker, size
	list, err := q.reader.Queue(t.Context(), demo.Realm, ask)
	return len(list), err
}

// explain runs the last list that was read once more, as the reader does, and returns what PostgreSQL did.
func (q *queue) explain(t *testing.T) plan {
	t.Helper()
	steps := q.notes.cut()
	at := slices.IndexFunc(steps, func(s statement) bool {
		return strings.Contains(s.sql, "-- name: TransactionList") || strings.Contains(s.sql, "-- name: QueueList") ||
			strings.Contains(s.sql, "-- name: DocumentList") || strings.Contains(s.sql, "-- name: AuditSearch")
	})
	if at < 0 {
		t.Fatal("no list was read")
	}
	app := q.db.ConnectAsApplication(t, demo.Realm)
	_, err := app.Exec(t.Context(), asReader)
	must(t, err)
	var told []byte
	must(t, app.QueryRow(t.Context(), "EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) "+steps[at].sql, steps[at].values...).Scan(&told))
	var plans []struct{ Plan plan }
	must(t, json.Unmarshal(told, &plans))
	return plans[0].Plan
}
