package store

import (
	"context"

	"countersign/internal/payment"
	"countersign/internal/store/internal/dbsqlc"
)

// Policy returns the policy a new message would fall under, for pages that say how many approvals it needs. The message gets the
// policy that holds when it is made. Error: ErrNoPolicy.
func (r *Reader) Policy(ctx context.Context, ask ContextQuery) (payment.Policy, error) {
	var policy payment.Policy
	err := r.read(ctx, ask.Realm, reading, func(q *dbsqlc.Queries) error {
		known, err := submissionContext(ctx, q, ask)
		policy = known.Policy
		return err
	})
	return policy, err
}
