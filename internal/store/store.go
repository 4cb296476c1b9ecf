// Package store opens the database, begins every transaction, and stores and reads messages. Each transaction works in one realm: it sets
// countersign.realm, which row-level security reads. Each change of a message writes its state, history row and audit row in one
// transaction; the Reader serves lists, searches and reports, and never writes. Master data change by two administrators (Changes) or by
// the operator (Provisioner); People, Logins, Tokens and Sessions store credentials. Package integrity below it stores the hash trees and
// checks the whole database.
package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"countersign/internal/identity"
	"countersign/internal/keyring"
	"countersign/internal/observability"
	"countersign/internal/payment"
	"countersign/internal/store/internal/dbsqlc"
)

// appRole is the role the service works as; see the first migration.
const appRole = "countersign_app"

// gatewayStep replaces the realm outside a transaction of a realm: such a statement sees the documents of clearing and their realms, and
// no messages. No realm can have this name.
const gatewayStep = "(gateway)"

// Use is a purpose of connections. Each use has its own pool, so one cannot exhaust the connections of another.
type Use int

// The uses of connections.
const (
	// ForRequests serves the commands and the authentication of clients and users.
	ForRequests Use = iota
	// ForClearing serves deliveries, answers and the job queue.
	ForClearing
	// ForPages serves reads: pages, lists, searches, readiness.
	ForPages
	// ForClock serves timed transitions, independent of load on deliveries and the job queue.
	ForClock
	// ForSeals serves the sealing of the audit log, independent of load on pages.
	ForSeals
	// ForBatches serves the batched reads and writes of requests and of clearing, one statement of each at a time (see
	// FairMutex). Two connections therefore usually do them all. A server process caches tables, plans and checks per
	// connection, some megabytes; many connections would each have a cold cache. They keep the settings of Keyed, so
	// that no transaction sets them, and wait only a moment for a lock: other operations wait behind a batch.
	ForBatches
	uses
)

// Uses are all uses, with their names in the metrics.
func Uses() map[Use]string {
	return map[Use]string{
		ForRequests: "requests", ForClearing: "clearing", ForPages: "pages", ForClock: "clock", ForSeals: "seals", ForBatches: "batches",
	}
}

// Connections are the sizes of the pools; a 0 takes its default.
type Connections struct {
	Requests int // four for each core, but at least eight
	Clearing int // two for each core, but at least six
	Pages    int // one for each core, but at least four
}

// clockConnections is the size of the pool of the clock. It needs two; the others replace connections that do not answer.
const clockConnections = 8

// sealConnections limits the connections of the sealing: two realms at a time, and the check of master data beside them.
const sealConnections = 3

func (c Connections) sizes() [uses]int32 {
	given := [uses]int{
		ForRequests: c.Requests, ForClearing: c.Clearing, ForPages: c.Pages, ForClock: clockConnections, ForSeals: sealConnections,
	}
	cores := runtime.NumCPU()
	sizes := [uses]int32{}
	for use, otherwise := range [uses]int{ForRequests: max(8, 4*cores), ForClearing: max(6, 2*cores), ForPages: max(4, cores)} {
		sizes[use] = int32(otherwise) //nolint:gosec // cores are few
		if given[use] > 0 {
			sizes[use] = int32(given[use]) //nolint:gosec // set by an operator
		}
	}
	sizes[ForBatches] = sizes[ForRequests] // for many realms, or where writes stand still
	return sizes
}

// Database is a pool of connections as the application's role, for one use.
type Database struct {
	pool       connections
	seal       payment.Sealer
	masterData keyring.Ring
	answers    keyring.Ring // encrypts drafts, parked forms and templates
	log        *slog.Logger
	metrics    *observability.Metrics
	traces     *observability.Traces
	begin      string           // what a transaction sets for itself besides its realm
	all        *[uses]*Database // the same database, for each use
	heads      *heads
	marks      *Marks
	clock      *clock
	// moves are the numbers of the last moves that this process made lately of messages that waited, without those that release: a stored
	// message with fewer was put back, also while the audit tree does not have the move yet.
	moves *recent[uuid.UUID, int]
	// entered are the messages that this process entered lately and that wait: a first decision here needs no other proof of them.
	entered *recent[uuid.UUID, entered]
	// used is the most that this process saw used of a limit on a day: with less, uses were taken away.
	used *recent[limitDay, int64]
}

// For returns the same database with the connections for a use.
func (d *Database) For(use Use) *Database { return d.all[use] }

// Config holds the connection settings of the database.
type Config struct {
	URL         string // PostgreSQL URL or keyword string
	Connections Connections
	// Pooled: a pooler stands between (pgbouncer), which may give each transaction another connection.
	Pooled bool
	// Seal makes and checks the seals of stored data. Without a key, sealed rows cannot be written and rows that are
	// read are withheld.
	Seal payment.Sealer
	// TokenKeys are the keys of tokens: the seals of people, roles, clients, policies and debtor accounts are made with keys derived from
	// them. Without one no such row counts.
	TokenKeys keyring.Ring
	// Marks are the highest states that this gateway saw; nil keeps them in memory only.
	Marks *Marks
	// Now is the clock of the gateway, which must agree with that of the database (ErrClock); nil compares none.
	Now func() time.Time
	// Log receives alarms about stored data and failed writes of the audit log; nil disables it.
	Log *slog.Logger
	// Metrics counts what happens to messages; nil for none.
	Metrics *observability.Metrics
	// Traces tells of the steps of messages; nil for nobody.
	Traces *observability.Traces
	// Tracer sees every statement with its values, which are secret; nil for none.
	Tracer pgx.QueryTracer
}

// Open connects as the application's role: the login of the URL must be that role or a member of it. The returned
// database serves requests.
func Open(ctx context.Context, cfg Config) (*Database, error) {
	masterData, err := identity.MasterDataKeys(cfg.TokenKeys)
	if err != nil {
		return nil, err
	}
	answers, err := cfg.TokenKeys.Derive("answers of forms")
	if err != nil {
		return nil, err
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Marks == nil {
		cfg.Marks = &Marks{}
	}
	away, all, verified := newOutage(cfg.Log), &[uses]*Database{}, &heads{known: map[string]*knownHead{}}
	moves, used, entries := &recent[uuid.UUID, int]{}, &recent[limitDay, int64]{}, &recent[uuid.UUID, entered]{}
	compared := &clock{now: cfg.Now}
	for use, size := range cfg.Connections.sizes() {
		pool, err := cfg.open(ctx, Use(use), size, compared)
		if err != nil {
			closeAll(all)
			return nil, fmt.Errorf("open the database: %w", err)
		}
		begin := ""
		if cfg.Pooled {
			begin = localSettings(Use(use))
		}
		all[use] = &Database{
			pool: connections{Pool: pool, outage: away}, seal: cfg.Seal, masterData: masterData, answers: answers, log: cfg.Log,
			metrics: cfg.Metrics, traces: cfg.Traces, all: all, begin: begin, heads: verified, moves: moves, entered: entries,
			used: used, marks: cfg.Marks, clock: compared,
		}
	}
	// A write begins with a read on another connection. If that connection is dead, the write pool is reset as well.
	// A failed read changes nothing, but the result of a failed write is unknown.
	away.forsake = all[ForBatches].pool.Reset
	err = all[ForRequests].pool.Pool.Ping(ctx)
	if err == nil && cfg.Pooled {
		err = all[ForRequests].checkPooler(ctx)
	}
	if err != nil {
		closeAll(all)
		return nil, fmt.Errorf("open the database: %w", err)
	}
	return all[ForRequests], nil
}

// open makes a pool. It connects when a connection is asked for.
func (cfg Config) open(ctx context.Context, use Use, size int32, compared *clock) (*pgxpool.Pool, error) {
	pc, err := pgxpool.ParseConfig(cfg.URL)
	if err != nil {
		return nil, fmt.Errorf("read the database URL: %w", err)
	}
	pc.MaxConns, pc.PingTimeout, pc.PrepareConn = size, pingWithin, compared.prepare
	within := newLimits(cfg.Tracer)
	pc.ConnConfig.Tracer, pc.ConnConfig.DialFunc = within, dial
	if pc.ConnConfig.ConnectTimeout == 0 {
		pc.ConnConfig.ConnectTimeout = connectWithin
	}
	if use == ForClock {
		pc.ConnConfig.ConnectTimeout = min(pc.ConnConfig.ConnectTimeout, clockConnectWithin)
	}
	name, err := programName()
	if err != nil {
		return nil, err
	}
	pc.ConnConfig.RuntimeParams["application_name"] = name
	pc.ConnConfig.RuntimeParams["timezone"] = "UTC"
	pc.ConnConfig.RuntimeParams["lock_timeout"] = lockTimeout(use)
	pc.ConnConfig.RuntimeParams["statement_timeout"] = statementTimeout
	pc.ConnConfig.RuntimeParams["idle_in_transaction_session_timeout"] = idleTimeout(use)
	// Statements here are short: compiling one takes longer than running it (measured: 40 to 450 ms on the count of a long queue).
	pc.ConnConfig.RuntimeParams["jit"] = "off"
	if cfg.Pooled {
		throughPooler(pc.ConnConfig)
	} else if pc.ConnConfig.DefaultQueryExecMode == pgx.QueryExecModeCacheStatement {
		pc.ConnConfig.DescriptionCacheCapacity = 0 // it would take 10 kB of each connection for nothing
	}
	pc.AfterConnect = func(ctx context.Context, conn *pgx.Conn) error {
		registerTypes(conn.TypeMap())
		if cfg.Pooled {
			return nil
		}
		ctx, cancel := context.WithTimeout(ctx, pc.ConnConfig.ConnectTimeout)
		defer cancel()
		session := strings.ReplaceAll(planning(use), " local ", " ")
		_, err := conn.Exec(ctx, "SET ROLE "+appRole+"; SET countersign.realm = '"+gatewayStep+"'"+session)
		return err
	}
	pool, err := pgxpool.NewWithConfig(ctx, pc)
	if err != nil {
		return nil, err
	}
	within.watch(pool)
	return pool, nil
}

// Seal returns the sealer of the stored data.
func (d *Database) Seal() payment.Sealer { return d.seal }

// Marks returns the highest states that this gateway saw.
func (d *Database) Marks() *Marks { return d.marks }

// Log returns the logger of alarms about stored data.
func (d *Database) Log() *slog.Logger { return d.log }

// Metrics returns the counters; nil, which ignores all calls, for none.
func (d *Database) Metrics() *observability.Metrics { return d.metrics }

// Traces returns the tracer of messages; nil, which ignores all calls, for none.
func (d *Database) Traces() *observability.Traces { return d.traces }

// Usage is the number of used connections per use.
type Usage struct {
	InUse, Idle, Most int32
	Waits             int64 // for a connection, since the start
}

// Usage returns the number of used connections.
func (d *Database) Usage() Usage {
	stat := d.pool.Stat()
	return Usage{InUse: stat.AcquiredConns(), Idle: stat.IdleConns(), Most: stat.MaxConns(), Waits: stat.EmptyAcquireCount()}
}

// Outside returns the queries of tables that belong to no realm, each statement in a transaction of its own.
func (d *Database) Outside() *dbsqlc.Queries { return dbsqlc.New(d.pool) }

// InOneOutside runs work in one transaction on the tables that belong to no realm.
//
// Errors: ErrBusy, ErrUnavailable, ErrUnknown of a commit; what work returns.
func (d *Database) InOneOutside(ctx context.Context, work func(*dbsqlc.Queries) error) error {
	return d.inOne(ctx, string(Changing)+d.begin, Changing, ofQueries(work))
}

func ofQueries(work func(*dbsqlc.Queries) error) func(pgx.Tx) error {
	return func(tx pgx.Tx) error { return work(dbsqlc.New(tx)) }
}

// inOne runs work in one transaction that the statement begins, and returns its result.
func (d *Database) inOne(ctx context.Context, begin string, mode Mode, work func(pgx.Tx) error) error {
	tx, err := d.pool.BeginTx(ctx, pgx.TxOptions{BeginQuery: begin})
	if err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer rollback(ctx, tx)
	return d.end(ctx, tx, mode, work(tx))
}

// end commits a transaction that failed nowhere and may have written, and returns its result.
func (d *Database) end(ctx context.Context, tx pgx.Tx, mode Mode, err error) error {
	if err != nil || mode.reads() {
		return d.pool.wrap(ctx, err)
	}
	err = d.pool.committed(ctx, tx.Commit(ctx))
	return wrapped(err, "commit")
}

// rollback ends a transaction unless it was committed. After a cancelled request it has its own time-out.
func rollback(ctx context.Context, tx pgx.Tx) {
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	_ = tx.Rollback(late)
}

// closeWithin is the longest wait of Close for used connections. By then callers have ended their work or are cut off.
const closeWithin = time.Second

// Close waits for used connections and closes all of them. Connections still used after the time-out end with the
// program.
func (d *Database) Close() {
	select {
	case <-closeAll(d.all):
	case <-time.After(closeWithin):
		d.log.Warn("connections to the database are still in use at the end")
	}
}

func closeAll(all *[uses]*Database) (closed <-chan struct{}) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		var closing sync.WaitGroup
		for _, each := range all {
			if each != nil {
				closing.Go(each.pool.Close)
			}
		}
		closing.Wait()
	}()
	return done
}

// Renew closes the idle connections, after one of them did not answer: the next statement opens a fresh connection.
func (d *Database) Renew() { d.pool.Reset() }

// RenewEventOrder moves the order of new events behind all stored ones after a restore into another server; it reports whether it did. Call
// it before the first write.
func (d *Database) RenewEventOrder(ctx context.Context) (bool, error) {
	renewed, err := d.Outside().EventOrderRenew(ctx)
	return renewed > 0, wrapped(err, "renew the order of events")
}

// Ping checks that the database answers.
func (d *Database) Ping(ctx context.Context) error { return d.pool.Ping(ctx) }

var realmPattern = regexp.MustCompile(`^[a-z][a-z0-9-]{0,31}$`)

// ErrBusy reports that the database was too slow, because of a lock, the load or a deadlock. Nothing was changed; try again.
var ErrBusy = errors.New("the database is busy")

// busy adds ErrBusy to errors of the database that another try may not meet.
func busy(err error) error {
	var refused *pgconn.PgError
	if errors.As(err, &refused) {
		switch refused.Code {
		case pgerrcode.LockNotAvailable, pgerrcode.QueryCanceled, pgerrcode.DeadlockDetected, pgerrcode.SerializationFailure,
			pgerrcode.IdleInTransactionSessionTimeout:
			return errors.Join(ErrBusy, err)
		}
	}
	return err
}

// ErrNoRealm reports a text that cannot be a realm's name.
var ErrNoRealm = errors.New("no such realm")

// Mode is the BEGIN statement of a transaction with its settings.
type Mode string

// The modes of a transaction.
const (
	Changing Mode = "begin"
	Reading  Mode = "begin read only"
	// Frozen reads everything as it was at one moment.
	Frozen Mode = "begin isolation level repeatable read read only"
	// Keyed is for statements that find and change rows by their keys, given as arrays. Their plan is generic and
	// independent of table statistics: on a young database the planner would otherwise read a whole realm to join a few
	// rows, and with arrays as values it would plan each statement anew, which costs more than the statement.
	// Sorting and memoizing are disabled because no key is looked up twice.
	Keyed Mode = "begin" + keyed + "; set local enable_sort = off; set local enable_memoize = off"
	// Counting relaxes durability: a crash of the database may lose the last half second. Use it for expendable data
	// only.
	Counting Mode = "begin; set local synchronous_commit = off"
	// Searching is for searches with a plan for the given filters: a generic plan of optional filters scans the
	// table. A merge join of messages with versions takes 24 ms instead of 4 ms in the middle of 100,000 messages.
	// Parallel workers and JIT are disabled: a search among a million messages took 60 ms with them and 3 ms without.
	// Scans of whole tables are disabled: in tables that were never analysed the planner would scan one for each row of
	// another.
	Searching Mode = "begin read only; set local plan_cache_mode = force_custom_plan; set local enable_mergejoin = off;" +
		" set local enable_seqscan = off; set local max_parallel_workers_per_gather = 0; set local jit = off"
)

const keyed = "; set local plan_cache_mode = force_generic_plan; set local enable_hashjoin = off; set local enable_mergejoin = off;" +
	" set local enable_seqscan = off"

// planning returns the settings with which the connections of a use plan their statements.
func planning(use Use) string {
	if use == ForBatches {
		return keyed
	}
	return ""
}

// reads reports whether the transaction is read-only.
func (m Mode) reads() bool { return strings.HasPrefix(string(m), "begin read only") }

// InRealm runs work in one transaction that sees and writes the rows of one realm only.
//
// Errors: ErrNoRealm, ErrBusy, ErrUnavailable, ErrUnknown of a commit; what work returns.
func (d *Database) InRealm(ctx context.Context, realm string, mode Mode, work func(*dbsqlc.Queries) error) error {
	begin, err := d.beginIn(realm, mode)
	if err != nil {
		return err
	}
	return d.inOne(ctx, begin, mode, ofQueries(work))
}

// beginIn returns the statement that begins a transaction of a realm. Error: ErrNoRealm.
func (d *Database) beginIn(realm string, mode Mode) (string, error) {
	if !realmPattern.MatchString(realm) {
		return "", ErrNoRealm
	}
	return string(mode) + d.begin + "; set local countersign.realm = '" + realm + "'", nil
}

// Read runs read in a read-only transaction of one realm and returns its result.
//
// Errors: ErrNoRealm, ErrBusy, ErrUnavailable; the errors of read.
func Read[T any](ctx context.Context, d *Database, realm string, read func(*dbsqlc.Queries) (T, error)) (T, error) {
	var found T
	err := d.InRealm(ctx, realm, Reading, func(q *dbsqlc.Queries) error {
		var err error
		found, err = read(q)
		return err
	})
	return found, err
}

// wrapped adds the failed action to an error, and returns nil for nil.
func wrapped(err error, action string) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", action, err)
}
