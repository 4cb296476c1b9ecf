package service_test

import (
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"countersign/internal/rulebook"
	"countersign/internal/service"
	"countersign/internal/service/servicetest"
	"countersign/internal/testutil"
)

// growing are the tables to which every payment on its way adds rows.
var growing = []string{
	"message", "message_version", "document", "decision", "release", "message_history", "audit_event", "creation_key", "audit_leaf",
}

// TestAYoungDatabaseReadsFewRows: on a database without statistics all indexes that begin with the realm look alike to the planner, and the
// cached plan of a foreign key may read a whole realm at each check, more with each payment. After two thousand payments, created, approved
// and sealed, no index has read more than two rows at a time (but for a thousand in all, of what is done a few times), nor more than three
// blocks: the way down from its root, and not its entries one after the other, which are no rows while they do not match. Nothing was read
// from end to end. Half-way come a thousand recalls, of which no plan knew. The two indexes that list what is not sealed are read a batch
// at a time.
func TestAYoungDatabaseReadsFewRows(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	const payments, hands = 2000, 16
	h := servicetest.New(t)
	owner := h.DB.Connect(t)
	_, err := owner.Exec(ctx, `DO $$ DECLARE each regclass; BEGIN
		FOR each IN SELECT oid FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace LOOP
			EXECUTE format('ALTER TABLE %s SET (autovacuum_enabled = off)', each);
		END LOOP; END $$`)
	if err != nil {
		t.Fatal(err)
	}
	maker, checker := h.Person(t, "maker1"), h.Person(t, "checker1")
	var group sync.WaitGroup
	for hand := range hands {
		group.Go(func() {
			for i := range payments / hands {
				if i%25 == 0 {
					h.Notary.Sweep(ctx)
				}
				if hand == 0 && i == payments/hands/2 {
					plantRecalls(t, owner)
				}
				_, err := h.Approval.Approve(ctx, checker, service.Input{InternalID: h.Create(t, maker, rulebook.SchemeSIC).InternalID})
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
	h.Database.Close() // what a connection counted is told at its end
	rows, err := owner.Query(ctx, `
		SELECT indexrelname, idx_tup_read / greatest(idx_scan, 1), idx_scan FROM pg_stat_user_indexes
		WHERE idx_tup_read > greatest(2 * idx_scan, $1 / 20) AND relname = ANY ($2)
		AND indexrelname NOT IN ('audit_event_written', 'document_written')
		UNION ALL
		SELECT i.indexrelname || ', blocks', (b.idx_blks_hit + b.idx_blks_read) / (i.idx_scan + t.n_tup_ins + t.n_tup_upd), i.idx_scan
		FROM pg_stat_user_indexes i JOIN pg_statio_user_indexes b USING (indexrelid) JOIN pg_stat_user_tables t ON t.relid = i.relid
		WHERE b.idx_blks_hit + b.idx_blks_read > 3 * (i.idx_scan + t.n_tup_ins + t.n_tup_upd) AND i.relname = ANY ($2)
		UNION ALL
		SELECT relname || ', from end to end', seq_tup_read / greatest(seq_scan, 1), seq_scan FROM pg_stat_user_tables
		WHERE seq_tup_read > $1 AND relname = ANY ($2)`, 20*payments, growing)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		var read, scans int64
		err = rows.Scan(&name, &read, &scans)
		if err != nil {
			t.Fatal(err)
		}
		t.Errorf("%s: %d at a time, %d times", name, read, scans)
	}
	if rows.Err() != nil {
		t.Fatal(rows.Err())
	}
}

// TestTheServerLooksAtFewRowsForItsStatistics: what every payment adds rows to is analysed often while it grows, and where rows are found
// by their keys alone the planner needs to know little of them. A column that a later migration adds to these tables says how many it needs
// as well.
func TestTheServerLooksAtFewRowsForItsStatistics(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	h := servicetest.New(t)
	many := told(t, h, `
		SELECT format('%s.%s', a.attrelid::regclass, a.attname) FROM pg_attribute a
		WHERE a.attrelid = ANY ($1::text[]::regclass[]) AND a.attnum > 0 AND NOT a.attisdropped
		  AND coalesce(a.attstattarget, -1) NOT BETWEEN 0 AND 20
		UNION ALL
		SELECT format('%s.%s', a.attrelid::regclass, a.attnum) FROM pg_index i
		JOIN pg_attribute a ON a.attrelid = i.indexrelid AND i.indkey[a.attnum - 1] = 0
		  AND coalesce(a.attstattarget, -1) NOT BETWEEN 0 AND 20
		WHERE i.indrelid = ANY ($1::text[]::regclass[])`, []string{
		"creation_key", "document", "decision", "release", "inbox", "outbox", "audit_leaf", "audit_node",
	})
	for _, column := range many {
		t.Errorf("%s has statistics of 30,000 rows", column)
	}
}

// TestTablesOfTheWayAreSeldomCleaned: what every payment adds rows to is analysed when it has doubled, and cleaned when there is something
// to clean: after each of these every session plans anew.
func TestTablesOfTheWayAreSeldomCleaned(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	h := servicetest.New(t)
	often := told(t, h, `
		SELECT format('%s has the options %s', oid::regclass, reloptions) FROM pg_class WHERE oid = ANY ($1::text[]::regclass[])
		  AND NOT coalesce(reloptions, '{}') @> ARRAY['autovacuum_analyze_threshold=500', 'autovacuum_analyze_scale_factor=1',
		    'autovacuum_vacuum_threshold=20000', 'autovacuum_vacuum_insert_threshold=50000']`, growing)
	for _, each := range often {
		t.Error(each)
	}
}

// TestMessagesAreAnalysedByWhatIsAsked: what a payment adds to most is not analysed by all of its columns. Of what an index is made of, or
// narrowed to, the planner is told as ever.
func TestMessagesAreAnalysedByWhatIsAsked(t *testing.T) {
	testutil.Long(t)
	t.Parallel()
	h := servicetest.New(t)
	wrong := told(t, h, `
		WITH growing AS (
		  SELECT c.oid, c.oid::regclass AS name FROM pg_class c
		  WHERE c.oid = ANY (ARRAY['message', 'message_version', 'message_history', 'audit_event']::regclass[])
		), unknown AS (
		  SELECT a.attrelid, a.attnum, format('%s.%s', a.attrelid::regclass, a.attname) AS name FROM pg_attribute a
		  JOIN growing g ON g.oid = a.attrelid WHERE a.attnum > 0 AND a.attstattarget = 0
		)
		SELECT format('%s is analysed by all its columns', name) FROM growing
		WHERE NOT EXISTS (SELECT FROM unknown u WHERE u.attrelid = growing.oid)
		UNION ALL
		SELECT format('nothing is known of %s, of which index %s is made', u.name, i.indexrelid::regclass) FROM unknown u
		JOIN pg_index i ON i.indrelid = u.attrelid AND NOT i.indisunique AND (u.attnum = ANY (i.indkey) OR EXISTS (
		  SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = i.indexrelid AND d.refobjid = u.attrelid
		    AND d.refobjsubid = u.attnum))`)
	for _, each := range wrong {
		t.Error(each)
	}
}

// told are the texts that the database answers.
func told(t *testing.T, h *servicetest.Env, statement string, values ...any) []string {
	t.Helper()
	rows, err := h.DB.Owner(t).Query(ctx, statement, values...)
	if err != nil {
		t.Fatal(err)
	}
	texts, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return texts
}

// TestAMessageIsReadOnceHoweverManyPolicies: a decision looks a message up as often in a realm of a hundred policies as in one of a few.
func TestAMessageIsReadOnceHoweverManyPolicies(t *testing.T) {
	t.Parallel()
	few, many := looksToDecide(t, 0), looksToDecide(t, 100)
	if few == 0 || many > few {
		t.Errorf("messages and versions were looked up %d times with few policies, %d times with a hundred more", few, many)
	}
}

// looksToDecide decides payments in a realm that has more policies, all for larger amounts, and returns how often messages and their
// versions were looked up for that.
func looksToDecide(t *testing.T, more int) (looks int64) {
	t.Helper()
	h := servicetest.New(t)
	owner := h.DB.Connect(t)
	_, err := owner.Exec(ctx, `INSERT INTO policy (realm, policy_id, rank, amount_from, approvals_required, pending_seconds, created_at)
		SELECT 'demo', gen_random_uuid(), 900, 90000000000, 1, 3600, now() FROM generate_series(1, $1)`, more)
	if err != nil {
		t.Fatal(err)
	}
	h.DB.SealMasterData(t)
	maker, checker := h.Person(t, "maker1"), h.Person(t, "checker1")
	for range 10 {
		_, err = h.Approval.Approve(ctx, checker, service.Input{InternalID: h.Create(t, maker, rulebook.SchemeSIC).InternalID})
		if err != nil {
			t.Fatal(err)
		}
	}
	h.Database.Close()
	h.DB.UntilAlone(t, owner)
	err = owner.QueryRow(ctx, `SELECT sum(idx_scan) FROM pg_stat_user_indexes WHERE relname IN ('message', 'message_version')`).Scan(&looks)
	if err != nil {
		t.Fatal(err)
	}
	return looks
}

// plantRecalls gives each payment a recall, which nothing proves: when the plans were made there was none.
func plantRecalls(t *testing.T, owner *pgx.Conn) {
	t.Helper()
	_, err := owner.Exec(ctx, `SET session_replication_role = replica;
		INSERT INTO message SELECT (jsonb_populate_record(m, jsonb_build_object('kind', 'recall', 'original_id', m.message_id,
		  'message_id', gen_random_uuid(), 'global_id', reverse(m.global_id), 'external_id', NULL, 'state', 'Settled'))).* FROM message m`)
	if err != nil {
		t.Error(err)
	}
}
