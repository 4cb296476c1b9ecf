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
	fits := Guard{Keys: s.db.MasterDataKeys(), Log: s.db.Log()}.Policy(ctx, frozen)
	return frozen.StepUp || !fits, nil
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
