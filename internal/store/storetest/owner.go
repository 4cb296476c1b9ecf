package storetest

import (
	"context"
	"sync"
	"testing"

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
