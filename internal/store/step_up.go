package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/internal/payment"
	"countersign/internal/store/internal/dbsqlc"
)

// asksStepUp reports whether the approval of a message needs a second factor: by the policy in force for its content,
// or by the one it was made under. A deleted policy, or one that fails its seal, needs it.
func (s *Messages) asksStepUp(ctx context.Context, q *dbsqlc.Queries, m payment.Message, inForce payment.Policy) (bool, error) {
	if inForce.StepUp || m.PolicyID == inForce.ID || m.PolicyID == uuid.Nil {
		return inForce.StepUp, nil
	}
	frozen, err := q.PolicyGet(ctx, m.Realm, m.PolicyID)
	if errors.Is(err, pgx.ErrNoRows) {
		return m.Trusted() == nil, nil // of what is withheld nothing is asked any more
	}
	if err != nil {
		return false, fmt.Errorf("read the policy of the message: %w", err)
	}
	fits := s.db.Guard(q).Fits(ctx, Policy(frozen))
	return frozen.StepUp || !fits, nil
}

// AskStepUp is AsksStepUp for several messages of a realm, in their order, in one transaction.
func (s *Messages) AskStepUp(ctx context.Context, realm string, of []payment.Message) ([]bool, error) {
	asks := make([]bool, len(of))
	if len(of) == 0 {
		return asks, nil
	}
	queries := make([]ContextQuery, len(of))
	for i, m := range of {
		queries[i] = ContextQueryOf(m)
	}
	err := s.db.InRealm(ctx, realm, Reading, func(_ pgx.Tx, q *dbsqlc.Queries) error {
		known, err := s.readContexts(ctx, q, realm, queries)
		for i := 0; err == nil && i < len(of); i++ {
			if known[i] != nil {
				asks[i], err = s.asksStepUp(ctx, q, of[i], known[i].Policy)
			}
		}
		return err
	})
	return asks, err
}

// AsksStepUp reports whether the approval of a message needs a second factor. A message without a policy needs none:
// it cannot be approved.
func (s *Messages) AsksStepUp(ctx context.Context, m payment.Message) (bool, error) {
	var asks bool
	err := s.db.InRealm(ctx, m.Realm, Reading, func(_ pgx.Tx, q *dbsqlc.Queries) error {
		known, err := s.readContext(ctx, q, ContextQueryOf(m))
		if errors.Is(err, ErrNoPolicy) {
			return nil
		}
		if err != nil {
			return err
		}
		asks, err = s.asksStepUp(ctx, q, m, known.Policy)
		return err
	})
	return asks, err
}
