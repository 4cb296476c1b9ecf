package store_test

import (
	"errors"
	"testing"

	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"countersign/internal/service/servicetest"
	"countersign/internal/store"
	"countersign/internal/store/storetest"
)

// TestEveryTableWithARealmHidesTheOthers: no table that has a realm is without row-level security.
func TestEveryTableWithARealmHidesTheOthers(t *testing.T) {
	t.Parallel()
	rows, err := storetest.New(t).Owner(t).Query(t.Context(), `SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
		WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND a.attname = 'realm' AND NOT c.relrowsecurity`)
	if err != nil {
		t.Fatal(err)
	}
	open, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(open) > 0 {
		t.Errorf("without row-level security: %v %v", open, err)
	}
}

// sentAndReceived is a row for each realm in each table of what clearing sent and got, and one that waits and belongs to none.
var sentAndReceived = []string{
	`INSERT INTO inbox (scheme, reference, name, content_hash, outcome, reason, realm, document_id, received_at)
		 SELECT 'sic-inst', 'IN-' || realm, 'pacs.002.001.10', sha256('x'), 'matched', '', realm, gen_random_uuid(), now() FROM realm`,
	`INSERT INTO inbox (scheme, reference, name, content_hash, outcome, reason, content, wait_until, received_at)
		 VALUES ('sic-inst', 'WAITS', 'camt.056.001.08', sha256('x'), 'waiting', '', 'x', now(), now())`,
	`INSERT INTO outbox (key_id, mac, realm, scheme, reference, name, content, created_at, refused_at) SELECT 'test', sha256(''), realm, 'sic-inst', 'OUT-' || realm, ` +
		`'pacs.002.001.10', 'x', now(), now() FROM realm`,
	`INSERT INTO incoming_payment (scheme, transaction_id, bank, use, received_at, realm, message_id) ` +
		`SELECT 'sic-inst', 'TX-' || realm, 'BBBBCHZZXXX', 0, now(), realm, gen_random_uuid() FROM realm`,
}

// TestARealmSeesItsOwnRowsOfWhatClearingSent: as the service's role in one realm, by plain SQL. What belongs to another realm or to none
// is not there; the step before a realm is known sees it, and no realm's messages.
func TestARealmSeesItsOwnRowsOfWhatClearingSent(t *testing.T) {
	t.Parallel()
	db := servicetest.Demo(t)
	owner := db.Connect(t)
	for _, statement := range sentAndReceived {
		_, err := owner.Exec(t.Context(), statement)
		if err != nil {
			t.Fatal(err)
		}
	}
	one := db.ConnectAsApplication(t, "demo")
	gateway := db.ConnectAsApplication(t, "(gateway)")
	for table, all := range map[string]int{"realm": 2, "inbox": 3, "outbox": 2, "incoming_payment": 2} {
		var mine, foreign, seen int
		err := one.QueryRow(t.Context(), "SELECT count(*), count(*) FILTER (WHERE realm IS DISTINCT FROM 'demo') FROM "+table).Scan(
			&mine, &foreign,
		)
		if err != nil || mine != 1 || foreign != 0 {
			t.Errorf("%s: a realm sees %d rows, %d of them not its own: %v", table, mine, foreign, err)
		}
		err = gateway.QueryRow(t.Context(), "SELECT count(*) FROM "+table).Scan(&seen)
		if err != nil || seen != all {
			t.Errorf("%s: the step before a realm sees %d of %d rows: %v", table, seen, all, err)
		}
	}
	var accounts int
	err := one.QueryRow(t.Context(), "SELECT count(*) FROM incoming_account WHERE realm <> 'demo'").Scan(&accounts)
	if err != nil || accounts != 0 {
		t.Errorf("a realm sees %d accounts of others: %v", accounts, err)
	}
	var people int
	err = gateway.QueryRow(
		t.Context(), "SELECT (SELECT count(*) FROM user_account) + (SELECT count(*) FROM debtor_account) + (SELECT count(*) FROM policy)",
	).Scan(&people)
	if err != nil || people != 0 {
		t.Errorf("the step before a realm sees %d rows of realms: %v", people, err)
	}
	var settled int
	const settle = "SELECT inbox_settle('sic-inst', 'WAITS', 'matched', '', $1, gen_random_uuid())"
	err = db.ConnectAsApplication(t, "demo2").QueryRow(t.Context(), settle, "demo").Scan(&settled)
	if err != nil || settled != 0 {
		t.Errorf("another realm gave away what waits: %d %v", settled, err)
	}
	for name, statement := range map[string]string{
		"answer as another realm": `INSERT INTO outbox (key_id, mac, realm, scheme, reference, name, content, created_at, refused_at) VALUES ('test', sha256(''), 'demo2', ` +
			`'sic-inst', 'X', 'pacs.002.001.10', 'x', now(), now())`,
		"take an id of another": `INSERT INTO incoming_payment (scheme, transaction_id, bank, use, received_at, realm, message_id) VALUES ('sic-inst', 'X', ` +
			`'BBBBCHZZXXX', 0, now(), 'demo2', gen_random_uuid())`,
		"rewrite the inbox": `UPDATE inbox SET outcome = 'quarantined'`,
	} {
		_, err = one.Exec(t.Context(), statement)
		wantRefused(t, name, err)
	}
	err = one.QueryRow(t.Context(), settle, "demo").Scan(&settled)
	if err != nil || settled != 1 {
		t.Errorf("the realm did not get what waited for it: %d %v", settled, err)
	}
}

// TestTheServiceMakesNoTables: a table of its own, for good or for a session, could stand before one of ours under its name.
func TestTheServiceMakesNoTables(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	err := store.Migrate(t.Context(), db.OwnerURL) // a copied database has the server's defaults again
	if err != nil {
		t.Fatal(err)
	}
	app := db.ConnectAsApplication(t, "demo")
	for _, statement := range []string{
		"CREATE TEMP TABLE message (x int)", "CREATE TABLE mine (x int)", "CREATE SCHEMA mine",
		"CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'",
	} {
		_, err = app.Exec(t.Context(), statement)
		wantRefused(t, statement, err)
	}
}

func wantRefused(t *testing.T, what string, err error) {
	t.Helper()
	var refused *pgconn.PgError
	if !errors.As(err, &refused) || refused.Code != pgerrcode.InsufficientPrivilege {
		t.Errorf("%s: %v, want that it is refused", what, err)
	}
}
