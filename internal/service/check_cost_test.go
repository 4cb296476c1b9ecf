package service_test

import (
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
	"countersign/internal/store/integrity"
	"countersign/internal/testutil"
)

// TestTheCheckReadsEachRowAFewTimes: the invariants of a database are asked of all its rows together. What looks something up for each
// message, without an index for it, reads a million rows a million times in a bank, and nobody notices in a small gateway. So the rows that
// were read are counted, of tables and of indexes: forty times all there are, where each such look would read them hundreds of times.
func TestTheCheckReadsEachRowAFewTimes(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	const payments, hands, most = 640, 16, 40
	h := servicetest.New(t)
	maker, checker := h.Person(t, "maker1"), h.Person(t, "checker1")
	var group sync.WaitGroup
	for range hands {
		group.Go(func() {
			for range payments / hands {
				_, err := h.Approval.Approve(ctx, checker, service.Input{InternalID: h.Create(t, maker, rulebook.SchemeSIC).InternalID})
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
	owner := h.DB.Connect(t)
	plantArrivals(t, owner)
	h.Database.Close()
	h.DB.UntilAlone(t, owner)
	before := rowsRead(t, owner)
	_, err := integrity.Check(ctx, integrity.Config{DatabaseURL: h.DB.OwnerURL, Now: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	h.DB.UntilAlone(t, owner)
	var rows int64
	err = owner.QueryRow(ctx, `SELECT sum(reltuples)::bigint FROM pg_class
		WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`).Scan(&rows)
	if err != nil {
		t.Fatal(err)
	}
	read := rowsRead(t, owner) - before
	t.Logf("%d rows there, %d read", rows, read)
	if rows < 10*payments || read < rows || read > most*rows {
		t.Errorf("the check read %d rows of %d that there are", read, rows)
	}
}

// plantArrivals has as many payments come in as there are, which nothing proves, and has the planner know of all rows.
func plantArrivals(t *testing.T, owner *pgx.Conn) {
	t.Helper()
	_, err := owner.Exec(ctx, `SET session_replication_role = replica;
		INSERT INTO message SELECT (jsonb_populate_record(m, jsonb_build_object('kind', 'payment', 'direction', 'in', 'state', 'Booked',
		  'channel', 'clearing', 'client_id', NULL, 'external_id', NULL, 'maker_user', NULL, 'maker_person', NULL, 'policy_id', NULL,
		  'approvals_required', 0, 'message_id', gen_random_uuid(), 'global_id', reverse(m.global_id)))).* FROM message m;
		ANALYZE`)
	if err != nil {
		t.Fatal(err)
	}
}

// rowsRead is how many rows of this database were read so far, from tables end to end and off their indexes.
func rowsRead(t *testing.T, owner *pgx.Conn) (rows int64) {
	t.Helper()
	err := owner.QueryRow(ctx, `SELECT (SELECT coalesce(sum(seq_tup_read), 0) FROM pg_stat_user_tables)
		+ (SELECT coalesce(sum(idx_tup_read), 0) FROM pg_stat_user_indexes)`).Scan(&rows)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}
