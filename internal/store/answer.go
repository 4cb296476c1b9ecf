package store

import (
	"context"

	"github.com/google/uuid"

	"countersign/internal/payment"
	"countersign/internal/store/internal/dbsqlc"
)

// Answer is a return or a resolution that answers a recall.
type Answer struct {
	Kind  payment.Kind
	State payment.State
}

// Answers returns the newest answer to each of these received recalls that was not rejected, by the recall's InternalID.
func (r *Reader) Answers(ctx context.Context, realm string, recalls []payment.Message) (map[uuid.UUID]Answer, error) {
	ids, originals := make([]uuid.UUID, len(recalls)), make([]uuid.UUID, len(recalls))
	for i, m := range recalls {
		ids[i], originals[i] = m.InternalID, m.OriginalID
	}
	found := make(map[uuid.UUID]Answer, len(recalls))
	err := r.read(ctx, realm, Searching, func(q *dbsqlc.Queries) error {
		rows, err := q.RecallAnswerList(ctx, realm, originals, ids)
		for _, row := range rows {
			if _, newer := found[row.RecallID]; !newer {
				found[row.RecallID] = Answer{Kind: payment.Kind(row.Kind), State: payment.State(row.State)}
			}
		}
		return err
	})
	return found, wrapped(err, "list the answers to recalls")
}
