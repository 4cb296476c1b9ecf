package store

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"countersign/internal/store/internal/dbsqlc"
)

// Statement makes one statement of the queries it is given, and reads what came of it. OneTrip calls it twice when there are others: first
// to learn the statement, when the query fails and nothing is to be concluded from it, then with what came of it.
type Statement func(ctx context.Context, q *dbsqlc.Queries) error

// OneTrip runs statements of a realm in one transaction and one round trip, as Alone does one: either all of them are done or none, and
// each sees what those before it did. Errors as Alone.
func (d *Database) OneTrip(ctx context.Context, realm string, mode Mode, statements ...Statement) error {
	if len(statements) == 1 {
		return statements[0](ctx, d.Alone(realm, mode))
	}
	var asked asked
	for _, statement := range statements {
		_ = statement(ctx, dbsqlc.New(&asked)) // the query is kept, and fails
	}
	flight, err := (&alone{db: d, realm: realm, mode: mode}).sendAll(ctx, asked.statements)
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

// asked keeps statements that are to be sent together, and fails each.
type asked struct{ statements []*pgx.QueuedQuery }

var errAsked = errors.New("the statement is kept, and not sent yet")

func (a *asked) keep(statement string, values []any) {
	a.statements = append(a.statements, &pgx.QueuedQuery{SQL: statement, Arguments: values})
}

// Exec keeps a statement.
func (a *asked) Exec(_ context.Context, statement string, values ...any) (pgconn.CommandTag, error) {
	a.keep(statement, values)
	return pgconn.CommandTag{}, errAsked
}

// Query keeps a statement.
func (a *asked) Query(_ context.Context, statement string, values ...any) (pgx.Rows, error) {
	a.keep(statement, values)
	return nil, errAsked
}

// QueryRow keeps a statement.
func (a *asked) QueryRow(_ context.Context, statement string, values ...any) pgx.Row {
	a.keep(statement, values)
	return aloneRow{err: errAsked}
}

// SendBatch is for no statement of a trip: it would be several.
func (a *asked) SendBatch(context.Context, *pgx.Batch) pgx.BatchResults {
	return failedBatch{err: errAsked}
}

// came answers statements, in their order, with what came of them.
type came struct{ results pgx.BatchResults }

// Exec tells how the next statement ended.
func (c came) Exec(context.Context, string, ...any) (pgconn.CommandTag, error) {
	return c.results.Exec()
}

// Query returns the rows of the next statement.
func (c came) Query(context.Context, string, ...any) (pgx.Rows, error) { return c.results.Query() }

// QueryRow returns the row of the next statement.
func (c came) QueryRow(context.Context, string, ...any) pgx.Row { return c.results.QueryRow() }

// SendBatch is for no statement of a trip.
func (c came) SendBatch(context.Context, *pgx.Batch) pgx.BatchResults {
	return failedBatch{err: errAsked}
}
