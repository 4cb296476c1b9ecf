package storetest

import (
	"context"
	"sync/atomic"

	"github.com/jackc/pgx/v5"
)

// Trips counts the round trips to the database as a tracer of its connections: a statement is one, and a batch of statements is.
type Trips struct {
	Unmoved
	atomic.Int64
}

// TraceQueryStart counts a statement.
func (n *Trips) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	n.Add(1)
	return ctx
}

// TraceBatchStart counts a batch.
func (n *Trips) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	n.Add(1)
	return ctx
}
