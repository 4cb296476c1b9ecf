package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"countersign/internal/store/internal/dbsqlc"
)

// In returns the queries of one realm, each statement in a transaction of its own. Errors: as InRealm.
func (d *Database) In(realm string, mode Mode) *dbsqlc.Queries {
	begin, err := d.beginIn(realm, mode)
	return dbsqlc.New(statements{db: d, begin: begin, mode: mode, failed: err})
}

// statements run each in a transaction of its own.
type statements struct {
	db     *Database
	begin  string // of the transactions
	mode   Mode
	failed error // of each statement: the realm cannot exist
}

func (s statements) run(ctx context.Context, work func(pgx.Tx) error) error {
	if s.failed != nil {
		return s.failed
	}
	return s.db.inOne(ctx, s.begin, s.mode, work)
}

// Exec runs a statement.
func (s statements) Exec(ctx context.Context, statement string, values ...any) (tag pgconn.CommandTag, err error) {
	err = s.run(ctx, func(tx pgx.Tx) error {
		tag, err = tx.Exec(ctx, statement, values...)
		return err
	})
	return tag, err
}

// QueryRow runs a query when its row is scanned.
func (s statements) QueryRow(ctx context.Context, statement string, values ...any) pgx.Row {
	return scan(func(targets ...any) error {
		return s.run(ctx, func(tx pgx.Tx) error { return tx.QueryRow(ctx, statement, values...).Scan(targets...) })
	})
}

type scan func(targets ...any) error

// Scan runs the query and reads its row.
func (s scan) Scan(targets ...any) error { return s(targets...) }

// Query runs a query, whose transaction ends with its rows.
func (s statements) Query(ctx context.Context, statement string, values ...any) (pgx.Rows, error) {
	if s.failed != nil {
		return nil, s.failed
	}
	tx, err := s.db.pool.BeginTx(ctx, pgx.TxOptions{BeginQuery: s.begin})
	if err != nil {
		return nil, fmt.Errorf("begin: %w", err)
	}
	rows, err := tx.Query(ctx, statement, values...)
	if err != nil {
		rollback(ctx, tx)
		return nil, s.db.pool.wrap(ctx, err)
	}
	return lastRows{rows, s, ctx, tx}, nil
}

// SendBatch refuses a batch: its statements belong into one transaction.
func (s statements) SendBatch(context.Context, *pgx.Batch) pgx.BatchResults { return refusedBatch{} }

type refusedBatch struct{ pgx.BatchResults }

var errBatch = errors.New("a batch needs a transaction: InRealm")

// QueryRow fails, as every read of the batch does.
func (refusedBatch) QueryRow() pgx.Row { return scan(func(...any) error { return errBatch }) }

// Close fails.
func (refusedBatch) Close() error { return errBatch }

// lastRows are the rows of a query that is a whole transaction. Callers read all rows, call Err once, and close them.
type lastRows struct {
	pgx.Rows
	of  statements
	ctx context.Context //nolint:containedctx // of the query that the rows are read from
	tx  pgx.Tx
}

// Err ends the transaction and returns its result.
func (r lastRows) Err() error { return r.of.db.end(r.ctx, r.tx, r.of.mode, r.Rows.Err()) }

// Close closes the rows, and drops a transaction that was not committed.
func (r lastRows) Close() {
	r.Rows.Close()
	rollback(r.ctx, r.tx)
}
