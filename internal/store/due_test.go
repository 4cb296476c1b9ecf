package store_test

import (
	"context"
	"testing"
	"time"

	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
	"countersign/internal/store"
)

// TestLooksReadNoRealm: the looks of the clock find what is due by its index, also when the server's statistics are of a moment in which
// all payments were on their way. A plan that expects to find one at once reads from end to end what by now has none.
func TestLooksReadNoRealm(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	const payments, looks = 3000, 12
	h := servicetest.New(t)
	made := h.Create(t, h.Person(t, "maker1"), rulebook.SchemeSIC)
	_, err := h.Approval.Approve(ctx, h.Person(t, "checker1"), service.Input{InternalID: made.InternalID})
	if err != nil {
		t.Fatal(err)
	}
	owner := h.DB.Connect(t)
	_, err = owner.Exec(ctx, `SET session_replication_role = replica; ALTER TABLE message SET (autovacuum_enabled = off)`)
	if err == nil {
		_, err = owner.Exec(ctx, `INSERT INTO message SELECT (jsonb_populate_record(m, jsonb_build_object('message_id', gen_random_uuid(),
			  'global_id', lpad(n::text, 16, '0'), 'external_id', NULL))).* FROM message m, generate_series(1, $1::integer) n`, payments)
	}
	if err == nil {
		_, err = owner.Exec(ctx, `ANALYZE message; UPDATE message SET delivered_at = accepted_at, state = 'Settled'`)
	}
	if err != nil {
		t.Fatal(err)
	}
	later := h.Clock.Now().Add(time.Minute)
	at := store.DueTimes{
		Now: later, ReleasedBefore: later, AcceptedBefore: later,
		AcceptedAfter: later.Add(time.Hour), InquireAfter: later.Add(time.Hour), PageSize: 100,
	}
	for range looks {
		due, err := h.Messages.Due(ctx, made.Realm, at)
		if err != nil || due.Schemes[made.Scheme] != (store.Waiting{}) {
			t.Fatal(due, err)
		}
		for _, list := range []func() (int, error){
			func() (int, error) { found, err := h.Messages.Overdue(ctx, made.Realm, at); return len(found), err },
			func() (int, error) {
				found, err := h.Messages.Undelivered(ctx, made.Realm, made.Scheme, at)
				return len(found), err
			},
			func() (int, error) {
				found, err := h.Messages.ToInquire(ctx, made.Realm, made.Scheme, at)
				return len(found), err
			},
		} {
			found, err := list()
			if err != nil || found != 0 {
				t.Fatal(found, err)
			}
		}
	}
	h.Database.Close() // what a connection counted is told at its end
	h.DB.UntilAlone(t, owner)
	var read int64
	err = owner.QueryRow(ctx, "SELECT seq_tup_read FROM pg_stat_user_tables WHERE relname = 'message'").Scan(&read)
	if err != nil || read > 3*payments { // the update above reads them once
		t.Errorf("%d looks read %d rows of messages from end to end: %v", looks, read, err)
	}
}
