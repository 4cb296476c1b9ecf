package storetest

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// owner shares one connection for the owner's statements of a test. A new connection starts a server process that reads the whole schema,
// which takes more processor time than most statements of a test.
type owner struct {
	mu   sync.Mutex
	pool *pgxpool.Pool
}

// Owner returns a pool that runs one statement at a time as the owner, to prepare or read rows in plain SQL. Use Connect for session
// settings and transactions.
func (d *DB) Owner(t testing.TB) *pgxpool.Pool {
	t.Helper()
	d.owner.mu.Lock()
	defer d.owner.mu.Unlock()
	if d.owner.pool != nil {
		return d.owner.pool
	}
	config, err := pgxpool.ParseConfig(d.OwnerURL)
	if err != nil {
		t.Fatal("storetest:", err)
	}
	config.MaxConns = 16 // as many as tests ask beside each other
	// Tests change tables under a statement that was prepared.
	config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeDescribeExec
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	if err != nil {
		t.Fatal("storetest:", err)
	}
	d.owner.pool = pool
	d.until(t).Cleanup(d.owner.close)
	return pool
}

// close ends the connections. A test that asks once more gets others.
func (o *owner) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.pool != nil {
		o.pool.Close()
		o.pool = nil
	}
}

// until is the test that the database was made for, which may be one around that of t.
func (d *DB) until(t testing.TB) testing.TB {
	if d.test != nil {
		return d.test
	}
	return t
}

// UntilAlone waits until the server is done with all other connections to the database, those of Owner among them, which it closes: what
// one of them counted is told at its end, which comes after its client closed it.
func (d *DB) UntilAlone(t testing.TB, owner *pgx.Conn) {
	t.Helper()
	d.owner.close()
	for late := time.Now().Add(30 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		var others int
		err := owner.QueryRow(context.Background(), `SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`).Scan(&others)
		if err != nil {
			t.Fatal(err)
		}
		if others == 0 {
			return
		}
		if time.Now().After(late) {
			t.Fatalf("%d other connections did not end", others)
		}
	}
}

// Copies are copies of one message by plain SQL, past every rule: they are counted and looked for, and nothing else.
type Copies struct {
	Of           uuid.UUID
	First, Count int
	// State is an SQL expression for the state of the n-th copy; "" leaves it.
	State string
}

// Insert makes the copies, under keys of their numbers from First on. The connection needs the rights to write past the guards.
func (c Copies) Insert(t testing.TB, connection *pgx.Conn) {
	t.Helper()
	state := c.State
	if state == "" {
		state = "state"
	}
	for _, table := range []string{"message", "message_version"} {
		var columns, values string
		must(t, connection.QueryRow(t.Context(), `
			SELECT string_agg(quote_ident(attname), ', '), string_agg(CASE attname
			  WHEN 'message_id' THEN $$('01900000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid$$
			  WHEN 'global_id' THEN $$'DM' || lpad(n::text, 14, '0')$$
			  WHEN 'state' THEN $2
			  ELSE quote_ident(attname) END, ', ')
			FROM pg_attribute WHERE attrelid = $1::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''`, table, state,
		).Scan(&columns, &values))
		_, err := connection.Exec(t.Context(), "INSERT INTO "+table+" ("+columns+") SELECT "+values+" FROM "+table+
			" CROSS JOIN generate_series($1::integer, $2::integer) n WHERE message_id = $3", c.First, c.First+c.Count-1, c.Of)
		must(t, err)
	}
}
