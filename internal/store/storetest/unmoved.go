package storetest

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// Tracer sees the statements of a database that is opened with it.
type Tracer = pgx.QueryTracer

// Unmoved is a tracer that nothing moves: a tracer of a test embeds it and has methods for what it is about.
type Unmoved struct{}

// TraceQueryStart does nothing.
func (Unmoved) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	return ctx
}

// TraceQueryEnd does nothing.
func (Unmoved) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// TraceBatchStart does nothing.
func (Unmoved) TraceBatchStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceBatchStartData) context.Context {
	return ctx
}

// TraceBatchQuery does nothing.
func (Unmoved) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

// TraceBatchEnd does nothing.
func (Unmoved) TraceBatchEnd(context.Context, *pgx.Conn, pgx.TraceBatchEndData) {}
