package integrity

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgerrcode"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"countersign/internal/store"
	"countersign/internal/store/internal/dbsqlc"
)

// Violation is a row that breaks an invariant.
type Violation struct {
	Realm string // "" for a row of no realm
	Table string
	Key   string // of the row within its realm, its columns with a space between
	What  string // does not fit
}

// Invariant is a condition that always holds, with the rows that break it.
type Invariant struct {
	ID         string // the number it has in docs/operations.md
	Text       string
	Violations []Violation
}

// Snapshot reads the whole database of one moment, every row of every realm, for the auditor. The gateway may run beside it.
type Snapshot struct {
	conn *pgx.Conn
	db   asStored
	q    *dbsqlc.Queries
	// trail verifies the seals of the audit trail; nil without keys.
	trail *store.TrailKeys
	// repeated has the values that the bundles of an archive share.
	repeated repeats
}

// HiddenRowsError reports that the login does not see every row, so that a check without violations would prove nothing.
type HiddenRowsError struct {
	Login  string
	Tables []string // some of them
}

// Error is a sentence for the operator.
func (e *HiddenRowsError) Error() string {
	return "the database login " + e.Login + " does not see every row (of " + strings.Join(e.Tables, ", ") +
		"): check needs the schema's owner, or a login with BYPASSRLS that may read every table"
}

// Open begins to read. It fails with HiddenRowsError for a login that is bound by row-level security, such as the service's.
func Open(ctx context.Context, url string) (*Snapshot, error) {
	cfg, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, fmt.Errorf("read the database URL: %w", err)
	}
	cfg.RuntimeParams["jit"] = "off" // compiling a long statement takes seconds, and saves less
	conn, err := pgx.ConnectConfig(ctx, cfg)
	if err == nil { // not at the connecting: target_session_attrs=read-write would refuse it
		_, err = conn.Exec(ctx, "SET default_transaction_read_only = on")
	}
	if err != nil {
		return nil, fmt.Errorf("open the database as owner: %w", err)
	}
	s := &Snapshot{conn: conn, db: asStored{DBTX: conn, types: conn.TypeMap()}}
	s.q = dbsqlc.New(&s.db) // follows the scope
	hidden, err := s.q.HiddenTableList(ctx)
	if len(hidden) > 0 {
		err = &HiddenRowsError{Login: cfg.User, Tables: hidden}
	}
	if err == nil {
		err = s.begin(ctx)
	}
	if err != nil {
		s.Close(ctx)
		return nil, fmt.Errorf("check the database login: %w", err)
	}
	return s, nil
}

// begin takes a snapshot that the next statements read.
func (s *Snapshot) begin(ctx context.Context) error {
	_, err := s.conn.Exec(ctx, "BEGIN ISOLATION LEVEL REPEATABLE READ")
	return err
}

// follow frees the snapshot: from now on each statement reads the newest rows, so that a long check keeps no dead rows in the tables.
func (s *Snapshot) follow(ctx context.Context) error {
	_, err := s.conn.Exec(ctx, "ROLLBACK")
	return err
}

// query finds what breaks an invariant.
type query = func(context.Context) ([]Violation, error)

// together returns a query whose statements see the same rows, on one snapshot.
func (s *Snapshot) together(look query) query {
	return func(ctx context.Context) ([]Violation, error) {
		err := s.begin(ctx)
		if err != nil {
			return nil, err
		}
		found, err := look(ctx)
		return found, errors.Join(err, s.follow(ctx))
	}
}

// A standby cancels a statement that reads rows which the primary has cleaned up. It is repeated.
const (
	conflictTries = 5
	conflictPause = 200 * time.Millisecond
)

// repeated runs a reading until the replication of a standby does not cancel it.
func repeated[T any](ctx context.Context, read func() (T, error)) (T, error) {
	for try := 1; ; try++ {
		found, err := read()
		var refused *pgconn.PgError
		if try == conflictTries || !errors.As(err, &refused) || refused.Code != pgerrcode.SerializationFailure {
			return found, err
		}
		select {
		case <-ctx.Done():
			return found, ctx.Err()
		case <-time.After(time.Duration(try) * conflictPause):
		}
	}
}

// narrow limits the queries that follow to the rows in scope.
func (s *Snapshot) narrow(to scope) { s.db.scope = to }

// Close ends the reading. A second call does nothing.
func (s *Snapshot) Close(ctx context.Context) {
	_ = s.conn.Close(context.WithoutCancel(ctx))
}

// answerSlack is the time after its release from which a message that is not marked unconfirmed violates I6: the scheme's 10 seconds, and a
// minute.
const answerSlack = 70 * time.Second

// rules are the invariants that need no keys.
func (a *audit) rules() []check {
	s, q := a.snapshot, a.snapshot.q
	return []check{
		{
			"I1", "each release has the approvals that it needs, by people who are not its makers", ofMessages, "",
			list(q.InvariantReleaseWithoutApprovals),
		},
		{"I2", "each decision is a move of the history, and each decided move a decision", ofMessages, "", list(q.InvariantDecisionWithoutTrail)},
		{"I3", "the state and the times of each message are those of a gapless history of legal moves", ofMessages, "", all(
			list(q.InvariantStateWithoutHistory),
			list(q.InvariantWrongClock), list(q.InvariantRetoldOtherwise))},
		{"I4", "each message goes to clearing under one business id", ofMessages, "", list(q.InvariantSentTwice)},
		{
			"I6", "each released message ends, or is marked unconfirmed in time", ofRest, "",
			list(func(ctx context.Context) ([]dbsqlc.InvariantInDoubtTooLongRow, error) {
				return q.InvariantInDoubtTooLong(ctx, a.cfg.Now.Add(-answerSlack))
			}),
		},
		{"I7", "no pending, rejected, withdrawn or expired message goes to clearing", ofMessages, "", list(q.InvariantClosedYetSent)},
		{"I8", "an externalId of a client stands for one message, the one it was used for", ofMessages, "", list(q.InvariantExternalIDTwice)},
		{"I11", "each move has one audit row that says the same", ofMessages, "", list(q.InvariantAuditUnlikeHistory)},
		{"I12", "a payment has one open recall and one open return at most", ofMessages, "", list(q.InvariantOriginalUsedTwice)},
		{
			"I13", "each maker, decider and mover of a message is the person of the account, and had the role", ofMessages, "",
			list(q.InvariantWhoActed),
		},
		{
			"I14", "each document of clearing is in the inbox with its outcome, and states that need a document have it", ofMessages, "",
			all(list(q.InvariantInboxUnlikeMessages), s.otherBanks),
		},
		{
			"I15", "every referenced row exists, and each row keeps the rules of its table", ofRest | ofMessages, "",
			all(s.dangling, s.brokenRules),
		},
		{"I22", "each message needs the approvals of the policy of its time", ofMessages, "", list(q.InvariantPolicyAsked)},
		{"I23", "each owed answer to clearing is in the outbox", ofMessages, "", list(q.InvariantAnswerGone)},
		{"I24", "each sign-in has one chain of refresh tokens, each spent by the next", ofTrail, "", list(q.InvariantTokenChain)},
		{"I25", "the schema, its rules and its grants are as the migrations make them", ofRest, "", s.otherSchema},
		{
			"I27", "the decisions about changes of administration follow each other without a gap", ofTrail, "", list(q.InvariantChangeDecided),
		},
		{"I32", "each release used its amount of the limits that bind it, as its audit row says", ofMessages, "", list(q.InvariantLimitHeld)},
		{"I33", "each row of master data is as the newest change wrote it, and none is gone or was added", ofRest, "", s.together(s.toldRows)},
		{
			"I34", "each event of the audit trail happened, by its person and at its time", ofTrail, "",
			all(list(q.InvariantToldUndone), list(q.InvariantRefusalsCounted)),
		},
		{"I31", "each approval that needs a second factor has one, shown for it", ofMessages, "", list(q.InvariantStepUp)},
	}
}

// guarded runs one query. A value that the database cannot read, such as broken JSON, does not stop the other queries: it is the violation,
// and the audit trees or the rules of its table name the row.
func (s *Snapshot) guarded(ctx context.Context, look query) ([]Violation, error) {
	found, err := repeated(ctx, func() ([]Violation, error) { return look(ctx) })
	var refused *pgconn.PgError
	if errors.As(err, &refused) && pgerrcode.IsDataException(refused.Code) {
		return []Violation{{
			Table: "database", Key: "-", What: "a row cannot be read, so the other rows are not checked:  " + refused.Message,
		}}, nil
	}
	return found, err
}

// dangling finds broken references and rules that no foreign key or rule of the schema holds.
func (s *Snapshot) dangling(ctx context.Context) ([]Violation, error) {
	if s.db.scope.of == ofRest {
		return nil, nil
	}
	return list(s.q.InvariantDangling)(ctx)
}

// violations are the rows that a statement of the schema's own finds.
func (s *Snapshot) violations(ctx context.Context, statement string) ([]Violation, error) {
	statement, arguments, wanted := s.db.scope.ofTable(statement)
	if !wanted {
		return nil, nil
	}
	rows, err := s.db.Query(ctx, statement, arguments...)
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Violation])
}

// violationRow is a row of the result of an invariant query.
type violationRow interface {
	~struct{ Realm, Relation, Key, What string }
}

// all joins the violations of the parts of an invariant.
func all(parts ...query) query {
	return func(ctx context.Context) ([]Violation, error) {
		var found []Violation
		for _, part := range parts {
			broken, err := part(ctx)
			if err != nil {
				return nil, err
			}
			found = append(found, broken...)
		}
		return found, nil
	}
}

// emptied is said of a row that a sentence cannot be made of.
const emptied = "does not fit, and a column that its finding needs is empty"

func list[R violationRow](read func(context.Context) ([]R, error)) query {
	return func(ctx context.Context) ([]Violation, error) {
		rows, err := read(ctx)
		if err != nil {
			return nil, err
		}
		violations := make([]Violation, len(rows))
		for i, row := range rows {
			r := struct{ Realm, Relation, Key, What string }(row)
			violations[i] = Violation{Realm: r.Realm, Table: r.Relation, Key: r.Key, What: cmp.Or(r.What, emptied)}
		}
		return violations, nil
	}
}
