package servicetest

import (
	"context"

	"github.com/google/uuid"

	"countersign/internal/payment"
	"countersign/internal/rulebook"
)

// Incoming finds the newest incoming payment with a transaction id, or payment.ErrNotFound.
func (h *Env) Incoming(ctx context.Context, scheme rulebook.Scheme, transactionID string) (realm string, id uuid.UUID, err error) {
	found, err := h.Messages.IncomingByTransaction(ctx, scheme, transactionID, "")
	if err == nil && len(found) == 0 {
		err = payment.ErrNotFound
	}
	if err != nil {
		return "", uuid.Nil, err
	}
	return found[0].Realm, found[0].ID, nil
}
