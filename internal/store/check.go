package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/internal/store/internal/dbsqlc"
)

// Violation is a message that breaks an invariant.
type Violation struct {
	Realm     string
	MessageID uuid.UUID
	What      string
}

// Invariant is something that holds after everything that can happen, and the messages that break it: none, if all is well.
type Invariant struct {
	ID         string // the number it has in docs/operations.md
	Text       string
	Violations []Violation
}

// answerSlack is how long after the scheme's 10 seconds a message may take to be marked unconfirmed before I6 complains.
const answerSlack = 70 * time.Second

// Check looks at every message of every realm, as the owner. It reads in one snapshot, so it may run beside the gateway.
func Check(ctx context.Context, ownerURL string, now time.Time) ([]Invariant, error) {
	conn, err := pgx.Connect(ctx, ownerURL)
	if err != nil {
		return nil, fmt.Errorf("open the database as owner: %w", err)
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
	tx, err := conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return nil, fmt.Errorf("begin the check: %w", err)
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	q := dbsqlc.New(tx)
	checks := []struct {
		id, text string
		query    func() ([]Violation, error)
	}{
		{"I1", "what is released was approved, as often as needed, by others than its makers", list(ctx, q.InvariantReleaseWithoutApprovals)},
		{"I2", "each decision has one history row and one audit row", list(ctx, q.InvariantDecisionWithoutTrail)},
		{"I3", "the state of each message is the end of a gapless history of legal moves", list(ctx, q.InvariantStateWithoutHistory)},
		{"I4", "each message goes to clearing under one business id", list(ctx, q.InvariantSentTwice)},
		{"I6", "what is released ends, or is marked unconfirmed in time", list(ctx, func(ctx context.Context) ([]dbsqlc.InvariantInDoubtTooLongRow, error) {
			return q.InvariantInDoubtTooLong(ctx, now.Add(-answerSlack))
		})},
		{"I7", "what is pending, rejected, withdrawn or expired never goes to clearing", list(ctx, q.InvariantClosedYetSent)},
		{"I8", "an externalId of a client stands for one message", list(ctx, q.InvariantExternalIDTwice)},
		{"I9", "the amount sent is the amount approved", list(ctx, q.InvariantOtherAmountSent)},
		{"I12", "a payment has one open recall and one open return at most", list(ctx, q.InvariantOriginalUsedTwice)},
	}
	invariants := make([]Invariant, 0, len(checks))
	for _, c := range checks {
		violations, err := c.query()
		if err != nil {
			return nil, fmt.Errorf("check %s: %w", c.id, err)
		}
		invariants = append(invariants, Invariant{ID: c.id, Text: c.text, Violations: violations})
	}
	return invariants, nil
}

// violationRow is the shape all queries of invariants answer in.
type violationRow interface {
	~struct {
		Realm     string
		MessageID uuid.UUID
		What      string
	}
}

func list[R violationRow](ctx context.Context, query func(context.Context) ([]R, error)) func() ([]Violation, error) {
	return func() ([]Violation, error) {
		rows, err := query(ctx)
		if err != nil {
			return nil, err
		}
		violations := make([]Violation, len(rows))
		for i, row := range rows {
			violations[i] = Violation(row)
		}
		return violations, nil
	}
}
