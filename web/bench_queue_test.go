package web_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"countersign/internal/demo"
	"countersign/internal/service/servicetest"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
	"countersign/internal/testutil"
	"countersign/views"
	"countersign/web/webtest"
)

// queuePage is what the portal reads for one page: 60 rows, and one to see whether there are more.
const queuePage = 61

// BenchmarkQueue compares the first page of the queue and the count above it in a small gateway (100 of 1,000 messages wait) and in a
// large one (10,000 of 200,000). The page must cost the same in both.
func BenchmarkQueue(b *testing.B) {
	small, large := newQueue(b, 1_000, 100), newQueue(b, 200_000, 10_000)
	var times [4][]time.Duration
	for b.Loop() {
		for range 25 {
			for i, work := range []func(testing.TB){small.page, large.page, small.count, large.count} {
				began := time.Now()
				work(b)
				times[i] = append(times[i], time.Since(began))
			}
		}
	}
	p50 := func(i int) float64 {
		slices.Sort(times[i])
		return times[i][len(times[i])/2].Seconds() * 1000
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(p50(0), "small-page-p50-ms")
	b.ReportMetric(p50(1), "large-page-p50-ms")
	b.ReportMetric(p50(1)/p50(0), "page-ratio")
	b.ReportMetric(p50(2), "small-count-p50-ms")
	b.ReportMetric(p50(3), "large-count-p50-ms")
}

func TestTheQueueReadsItsPartialIndex(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	q := newQueue(t, 20_000, 500)
	q.notes.cut()
	q.page(t)
	q.count(t)
	app := q.db.ConnectAsApplication(t, demo.Realm)
	_, err := app.Exec(t.Context(), "SET plan_cache_mode = force_custom_plan") // as the reader sets it
	must(t, err)
	looked := 0
	for _, step := range q.notes.cut() {
		if !strings.Contains(step.sql, "-- name: Queue") {
			continue
		}
		looked++
		rows, err := app.Query(t.Context(), "EXPLAIN "+step.sql, step.values...)
		must(t, err)
		var plan []string
		for rows.Next() {
			var line string
			must(t, rows.Scan(&line))
			plan = append(plan, line)
		}
		must(t, rows.Err())
		text := strings.Join(plan, "\n")
		if !strings.Contains(text, "message_pending") || strings.Contains(text, "Seq Scan on message ") {
			t.Errorf("the queue is read otherwise:\n%s\n%s", step.sql, text)
		}
	}
	if looked != 2 {
		t.Errorf("%d statements read the queue, not 2", looked)
	}
}

// queue is a gateway with many messages, some of them waiting, and its reader.
type queue struct {
	db      *storetest.DB
	reader  *store.Reader
	notes   *recorder
	checker uuid.UUID // a person
	waiting int
}

// newQueue makes copies of one message by plain SQL, past every rule: it is about how they are found, not how they were made.
func newQueue(t testing.TB, messages, waiting int) *queue {
	t.Helper()
	q := &queue{db: servicetest.Demo(t), notes: &recorder{}, waiting: waiting}
	s := newShop(t, q.db.URL)
	_, err := s.post(webtest.CreateSwiss, s.maker, webtest.Order(webtest.Sample))
	must(t, err)
	connection := q.db.Connect(t)
	_, err = connection.Exec(t.Context(), "SET session_replication_role = replica")
	must(t, err)
	var one uuid.UUID
	must(t, connection.QueryRow(t.Context(), "SELECT message_id FROM message WHERE realm = $1", demo.Realm).Scan(&one))
	storetest.Copies{
		Of: one, First: 1, Count: messages,
		State: fmt.Sprintf("CASE WHEN n %% %d = 0 THEN 'Approval Pending' ELSE 'Settled' END", messages/waiting),
	}.Insert(t, connection)
	_, err = connection.Exec(t.Context(), "VACUUM ANALYZE message, message_version")
	must(t, err)
	must(t, connection.QueryRow(t.Context(), "SELECT person_id FROM user_account WHERE realm = $1 AND name = 'checker1'", demo.Realm).Scan(
		&q.checker,
	))
	database, err := store.Open(t.Context(), store.Config{URL: q.db.URL, Tracer: q.notes, Seal: q.db.Seal, TokenKeys: storetest.Keys(t)})
	must(t, err)
	t.Cleanup(database.Close)
	q.reader = store.NewReader(database)
	return q
}

// mine selects what the checker may decide.
func (q *queue) mine() store.Checker { return store.Checker{Person: q.checker, Since: time.Unix(1, 0)} }

func (q *queue) page(t testing.TB) {
	t.Helper()
	list, err := q.reader.Queue(t.Context(), demo.Realm, store.QueueFilter{Checker: q.mine(), PageSize: queuePage})
	must(t, err)
	if len(list) != queuePage {
		t.Fatalf("%d messages are on the page, not %d", len(list), queuePage)
	}
}

func (q *queue) count(t testing.TB) {
	t.Helper()
	totals, err := q.reader.PendingTotals(t.Context(), demo.Realm, q.mine(), views.MaxWaiting)
	must(t, err)
	if want := min(q.waiting+1, views.MaxWaiting); len(totals) != 1 || totals[0].Count != int64(want) { // the copied one waits too
		t.Fatalf("%v wait, not %d", totals, want)
	}
}
