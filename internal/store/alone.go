package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"countersign/internal/store/internal/dbsqlc"
)

// Alone are the queries of a realm, each in a transaction of its own and in one round trip: the settings, the statement and its commit
// travel together. Use it for work that is one statement; InRealm is for work that is several. The mode is Reading or Changing.
//
// Errors of a statement that changes something: ErrUnknown unless the server itself refused it, because the commit was under way with it;
// ErrBusy and ErrUnavailable as InRealm has them; ErrNoRealm.
func (d *Database) Alone(realm string, mode Mode) *dbsqlc.Queries {
	return dbsqlc.New(&alone{db: d, realm: realm, mode: mode})
}

// alone sends statements, each with its settings before it, as one pipeline: to the server they are one transaction.
type alone struct {
	db    *Database
	realm string
	mode  Mode
}

// begin queues the settings.
func (a *alone) begin(ctx context.Context, batch *pgx.Batch) error {
	readOnly := "off"
	if a.mode == Reading {
		readOnly = "on"
	}
	q := dbsqlc.New(queue{batch})
	if a.db.begin != "" {
		return q.AlonePooledSettings(ctx, a.realm, readOnly)
	}
	return q.AloneSettings(ctx, a.realm, readOnly)
}

// queue puts statements into a batch; they are not sent.
type queue struct{ *pgx.Batch }

// Exec queues a statement.
func (q queue) Exec(_ context.Context, statement string, values ...any) (pgconn.CommandTag, error) {
	q.Queue(statement, values...)
	return pgconn.CommandTag{}, nil
}

// Query is for no statement: nothing can be read before it is sent.
func (q queue) Query(context.Context, string, ...any) (pgx.Rows, error) { return nil, errQueued }

// QueryRow is for no statement either.
func (q queue) QueryRow(context.Context, string, ...any) pgx.Row { return aloneRow{err: errQueued} }

// SendBatch is for no statement either.
func (q queue) SendBatch(context.Context, *pgx.Batch) pgx.BatchResults {
	return failedBatch{err: errQueued}
}

var errQueued = errors.New("a statement that is queued has no rows")

// Exec runs a statement.
func (a *alone) Exec(ctx context.Context, statement string, values ...any) (pgconn.CommandTag, error) {
	flight, err := a.send(ctx, statement, values)
	if err != nil {
		return pgconn.CommandTag{}, err
	}
	tag, err := flight.results.Exec()
	return tag, flight.end(err)
}

// Query runs a statement and returns its rows. The transaction ends with the last of them.
func (a *alone) Query(ctx context.Context, statement string, values ...any) (pgx.Rows, error) {
	flight, err := a.send(ctx, statement, values)
	if err != nil {
		return nil, err
	}
	rows, err := flight.results.Query()
	if err != nil {
		return nil, flight.end(err)
	}
	return &aloneRows{Rows: rows, flight: flight}, nil
}

// QueryRow is Query for one row.
func (a *alone) QueryRow(ctx context.Context, statement string, values ...any) pgx.Row {
	flight, err := a.send(ctx, statement, values)
	return aloneRow{flight: flight, err: err}
}

// SendBatch runs several statements, in one transaction.
func (a *alone) SendBatch(ctx context.Context, statements *pgx.Batch) pgx.BatchResults {
	flight, err := a.sendAll(ctx, statements.QueuedQueries)
	if err != nil {
		return failedBatch{err: err}
	}
	return aloneBatch{BatchResults: flight.results, flight: flight}
}

func (a *alone) send(ctx context.Context, statement string, values []any) (*flight, error) {
	return a.sendAll(ctx, []*pgx.QueuedQuery{{SQL: statement, Arguments: values}})
}

func (a *alone) sendAll(ctx context.Context, statements []*pgx.QueuedQuery) (*flight, error) {
	if !realmPattern.MatchString(a.realm) {
		return nil, ErrNoRealm
	}
	batch := &pgx.Batch{}
	err := a.begin(ctx, batch)
	if err != nil {
		return nil, err
	}
	batch.QueuedQueries = append(batch.QueuedQueries, statements...)
	connection, err := a.db.pool.Acquire(ctx)
	if err != nil {
		return nil, a.db.pool.told(ctx, fmt.Errorf("take a connection: %w", err))
	}
	f := &flight{
		ctx: ctx, pool: a.db.pool, reads: a.mode == Reading, connection: connection, results: connection.SendBatch(ctx, batch),
	}
	_, err = f.results.Exec()
	if err != nil {
		return nil, f.end(err)
	}
	return f, nil
}

// flight is a pipeline under way.
type flight struct {
	ctx        context.Context //nolint:containedctx // of the statement that is under way
	pool       connections
	reads      bool
	connection *pgxpool.Conn
	results    pgx.BatchResults
	ended      bool
	err        error
}

// end reads the end of the transaction, gives the connection back and tells the first error.
func (f *flight) end(err error) error {
	if f.ended {
		return f.err
	}
	f.ended = true
	closed := f.results.Close()
	f.connection.Release()
	if err == nil {
		err = closed
	}
	if f.reads {
		f.err = f.pool.told(f.ctx, err)
	} else {
		f.err = f.pool.committed(f.ctx, err)
	}
	return f.err
}

// aloneRows are rows whose end is the end of their transaction.
type aloneRows struct {
	pgx.Rows
	flight *flight
}

// Close ends the transaction.
func (r *aloneRows) Close() {
	r.Rows.Close()
	_ = r.flight.end(r.Rows.Err())
}

// Err returns the error that ended the rows or refused the transaction; call it after the last row.
func (r *aloneRows) Err() error {
	r.Rows.Close()
	return r.flight.end(r.Rows.Err())
}

// aloneRow is one row.
type aloneRow struct {
	flight *flight
	err    error
}

// Scan reads the row and ends the transaction. Error: pgx.ErrNoRows.
func (r aloneRow) Scan(targets ...any) error {
	if r.err != nil {
		return r.err
	}
	scanned := r.flight.results.QueryRow().Scan(targets...)
	if errors.Is(scanned, pgx.ErrNoRows) { // the statement worked
		err := r.flight.end(nil)
		if err != nil {
			return err
		}
		return scanned
	}
	return r.flight.end(scanned)
}

// aloneBatch are the results of several statements. The transaction ends when they are closed.
type aloneBatch struct {
	pgx.BatchResults
	flight *flight
}

// Close ends the transaction.
func (b aloneBatch) Close() error { return b.flight.end(nil) }

// failedBatch is a batch that was not sent.
type failedBatch struct {
	pgx.BatchResults
	err error
}

// Exec tells why.
func (b failedBatch) Exec() (pgconn.CommandTag, error) { return pgconn.CommandTag{}, b.err }

// Query tells why.
func (b failedBatch) Query() (pgx.Rows, error) { return nil, b.err }

// QueryRow tells why.
func (b failedBatch) QueryRow() pgx.Row { return aloneRow{err: b.err} }

// Close tells why.
func (b failedBatch) Close() error { return b.err }
