package store

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"countersign/internal/store/internal/dbsqlc"
)

// Statement runs one query and reads its result. In a pipeline, OneTrip calls it twice: first to record the
// statement, when the query fails and its result must be ignored, then with the result.
type Statement func(ctx context.Context, q *dbsqlc.Queries) error

// OneTrip runs statements of a realm in one transaction and one round trip, as Alone does one: either all of them are done or none, and
// each sees what those before it did. Errors as Alone.
func (d *Database) OneTrip(ctx context.Context, realm string, mode Mode, statements ...Statement) error {
	if len(statements) == 1 {
		return statements[0](ctx, d.Alone(realm, mode))
	}
	batch := &pgx.Batch{}
	for _, statement := range statements {
		_ = statement(ctx, dbsqlc.New(asked{queue{batch}})) // the query is queued, and fails
	}
	flight, err := (&alone{db: d, realm: realm, mode: mode}).sendAll(ctx, batch.QueuedQueries)
	if err != nil {
		return err
	}
	came := dbsqlc.New(came{flight.results})
	for _, statement := range statements {
		err = statement(ctx, came)
		if err != nil {
			break
		}
	}
	return flight.end(err)
}

// asked is a queue of statements whose rows are read later: it takes those that have some, and fails each until then.
type asked struct{ queue }

// Exec queues a statement.
func (a asked) Exec(_ context.Context, statement string, values ...any) (pgconn.CommandTag, error) {
	a.Queue(statement, values...)
	return pgconn.CommandTag{}, errQueued
}

// Query queues a statement.
func (a asked) Query(_ context.Context, statement string, values ...any) (pgx.Rows, error) {
	a.Queue(statement, values...)
	return nil, errQueued
}

// QueryRow queues a statement.
func (a asked) QueryRow(_ context.Context, statement string, values ...any) pgx.Row {
	a.Queue(statement, values...)
	return aloneRow{err: errQueued}
}

// came returns the recorded results of statements, in order.
type came struct{ results pgx.BatchResults }

// Exec returns the result of the next statement.
func (c came) Exec(context.Context, string, ...any) (pgconn.CommandTag, error) {
	return c.results.Exec()
}

// Query returns the rows of the next statement.
func (c came) Query(context.Context, string, ...any) (pgx.Rows, error) { return c.results.Query() }

// QueryRow returns the row of the next statement.
func (c came) QueryRow(context.Context, string, ...any) pgx.Row { return c.results.QueryRow() }

// SendBatch is for no statement of a trip.
func (c came) SendBatch(context.Context, *pgx.Batch) pgx.BatchResults {
	return failedBatch{err: errQueued}
}
