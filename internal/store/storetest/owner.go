package storetest

import (
	"context"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// owner is what the owner's statements of a test go over. A connection is a process of the server that has yet to read the whole schema,
// which takes more processor time than most statements of a test.
type owner struct {
	mu   sync.Mutex
	pool *pgxpool.Pool
}

// Owner runs one statement at a time as the owner, for what a test wants to see or prepare in plain SQL: over a connection that is there
// already, if there is one. What sets something for its session, or holds a transaction, needs one of its own (Connect).
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
