package store

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/puddle/v2"
	"golang.org/x/time/rate"
)

var (
	// ErrUnavailable: the database cannot be reached, stops, is full or takes no more connections. Nothing was changed by the
	// transaction it ended; try again.
	ErrUnavailable = errors.New("the database is not available")
	// ErrUnknown: the connection broke while a transaction was being committed. It may have been stored or not.
	ErrUnknown = errors.New("it is not known whether this was stored")
)

// connections is the pool. It adds ErrUnavailable and ErrBusy to errors that another attempt may not meet, and logs one line when the
// database goes away and one when it is back.
type connections struct {
	*pgxpool.Pool
	outage *outage
}

// BeginTx begins a transaction.
func (c connections) BeginTx(ctx context.Context, options pgx.TxOptions) (pgx.Tx, error) {
	tx, err := c.Pool.BeginTx(ctx, options)
	return tx, c.wrap(ctx, err)
}

// Begin begins a transaction with the server's defaults.
func (c connections) Begin(ctx context.Context) (pgx.Tx, error) {
	return c.BeginTx(ctx, pgx.TxOptions{})
}

// Ping checks that the database answers.
func (c connections) Ping(ctx context.Context) error { return c.wrap(ctx, c.Pool.Ping(ctx)) }

// Exec runs a statement in a transaction of its own.
func (c connections) Exec(ctx context.Context, statement string, values ...any) (pgconn.CommandTag, error) {
	tag, err := c.Pool.Exec(ctx, statement, values...)
	return tag, c.wrap(ctx, err)
}

// Query runs a query in a transaction of its own.
func (c connections) Query(ctx context.Context, statement string, values ...any) (pgx.Rows, error) {
	rows, err := c.Pool.Query(ctx, statement, values...)
	return wrappedRows{rows, c, ctx}, c.wrap(ctx, err)
}

// QueryRow is Query for one row.
func (c connections) QueryRow(ctx context.Context, statement string, values ...any) pgx.Row {
	return wrappedRow{c.Pool.QueryRow(ctx, statement, values...), c, ctx}
}

// wrappedRows are rows that classify their error.
type wrappedRows struct {
	pgx.Rows
	from connections
	ctx  context.Context //nolint:containedctx // of the query that the rows are read from
}

// Err returns the error that ended the rows early.
func (r wrappedRows) Err() error { return r.from.wrap(r.ctx, r.Rows.Err()) }

// wrappedRow is a row that classifies its error.
type wrappedRow struct {
	pgx.Row
	from connections
	ctx  context.Context //nolint:containedctx // of the query that the row is read from
}

// Scan reads the row.
func (r wrappedRow) Scan(targets ...any) error { return r.from.wrap(r.ctx, r.Row.Scan(targets...)) }

// wrap classifies a database error for the caller and records whether the database is reachable.
func (c connections) wrap(ctx context.Context, err error) error {
	if err == nil {
		c.outage.over()
		return nil
	}
	if errors.Is(err, ErrUnavailable) || errors.Is(err, ErrBusy) {
		return err // told where it happened
	}
	over := overLimit(ctx, err)
	if over && c.usedUp() {
		return errors.Join(ErrBusy, err)
	}
	if over || unreachable(err) {
		c.outage.note(err)
		return errors.Join(ErrUnavailable, err)
	}
	return busy(err)
}

// usedUp reports whether all connections are in use, so that callers wait for one.
func (c connections) usedUp() bool {
	stat := c.Stat()
	return stat.AcquiredConns() >= stat.MaxConns()
}

// overLimit reports whether a statement or the wait for a connection exceeded the program's time-out, and not the
// caller's.
func overLimit(ctx context.Context, err error) bool {
	return errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil
}

// unreachable reports whether an error concerns the whole database: no connection, a broken one, a server that
// starts, stops or is full. A cancelled caller proves nothing.
func unreachable(err error) bool {
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		return pgerrcode.IsConnectionException(refused.Code) || pgerrcode.IsInsufficientResources(refused.Code) ||
			operatorEnded(refused.Code) || refused.Code == pgerrcode.ReadOnlySQLTransaction // a standby, after a failover
	}
	var connecting *pgconn.ConnectError
	if errors.As(err, &connecting) {
		return !errors.Is(err, context.Canceled)
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	var network net.Error
	return errors.Is(err, ErrClock) || errors.As(err, &network) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, net.ErrClosed) || errors.Is(err, puddle.ErrClosedPool) || pgconn.SafeToRetry(err) || errors.Is(err, pgconn.ErrConnClosed)
}

// operatorEnded reports whether the server or its operator closed the connection, or refuses logins while it starts
// or stops.
func operatorEnded(code string) bool {
	switch code {
	case pgerrcode.AdminShutdown, pgerrcode.CrashShutdown, pgerrcode.CannotConnectNow, pgerrcode.DatabaseDropped:
		return true
	}
	return false
}

// committed classifies the error of a commit. Only a refusal by the server proves that nothing was stored. After a broken connection or a
// time-out the result is unknown, even if the driver calls the error safe to retry.
func (c connections) committed(ctx context.Context, err error) error {
	err = c.wrap(ctx, err)
	var refused *pgconn.PgError
	switch {
	case err == nil, errors.Is(err, pgx.ErrTxCommitRollback):
		return err
	case errors.As(err, &refused) && (refused.SeverityUnlocalized == "ERROR" || !errors.Is(err, ErrUnavailable)):
		return err // the server rolled back, as for a constraint that is checked at the end or a full disk
	}
	return errors.Join(ErrUnknown, err)
}

// outage records whether the database is unreachable.
type outage struct {
	log  *slog.Logger
	line rate.Sometimes // a database that comes and goes does not flood the log
	away atomic.Bool    // whether the last statement failed for it

	// forsake closes connections that are idle as the database goes away, over which nobody is to find out.
	forsake func()

	mu     sync.Mutex
	logged bool // that it is away
	failed int  // statements since then
}

// outageLines is the shortest time between two lines that the database is away.
const outageLines = 10 * time.Second

func newOutage(log *slog.Logger) *outage {
	return &outage{log: log, line: rate.Sometimes{First: 1, Interval: outageLines}}
}

// note says once that the database is away.
func (o *outage) note(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.away.Swap(true) {
		o.forsake()
	}
	o.failed++
	if o.logged {
		return
	}
	o.line.Do(func() {
		o.logged = true
		o.log.Error("the database is not available: requests are answered 503 until it is back", "error", err.Error())
	})
}

// over says that the database is back, if it was said to be away. It costs a working database next to nothing.
func (o *outage) over() {
	if !o.away.Load() {
		return
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.logged {
		o.log.Info("the database is available again", "failed", o.failed)
	}
	o.away.Store(false)
	o.logged, o.failed = false, 0
}
