package store

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

type answeredKey struct{}

// WhenAnswered has a function told whenever the database answers something that is asked in the context it returns: a new connection, a
// statement, each statement of a batch; what the server refuses is answered too. The function must not wait. So who waits for several
// statements can tell a database that is slow from one that does not answer.
func WhenAnswered(ctx context.Context, told func()) context.Context {
	return context.WithValue(ctx, answeredKey{}, told)
}

// answered tells who wants to know, unless there was no answer.
func answered(ctx context.Context, err error) {
	var refused *pgconn.PgError
	if err != nil && !errors.Is(err, pgx.ErrNoRows) && !errors.As(err, &refused) {
		return
	}
	told, wanted := ctx.Value(answeredKey{}).(func())
	if wanted {
		told()
	}
}

// TraceBatchQuery tells of the answer to one statement of a batch.
func (l *limits) TraceBatchQuery(ctx context.Context, _ *pgx.Conn, data pgx.TraceBatchQueryData) {
	answered(ctx, data.Err)
}

// TraceConnectStart has nothing to do: a connection has a limit of its own.
func (l *limits) TraceConnectStart(ctx context.Context, _ pgx.TraceConnectStartData) context.Context {
	return ctx
}

// TraceConnectEnd tells of a new connection.
func (l *limits) TraceConnectEnd(ctx context.Context, data pgx.TraceConnectEndData) {
	answered(ctx, data.Err)
}

var (
	_ pgx.ConnectTracer     = (*limits)(nil)
	_ pgx.BatchTracer       = (*limits)(nil)
	_ pgxpool.AcquireTracer = (*limits)(nil)
)
