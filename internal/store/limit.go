package store

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"golang.org/x/time/rate"
)

const (
	// statementWithin limits one statement: nothing else ends one on a half-open connection. It is shorter than the server's own limit, whose
	// error such a connection never delivers, and longer than the server's lock limit, whose error says more.
	statementWithin = 8 * time.Second
	// connectionWithin is the longest wait for a connection of the pool.
	connectionWithin = 3 * time.Second
	// suspicion is the running time from which a statement that ended by a deadline discredits its connection rather than its caller: a little
	// less than pingWithin.
	suspicion = 900 * time.Millisecond
	// statementTimeout is the server's limit of a statement.
	statementTimeout = "15s"
	// renewAtMost is the shortest time between two renewals of all idle connections.
	renewAtMost = 5 * time.Second
)

// lockTimeout returns the time a statement waits for a locked row. The clock soon continues with the next row, and other operations wait
// behind a batch.
func lockTimeout(use Use) string {
	switch use {
	case ForClock:
		return "500ms"
	case ForBatches:
		return "250ms"
	default:
		return "5s"
	}
}

// idleTimeout returns the time after which the server closes a connection that is idle in a transaction. A stopped gateway (SIGSTOP, a
// machine that is moved) so releases its locks, and another gateway continues in time. Transactions of pages lock nothing.
func idleTimeout(use Use) string {
	switch use {
	case ForClock, ForClearing, ForBatches:
		return "1500ms"
	case ForPages:
		return "15s"
	default:
		return "5s"
	}
}

// limits puts a deadline on each statement and on each wait for a connection: the driver uses the context that its tracer returns. After a
// deadline the driver ends the connection and waits up to 15 s for the server's last word, while the pool has no room for another
// connection. So a suspect connection is cut at once, and the idle ones, which may be dead too, are closed.
type limits struct {
	next pgx.QueryTracer // sees every statement; nil for none

	mu    sync.Mutex
	pool  *pgxpool.Pool
	renew rate.Sometimes
}

func newLimits(next pgx.QueryTracer) *limits {
	return &limits{next: next, renew: rate.Sometimes{Interval: renewAtMost}}
}

// watch sets the pool for the renewal of connections.
func (l *limits) watch(pool *pgxpool.Pool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pool = pool
}

type limitKey struct{}

// running is the context of a statement or a wait in progress, and finds itself by limitKey.
type running struct {
	context.Context //nolint:containedctx // it is one
	end             context.CancelFunc
	began           time.Time
}

// Value returns the limit itself under limitKey.
func (r *running) Value(key any) any {
	if key == (limitKey{}) {
		return r
	}
	return r.Context.Value(key)
}

// limited adds a time-out to ctx, unless ctx has an earlier deadline.
func limited(ctx context.Context, within time.Duration) context.Context {
	began := time.Now()
	deadline, given := ctx.Deadline()
	if given && deadline.Before(began.Add(within)) {
		return &running{Context: ctx, end: func() {}, began: began}
	}
	ctx, cancel := context.WithTimeout(ctx, within)
	return &running{Context: ctx, end: cancel, began: began}
}

// ended releases the timer of limited. conn is the connection of the statement that may have reached its deadline.
func (l *limits) ended(ctx context.Context, conn *pgx.Conn, err error) {
	r, known := ctx.Value(limitKey{}).(*running)
	if !known {
		return
	}
	r.end()
	took := time.Since(r.began)
	if conn == nil || took < suspicion || !errors.Is(err, context.DeadlineExceeded) {
		return
	}
	_ = conn.PgConn().Conn().Close()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.pool != nil {
		l.renew.Do(l.pool.Reset)
	}
}

// TraceQueryStart limits a statement.
func (l *limits) TraceQueryStart(ctx context.Context, conn *pgx.Conn, data pgx.TraceQueryStartData) context.Context {
	ctx = limited(ctx, statementWithin)
	if l.next != nil {
		ctx = l.next.TraceQueryStart(ctx, conn, data)
	}
	return ctx
}

// TraceQueryEnd ends the limit of a statement.
func (l *limits) TraceQueryEnd(ctx context.Context, conn *pgx.Conn, data pgx.TraceQueryEndData) {
	if l.next != nil {
		l.next.TraceQueryEnd(ctx, conn, data)
	}
	l.ended(ctx, conn, data.Err)
}

// TraceBatchStart limits a batch of statements, which are one round trip. A next tracer of batches sees each statement.
func (l *limits) TraceBatchStart(ctx context.Context, conn *pgx.Conn, data pgx.TraceBatchStartData) context.Context {
	ctx = limited(ctx, statementWithin)
	if next, batches := l.next.(pgx.BatchTracer); batches {
		ctx = next.TraceBatchStart(ctx, conn, data)
	}
	return ctx
}

// TraceBatchQuery does nothing: the limit is one for the whole batch.
func (l *limits) TraceBatchQuery(context.Context, *pgx.Conn, pgx.TraceBatchQueryData) {}

// TraceBatchEnd ends the limit of a batch.
func (l *limits) TraceBatchEnd(ctx context.Context, conn *pgx.Conn, data pgx.TraceBatchEndData) {
	if next, batches := l.next.(pgx.BatchTracer); batches {
		next.TraceBatchEnd(ctx, conn, data)
	}
	l.ended(ctx, conn, data.Err)
}

// TraceAcquireStart limits the wait for a connection.
func (l *limits) TraceAcquireStart(ctx context.Context, _ *pgxpool.Pool, _ pgxpool.TraceAcquireStartData) context.Context {
	return limited(ctx, connectionWithin)
}

// TraceAcquireEnd ends the limit of a wait. An exhausted pool says nothing about its connections.
func (l *limits) TraceAcquireEnd(ctx context.Context, _ *pgxpool.Pool, _ pgxpool.TraceAcquireEndData) {
	l.ended(ctx, nil, nil)
}

var (
	_ pgx.BatchTracer       = (*limits)(nil)
	_ pgxpool.AcquireTracer = (*limits)(nil)
)
