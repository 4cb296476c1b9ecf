package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"countersign/internal/payment"
	"countersign/internal/rulebook"
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

// ApprovalContext holds the demands on an approval of a message now, for display.
type ApprovalContext struct {
	StepUp bool // it needs a second factor
	Limits []rulebook.SpendingLimit
}

// ApprovalContexts reads the demands on the approvals of messages of a realm, in their order, in one transaction. A message without a
// policy has none: it cannot be approved.
func (s *Messages) ApprovalContexts(
	ctx context.Context, realm string, of []payment.Message, scope func(payment.Message) LimitScope,
) ([]ApprovalContext, error) {
	contexts := make([]ApprovalContext, len(of))
	if len(of) == 0 {
		return contexts, nil
	}
	queries := make([]ContextQuery, len(of))
	for i, m := range of {
		b := scope(m)
		queries[i] = ContextQueryOf(m)
		queries[i].People, queries[i].Day, queries[i].On = b.people(m), b.Day, b.On
	}
	err := s.db.InRealm(ctx, realm, Keyed, func(q *dbsqlc.Queries) error {
		known, err := s.readContexts(ctx, q, realm, queries)
		for i := 0; err == nil && i < len(of); i++ {
			if known[i] == nil {
				continue
			}
			contexts[i].StepUp, err = s.asksStepUp(ctx, q, of[i], known[i].Policy)
			if err == nil {
				err = s.bind(ctx, q, queries[i], known[i], false)
			}
			contexts[i].Limits = known[i].Limits
		}
		return err
	})
	return contexts, err
}
