package storetest

import (
	"context"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
)

// Tracer sees the statements of a database that is opened with it.
type Tracer = pgx.QueryTracer

// BeforeStatement is a tracer that is called before each statement, sent by itself or in a batch.
type BeforeStatement func(ctx context.Context, conn *pgx.Conn, sql string, values []any)

// TraceQueryStart calls the function.
func (f BeforeStatement) TraceQueryStart(ctx context.Context, conn *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	f(ctx, conn, data.SQL, data.Args)
	return ctx
}

// TraceQueryEnd does nothing.
func (BeforeStatement) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// TraceBatchStart calls the function for each statement of the batch.
func (f BeforeStatement) TraceBatchStart(ctx context.Context, conn *pgx.Conn, data pgx.TraceBatchStartData) context.Context {
	for _, statement := range data.Batch.QueuedQueries {
		f(ctx, conn, statement.SQL, statement.Arguments)
	}
	return ctx
}

// TraceBatchQuery does nothing.
func (BeforeStatement) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

// TraceBatchEnd does nothing.
func (BeforeStatement) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}

// Trips counts the round trips to the database as a tracer of its connections: a statement is one, and a batch of statements is.
type Trips struct{ atomic.Int64 }

// TraceQueryStart counts a statement.
func (n *Trips) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	n.Add(1)
	return ctx
}

// TraceQueryEnd does nothing.
func (*Trips) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// TraceBatchStart counts a batch.
func (n *Trips) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	n.Add(1)
	return ctx
}

// TraceBatchQuery does nothing.
func (*Trips) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

// TraceBatchEnd does nothing.
func (*Trips) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}
