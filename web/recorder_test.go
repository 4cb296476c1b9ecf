package web_test

import (
	"context"
	"sync"

	"github.com/jackc/pgx/v5"
)

// recorder notes the statements of a server, in order, with their values.
type recorder struct {
	mu   sync.Mutex
	list []statement
}

type statement struct {
	sql    string
	values []any
}

// TraceQueryStart notes a statement.
func (r *recorder) TraceQueryStart(ctx context.Context, _ *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list = append(r.list, statement{sql: data.SQL, values: data.Args})
	return ctx
}

// TraceQueryEnd does nothing.
func (r *recorder) TraceQueryEnd(context.Context, *pgx.Conn, pgx.TraceQueryEndData) {}

// cut returns what was noted since the last cut.
func (r *recorder) cut() []statement {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := r.list
	r.list = nil
	return list
}
