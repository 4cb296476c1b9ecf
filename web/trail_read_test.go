package web_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"countersign/internal/demo"
	"countersign/internal/store"
	"countersign/internal/testutil"
)

// TestTheTrailReadsSoMuchAndNoMore: a page of the audit trail looks at so many events, found or not, whatever it is narrowed to, and the
// pages together hold each event that is meant, once, what happened last first. Keys here are in another order than time: the other way
// round, and mixed a little.
func TestTheTrailReadsSoMuchAndNoMore(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	const events, bound = 12_031, 6_000 // the last of a block of 64, within which their order is mixed
	q := newQueue(t, 10, 5)
	owner := q.db.Connect(t)
	_, err := owner.Exec(t.Context(), "SET session_replication_role = replica")
	must(t, err)
	_, err = owner.Exec(t.Context(), `
		INSERT INTO audit_event
		SELECT (jsonb_populate_record(one, jsonb_build_object(
		  'realm', $2::text, 'event_id', '01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'), 'message_id', NULL, 'sequence', NULL,
		  'event', CASE WHEN n IN (3, 7000) THEN 'sign-in.refused' ELSE 'sign-in' END,
		  'at', '2024-06-10 03:00:00+00'::timestamptz + ($1::integer - (n # 37)) * interval '1 second'))).*
		FROM audit_event one, generate_series(1, $1::integer) n
		WHERE one.event_id = (SELECT event_id FROM audit_event WHERE realm = $2 LIMIT 1)`, events, demo.Realm)
	must(t, err)
	_, err = owner.Exec(t.Context(), "VACUUM ANALYZE audit_event")
	must(t, err)
	at := func(second int) time.Time { return time.Date(2024, time.June, 10, 3, 0, second, 0, time.UTC) }
	for name, c := range map[string]struct {
		ask  store.AuditFilter
		want int
	}{
		"two of many":        {store.AuditFilter{Event: "sign-in.refused"}, 2},
		"nobody's":           {store.AuditFilter{Actor: "nobody"}, 0},
		"a period":           {store.AuditFilter{From: at(100), To: at(349)}, 250},
		"a period and more":  {store.AuditFilter{From: at(1), To: at(6999), Event: "sign-in.refused"}, 1},
		"before everything":  {store.AuditFilter{To: at(0).AddDate(-40, 0, 0)}, 0},
		"a place of nothing": {store.AuditFilter{Before: uuid.Max, From: at(0), To: at(49)}, 50},
		"after everything":   {store.AuditFilter{From: time.Now().AddDate(1, 0, 0)}, 0},
	} {
		seen, newest := map[uuid.UUID]bool{}, time.Now().AddDate(2, 0, 0)
		c.ask.PageSize = 100
		for pages := 0; ; pages++ {
			q.notes.cut()
			list, next, err := q.reader.AuditPage(t.Context(), demo.Realm, c.ask)
			must(t, err)
			if rows, statement := q.readBy(t); rows > bound {
				t.Errorf("%s: %s reads %d rows, more than %d", name, statement, rows, bound)
			}
			for _, e := range list {
				if seen[e.ID] {
					t.Fatalf("%s: %s came twice", name, e.ID)
				}
				seen[e.ID] = true
				if e.At.After(newest) {
					t.Fatalf("%s: %v comes behind %v", name, e.At, newest)
				}
				newest = e.At
			}
			if next == uuid.Nil {
				break
			}
			if pages > 20 {
				t.Fatalf("%s: no end", name)
			}
			c.ask.Before = next
		}
		if len(seen) != c.want {
			t.Errorf("%s: %d events, want %d", name, len(seen), c.want)
		}
	}
}
