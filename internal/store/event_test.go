package store_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/internal/demo"
	"countersign/internal/payment"
	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
	"countersign/internal/store"
	"countersign/internal/store/internal/dbsqlc"
	"countersign/internal/testutil"
)

// follower reads the stream of a realm, page by page.
type follower struct {
	reader *store.Reader
	filter store.EventFilter
	seen   []store.StreamEvent
}

// read reads what there is now.
func (f *follower) read(t *testing.T) {
	t.Helper()
	for more := true; more; {
		page, err := f.reader.Events(t.Context(), demo.Realm, f.filter)
		if err != nil {
			t.Error(err)
			return
		}
		f.seen, f.filter.After, more = append(f.seen, page.Events...), page.Next, page.More
	}
}

// await reads until there are so many events: tests beside this one hold transactions of the same server open.
func (f *follower) await(t *testing.T, events int) {
	t.Helper()
	f.read(t)
	for end := time.Now().Add(20 * time.Second); len(f.seen) < events && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		f.read(t)
	}
	if len(f.seen) != events {
		t.Errorf("%d events instead of %d", len(f.seen), events)
	}
}

// lives are the events of each message, in the order of the stream.
func (f *follower) lives() map[uuid.UUID][]string {
	lives := map[uuid.UUID][]string{}
	for _, e := range f.seen {
		id := e.Message.InternalID
		lives[id] = append(lives[id], strings.TrimPrefix(string(e.Type), "message."))
	}
	return lives
}

// stored are the events of each message as its history has them.
func stored(t *testing.T, h *servicetest.Env) map[uuid.UUID][]string {
	t.Helper()
	rows, err := h.DB.Owner(t).Query(t.Context(), `SELECT message_id, kind, from_state, action, to_state FROM message_history
		WHERE realm = $1 ORDER BY message_id, sequence`, demo.Realm)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	lives := map[uuid.UUID][]string{}
	for rows.Next() {
		var id uuid.UUID
		var m payment.Move
		err = rows.Scan(&id, &m.Kind, &m.From, &m.Action, &m.To)
		if err != nil {
			t.Fatal(err)
		}
		if m.Event() != "" {
			lives[id] = append(lives[id], strings.TrimPrefix(string(m.Event()), "message."))
		}
	}
	return lives
}

// holds compares what a follower read with the history: each event once, those of a message in order.
func (f *follower) holds(t *testing.T, h *servicetest.Env) {
	t.Helper()
	want := stored(t, h)
	total := 0
	for _, life := range want {
		total += len(life)
	}
	f.await(t, total)
	got := f.lives()
	ids := map[uuid.UUID]bool{}
	for _, e := range f.seen {
		if ids[e.ID] {
			t.Errorf("the event %s of %s came twice", e.Type, e.Message.InternalID)
		}
		ids[e.ID] = true
	}
	if len(want) == 0 || len(got) != len(want) {
		t.Errorf("%d messages instead of %d", len(got), len(want))
	}
	for id, life := range want {
		if !slices.Equal(got[id], life) {
			t.Errorf("the stream has %v instead of %v", got[id], life)
		}
	}
}

// TestTheStreamWaitsForOpenTransactions: events of transactions that began before others and commit after them are not skipped.
func TestTheStreamWaitsForOpenTransactions(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	maker, checker := h.Person(t, "maker1"), h.Person(t, "checker1")
	late := h.Create(t, maker, rulebook.SchemeSIC)
	f := &follower{reader: h.Reader, filter: store.EventFilter{Messages: true, PageSize: 2}}
	f.await(t, 1)
	err := h.Messages.MoveLate(t.Context(), demo.Realm, late.InternalID, func() {
		for range 3 {
			m := h.Create(t, maker, rulebook.SchemeSIC)
			_, err := h.Approval.Approve(t.Context(), checker, service.Input{InternalID: m.InternalID})
			if err != nil {
				t.Error(err)
			}
		}
		f.read(t)
		if len(f.seen) != 1 {
			t.Errorf("%d events are read in front of an open transaction", len(f.seen)-1)
		}
	}, func(m payment.Message) (payment.Transition, error) { return m.Withdraw(maker, "", h.Moment()) })
	if err != nil {
		t.Fatal(err)
	}
	f.holds(t, h)
}

// TestAMessagesEventsKeepTheirOrder: a step of a transaction with a lower number than that of the step before it comes after that step.
func TestAMessagesEventsKeepTheirOrder(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	maker := h.Person(t, "maker1")
	m := h.Create(t, maker, rulebook.SchemeSIC)
	order := h.Order(rulebook.SchemeSIC)
	err := h.Messages.MoveLate(t.Context(), demo.Realm, m.InternalID, func() {
		_, err := h.Submission.Amend(t.Context(), maker, m.InternalID, order)
		if err != nil {
			t.Error(err)
		}
	}, func(m payment.Message) (payment.Transition, error) { return m.Withdraw(maker, "", h.Moment()) })
	if err != nil {
		t.Fatal(err)
	}
	f := &follower{reader: h.Reader, filter: store.EventFilter{Messages: true, PageSize: 1}}
	f.holds(t, h)
	if life := fmt.Sprint(f.lives()[m.InternalID]); life != "[created amended withdrawn]" {
		t.Error(life)
	}
	h.CheckInvariants(t)
}

// TestCursorsBesideWriters: readers with a cursor of their own see each event once while writers work, some of which hold transactions open.
func TestCursorsBesideWriters(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	stop := h.Run(t)
	defer stop()
	maker, checker := h.Person(t, "maker1"), h.Person(t, "checker1")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var writers, readers sync.WaitGroup
	var left atomic.Int64
	left.Store(int64(testutil.Count(t, "COUNTERSIGN_EVENTS", 160)))
	for writer := range 8 {
		writers.Go(func() {
			for left.Add(-1) >= 0 {
				m := h.Create(t, maker, rulebook.SchemeSIC)
				if writer == 0 { // rolled back, after a pause that others write in
					_ = h.Messages.MoveLate(ctx, demo.Realm, m.InternalID, func() { time.Sleep(20 * time.Millisecond) },
						func(payment.Message) (payment.Transition, error) {
							return payment.Transition{}, errors.New("rolled back")
						})
				}
				_, err := h.Approval.Approve(ctx, checker, service.Input{InternalID: m.InternalID})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	followers := make([]*follower, 3)
	for i := range followers {
		f := &follower{reader: h.Reader, filter: store.EventFilter{Messages: true, PageSize: 1 + 6*i}}
		followers[i] = f
		readers.Go(func() {
			for ctx.Err() == nil {
				f.read(t)
			}
		})
	}
	var outcomes []store.StreamEvent
	wanted := store.EventFilter{PageSize: 100, Types: []payment.EventType{"message.processing"}}
	waits := func(wait time.Duration) (read int) {
		page, err := h.Events.List(t.Context(), checker, wanted, wait)
		if err != nil {
			t.Error(err)
		}
		outcomes, wanted.After = append(outcomes, page.Events...), page.Next
		return len(page.Events)
	}
	readers.Go(func() {
		for ctx.Err() == nil {
			waits(time.Second)
		}
	})
	writers.Wait()
	cancel()
	readers.Wait()
	stop()
	for waits(2*time.Second) > 0 { //nolint:revive // until nothing comes
	}
	want := 0
	for _, life := range stored(t, h) {
		if slices.Contains(life, "processing") {
			want++
		}
	}
	if want == 0 || len(outcomes) != want {
		t.Errorf("a reader that waits for one type read %d events instead of %d", len(outcomes), want)
	}
	for _, f := range followers {
		f.holds(t, h)
	}
	order := func(f *follower) string {
		var ids []string
		for _, e := range f.seen {
			ids = append(ids, e.ID.String())
		}
		return strings.Join(ids, " ")
	}
	if order(followers[0]) != order(followers[1]) || order(followers[0]) != order(followers[2]) {
		t.Error("readers see different orders")
	}
}

// TestTheStreamOfARestoredDatabase: in a server whose transactions have lower numbers than the stored places, new events are behind the
// stored ones.
func TestTheStreamOfARestoredDatabase(t *testing.T) {
	t.Parallel()
	h := servicetest.New(t)
	maker := h.Person(t, "maker1")
	h.Create(t, maker, rulebook.SchemeSIC)
	f := &follower{reader: h.Reader, filter: store.EventFilter{Messages: true, PageSize: 1}}
	f.await(t, 1)
	owner := h.DB.Owner(t)
	_, err := owner.Exec(t.Context(), "UPDATE audit_event SET place = place + 1000000 WHERE place IS NOT NULL")
	if err != nil {
		t.Fatal(err)
	}
	_, err = owner.Exec(t.Context(), "UPDATE event_order SET server = 'another'")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []bool{true, false} {
		renewed, err := h.Database.RenewEventOrder(t.Context())
		if err != nil || renewed != want {
			t.Fatal(renewed, err)
		}
	}
	h.Create(t, maker, rulebook.SchemeSIC)
	f.holds(t, h)
	f.filter.After = uuid.New()
	_, err = h.Reader.Events(t.Context(), demo.Realm, f.filter)
	if !errors.Is(err, store.ErrUnknownEvent) {
		t.Errorf("a lost cursor: %v", err)
	}
}

// kept has the last statement of each name, with its values.
type kept struct{ statements sync.Map }

func (k *kept) keep(sql string, values []any) {
	if _, name, named := strings.Cut(sql, "-- name: "); named {
		name, _, _ = strings.Cut(name, " ")
		k.statements.Store(name, &pgx.QueuedQuery{SQL: sql, Arguments: values})
	}
}

// TraceQueryStart keeps a statement.
func (k *kept) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	k.keep(data.SQL, data.Args)
	return ctx
}

// TraceQueryEnd does nothing.
func (k *kept) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// TraceBatchStart keeps the statements of a batch.
func (k *kept) TraceBatchStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceBatchStartData) context.Context {
	for _, query := range data.Batch.QueuedQueries {
		k.keep(query.SQL, query.Arguments)
	}
	return ctx
}

// TraceBatchQuery does nothing.
func (k *kept) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

// TraceBatchEnd does nothing.
func (k *kept) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}

// TestStatementsReadTheirIndexes: the events behind a cursor, the place of the earlier move of a message and a later move in the tree are
// found by their keys, not by their realm, also before the tables have statistics.
func TestStatementsReadTheirIndexes(t *testing.T) {
	t.Parallel()
	statements := &kept{}
	h := servicetest.Traced(t, statements, 0)
	made := h.Create(t, h.Person(t, "maker1"), rulebook.SchemeSIC)
	_, err := h.Approval.Approve(t.Context(), h.Person(t, "checker1"), service.Input{InternalID: made.InternalID})
	if err != nil {
		t.Fatal(err)
	}
	f := &follower{reader: h.Reader, filter: store.EventFilter{Messages: true, PageSize: 1}}
	f.read(t)
	for name, want := range map[string]struct {
		text  string
		count int
	}{
		"EventList":   {"audit_event_placed", 2},
		"MessageMove": {"Index Cond: ((realm = moved_2.realm) AND (event_id = $", 1},
		"MessageGet":  {"Index Cond: ((realm = m.realm) AND (row_id = $", 1},
	} {
		kept, _ := statements.statements.Load(name)
		statement := kept.(*pgx.QueuedQuery)
		var plan []string
		err := h.Database.InRealm(t.Context(), demo.Realm, store.Keyed, func(q *dbsqlc.Queries) error {
			rows, err := store.Raw(q).Query(t.Context(), "EXPLAIN "+statement.SQL, statement.Arguments...)
			if err == nil {
				plan, err = pgx.CollectRows(rows, pgx.RowTo[string])
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Join(plan, "\n")
		if strings.Count(text, want.text) != want.count || strings.Contains(text, "Seq Scan on audit") ||
			name == "EventList" && strings.Contains(text, "Join Filter") {
			t.Errorf("%s: %s", name, text)
		}
	}
}
